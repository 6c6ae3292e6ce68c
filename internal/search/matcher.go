package search

import (
	"bytes"
	"context"
)

// matcher is a compiled pattern. It never changes.
type matcher struct {
	prog    *program
	needles needles
	spans   spans
}

// scanner finds the matching lines of one text after the other. It is for one
// goroutine.
type scanner struct {
	*matcher
	ctx     context.Context
	finders []finder
	dfa     *dfa // made when it is first needed

	// How well the needles do: bytes passed, and bytes of the lines that had to
	// be looked at for it.
	passed, looked int
}

func (m *matcher) scanner(ctx context.Context) *scanner {
	s := &scanner{matcher: m, ctx: ctx}
	for i := range m.needles.list {
		s.finders = append(s.finders, finder{needle: &m.needles.list[i]})
	}
	return s
}

// reset makes the scanner ready for another text.
func (s *scanner) reset() {
	for i := range s.finders {
		s.finders[i].reset()
	}
}

// next finds the first matching line at or behind from, which is the start of a
// line or the end: where it starts and where it ends, without its terminator. ok
// is false if there is none, or the context has ended.
func (s *scanner) next(data []byte, from int) (start, end int, ok bool) {
	if s.prog.nullable {
		end, _ = lineEnd(data, from)
		return from, end, from < len(data)
	}
	for len(s.finders) > 0 {
		at := s.candidate(data, from)
		if at == never {
			s.passed += len(data) - from
			return 0, 0, false
		}
		start, end, next := lineAt(data, from, at)
		if s.needles.exact || s.automaton().find(data[start:end], 0) != never {
			return start, end, true
		}
		s.passed += next - from
		s.looked += next - start
		if s.passed > 64<<10 && s.looked > s.passed/2 { // the needles are of no use here
			s.finders = nil
		}
		from = next
	}
	at := s.automaton().find(data, from)
	if at == never {
		return 0, 0, false
	}
	start, end, _ = lineAt(data, from, at)
	return start, end, true
}

// candidate is where the next needle is.
func (s *scanner) candidate(data []byte, from int) int {
	at := never
	for i := range s.finders {
		at = min(at, s.finders[i].find(data, from))
	}
	return at
}

func (s *scanner) automaton() *dfa {
	if s.dfa == nil {
		s.dfa = newDFA(s.ctx, s.prog)
	}
	return s.dfa
}

// lineAt is the line that holds the byte at i, at or behind the start of a line
// from; next is the start of the one behind it.
func lineAt(data []byte, from, i int) (start, end, next int) {
	start = from + bytes.LastIndexByte(data[from:i], '\n') + 1
	end, next = lineEnd(data, i)
	return start, end, next
}

// lineEnd is where the line that holds the byte at i ends: its text, and it.
func lineEnd(data []byte, i int) (end, next int) {
	n := bytes.IndexByte(data[i:], '\n')
	if n < 0 {
		return len(data), len(data)
	}
	end = i + n
	if end > 0 && data[end-1] == '\r' && end > i {
		return end - 1, end + 1
	}
	return end, end + 1
}
