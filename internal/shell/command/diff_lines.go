package command

import (
	"bytes"
	"math"
)

// comparison compares two texts by lines, as GNU diff does: of all shortest edit
// scripts it takes the one that GNU diff would take.
type comparison struct {
	lines [2][][]byte // with their terminators
	// prefix lines at the start and suffix lines at the end are alike, and are not
	// compared.
	prefix, suffix int
	class          [2][]int  // a number for each line that is compared; equal lines have the same
	changed        [2][]bool // one more at both ends
	index          [2][]int  // the compared lines of which the other text has any,
	kept           [2][]int  // and their classes
	fd, bd         []int     // how far the search came on each diagonal, from both ends
	shift          int       // of a diagonal, to its place in fd and bd
	expensive      int       // edits after which a search settles for less than the best
	stopped        func() bool
}

// lineChange replaces lines of the first text by lines of the second, counted from 0.
type lineChange struct {
	a, b           int  // where
	deleted, added int  // how many
	ignored        bool // it changes only what does not count
}

// compareLines finds the changes. key makes equal what is to count as equal; horizon is
// how many of the equal lines at the ends may still be moved.
func compareLines(a, b [][]byte, horizon int, key func([]byte) string, stopped func() bool) []lineChange {
	c := &comparison{lines: [2][][]byte{a, b}, stopped: stopped}
	c.trim(horizon)
	c.classify(key)
	c.discard()
	x, y := len(c.index[0]), len(c.index[1])
	c.shift = y + 1
	c.fd, c.bd = make([]int, x+y+3), make([]int, x+y+3)
	c.expensive = max(4096, int(math.Sqrt(float64(x+y+3))))
	c.compare(0, x, 0, y)
	c.slide(0)
	c.slide(1)
	return c.script()
}

// trim finds the equal lines at both ends.
func (c *comparison) trim(horizon int) {
	a, b := c.lines[0], c.lines[1]
	n := min(len(a), len(b))
	for c.prefix < n && bytes.Equal(a[c.prefix], b[c.prefix]) {
		c.prefix++
	}
	c.prefix = max(0, c.prefix-horizon)
	for c.suffix < n-c.prefix && bytes.Equal(a[len(a)-1-c.suffix], b[len(b)-1-c.suffix]) {
		c.suffix++
	}
	c.suffix = max(0, c.suffix-horizon)
}

// classify numbers the lines that are compared.
func (c *comparison) classify(key func([]byte) string) {
	numbers := map[string]int{}
	for f, lines := range c.lines {
		lines = lines[c.prefix : len(lines)-c.suffix]
		c.class[f] = make([]int, len(lines))
		c.changed[f] = make([]bool, len(lines)+2)
		for i, line := range lines {
			k := key(line)
			n, ok := numbers[k]
			if !ok {
				n = len(numbers)
				numbers[k] = n
			}
			c.class[f][i] = n
		}
	}
}

// compare marks the changes between the lines x0 to x1 and y0 to y1 of both indexes:
// Myers' algorithm in linear space, from the middle outwards.
func (c *comparison) compare(x0, x1, y0, y1 int) {
	for x0 < x1 && y0 < y1 && c.same(x0, y0) {
		x0++
		y0++
	}
	for x0 < x1 && y0 < y1 && c.same(x1-1, y1-1) {
		x1--
		y1--
	}
	switch {
	case x0 == x1:
		for ; y0 < y1; y0++ {
			c.changed[1][c.index[1][y0]+1] = true
		}
	case y0 == y1 || c.stopped():
		for ; x0 < x1; x0++ {
			c.changed[0][c.index[0][x0]+1] = true
		}
		for ; y0 < y1; y0++ {
			c.changed[1][c.index[1][y0]+1] = true
		}
	default:
		x, y := c.middle(x0, x1, y0, y1)
		c.compare(x0, x, y0, y)
		c.compare(x, x1, y, y1)
	}
}

func (c *comparison) same(x, y int) bool { return c.kept[0][x] == c.kept[1][y] }

// band is the diagonals that a search from one end has reached.
type band struct{ low, high, least, most int }

// widen goes on to the next diagonals, which begin with a value that is never taken.
func (b *band) widen(at []int, shift, never int) {
	if b.low > b.least {
		b.low--
		at[b.low-1+shift] = never
	} else {
		b.low++
	}
	if b.high < b.most {
		b.high++
		at[b.high+1+shift] = never
	} else {
		b.high--
	}
}

