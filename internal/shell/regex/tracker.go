package regex

import (
	"bytes"
	"math/bits"
)

// tracker is the back-tracking matcher for what no automaton can do. It tries
// every way through the program, in order, and remembers from where it was in
// vain: what can follow depends only on the place, the position and the groups
// that are referred to.
type tracker struct {
	stack []step
	slots []int // now
	best  []int // of the match
	keep  int   // where \K put the start, or -1
	seen  map[uint64]struct{}
	steps int // left

	scope, scopes uint64 // which look-around this is, and how many there were
}

// stepsBase and stepsEach bound a search to some 50 ms, and more only for a text
// of megabytes.
const (
	stepsBase = 400_000
	stepsEach = 8 // for each byte of text
)

// track finds the first match that begins at from or later.
func (m *machine) track(b []byte, from int) (start, end int, ok bool) {
	p, t := m.r.program, &m.tracker
	t.steps = stepsBase + stepsEach*(len(b)-from)
	if len(b) > mostText {
		m.work = -1
		return 0, 0, false
	}
	if t.seen == nil {
		t.seen = map[uint64]struct{}{}
	}
	clear(t.seen)
	t.scope, t.scopes = 0, 0
	for {
		if from = p.candidate(b, from); from < 0 {
			return 0, 0, false
		}
		t.slots = t.slots[:0]
		for range p.slots {
			t.slots = append(t.slots, -1)
		}
		t.keep = -1
		end, ok = m.way(b, p.start, from, -1)
		if t.steps < 0 {
			m.work = -1
			return 0, 0, false
		}
		if ok {
			start = from
			if t.keep >= 0 {
				start = t.keep
			}
			return start, end, true
		}
		if from == len(b) {
			return 0, 0, false
		}
		_, w := symbolAt(b[from:])
		from += w
	}
}

// way goes through the program from pc. It returns the end of the longest match,
// or of the first if that is the rule, and if to is not negative of one that ends
// there. best then has the groups.
func (m *machine) way(b []byte, pc int32, from, to int) (end int, ok bool) {
	p, t := m.r.program, &m.tracker
	base := len(t.stack)
	defer func() { t.stack = t.stack[:base] }()
	t.stack = append(t.stack, step{pc, int32(from)})
	keep := -1
	for len(t.stack) > base {
		s := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		if s.pc < 0 {
			t.restore(^s.pc, int(s.at))
			continue
		}
		at, found := m.attempt(b, s.pc, int(s.at), to)
		if t.steps < 0 {
			return 0, false
		}
		if !found || ok && at <= end {
			continue
		}
		end, ok, keep = at, true, t.keep
		t.best = append(t.best[:0], t.slots...)
		if !p.longest || end == len(b) || to >= 0 {
			break
		}
	}
	t.keep = keep
	return end, ok
}

func (t *tracker) restore(slot int32, value int) {
	if int(slot) == len(t.slots) {
		t.keep = value
		return
	}
	t.slots[slot] = value
}

// attempt goes on from pc until it fails or matches.
func (m *machine) attempt(b []byte, pc int32, at, to int) (end int, ok bool) {
	p, t := m.r.program, &m.tracker
	for {
		if t.steps--; t.steps < 0 {
			return 0, false
		}
		i := &p.insts[pc]
		switch i.op {
		case opMatch:
			return at, to < 0 || at == to
		case opSet:
			if at == len(b) {
				return 0, false
			}
			letter, w := p.read(b[at:])
			if !p.has(i.arg, letter) {
				return 0, false
			}
			at += w
		case opSplit:
			if !m.fresh(pc, at, to) {
				return 0, false
			}
			t.stack = append(t.stack, step{i.other, int32(at)})
		case opSave:
			t.stack = append(t.stack, step{^i.arg, int32(t.slots[i.arg])})
			t.slots[i.arg] = at
		case opKeep:
			t.stack = append(t.stack, step{^int32(len(t.slots)), int32(t.keep)})
			t.keep = at
		case opAssert:
			if !condition(i.arg).holds(p.before(b, at), p.after(b, at)) {
				return 0, false
			}
		case opRef, opRefAny:
			w, same := t.refer(b, at, i)
			if !same {
				return 0, false
			}
			at += w
			t.steps -= w / 16
		case opLook:
			if !m.look(b, i, at) {
				return 0, false
			}
		}
		pc = i.next
	}
}

// fresh says whether a place was not yet tried at a position with the groups as
// they are, in this look-around if it is one.
func (m *machine) fresh(pc int32, at, to int) bool {
	t := &m.tracker
	h := mix(uint64(pc)<<32|uint64(at), uint64(to)^t.scope<<32)
	for _, g := range m.r.refs {
		h = mix(h^uint64(t.slots[2*g-2])<<32^uint64(t.slots[2*g-1]), uint64(g))
	}
	if _, ok := t.seen[h]; ok {
		return false
	}
	t.seen[h] = struct{}{}
	return true
}

func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xe7037ed1a0b428db)
	return hi ^ lo
}

// refer compares b at a position with what the group of i matched.
func (t *tracker) refer(b []byte, at int, i *inst) (width int, ok bool) {
	from, to := t.slots[2*i.arg-2], t.slots[2*i.arg-1]
	if from < 0 || to < from {
		return 0, false
	}
	want, have := b[from:to], b[at:]
	if i.op == opRef {
		return len(want), bytes.HasPrefix(have, want)
	}
	for len(want) > 0 {
		if len(have) == 0 {
			return 0, false
		}
		x, xw := symbolAt(want)
		y, yw := symbolAt(have)
		if upper(x) != upper(y) {
			return 0, false
		}
		want, have = want[xw:], have[yw:]
	}
	return len(b) - at - len(have), true
}

// look says whether a look-around is satisfied at a position.
func (m *machine) look(b []byte, i *inst, at int) bool {
	t, l := &m.tracker, m.r.looks[i.arg]
	keep := t.keep
	found := false
	if !l.behind {
		_, found = m.aside(b, i.other, at, -1)
	}
	for from := at - l.low; l.behind && !found && from >= max(0, at-l.high); from-- {
		_, found = m.aside(b, i.other, from, at)
	}
	t.keep = keep
	return found != l.not
}

// aside is way with a memory of its own, since what fails in the part of a
// look-around may succeed elsewhere, and without effect on the groups.
func (m *machine) aside(b []byte, pc int32, from, to int) (int, bool) {
	t := &m.tracker
	scope, slots := t.scope, t.slots
	t.scopes++
	t.scope = t.scopes
	t.slots = append([]int(nil), slots...)
	end, ok := m.way(b, pc, from, to)
	t.scope, t.slots = scope, slots
	return end, ok
}
