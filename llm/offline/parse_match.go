package offline

import (
	"slices"
	"time"
)

// clause is a part of a message that asks for one thing.
type clause struct {
	text   string  // the whole message
	tokens []token // of the clause
	today  time.Time
	failed []bool // of a match; reused
	docs   map[span]reference
}

// span is a range of tokens of a clause.
type span struct{ from, to int }

// capture is a slot and what it took.
type capture struct {
	slot *slot
	span span
}

// match is a run of a program over a clause. It backtracks; a place that failed
// once is not tried again, so time is bounded by the product of both lengths.
type match struct {
	program  *program
	clause   *clause
	captures []capture
}

// run returns what the slots took, or false.
func (p *program) run(c *clause) ([]capture, bool) {
	m := match{program: p, clause: c}
	size := len(p.steps) * (len(c.tokens) + 1)
	if cap(c.failed) < size {
		c.failed = make([]bool, 2*size)
	}
	c.failed = c.failed[:size]
	clear(c.failed)
	if !m.at(0, 0) {
		return nil, false
	}
	return m.captures, true
}

func (m *match) at(pc, pos int) bool {
	for pc >= 0 && m.program.steps[pc].op == opJump {
		pc = int(m.program.steps[pc].other)
	}
	if pc < 0 {
		return false
	}
	place := pc*(len(m.clause.tokens)+1) + pos
	if m.clause.failed[place] {
		return false
	}
	if m.step(&m.program.steps[pc], pc, pos) {
		return true
	}
	m.clause.failed[place] = true
	return false
}

func (m *match) step(s *step, pc, pos int) bool {
	tokens := m.clause.tokens
	if s.op == opFork {
		return m.at(pc+1, pos) || m.at(int(s.other), pos)
	}
	switch s.op {
	case opDone:
		return m.clause.skip(pos) == len(tokens)
	case opWord, opWords:
		next, ok := m.clause.word(s, pos)
		return ok && m.at(pc+1, next)
	case opClass:
		var found [8]int
		ends := m.clause.ends(s.class, 0, pos, found[:0])
		slices.SortFunc(ends, func(a, b int) int { return b - a })
		return slices.ContainsFunc(ends, func(end int) bool { return m.at(pc+1, end) })
	}
	return m.slot(s.slot, pc, m.clause.skip(pos))
}

// word takes one word, and soft punctuation before it.
func (c *clause) word(s *step, pos int) (int, bool) {
	for ; pos < len(c.tokens); pos++ {
		number := c.tokens[pos].number
		if s.op == opWord && number == int(s.other) || s.op == opWords && s.words.has(number) {
			return pos + 1, true
		}
		if c.tokens[pos].form != soft {
			break
		}
	}
	return pos, false
}

// ends adds the places where a class can end.
func (c *clause) ends(k *class, pc, pos int, found []int) []int {
	for pc >= 0 {
		switch s := &k.steps[pc]; s.op {
		case opWord, opWords:
			next, ok := c.word(s, pos)
			if !ok {
				return found
			}
			pc, pos = pc+1, next
		case opFork:
			found = c.ends(k, pc+1, pos, found)
			pc = int(s.other)
		case opJump:
			pc = int(s.other)
		case opClass:
			for _, end := range c.ends(s.class, 0, pos, nil) {
				found = c.ends(k, pc+1, end, found)
			}
			return found
		default:
			if !slices.Contains(found, pos) {
				found = append(found, pos)
			}
			return found
		}
	}
	return found
}

// slot tries every length that the reader accepts and behind which the pattern
// can go on: the longest first for content, otherwise the shortest.
func (m *match) slot(s *slot, pc, pos int) bool {
	limit := m.clause.run(pos, s.greedy)
	for i := range limit - pos {
		end := pos + 1 + i
		if s.greedy {
			end = limit - i
		}
		if i > maxTries && limit-pos-i > maxTries || !m.mayEnd(s, end) {
			continue
		}
		taken := m.clause.trim(span{pos, end})
		var scratch Request
		if !s.read(m.clause, taken, &scratch) {
			continue
		}
		mark := len(m.captures)
		m.captures = append(m.captures, capture{s, taken})
		if m.at(pc+1, end) {
			return true
		}
		m.captures = m.captures[:mark]
	}
	return false
}

func (m *match) mayEnd(s *slot, end int) bool {
	for ; end < len(m.clause.tokens); end++ {
		if tok := &m.clause.tokens[end]; tok.form != soft || s.words.has(tok.number) {
			return s.any || s.words.has(tok.number)
		}
	}
	return s.end
}

// skip leaves out soft punctuation.
func (c *clause) skip(pos int) int {
	for pos < len(c.tokens) && c.tokens[pos].form == soft {
		pos++
	}
	return pos
}

// trim leaves out soft punctuation at both ends.
func (c *clause) trim(s span) span {
	for s.from < s.to && c.tokens[s.from].form == soft {
		s.from++
	}
	for s.to > s.from && c.tokens[s.to-1].form == soft {
		s.to--
	}
	return s
}

// run is how far a slot can reach from a token: to where the clause was put
// together from two parts of the message. Names have a few words, content any
// number.
func (c *clause) run(pos int, greedy bool) int {
	end := pos
	for end < len(c.tokens) && (end == pos || c.tokens[end-1].end <= c.tokens[end].start) {
		end++
		if end-pos == maxName && !greedy {
			break
		}
	}
	return end
}

// maxName is the number of tokens that a slot other than content may have.
const maxName = 24

// maxTries is the number of lengths that are tried for content, counted from
// both ends: long content is followed by a few words, or by none.
const maxTries = 60

// cut is the text of a span, exactly as written.
func (c *clause) cut(s span) string {
	if s.from >= s.to {
		return ""
	}
	return c.text[c.tokens[s.from].start:c.tokens[s.to-1].end]
}

// only returns the one token of a span, if it is one.
func (c *clause) only(s span) (token, bool) {
	if s.to-s.from != 1 {
		return token{}, false
	}
	return c.tokens[s.from], true
}
