package ledger

import (
	"context"
	"fmt"

	"redline/internal/diff"
	"redline/internal/text"
	"redline/internal/workspace"
)

// hunkMaker cuts the effects of a turn into hunks.
type hunkMaker struct {
	ledger *Ledger
	view   *view
	turn   string
	edits  map[Path][]toldChange
	base   *buffers // what the session had pending before the turn; may be nil
	n      int
}

func (m *hunkMaker) newHunk(kind HunkKind) Hunk {
	m.n++
	return Hunk{ID: fmt.Sprintf("h_%s_%d", m.turn[len(m.turn)-6:], m.n), Kind: kind, State: HunkPending}
}

// changes makes the hunks of effects, and finds what depends on what: an edit
// of a moved file on the move, and what is in a new folder on the folder.
func (m *hunkMaker) changes(ctx context.Context, effects []Effect) ([]Change, error) {
	changes := make([]Change, 0, len(effects))
	folders := map[Path]string{} // new folders and the hunks that make them
	for _, e := range effects {
		hunks, err := m.hunks(ctx, e)
		if err != nil {
			return nil, err
		}
		if e.After.Kind == Dir && !e.Before.Exists() {
			folders[e.Path] = hunks[0].ID
		}
		changes = append(changes, Change{Effect: e, Hunks: hunks})
	}
	for i := range changes {
		c := &changes[i]
		if id, ok := folders[c.Path.Parent()]; ok && c.After.Exists() {
			c.Hunks[0].DependsOn = append(c.Hunks[0].DependsOn, id)
		}
		if c.Hunks[0].Kind == MoveHunk {
			for k := range c.Hunks[1:] {
				h := &c.Hunks[k+1]
				h.DependsOn = append(h.DependsOn, c.Hunks[0].ID)
			}
		}
	}
	m.foldersThatGo(changes)
	if m.base != nil {
		m.onEarlierTurns(changes)
	}
	return changes, nil
}

// onEarlierTurns finds what depends on hunks that still wait for a decision.
func (m *hunkMaker) onEarlierTurns(changes []Change) {
	for i := range changes {
		c := &changes[i]
		for k := range c.Hunks {
			h := &c.Hunks[k]
			h.DependsOn = append(h.DependsOn, m.base.dependsOn(c.origin(), *h)...)
		}
		if id, ok := m.base.makers[c.Path.Parent()]; ok && c.After.Exists() && (c.From != nil || !c.Before.Exists()) {
			c.Hunks[0].DependsOn = append(c.Hunks[0].DependsOn, id)
		}
	}
}

// foldersThatGo makes the removal of a folder depend on what leaves it: the
// folder of a file that stays cannot go.
func (m *hunkMaker) foldersThatGo(changes []Change) {
	for i := range changes {
		dir := &changes[i]
		if dir.Before.Kind != Dir || dir.After.Exists() {
			continue
		}
		for _, c := range changes {
			if c.origin().Parent() == dir.Path && (c.From != nil || !c.After.Exists()) {
				dir.Hunks[0].DependsOn = append(dir.Hunks[0].DependsOn, c.Hunks[0].ID)
			}
		}
	}
}

func (m *hunkMaker) hunks(ctx context.Context, e Effect) ([]Hunk, error) {
	switch {
	case e.From == nil && e.After.Kind == Dir:
		return []Hunk{m.newHunk(FolderHunk)}, nil
	case e.From == nil && !e.Before.Exists():
		h := m.newHunk(CreateHunk)
		h.Edits = allEdits(m.edits[e.Path])
		return []Hunk{h}, nil
	case !e.After.Exists():
		return []Hunk{m.newHunk(DeleteHunk)}, nil
	case e.Before.Kind != e.After.Kind: // another thing altogether
		return []Hunk{m.newHunk(BinaryHunk)}, nil
	}
	var hunks []Hunk
	if e.From != nil {
		hunks = append(hunks, m.newHunk(MoveHunk))
	}
	if e.Before.Kind == File && e.After.Kind == File && e.Before.Mode != e.After.Mode {
		hunks = append(hunks, m.newHunk(ModeHunk))
	}
	if !e.rewrites() {
		return hunks, nil
	}
	before, err := m.contentAt(ctx, e, e.Before)
	if err != nil {
		return nil, err
	}
	after, err := m.contentAt(ctx, e, e.After)
	if err != nil {
		return nil, err
	}
	if e.Before.Kind != File || text.Check(before) != nil || text.Check(after) != nil {
		return append(hunks, m.newHunk(BinaryHunk)), nil
	}
	return append(hunks, m.textHunks(e, text.New(before), text.New(after))...), nil
}

