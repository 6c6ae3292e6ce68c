package ops

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"

	"redline/internal/ledger"
	"redline/internal/workspace"
)

// Ran is what happened to the folder while a command ran. Paths are in order. A
// folder is named, with a slash behind it, only if nothing in it is.
type Ran struct {
	Created, Changed, Deleted []string
	// Moved are files that have another name now. One whose content changed on the way
	// is among Changed as well.
	Moved []Rename
	// Shared are those of them that somebody else wrote as well, so that an undo
	// leaves them alone.
	Shared []string
	// Outside are files that changed and that no undo brings back: ignored, too
	// large, or git's own.
	Outside []string

	// Waits: the command ran on a private copy, and what it changed waits for a
	// decision. Outside was changed only there, and is gone. Escaped was done to the
	// folder itself meanwhile.
	Waits   bool
	Escaped []string
}

// Rename is a file that was moved.
type Rename struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Scene is where a command runs.
type Scene = ledger.Scene

// Shell runs a command of the system, which may change files on its own. What it
// changed belongs to the turn, also if it failed or was stopped. run is told where:
// in the folder itself or, if changes wait for a decision, on a private copy of it,
// of which hold tells whether it holds the command. The error of run comes back as it
// is, joined with that of the record if that could not be kept.
func (d *Desk) Shell(ctx context.Context, tool string, hold func(Scene) error, run func(context.Context, Scene) error) (Ran, error) {
	var failed error
	noting := func(ctx context.Context, s Scene) error {
		failed = run(ctx, s)
		return failed
	}
	var ran Ran
	var err error
	if d.turn.Waits() {
		ran, err = d.rehearse(ctx, tool, hold, noting)
	} else {
		var commit *ledger.Commit
		commit, err = d.turn.Shell(ctx, tool, func(ctx context.Context) error { return noting(ctx, Scene{Dir: d.folder.Name()}) })
		ran = ranOf(commit)
	}
	if err != nil && failed == nil {
		err = AsError(err)
	}
	return ran, err
}

func (d *Desk) rehearse(ctx context.Context, tool string, hold func(Scene) error, run func(context.Context, Scene) error) (Ran, error) {
	done, err := d.turn.Rehearse(ctx, tool, hold, run)
	ran := ranOf(&ledger.Commit{Effects: done.Effects, Outside: done.Outside})
	ran.Waits = true
	if c := done.Escaped; c != nil {
		escaped := ranOf(c)
		ran.Escaped = slices.Concat(escaped.Created, escaped.Changed, escaped.Deleted, escaped.Outside)
	}
	if errors.Is(err, workspace.TooLarge) {
		e := AsError(err)
		e.Suggestions = []string{
			"Use the tools for reading and editing instead.",
			"If a command is needed, ask the user to allow larger copies (shell.copy_limit, shell.copy_files), or for a session with the review auto or optimistic.",
		}
		e.Message = "under this review a command runs on a private copy, and that would be too large: " + e.Message
		err = e
	}
	return ran, err
}

func ranOf(c *ledger.Commit) Ran {
	var r Ran
	if c == nil {
		return r
	}
	holding := foldersOf(c.Effects)
	for _, e := range c.Effects {
		if e.Path.IsRoot() {
			continue // the folder itself is gone: all that was in it is named
		}
		name := e.Path.String()
		if e.Before.Kind == ledger.Dir || e.After.Kind == ledger.Dir {
			if holding[name] {
				continue
			}
			name += "/"
		}
		if e.From != nil {
			r.Moved = append(r.Moved, Rename{e.From.String(), name})
		}
		switch {
		case e.From != nil && e.Before.Hash == e.After.Hash:
		case !e.Before.Exists():
			r.Created = append(r.Created, name)
		case !e.After.Exists():
			r.Deleted = append(r.Deleted, name)
		default:
			r.Changed = append(r.Changed, name)
		}
		if e.Unattributed {
			r.Shared = append(r.Shared, name)
		}
	}
	slices.SortFunc(r.Moved, func(a, b Rename) int { return cmp.Compare(a.To, b.To) })
	for _, p := range c.Outside {
		r.Outside = append(r.Outside, p.String())
	}
	for _, list := range [][]string{r.Created, r.Changed, r.Deleted, r.Shared, r.Outside} {
		slices.Sort(list)
	}
	return r
}

// foldersOf are the folders in which something changed.
func foldersOf(effects []ledger.Effect) map[string]bool {
	folders := map[string]bool{}
	note := func(name string) {
		for p := path.Dir(name); p != "." && !folders[p]; p = path.Dir(p) {
			folders[p] = true
		}
	}
	for _, e := range effects {
		note(e.Path.String())
		if e.From != nil {
			note(e.From.String())
		}
	}
	return folders
}
