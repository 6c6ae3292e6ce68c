package regex

import "bytes"

// settle prepares a search anywhere: where the state is calm, only a byte by
// which a match can begin changes it.
func (a *automaton) settle() {
	if a.first == nil || a.anchored {
		return
	}
	// The second may forget the first: then it is wrong only in that it is never
	// met.
	a.calm = [2]int32{a.open(0), a.open(sawWord & a.uses)}
	if a.starts[0] != a.calm[0] {
		a.calm[0] = -1
	}
}

// skip is the first position from at on by whose byte a match can begin.
func (a *automaton) skip(b []byte, at int) int {
	first := a.first
	for at < len(b) && !first[b[at]] {
		at++
	}
	return at
}

// exists says whether b has a match. The search is one of anywhere.
func (a *automaton) exists(b []byte) bool {
	a.settle()
	row := a.begin(b, 0)
	low, moves, calm := &a.low, a.moves, a.calm
	for i := 0; i < len(b); {
		letter, width := 0, 1
		if c := b[i]; c < 0x80 {
			letter = int(low[c])
		} else {
			letter, width = a.read(b[i:])
		}
		to := moves[int(row)+letter]
		if to == unknown {
			to = a.move(row, letter)
			moves, calm = a.moves, a.calm
		}
		if to <= 0 {
			return to < 0
		}
		i += width
		if to == row && (to == calm[0] || to == calm[1]) {
			i = a.skip(b, i)
			to = a.begin(b, i)
			moves, calm = a.moves, a.calm
		}
		row = to
	}
	return a.ends(row)
}

// ends says whether the state of row has a match where the text ends.
func (a *automaton) ends(row int32) bool {
	to := a.moves[int(row)+a.letters]
	if to == unknown {
		to = a.move(row, a.letters)
	}
	return to < 0
}

// line finds the first line of b with a match, which begins at from or later.
func (a *automaton) line(b []byte, from int) (start, end int, ok bool) {
	a.settle()
	for from < len(b) {
		row, i := a.open(sawEdge&a.uses), from
		if a.first != nil && !a.anchored {
			// Only where a line has such a byte it can match.
			i = a.skip(b, from)
			from += bytes.LastIndexByte(b[from:i], '\n') + 1
			if i > from {
				row = a.begin(b, i)
			}
		}
		end, ok = a.rest(b, row, i)
		if ok {
			return from, lineEnd(b, end), true
		}
		from = lineEnd(b, end) + 1
	}
	return 0, 0, false
}

// rest goes on from position i in a state to the end of the line, or to where it
// is known whether the line matches.
func (a *automaton) rest(b []byte, row int32, i int) (at int, ok bool) {
	low, moves, calm := &a.low, a.moves, a.calm
	for i < len(b) {
		letter, width := 0, 1
		if c := b[i]; c == '\n' {
			break
		} else if c < 0x80 {
			letter = int(low[c])
		} else {
			letter, width = a.read(b[i:])
		}
		to := moves[int(row)+letter]
		if to == unknown {
			to = a.move(row, letter)
			moves, calm = a.moves, a.calm
		}
		if to <= 0 {
			return i, to < 0
		}
		i += width
		if to == row && (to == calm[0] || to == calm[1]) {
			// The next such byte may be lines away: line knows.
			for i < len(b) && b[i] != '\n' && !a.first[b[i]] {
				i++
			}
			to = a.begin(b, i)
			moves, calm = a.moves, a.calm
		}
		row = to
	}
	return i, a.ends(row)
}

// longestAt returns the end of the match that begins at from, and how many bytes
// were read to find it. The search is one of here.
func (a *automaton) longestAt(b []byte, from int) (end, read int, ok bool) {
	row := a.begin(b, from)
	low, moves := &a.low, a.moves
	i := from
	for i < len(b) {
		letter, width := 0, 1
		if c := b[i]; c < 0x80 {
			letter = int(low[c])
		} else {
			letter, width = a.read(b[i:])
		}
		to := moves[int(row)+letter]
		if to < 0 {
			if to == unknown {
				to = a.move(row, letter)
				moves = a.moves
			}
			if to < 0 {
				end, ok = i, true
				to = ^to
			}
		}
		if to == dead {
			return end, i - from + 1, ok
		}
		row = to
		i += width
	}
	if a.ends(row) {
		end, ok = i, true
	}
	return end, i - from + 1, ok
}
