package ledger

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"redline/internal/text"
	"redline/internal/workspace"
)

// reviewed is the pending work of a session, by hunk.
type reviewed struct {
	turns  []*TurnRecord
	hunks  map[string]*Hunk
	change map[string]*Change
	turn   map[string]*TurnRecord
	order  []string // hunk ids, oldest first
}

func (l *Ledger) reviewed(ctx context.Context, session string) (*reviewed, error) {
	turns, err := l.pending(ctx, session)
	if err != nil {
		return nil, err
	}
	return reviewedOf(turns), nil
}

func reviewedOf(turns []*TurnRecord) *reviewed {
	r := &reviewed{hunks: map[string]*Hunk{}, change: map[string]*Change{}, turn: map[string]*TurnRecord{}}
	for _, t := range turns {
		if t.Review != Hunks {
			continue
		}
		r.turns = append(r.turns, t)
		for i := range t.Changes {
			for k := range t.Changes[i].Hunks {
				h := &t.Changes[i].Hunks[k]
				r.hunks[h.ID], r.change[h.ID], r.turn[h.ID] = h, &t.Changes[i], t
				r.order = append(r.order, h.ID)
			}
		}
	}
	return r
}

// Decide accepts and rejects hunks of a session's pending turns. What an
// accepted hunk needs is accepted with it, and what cannot be without a rejected
// one is rejected with it; the result lists these. A hunk whose text another
// one has changed further cannot be rejected alone: that is a conflict which
// names both, and nothing is decided.
func (l *Ledger) Decide(ctx context.Context, session string, accept, reject []string) (also []string, err error) {
	err = l.retryVersion(func() error {
		r, err := l.reviewed(ctx, session)
		if err != nil {
			return err
		}
		if also, err = r.decide(accept, reject); err != nil {
			return err
		}
		closeSettled(r.turns)
		b := Batch{Lazy: true}
		for _, id := range reject {
			b.Records = append(b.Records, l.note(session, Note{Kind: NoteRejected, Path: r.change[id].Path, Hunk: id, Turn: r.turn[id].ID}))
		}
		return l.saveTurns(ctx, b, r.turns...)
	})
	return also, err
}

// retryVersion repeats a change of records that somebody else got in before.
func (l *Ledger) retryVersion(change func() error) error {
	for try := 0; ; try++ {
		if err := change(); !errors.Is(err, ErrVersion) || try == 20 {
			return err
		}
	}
}

func (r *reviewed) decide(accept, reject []string) (also []string, err error) {
	for _, id := range slices.Concat(accept, reject) {
		h := r.hunks[id]
		switch {
		case h == nil:
			return nil, errorf(NotFound, "no hunk %s waits for a decision here", id)
		case h.Applied:
			return nil, errorf(Invalid, "hunk %s is on the disk already; undo it instead", id)
		}
	}
	yes, no := map[string]bool{}, map[string]bool{}
	for _, id := range accept {
		yes[id] = true
	}
	for _, id := range reject {
		if yes[id] {
			return nil, errorf(Invalid, "hunk %s cannot be accepted and rejected at once", id)
		}
		no[id] = true
	}
	conflicts := r.spread(yes, no)
	if len(conflicts) > 0 {
		return nil, &Error{Code: Conflict, Reason: "the decisions contradict each other", Conflicts: conflicts}
	}
	asked := setOf(slices.Concat(accept, reject))
	for _, id := range r.order {
		switch h := r.hunks[id]; {
		case yes[id] && h.State != HunkAccepted:
			h.State = HunkAccepted
		case no[id] && h.State != HunkRejected:
			h.State = HunkRejected
		default:
			continue
		}
		if !asked[id] {
			also = append(also, id)
		}
	}
	return also, nil
}

// spread widens decisions to what they draw in and take along, and returns what
// contradicts them.
func (r *reviewed) spread(yes, no map[string]bool) (conflicts []FileConflict) {
	clash := func(id, with, reason string) {
		conflicts = append(conflicts, FileConflict{Path: r.change[id].Path, Hunks: []string{id, with}, Reason: reason})
	}
	for again := true; again && conflicts == nil; {
		again = false
		for _, id := range r.order {
			h := r.hunks[id]
			for _, need := range h.DependsOn {
				n := r.hunks[need]
				if n == nil { // decided and gone
					continue
				}
				stands := yes[id] || !no[id] && h.State != HunkRejected
				switch {
				case yes[id] && (no[need] || n.State == HunkRejected && !yes[need]):
					clash(id, need, "needs "+need+", which is rejected")
				case yes[id] && !yes[need]:
					yes[need], again = true, true
				case no[need] && stands && (n.Kind == TextHunk || r.turn[id].Origin == User || h.Applied):
					clash(need, id, id+" builds on it; decide both together")
				case no[need] && stands:
					no[id], again = true, true
				}
			}
		}
	}
	return conflicts
}

