package ledger

import (
	"context"
	"slices"
	"time"

	"redline/internal/workspace"
)

// UndoRequest says what to take back: a whole turn, one commit, or with neither
// the last commit of the session. Paths and Hunks narrow it down.
type UndoRequest struct {
	Session string
	Turn    string
	Commit  string
	Paths   []Path
	Hunks   []string
	// Unattributed also takes back what a command may not have done itself; it
	// needs Paths.
	Unattributed bool

	whole bool // all or nothing: a conflict changes nothing and is an error
}

// FileReport is what became of one file, measured on the disk afterwards.
type FileReport struct {
	Path    Path    `json:"path"`
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason,omitempty"`
}

// Outcome of an undo for a file.
type Outcome string

// The outcomes. Skipped needs nothing; a conflict is left as it is.
const (
	FileRestored   Outcome = "restored"
	FileSkipped    Outcome = "skipped"
	FileConflicted Outcome = "conflicted"
)

// Report is the result of an undo or a rollback.
type Report struct {
	Turn   string       `json:"turn,omitempty"`   // that it is about
	Commit string       `json:"commit,omitempty"` // undo this to redo
	Files  []FileReport `json:"files"`
	// Outside lists files that commands changed and that no undo restores:
	// ignored ones, very large ones, git's own.
	Outside []Path `json:"outside,omitempty"`
}

// Clean tells whether nothing was left in conflict.
func (r Report) Clean() bool {
	return !slices.ContainsFunc(r.Files, func(f FileReport) bool { return f.Outcome == FileConflicted })
}

// Undo takes back what reached the disk. What others changed since is kept by a
// three-way merge, or the file is left alone and reported. An undo is a commit
// like any other: undoing it is a redo.
func (l *Ledger) Undo(ctx context.Context, r UndoRequest) (Report, error) {
	unlock, err := l.folder.Lock(ctx, "undoing")
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	return l.undoLocked(ctx, r)
}

func (l *Ledger) undoLocked(ctx context.Context, r UndoRequest) (Report, error) {
	commits, err := l.undoable(ctx, r)
	if err != nil {
		return Report{}, err
	}
	return l.undoCommits(ctx, r, commits)
}

// Redo takes back the newest undo or rollback of a turn, or of the session.
func (l *Ledger) Redo(ctx context.Context, r UndoRequest) (Report, error) {
	unlock, err := l.folder.Lock(ctx, "redoing")
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	undo, err := l.newestCommit(ctx, r.Session, func(c *Commit) bool {
		return c.takesBack() && c.onDisk() && c.UndoneBy == "" && !c.Redo && (r.Turn == "" || c.Turn == r.Turn)
	})
	if err != nil {
		return Report{}, err
	}
	if undo == nil {
		return Report{}, errorf(NothingToUndo, "there is nothing to redo")
	}
	return l.undoCommits(ctx, r, []*Commit{undo})
}

// undoable finds the commits that a request is about.
func (l *Ledger) undoable(ctx context.Context, r UndoRequest) ([]*Commit, error) {
	var found []*Commit
	var err error
	switch {
	case r.Commit != "":
		found, err = l.commits(ctx, Query{ID: r.Commit}, (*Commit).onDisk)
	case r.Turn != "":
		found, err = l.turnCommits(ctx, r.Turn)
	default:
		var last *Commit
		last, err = l.newestCommit(ctx, r.Session, func(c *Commit) bool {
			return c.stands()
		})
		if last != nil {
			found = []*Commit{last}
		}
	}
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(c *Commit) bool { return c.UndoneBy != "" })
	if len(found) == 0 {
		return nil, errorf(NothingToUndo, "there is nothing to undo")
	}
	return found, nil
}

