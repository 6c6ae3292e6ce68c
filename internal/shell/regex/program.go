package regex

import "slices"

type opcode uint8

const (
	opMatch  opcode = iota
	opSet           // consume a symbol of sets[arg]
	opSplit         // go on at next, and if that fails at other
	opSave          // the position is that of slot arg
	opAssert        // the condition arg holds
	opRef           // consume what group arg matched
	opRefAny        // the same in any case
	opLook          // look[arg]: the part at other matches here, or does not
	opKeep          // the match begins here
)

type inst struct {
	op          opcode
	arg         int32
	next, other int32
}

// look is a look-around. One that looks behind goes back by so many bytes.
type look struct {
	behind, not bool
	low, high   int
}

// program is a pattern as instructions.
type program struct {
	insts []inst
	start int32
	sets  []set
	looks []look
	alphabet

	// deep: it has instructions that only the back-tracking matcher can do.
	deep bool
	// longest: of the matches with the same start the longest is it (POSIX);
	// else the one that is found by trying alternatives in order (Perl).
	longest bool
	// anchored: a match begins where the text begins.
	anchored bool
	// refs are the groups that are referred to.
	refs []int32
	// slots is twice the number of groups.
	slots int

	// first says by which bytes a match can begin; nil: a match may be empty.
	first *[256]bool
	// prefix begins every match. It is set only where that is all of first.
	prefix []byte
}

// mostInsts bounds the memory of a program to some 10 MB.
const mostInsts = 1 << 19

func newProgram(n *node, syntax Syntax, groups int) (*program, error) {
	if size(n) > mostInsts {
		return nil, errTooBig
	}
	a := assembler{program: &program{longest: syntax != Perl, slots: 2 * groups}, known: map[string]int32{}}
	a.start = a.build(n, a.emit(inst{op: opMatch}))
	p := a.program
	wordSet := perlWords
	if syntax != Perl && p.uses&sawWord != 0 {
		wordSet = words()
	}
	p.alphabet.divide(p.sets, wordSet)
	p.anchored = n.anchored()
	p.findFirst()
	if !p.deep {
		p.prefix = prefix(n)
	}
	return p, nil
}

// size is the number of instructions of n, or a number over the limit.
func size(n *node) int {
	sum := 0
	for _, s := range n.subs {
		sum = min(sum+size(s), mostInsts+1)
	}
	switch n.kind {
	case nodeSet, nodeAssert:
		return 1
	case nodeConcat:
		return sum
	case nodeRepeat:
		return min((sum+1)*max(n.min, n.max, 1)+1, mostInsts+1)
	case nodeAlternate:
		return sum + len(n.subs)
	}
	return sum + 2
}

// mostBehind is how many bytes a look-behind goes back at most.
const mostBehind = 1024

// width is the number of bytes of the shortest and of the longest match of n; one
// over the limit stands for all that are.
func width(n *node) (low, high int) {
	switch n.kind {
	case nodeSet:
		if len(n.set) == 0 {
			return 0, 0
		}
		first, last := appendSymbol(nil, n.set[0].lo), appendSymbol(nil, n.set[len(n.set)-1].hi)
		return len(first), max(len(first), len(last))
	case nodeRef:
		return 0, mostBehind + 1
	case nodeLook:
		return 0, 0
	case nodeAlternate:
		low = mostBehind + 1
		for _, s := range n.subs {
			l, h := width(s)
			low, high = min(low, l), max(high, h)
		}
		return low, high
	}
	for _, s := range n.subs {
		l, h := width(s)
		low, high = low+l, high+h
	}
	if n.kind == nodeRepeat {
		low *= n.min
		if high > 0 && n.max < 0 {
			high = mostBehind + 1
		}
		high *= max(n.max, 1)
	}
	return min(low, mostBehind+1), min(high, mostBehind+1)
}

// anchored says whether n begins with the start of the text.
func (n *node) anchored() bool {
	switch n.kind {
	case nodeAssert:
		return n.assert == textStart
	case nodeGroup:
		return n.subs[0].anchored()
	case nodeRepeat:
		return n.min > 0 && n.subs[0].anchored()
	case nodeConcat:
		return n.subs[0].anchored()
	case nodeAlternate:
		for _, s := range n.subs {
			if !s.anchored() {
				return false
			}
		}
		return true
	}
	return false
}

// assembler builds a program from its end: each part is given where to go on.
type assembler struct {
	*program
	known map[string]int32 // sets by their content
	key   []byte
}

func (a *assembler) emit(i inst) int32 {
	a.insts = append(a.insts, i)
	return int32(len(a.insts) - 1)
}

