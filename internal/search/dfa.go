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
// read, and is kept in a table, so that each is worked out once. The table is
// thrown away when it grows too large.
type dfa struct {
	*program
	ctx    context.Context
	stride uint32
	table  []uint32 // by state + class: the next state, or one of the three below
	states []state  // by state / stride
	ids    map[string]uint32
	start  uint32 // the state at the start of a line
	before *threads
	after  *threads
	key    []byte
	runes  [256]struct { // the classes of characters met, by their low bits
		r     rune
		class uint32
	}
	worked uint // transitions worked out
}

type state struct {
	threads []uint32
	line    bool // nothing of the line is read
	word    bool // the last character belongs to a word
}

// What a transition can be besides a state.
const (
	open    = 0 // not worked out; or the byte alone does not tell
	matched = 1 // the line matches
	dead    = 2 // the line cannot match any more
)

// maxTable is how many transitions are kept.
const maxTable = 1 << 19

func newDFA(ctx context.Context, p *program) *dfa {
	d := &dfa{
		program: p, ctx: ctx, stride: uint32(p.classes.count()), ids: map[string]uint32{},
		before: newThreads(len(p.inst)), after: newThreads(len(p.inst)),
	}
	d.flush()
	return d
}

// flush forgets all states but the first.
func (d *dfa) flush() {
	clear(d.ids)
	d.states = append(d.states[:0], state{}, state{}, state{}) // the numbers up to dead are no states
	d.table = append(d.table[:0], make([]uint32, 3*d.stride)...)
	d.start = d.intern(nil, true, false)
}

// intern is the number of a state, times stride.
func (d *dfa) intern(pcs []uint32, line, word bool) uint32 {
	slices.Sort(pcs)
	d.key = append(d.key[:0], 0)
	if line {
		d.key[0] |= 1
	}
	if word {
		d.key[0] |= 2
	}
	for _, pc := range pcs {
		d.key = binary.LittleEndian.AppendUint32(d.key, pc)
	}
	if id, ok := d.ids[string(d.key)]; ok {
		return id
	}
	id := uint32(len(d.states)) * d.stride
	d.ids[string(d.key)] = id
	d.states = append(d.states, state{slices.Clone(pcs), line, word})
	d.table = append(d.table, make([]uint32, d.stride)...)
	return id
}

// find is an offset in the first line at or behind from, the start of a line,
// that matches; or of its end. It is never if none does, or if the context
// ends.
func (d *dfa) find(data []byte, from int) int {
	i, s, classes := from, d.start, &d.classes.bytes
	for {
		table := d.table
		for i < len(data) {
			next := table[s+classes[data[i]]]
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
		if i > 0 && data[i-1] != '\n' && d.next(s, endClass, 0) == matched {
			return i, s, true
		}
		return never, s, true
	}
	class, r, width := d.read(data, i)
	next = d.next(s, class, r)
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

// read is the character at i. The end of a line is one character, however it is
// written.
func (d *dfa) read(data []byte, i int) (class uint32, r rune, width int) {
	c := data[i]
	switch {
	case c == '\n':
		return endClass, 0, 1
	case c == '\r':
		if i+1 < len(data) && data[i+1] == '\n' {
			return endClass, 0, 2
		}
		return d.classes.class('\r'), '\r', 1
	case c < utf8.RuneSelf:
		return d.classes.bytes[c], rune(c), 1
	}
	r, width = utf8.DecodeRune(data[i:])
	known := &d.runes[r%256]
	if known.r != r {
		known.r, known.class = r, d.classes.class(r)
	}
	return known.class, r, width
}

// next is the transition from s over a character of the class.
func (d *dfa) next(s, class uint32, r rune) uint32 {
	if next := d.table[s+class]; next != open {
		return next
	}
	d.worked++
	if len(d.table) > maxTable {
		was := d.states[s/d.stride]
		d.flush()
		s = d.intern(was.threads, was.line, was.word)
	}
	next := d.work(d.states[s/d.stride], class, r)
	d.table[s+class] = next
	return next
}

// work lets the threads of a state read r.
func (d *dfa) work(s state, class uint32, r rune) uint32 {
	end := class == endClass
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
	return d.intern(d.after.list, false, d.words && syntax.IsWordChar(r))
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