// LastTurn is the turn of a session, or of any with "", whose change was the last
// to reach the disk and still stands, and when it did. which narrows it to some
// commits; nil: all. Without one it is NothingToUndo.
func (l *Ledger) LastTurn(ctx context.Context, session string, which func(*Commit) bool) (string, time.Time, error) {
	at := map[string]time.Time{} // of what was taken back and brought back: when it came back
	last, err := l.newestCommit(ctx, session, func(c *Commit) bool {
		if at[c.Turn].IsZero() && c.onDisk() {
			at[c.Turn] = c.Time
		}
		return c.stands() && c.Turn != "" && (which == nil || which(c))
	})
	if err != nil {
		return "", time.Time{}, err
	}
	if last == nil {
		return "", time.Time{}, errorf(NothingToUndo, "there is nothing to undo")
	}
	return last.Turn, at[last.Turn], nil
}

// turnCommits are the commits that carry changes of a turn, oldest first.
func (l *Ledger) turnCommits(ctx context.Context, turn string) ([]*Commit, error) {
	t, err := l.Turn(ctx, turn)
	if err != nil {
		return nil, err
	}
	return l.commits(ctx, Query{Session: t.Session}, func(c *Commit) bool {
		return c.Turn == turn && !c.takesBack() && c.onDisk()
	})
}

// undoCommits makes the opposite of commits, newest first, on what is on the
// disk now.
func (l *Ledger) undoCommits(ctx context.Context, r UndoRequest, commits []*Commit) (Report, error) {
	u := &undoing{ledger: l, request: r, view: newScratch(l), chosen: map[Path]*chosen{}, passed: map[Path]bool{}}
	defer u.view.close()
	if err := u.selectHunks(ctx); err != nil {
		return Report{}, err
	}
	p := &plan{Commit: Commit{Kind: Undid, Session: commits[0].Session, Turn: commits[0].Turn, Tool: "undo"}}
	whole := len(r.Paths) == 0 && len(r.Hunks) == 0
	var outside []Path
	// Commits of one turn follow on each other: added up they conflict less.
	for _, group := range runs(commits) {
		for _, c := range group {
			p.Undoes = append(p.Undoes, c.ID)
			p.Redo = p.Redo || c.takesBack()
			outside = append(outside, c.Outside...)
		}
		if err := u.invert(ctx, group); err != nil {
			return Report{}, err
		}
	}
	p.Effects = u.view.effects()
	p.contents = u.view.contents
	p.trash = l.inTrash(commits)
	report := Report{Turn: p.Turn, Outside: outside}
	if r.whole && u.conflicted() > 0 {
		return Report{Files: u.reports}, u.conflict()
	}
	rest, err := u.takenBack(ctx, p, commits)
	if err != nil {
		return Report{}, err
	}
	whole = whole || !rest
	clean := whole && u.conflicted() == 0 && len(u.passed) == 0
	if !clean {
		p.Undoes = nil // something of it is still there, to be undone later
	}
	if len(p.Effects) > 0 || clean {
		c, err := l.commitLocked(ctx, p)
		if err != nil {
			return Report{}, err
		}
		report.Commit = c.ID
	}
	report.Files = u.measure()
	return report, nil
}

// inTrash finds what commits deleted and the trash still has. What it has not
// comes back from the store.
func (l *Ledger) inTrash(commits []*Commit) map[Path]workspace.Trashed {
	ids := map[string]bool{}
	for _, c := range commits {
		for _, id := range c.Trash {
			ids[id] = true
		}
	}
	if len(ids) == 0 {
		return nil
	}
	items, err := l.folder.Trashes()
	if err != nil {
		return nil
	}
	found := map[Path]workspace.Trashed{}
	for _, t := range items {
		if ids[t.ID] {
			found[t.Path] = t
		}
	}
	return found
}

// runs groups commits, newest first; each group is in the order in which it
// happened. All commits of a request form one group unless something else came
// between them that they do not know of.
func runs(commits []*Commit) [][]*Commit {
	var out [][]*Commit
	var group []*Commit
	last := map[Path]State{}
	for _, c := range commits {
		for _, e := range c.Effects {
			if was, ok := last[e.origin()]; ok && !sameState(was, e.Before) {
				out = append(out, group)
				group, last = nil, map[Path]State{}
				break
			}
		}
		group = append(group, c)
		for _, e := range c.Effects {
			if e.From != nil {
				last[*e.From] = State{}
			}
			last[e.Path] = e.After
		}
	}
	out = append(out, group)
	slices.Reverse(out)
	return out
}