// build emits n, which goes on at next, and returns where it begins.
func (a *assembler) build(n *node, next int32) int32 {
	switch n.kind {
	case nodeSet:
		return a.emit(inst{op: opSet, arg: a.intern(n.set), next: next})
	case nodeConcat:
		for i := len(n.subs) - 1; i >= 0; i-- {
			next = a.build(n.subs[i], next)
		}
	case nodeAlternate:
		last := len(n.subs) - 1
		other := a.build(n.subs[last], next)
		for i := last - 1; i >= 0; i-- {
			other = a.emit(inst{op: opSplit, next: a.build(n.subs[i], next), other: other})
		}
		return other
	case nodeRepeat:
		return a.repeat(n, next)
	case nodeGroup:
		slot := int32(2 * (n.index - 1))
		next = a.emit(inst{op: opSave, arg: slot + 1, next: next})
		next = a.build(n.subs[0], next)
		return a.emit(inst{op: opSave, arg: slot, next: next})
	case nodeAssert:
		a.uses |= n.assert.sees()
		return a.emit(inst{op: opAssert, arg: int32(n.assert), next: next})
	case nodeRef, nodeLook, nodeKeep:
		return a.special(n, next)
	}
	return next
}

// special emits what makes a program deep.
func (a *assembler) special(n *node, next int32) int32 {
	a.deep = true
	switch n.kind {
	case nodeRef:
		a.refs = append(a.refs, int32(n.index))
		if n.ci {
			return a.emit(inst{op: opRefAny, arg: int32(n.index), next: next})
		}
		return a.emit(inst{op: opRef, arg: int32(n.index), next: next})
	case nodeLook:
		low, high := width(n.subs[0])
		a.looks = append(a.looks, look{n.behind, n.not, low, min(high, mostBehind)})
		at := int32(len(a.looks) - 1)
		part := a.build(n.subs[0], a.emit(inst{op: opMatch}))
		return a.emit(inst{op: opLook, arg: at, next: next, other: part})
	}
	return a.emit(inst{op: opKeep, next: next})
}

// mostSkipped bounds the number of places at which a repetition may begin.
const mostSkipped = 64

// grouped says whether n has groups.
func (n *node) grouped() bool {
	return n.kind == nodeGroup || slices.ContainsFunc(n.subs, (*node).grouped)
}

func (a *assembler) repeat(n *node, next int32) int32 {
	body, low := n.subs[0], n.min
	split := func(in, out int32) inst {
		if n.lazy {
			return inst{op: opSplit, next: out, other: in}
		}
		return inst{op: opSplit, next: in, other: out}
	}
	end := next
	switch {
	case n.max < 0:
		loop := a.emit(inst{})
		in := a.build(body, loop)
		a.insts[loop] = split(in, end)
		next = loop
		switch {
		case low > 0:
			next = in
			low--
		case !a.longest:
			// That the first turn matched nothing must end the loop, not undo
			// the turn.
			next = a.emit(split(in, end))
		}
	case a.longest && n.max-low <= mostSkipped && body.grouped():
		// As glibc: the first ones are left out, not the last, which shows in
		// what the groups hold.
		entry := end
		for range n.max - low {
			next = a.build(body, next)
			entry = a.emit(split(next, entry))
		}
		next = entry
	default:
		// Each further one is reached only through the one before, so that few
		// are possible at a time.
		for range n.max - low {
			next = a.emit(split(a.build(body, next), end))
		}
	}
	for range low {
		next = a.build(body, next)
	}
	return next
}

func (a *assembler) intern(s set) int32 {
	a.key = a.key[:0]
	for _, sp := range s {
		for _, r := range [2]rune{sp.lo, sp.hi} {
			a.key = append(a.key, byte(r), byte(r>>8), byte(r>>16))
		}
	}
	if i, ok := a.known[string(a.key)]; ok {
		return i
	}
	i := int32(len(a.sets))
	a.sets = append(a.sets, s)
	a.known[string(a.key)] = i
	return i
}

// findFirst sets first from what can be reached without consuming anything.
func (p *program) findFirst() {
	var first [256]bool
	seen := make([]bool, len(p.insts))
	stack := []int32{p.start}
	for len(stack) > 0 {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch i := p.insts[pc]; i.op {
		case opMatch, opRef, opRefAny:
			return
		case opSplit:
			stack = append(stack, i.other, i.next)
		case opSet:
			p.sets[i.arg].leads(&first)
		default:
			stack = append(stack, i.next)
		}
	}
	p.first = &first
}
