package regex

import "bytes"

// jumps finds the first of several texts by looking at pairs of bytes: where a
// pair is in none of their beginnings, no text begins before it (Wu and Manber).
type jumps struct {
	width int              // the length of the shortest text, the part looked at
	far   [pairs]uint8     // how far the pair is from the end of that part
	texts map[int][][]byte // those of which the part ends in the pair
}

const pairs = 1 << 12

func pair(a, b byte) int { return (int(a)<<5 ^ int(b)) & (pairs - 1) }

// newJumps takes texts of two bytes and more.
func newJumps(texts [][]byte) *jumps {
	j := &jumps{width: 255, texts: map[int][][]byte{}}
	for _, t := range texts {
		j.width = min(j.width, len(t))
	}
	for i := range j.far {
		j.far[i] = uint8(j.width - 1)
	}
	for _, t := range texts {
		for i := 1; i < j.width; i++ {
			p := pair(t[i-1], t[i])
			j.far[p] = min(j.far[p], uint8(j.width-1-i))
		}
		p := pair(t[j.width-2], t[j.width-1])
		j.texts[p] = append(j.texts[p], t)
	}
	return j
}

// index is the first position from which one of the texts is in b, or -1.
func (j *jumps) index(b []byte, from int, fold bool) int {
	equal, next := bytes.Equal, j.next
	if fold {
		equal, next = equalLower, j.nextFold
	}
	for at := next(b, from+j.width-1); at < len(b); at = next(b, at+1) {
		start := at - j.width + 1
		x, y := b[at-1], b[at]
		if fold {
			x, y = lower[x], lower[y]
		}
		for _, t := range j.texts[pair(x, y)] {
			if start+len(t) <= len(b) && equal(b[start:start+len(t)], t) {
				return start
			}
		}
	}
	return -1
}

// next is the first position from at on where a text may have its part end.
func (j *jumps) next(b []byte, at int) int {
	for at < len(b) {
		far := j.far[pair(b[at-1], b[at])]
		if far == 0 {
			break
		}
		at += int(far)
	}
	return at
}

// nextFold is next in any case.
func (j *jumps) nextFold(b []byte, at int) int {
	for at < len(b) {
		far := j.far[pair(lower[b[at-1]], lower[b[at]])]
		if far == 0 {
			break
		}
		at += int(far)
	}
	return at
}
