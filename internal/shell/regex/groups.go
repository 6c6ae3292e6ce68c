package regex

// groupFinder finds what the groups of a match matched: of all the ways through
// the program that make the match, the first in the order of the alternatives.
type groupFinder struct {
	seen  []uint64 // places at positions that were tried
	stack []step
	slots []int
}

// step is something to try: to go on from a place, or if pc is negative to give
// the slot ^pc its earlier value.
type step struct{ pc, at int32 }

// mostSeen bounds the memory of the search for groups, in bits.
const mostSeen = 1 << 27

// group appends the groups of the match b[start:end] to dst.
func (m *machine) group(b []byte, start, end int, dst []int) []int {
	p, g := m.r.program, &m.groups
	g.slots = g.slots[:0]
	for range p.slots {
		g.slots = append(g.slots, -1)
	}
	width := end - start + 1
	if width > mostSeen/len(p.insts) {
		m.work = -1
		return append(dst, g.slots...)
	}
	words := (len(p.insts)*width + 63) / 64
	if cap(g.seen) < words {
		g.seen = make([]uint64, words)
	}
	g.seen = g.seen[:words]
	clear(g.seen)
	g.stack = append(g.stack[:0], step{p.start, int32(start)})
	for len(g.stack) > 0 {
		s := g.stack[len(g.stack)-1]
		g.stack = g.stack[:len(g.stack)-1]
		if s.pc < 0 {
			g.slots[^s.pc] = int(s.at)
			continue
		}
		if m.follow(b, int(s.at), start, end, s.pc) {
			break
		}
	}
	return append(dst, g.slots...)
}

// follow goes on from a place until that fails or is the match.
func (m *machine) follow(b []byte, at, start, end int, pc int32) bool {
	p, g := m.r.program, &m.groups
	width := end - start + 1
	for {
		i := &p.insts[pc]
		if i.op == opSplit {
			bit := int(pc)*width + at - start
			if g.seen[bit/64]&(1<<(bit%64)) != 0 {
				return false
			}
			g.seen[bit/64] |= 1 << (bit % 64)
		}
		switch i.op {
		case opMatch:
			return at == end
		case opSet:
			if at == end {
				return false
			}
			letter, w := p.read(b[at:])
			if !p.has(i.arg, letter) {
				return false
			}
			at += w
		case opSplit:
			g.stack = append(g.stack, step{i.other, int32(at)})
		case opSave:
			g.stack = append(g.stack, step{^i.arg, int32(g.slots[i.arg])})
			g.slots[i.arg] = at
		case opAssert:
			if !condition(i.arg).holds(p.before(b, at), p.after(b, at)) {
				return false
			}
		}
		pc = i.next
	}
}
