package text

import (
	"bytes"
	"slices"
	"sort"
)

// Match is one occurrence of a text: the bytes from Start up to End.
type Match struct{ Start, End int }

// Find returns where old occurs, without overlaps. Line ends match whatever
// their kind: "a\nb" finds "a\r\nb" and the other way round. Everything else
// is compared byte for byte.
func (d *Document) Find(old []byte) []Match {
	return d.find(bytes.TrimPrefix(old, []byte(BOM)))
}

func (d *Document) find(old []byte) []Match {
	if len(old) == 0 {
		return nil
	}
	hay, lineEnds := d.data, bytes.IndexByte(old, '\n') >= 0
	old = bytes.ReplaceAll(old, []byte(CRLF), []byte(LF))
	var removed []int // offsets in hay before which a "\r" was left out
	if d.crlf > 0 && (lineEnds || bytes.IndexByte(old, '\r') >= 0) {
		hay, removed = withoutCR(d.data, d.crlf)
	}
	var found []Match
	at, back := 0, 0
	for {
		i := bytes.Index(hay[at:], old)
		if i < 0 {
			return found
		}
		start, end := at+i, at+i+len(old)
		at = end
		back += sort.SearchInts(removed[back:], start)
		// A "\r" left out just before start belongs to the match when the match
		// starts with the line end.
		found = append(found, Match{start + back, end + back + sort.SearchInts(removed[back:], end)})
	}
}

// withoutCR returns data with every "\r\n" as "\n", and the offsets in the
// result at which a "\r" was left out.
func withoutCR(data []byte, n int) ([]byte, []int) {
	out, removed := make([]byte, 0, len(data)-n), make([]int, 0, n)
	for {
		i := bytes.Index(data, []byte(CRLF))
		if i < 0 {
			return append(out, data...), removed
		}
		out = append(out, data[:i]...)
		removed = append(removed, len(out))
		out = append(out, '\n')
		data = data[i+2:]
	}
}

// placesShown is how many places an AmbiguousError names.
const placesShown = 10

// ReplaceText puts new in the place of old, which must occur exactly once, or
// at least once with all. It returns how often it did. The line ends of new
// become those of the text it replaces.
func (d *Document) ReplaceText(old, new []byte, all bool) (*Document, int, error) {
	if bytes.HasPrefix(old, []byte(BOM)) {
		old, new = old[len(BOM):], bytes.TrimPrefix(new, []byte(BOM))
	}
	if len(old) == 0 {
		return nil, 0, ErrEmpty
	}
	if bytes.Equal(old, new) {
		return nil, 0, ErrNoChange
	}
	found := d.find(old)
	switch {
	case len(found) == 0:
		return nil, 0, ErrNotFound
	case len(found) > 1 && !all:
		e := &AmbiguousError{Count: len(found)}
		for _, m := range found[:min(len(found), placesShown)] {
			e.Lines = append(e.Lines, d.LineAt(m.Start))
		}
		return nil, 0, e
	}
	out := make([]byte, 0, max(0, len(d.data)+len(found)*(len(new)-len(old))))
	at, eol := 0, d.EOL()
	for _, m := range found {
		out = append(out, d.data[at:m.Start]...)
		out = append(out, adopt(new, d.data[m.Start:m.End], eol)...)
		at = m.End
	}
	out = append(out, d.data[at:]...)
	if bytes.Equal(out, d.data) {
		return nil, 0, ErrNoChange
	}
	return New(slices.Clip(out)), len(found), nil
}
