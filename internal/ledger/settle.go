package ledger

import (
	"context"
	"slices"

	"redline/internal/text"
)

var emptyHash = text.Sum(nil)

// settle returns the records that change because a commit is on the disk: the
// hunks that it applied, the commits and turns that it took back. It follows
// from the commit alone, so that recovery comes to the same.
func (l *Ledger) settle(ctx context.Context, c *Commit) ([]Record, error) {
	switch c.Kind {
	case Applied:
		return l.settleApplied(ctx, c)
	case Undid, Rolled:
		return l.settleUndone(ctx, c)
	}
	return nil, nil
}

func (l *Ledger) settleApplied(ctx context.Context, c *Commit) ([]Record, error) {
	turns, err := l.turns(ctx, Query{Session: c.Session, States: []string{string(Pending)}})
	if err != nil {
		return nil, err
	}
	now := setOf(c.Hunks)
	for _, t := range turns {
		for i := range t.Changes {
			for k := range t.Changes[i].Hunks {
				if h := &t.Changes[i].Hunks[k]; now[h.ID] {
					h.Applied, h.State = true, HunkAccepted
				}
			}
		}
		if t.Review == WholeTurn && t.ID == c.Turn {
			t.Status = Accepted
		}
	}
	closeSettled(turns)
	var out []Record
	for _, t := range turns {
		out = append(out, t.record())
	}
	return out, nil
}

// settleUndone marks what was taken back. Taking back an undo brings back what
// that one had taken away.
func (l *Ledger) settleUndone(ctx context.Context, c *Commit) ([]Record, error) {
	var out []Record
	turns := map[string]bool{}
	for _, id := range c.Undoes {
		found, err := l.commits(ctx, Query{ID: id}, nil)
		if err != nil {
			return nil, err
		}
		for _, target := range found {
			target.UndoneBy = c.ID
			out = append(out, target.record())
			turns[target.Turn] = true
			if !target.takesBack() {
				continue
			}
			again, err := l.revive(ctx, target)
			if err != nil {
				return nil, err
			}
			out = append(out, again...)
		}
	}
	if len(c.Hunks) > 0 {
		turns[c.Turn] = true
	}
	return l.settleUndoneTurns(ctx, c, turns, out)
}

// revive clears the marks that an undo had set.
func (l *Ledger) revive(ctx context.Context, undo *Commit) ([]Record, error) {
	var out []Record
	for _, id := range undo.Undoes {
		found, err := l.commits(ctx, Query{ID: id}, func(c *Commit) bool { return c.UndoneBy == undo.ID })
		if err != nil {
			return nil, err
		}
		for _, target := range found {
			target.UndoneBy = ""
			out = append(out, target.record())
		}
	}
	return out, nil
}

// settleUndoneTurns sets the status of the turns behind the commits: undone
// once nothing of them is left, what they were before once something is again.
func (l *Ledger) settleUndoneTurns(ctx context.Context, c *Commit, turns map[string]bool, changed []Record) ([]Record, error) {
	for id := range turns {
		t, err := l.Turn(ctx, id)
		if err != nil {
			return nil, err
		}
		if t.Status == Running || t.Status == Discarded {
			continue
		}
		live, err := l.liveCommits(ctx, t, changed)
		if err != nil {
			return nil, err
		}
		if t.Review == Hunks && t.Status == Pending {
			// Hunks are open still: those that were taken back are open again.
			if err := l.reopen(ctx, t, c, changed); err != nil {
				return nil, err
			}
			changed = append(changed, t.record())
			continue
		}
		t.mark(c)
		switch {
		case len(live) == 0 && t.Status != Undone:
			t.Earlier, t.Status = t.Status, Undone
		case len(live) > 0 && t.Status == Undone:
			t.Status, t.Earlier = t.Earlier, ""
		}
		changed = append(changed, t.record())
	}
	return append(changed, l.undoNotes(c)...), nil
}

// mark sets the hunks that a commit took back, or brought back, in a turn whose
// changes go to the disk at once, or that is closed. Hunks that were taken back
// while others stay are rejected by it.
func (t *TurnRecord) mark(c *Commit) {
	about := setOf(c.Hunks)
	open := false
	for i := range t.Changes {
		for k := range t.Changes[i].Hunks {
			h := &t.Changes[i].Hunks[k]
			switch {
			case !about[h.ID]:
			case !c.Redo:
				h.Applied = false
				if len(c.Undoes) == 0 {
					h.State = HunkRejected
				}
			default:
				h.Applied = true
				if h.State == HunkRejected && t.Status == Pending {
					h.State = HunkPending
				} else if h.State == HunkRejected {
					h.State = HunkAccepted
				}
			}
			open = open || h.State == HunkPending
		}
	}
	switch t.Status {
	case Pending, Accepted, Partial, Rejected:
		if len(about) > 0 && !open {
			t.Status = t.outcome()
		}
	}
}

// reopen sets the hunks of a turn that is pending to what its commits, some of
// which are about to change, and a new one say: on the disk if the last that is
// about them put them there.
func (l *Ledger) reopen(ctx context.Context, t *TurnRecord, c *Commit, changed []Record) error {
	log, err := l.commitsOf(ctx, t, changed)
	if err != nil {
		return err
	}
	applied := map[string]bool{}
	for _, c := range append(log, c) {
		if c.UndoneBy != "" {
			continue
		}
		for _, id := range c.Hunks {
			applied[id] = !c.takesBack() || c.Redo
		}
	}
	for i := range t.Changes {
		for k := range t.Changes[i].Hunks {
			switch h := &t.Changes[i].Hunks[k]; {
			case applied[h.ID] && !h.Applied:
				h.Applied, h.State = true, HunkAccepted
			case !applied[h.ID] && h.Applied && !h.Baked && t.Origin == Agent:
				h.Applied, h.State = false, HunkPending
			}
		}
	}
	return nil
}

func firstPath(c *Commit) Path {
	if len(c.Effects) == 0 {
		return Path{}
	}
	return c.Effects[0].Path
}

// undoNotes tell the session of an undo, a rollback or a redo, file by file.
func (l *Ledger) undoNotes(c *Commit) []Record {
	const most = 20
	kind := NoteUndone
	if c.Redo {
		kind = NoteRedone
	}
	paths := []Path{firstPath(c)}
	for _, e := range c.Effects[min(1, len(c.Effects)):min(most, len(c.Effects))] {
		paths = append(paths, e.Path)
	}
	var out []Record
	for _, p := range paths {
		out = append(out, l.note(c.Session, Note{Kind: kind, Turn: c.Turn, Path: p}))
	}
	return out
}

// liveCommits are the commits of a turn that stand, given that some records are
// about to change.
func (l *Ledger) liveCommits(ctx context.Context, t *TurnRecord, changed []Record) ([]*Commit, error) {
	log, err := l.commitsOf(ctx, t, changed)
	return slices.DeleteFunc(log, func(c *Commit) bool { return !c.stands() }), err
}

// commitsOf are the commits of a turn that are on the disk, oldest first, given
// that some records are about to change.
func (l *Ledger) commitsOf(ctx context.Context, t *TurnRecord, changed []Record) ([]*Commit, error) {
	about := map[string]*Commit{}
	for _, r := range changed {
		if r.Kind == commitRecords {
			c, err := readCommit(r)
			if err != nil {
				return nil, err
			}
			about[c.ID] = c
		}
	}
	return l.commits(ctx, Query{Session: t.Session}, func(c *Commit) bool {
		if again, ok := about[c.ID]; ok {
			c.UndoneBy = again.UndoneBy
		}
		return c.Turn == t.ID && c.onDisk()
	})
}
