package offline

import "time"

// clause is a part of a message that asks for one thing.
type clause struct {
	text   string  // the whole message
	tokens []token // of the clause
	today  time.Time
}

// span is a range of tokens of a clause.
type span struct{ from, to int }

// capture is a slot and what it took.
type capture struct {
	step *step
	span span
}

// match is a run of a program over a clause. It backtracks; a place that failed
// once is not tried again, so time is bounded by the product of both lengths.
type match struct {
	program  *program
	clause   *clause
	failed   []bool
	captures []capture
}

// run returns what the slots took, or false.
func (p *program) run(c *clause) ([]capture, bool) {
	m := match{program: p, clause: c, failed: make([]bool, len(p.steps)*(len(c.tokens)+1))}
	if !m.at(0, 0) {
		return nil, false
	}
	return m.captures, true
}

func (m *match) at(pc, pos int) bool {
	place := pc*(len(m.clause.tokens)+1) + pos
	if m.failed[place] {
		return false
	}
	if m.step(&m.program.steps[pc], pc, pos) {
		return true
	}
	m.failed[place] = true
	return false
}

func (m *match) step(s *step, pc, pos int) bool {
	switch s.op {
	case opFork:
		return m.at(pc+1, pos) || m.at(s.other, pos)
	case opJump:
		return m.at(s.other, pos)
	}
	for pos < len(m.clause.tokens) && m.clause.tokens[pos].form == soft && !(s.op == opWord && s.words[m.clause.tokens[pos].low]) {
		pos++
	}
	switch s.op {
	case opDone:
		return pos == len(m.clause.tokens)
	case opWord:
		return pos < len(m.clause.tokens) && s.words[m.clause.tokens[pos].low] && m.at(pc+1, pos+1)
	}
	return m.slot(s, pc, pos)
}

// slot tries every length that the reader accepts and behind which the pattern
// can go on: the longest first for content, otherwise the shortest.
func (m *match) slot(s *step, pc, pos int) bool {
	limit := m.clause.run(pos, s.slot)
	for i := range limit - pos {
		end := pos + 1 + i
		if greedy[s.slot] {
			end = limit - i
		}
		if !m.mayEnd(s, end) {
			continue
		}
		var scratch Request
		if !s.read(m.clause, m.clause.trim(span{pos, end}), &scratch) {
			continue
		}
		mark := len(m.captures)
		m.captures = append(m.captures, capture{s, m.clause.trim(span{pos, end})})
		if m.at(pc+1, end) {
			return true
		}
		m.captures = m.captures[:mark]
	}
	return false
}

func (m *match) mayEnd(s *step, end int) bool {
	for ; end < len(m.clause.tokens); end++ {
		if tok := m.clause.tokens[end]; tok.form != soft || s.behind.words[tok.low] {
			return s.behind.slot || s.behind.words[tok.low]
		}
	}
	return s.behind.end
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
func (c *clause) run(pos int, slot string) int {
	end := pos
	for end < len(c.tokens) && (end == pos || c.tokens[end-1].end <= c.tokens[end].start) {
		end++
		if end-pos == maxName && !greedy[slot] {
			break
		}
	}
	return end
}

// maxName is the number of tokens that a slot other than content may have.
const maxName = 24

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
