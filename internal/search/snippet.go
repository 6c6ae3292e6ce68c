package search

import (
	"bytes"
	"context"
)

// snippets makes hits of the matching lines of one file, which come in order.
// Offsets are those of the window of the file that is in memory.
type snippets struct {
	ctx     context.Context
	spans   spans
	query   *Query
	most    int // hits; 0 means all
	hits    []Hit
	more    bool // there are more than most
	open    bool // the last hit can still grow
	first   int  // number of the first line of the last hit
	last    int  // number of its last line so far
	matched int  // number of its last line that matches
	behind  int  // offset of the line behind last
}

// until is the number of the last line that the open hit shows if no match
// follows.
func (s *snippets) until() int {
	return min(s.matched+s.query.Context, s.first+s.query.MaxLines-1)
}

// match adds the line with that number, data[start:end]. floor is where data
// starts. It returns false when the match is one too many.
func (s *snippets) match(data []byte, floor, start, end, number int) bool {
	if s.open {
		if number-s.query.Context <= s.until() && number < s.first+s.query.MaxLines {
			s.show(data, number-1)
		} else {
			s.show(data, s.until())
			s.open = false
		}
	}
	if !s.open {
		if s.most > 0 && len(s.hits) == s.most {
			s.more = true
			return false
		}
		s.begin(data, floor, start, number)
	}
	at := s.spans(s.ctx, data[start:end])
	if len(at) == 0 { // only when the context has ended
		at = []Span{{}}
	}
	s.add(cutLine(number, data[start:end], at, s.query.MaxLine))
	_, s.behind = lineEnd(data, end)
	s.matched = number
	return true
}

// begin opens a hit with the lines before the match at start.
func (s *snippets) begin(data []byte, floor, start, number int) {
	most := s.query.Context
	if len(s.hits) > 0 {
		most = min(most, number-1-s.last)
	}
	first := number
	for ; number-first < most && start > floor; first-- {
		start = floor + bytes.LastIndexByte(data[floor:start-1], '\n') + 1
	}
	s.hits = append(s.hits, Hit{})
	s.open, s.first, s.last, s.behind = true, first, first-1, start
	s.show(data, number-1)
}

// show adds the lines up to that number, as far as data has them, for context.
func (s *snippets) show(data []byte, number int) {
	for s.last < number && s.behind < len(data) {
		end, next := lineEnd(data, s.behind)
		s.add(cutLine(s.last+1, data[s.behind:end], nil, s.query.MaxLine))
		s.behind = next
	}
}

func (s *snippets) add(l Line) {
	hit := &s.hits[len(s.hits)-1]
	hit.Lines = append(hit.Lines, l)
	s.last = l.Number
}

// leave shows what data has of the open hit, before more is read or the file
// ends.
func (s *snippets) leave(data []byte) {
	if s.open {
		s.show(data, s.until())
	}
}

// moved tells that the first n bytes of data were dropped. A hit that goes on
// there cannot grow.
func (s *snippets) moved(n int) {
	s.behind -= n
	s.open = s.open && s.behind >= 0
}
