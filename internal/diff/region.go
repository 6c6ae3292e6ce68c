package diff

import "redline/internal/text"

// regions compares base and side, sequences of ids below n, for a merge. The
// regions are sorted, separated, and cover all that differs. They are wider
// than the changes of a diff where the diff had a choice: outside of them every
// shortest edit script pairs the same lines, so whatever the other side does
// there cannot collide with this side in anybody's reading.
//
//	  apple        apple
//	+ (blank)      (blank)
//	+ new        + new
//	  (blank)    + (blank)
//	  berry        berry
//
// The new paragraph can be read either way. What can slide is settled as git
// does it, at the lowest place, here on the right: the blank line is outside of
// the region. What cannot be settled widens the region.
func regions(base, side []int32, n int) []Change {
	changes := align(base, side, n)
	if len(changes) == 0 {
		return nil
	}
	sure := certain(base, side, n, changes)
	var out []Change
	mark := make([]int32, n)
	at := anchor{-1, -1} // the certain line before the next change
	for k := 0; k < len(changes); {
		c := changes[k]
		for len(sure) > 0 && sure[0].x < c.A.Start {
			at, sure = sure[0], sure[1:]
		}
		end := anchor{len(base), len(side)}
		if len(sure) > 0 {
			end = sure[0]
		}
		for k < len(changes) && changes[k].A.Start <= end.x {
			k++
		}
		zone := Change{text.Range{Start: at.x + 1, End: end.x}, text.Range{Start: at.y + 1, End: end.y}}
		out = append(out, narrow(base, side, zone, mark, int32(len(out)+1)))
	}
	return out
}

// certain returns the lines that every shortest edit script pairs: some of the
// lines that base and side have exactly once and that changes leaves equal.
//
// A script that does not pair them must gain elsewhere what it loses. From one
// such line that it pairs to the next, it passes by some number of others. At
// most it gains as many lines there as are unpaired in base and occur in side
// at all; and at most as many as the other way round. So a line is certain if
// no stretch around it can gain, by both counts, at least what it passes by.
func certain(base, side []int32, n int, changes []Change) []anchor {
	inBase, inSide := occurrences(base, n), occurrences(side, n)
	unique := make([]anchor, 0, len(base))
	gainBase, gainSide := make([]int32, 1, len(base)+1), make([]int32, 1, len(base)+1) // before each of unique, and at the end
	gain := func(x, y int) {
		gainBase[len(gainBase)-1] += int32(x)
		gainSide[len(gainSide)-1] += int32(y)
	}
	equal := func(i, j, length int, inner bool) {
		before := len(unique)
		for k := range length {
			if id := base[i+k]; inBase[id] == 1 && inSide[id] == 1 {
				unique = append(unique, anchor{i + k, j + k})
				gainBase, gainSide = append(gainBase, 0), append(gainSide, 0)
			}
		}
		// A script that for speed passes over frequent lines between changes, as
		// git's do, may not pair these, and then has them to gain.
		if inner && len(unique) == before {
			gain(length, length)
		}
	}
	at := Change{}
	for k, c := range changes {
		equal(at.A.End, at.B.End, c.A.Start-at.A.End, k > 0)
		gain(recurring(base[c.A.Start:c.A.End], inSide), recurring(side[c.B.Start:c.B.End], inBase))
		at = c
	}
	equal(at.A.End, at.B.End, len(base)-at.A.End, false)
	lostBase, lostSide := doubtful(gainBase), doubtful(gainSide)
	kept := unique[:0]
	for k, u := range unique {
		if !lostBase[k] || !lostSide[k] {
			kept = append(kept, u)
		}
	}
	return kept
}

// recurring counts the elements of seq that occur on the other side.
func recurring(seq []int32, other []uint8) int {
	n := 0
	for _, id := range seq {
		if other[id] > 0 {
			n++
		}
	}
	return n
}

// doubtful tells for each line u whether there are lines p < u < q, or the ends
// of the sequence, such that the gains behind p and up to q are at least as
// many as the q-p-1 lines between them. gains[k] is what can be gained between
// line k-1 and line k; it is used up.
func doubtful(gains []int32) []bool {
	// balance[k] is the gains up to and with k, minus k.
	balance, n := gains, len(gains)-1
	for k := 1; k <= n; k++ {
		balance[k] += balance[k-1] - 1
	}
	highest := make([]int32, n+1) // of balance[k:]
	highest[n] = balance[n]
	for k := n - 1; k >= 0; k-- {
		highest[k] = max(highest[k+1], balance[k])
	}
	out := make([]bool, n)
	lowest := int32(1) // of balance before u; the start counts as line -1
	for u := range n {
		out[u] = highest[u+1] >= lowest-1
		lowest = min(lowest, balance[u])
	}
	return out
}

// narrow cuts off the lines at both ends of a zone that are certain after all.
//
// Equal lines at the top are: a script that pairs the first of them with a
// later one can slide the change between them down, and scripts are slid down.
// Equal lines at the bottom are if none of their kind is in the rest, so that
// they can only be paired with each other.
//
// mark is scratch space in which no element is round yet.
func narrow(base, side []int32, zone Change, mark []int32, round int32) Change {
	x, y := base[zone.A.Start:zone.A.End], side[zone.B.Start:zone.B.End]
	head, tail := trim(x, y)
	for _, id := range x[head : len(x)-tail] {
		mark[id] = round
	}
	for _, id := range y[head : len(y)-tail] {
		mark[id] = round
	}
	bottom := x[len(x)-tail:]
	in := 0 // lines of bottom that belong to the rest
	for k, id := range bottom {
		if mark[id] != round {
			continue
		}
		for ; in <= k; in++ {
			mark[bottom[in]] = round
		}
	}
	tail -= in
	return Change{
		text.Range{Start: zone.A.Start + head, End: zone.A.End - tail},
		text.Range{Start: zone.B.Start + head, End: zone.B.End - tail},
	}
}
