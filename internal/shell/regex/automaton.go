package regex

import (
	"encoding/binary"
	"math"
	"slices"
)

// search is what an automaton looks for.
type search uint8

const (
	anywhere search = iota // whether there is a match, wherever it begins
	here                   // the end of the match that begins where it starts
)

// automaton is a deterministic automaton whose states are made when they are
// first reached. A state is a set of places in the program, and what is seen
// looking back. Whether an assertion holds, and so whether there is a match, is
// known only with the next symbol: that a transition leaves a match behind is
// therefore a mark on the transition.
type automaton struct {
	*program
	search search
	places places
	next   places

	// moves has a row for each state, with a column for each letter and one for
	// the end of the text. The value is where the row of the next state begins,
	// complemented if there was a match before the letter, or unknown.
	moves  []int32
	stride int
	states []state
	index  map[string]int32
	starts [8]int32 // by what is seen looking back; 0: not made
	calm   [2]int32 // those without and behind a word character
	memory int      // bytes in use
	age    int      // how often the states were forgotten
	key    []byte
	work   *int // steps left
}

type state struct {
	at      []int32
	before  sight
	asserts bool // some place is an assertion
}

const (
	unknown = math.MinInt32
	dead    = 0 // the row of the state without places
	// mostMemory is when an automaton forgets its states and begins anew.
	mostMemory = 8 << 20
)

func newAutomaton(p *program, s search, work *int) *automaton {
	a := &automaton{program: p, search: s, stride: p.letters + 1, work: work}
	a.places.init(len(p.insts))
	a.next.init(len(p.insts))
	a.forget()
	return a
}

func (a *automaton) forget() {
	a.moves, a.states, a.memory = a.moves[:0], a.states[:0], 0
	a.index = map[string]int32{}
	a.starts, a.calm = [8]int32{}, [2]int32{-1, -1}
	a.age++
	a.states = append(a.states, state{})
	for range a.stride {
		a.moves = append(a.moves, dead)
	}
}

// begin is the row of the state at a position of b.
func (a *automaton) begin(b []byte, at int) int32 { return a.open(a.before(b, at)) }

// open is the row of the state in which nothing was read but what is seen.
func (a *automaton) open(before sight) int32 {
	if row := a.starts[before]; row != 0 {
		return row
	}
	a.next.clear()
	a.follow(&a.next, a.start)
	row := a.intern(before)
	a.starts[before] = row
	return row
}

// intern is the row of the state of the places in a.next.
func (a *automaton) intern(before sight) int32 {
	if len(a.next.list) == 0 {
		return dead
	}
	if a.longest || a.search == anywhere {
		slices.Sort(a.next.list)
	}
	a.key = append(a.key[:0], byte(before))
	for _, pc := range a.next.list {
		a.key = binary.AppendUvarint(a.key, uint64(pc))
	}
	if row, ok := a.index[string(a.key)]; ok {
		return row
	}
	if a.memory > mostMemory {
		a.forget()
	}
	s := state{at: slices.Clone(a.next.list), before: before}
	for _, pc := range s.at {
		s.asserts = s.asserts || a.insts[pc].op == opAssert
	}
	row := int32(len(a.moves))
	a.states = append(a.states, s)
	for range a.stride {
		a.moves = append(a.moves, unknown)
	}
	a.index[string(a.key)] = row
	a.memory += 4*len(s.at) + len(a.key) + 4*a.stride + 100
	return row
}

// move makes the transition from the state of row on a letter.
func (a *automaton) move(row int32, letter int) int32 {
	s := &a.states[int(row)/a.stride]
	from := s.at
	*a.work -= len(from) + 1
	if *a.work < 0 {
		return dead
	}
	after := a.sights[letter]
	if s.asserts {
		a.places.clear()
		for _, pc := range from {
			a.pass(&a.places, pc, s.before, after)
		}
		from = a.places.list
	}
	matched := false
	a.next.clear()
	for _, pc := range from {
		i := &a.insts[pc]
		if i.op == opMatch {
			matched = true
			if !a.longest {
				break // what comes later is worse
			}
		}
		if i.op == opSet && letter < a.letters && a.has(i.arg, letter) {
			a.follow(&a.next, i.next)
		}
	}
	if a.search == anywhere && !a.anchored {
		a.follow(&a.next, a.start)
	}
	if a.search == anywhere && matched {
		a.next.clear() // that is all there is to know
	}
	*a.work -= len(a.next.list)
	age := a.age
	to := a.intern(after)
	if matched {
		to = ^to
	}
	if age == a.age { // else row is forgotten
		a.moves[int(row)+letter] = to
	}
	return to
}

// follow adds the places that are reached from pc without consuming anything. An
// assertion is such a place.
func (p *program) follow(to *places, pc int32) { p.reach(to, pc, false, 0, 0) }

// pass is follow that goes through the assertions that hold, and leaves out the
// others.
func (p *program) pass(to *places, pc int32, before, after sight) {
	p.reach(to, pc, true, before, after)
}

func (p *program) reach(to *places, pc int32, decide bool, before, after sight) {
	to.stack = append(to.stack, pc)
	for len(to.stack) > 0 {
		pc = to.pop()
		for pc >= 0 && to.mark(pc) {
			i := &p.insts[pc]
			switch {
			case i.op == opSplit:
				to.stack = append(to.stack, i.other)
				pc = i.next
			case i.op == opSave:
				pc = i.next
			case i.op == opAssert && decide && condition(i.arg).holds(before, after):
				pc = i.next
			case i.op == opAssert && decide:
				pc = -1
			default:
				to.list = append(to.list, pc)
				pc = -1
			}
		}
	}
}

// places is an ordered set of places in a program.
type places struct {
	list  []int32
	seen  []uint32 // the round in which a place was added
	round uint32
	stack []int32
}

func (p *places) init(n int) { p.seen = make([]uint32, n); p.clear() }

func (p *places) clear() {
	p.list = p.list[:0]
	if p.round++; p.round == 0 {
		clear(p.seen)
		p.round = 1
	}
}

// mark says whether pc is new in this round.
func (p *places) mark(pc int32) bool {
	if p.seen[pc] == p.round {
		return false
	}
	p.seen[pc] = p.round
	return true
}

func (p *places) pop() int32 {
	n := len(p.stack) - 1
	pc := p.stack[n]
	p.stack = p.stack[:n]
	return pc
}
