package diff

import (
	"bytes"
	"slices"
	"sort"
	"unicode/utf8"

	"redline/internal/text"
)

// Limits says how large a change may be and still be reviewed at a glance.
// Removed and added lines count alike; context does not count.
type Limits struct{ MaxHunkLines, MaxHunkBytes int }

// DefaultLimits are what a person sees on a screen or two.
var DefaultLimits = Limits{MaxHunkLines: 80, MaxHunkBytes: 8192}

// Piece is a change that came out of a split.
type Piece struct {
	Change
	Oversized bool // still beyond the limits: there is no sensible place to cut
}

// Split cuts a change of a diff from a to b into pieces within the limits. The
// pieces are changes in order that do not overlap, so that any subset applies
// and all together are c. A change within the limits stays whole.
//
// It cuts first between edits, the lines of a that each of the edits replaced
// which c came from; where a piece is still too large, behind blank lines; then
// between paragraphs and behind sentences that end with their line. What has
// none of these stays as it is, oversized.
//
// Each cut goes through the old lines and the new ones, and must not part what
// belongs together. Lines that are alike, in order, are pairs, and no cut parts
// a pair. Between two pairs, the cuts that the old and the new lines offer are
// matched one to one as far as they go. If only one side offers any, all lines
// of the other side stay in the piece before the first of them.
//
//	old          new
//	alpha ────── alpha one
//	(blank)      (blank)
//	  ·  cut  ·  ·  ·  ·
//	beta         entirely new
//	(blank)      (blank)
//	  ·  cut  ·  ·  ·  ·
//	gamma ────── gamma ray
func Split(a, b *text.Document, c Change, edits []text.Range, limits Limits) []Piece {
	s := splitter{a: a, b: b, limits: limits}
	if s.fits(c) {
		return []Piece{{Change: c}}
	}
	s.slots = slots(c, linePairs(a, b, c))
	for _, e := range edits {
		if e.Len() == 0 {
			s.inserts = append(s.inserts, e.Start)
		}
		s.edits = append(s.edits, e.Start, e.End)
	}
	slices.Sort(s.inserts)
	slices.Sort(s.edits)
	s.edits = slices.Compact(s.edits)
	s.split(c, betweenEdits)
	return s.pieces
}

// level is what kind of place to cut at.
type level int

const (
	betweenEdits level = iota
	behindBlanks
	behindSentences
	nowhere
)

type splitter struct {
	a, b   *text.Document
	limits Limits
	slots  []Change // the lines between two pairs, where cuts are free
	pieces []Piece

	edits   []int // lines of a at which edits start or end, sorted
	inserts []int // those at which an edit only inserted
}

func (s *splitter) fits(c Change) bool {
	return c.A.Len()+c.B.Len() <= s.limits.MaxHunkLines &&
		len(lines(s.a, c.A))+len(lines(s.b, c.B)) <= s.limits.MaxHunkBytes
}

// slots are the ranges of cut places (i, j) that part no pair.
func slots(c Change, pairs []anchor) []Change {
	out := make([]Change, 0, len(pairs)+1)
	at := Change{text.Range{Start: c.A.Start}, text.Range{Start: c.B.Start}}
	for _, p := range pairs {
		at.A.End, at.B.End = p.x, p.y
		out = append(out, at)
		at.A.Start, at.B.Start = p.x+1, p.y+1
	}
	at.A.End, at.B.End = c.A.End, c.B.End
	return append(out, at)
}

// split appends the pieces of c, cut at places of this level or a later one.
func (s *splitter) split(c Change, l level) {
	if s.fits(c) || l == nowhere {
		s.pieces = append(s.pieces, Piece{c, !s.fits(c)})
		return
	}
	var piece Change // the next piece so far
	begun := false
	for _, part := range s.parts(c, l) {
		// Pieces become as large as they may, but each edit stays by itself.
		if whole := join(piece, part); begun && l != betweenEdits && s.fits(whole) {
			piece = whole
			continue
		}
		if begun {
			s.split(piece, l+1)
		}
		piece, begun = part, true
	}
	s.split(piece, l+1)
}

// parts cuts c at every place of one level.
func (s *splitter) parts(c Change, l level) []Change {
	var out []Change
	at := c
	for _, cut := range s.cuts(c, l) {
		if cut.x < at.A.Start || cut.y < at.B.Start || cut.x > c.A.End || cut.y > c.B.End ||
			cut.x == at.A.Start && cut.y == at.B.Start || cut.x == c.A.End && cut.y == c.B.End {
			continue
		}
		// A line without terminator is the last one of its document. With lines
		// put behind it by another piece it would run into them.
		if open(s.a.Bytes()[:s.a.Offset(cut.x)]) || open(s.b.Bytes()[:s.b.Offset(cut.y)]) {
			continue
		}
		part := at
		part.A.End, part.B.End = cut.x, cut.y
		out = append(out, part)
		at.A.Start, at.B.Start = cut.x, cut.y
	}
	return append(out, at)
}

