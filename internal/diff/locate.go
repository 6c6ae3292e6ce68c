package diff

import (
	"bytes"
	"fmt"

	"redline/internal/text"
)

// ApplyError tells which hunk of a patch did not apply. It wraps
// text.ErrNotFound or text.ErrAmbiguous.
type ApplyError struct {
	Hunk   int    // counted from 0
	Header string // of the hunk
	Line   int    // where it was expected, counted from 0
	Places []int  // where it could go just as well, if that is what is wrong
	Err    error
}

// Error counts lines from 1, as patches do.
func (e *ApplyError) Error() string {
	s := fmt.Sprintf("hunk %d (%s) does not apply, expected at line %d: %v", e.Hunk+1, e.Header, e.Line+1, e.Err)
	if len(e.Places) == 2 {
		s += fmt.Sprintf(", at lines %d and %d, equally near", e.Places[0]+1, e.Places[1]+1)
	}
	return s
}

func (e *ApplyError) Unwrap() error { return e.Err }

// Apply makes all the changes of the patch in d, or none.
//
// A hunk applies where all its old lines, the equal and the deleted ones, are
// in d byte for byte. That may be at some distance from where the patch says:
// it is looked for where the hunk before it was found, and then in both
// directions. The nearest place is taken; two equally near ones are an error.
// Between the old and the new document nothing else changes, ever.
//
// A hunk whose change is at the very start or end of the old document, so that
// it has equal lines on the other side only, applies only at the start or end
// of d: what someone else put there meanwhile belongs before or behind it, and
// nobody knows which. A hunk without old lines applies only at exactly its place.
func (p Patch) Apply(d *text.Document) (*text.Document, error) {
	out := make([]byte, 0, d.Len())
	done, drift := 0, 0 // lines of d that are dealt with; found minus expected place
	for i, h := range p.Hunks {
		old, new := h.texts()
		expected := h.A.Start + drift
		places := h.locate(d, old, new, expected, done)
		switch len(places) {
		case 0:
			return nil, &ApplyError{Hunk: i, Header: h.Header(), Line: expected, Err: text.ErrNotFound}
		case 2:
			return nil, &ApplyError{Hunk: i, Header: h.Header(), Line: expected, Places: places, Err: text.ErrAmbiguous}
		}
		at := places[0]
		drift = at - h.A.Start
		out = append(out, lines(d, text.Range{Start: done, End: at})...)
		out = append(out, new...)
		done = at + h.A.Len()
	}
	return text.New(append(out, lines(d, text.Range{Start: done, End: d.Lines()})...)), nil
}

// texts joins the lines of the hunk in the old and the new document.
func (h Hunk) texts() (old, new []byte) {
	for _, l := range h.Lines {
		if l.Op != Insert {
			old = append(old, l.Text...)
		}
		if l.Op != Delete {
			new = append(new, l.Text...)
		}
	}
	return old, new
}

// locate finds the lines of d, not before floor, at which h applies: none, one,
// or two that are equally near.
func (h Hunk) locate(d *text.Document, old, new []byte, expected, floor int) []int {
	data := d.Bytes()
	before, behind := h.margins()
	atEnd := behind == 0 && before > 0 || open(old) || open(new)
	switch {
	case len(old) == 0:
		fits := expected >= floor && (expected == d.Lines() || expected < d.Lines() && !atEnd)
		if fits && !open(lines(d, text.Range{End: expected})) {
			return []int{expected}
		}
		return nil
	case atEnd:
		offset := len(data) - len(old)
		if offset >= d.Offset(floor) && (offset == 0 || data[offset-1] == '\n') && bytes.HasSuffix(data, old) {
			return []int{d.LineAt(offset)}
		}
		return nil
	case before == 0 && behind > 0 && h.A.Start == 0:
		if floor == 0 && bytes.HasPrefix(data, old) {
			return []int{0}
		}
		return nil
	}
	return nearest(d, old, expected, floor)
}

// margins counts the equal lines at the start and the end of the hunk.
func (h Hunk) margins() (before, behind int) {
	for before < len(h.Lines) && h.Lines[before].Op == Equal {
		before++
	}
	for behind < len(h.Lines) && h.Lines[len(h.Lines)-1-behind].Op == Equal {
		behind++
	}
	return before, behind
}

// open tells whether s ends in a line without terminator.
func open(s []byte) bool { return len(s) > 0 && s[len(s)-1] != '\n' }

// nearest finds the whole lines old in d, at line expected or as near to it as
// possible, not before floor. It searches for them with the "\n" before them,
// so that every hit is a line start and one search each way is enough.
func nearest(d *text.Document, old []byte, expected, floor int) []int {
	data := d.Bytes()
	from, middle := d.Offset(floor), d.Offset(max(floor, min(expected, d.Lines())))
	if expected >= floor && bytes.HasPrefix(data[middle:], old) {
		return []int{expected}
	}
	needle := append([]byte{'\n'}, old...)
	var found []int
	if i := bytes.LastIndex(data[max(0, from-1):min(len(data), max(0, middle-1)+len(old))], needle); i >= 0 {
		found = append(found, d.LineAt(max(0, from-1)+i+1))
	} else if floor == 0 && bytes.HasPrefix(data, old) {
		found = append(found, 0)
	}
	if i := bytes.Index(data[max(0, middle-1):], needle); i >= 0 {
		found = append(found, d.LineAt(max(0, middle-1)+i+1))
	}
	if len(found) < 2 {
		return found
	}
	switch up, down := expected-found[0], found[1]-expected; {
	case up < down:
		return found[:1]
	case down < up:
		return found[1:]
	}
	return found
}
