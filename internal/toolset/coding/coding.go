// Package coding is the tool contract for work on code: read, bash, edit and write.
//
// A call is translated into operations of [ops.Desk], and what comes of it into
// the words and details of the contract. Lines are counted from 1 and shown with
// their numbers, as in
//
//	1  import { foo } from './foo';
//	2
//	3  foo();
//
// The details of a failed call have a code of the table in ops.
package coding

import (
	"fmt"
	"strings"
	"time"

	"redline/internal/shell"
	"redline/internal/toolset"
	"redline/tool"
)

// Options are the bounds of the tools.
type Options struct {
	Timeout   time.Duration  // of a command; 0: 30 s
	MaxOutput int            // bytes that a read shows, and of each stream of a command; 0: 1 MB
	Sandbox   *shell.Sandbox // of commands; nil: none
}

const (
	maxLines = 5000 // that a read shows
	maxLine  = 2000 // characters of a line that a read shows

	// What the model is told of a sandbox.
	confinedWithNet = "- Commands are confined. They can write only to the project folder and to $TMPDIR, which is gone after the call, as is $HOME; the user's home cannot be read. Nothing can be done about that: if a task needs more, say so.\n"
	confined        = "- There is no network, nor any other service by a socket.\n" + confinedWithNet

	defaultTimeout   = 30 * time.Second
	defaultMaxOutput = 1 << 20
)

// set is what the tools share.
type set struct {
	desk    toolset.Desk
	options Options
}

// New returns the tools of the set over a desk, in their order. desk is asked for
// the desk of the current turn.
func New(desk toolset.Desk, o Options) ([]tool.Tool, error) {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = defaultMaxOutput
	}
	s := &set{desk, o}
	return toolset.Make(s.readTool, s.bashTool, s.editTool, s.writeTool)
}

// description is the text of a tool for the model, with the bounds in it.
func (s *set) description(text string) string {
	sandbox := ""
	if s.options.Sandbox != nil {
		sandbox = confined
		if s.options.Sandbox.Net {
			sandbox = confinedWithNet
		}
	}
	return strings.NewReplacer("{{timeout}}", s.options.Timeout.String(), "{{output}}", size(s.options.MaxOutput), "{{sandbox}}", sandbox).Replace(strings.TrimSpace(text))
}

// size is a number of bytes for people.
func size(n int) string {
	switch {
	case n%(1<<20) == 0:
		return fmt.Sprintf("%d MB", n>>20)
	case n%(1<<10) == 0:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return count(n, "byte")
}