// cuts lists the places (i, j) before line i of a and line j of b.
func (s *splitter) cuts(c Change, l level) []anchor {
	var out []anchor
	first := sort.Search(len(s.slots), func(i int) bool { return s.slots[i].A.End >= c.A.Start && s.slots[i].B.End >= c.B.Start })
	for _, slot := range s.slots[first:] {
		if slot.A.Start > c.A.End || slot.B.Start > c.B.End {
			break
		}
		slot.A.Start, slot.A.End = max(slot.A.Start, c.A.Start), min(slot.A.End, c.A.End)
		slot.B.Start, slot.B.End = max(slot.B.Start, c.B.Start), min(slot.B.End, c.B.End)
		switch l {
		case betweenEdits:
			out = append(out, s.editCuts(slot)...)
		case behindBlanks:
			out = append(out, match(places(s.a, slot.A, behindBlank), places(s.b, slot.B, behindBlank), slot)...)
		case behindSentences:
			out = append(out, match(places(s.a, slot.A, behindSentence), places(s.b, slot.B, behindSentence), slot)...)
		}
	}
	return out
}

// match puts cuts of the old lines and cuts of the new lines together.
func match(x, y []int, slot Change) []anchor {
	var out []anchor
	switch {
	case len(x) == 0:
		for _, j := range y {
			out = append(out, anchor{slot.A.End, j})
		}
	case len(y) == 0:
		for _, i := range x {
			out = append(out, anchor{i, slot.B.End})
		}
	default:
		n := min(len(x), len(y))
		for k := range n {
			out = append(out, anchor{x[k*len(x)/n], y[k*len(y)/n]})
		}
	}
	return out
}

// editCuts are the cuts of a slot at the ends of edits. Which of the new lines
// an edit made is not known. Where old lines are left in the slot, a cut goes
// through the new ones in proportion, at the nearest blank line if there is
// one. Where none are left, the new lines belong to the edit before them, or
// are an insertion of their own.
func (s *splitter) editCuts(slot Change) []anchor {
	var out []anchor
	blanks := places(s.b, slot.B, behindBlank)
	for _, i := range s.edits[sort.SearchInts(s.edits, slot.A.Start):] {
		if i > slot.A.End {
			break
		}
		if slot.A.Len() == 0 {
			if _, inserted := slices.BinarySearch(s.inserts, i); inserted {
				out = append(out, anchor{i, slot.B.Start})
			}
			out = append(out, anchor{i, slot.B.End})
			break
		}
		j := slot.B.Start + slot.B.Len()*(i-slot.A.Start)/slot.A.Len()
		if len(blanks) > 0 && i > slot.A.Start && i < slot.A.End {
			k := sort.SearchInts(blanks, j)
			if k == len(blanks) || k > 0 && j-blanks[k-1] <= blanks[k]-j {
				k--
			}
			j = blanks[k]
		}
		out = append(out, anchor{i, j})
	}
	return out
}

// places lists the lines of r, its end included, before which d can be cut.
func places(d *text.Document, r text.Range, boundary func(*text.Document, int) bool) []int {
	var out []int
	for i := r.Start; i <= r.End; i++ {
		if i > 0 && i < d.Lines() && boundary(d, i) {
			out = append(out, i)
		}
	}
	return out
}

// behindBlank tells whether line i is the first behind blank lines.
func behindBlank(d *text.Document, i int) bool {
	return indent(d.LineText(i-1)) < 0 && indent(d.LineText(i)) >= 0
}

// behindSentence tells whether the line before i ends a sentence, or line i
// starts a paragraph, a list item, a heading or the like.
func behindSentence(d *text.Document, i int) bool {
	before, line := bytes.TrimRight(d.LineText(i-1), " \t\r"), d.LineText(i)
	was, is := indent(before), indent(line)
	if is < 0 { // a blank line belongs to what is before it
		return false
	}
	if is < was || was < 0 {
		return true
	}
	before = bytes.TrimRight(before, closers)
	if end, _ := utf8.DecodeLastRune(before); bytes.ContainsRune([]byte(".!?;{}。！？"), end) {
		return true
	}
	return !continues(line)
}
