package regex

import (
	"cmp"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A symbol is what one step of a match consumes: a character, or a byte that is
// no part of one, which is broken plus its value.
const (
	broken    = utf8.MaxRune + 1
	maxSymbol = broken + 0xff
)

// symbolAt decodes the symbol at the start of b, which is not empty.
func symbolAt(b []byte) (rune, int) {
	if b[0] < utf8.RuneSelf {
		return rune(b[0]), 1
	}
	r, w := utf8.DecodeRune(b)
	if r == utf8.RuneError && w == 1 {
		return broken + rune(b[0]), 1
	}
	return r, w
}

// symbolBefore decodes the symbol at the end of b, which is not empty.
func symbolBefore(b []byte) rune {
	r, w := utf8.DecodeLastRune(b)
	if r == utf8.RuneError && w == 1 {
		return broken + rune(b[len(b)-1])
	}
	return r
}

// span is a range of symbols, both ends included.
type span struct{ lo, hi rune }

// set is a set of symbols: sorted spans that do not touch.
type set []span

// newSet sorts and joins spans, which it takes over.
func newSet(spans ...span) set {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	s := spans[:0]
	for _, sp := range spans {
		if n := len(s); n > 0 && sp.lo <= s[n-1].hi+1 {
			s[n-1].hi = max(s[n-1].hi, sp.hi)
			continue
		}
		s = append(s, sp)
	}
	return s
}

func tableSet(tables ...*unicode.RangeTable) set {
	var spans []span
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			spans = append(spans, span{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			spans = append(spans, span{r, r})
		}
	}
	for _, t := range tables {
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return newSet(spans...)
}

func (s set) has(r rune) bool {
	_, ok := slices.BinarySearchFunc(s, r, func(sp span, r rune) int {
		switch {
		case sp.hi < r:
			return -1
		case sp.lo > r:
			return 1
		}
		return 0
	})
	return ok
}

// negate returns the characters that are not in s. Broken bytes are in no
// negated set.
func (s set) negate() set {
	var n set
	next := rune(0)
	for _, sp := range s {
		if sp.lo > utf8.MaxRune {
			break
		}
		if sp.lo > next {
			n = append(n, span{next, sp.lo - 1})
		}
		next = sp.hi + 1
	}
	if next <= utf8.MaxRune {
		n = append(n, span{next, utf8.MaxRune})
	}
	return n
}

func (s set) union(others ...set) set {
	all := slices.Clone(s)
	for _, o := range others {
		all = append(all, o...)
	}
	return newSet(all...)
}

func (s set) minus(o set) set { return s.negate().union(o).negate() }

// leads marks the bytes by which symbols of s begin; those that are not ASCII are
// not told apart.
func (s set) leads(to *[256]bool) {
	for _, sp := range s {
		for r := sp.lo; r <= min(sp.hi, utf8.RuneSelf-1); r++ {
			to[r] = true
		}
		if sp.hi >= utf8.RuneSelf {
			for b := utf8.RuneSelf; b < len(to); b++ {
				to[b] = true
			}
			return // what follows is beyond ASCII, too
		}
	}
}

// upper is what two symbols must have in common to be equal without case: GNU
// compares in upper case.
func upper(r rune) rune {
	if r > utf8.MaxRune {
		return r
	}
	return unicode.ToUpper(r)
}

// orbits has, by upper case, the characters that differ by case only.
var orbits = sync.OnceValue(func() map[rune][]rune {
	m := map[rune][]rune{}
	for _, c := range unicode.CaseRanges {
		for r := rune(c.Lo); r <= rune(c.Hi); r++ {
			m[upper(r)] = append(m[upper(r)], r)
		}
	}
	for u, all := range m {
		if !slices.Contains(all, u) {
			m[u] = append(all, u)
		}
		if len(m[u]) == 1 {
			delete(m, u)
		}
	}
	return m
})

// fold adds the other cases of each character.
func (s set) fold() set {
	all := slices.Clone(s)
	for u, orbit := range orbits() {
		if !slices.ContainsFunc(orbit, s.has) {
			continue
		}
		all = append(all, span{u, u})
		for _, r := range orbit {
			all = append(all, span{r, r})
		}
	}
	return newSet(all...)
}

// foldRune is the set of one character in its cases.
func foldRune(r rune) set {
	spans := []span{{r, r}}
	for _, o := range orbits()[upper(r)] {
		spans = append(spans, span{o, o})
	}
	return newSet(spans...)
}

// anything is every character; a broken byte is none.
var anything = set{{0, utf8.MaxRune}}

// The classes are those of the C.UTF-8 locale of glibc.
var (
	digits = set{{'0', '9'}}
	blanks = newSet(span{'\t', '\t'}, span{' ', ' '}, span{0x1680, 0x1680}, span{0x2000, 0x2006},
		span{0x2008, 0x200a}, span{0x205f, 0x205f}, span{0x3000, 0x3000})
	spaces    = blanks.union(set{{'\t', '\r'}, {0x2028, 0x2029}})
	perlWords = newSet(span{'0', '9'}, span{'A', 'Z'}, span{'_', '_'}, span{'a', 'z'})
	alphas    = sync.OnceValue(func() set {
		return tableSet(unicode.L, unicode.Nl, unicode.Nd, unicode.Other_Alphabetic).minus(digits)
	})
	words  = sync.OnceValue(func() set { return alphas().union(digits, set{{'_', '_'}}) })
	cntrls = sync.OnceValue(func() set { return tableSet(unicode.Cc).union(set{{0x2028, 0x2029}}) })
	graphs = sync.OnceValue(func() set {
		return tableSet(unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs, unicode.Cf, unicode.Co).minus(spaces)
	})
)

// class returns the set of a name as in [:name:].
func class(name string) (set, bool) {
	switch name {
	case "alpha":
		return alphas(), true
	case "digit":
		return digits, true
	case "alnum":
		return alphas().union(digits), true
	case "upper":
		return tableSet(unicode.Upper, unicode.Lt), true
	case "lower":
		return tableSet(unicode.Lower), true
	case "space":
		return spaces, true
	case "blank":
		return blanks, true
	case "punct":
		return graphs().minus(alphas().union(digits)), true
	case "print":
		return graphs().union(spaces.minus(cntrls())), true
	case "graph":
		return graphs(), true
	case "cntrl":
		return cntrls(), true
	case "xdigit":
		return newSet(span{'0', '9'}, span{'A', 'F'}, span{'a', 'f'}), true
	}
	return nil, false
}
