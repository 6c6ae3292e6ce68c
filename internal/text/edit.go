package text

import (
	"bytes"
	"slices"
	"sort"
)

// Edit replaces the lines of Range by Content. An empty range inserts before
// line Range.Start; empty content deletes.
//
// Content is a run of lines. Its terminators become those of the lines that it
// replaces, or the document's own where it adds lines. A missing final
// terminator is supplied when more text follows, and so is the one of an
// unterminated last line when lines are put behind it. A byte order mark stays
// where it is and is never doubled.
type Edit struct {
	Range   Range
	Content []byte
}

// Insert puts content behind line after; -1 puts it at the start.
func (d *Document) Insert(after int, content []byte) (*Document, error) {
	if after < -1 || after >= d.Lines() {
		return nil, &RangeError{Range: Range{after, after}, Lines: d.Lines()}
	}
	return d.Apply(Edit{Range{after + 1, after + 1}, content})
}

// Replace puts content in the place of the lines in r, which must not be
// empty.
func (d *Document) Replace(r Range, content []byte) (*Document, error) {
	if r.Start >= r.End {
		return nil, &RangeError{Range: r, Lines: d.Lines()}
	}
	return d.Apply(Edit{r, content})
}

// Delete removes the lines in r, which must not be empty.
func (d *Document) Delete(r Range) (*Document, error) { return d.Replace(r, nil) }

// Apply makes all the edits at once: their ranges all refer to d. Ranges that
// share a line, or an insertion inside another's range, are ErrOverlap.
// Insertions at one place keep the order in which they are given.
func (d *Document) Apply(edits ...Edit) (*Document, error) {
	for _, e := range edits {
		if err := d.check(e.Range); err != nil {
			return nil, err
		}
	}
	if len(edits) > 1 {
		edits = slices.Clone(edits)
		// An insertion comes before a replacement that starts at the same line.
		slices.SortStableFunc(edits, func(a, b Edit) int {
			if a.Range.Start != b.Range.Start {
				return a.Range.Start - b.Range.Start
			}
			return a.Range.End - b.Range.End
		})
		for i, e := range edits[1:] {
			if e.Range.Start < edits[i].Range.End {
				return nil, ErrOverlap
			}
		}
	}
	size := d.Len()
	for _, e := range edits {
		size += len(e.Content) + 2
	}
	b := builder{doc: d, out: make([]byte, 0, size), eol: d.EOL()}
	for _, e := range edits {
		b.apply(e)
	}
	b.copyTo(d.Len())
	return b.finish(), nil
}

// builder writes the edited document from left to right.
type builder struct {
	doc *Document
	out []byte
	eol EOL
	at  int // everything of doc before this offset is dealt with

	first, last int // the edited part of doc: offset of its start, and of its end
	edited      bool
}

func (b *builder) copyTo(offset int) {
	if offset > b.at {
		b.terminate()
		b.out = append(b.out, b.doc.data[b.at:offset]...)
		b.at = offset
	}
}

// terminate ends an unterminated line because text is about to follow.
func (b *builder) terminate() {
	if n := len(b.out); n > 0 && b.out[n-1] != '\n' && n > b.doc.textStart() {
		b.out = append(b.out, b.eol...)
	}
}

func (b *builder) apply(e Edit) {
	from, to := b.doc.Offset(e.Range.Start), b.doc.Offset(e.Range.End)
	if bom := b.doc.textStart(); from < bom { // the byte order mark stays in front
		from, to = bom, max(to, bom)
	}
	b.copyTo(from)
	if !b.edited {
		b.first, b.edited = from, true
	}
	content := e.Content
	if len(b.out) <= b.doc.textStart() && b.doc.HasBOM() {
		content = bytes.TrimPrefix(content, []byte(BOM))
	}
	if len(content) > 0 {
		b.terminate()
		b.out = append(b.out, adopt(content, b.doc.data[from:to], b.eol)...)
	}
	b.at = max(b.at, to)
	b.last = b.at
}

// finish indexes the result. Lines before the first and behind the last edit
// are taken over from the old index, so that an edit of a long document costs
// a copy and not a scan.
func (b *builder) finish() *Document {
	d := b.doc
	if !b.edited {
		return d
	}
	head := d.LineAt(b.first)
	tail := sort.Search(d.Lines(), func(i int) bool { return d.Offset(i) >= b.last })
	shift := len(b.out) - d.Len()
	if to := d.Offset(tail) + shift; tail < d.Lines() && to > 0 && b.out[to-1] != '\n' {
		tail++ // only the byte order mark is left before the tail: it joins the line
	}
	n := &Document{data: b.out, ends: make([]int, 0, d.Lines()+8)}
	n.ends = append(n.ends, d.ends[:head]...)
	// The lines from head up to the untouched tail are scanned again.
	from, to := d.Offset(head), d.Offset(tail)+shift
	part := Document{data: b.out[:to], ends: n.ends}
	part.index(from)
	n.ends = part.ends
	for _, end := range d.ends[tail:] {
		n.ends = append(n.ends, end+shift)
	}
	n.crlf = d.crlf - countCRLF(d.data[from:d.Offset(tail)]) + part.crlf
	return n
}

func countCRLF(b []byte) int { return bytes.Count(b, []byte(CRLF)) }

// Rewrite replaces the whole text. The new text takes over the document's byte
// order mark and its line ends; an empty document has none to give, and takes
// content as it is. Where both the document and the content have line ends of both
// kinds, each of them is meant: they stay as they are.
func (d *Document) Rewrite(content []byte) *Document {
	if d.Len() == 0 {
		return New(bytes.Clone(content))
	}
	body := bytes.TrimPrefix(content, []byte(BOM))
	if d.terminated() > 0 && !(d.mixed() && New(body).mixed()) {
		body = adopt(body, nil, d.EOL())
	}
	return New(append(bytes.Clone(d.data[:d.textStart()]), body...))
}
