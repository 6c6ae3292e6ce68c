package diff

import (
	"bytes"
	"iter"

	"redline/internal/text"
)

// Group is a run of changed lines, or of unchanged ones. The groups of a diff
// are both documents from the first line to the last.
type Group struct {
	Change
	Changed bool
	// Folded is a run of unchanged lines that are too far from any change to be
	// shown at once.
	Folded bool
}

// Groups cuts a and what changes make of it into groups. Up to context unchanged
// lines around each change are shown; the others are folded, unless it is a
// single line, which takes no more room than the fold.
func Groups(a *text.Document, changes []Change, context int) []Group {
	var out []Group
	at := Change{}
	equal := func(n int, folded bool) {
		if n <= 0 {
			return
		}
		g := Group{Change: Change{text.Range{Start: at.A.End, End: at.A.End + n}, text.Range{Start: at.B.End, End: at.B.End + n}}, Folded: folded}
		out, at = append(out, g), g.Change
	}
	run := func(n int, first, last bool) {
		before, behind := context, context // shown at the start and the end of the run
		if first {
			before = 0
		}
		if last {
			behind = 0
		}
		if fold := n - before - behind; fold > 1 {
			equal(before, false)
			equal(fold, true)
			equal(behind, false)
			return
		}
		equal(n, false)
	}
	for i, c := range changes {
		run(c.A.Start-at.A.End, i == 0, false)
		out, at = append(out, Group{Change: c, Changed: true}), c
	}
	run(a.Lines()-at.A.End, len(changes) == 0, true)
	return out
}

// Kind says what a row shows.
type Kind uint8

// A line that is in both documents, was rewritten, or is in one only.
const (
	Same Kind = iota
	Changed
	Removed
	Added
)

func (k Kind) String() string { return [...]string{"same", "changed", "removed", "added"}[k] }

// Row is a line of the old document beside a line of the new one.
type Row struct {
	Kind     Kind
	Old, New int // line numbers counted from 0; -1 if the row has none
	// The exact bytes of both lines, with the words that were deleted on the
	// left and the inserted ones on the right.
	Left, Right []Span
}

// Rows shows the group side by side. Old and new lines of a change that are
// alike stand beside each other.
func (g Group) Rows(a, b *text.Document) iter.Seq[Row] {
	if g.Changed {
		return func(yield func(Row) bool) { changedRows(a, b, g.Change, yield) }
	}
	return func(yield func(Row) bool) {
		for i := range g.A.Len() {
			line := []Span{{Equal, a.Line(g.A.Start + i)}}
			if !yield(Row{Same, g.A.Start + i, g.B.Start + i, line, line}) {
				return
			}
		}
	}
}

func changedRows(a, b *text.Document, c Change, yield func(Row) bool) {
	i, j := c.A.Start, c.B.Start
	unpaired := func(toA, toB int) bool {
		for ; i < toA; i++ {
			if !yield(Row{Removed, i, -1, []Span{{Delete, a.Line(i)}}, nil}) {
				return false
			}
		}
		for ; j < toB; j++ {
			if !yield(Row{Added, -1, j, nil, []Span{{Insert, b.Line(j)}}}) {
				return false
			}
		}
		return true
	}
	for _, p := range linePairs(a, b, c) {
		if !unpaired(p.x, p.y) || !yield(pairedRow(a, b, i, j)) {
			return
		}
		i, j = i+1, j+1
	}
	unpaired(c.A.End, c.B.End)
}

func pairedRow(a, b *text.Document, i, j int) Row {
	r := Row{Kind: Changed, Old: i, New: j}
	if bytes.Equal(a.Line(i), b.Line(j)) {
		r.Kind = Same // moved among lines that changed
	}
	for _, s := range Words(a.Line(i), b.Line(j)) {
		if s.Op != Insert {
			r.Left = append(r.Left, s)
		}
		if s.Op != Delete {
			r.Right = append(r.Right, s)
		}
	}
	return r
}

// linePairs finds which lines of c.A became which lines of c.B. A line replaced
// by one line is always a pair.
func linePairs(a, b *text.Document, c Change) []anchor {
	if c.A.Len() == 1 && c.B.Len() == 1 {
		return []anchor{{c.A.Start, c.B.Start}}
	}
	found := pairs(linePieces(a, c.A), linePieces(b, c.B))
	for i := range found {
		found[i].x += c.A.Start
		found[i].y += c.B.Start
	}
	return found
}

func linePieces(d *text.Document, r text.Range) pieces {
	p := pieces{data: lines(d, r), ends: make([]int, r.Len())}
	for i := range p.ends {
		p.ends[i] = d.Offset(r.Start+i+1) - d.Offset(r.Start)
	}
	return p
}
