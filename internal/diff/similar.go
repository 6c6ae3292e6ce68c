package diff

import "slices"

const (
	// pairCells is about how many pairs are compared in full: all of them in
	// small blocks, those near the diagonal in large ones.
	pairCells = 1 << 13
	// pairBand is how far from the diagonal pairs are at least looked for.
	pairBand = 8
	// pairWords is how many words of a text are looked at.
	pairWords = 256
	// alike is how much two texts must have in common to be a pair, in 1/1000.
	alike = 400
)

// profile is what a text is compared by: the words in it.
type profile struct {
	words  []int32 // sorted
	weight int     // bytes of all words
}

// profiles makes the profile of each piece. Words are numbered by t.
func profiles(p pieces, t *interner) []profile {
	out := make([]profile, p.len())
	for i := range out {
		s := p.at(i)
		for len(s) > 0 && len(out[i].words) < pairWords {
			n := wordLen(s)
			if isWord(s) {
				out[i].words = append(out[i].words, t.id(s[:n]))
				out[i].weight += n
			}
			s = s[n:]
		}
		slices.Sort(out[i].words)
	}
	return out
}

// likeness is how much of two texts is common to both, in 1/1000.
func likeness(a, b profile, t *interner) int {
	total := a.weight + b.weight
	if total == 0 || 2000*min(a.weight, b.weight)/total < alike {
		return 0
	}
	common := 0
	for i, j := 0, 0; i < len(a.words) && j < len(b.words); {
		switch {
		case a.words[i] < b.words[j]:
			i++
		case a.words[i] > b.words[j]:
			j++
		default:
			common += len(t.seen[a.words[i]])
			i, j = i+1, j+1
		}
	}
	return 2000 * common / total
}

// pairs finds which pieces of x became which pieces of y: pairs in order, each
// alike, that together have most in common. The time is linear in large
// blocks, because there only pairs at about the same relative place count.
func pairs(x, y pieces) []anchor {
	n, m := x.len(), y.len()
	if n == 0 || m == 0 {
		return nil
	}
	t := newInterner(64)
	px, py := profiles(x, t), profiles(y, t)
	half := max(pairBand, pairCells/n)
	band := func(i int) (lo, hi int) { // columns of row i, counted from 1
		mid := 1 + i*m/n
		return max(1, mid-half), min(m, mid+half)
	}
	const left, up, both = 0, 1, 2
	best := make([]int32, m+1) // of the row above, then of this row
	step := make([][]uint8, n)
	reached := 0 // columns behind it hold nothing yet
	for i := range n {
		lo, hi := band(i)
		for ; reached < hi; reached++ {
			best[reached+1] = best[reached]
		}
		step[i] = make([]uint8, hi-lo+1)
		diagonal := best[lo-1]
		for j := lo; j <= hi; j++ {
			here, s := best[j], uint8(up)
			if best[j-1] > here {
				here, s = best[j-1], left
			}
			if l := likeness(px[i], py[j-1], t); l >= alike && diagonal+int32(l) > here {
				here, s = diagonal+int32(l), both
			}
			diagonal = best[j]
			best[j], step[i][j-lo] = here, s
		}
	}
	var out []anchor
	for i, j := n-1, m; i >= 0 && j > 0; {
		lo, hi := band(i)
		switch {
		case j > hi:
			j = hi
		case j < lo:
			i--
		case step[i][j-lo] == both:
			out = append(out, anchor{i, j - 1})
			i, j = i-1, j-1
		case step[i][j-lo] == up:
			i--
		default:
			j--
		}
	}
	slices.Reverse(out)
	return out
}
