package search

import (
	"context"
	"io"
	"regexp"
	"sync"
	"unicode/utf8"
)

// Span is a part of a line: bytes counted from 0, End excluded.
type Span struct{ Start, End int }

// spans finds where a matching line matches: from the left, without overlaps,
// the first maxSpans.
type spans func(ctx context.Context, line []byte) []Span

const maxSpans = 100

// tooLong tells whether a search for all matches of an expression of that size
// can take so long that the context must be able to end it. Then the first match
// has to do.
func tooLong(line []byte, size int) bool { return len(line) > 1<<20 || len(line)*size > 1<<26 }

// textSpans finds a text without the help of an expression, where bytes tell all
// about case; elsewhere it asks general.
func textSpans(p Pattern, general spans) spans {
	text := needle{text: []byte(p.Text), fold: p.folds()}
	if text.fold && !isASCII(text.text) {
		return general
	}
	return func(ctx context.Context, line []byte) []Span {
		if text.fold && !isASCII(line) {
			return general(ctx, line)
		}
		var out []Span
		for at := 0; len(out) < maxSpans; {
			if at = text.indexFrom(line, at); at == never {
				break
			}
			end := at + len(text.text)
			if p.Word && !isWord(line, at, end) {
				at++
				continue
			}
			out = append(out, Span{at, end})
			at = end
		}
		return out
	}
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isWord tells whether there is no character of a word on either side of
// line[start:end].
func isWord(line []byte, start, end int) bool {
	before, n := utf8.DecodeLastRune(line[:start])
	behind, m := utf8.DecodeRune(line[end:])
	return (n == 0 || !isWordRune(before)) && (m == 0 || !isWordRune(behind))
}

func regexpSpans(expr string, size int) spans {
	re := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
	return func(ctx context.Context, line []byte) []Span {
		if tooLong(line, size) {
			loc := re().FindReaderIndex(&lineReader{ctx: ctx, rest: line})
			if loc == nil {
				return nil
			}
			return []Span{{loc[0], loc[1]}}
		}
		var out []Span
		for _, loc := range re().FindAllIndex(line, maxSpans) {
			out = append(out, Span{loc[0], loc[1]})
		}
		return out
	}
}

// wordSpans finds matches that are words. Two of them may share the
// character between them, so each is looked for from the end of the one before.
func wordSpans(expr string, size int) spans {
	first := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(asWord(expr)) })
	further := sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(notWord + `(` + expr + `)(?:` + notWord + `|\z)`)
	})
	return func(ctx context.Context, line []byte) []Span {
		if tooLong(line, size) {
			loc := first().FindReaderSubmatchIndex(&lineReader{ctx: ctx, rest: line})
			if loc == nil {
				return nil
			}
			return []Span{{loc[2], loc[3]}}
		}
		loc := first().FindSubmatchIndex(line)
		var out []Span
		for base := 0; loc != nil; {
			out = append(out, Span{base + loc[2], base + loc[3]})
			end := out[len(out)-1].End
			if end == len(line) || len(out) == maxSpans {
				break
			}
			// The character before the next one may be the last of this one, but
			// an empty match is not found again.
			_, width := utf8.DecodeLastRune(line[:end])
			base = end - width
			if loc[2] == loc[3] {
				base = end
			}
			loc = further().FindSubmatchIndex(line[base:])
		}
		return out
	}
}

// lineReader gives a line to an expression until the context ends.
type lineReader struct {
	ctx  context.Context
	rest []byte
	n    uint
}

func (r *lineReader) ReadRune() (rune, int, error) {
	if r.n++; r.n%4096 == 0 && r.ctx.Err() != nil || len(r.rest) == 0 {
		return 0, 0, io.EOF
	}
	c, width := utf8.DecodeRune(r.rest)
	r.rest = r.rest[width:]
	return c, width, nil
}
