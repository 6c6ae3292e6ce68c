package ops

import (
	"context"
	"path"
	"slices"

	"redline/internal/ledger"
)

// Ran is what happened to the folder while a command ran. Paths are in order. A
// folder is named, with a slash behind it, only if nothing in it is.
type Ran struct {
	Created, Changed, Deleted []string
	// Shared are those of them that somebody else wrote as well, so that an undo
	// leaves them alone.
	Shared []string
	// Outside are files that changed and that no undo brings back: ignored, too
	// large, or git's own.
	Outside []string
}

// Shell runs a command of the system, which may change files on its own. What it
// changed belongs to the turn, also if it failed or was stopped. run is told the
// absolute name of the folder; its error comes back as it is, joined with
// that of the record if that could not be kept.
func (d *Desk) Shell(ctx context.Context, tool string, run func(ctx context.Context, dir string) error) (Ran, error) {
	var failed error
	commit, err := d.turn.Shell(ctx, tool, func(ctx context.Context) error {
		failed = run(ctx, d.folder.Name())
		return failed
	})
	if ledger.CodeOf(err) == ledger.Invalid && commit == nil && failed == nil {
		e := errorf(Denied, "", "a command changes files on the disk at once, and the review of this session (hunks or turn) keeps changes back until they are accepted")
		e.Suggestions = []string{"Use the tools for reading and editing instead.", "If a command is needed, ask the user for a session with the review auto or optimistic."}
		return Ran{}, e
	}
	if err != nil && failed == nil {
		err = AsError(err)
	}
	return ranOf(commit), err
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
		switch {
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
	for _, e := range effects {
		for p := path.Dir(e.Path.String()); p != "." && !folders[p]; p = path.Dir(p) {
			folders[p] = true
		}
	}
	return folders
}