// settled tells whether every hunk is decided and, if accepted, on the disk.
func (t *TurnRecord) settled() bool {
	for _, c := range t.Changes {
		for _, h := range c.Hunks {
			if h.State == HunkPending || h.State == HunkAccepted && !h.Applied {
				return false
			}
		}
	}
	return true
}

// closeSettled closes the turns under review "hunks" in which nothing is open.
// One that shares a file with a turn in which something is stays open too: the
// hunks there count their lines in its text.
func closeSettled(turns []*TurnRecord) {
	held := map[Path]bool{}
	open := map[*TurnRecord]bool{}
	for again := true; again; {
		again = false
		for _, t := range turns {
			if open[t] || t.Review != Hunks || t.settled() && !t.touchesAny(held) {
				continue
			}
			open[t], again = true, true
			for _, c := range t.Changes {
				held[c.Path], held[c.origin()] = true, true
			}
		}
	}
	for _, t := range turns {
		if t.Review == Hunks && t.Status == Pending && !open[t] {
			t.Status = t.outcome()
		}
	}
}

func (t *TurnRecord) touchesAny(paths map[Path]bool) bool {
	return slices.ContainsFunc(t.Changes, func(c Change) bool { return paths[c.Path] || paths[c.origin()] })
}

// outcome is the status of a turn that is settled.
func (t *TurnRecord) outcome() Status {
	yes, no := 0, 0
	for _, c := range t.Changes {
		for _, h := range c.Hunks {
			if h.State == HunkRejected {
				no++
			} else {
				yes++
			}
		}
	}
	switch {
	case no == 0:
		return Accepted
	case yes == 0:
		return Rejected
	}
	return Partial
}