// contentAt is the content of one end of an effect.
func (m *hunkMaker) contentAt(ctx context.Context, e Effect, s State) ([]byte, error) {
	data, err := m.view.content(ctx, s.Hash)
	if err == nil {
		return data, nil
	}
	// Never written by us: the disk has it still.
	for _, p := range []Path{e.origin(), e.Path} {
		if now, data, e := m.ledger.look(p); e == nil && now.Hash == s.Hash {
			return data, nil
		}
	}
	return nil, fmt.Errorf("content of %s: %w", e.Path, err)
}

// textHunks are the changes of a diff, or the edits of calls that told them, cut
// down to the limits.
func (m *hunkMaker) textHunks(e Effect, a, b *text.Document) []Hunk {
	told := m.edits[e.Path]
	if !leadsTo(a, b, told) {
		told = nil
	}
	told = apart(a, b, told)
	if len(told) < 2 {
		return m.pieces(a, b, diff.Lines(a, b), allEdits(told))
	}
	var hunks []Hunk
	for _, c := range told {
		changes := []diff.Change{c.Change}
		if pieces := diff.Split(a, b, c.Change, nil, m.ledger.options.Limits); len(pieces) > 1 || pieces[0].Oversized {
			changes = linesWithin(a, b, c.Change) // not all of its lines need to be different
		}
		hunks = append(hunks, m.pieces(a, b, changes, c.edits)...)
	}
	return hunks
}

// pieces makes hunks of changes that come from the same edits.
func (m *hunkMaker) pieces(a, b *text.Document, changes []diff.Change, edits []string) []Hunk {
	var hunks []Hunk
	for _, c := range changes {
		for _, piece := range diff.Split(a, b, c, nil, m.ledger.options.Limits) {
			h := m.newHunk(TextHunk)
			h.A, h.B, h.Oversized, h.Edits = piece.A, piece.B, piece.Oversized, edits
			hunks = append(hunks, h)
		}
	}
	return hunks
}

// linesWithin is the diff of the two sides of a change.
func linesWithin(a, b *text.Document, c diff.Change) []diff.Change {
	x, errA := a.Slice(c.A)
	y, errB := b.Slice(c.B)
	if errA != nil || errB != nil {
		return []diff.Change{c}
	}
	changes := diff.Lines(text.New(x), text.New(y))
	for i := range changes {
		changes[i].A.Start, changes[i].A.End = changes[i].A.Start+c.A.Start, changes[i].A.End+c.A.Start
		changes[i].B.Start, changes[i].B.End = changes[i].B.Start+c.B.Start, changes[i].B.End+c.B.Start
	}
	return changes
}

// HunkPatch is a hunk as a unified patch, and its opposite. Both are empty for a
// hunk that is not text.
type HunkPatch struct{ Forward, Reverse string }

// Patches are the patches of a change, hunk by hunk.
func (l *Ledger) Patches(ctx context.Context, c *Change) ([]HunkPatch, error) {
	out := make([]HunkPatch, len(c.Hunks))
	var a, b *text.Document
	for i, h := range c.Hunks {
		if h.Kind != TextHunk {
			continue
		}
		if a == nil {
			var err error
			if a, b, err = l.ends(ctx, c); err != nil {
				return nil, err
			}
		}
		hunk := diff.Hunks(a, b, []diff.Change{{A: h.A, B: h.B}}, diff.Context)[0]
		out[i] = HunkPatch{hunk.String(), hunk.Reverse().String()}
	}
	return out, nil
}

// Contents are the bytes of a file before and behind a change, and of a link its
// target; nil where there is neither.
func (l *Ledger) Contents(ctx context.Context, c *Change) (before, after []byte, err error) {
	for _, end := range []struct {
		state State
		to    *[]byte
	}{{c.Before, &before}, {c.After, &after}} {
		if end.state.Kind != File && end.state.Kind != Link {
			continue
		}
		if *end.to, err = l.store.Blob(ctx, end.state.Hash); err != nil {
			return nil, nil, fmt.Errorf("content of %s: %w", workspace.Display(c.Path.String()), err)
		}
	}
	return before, after, nil
}

// ends are the two texts of a change.
func (l *Ledger) ends(ctx context.Context, c *Change) (before, after *text.Document, err error) {
	a, err := l.store.Blob(ctx, c.Before.Hash)
	if err != nil {
		return nil, nil, fmt.Errorf("content of %s before: %w", c.Path, err)
	}
	b, err := l.store.Blob(ctx, c.After.Hash)
	if err != nil {
		return nil, nil, fmt.Errorf("content of %s behind: %w", c.Path, err)
	}
	return text.New(a), text.New(b), nil
}
