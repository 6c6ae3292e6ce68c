// Package vault is the tool contract for a vault of notes: a shell that cannot leave it, files, and messages to the user.
//
// A call is translated into operations of [ops.Desk], and what comes of it into words
// for the model and details for programs. Lines are counted from 1 and ranges include
// both ends.
//
// The shell is that of package staged: a command runs on a copy of the folder in
// memory, and what it did becomes part of the turn when it has ended, all of it or
// nothing. So what it would do is known before it is done:
//
//	session ── Touches ──▶ run the command in its copy, keep the outcome ──▶ the paths
//	   │        Destructive ──▶ does the kept outcome delete something?
//	   ▼        (the user is asked)
//	 Execute ──▶ the kept outcome, if the turn is still what it was; else run again
//
// The details of a failed call have a code of the table in ops.
package vault

import (
	"context"
	"fmt"
	"strings"
	"time"

	"redline/internal/shell/staged"
	"redline/internal/toolset"
	"redline/tool"
)

// Options are what the tools are told of the world around them. The zero value has
// the usual commands and limits, and nobody to talk to.
type Options struct {
	Timeout   time.Duration // of a command; 0: 30 s
	MaxOutput int           // bytes of a command's output; 0: 1 MB
	Allow     staged.Allow  // the commands of the shell
	Ask       toolset.Ask   // for clarify_user
	Send      toolset.Send  // for send_message
}

const (
	defaultTimeout   = 30 * time.Second
	defaultMaxOutput = 1 << 20

	maxLines  = 2000      // that a reading shows
	maxBytes  = 256 << 10 // that a reading shows
	maxListed = 1000      // files of a list
)

// set is what the tools share.
type set struct {
	desk    toolset.Desk
	options Options
}

// New returns the tools of the set over a desk, in their order. desk is asked for the
// desk of the current turn.
func New(desk toolset.Desk, o Options) ([]tool.Tool, error) {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = defaultMaxOutput
	}
	s := &set{desk, o}
	return toolset.Make(s.bash, s.readFile, s.writeFile, s.editFile, s.listFiles, s.sendMessage, s.clarifyUser)
}

func (s *set) sendMessage() (tool.Tool, error) {
	t, err := toolset.SendMessage(s.desk, s.options.Send, fail)
	if err != nil {
		return nil, err
	}
	return s.contract(t), nil
}

func (s *set) clarifyUser() (tool.Tool, error) {
	t, err := toolset.ClarifyUser(s.desk, s.options.Ask, fail)
	if err != nil {
		return nil, err
	}
	return s.contract(t), nil
}

// describe is a text for the model, with the bounds in it.
func (s *set) describe(text string) string {
	return strings.NewReplacer(
		"{{timeout}}", s.options.Timeout.String(), "{{output}}", size(s.options.MaxOutput),
		"{{written}}", size(staged.MostBytes), "{{commands}}", strings.Join(s.options.Allow.Names(), ", "),
		"{{lines}}", fmt.Sprint(maxLines), "{{bytes}}", size(maxBytes), "{{files}}", fmt.Sprint(maxListed),
	).Replace(strings.TrimSpace(text))
}

// reads makes a tool that changes nothing.
func reads[Args any](s *set, info tool.Info, run func(context.Context, Args, tool.Update) (tool.Result, error)) (tool.Tool, error) {
	info.Description, info.ReadOnly = s.describe(info.Description), true
	t, err := tool.New(info, run)
	if err != nil {
		return nil, err
	}
	return s.contract(t), nil
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

// count is a number with its noun, which is regular.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
