package coding

import (
	"context"
	_ "embed"
	"strings"

	"redline/internal/ops"
	"redline/internal/shell"
	"redline/internal/toolset"
	"redline/tool"
)

//go:embed bash.md
var bashText string

type bashArgs struct {
	Command string `json:"command" jsonschema:"Shell command to execute"`
}

type bashDetails struct {
	Command  string `json:"command"`
	ExitCode int    `json:"exitCode"`
	Duration int64  `json:"duration"` // milliseconds

	// What it did to the folder.
	Created []string `json:"created,omitempty"`
	Changed []string `json:"changed,omitempty"`
	Deleted []string `json:"deleted,omitempty"`
	// Shared are those that somebody else wrote meanwhile, Outside those that no
	// undo brings back.
	Shared  []string `json:"shared,omitempty"`
	Outside []string `json:"outside,omitempty"`
	// Escaped is what the command, or somebody else, did to the folder itself while
	// it ran on a copy.
	Escaped []string `json:"escaped,omitempty"`
	Waits   bool     `json:"waits,omitempty"` // all this waits for a decision
	// More is how many paths these lists leave out; the ledger has them all.
	More int `json:"more,omitempty"`

	Truncated bool     `json:"truncated,omitempty"`
	Left      []string `json:"left,omitempty"`    // processes that were still running and were ended
	Running   []string `json:"running,omitempty"` // and those that could not be
}

func (s *set) bashTool() (tool.Tool, error) {
	return plain(s, tool.Info{Name: "bash", Label: "Execute Shell Command", Description: s.description(bashText)}, s.bash)
}

func (s *set) bash(ctx context.Context, a bashArgs, update tool.Update) (tool.Result, error) {
	ctx, desk := s.desk.At(ctx)
	switch {
	case strings.TrimSpace(a.Command) == "":
		return tool.Result{}, fail(desk, toolset.Refusal(ops.InvalidArgument, "", "the command is empty"))
	case strings.Contains(a.Command, "\x00"):
		return tool.Result{}, fail(desk, toolset.Refusal(ops.InvalidArgument, "", "the command holds a NUL byte"))
	}
	var r shell.Result
	started := false
	live := &toolset.Screen{Update: update}
	ran, err := desk.Shell(ctx, "bash", s.hold, func(ctx context.Context, scene ops.Scene) (err error) {
		r, err = shell.Run(ctx, shell.Command{Line: a.Command, Dir: scene.Dir, Stage: stageOf(scene), Timeout: s.options.Timeout, MaxOutput: s.options.MaxOutput, Sandbox: s.options.Sandbox, Output: live.Hear})
		started = err == nil
		return err
	})
	if !started {
		return tool.Result{}, fail(desk, err)
	}
	d := bashDetails{
		Command: a.Command, ExitCode: r.ExitCode, Duration: r.Duration.Milliseconds(),
		Created: ran.Created, Changed: ran.Changed, Deleted: ran.Deleted, Shared: ran.Shared, Outside: ran.Outside,
		Escaped: ran.Escaped, Waits: ran.Waits,
		Truncated: r.Truncated, Left: r.Left, Running: r.Running,
	}
	for _, list := range []*[]string{&d.Created, &d.Changed, &d.Deleted, &d.Shared, &d.Outside, &d.Escaped} {
		d.More += max(0, len(*list)-mostListed)
		*list = (*list)[:min(len(*list), mostListed)]
	}
	out := tool.Result{Output: bashOutput(desk, r, ran), Details: d}
	if f := s.bashFailure(r, err); f != nil {
		out.IsError = true
		out.Output += "\n" + desk.Tell("Error: "+toolset.Words(f.Message, f.Suggestions))
		out.Details = struct {
			*failure
			bashDetails
		}{f, d}
	}
	return out, nil
}

// hold tells whether a command finds a scene under the name of the folder, or is
// confined to it.
func (s *set) hold(scene ops.Scene) error {
	err := shell.Mount(scene.Dir, stageOf(scene))
	if scene.Copy != "" && s.options.Sandbox != nil {
		return nil
	}
	return err
}

func stageOf(scene ops.Scene) shell.Stage {
	return shell.Stage{Copy: scene.Copy, Upper: scene.Upper, Work: scene.Work}
}

// bashFailure says what went wrong beside the command itself, or is nil. A command
// that exits with a code is none.
func (s *set) bashFailure(r shell.Result, err error) *failure {
	switch {
	case err != nil:
		e := ops.AsError(err)
		f := failureOf(e)
		f.Message = "the command has run, but what it changed could not be put on record: " + e.Message
		return f
	case r.TimedOut:
		return failureOf(toolset.Refusal(ops.TimedOut, "", "the command did not end within %v and was ended", s.options.Timeout))
	case r.Aborted:
		return failureOf(toolset.Refusal(ops.Aborted, "", "the command was aborted"))
	}
	return nil
}

// bashOutput is what the model reads: the output of the command, and which files
// it changed. The words that are not the command's own are told.
func bashOutput(desk *ops.Desk, r shell.Result, ran ops.Ran) string {
	if r.Truncated {
		toolset.TellLeftOut(desk, r.Stdout, r.Stderr)
	}
	out := r.Text()
	outside := "changed, and undo cannot bring it back"
	if ran.Waits {
		outside = "changed in the private copy only, and not kept"
	}
	for _, line := range []string{
		toolset.Files("created", ran.Created), toolset.Files("changed", ran.Changed), toolset.Files("deleted", ran.Deleted),
		toolset.Files("written by somebody else meanwhile, so that undo leaves it alone", ran.Shared),
		toolset.Files(outside, ran.Outside),
		toolset.Files("changed in the folder itself, on the disk, while the command ran on a copy of it", ran.Escaped),
	} {
		if line != "" {
			out += "\n" + desk.Tell(line)
		}
	}
	return out
}

// mostListed is how many paths are in a list of the details.
const mostListed = 200
