package command

// What is to become of a line before the search.
const (
	keep = iota
	drop
	maybe // it is dropped if it stands among others that are
)

// discard leaves lines out of the search that would only confuse it: those that the
// other text does not have, and among them those that it has very often.
func (c *comparison) discard() {
	var count [2]map[int]int
	for f := range count {
		count[f] = map[int]int{}
		for _, n := range c.class[f] {
			count[f][n]++
		}
	}
	for f := range c.class {
		fate := fates(c.class[f], count[1-f])
		settle(fate)
		for i := range fate {
			if fate[i] == keep {
				c.index[f], c.kept[f] = append(c.index[f], i), append(c.kept[f], c.class[f][i])
			} else {
				c.changed[f][i+1] = true
			}
		}
	}
}

// fates decides by how often the other text has a line.
func fates(class []int, count map[int]int) []byte {
	many := 5
	for n := len(class) / 64 >> 2; n > 0; n >>= 2 {
		many *= 2
	}
	fate := make([]byte, len(class))
	for i, n := range class {
		switch matches := count[n]; {
		case matches == 0:
			fate[i] = drop
		case matches > many:
			fate[i] = maybe
		}
	}
	return fate
}

// settle decides about the lines that may be dropped: only those inside of a run of
// lines to drop, and not if there are too many of them in it.
func settle(fate []byte) {
	for i := 0; i < len(fate); i++ {
		switch fate[i] {
		case maybe:
			fate[i] = keep // not behind a line to drop
		case drop:
			end, undecided := i, 0
			for ; end < len(fate) && fate[end] != keep; end++ {
				if fate[end] == maybe {
					undecided++
				}
			}
			for end > i && fate[end-1] == maybe {
				end--
				fate[end] = keep
				undecided--
			}
			settleRun(fate[i:end], undecided)
			i = end - 1
		}
	}
}

// settleRun decides about the undecided lines of a run that begins and ends with lines
// to drop.
func settleRun(run []byte, undecided int) {
	if undecided*4 > len(run) {
		for i := range run {
			if run[i] == maybe {
				run[i] = keep
			}
		}
		return
	}
	// As many undecided lines in a row as this stay: about the square root of a quarter
	// of the run.
	least := 1
	for n := len(run) / 4 >> 2; n > 0; n >>= 2 {
		least *= 2
	}
	least++
	for i, row := 0, 0; i <= len(run); i++ {
		if i < len(run) && run[i] == maybe {
			row++
			continue
		}
		if row >= least {
			for j := i - row; j < i; j++ {
				run[j] = keep
			}
		}
		row = 0
	}
	settleEnd(run, 1)
	settleEnd(run, -1)
}

// settleEnd keeps undecided lines near one end of a run, until three lines to drop
// follow each other.
func settleEnd(run []byte, step int) {
	i, row := 0, 0
	if step < 0 {
		i = len(run) - 1
	}
	for n := range run {
		switch {
		case n >= 8 && run[i] == drop:
			return
		case run[i] == maybe:
			run[i], row = keep, 0
		case run[i] == keep:
			row = 0
		default:
			row++
		}
		if row == 3 {
			return
		}
		i += step
	}
}