// PendingHunks lists the hunks of a session that wait for a decision, or for
// being applied.
func (l *Ledger) PendingHunks(ctx context.Context, session string) ([]string, error) {
	r, err := l.reviewed(ctx, session)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, id := range r.order {
		if h := r.hunks[id]; !h.Applied && h.State != HunkRejected {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// DecideAll accepts or rejects everything that is open: of a file, or with a
// root path of the session.
func (l *Ledger) DecideAll(ctx context.Context, session string, p Path, accept bool) error {
	r, err := l.reviewed(ctx, session)
	if err != nil {
		return err
	}
	var ids []string
	for _, id := range r.order {
		c, h := r.change[id], r.hunks[id]
		if !h.Applied && h.State == HunkPending && (p.IsRoot() || c.Path == p || c.origin() == p) {
			ids = append(ids, id)
		}
	}
	if accept {
		_, err = l.Decide(ctx, session, ids, nil)
	} else {
		_, err = l.Decide(ctx, session, nil, ids)
	}
	return err
}

// Cut splits a text hunk in two, so that a part of it can be decided by itself:
// the first gets the first old and the first added lines, as many as given.
func (l *Ledger) Cut(ctx context.Context, session, id string, old, added int) (first, second string, err error) {
	err = l.retryVersion(func() error {
		r, err := l.reviewed(ctx, session)
		if err != nil {
			return err
		}
		h := r.hunks[id]
		switch {
		case h == nil:
			return errorf(NotFound, "no hunk %s waits for a decision here", id)
		case h.Kind != TextHunk || h.State != HunkPending || h.Applied:
			return errorf(Invalid, "hunk %s cannot be cut", id)
		case old < 0 || added < 0 || old > h.A.Len() || added > h.B.Len() || old+added == 0 || old == h.A.Len() && added == h.B.Len():
			return errorf(Invalid, "hunk %s has %d old and %d added lines; it cannot be cut behind %d and %d", id, h.A.Len(), h.B.Len(), old, added)
		}
		for _, other := range r.order {
			if slices.Contains(r.hunks[other].DependsOn, id) {
				return errorf(Conflict, "hunk %s builds on %s; decide it as one", other, id)
			}
		}
		first, second = id+"a", id+"b"
		r.change[id].cut(id, first, second, old, added)
		return l.saveTurns(ctx, Batch{}, r.turns...)
	})
	return first, second, err
}

func (c *Change) cut(id, first, second string, old, added int) {
	i := slices.IndexFunc(c.Hunks, func(h Hunk) bool { return h.ID == id })
	a, b := c.Hunks[i], c.Hunks[i]
	a.ID, b.ID = first, second
	a.Oversized, b.Oversized = false, false
	a.A.End, b.A.Start = a.A.Start+old, a.A.Start+old
	a.B.End, b.B.Start = a.B.Start+added, a.B.Start+added
	c.Hunks = slices.Replace(c.Hunks, i, i+1, a, b)
}

// Buffer is the file p with everything in it that the session has pending: what
// the user sees while a review is open.
func (l *Ledger) Buffer(ctx context.Context, session string, p Path) (*Snapshot, error) {
	turns, err := l.pending(ctx, session)
	if err != nil {
		return nil, err
	}
	b, err := l.replay(ctx, turns, working)
	if err != nil {
		return nil, err
	}
	v := view{ledger: l, layers: []*overlay{b.overlay}}
	s, data, err := v.state(ctx, p)
	return &Snapshot{Path: p, State: s, Data: data}, err
}

// UserEdit records that the user changed the buffer of p during a review. The
// change is accepted, being the user's own, and can be rejected like any other.
func (l *Ledger) UserEdit(ctx context.Context, session string, p Path, data []byte) (*TurnRecord, error) {
	t, err := l.userLayer(ctx, session)
	if err != nil {
		return nil, err
	}
	now, before, err := t.view.state(ctx, p)
	if err != nil {
		return nil, err
	}
	after := State{Kind: File, Hash: text.Sum(data), Mode: now.Mode}
	if after.Mode == 0 {
		after.Mode = 0o644
	}
	if err := t.do(ctx, "", []Effect{{Path: p, Before: now, After: after}}, data, before); err != nil {
		return nil, err
	}
	return l.adopt(ctx, t, Note{Kind: NoteUserEdit, Path: p})
}

// userLayer is a turn of the user's above all that waits in a session. Nothing of it
// is kept until it is adopted.
func (l *Ledger) userLayer(ctx context.Context, session string) (*Turn, error) {
	turns, err := l.pending(ctx, session)
	if err != nil {
		return nil, err
	}
	base, err := l.replay(ctx, turns, working)
	if err != nil {
		return nil, err
	}
	id := newID("turn")
	t := &Turn{ledger: l, own: newOverlay(), base: base, edits: map[Path][]toldChange{}, record: &TurnRecord{
		ID: id, Session: session, Checkpoint: "cp_" + id, Origin: User, Review: Hunks, Began: l.now(), Actions: []Action{}, Changes: []Change{},
	}}
	t.view = view{ledger: l, layers: []*overlay{base.overlay, t.own}}
	return t, nil
}

// adopt keeps a layer of the user's, accepted, with a note for the model.
func (l *Ledger) adopt(ctx context.Context, t *Turn, n Note) (*TurnRecord, error) {
	rec, err := t.End(ctx)
	if err != nil || rec.Status == Empty {
		return rec, err
	}
	if n.Turn == "" {
		n.Turn = rec.ID
	}
	err = l.retryVersion(func() error {
		again, err := l.Turn(ctx, rec.ID)
		if err != nil {
			return err
		}
		again.decideAll(HunkAccepted)
		rec = again
		return l.saveTurns(ctx, Batch{Records: []Record{l.note(rec.Session, n)}}, again)
	})
	return rec, err
}

// EditHunk puts the user's text in the place of the lines that a hunk brings, and
// accepts it so. The text stands above the hunk as a change of the user's.
func (l *Ledger) EditHunk(ctx context.Context, session, id string, content []byte) error {
	turns, err := l.pending(ctx, session)
	if err != nil {
		return err
	}
	r := reviewedOf(turns)
	h := r.hunks[id]
	switch {
	case h == nil:
		return errorf(NotFound, "no hunk %s waits for a decision here", id)
	case h.Applied || h.State == HunkRejected || h.Kind != TextHunk && h.Kind != CreateHunk:
		return errorf(Invalid, "hunk %s has no text that can be edited", id)
	}
	p, edited, err := l.withText(ctx, turns, r.change[id].Path, h, content)
	if err != nil {
		return err
	}
	if _, err := l.UserEdit(ctx, session, p, edited); err != nil {
		return err
	}
	_, err = l.Decide(ctx, session, []string{id}, nil)
	return err
}

// withText is the buffer of a file in which content stands for the lines of a hunk,
// and the name that it has now.
func (l *Ledger) withText(ctx context.Context, turns []*TurnRecord, p Path, h *Hunk, content []byte) (Path, []byte, error) {
	b, err := l.replay(ctx, turns, working)
	if err != nil {
		return p, nil, err
	}
	v := view{ledger: l, layers: []*overlay{b.overlay}}
	if h.Kind == CreateHunk {
		if !b.overlay.at[p].Exists() {
			return p, nil, errorf(Conflict, "a later change has moved or deleted %s; decide that first", workspace.Display(p.String()))
		}
		return p, content, nil
	}
	for at, places := range b.places {
		i := slices.IndexFunc(places, func(pl place) bool { return pl.hunk == h.ID })
		if i < 0 {
			continue
		}
		data, err := v.content(ctx, b.overlay.at[at].Hash)
		if err != nil || places[i].r.Len() == 0 && len(content) == 0 {
			return at, data, err
		}
		if ended := data[:text.New(data).Offset(places[i].r.End)]; bytes.HasSuffix(ended, []byte("\n")) && len(content) > 0 && !bytes.HasSuffix(content, []byte("\n")) {
			content = append(slices.Clone(content), '\n') // as what it replaces
		}
		edited, err := text.New(data).Apply(text.Edit{Range: places[i].r, Content: content})
		if err != nil {
			return at, nil, err
		}
		return at, edited.Bytes(), nil
	}
	return p, nil, errorf(Conflict, "the lines of hunk %s are no longer there; decide the later changes of %s first", h.ID, workspace.Display(p.String()))
}
