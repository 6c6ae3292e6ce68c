package ledger

import (
	"context"
	"errors"
	"fmt"

	"redline/internal/text"
)

// Recovery is what Open found to do.
type Recovery struct {
	Finished    []string       // commits that were cut off and are whole now
	TakenBack   []string       // commits that could not be finished
	Left        []FileConflict // files that somebody changed since: they were left alone
	Swept       []Path         // temporary files that were removed
	Interrupted []string       // turns that were running
	ReadOnly    error          // the store cannot be written: nothing was done
}

// recover finishes what a crash cut off.
func (l *Ledger) recover(ctx context.Context) (Recovery, error) {
	var r Recovery
	open, err := l.commits(ctx, Query{States: []string{string(Prepared), string(Done)}}, nil)
	if err != nil {
		return r, err
	}
	turns, err := l.turns(ctx, Query{States: []string{string(Running)}})
	if err != nil {
		return r, err
	}
	if len(open) == 0 && len(turns) == 0 {
		return r, nil
	}
	unlock, err := l.folder.Lock(ctx, "recovering")
	if err != nil {
		return r, err
	}
	defer unlock()
	// Another process may have recovered, or committed, while we waited.
	if open, err = l.commits(ctx, Query{States: []string{string(Prepared), string(Done)}}, nil); err != nil {
		return r, err
	}
	err = l.finishAll(ctx, open, &r)
	if err == nil {
		err = l.interrupt(ctx, &r)
	}
	if errors.Is(err, ErrReadOnly) {
		r.ReadOnly = err
		return r, nil
	}
	return r, err
}

func (l *Ledger) finishAll(ctx context.Context, open []*Commit, r *Recovery) (err error) {
	cut := false
	for _, c := range open {
		cut = cut || c.State == Prepared
		if err := l.finish(ctx, c, r); err != nil {
			return fmt.Errorf("commit %s: %w", c.ID, err)
		}
	}
	if cut {
		r.Swept, err = l.folder.SweepLocked(ctx, func(h text.Hash) bool { _, err := l.store.Blob(ctx, h); return err == nil })
	}
	return err
}

// finish brings the disk to where c says it is.
func (l *Ledger) finish(ctx context.Context, c *Commit, r *Recovery) error {
	wasPrepared := c.State == Prepared
	// A commit that was done needs another look only if the system went down
	// before it was synced, and nothing has taken it back.
	if !wasPrepared && (c.UndoneBy != "" || c.Boot == "" || c.Boot == bootID()) {
		return l.markSynced(ctx, c)
	}
	// Nothing is touched if what is done cannot be written down.
	if err := l.saveCommit(ctx, c, true); err != nil {
		return err
	}
	var rest []Effect
	kept := c.Effects[:0:0]
	for _, e := range c.Effects {
		left, todo, conflict, err := l.remaining(e, wasPrepared)
		if err != nil {
			return err
		}
		if conflict != nil {
			r.Left = append(r.Left, *conflict)
			continue
		}
		kept = append(kept, e)
		if todo {
			rest = append(rest, left)
		}
	}
	if wasPrepared {
		c.Effects = kept
	}
	if len(rest) > 0 {
		x := &execution{ledger: l, plan: &plan{Commit: Commit{Kind: c.Kind, Effects: rest}}}
		err := x.verify(ctx)
		if err == nil {
			err = x.run(ctx)
		}
		if err != nil {
			return l.takeBackCommit(ctx, c, x, err, r)
		}
		c.Trash = append(c.Trash, x.trashed...)
	}
	if wasPrepared || len(rest) > 0 {
		r.Finished = append(r.Finished, c.ID)
	}
	if !wasPrepared {
		return l.markSynced(ctx, c)
	}
	if err := l.syncCommit(c); err != nil {
		return err
	}
	c.State = Synced
	more, err := l.settle(ctx, c)
	if err != nil {
		return err
	}
	return l.saveCommit(ctx, c, false, more...)
}

// takeBackCommit is for a commit that cannot be finished, because the disk is
// full or the like: what had been done of it is undone.
func (l *Ledger) takeBackCommit(ctx context.Context, c *Commit, x *execution, cause error, r *Recovery) error {
	if err := x.takeBack(ctx); err != nil {
		return errors.Join(cause, err)
	}
	var back []Effect
	for _, e := range c.Effects {
		inv := e.inverse()
		left, todo, conflict, err := l.remaining(inv, true)
		if err != nil {
			return errors.Join(cause, err)
		}
		if conflict == nil && todo {
			back = append(back, left)
		}
	}
	y := &execution{ledger: l, plan: &plan{Commit: Commit{Kind: c.Kind, Effects: netOf(back)}}}
	err := y.verify(ctx)
	if err == nil {
		err = y.run(ctx)
	}
	if err != nil {
		return errors.Join(cause, err)
	}
	c.State = Aborted
	r.TakenBack = append(r.TakenBack, c.ID)
	return l.saveCommit(ctx, c, false)
}

// remaining says what is still to do of e. An effect can be cut between its
// steps: moved but not rewritten, rewritten but without its mode.
func (l *Ledger) remaining(e Effect, prepared bool) (left Effect, todo bool, conflict *FileConflict, err error) {
	now, _, err := l.look(e.Path)
	if err != nil {
		return e, false, nil, err
	}
	source := State{}
	if e.From != nil {
		if source, _, err = l.look(*e.From); err != nil {
			return e, false, nil, err
		}
	}
	here := Effect{Path: e.Path, Before: now, After: e.After}
	switch {
	case e.From != nil && sameState(source, e.Before) && !now.Exists():
		return e, true, nil, nil
	case e.From != nil && e.Before.Kind == Dir && now.Kind == Dir:
		return e, source.Exists(), nil, nil
	case sameState(now, e.After):
		return e, false, nil, nil
	case now.Kind == File && e.After.Kind == File && now.Hash == e.After.Hash: // only the mode is missing
		return here, true, nil, nil
	case sameState(now, e.Before), now.Kind == File && e.Before.Kind == File && now.Hash == e.Before.Hash:
		return here, true, nil, nil
	case prepared && e.goes() && e.After.Exists() && !now.Exists(): // deleted, and its successor not there yet
		return here, true, nil, nil
	case !prepared && now.Kind == File && now.Hash == emptyHash && e.After.Kind == File:
		return here, true, nil, nil // a power failure before the sync
	case !prepared:
		return e, false, nil, nil // changed since, as files do
	}
	return e, false, &FileConflict{Path: e.Path, Reason: "changed since the crash, and left as it is"}, nil
}

// interrupt marks the turns that a crash ended. What they wrote at once stays,
// and is theirs to undo.
func (l *Ledger) interrupt(ctx context.Context, r *Recovery) error {
	turns, err := l.turns(ctx, Query{States: []string{string(Running)}})
	if err != nil {
		return err
	}
	for _, t := range turns {
		if t.alive() {
			continue
		}
		if err := l.endInterrupted(ctx, t); err != nil {
			return err
		}
		r.Interrupted = append(r.Interrupted, t.ID)
	}
	return nil
}
