package search

import (
	"regexp/syntax"
	"slices"
)

// program is a compiled expression with its alphabet. It never changes.
type program struct {
	inst     []syntax.Inst
	first    []uint32 // where a match begins, as closure leaves it
	nullable bool     // it matches any line, since it matches nothing anywhere
	anchored bool     // it matches only at the start of a line
	words    bool     // it asks for word boundaries
	classes  *classes
}

func newProgram(p *syntax.Prog) *program {
	g := &program{inst: p.Inst, anchored: p.StartCond()&(syntax.EmptyBeginText|syntax.EmptyBeginLine) != 0}
	for i := range p.Inst {
		if p.Inst[i].Op == syntax.InstEmptyWidth && syntax.EmptyOp(p.Inst[i].Arg)&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0 {
			g.words = true
		}
	}
	s := newThreads(len(p.Inst))
	g.nullable = g.closure(s, uint32(p.Start))
	g.first = slices.Clone(s.list)
	g.classes = newClasses(p.Inst, g.words)
	return g
}

// closure adds to s what is reached from pc without reading and without asking
// about the place: the instructions that read, and those that ask. It tells
// whether a match is among it.
func (g *program) closure(s *threads, pc uint32) bool {
	s.stack = append(s.stack[:0], pc)
	for len(s.stack) > 0 {
		pc := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		if !s.add(pc) {
			continue
		}
		switch i := &g.inst[pc]; i.Op {
		case syntax.InstMatch:
			return true
		case syntax.InstAlt, syntax.InstAltMatch:
			s.stack = append(s.stack, i.Out, i.Arg)
			s.drop()
		case syntax.InstCapture, syntax.InstNop:
			s.stack = append(s.stack, i.Out)
			s.drop()
		case syntax.InstFail:
			s.drop()
		}
	}
	return false
}

// threads is a set of instructions.
type threads struct {
	list  []uint32 // those that read or ask
	mark  []uint32 // by instruction: the round in which it was added
	round uint32
	stack []uint32
}

func newThreads(n int) *threads { return &threads{mark: make([]uint32, n), round: 1} }

func (s *threads) clear() {
	s.list = s.list[:0]
	s.round++
}

func (s *threads) add(pc uint32) bool {
	if s.mark[pc] == s.round {
		return false
	}
	s.mark[pc] = s.round
	s.list = append(s.list, pc)
	return true
}

// drop takes the last one from the list; it stays marked.
func (s *threads) drop() { s.list = s.list[:len(s.list)-1] }
