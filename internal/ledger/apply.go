package ledger

import (
	"context"
	"errors"
	"slices"

	"redline/internal/diff"
	"redline/internal/text"
)

// AppliedFile is what Apply did to one file.
type AppliedFile struct {
	Path     Path `json:"file_path"`
	Applied  int  `json:"applied_hunks"`
	Rejected int  `json:"rejected_hunks"`
}

// Apply writes the accepted hunks of a session's pending turns to the disk: all
// files of a turn as one, the turns one after the other, so that each can be
// undone by itself. If a file is no longer what the hunks are about, that is a
// Conflict and nothing is written; it says whether Rebase would help.
func (l *Ledger) Apply(ctx context.Context, session string) ([]AppliedFile, error) {
	unlock, err := l.folder.Lock(ctx, "applying changes")
	if err != nil {
		return nil, err
	}
	defer unlock()
	r, err := l.reviewed(ctx, session)
	if err != nil {
		return nil, err
	}
	plans, err := l.applyPlans(ctx, r, session)
	if err != nil {
		return nil, err
	}
	if err := l.verifyAll(ctx, plans); err != nil {
		return nil, l.offerRebase(ctx, r, err)
	}
	var hunks []string
	for _, p := range plans {
		if _, err := l.commitLocked(ctx, p); err != nil {
			return nil, err
		}
		hunks = append(hunks, p.Hunks...)
	}
	return r.counts(hunks), nil
}

// applyPlans are the steps, turn by turn, from what is on the disk to what is
// accepted.
func (l *Ledger) applyPlans(ctx context.Context, r *reviewed, session string) ([]*plan, error) {
	if err := r.missing(); err != nil {
		return nil, err
	}
	target, err := l.replay(ctx, r.turns, accepted)
	if err != nil {
		return nil, err
	}
	if len(target.conflicts) > 0 {
		return nil, &Error{Code: Conflict, Reason: "hunks that are not accepted are in the way", Conflicts: target.conflicts}
	}
	disk, err := l.replay(ctx, r.turns, applied)
	if err != nil {
		return nil, err
	}
	var plans []*plan
	upTo := map[string]bool{} // the hunks of the turns so far
	for _, t := range r.turns {
		p := &plan{Commit: Commit{Kind: Applied, Session: session, Turn: t.ID}}
		for _, c := range t.Changes {
			for _, h := range c.Hunks {
				if upTo[h.ID] = true; h.State == HunkAccepted && !h.Applied {
					p.Hunks = append(p.Hunks, h.ID)
				}
			}
		}
		if len(p.Hunks) == 0 {
			continue
		}
		next, err := l.replay(ctx, r.turns, func(h *Hunk) bool { return applied(h) || upTo[h.ID] && accepted(h) })
		if err != nil {
			return nil, err
		}
		p.Effects, p.contents = between(disk, next), next.overlay.contents
		plans, disk = append(plans, p), next
	}
	return plans, nil
}

// verifyAll makes sure that no step will fail because of what is on the disk.
func (l *Ledger) verifyAll(ctx context.Context, plans []*plan) error {
	var effects []Effect
	all := &plan{}
	for _, p := range plans {
		effects = append(effects, p.Effects...)
		for h, data := range p.contents {
			all.contentsAdd(h, data)
		}
	}
	all.Effects = netOf(effects)
	return (&execution{ledger: l, plan: all}).verify(ctx)
}

func (p *plan) contentsAdd(h text.Hash, data []byte) {
	if p.contents == nil {
		p.contents = map[text.Hash][]byte{}
	}
	p.contents[h] = data
}

// missing finds accepted hunks that need one which is not.
func (r *reviewed) missing() error {
	var conflicts []FileConflict
	for _, id := range r.order {
		h := r.hunks[id]
		if !accepted(h) {
			continue
		}
		for _, need := range h.DependsOn {
			if n := r.hunks[need]; n != nil && !n.Applied && n.State != HunkAccepted {
				conflicts = append(conflicts, FileConflict{Path: r.change[id].Path, Hunks: []string{id, need}, Reason: "needs " + need + ", which is not accepted"})
			}
		}
	}
	if conflicts != nil {
		return &Error{Code: Conflict, Reason: "accepted hunks need others that are not accepted", Conflicts: conflicts}
	}
	return nil
}

// between lists what differs from one set of buffers to another.
func between(from, to *buffers) []Effect {
	var effects []Effect
	moved := map[Path]bool{} // sources of moves
	for p, origin := range to.origin {
		if from.overlay.at[p] != to.overlay.at[p] && from.overlay.at[origin].Exists() && !to.overlay.at[origin].Exists() && !from.overlay.at[p].Exists() {
			effects = append(effects, Effect{Path: p, From: &origin, Before: from.overlay.at[origin], After: to.overlay.at[p]})
			moved[p], moved[origin] = true, true
		}
	}
	for p, after := range to.overlay.at {
		if before := from.overlay.at[p]; !moved[p] && before != after {
			effects = append(effects, Effect{Path: p, Before: before, After: after})
		}
	}
	slices.SortFunc(effects, compareEffects)
	return effects
}

