package diff

import (
	"sort"

	znkr "znkr.io/diff"

	"redline/internal/text"
)

const (
	// searchMost is the longest pair, in elements of both sides, that is searched
	// for a shortest edit script at once: the whole, or a gap between anchors.
	searchMost = 1 << 13
	// In a longer gap, a window of so many elements of each side is searched at
	// a time. The work is the length of the gap times the window, and limited to
	// windowWork as far as the smallest window allows.
	windowMin, windowMax = 1 << 8, 1 << 11
	windowWork           = 1 << 27
)

// align compares two sequences of interned ids below n and returns the changes
// in positions of x and y, sorted and separated by at least one equal element.
func align(x, y []int32, n int) []Change {
	head, tail := trim(x, y)
	p := newProblem(x[head:len(x)-tail], y[head:len(y)-tail], n)
	p.solve()
	return p.changes(head, head)
}

// trim counts the equal elements at both ends.
func trim(x, y []int32) (head, tail int) {
	most := min(len(x), len(y))
	for head < most && x[head] == y[head] {
		head++
	}
	most -= head
	for tail < most && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	return head, tail
}

// problem is one comparison.
type problem struct {
	marks

	// What is left of x and y when the elements that only one side has are
	// dropped, and where they were.
	x, y     []int32
	xat, yat []int32
	inX, inY []uint8 // occurrences in x and y
}

func newProblem(x, y []int32, n int) *problem {
	p := &problem{marks: marks{make([]bool, len(x)), make([]bool, len(y))}, inX: occurrences(x, n), inY: occurrences(y, n)}
	p.x, p.xat = common(x, p.inY, p.gone)
	p.y, p.yat = common(y, p.inX, p.came)
	return p
}

// occurrences counts how often each id occurs in seq: 0, 1, or 2 for many.
func occurrences(seq []int32, n int) []uint8 {
	in := make([]uint8, n)
	for _, id := range seq {
		if in[id] < 2 {
			in[id]++
		}
	}
	return in
}

// common keeps the elements that the other side has and marks the rest.
func common(seq []int32, other []uint8, lonely []bool) (kept, at []int32) {
	kept, at = make([]int32, 0, len(seq)), make([]int32, 0, len(seq))
	for i, id := range seq {
		if other[id] == 0 {
			lonely[i] = true
			continue
		}
		kept = append(kept, id)
		at = append(at, int32(i))
	}
	return kept, at
}

func (p *problem) solve() {
	all := Change{text.Range{End: len(p.x)}, text.Range{End: len(p.y)}}
	if len(p.x)+len(p.y) <= searchMost {
		p.gap(all)
		return
	}
	where := positions(p.y, len(p.inY))
	at := anchor{} // everything before is solved
	for _, next := range p.anchors(where) {
		x, y := int(next), int(where[p.x[next]])
		if x < at.x {
			continue // inside an equal run that an earlier anchor began
		}
		p.gap(Change{text.Range{Start: at.x, End: x}, text.Range{Start: at.y, End: y}})
		for x < len(p.x) && y < len(p.y) && p.x[x] == p.y[y] {
			x, y = x+1, y+1
		}
		at = anchor{x, y}
	}
	p.gap(Change{text.Range{Start: at.x, End: all.A.End}, text.Range{Start: at.y, End: all.B.End}})
}

// anchor is an element of x and one of y that belong together.
type anchor struct{ x, y int }

// positions tells where each id occurs last.
func positions(seq []int32, n int) []int32 {
	where := make([]int32, n)
	for i, id := range seq {
		where[id] = int32(i)
	}
	return where
}

