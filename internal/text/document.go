// Package text holds a document as its exact bytes with an index of its lines, and edits it without touching any other byte.
//
// Every line keeps its own terminator, "\n" or "\r\n"; a lone "\r" is data
// inside a line. A final terminator does not open another line: "a\nb\n" has
// two lines, "" has none, "a" has one without a terminator. A byte order mark
// belongs to the bytes of the first line but not to its text. The lines of a
// document, joined, are always its bytes.
//
// Documents are immutable: an edit returns a new one.
package text

import (
	"bytes"
	"sort"
)

// BOM is the UTF-8 byte order mark that some editors put before the text.
const BOM = "\xef\xbb\xbf"

// Document is a text of any bytes, cut into lines. The zero value is empty.
type Document struct {
	data []byte
	ends []int // ends[i] is the offset just behind line i and its terminator
	crlf int   // number of lines that end in "\r\n"
}

// New indexes data, which belongs to the document from now on and must not be
// modified by the caller.
func New(data []byte) *Document {
	d := &Document{data: data, ends: make([]int, 0, estimateLines(data))}
	d.index(0)
	return d
}

// FromString is New for a string.
func FromString(s string) *Document { return New([]byte(s)) }

// estimateLines guesses a capacity for the index from the first bytes, so that
// a long document does not grow it many times.
func estimateLines(data []byte) int {
	const sample = 16 << 10
	if len(data) <= sample {
		return bytes.Count(data, newline) + 1
	}
	in := bytes.Count(data[:sample], newline) + 1
	return in*(len(data)/sample+1) + in*len(data)/sample/16
}

var newline = []byte{'\n'}

// index appends the ends of the lines that start at or behind offset from.
func (d *Document) index(from int) {
	for from < len(d.data) {
		i := bytes.IndexByte(d.data[from:], '\n')
		if i < 0 {
			d.ends = append(d.ends, len(d.data))
			return
		}
		if i > 0 && d.data[from+i-1] == '\r' {
			d.crlf++
		}
		from += i + 1
		d.ends = append(d.ends, from)
	}
}

// Bytes returns the document's bytes, which must not be modified.
func (d *Document) Bytes() []byte { return d.data }

// String returns the document's bytes as a string.
func (d *Document) String() string { return string(d.data) }

// Len is the number of bytes.
func (d *Document) Len() int { return len(d.data) }

// Lines is the number of lines.
func (d *Document) Lines() int { return len(d.ends) }

// HasBOM tells whether the document starts with a byte order mark.
func (d *Document) HasBOM() bool { return bytes.HasPrefix(d.data, []byte(BOM)) }

// Offset is the offset of the first byte of line i. Offset(Lines()) is Len().
func (d *Document) Offset(i int) int {
	if i == 0 {
		return 0
	}
	return d.ends[i-1]
}

// textStart is the offset behind the byte order mark.
func (d *Document) textStart() int {
	if d.HasBOM() {
		return len(BOM)
	}
	return 0
}

// LineAt is the number of the line that holds the byte at offset; an offset at
// or behind the end gives the last line.
func (d *Document) LineAt(offset int) int {
	i := sort.SearchInts(d.ends, offset+1)
	return min(i, max(len(d.ends)-1, 0))
}

// Line returns the exact bytes of line i, terminator and byte order mark
// included. They must not be modified.
func (d *Document) Line(i int) []byte { return d.data[d.Offset(i):d.ends[i]:d.ends[i]] }

// LineText returns line i as a person sees it: without its terminator and
// without the byte order mark.
func (d *Document) LineText(i int) []byte {
	line := d.Line(i)
	line = line[:len(line)-len(Terminator(line))]
	if i == 0 {
		line = bytes.TrimPrefix(line, []byte(BOM))
	}
	return line
}

// Range is a run of lines, from Start up to but not including End, counted
// from 0. Start == End is the place before line Start.
type Range struct{ Start, End int }

// Len is the number of lines in r.
func (r Range) Len() int { return r.End - r.Start }

// Slice returns the exact bytes of the lines in r, which must not be modified.
func (d *Document) Slice(r Range) ([]byte, error) {
	if err := d.check(r); err != nil {
		return nil, err
	}
	from, to := d.Offset(r.Start), d.Offset(r.End)
	return d.data[from:to:to], nil
}

func (d *Document) check(r Range) error {
	if r.Start < 0 || r.End < r.Start || r.End > d.Lines() {
		return &RangeError{Range: r, Lines: d.Lines()}
	}
	return nil
}