// counts sums up per file what an apply of hunks does.
func (r *reviewed) counts(hunks []string) []AppliedFile {
	var files []AppliedFile
	at := map[Path]int{}
	done := setOf(hunks)
	for _, id := range r.order {
		p := r.change[id].Path
		i, ok := at[p]
		if !ok {
			i = len(files)
			at[p] = i
			files = append(files, AppliedFile{Path: p})
		}
		switch {
		case done[id]:
			files[i].Applied++
		case r.hunks[id].State == HunkRejected:
			files[i].Rejected++
		}
	}
	return files
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// offerRebase says of each conflict whether the hunks would still fit on what
// is on the disk now.
func (l *Ledger) offerRebase(ctx context.Context, r *reviewed, err error) error {
	var e *Error
	if !errors.As(err, &e) || e.Code != Conflict {
		return err
	}
	for i, c := range e.Conflicts {
		_, rebaseErr := l.rebased(ctx, r, c.Path)
		e.Conflicts[i].Rebase = rebaseErr == nil
	}
	return err
}

// Rebase takes over what is on the disk now as the base of the pending hunks of
// the file p: what others changed there becomes a layer of the user's below
// them. If a hunk no longer fits, that is a Conflict and nothing changes.
func (l *Ledger) Rebase(ctx context.Context, session string, p Path) error {
	return l.retryVersion(func() error {
		r, err := l.reviewed(ctx, session)
		if err != nil {
			return err
		}
		layer, err := l.rebased(ctx, r, p)
		if err != nil || layer == nil {
			return err
		}
		b := Batch{}
		for _, s := range []State{layer.Changes[0].Before, layer.Changes[0].After} {
			_, data, err := l.look(p)
			if err == nil && text.Sum(data) == s.Hash {
				b.Blobs = append(b.Blobs, data)
			}
		}
		return l.saveTurns(ctx, b, append(r.turns, layer)...)
	})
}

// rebased makes the layer of what others changed in p, and checks that the
// pending hunks fit on it.
func (l *Ledger) rebased(ctx context.Context, r *reviewed, p Path) (*TurnRecord, error) {
	disk, err := l.replay(ctx, r.turns, applied)
	if err != nil {
		return nil, err
	}
	was, ok := disk.overlay.at[p]
	if !ok {
		return nil, errorf(NotFound, "%s has no pending changes", p)
	}
	now, data, err := l.look(p)
	if err != nil {
		return nil, err
	}
	switch {
	case sameState(now, was):
		return nil, nil
	case was.Kind != File || now.Kind != File || text.Check(data) != nil:
		return nil, &Error{Code: Conflict, Reason: "the file has changed as a whole", Conflicts: []FileConflict{{Path: p, Reason: difference(was, now)}}}
	}
	v := view{ledger: l, layers: []*overlay{disk.overlay}}
	before, err := v.content(ctx, was.Hash)
	if err != nil {
		return nil, err
	}
	first := r.turns[0]
	id := newID("turn")
	layer := &TurnRecord{
		ID: id, Session: first.Session, Checkpoint: "cp_" + id, Origin: User, Review: Hunks, Status: Pending,
		Began: first.Began, Ended: l.now(), Actions: []Action{}, Below: true,
	}
	change := Change{Effect: Effect{Path: p, Before: was, After: now}}
	m := hunkMaker{ledger: l, turn: id}
	for _, c := range diff.Lines(text.New(before), text.New(data)) {
		h := m.newHunk(TextHunk)
		h.A, h.B, h.State, h.Applied = c.A, c.B, HunkAccepted, true
		change.Hunks = append(change.Hunks, h)
	}
	if was.Mode != now.Mode {
		h := m.newHunk(ModeHunk)
		h.State, h.Applied = HunkAccepted, true
		change.Hunks = append(change.Hunks, h)
	}
	layer.Changes = []Change{change}
	for _, id := range r.order { // what is on the disk is part of the new base
		if h := r.hunks[id]; h.Applied && r.change[id].Path == p {
			h.Baked = true
		}
	}
	// The layer lies below those that still wait, and above what is applied.
	// A trial replay tells whether everything still fits.
	l2 := &trialStore{Store: l.store, blobs: map[text.Hash][]byte{now.Hash: data, was.Hash: before}}
	trial := &Ledger{folder: l.folder, store: l2, options: l.options}
	b, err := trial.replay(ctx, ordered(append(slices.Clone(r.turns), layer)), working)
	if err != nil {
		return nil, err
	}
	if len(b.conflicts) > 0 {
		return nil, &Error{Code: Conflict, Reason: "changes do not fit on the file as it is now", Conflicts: b.conflicts}
	}
	return layer, nil
}

// trialStore is a store with some contents that are not saved.
type trialStore struct {
	Store
	blobs map[text.Hash][]byte
}

func (s *trialStore) Blob(ctx context.Context, h text.Hash) ([]byte, error) {
	if data, ok := s.blobs[h]; ok {
		return data, nil
	}
	return s.Store.Blob(ctx, h)
}