// anchors returns elements of x that occur exactly once on both sides: of
// these, the longest run that is in the same order in y, which is at where.
func (p *problem) anchors(where []int32) []int32 {
	// Patience sorting: tops[k] is the element with the smallest place in y that
	// ends an increasing run of k+1, and prev leads back along that run.
	var tops []int32
	prev := make([]int32, len(p.x))
	for i, id := range p.x {
		if p.inX[id] != 1 || p.inY[id] != 1 {
			continue
		}
		k := len(tops)
		if k > 0 && where[p.x[tops[k-1]]] > where[id] {
			k = sort.Search(k, func(k int) bool { return where[p.x[tops[k]]] > where[id] })
		}
		if k > 0 {
			prev[i] = tops[k-1]
		}
		if k == len(tops) {
			tops = append(tops, 0)
		}
		tops[k] = int32(i)
	}
	for k := len(tops) - 1; k > 0; k-- {
		tops[k-1] = prev[tops[k]]
	}
	return tops
}

// gap solves a part in which nothing is known yet.
func (p *problem) gap(g Change) {
	x, y := p.x[g.A.Start:g.A.End], p.y[g.B.Start:g.B.End]
	head, tail := trim(x, y)
	g.A.Start, g.B.Start = g.A.Start+head, g.B.Start+head
	g.A.End, g.B.End = g.A.End-tail, g.B.End-tail
	window := min(max(windowMin, windowWork/max(1, g.A.Len()+g.B.Len())), windowMax)
	for g.A.Len() > 0 && g.B.Len() > 0 {
		part := g
		if g.A.Len()+g.B.Len() > searchMost {
			part.A.End = min(g.A.End, g.A.Start+window)
			part.B.End = min(g.B.End, g.B.Start+window)
		}
		g.A.Start, g.B.Start = p.search(part, part.A.End < g.A.End || part.B.End < g.B.End)
	}
	p.markKept(g)
}

// search marks a shortest edit script for g and returns how far it got. If
// more follows behind g then the end of the script is only a guess, and it
// stops behind the longest equal run in the second half instead.
func (p *problem) search(g Change, more bool) (x, y int) {
	hunks := znkr.Hunks(p.x[g.A.Start:g.A.End], p.y[g.B.Start:g.B.End], znkr.Context(0))
	stop := len(hunks)
	x, y = g.A.End, g.B.End
	if more && stop > 0 {
		longest := g.A.Len() - hunks[stop-1].EndX
		for i := range hunks {
			h := &hunks[i]
			if h.PosX+h.PosY < (g.A.Len()+g.B.Len())/2 {
				continue
			}
			run := h.PosX
			if i > 0 {
				run -= hunks[i-1].EndX
			}
			if run > longest {
				longest, stop = run, i
				x, y = g.A.Start+h.PosX, g.B.Start+h.PosY
			}
		}
	}
	for i := range hunks[:stop] {
		h := &hunks[i]
		p.markKept(Change{
			text.Range{Start: g.A.Start + h.PosX, End: g.A.Start + h.EndX},
			text.Range{Start: g.B.Start + h.PosY, End: g.B.Start + h.EndY},
		})
	}
	return x, y
}

// markKept marks what c says about the elements that were kept.
func (p *problem) markKept(c Change) {
	for _, i := range p.xat[c.A.Start:c.A.End] {
		p.gone[i] = true
	}
	for _, i := range p.yat[c.B.Start:c.B.End] {
		p.came[i] = true
	}
}

// marks says which elements of two sequences have no partner in the other.
// Those that have one are paired in order.
type marks struct{ gone, came []bool }

func (m marks) mark(x0, x1, y0, y1 int) {
	for i := x0; i < x1; i++ {
		m.gone[i] = true
	}
	for j := y0; j < y1; j++ {
		m.came[j] = true
	}
}

// changes collects the marks. The sequences start at x and y.
func (m marks) changes(x, y int) []Change {
	var out []Change
	for i, j := 0, 0; i < len(m.gone) || j < len(m.came); {
		i0, j0 := i, j
		for i < len(m.gone) && m.gone[i] {
			i++
		}
		for j < len(m.came) && m.came[j] {
			j++
		}
		if i > i0 || j > j0 {
			out = append(out, Change{text.Range{Start: x + i0, End: x + i}, text.Range{Start: y + j0, End: y + j}})
		}
		for i < len(m.gone) && j < len(m.came) && !m.gone[i] && !m.came[j] {
			i, j = i+1, j+1
		}
	}
	return out
}
