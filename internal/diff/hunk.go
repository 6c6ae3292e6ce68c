package diff

import (
	"strconv"

	"redline/internal/text"
)

// Op says what becomes of a piece of text.
type Op uint8

// A piece of text is in both documents, only in the old, or only in the new.
const (
	Equal Op = iota
	Delete
	Insert
)

func (o Op) String() string { return [...]string{"equal", "delete", "insert"}[o] }

// Span is a piece of text, its exact bytes, which must not be modified.
type Span struct {
	Op   Op
	Text []byte
}

// Context is how many equal lines a hunk usually shows around its changes.
const Context = 3

// Hunk is a part of a diff with the equal lines around it. It holds its text
// itself, so it can be printed, stored, and applied to another document.
type Hunk struct {
	A, B  text.Range // the lines of the old and the new document it covers
	Lines []Span     // one line each, with its terminator
}

// Hunks puts changes of a diff from a to b, all or some of them, into hunks
// with context equal lines around them. Changes whose context would overlap or
// meet share a hunk. Where only some of a diff's changes are given, the hunks
// are those of a document that has just these.
func Hunks(a, b *text.Document, changes []Change, context int) []Hunk {
	var out []Hunk
	shift := 0 // new line minus old line, behind the changes so far
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].A.Start-changes[n-1].A.End <= 2*context {
			n++
		}
		h := hunk(a, b, changes[:n], context)
		h.B.Start, h.B.End = h.A.Start+shift, h.A.End+shift
		for _, c := range changes[:n] {
			h.B.End += c.B.Len() - c.A.Len()
		}
		shift = h.B.End - h.A.End
		out, changes = append(out, h), changes[n:]
	}
	return out
}

// hunk is one hunk without its range in the new document.
func hunk(a, b *text.Document, changes []Change, context int) Hunk {
	first, last := changes[0].A, changes[len(changes)-1].A
	h := Hunk{A: text.Range{Start: max(0, first.Start-context), End: min(a.Lines(), last.End+context)}}
	size := h.A.Len()
	for _, c := range changes {
		size += c.B.Len()
	}
	h.Lines = make([]Span, 0, size)
	add := func(op Op, d *text.Document, r text.Range) {
		for i := r.Start; i < r.End; i++ {
			h.Lines = append(h.Lines, Span{op, d.Line(i)})
		}
	}
	at := h.A.Start
	for _, c := range changes {
		add(Equal, a, text.Range{Start: at, End: c.A.Start})
		add(Delete, a, c.A)
		add(Insert, b, c.B)
		at = c.A.End
	}
	add(Equal, a, text.Range{Start: at, End: h.A.End})
	return h
}

// Reverse is the hunk that takes h back. Deleted lines come before inserted
// ones again.
func (h Hunk) Reverse() Hunk {
	r := Hunk{A: h.B, B: h.A, Lines: make([]Span, 0, len(h.Lines))}
	for i := 0; i < len(h.Lines); {
		end := i
		for end < len(h.Lines) && (h.Lines[end].Op == Equal) == (h.Lines[i].Op == Equal) {
			end++
		}
		for _, op := range []Op{Equal, Insert, Delete} {
			for _, l := range h.Lines[i:end] {
				if l.Op == op {
					r.Lines = append(r.Lines, Span{reversed[op], l.Text})
				}
			}
		}
		i = end
	}
	return r
}

var reversed = [...]Op{Equal: Equal, Delete: Insert, Insert: Delete}

// Header is the line that opens the hunk in a patch, such as
// "@@ -14,9 +14,11 @@", without a terminator.
func (h Hunk) Header() string { return string(h.appendHeader(nil)) }

func (h Hunk) appendHeader(dst []byte) []byte {
	dst = appendRange(append(dst, "@@ -"...), h.A)
	dst = appendRange(append(dst, " +"...), h.B)
	return append(dst, " @@"...)
}

// appendRange writes r as patches do: the first line counted from 1 and the
// number of lines, unless that is 1. An empty range names the line before it.
func appendRange(dst []byte, r text.Range) []byte {
	if r.Len() == 0 {
		return append(strconv.AppendInt(dst, int64(r.Start), 10), ",0"...)
	}
	dst = strconv.AppendInt(dst, int64(r.Start)+1, 10)
	if r.Len() == 1 {
		return dst
	}
	return strconv.AppendInt(append(dst, ','), int64(r.Len()), 10)
}

// noNewline stands in a patch behind a line that has no "\n".
const noNewline = `\ No newline at end of file`

// sign is the first byte of a line in a patch.
var sign = [...]byte{Equal: ' ', Delete: '-', Insert: '+'}

// Append writes the hunk as it stands in a unified patch to dst.
func (h Hunk) Append(dst []byte) []byte {
	dst = append(h.appendHeader(dst), '\n')
	for _, l := range h.Lines {
		dst = append(dst, sign[l.Op])
		dst = append(dst, l.Text...)
		if n := len(l.Text); n == 0 || l.Text[n-1] != '\n' {
			dst = append(dst, "\n"+noNewline+"\n"...)
		}
	}
	return dst
}

// String is the hunk as it stands in a unified patch.
func (h Hunk) String() string { return string(h.Append(nil)) }
