package diff

import (
	"bytes"
	"sort"

	"redline/internal/text"
)

// Lines compares two documents line by line. Lines are equal if all their bytes
// are, terminator included. The changes are sorted and separated by at least
// one equal line, and the same documents always give the same changes.
func Lines(a, b *text.Document) []Change {
	head, tail := equalEnds(a, b)
	// The lines that changes may slide over are needed as well.
	head, tail = max(0, head-slideMost), max(0, tail-slideMost)
	old := text.Range{Start: head, End: a.Lines() - tail}
	new := text.Range{Start: head, End: b.Lines() - tail}
	t := newInterner(max(old.Len(), new.Len()))
	x, y := lineIDs(t, a, old), lineIDs(t, b, new)
	changes := resync(a, b, head, x, y, align(x, y, t.len()))
	changes = slide(changes, x, y, func(inserted bool, start, end int) int {
		if inserted {
			return lineCost(b, head+start, head+end)
		}
		return lineCost(a, head+start, head+end)
	})
	for i, c := range changes {
		changes[i] = c.shift(head)
	}
	return changes
}

func lineIDs(t *interner, d *text.Document, r text.Range) []int32 {
	ids := make([]int32, 0, r.Len())
	data, from := d.Bytes(), d.Offset(r.Start)
	for i := r.Start; i < r.End; i++ {
		to := d.Offset(i + 1)
		ids = append(ids, t.id(data[from:to]))
		from = to
	}
	return ids
}

// equalEnds counts the equal lines at both ends of a and b.
func equalEnds(a, b *text.Document) (head, tail int) {
	before := func(d *text.Document, offset int) int { // lines that end at or before offset
		return sort.Search(d.Lines(), func(i int) bool { return d.Offset(i+1) > offset })
	}
	behind := func(d *text.Document, offset int) int { // lines that start at or behind offset
		return d.Lines() - sort.Search(d.Lines(), func(i int) bool { return d.Offset(i) >= offset })
	}
	n := equalPrefix(a.Bytes(), b.Bytes())
	head = min(before(a, n), before(b, n))
	n = equalSuffix(a.Bytes(), b.Bytes())
	tail = min(behind(a, a.Len()-n), behind(b, b.Len()-n))
	return head, min(tail, a.Lines()-head, b.Lines()-head)
}

// block is how many bytes are compared at once.
const block = 4 << 10

// equalPrefix counts the equal bytes at the start.
func equalPrefix(a, b []byte) int {
	n, most := 0, min(len(a), len(b))
	for n+block <= most && bytes.Equal(a[n:n+block], b[n:n+block]) {
		n += block
	}
	for n < most && a[n] == b[n] {
		n++
	}
	return n
}

// equalSuffix counts the equal bytes at the end.
func equalSuffix(a, b []byte) int {
	n, most := 0, min(len(a), len(b))
	for n+block <= most && bytes.Equal(a[len(a)-n-block:len(a)-n], b[len(b)-n-block:len(b)-n]) {
		n += block
	}
	for n < most && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// lineCost judges how odd it would look to cut d before the lines start and
// end. What counts, in this order: the cuts are at the outermost indentation,
// they follow a blank line, they do not separate a block from its last line. The
// start of the document is no better than another place.
func lineCost(d *text.Document, start, end int) int {
	cost := 0
	for _, at := range []int{start, end} {
		next, before := nextIndent(d, at), 0
		for i := at - 1; i >= max(0, at-blankMost); i-- {
			if n := indent(d.LineText(i)); n >= 0 {
				before = n
				break
			}
		}
		cost += 100 * next
		if at > 0 && indent(d.LineText(at-1)) < 0 {
			cost -= 10
		}
		if next < before || at == 0 {
			cost++
		}
	}
	return cost
}

// blankMost is how many blank lines are passed in search of an indented one.
const blankMost = 20

// nextIndent is the indentation of the first line at or behind i with text.
func nextIndent(d *text.Document, i int) int {
	for end := min(d.Lines(), i+blankMost); i < end; i++ {
		if n := indent(d.LineText(i)); n >= 0 {
			return n
		}
	}
	return 0
}

// indent is the width of the white space before the text, up to a limit, or -1
// if there is no text.
func indent(line []byte) int {
	const most = 200
	width := 0
	for _, c := range line {
		switch {
		case width >= most:
			return most
		case c == ' ':
			width++
		case c == '\t':
			width += 8 - width%8
		case c != '\r' && c != '\v' && c != '\f':
			return width
		}
	}
	return -1
}
