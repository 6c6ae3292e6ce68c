package search

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"redline/internal/workspace"
)

// Result is what a search found.
type Result struct {
	Files []File // those with hits, by path
	// More tells that matches were left out, because a limit of the query was
	// reached.
	More bool
	// Searched is the number of files that were looked at. It is not known, and
	// 0, when the limit on hits has ended the search.
	Searched int
	Skipped  []Skipped // files that could not be searched, by path
}

// File is a file with hits.
type File struct {
	Path workspace.Path
	Hits []Hit
	More bool // it has more matches than these
}

// Hit is a run of lines around one or more matches.
type Hit struct{ Lines []Line }

// Line is a line of a file as it is shown. Its text is valid UTF-8: bytes that
// are not are replaced.
type Line struct {
	Number int    // from 1
	Text   string // without its terminator; a long line is cut around its first match
	Shown  Span   // the part of the line that Text shows
	Size   int    // bytes of the whole line
	// Spans are where the line itself matches: the first 100 places, or the first
	// one of an expression if the line is huge. A line that is there for context
	// has none.
	Spans []Span
}

// Matches tells whether the line is a match, and not there for context.
func (l Line) Matches() bool { return len(l.Spans) > 0 }

// Start is the number of the first line.
func (h Hit) Start() int { return h.Lines[0].Number }

// End is the number of the last line.
func (h Hit) End() int { return h.Lines[len(h.Lines)-1].Number }

// Snippet is the text of the lines. Where a long line was cut it says how much
// is left out.
func (h Hit) Snippet() string {
	var b strings.Builder
	for i, l := range h.Lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		if l.Shown.Start > 0 {
			fmt.Fprintf(&b, "[%d bytes left out]…", l.Shown.Start)
		}
		b.WriteString(l.Text)
		if rest := l.Size - l.Shown.End; rest > 0 {
			fmt.Fprintf(&b, "…[%d bytes left out]", rest)
		}
	}
	return b.String()
}

// Reason is why a file was not searched.
type Reason string

// The reasons.
const (
	Binary     Reason = "binary"     // a NUL byte near its start
	Encoding   Reason = "encoding"   // UTF-16
	Unreadable Reason = "unreadable" // the system does not let us
	LongLine   Reason = "long_line"  // not searched from a line on that is longer than 64 MB
)

// Skipped is a file, or a folder with all that is in it, that was not
// searched.
type Skipped struct {
	Path   workspace.Path
	Reason Reason
}

// cutLine is a line as it is shown, with at most most bytes of it: its start, or
// what is around its first match.
func cutLine(number int, line []byte, at []Span, most int) Line {
	from, to := 0, len(line)
	if to > most {
		if len(at) > 0 {
			from = max(0, min(at[0].Start-most/4, len(line)-most))
		}
		to = from + most
		for from > 0 && from < to && !utf8.RuneStart(line[from]) {
			from++
		}
		for to > from && to < len(line) && !utf8.RuneStart(line[to]) {
			to--
		}
	}
	return Line{Number: number, Text: strings.ToValidUTF8(string(line[from:to]), "\uFFFD"), Shown: Span{from, to}, Size: len(line), Spans: at}
}