// middle finds a point on a shortest path from the start to the end, where the
// searches from both meet.
func (c *comparison) middle(x0, x1, y0, y1 int) (x, y int) {
	fd, bd, shift := c.fd, c.bd, c.shift
	forward := band{low: x0 - y0, high: x0 - y0, least: x0 - y1, most: x1 - y0}
	backward := band{low: x1 - y1, high: x1 - y1, least: x0 - y1, most: x1 - y0}
	odd := (forward.low-backward.low)&1 != 0
	fd[forward.low+shift], bd[backward.low+shift] = x0, x1
	for cost := 1; ; cost++ {
		forward.widen(fd, shift, -1)
		for d := forward.high; d >= forward.low; d -= 2 {
			x := max(fd[d-1+shift]+1, fd[d+1+shift])
			y := x - d
			for x < x1 && y < y1 && c.same(x, y) {
				x++
				y++
			}
			fd[d+shift] = x
			if odd && backward.low <= d && d <= backward.high && bd[d+shift] <= x {
				return x, y
			}
		}
		backward.widen(bd, shift, math.MaxInt)
		for d := backward.high; d >= backward.low; d -= 2 {
			x := min(bd[d-1+shift], bd[d+1+shift]-1)
			y := x - d
			for x > x0 && y > y0 && c.same(x-1, y-1) {
				x--
				y--
			}
			bd[d+shift] = x
			if !odd && forward.low <= d && d <= forward.high && x <= fd[d+shift] {
				return x, y
			}
		}
		if cost >= c.expensive || c.stopped() {
			return c.farthest(forward, backward, x0, x1, y0, y1)
		}
	}
}

// farthest is the point that one of the searches got farthest to, after they were given
// up.
func (c *comparison) farthest(forward, backward band, x0, x1, y0, y1 int) (x, y int) {
	ahead, aheadX := -1, 0
	for d := forward.high; d >= forward.low; d -= 2 {
		x := min(c.fd[d+c.shift], x1)
		y := x - d
		if y > y1 {
			x, y = y1+d, y1
		}
		if ahead < x+y {
			ahead, aheadX = x+y, x
		}
	}
	behind, behindX := math.MaxInt, 0
	for d := backward.high; d >= backward.low; d -= 2 {
		x := max(x0, c.bd[d+c.shift])
		y := x - d
		if y < y0 {
			x, y = y0+d, y0
		}
		if x+y < behind {
			behind, behindX = x+y, x
		}
	}
	if x1+y1-behind < ahead-(x0+y0) {
		return aheadX, ahead - aheadX
	}
	return behindX, behind - behindX
}

// slide moves runs of changed lines of one text to where they join others, or stand
// across from changes of the other text, or as far down as they go.
func (c *comparison) slide(f int) {
	changed, other, class := c.changed[f], c.changed[1-f], c.class[f]
	// changed[i+1] is line i; both texts have an unchanged line before and behind.
	end := len(class)
	for i, j := 0, 0; ; {
		for i < end && !changed[i+1] {
			for other[j+1] {
				j++
			}
			j++
			i++
		}
		if i == end {
			return
		}
		start := i
		for i++; changed[i+1]; i++ {
		}
		for other[j+1] {
			j++
		}
		var across int
		for length := -1; length != i-start; {
			length = i - start
			for start > 0 && class[start-1] == class[i-1] {
				start--
				i--
				changed[start+1], changed[i+1] = true, false
				for changed[start] {
					start--
				}
				for j--; other[j+1]; j-- {
				}
			}
			across = end
			if other[j] {
				across = i
			}
			for i < end && class[start] == class[i] {
				changed[start+1], changed[i+1] = false, true
				start++
				i++
				for changed[i+1] {
					i++
				}
				for j++; other[j+1]; j++ {
					across = i
				}
			}
		}
		for across < i {
			start--
			i--
			changed[start+1], changed[i+1] = true, false
			for j--; other[j+1]; j-- {
			}
		}
	}
}

// script makes changes of the marks.
func (c *comparison) script() []lineChange {
	var script []lineChange
	for i, j := 0, 0; i < len(c.class[0]) || j < len(c.class[1]); i, j = i+1, j+1 {
		x, y := i, j
		for c.changed[0][i+1] {
			i++
		}
		for c.changed[1][j+1] {
			j++
		}
		if i > x || j > y {
			script = append(script, lineChange{a: x + c.prefix, b: y + c.prefix, deleted: i - x, added: j - y})
		}
	}
	return script
}
