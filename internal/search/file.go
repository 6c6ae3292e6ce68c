package search

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"redline/internal/text"
)

// Sizes of buffers, in bytes.
const (
	headSize   = 64 << 10 // files up to this are read with one call
	windowSize = 1 << 20  // larger ones are read in parts of this size
	maxWindow  = 64 << 20 // or larger, to hold one line
	maxContext = 64 << 10 // of what was searched, for context
)

// reader searches one file after the other. It is for one goroutine.
type reader struct {
	*scanner
	query  *Query
	head   []byte
	window []byte // made when it is first needed
	large  *sync.Mutex
}

// newReader makes a reader. Of those that share large, one at a time holds a
// line in memory that is longer than windowSize.
func newReader(ctx context.Context, m *matcher, q *Query, large *sync.Mutex) *reader {
	return &reader{scanner: m.scanner(ctx), query: q, head: make([]byte, headSize), large: large}
}

// unfit tells from the start of a file why it is not searched, or "".
func unfit(head []byte) Reason {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")):
		return Encoding
	case text.IsBinary(head):
		return Binary
	}
	return ""
}

func (r *reader) snippets() *snippets {
	return &snippets{ctx: r.ctx, spans: r.spans, query: r.query, most: r.query.hitsOfFile()}
}

// whole searches a file that is in memory.
func (r *reader) whole(data []byte) ([]Hit, bool) {
	floor := 0
	if bytes.HasPrefix(data, []byte(text.BOM)) {
		floor = len(text.BOM)
	}
	r.reset()
	start, end, ok := r.next(data, floor)
	if !ok {
		return nil, false // as most files
	}
	s := r.snippets()
	r.lines(s, data, floor, start, end, &place{offset: floor, line: 1})
	s.leave(data)
	return s.hits, s.more
}

// place is an offset and the number of the line that it is in.
type place struct{ offset, line int }

// advance moves the place forward.
func (p *place) advance(data []byte, offset int) {
	p.line += bytes.Count(data[p.offset:offset], []byte{'\n'})
	p.offset = offset
}

// lines adds the matching line data[start:end] and those that follow.
func (r *reader) lines(s *snippets, data []byte, floor, start, end int, at *place) {
	for ok := true; ok && r.ctx.Err() == nil; {
		at.advance(data, start)
		if !s.match(data, floor, start, end, at.line) {
			return
		}
		_, next := lineEnd(data, end)
		start, end, ok = r.next(data, next)
	}
}

// errLongLine is a line that is not held in memory.
var errLongLine = errors.New("the line is too long")

// stream searches a file that is not held in memory as a whole. Hits that were
// found before an error stay.
func (r *reader) stream(file io.Reader) ([]Hit, bool, error) {
	if r.window == nil {
		r.window = make([]byte, windowSize)
	}
	w := window{buf: r.window, file: file, large: r.large}
	defer w.shrink()
	s := r.snippets()
	for {
		if err := w.fill(); err != nil {
			return s.hits, s.more, err
		}
		if err := r.ctx.Err(); err != nil {
			return nil, false, err
		}
		data := w.buf[:w.lines]
		r.reset()
		if start, end, ok := r.next(data, w.fresh); ok {
			r.lines(s, data, w.floor, start, end, &w.at)
		}
		s.leave(data)
		if s.more || w.last {
			return s.hits, s.more, nil
		}
		s.moved(w.slide(r.query.Context))
	}
}

// window is the part of a file that is in memory:
//
//	floor ─ lines seen before ─ fresh ─ lines ─ start of a line ─ filled ─ free
type window struct {
	file                        io.Reader
	buf                         []byte
	floor, fresh, lines, filled int
	at                          place // somewhere up to fresh
	last                        bool  // the file ends with it
	begun                       bool
	large                       *sync.Mutex // held while buf is larger than windowSize
}

// fill reads until there are whole lines behind fresh, or the file ends.
func (w *window) fill() error {
	for {
		n, err := io.ReadFull(w.file, w.buf[w.filled:])
		w.last = err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !w.last {
			return err
		}
		if !w.begun {
			w.begun, w.at.line = true, 1
			if bytes.HasPrefix(w.buf[:n], []byte(text.BOM)) {
				w.floor, w.fresh, w.at.offset = len(text.BOM), len(text.BOM), len(text.BOM)
			}
		}
		end := bytes.LastIndexByte(w.buf[w.filled:w.filled+n], '\n')
		w.lines = w.filled + end + 1
		w.filled += n
		switch {
		case w.last:
			w.lines = w.filled
			return nil
		case end >= 0:
			return nil
		case len(w.buf) >= maxWindow:
			return errLongLine
		}
		w.grow()
	}
}

func (w *window) grow() {
	if len(w.buf) == windowSize {
		w.large.Lock()
	}
	larger := make([]byte, 2*len(w.buf))
	copy(larger, w.buf)
	w.buf = larger
}

// shrink lets another one be large.
func (w *window) shrink() {
	if len(w.buf) > windowSize {
		w.large.Unlock()
	}
}

// slide drops what was searched, but for some lines of context, and returns how
// many bytes that are.
func (w *window) slide(context int) int {
	keep := w.lines
	for range context {
		if keep <= w.floor {
			break
		}
		line := w.floor + bytes.LastIndexByte(w.buf[w.floor:keep-1], '\n') + 1
		if w.lines-line > maxContext {
			break
		}
		keep = line
	}
	w.at.advance(w.buf, w.lines)
	w.filled = copy(w.buf, w.buf[keep:w.filled])
	w.floor, w.fresh = 0, w.lines-keep
	w.at.offset = w.fresh
	return keep
}
