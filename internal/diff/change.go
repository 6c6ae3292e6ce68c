package diff

import (
	"fmt"
	"iter"
	"sort"

	"redline/internal/text"
)

// Change replaces the lines A of an old document by the lines B of a new one.
// One of them may be empty: then the other is inserted or deleted there.
type Change struct{ A, B text.Range }

// Reverse is the change that takes c back.
func (c Change) Reverse() Change { return Change{A: c.B, B: c.A} }

// Touches tells whether c and d, changes of the same old document, share a
// line of it or meet without an untouched line between them.
func (c Change) Touches(d Change) bool { return c.A.Start <= d.A.End && d.A.Start <= c.A.End }

// Overlaps tells whether c and d, changes of the same old document, share a
// line of it, or one inserts inside the other's lines, or both insert at one
// place.
func (c Change) Overlaps(d Change) bool {
	if c.A == d.A {
		return true
	}
	return c.A.Start < d.A.End && d.A.Start < c.A.End
}

// Reverse takes back a whole diff: changes from old to new become changes from
// new to old.
func Reverse(changes []Change) []Change {
	out := make([]Change, len(changes))
	for i, c := range changes {
		out[i] = c.Reverse()
	}
	return out
}

// Apply makes the changes, which are any subset of a diff from a to b in its
// order, and leaves every other byte of a as it is. Changes that are out of
// range or out of order are text.ErrRange or text.ErrOverlap.
func Apply(a, b *text.Document, changes []Change) (*text.Document, error) {
	size, at := a.Len(), Change{}
	for _, c := range changes {
		from, err := a.Slice(c.A)
		if err != nil {
			return nil, fmt.Errorf("old lines of a change: %w", err)
		}
		to, err := b.Slice(c.B)
		if err != nil {
			return nil, fmt.Errorf("new lines of a change: %w", err)
		}
		if c.A.Start < at.A.End || c.B.Start < at.B.End {
			return nil, text.ErrOverlap
		}
		at = c
		size += len(to) - len(from)
	}
	out := make([]byte, 0, size)
	from := 0
	for _, c := range changes {
		out = append(out, a.Bytes()[from:a.Offset(c.A.Start)]...)
		out = append(out, lines(b, c.B)...)
		from = a.Offset(c.A.End)
	}
	return text.New(append(out, a.Bytes()[from:]...)), nil
}

// lines is d.Slice for ranges that are known to lie in d.
func lines(d *text.Document, r text.Range) []byte {
	to := d.Offset(r.End)
	return d.Bytes()[d.Offset(r.Start):to:to]
}

// Map follows lines of the old document through a diff. The result is where
// they are in the new document; intact says that they are all still there,
// with nothing between them. Otherwise the result covers what became of them.
//
// Lines inserted just before or just behind r are not part of the result. An
// empty r is a place, and is not intact if a change touches it.
func Map(changes []Change, r text.Range) (mapped text.Range, intact bool) {
	// The first change that ends behind the start of r, or at a place r.
	first := sort.Search(len(changes), func(i int) bool {
		end := changes[i].A.End
		return end > r.Start || r.Len() == 0 && end == r.Start
	})
	mapped, intact = r, true
	if first > 0 {
		shift := changes[first-1].B.End - changes[first-1].A.End
		mapped.Start, mapped.End = r.Start+shift, r.End+shift
	}
	for _, c := range changes[first:] {
		if c.A.Start > r.End || c.A.Start == r.End && r.Len() > 0 {
			break
		}
		intact = false
		if c.A.Start <= r.Start {
			mapped.Start = c.B.Start
		}
		mapped.End = c.B.End + max(0, r.End-c.A.End)
	}
	return mapped, intact
}

// Touching yields the pairs (i, j) for which x[i] touches y[j], in order. Both
// are diffs of the same old document.
func Touching(x, y []Change) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		from := 0
		for i, c := range x {
			for from < len(y) && y[from].A.End < c.A.Start {
				from++
			}
			for j := from; j < len(y) && y[j].A.Start <= c.A.End; j++ {
				if c.Touches(y[j]) && !yield(i, j) {
					return
				}
			}
		}
	}
}

// Stats counts lines.
type Stats struct{ Added, Removed, Unchanged int }

// Count sums up a diff of a.
func Count(a *text.Document, changes []Change) Stats {
	var s Stats
	for _, c := range changes {
		s.Added += c.B.Len()
		s.Removed += c.A.Len()
	}
	s.Unchanged = a.Lines() - s.Removed
	return s
}
