package ledger

import (
	"context"
	"slices"
)

// Accept takes over a turn: under review "turn" it brings all its files to the
// disk at once; under "optimistic", where they are there already, it closes the
// record.
func (l *Ledger) Accept(ctx context.Context, id string) error {
	unlock, err := l.folder.Lock(ctx, "accepting a turn")
	if err != nil {
		return err
	}
	defer unlock()
	t, err := l.Turn(ctx, id)
	if err != nil {
		return err
	}
	switch {
	case t.Status != Pending:
		return errorf(Invalid, "turn %s is %s; there is nothing to accept", id, t.Status)
	case t.Review == Hunks:
		return errorf(Invalid, "turn %s is decided hunk by hunk", id)
	case t.Review == WholeTurn:
		return l.acceptStaged(ctx, t)
	}
	t.keep(nil)
	return l.saveTurns(ctx, Batch{}, t)
}

// Keep accepts hunks of a turn under "optimistic", which are on the disk already.
// The record is closed when none is open any more.
func (l *Ledger) Keep(ctx context.Context, id string, hunks []string) error {
	return l.retryVersion(func() error {
		t, err := l.Turn(ctx, id)
		switch {
		case err != nil:
			return err
		case t.Status != Pending:
			return errorf(Invalid, "turn %s is %s; there is nothing to accept", id, t.Status)
		case t.Review.Staged():
			return errorf(Invalid, "the changes of turn %s are not on the disk yet", id)
		}
		for _, id := range hunks {
			switch _, h := t.hunk(id); {
			case h == nil:
				return errorf(NotFound, "no hunk %s in %s", id, t.ID)
			case h.State == HunkRejected:
				return errorf(Invalid, "hunk %s was taken back; redo brings it back", id)
			}
		}
		t.keep(setOf(hunks))
		return l.saveTurns(ctx, Batch{}, t)
	})
}

// keep accepts the open hunks among some, or with nil all, and closes the record
// if that were the last.
func (t *TurnRecord) keep(some map[string]bool) {
	open := false
	for i := range t.Changes {
		for k := range t.Changes[i].Hunks {
			h := &t.Changes[i].Hunks[k]
			if h.State == HunkPending && (some == nil || some[h.ID]) {
				h.State = HunkAccepted
			}
			open = open || h.State == HunkPending
		}
	}
	if !open {
		t.Status = t.outcome()
	}
}

func (l *Ledger) acceptStaged(ctx context.Context, t *TurnRecord) error {
	p := &plan{Commit: Commit{Kind: Applied, Turn: t.ID, Session: t.Session}}
	for _, c := range t.Changes {
		p.Effects = append(p.Effects, c.Effect)
		for _, h := range c.Hunks {
			p.Hunks = append(p.Hunks, h.ID)
		}
	}
	_, err := l.commitLocked(ctx, p)
	return err
}

// Reject gives up a turn that waits for a decision. Under "optimistic" that is
// an undo.
func (l *Ledger) Reject(ctx context.Context, id string) (Report, error) {
	unlock, err := l.folder.Lock(ctx, "rejecting a turn")
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	return l.rejectLocked(ctx, id)
}

func (l *Ledger) rejectLocked(ctx context.Context, id string) (Report, error) {
	t, err := l.Turn(ctx, id)
	if err != nil {
		return Report{}, err
	}
	switch {
	case t.Status != Pending:
		return Report{}, errorf(Invalid, "turn %s is %s; there is nothing to reject", id, t.Status)
	case !t.Review.Staged():
		return l.undoLocked(ctx, UndoRequest{Turn: id})
	case t.Review == Hunks:
		return Report{}, errorf(Invalid, "turn %s is decided hunk by hunk", id)
	}
	turns, err := l.pending(ctx, t.Session)
	if err != nil {
		return Report{}, err
	}
	turns = slices.DeleteFunc(turns, func(o *TurnRecord) bool { return o.Review != Hunks && o.ID != id })
	t = turns[slices.IndexFunc(turns, func(o *TurnRecord) bool { return o.ID == id })]
	// The user may have edited on top of it. From here on it is a layer like any
	// other, with all its hunks rejected.
	t.Review = Hunks
	var ids []string
	b := Batch{}
	for _, c := range t.Changes {
		for _, h := range c.Hunks {
			ids = append(ids, h.ID)
		}
		b.Records = append(b.Records, l.note(t.Session, Note{Kind: NoteRejected, Path: c.Path, Turn: id}))
	}
	if _, err := reviewedOf(turns).decide(nil, ids); err != nil {
		return Report{}, err
	}
	closeSettled(turns)
	if t.Status != Pending {
		t.Review = WholeTurn
	}
	return Report{}, l.saveTurns(ctx, b, turns...)
}

// endInterrupted closes a turn whose process is gone.
func (l *Ledger) endInterrupted(ctx context.Context, t *TurnRecord) error {
	if t.Command {
		if err := l.lostCommand(ctx, t); err != nil {
			return err
		}
	}
	commits, err := l.turnCommits(ctx, t.ID)
	if err != nil {
		return err
	}
	var effects []Effect
	for _, c := range commits {
		effects = append(effects, c.Effects...)
	}
	m := hunkMaker{ledger: l, view: &view{ledger: l}, turn: t.ID}
	changes, err := m.changes(ctx, netOf(effects))
	if err != nil {
		return err
	}
	t.Interrupted = true
	t.end(changes, l.now())
	return l.saveTurns(ctx, Batch{}, t)
}
