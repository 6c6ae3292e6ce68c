package ledger

import (
	"context"
	"fmt"
	"slices"

	"redline/internal/diff"
	"redline/internal/text"
)

// selection says which hunks count.
type selection func(*Hunk) bool

// working is what the session sees: everything that is not rejected.
func working(h *Hunk) bool { return h.State != HunkRejected && !h.Baked }

// accepted is what apply brings to the disk.
func accepted(h *Hunk) bool { return (h.State == HunkAccepted || h.Applied) && !h.Baked }

// applied is what the disk has already.
func applied(h *Hunk) bool { return h.Applied && !h.Baked }

// buffers are the files of a session's pending turns with the selected hunks in
// them.
type buffers struct {
	overlay *overlay
	base    map[Path]State // what each touched path was before the first turn
	origin  map[Path]Path  // where moved things were before the first turn
	// conflicts are hunks that no longer fit, because one they build on is not
	// selected, or the user changed their place.
	conflicts []FileConflict
	// places are where the text hunks are in the final text, for finding what
	// depends on them.
	places map[Path][]place
	// makers are the hunks to which the things at these paths owe that they are
	// there: their creation, their move.
	makers map[Path]string
}

type place struct {
	hunk string
	r    text.Range
}

// replay makes the buffers of turns, layer by layer.
func (l *Ledger) replay(ctx context.Context, turns []*TurnRecord, sel selection) (*buffers, error) {
	b := &buffers{overlay: newOverlay(), base: map[Path]State{}, origin: map[Path]Path{}, places: map[Path][]place{}, makers: map[Path]string{}}
	for _, t := range turns {
		if !t.Review.Staged() {
			continue
		}
		for i := range t.Changes {
			if err := l.replayChange(ctx, b, &t.Changes[i], sel); err != nil {
				return nil, fmt.Errorf("%s: %w", t.ID, err)
			}
		}
	}
	return b, nil
}

// known makes sure that the base of p is on record.
func (b *buffers) known(p Path, s State) {
	if _, ok := b.base[p]; !ok {
		b.base[p] = s
		b.overlay.at[p] = s
	}
}

func (l *Ledger) replayChange(ctx context.Context, b *buffers, c *Change, sel selection) error {
	from := c.origin()
	b.known(from, c.Before)
	if c.From != nil {
		b.known(c.Path, State{})
	}
	at := from
	var texts []*Hunk
	for k := range c.Hunks {
		h := &c.Hunks[k]
		if !sel(h) {
			continue
		}
		switch h.Kind {
		case MoveHunk:
			b.move(from, c.Path)
			at = c.Path
			b.makers[at] = h.ID
		case CreateHunk, FolderHunk, DeleteHunk, BinaryHunk:
			b.overlay.at[at] = c.After
			b.places[at] = nil
			b.makers[at] = h.ID
		case ModeHunk:
			s := b.overlay.at[at]
			s.Mode = c.After.Mode
			b.overlay.at[at] = s
		case TextHunk:
			texts = append(texts, h)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return l.replayText(ctx, b, c, at, texts)
}

func (b *buffers) move(from, to Path) {
	b.overlay.at[to] = b.overlay.at[from]
	b.overlay.at[from] = State{}
	b.places[to], b.places[from] = b.places[from], nil
	origin, ok := b.origin[from]
	if !ok {
		origin = from
	}
	delete(b.origin, from)
	b.origin[to] = origin
}

// replayText puts hunks into the text that is at a path. They count lines in
// the text before their layer; where that is not what is there, because hunks
// before them are left out, their places are mapped.
func (l *Ledger) replayText(ctx context.Context, b *buffers, c *Change, at Path, hunks []*Hunk) error {
	before, after, err := l.ends(ctx, c)
	if err != nil {
		return err
	}
	now := b.overlay.at[at]
	current := before
	var moved []diff.Change
	if now.Hash != c.Before.Hash {
		v := view{ledger: l, layers: []*overlay{b.overlay}}
		data, err := v.content(ctx, now.Hash)
		if err != nil {
			return err
		}
		current = text.New(data)
		moved = diff.Lines(before, current)
	}
	var edits []diff.Change // from current to the new text, B counted in after
	for _, h := range hunks {
		r, intact := diff.Map(moved, h.A)
		if !intact {
			b.conflicts = append(b.conflicts, FileConflict{Path: at, Hunks: []string{h.ID}, Reason: "the text it changes is no longer there"})
			continue
		}
		edits = append(edits, diff.Change{A: r, B: h.B})
	}
	result, err := diff.Apply(current, after, edits)
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	b.place(at, hunks, edits)
	now.Hash = result.Hash()
	b.overlay.contents[now.Hash] = result.Bytes()
	b.overlay.at[at] = now
	return nil
}

// place notes where the hunks of the newest layer are, and where those of older
// layers have gone.
func (b *buffers) place(at Path, hunks []*Hunk, edits []diff.Change) {
	made := make([]diff.Change, len(edits)) // the edits with B counted in the result
	shift := 0
	for i, e := range edits {
		start := e.A.Start + shift
		made[i] = diff.Change{A: e.A, B: text.Range{Start: start, End: start + e.B.Len()}}
		shift += e.B.Len() - e.A.Len()
	}
	old := b.places[at]
	b.places[at] = nil
	for _, p := range old {
		r, _ := diff.Map(made, p.r)
		b.places[at] = append(b.places[at], place{p.hunk, r})
	}
	if len(hunks) != len(made) {
		return // some did not fit: nothing will be built on this
	}
	for i, h := range hunks {
		b.places[at] = append(b.places[at], place{h.ID, made[i].B})
	}
}

// dependsOn finds the hunks that a new hunk at p builds on: those without which
// the thing would not be there, or its place in the text would be another.
func (b *buffers) dependsOn(p Path, h Hunk) []string {
	var ids []string
	if id, ok := b.makers[p]; ok {
		ids = append(ids, id)
	}
	if h.Kind != TextHunk {
		return ids
	}
	r := h.A
	for _, pl := range b.places[p] {
		if _, intact := diff.Map([]diff.Change{{A: pl.r, B: text.Range{Start: pl.r.Start, End: pl.r.Start}}}, r); !intact {
			ids = append(ids, pl.hunk)
		}
	}
	return ids
}

// pending lists the turns of a session that wait for a decision, oldest first.
func (l *Ledger) pending(ctx context.Context, session string) ([]*TurnRecord, error) {
	turns, err := l.turns(ctx, Query{Session: session, States: []string{string(Pending)}})
	return ordered(turns), err
}

// ordered puts the layers that lie below the others first.
func ordered(turns []*TurnRecord) []*TurnRecord {
	slices.SortStableFunc(turns, func(a, b *TurnRecord) int {
		switch {
		case a.Below == b.Below:
			return 0
		case a.Below:
			return -1
		}
		return 1
	})
	return turns
}
