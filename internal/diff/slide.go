package diff

// slideMost is how far a change may slide. It bounds the work, and a change
// that could go further sits among so many equal lines that no place in them
// is better than another.
const slideMost = 100

// slide moves insertions and deletions to where they read best. When a block is
// inserted whose last line equals the line before it, the same documents also
// result from inserting the block one line higher, and so on:
//
//	  one          one          one
//	+ (blank)      (blank)      (blank)
//	+ two        + two          two
//	  (blank)    + (blank)    + (blank)
//	  three        three      + three      ← not this one: three is unchanged
//
// Of all these places slide takes the one of least cost, and of equal ones the
// lowest. A change that can slide until it meets another becomes one with it.
//
// cost judges the place [start, end) of a block of y, if inserted, or else of x.
func slide(changes []Change, x, y []int32, cost func(inserted bool, start, end int) int) []Change {
	done := changes[:0]
	for i := 0; i < len(changes); i++ {
		c := changes[i]
		for {
			if c.A.Len() > 0 && c.B.Len() > 0 {
				break
			}
			floor, ceiling := -1, len(x)+1
			if len(done) > 0 {
				floor = done[len(done)-1].A.End
			}
			if i+1 < len(changes) {
				ceiling = changes[i+1].A.Start
			}
			up, down := room(c, x, y, floor, ceiling)
			if c.A.Start-up == floor {
				c = join(done[len(done)-1], c.shift(-up))
				done = done[:len(done)-1]
				continue
			}
			if c.A.End+down == ceiling {
				i++
				c = join(c.shift(down), changes[i])
				continue
			}
			c = c.shift(place(c, up, down, cost))
			break
		}
		done = append(done, c)
	}
	return done
}

// room counts how many lines the insertion or deletion c can slide either way
// without going beyond floor and ceiling, which are positions in x.
func room(c Change, x, y []int32, floor, ceiling int) (up, down int) {
	seq, r := x, c.A
	if c.A.Len() == 0 {
		seq, r = y, c.B
	}
	for up < slideMost && c.A.Start-up > max(floor, 0) && r.Start-up > 0 && seq[r.Start-up-1] == seq[r.End-up-1] {
		up++
	}
	for down < slideMost && c.A.End+down < min(ceiling, len(x)) && r.End+down < len(seq) && seq[r.Start+down] == seq[r.End+down] {
		down++
	}
	return up, down
}

// place is how far c should slide, between -up and down.
func place(c Change, up, down int, cost func(inserted bool, start, end int) int) int {
	if up == 0 && down == 0 {
		return 0
	}
	r, inserted := c.A, c.A.Len() == 0
	if inserted {
		r = c.B
	}
	best, least := down, cost(inserted, r.Start+down, r.End+down)
	for k := down - 1; k >= -up; k-- {
		if n := cost(inserted, r.Start+k, r.End+k); n < least {
			best, least = k, n
		}
	}
	return best
}

// shift moves c by k equal lines.
func (c Change) shift(k int) Change {
	c.A.Start, c.A.End = c.A.Start+k, c.A.End+k
	c.B.Start, c.B.End = c.B.Start+k, c.B.End+k
	return c
}

// join makes one change of two that touch.
func join(c, d Change) Change {
	c.A.End, c.B.End = d.A.End, d.B.End
	return c
}
