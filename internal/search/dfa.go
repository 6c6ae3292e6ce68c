package search

import (
	"bytes"
	"context"
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// dfa tells which lines of a text match a program. It is the automaton of the
// program's sets of threads, built as far as the texts make it necessary. It is
// for one goroutine.
//
// A state is the threads that are alive between two characters of a line and
// have not yet asked what is around them there; threads that begin there are
// understood. The transition over a character answers what they ask, lets them
// read, and is kept in a table, so that each is worked out once. Characters of
// several bytes have states on the way, one for each partial that matters. The
// table is thrown away when it grows too large.
type dfa struct {
	*program
	ctx    context.Context
	stride uint32
	table  []uint32 // by state + column: the next state, or one of the three below
	states []state  // by state / stride
	kept   int      // threads in states
	ids    map[string]uint32
	start  uint32 // the state at the start of a line
	before *threads
	after  *threads
	key    []byte
	worked uint // transitions worked out
}

type state struct {
	threads []uint32
	line    bool // nothing of the line is read
	word    bool // the last character belongs to a word

	base uint32 // with partial: the state before the character
	partial
}

// What a transition can be besides a state.
const (
	open    = 0 // not worked out; or the byte alone does not tell
	matched = 1 // the line matches
	dead    = 2 // the line cannot match any more
)

// maxKept is how many transitions and threads are kept, of four bytes each.
const maxKept = 1 << 20

func newDFA(ctx context.Context, p *program) *dfa {
	d := &dfa{
		program: p, ctx: ctx, stride: uint32(p.classes.columns()), ids: map[string]uint32{},
		before: newThreads(len(p.inst)), after: newThreads(len(p.inst)),
	}
	d.flush()
	return d
}

// flush forgets all states but the first.
func (d *dfa) flush() {
	clear(d.ids)
	d.kept = 0
	d.states = append(d.states[:0], state{}, state{}, state{}) // the numbers up to dead are no states
	d.table = append(d.table[:0], make([]uint32, 3*d.stride)...)
	d.start = d.intern(state{line: true})
}

// intern is the number of a state, times stride.
func (d *dfa) intern(s state) uint32 {
	slices.Sort(s.threads)
	flags := byte(0)
	if s.line {
		flags |= 1
	}
	if s.word {
		flags |= 2
	}
	d.key = append(d.key[:0], flags, s.read, s.missing)
	for _, n := range []uint32{uint32(s.low), s.class, s.base} {
		d.key = binary.LittleEndian.AppendUint32(d.key, n)
	}
	for _, pc := range s.threads {
		d.key = binary.LittleEndian.AppendUint32(d.key, pc)
	}
	if id, ok := d.ids[string(d.key)]; ok {
		return id
	}
	id := uint32(len(d.states)) * d.stride
	d.ids[string(d.key)] = id
	s.threads = slices.Clone(s.threads)
	d.states = append(d.states, s)
	d.kept += 2 * len(s.threads) // they are in the key as well
	d.table = append(d.table, make([]uint32, d.stride)...)
	return id
}

// find is an offset in the first line at or behind from, the start of a line,
// that matches; or of its end. It is never if none does, or if the context
// ends.
func (d *dfa) find(data []byte, from int) int {
	if from == len(data) {
		return never
	}
	i, s, columns := from, d.start, &d.classes.bytes
	for {
		table := d.table
		for i < len(data) {
			next := table[s+columns[data[i]]]
			if next <= dead {
				break
			}
			s = next
			i++
		}
		var found bool
		if i, s, found = d.step(data, i, s); found {
			return i
		}
	}
}

// step goes on where the table alone does not tell. found tells that the search
// is over.
func (d *dfa) step(data []byte, i int, s uint32) (at int, next uint32, found bool) {
	if i == len(data) {
		if data[i-1] != '\n' && d.next(s, endColumn) == matched {
			return i, s, true
		}
		return never, s, true
	}
	column, width := d.classes.bytes[data[i]], 1
	if column == backColumn { // data, or part of the end of the line
		if i+1 < len(data) && data[i+1] == '\n' {
			column, width = endColumn, 2
		} else {
			column = d.classes.class('\r')
		}
	}
	if len(d.table)+d.kept > maxKept {
		s = d.keep(s)
	}
	next = d.next(s, column)
	switch {
	case next == matched:
		return i, s, true
	case next == dead:
		end := bytes.IndexByte(data[i:], '\n')
		if end < 0 {
			return never, s, true
		}
		return i + end + 1, d.start, false
	case d.worked%256 == 0 && d.ctx.Err() != nil:
		return never, s, true
	}
	return i + width, next, false
}

// keep forgets all states but s.
func (d *dfa) keep(s uint32) uint32 {
	was := d.states[s/d.stride]
	base := d.states[was.base/d.stride]
	d.flush()
	if was.read > 0 {
		was.base = d.intern(base)
	}
	return d.intern(was)
}

// next is the transition from s over a column.
func (d *dfa) next(s, column uint32) uint32 {
	next := d.table[s+column]
	if next == open {
		d.worked++
		next = d.work(d.states[s/d.stride], s, column)
		d.table[s+column] = next
	}
	return next
}

// work is the transition from s over a column.
func (d *dfa) work(s state, id, column uint32) uint32 {
	b, isWide := d.classes.wideByte(column)
	switch {
	case s.read == 0 && !isWide:
		return d.over(s, column)
	case s.read == 0:
		if p, ok := startPartial(b, d.classes); ok {
			return d.intern(state{base: id, partial: p})
		}
		return d.next(id, d.classes.class(utf8.RuneError))
	case isWide:
		if p, ok := s.extend(b, d.classes); ok && p.missing == 0 {
			return d.next(s.base, p.class)
		} else if ok {
			return d.intern(state{base: s.base, partial: p})
		}
	}
	// It was no character after all: each of its bytes counts for itself.
	next := s.base
	for range s.read {
		if next = d.next(next, d.classes.class(utf8.RuneError)); next <= dead {
			return next
		}
	}
	return d.next(next, column)
}

// over lets the threads of a state read a character of a class.
func (d *dfa) over(s state, class uint32) uint32 {
	end, r := class == endColumn, rune(0)
	if !end {
		r = d.classes.sample[class-firstClass]
	}
	if d.answer(s, end, r) {
		return matched
	}
	if end {
		return d.start
	}
	d.after.clear()
	for _, pc := range d.before.list {
		i := &d.inst[pc]
		if i.Op == syntax.InstEmptyWidth || !reads(i, r) {
			continue
		}
		if d.closure(d.after, i.Out) {
			return matched
		}
	}
	if d.anchored && len(d.after.list) == 0 {
		return dead
	}
	return d.intern(state{threads: d.after.list, word: d.words && syntax.IsWordChar(r)})
}

// reads tells whether an instruction takes r, which is no line break.
func reads(i *syntax.Inst, r rune) bool {
	return i.Op == syntax.InstRuneAny || i.Op == syntax.InstRuneAnyNotNL || i.MatchRune(r)
}

// answer fills before with the threads of s, and those that begin there, that
// get past what they ask about the place between the character before it and
// r. It tells whether one of them matches there.
func (d *dfa) answer(s state, end bool, r rune) bool {
	is := syntax.EmptyNoWordBoundary
	if s.word != (!end && syntax.IsWordChar(r)) {
		is = syntax.EmptyWordBoundary
	}
	if s.line {
		is |= syntax.EmptyBeginLine | syntax.EmptyBeginText
	}
	if end {
		is |= syntax.EmptyEndLine | syntax.EmptyEndText
	}
	d.before.clear()
	for _, pc := range s.threads {
		d.before.add(pc)
	}
	if s.line || !d.anchored {
		for _, pc := range d.first {
			d.before.add(pc)
		}
	}
	for k := 0; k < len(d.before.list); k++ { // it grows meanwhile
		i := &d.inst[d.before.list[k]]
		if i.Op == syntax.InstEmptyWidth && syntax.EmptyOp(i.Arg)&^is == 0 && d.closure(d.before, i.Out) {
			return true
		}
	}
	return false
}
