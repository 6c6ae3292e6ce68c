package search

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
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

// The classes of bytes that are not simply a character of a class.
const (
	endClass  = iota // the end of a line
	wideClass        // part of a character of several bytes
	backClass        // a carriage return: data, or part of the end of a line
	runeClass        // the first class of characters
)

// classes sort the characters so that those of one class behave alike.
type classes struct {
	bytes  [256]uint32
	starts []rune   // where runs of characters of one class start; the first is 0
	of     []uint32 // the class of each run
	sample []rune   // a character of each class, from runeClass on
}

func newClasses(inst []syntax.Inst, words bool) *classes {
	var sets []*syntax.Inst
	seen := map[string]bool{}
	cuts := []rune{0, utf8.RuneSelf}
	cut := func(lo, hi rune) { cuts = append(cuts, lo, hi+1) }
	if words {
		cut('0', '9')
		cut('A', 'Z')
		cut('a', 'z')
		cut('_', '_')
	}
	for k := range inst {
		i := &inst[k]
		if i.Op != syntax.InstRune && i.Op != syntax.InstRune1 || seen[setKey(i)] {
			continue // the other instructions take any character of a line
		}
		seen[setKey(i)] = true
		sets = append(sets, i)
		if len(i.Rune) == 1 {
			cut(i.Rune[0], i.Rune[0])
			for r := unicode.SimpleFold(i.Rune[0]); r != i.Rune[0]; r = unicode.SimpleFold(r) {
				cut(r, r)
			}
		}
		for j := 0; j+1 < len(i.Rune); j += 2 {
			cut(i.Rune[j], i.Rune[j+1])
		}
	}
	slices.Sort(cuts)
	c := &classes{starts: slices.Compact(cuts)}
	c.sort(sets, words)
	return c
}

func setKey(i *syntax.Inst) string {
	b := []byte{byte(i.Op), byte(i.Arg)}
	for _, r := range i.Rune {
		b = binary.AppendVarint(b, int64(r))
	}
	return string(b)
}

// sort gives the runs that no set tells apart one class.
func (c *classes) sort(sets []*syntax.Inst, words bool) {
	ids := map[string]uint32{}
	key := make([]byte, (len(sets)+8)/8)
	for _, r := range c.starts {
		clear(key)
		for k, i := range sets {
			if i.MatchRune(r) {
				key[k/8] |= 1 << (k % 8)
			}
		}
		if words && syntax.IsWordChar(r) {
			key[len(sets)/8] |= 1 << (len(sets) % 8)
		}
		id, ok := ids[string(key)]
		if !ok {
			id = uint32(runeClass + len(c.sample))
			ids[string(key)] = id
			c.sample = append(c.sample, r)
		}
		c.of = append(c.of, id)
	}
	for b := range c.bytes {
		switch {
		case b == '\n':
			c.bytes[b] = endClass
		case b == '\r':
			c.bytes[b] = backClass
		case b >= utf8.RuneSelf:
			c.bytes[b] = wideClass
		default:
			c.bytes[b] = c.class(rune(b))
		}
	}
}

// count is the number of all classes.
func (c *classes) count() int { return runeClass + len(c.sample) }

// class is the class of a character.
func (c *classes) class(r rune) uint32 {
	i, found := slices.BinarySearch(c.starts, r)
	if !found {
		i--
	}
	return c.of[i]
}
