package diff

import (
	znkr "znkr.io/diff"

	"redline/internal/text"
)

// resyncMost is the longest passage, in lines of both documents, that is looked
// at again.
const resyncMost = 2000

// resync looks again at passages in which only blank lines are equal. Which
// blank line is paired with which is then arbitrary, and often wrong: an
// inserted paragraph seems to replace the next one, that one the one behind it,
// and so on.
//
//	apples are red  ──  apples are green       apples are red  ──  apples are green
//	(blank)         ══  (blank)                (blank)         ══  (blank)
//	pears are ripe  ──  entirely new                            +  entirely new
//	(blank)         ══  (blank)                                 +  (blank)
//	plums           ──  pears are soft         pears are ripe  ──  pears are soft
//	                 +  (blank)                (blank)         ══  (blank)
//	                 +  plums                  plums           ══  plums
//
// Where lines that are alike would be torn apart, resync pairs blank lines only
// between such lines, provided that no fewer lines are equal afterwards.
//
// x and y are the ids of the lines of a and b from line head on; changes are in
// positions of x and y.
func resync(a, b *text.Document, head int, x, y []int32, changes []Change) []Change {
	out := changes[:0:0]
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && blankLines(a, head+changes[n-1].A.End, head+changes[n].A.Start) {
			n++
		}
		out = append(out, resyncPassage(a, b, head, x, y, changes[:n])...)
		changes = changes[n:]
	}
	return out
}

func blankLines(d *text.Document, from, to int) bool {
	for i := from; i < to; i++ {
		if indent(d.LineText(i)) >= 0 {
			return false
		}
	}
	return true
}

// resyncPassage returns changes, or better ones in their place.
func resyncPassage(a, b *text.Document, head int, x, y []int32, changes []Change) []Change {
	all := join(changes[0], changes[len(changes)-1])
	if len(changes) == 1 || all.A.Len()+all.B.Len() > resyncMost {
		return changes
	}
	alike := pairs(linePieces(a, all.shift(head).A), linePieces(b, all.shift(head).B))
	if !torn(alike, all, changes) {
		return changes
	}
	x, y = x[all.A.Start:all.A.End], y[all.B.Start:all.B.End]
	m := marks{make([]bool, len(x)), make([]bool, len(y))}
	at := anchor{}
	for _, p := range append(alike, anchor{len(x), len(y)}) {
		for _, h := range znkr.Hunks(x[at.x:p.x], y[at.y:p.y], znkr.Context(0)) {
			m.mark(at.x+h.PosX, at.x+h.EndX, at.y+h.PosY, at.y+h.EndY)
		}
		if p.x < len(x) && p.y < len(y) && x[p.x] != y[p.y] {
			m.mark(p.x, p.x+1, p.y, p.y+1)
		}
		at = anchor{p.x + 1, p.y + 1}
	}
	better := m.changes(all.A.Start, all.B.Start)
	if removed(better) > removed(changes) {
		return changes
	}
	return better
}

// torn tells whether there are two lines, alike, in different changes.
func torn(alike []anchor, all Change, changes []Change) bool {
	k := 0
	for _, p := range alike {
		i, j := all.A.Start+p.x, all.B.Start+p.y
		for changes[k].A.End <= i {
			k++
		}
		if i >= changes[k].A.Start && (j < changes[k].B.Start || j >= changes[k].B.End) {
			return true
		}
	}
	return false
}

func removed(changes []Change) (lines int) {
	for _, c := range changes {
		lines += c.A.Len()
	}
	return lines
}
