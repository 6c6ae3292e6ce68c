package regex

import (
	"slices"
	"unicode/utf8"
)

// sight is what an assertion sees on one side of a place.
type sight uint8

const (
	sawEdge sight = 1 << iota // the text begins or ends
	sawLine                   // a newline
	sawWord                   // a word character
)

// sees is what the condition depends on.
func (c condition) sees() sight {
	switch c {
	case textStart, textEnd:
		return sawEdge
	case lineStart, lineFinish:
		return sawEdge | sawLine
	}
	return sawWord
}

// holds says whether c is true between what is before and what is after.
func (c condition) holds(before, after sight) bool {
	was, is := before&sawWord != 0, after&sawWord != 0
	switch c {
	case textStart:
		return before&sawEdge != 0
	case textEnd:
		return after&sawEdge != 0
	case lineStart:
		return before&(sawEdge|sawLine) != 0
	case lineFinish:
		return after&(sawEdge|sawLine) != 0
	case wordBoundary:
		return was != is
	case noWordBoundary:
		return was == is
	case wordStart:
		return !was && is
	case wordFinish:
		return was && !is
	case noWordBefore:
		return !was
	}
	return !is
}

// dense is how many of the first symbols have their letter in a table.
const dense = 0x800

// alphabet divides the symbols into letters: two symbols are the same letter
// when no set and no assertion of the program tells them apart.
type alphabet struct {
	uses    sight // what assertions look at
	letters int
	low     [dense]uint16 // the letter of the symbols below dense
	from    []rune        // where spans of the same letter begin
	letter  []uint16      // of these spans
	sights  []sight       // of a letter; the last is the end of the text
	in      [][]uint64    // for each set, the letters it has
}

// divide makes the letters for sets and for what uses asks.
func (a *alphabet) divide(sets []set, words set) {
	all := slices.Clone(sets)
	line, word := len(all), len(all)+1
	all = append(all, set{}, set{})
	if a.uses&sawLine != 0 {
		all[line] = set{{'\n', '\n'}}
	}
	if a.uses&sawWord != 0 {
		all[word] = words
	}
	a.from = []rune{0}
	for _, s := range all {
		for _, sp := range s {
			a.from = append(a.from, sp.lo, sp.hi+1)
		}
	}
	slices.Sort(a.from)
	a.from = slices.Compact(a.from)
	a.letter = make([]uint16, len(a.from))
	sizes := []int{len(a.letter)}
	for _, s := range all {
		sizes = a.refine(s, sizes)
	}
	a.letters = len(sizes)
	a.sights = make([]sight, a.letters+1)
	a.sights[a.letters] = sawEdge & a.uses
	for i, s := range all {
		has := make([]uint64, a.letters/64+1)
		a.each(s, func(at int) {
			l := a.letter[at]
			has[l/64] |= 1 << (l % 64)
			if i == line {
				a.sights[l] |= sawLine
			}
			if i == word {
				a.sights[l] |= sawWord
			}
		})
		if i < line {
			a.in = append(a.in, has)
		}
	}
	at := 0
	for r := range rune(dense) {
		for at+1 < len(a.from) && a.from[at+1] <= r {
			at++
		}
		a.low[r] = a.letter[at]
	}
}

// each calls do with the index of every span of the alphabet that s covers.
func (a *alphabet) each(s set, do func(at int)) {
	if len(s) == 0 {
		return
	}
	at, _ := slices.BinarySearch(a.from, s[0].lo)
	for _, sp := range s {
		for a.from[at] < sp.lo {
			at++
		}
		for ; at < len(a.from) && a.from[at] <= sp.hi; at++ {
			do(at)
		}
	}
}

// refine divides the letters that s has only in part. sizes is how many spans
// each letter has.
func (a *alphabet) refine(s set, sizes []int) []int {
	old := len(sizes)
	covered := make([]int, old)
	a.each(s, func(at int) { covered[a.letter[at]]++ })
	fresh := make([]int, old)
	for l, n := range covered {
		if n > 0 && n < sizes[l] {
			fresh[l] = len(sizes)
			sizes[l] -= n
			sizes = append(sizes, n)
		}
	}
	if len(sizes) == old {
		return sizes
	}
	a.each(s, func(at int) {
		if l := fresh[a.letter[at]]; l > 0 {
			a.letter[at] = uint16(l)
		}
	})
	return sizes
}

// read returns the letter at the start of b, which is not empty, and its width.
func (a *alphabet) read(b []byte) (letter, width int) {
	r, w := symbolAt(b)
	return a.of(r), w
}

func (a *alphabet) of(r rune) int {
	if r < dense {
		return int(a.low[r])
	}
	at, ok := slices.BinarySearch(a.from, r)
	if !ok {
		at--
	}
	return int(a.letter[at])
}

// before is what is seen looking back from a position of b.
func (a *alphabet) before(b []byte, at int) sight {
	if a.uses == 0 {
		return 0
	}
	if at == 0 {
		return sawEdge & a.uses
	}
	return a.sights[a.of(symbolBefore(b[max(0, at-utf8.UTFMax):at]))]
}

// after is what is seen looking ahead.
func (a *alphabet) after(b []byte, at int) sight {
	if a.uses == 0 {
		return 0
	}
	if at == len(b) {
		return a.sights[a.letters]
	}
	l, _ := a.read(b[at:])
	return a.sights[l]
}

// has says whether set i has the letter.
func (a *alphabet) has(i int32, letter int) bool {
	return a.in[i][letter/64]&(1<<(letter%64)) != 0
}
