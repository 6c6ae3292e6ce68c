package regex

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// needle is a text, or one of several, that is wherever a match is, so that where
// it is not, nothing slower has to look.
type needle struct {
	texts [][]byte
	whole bool // each occurrence is the start of a match, and there are no others
	fold  bool // in any case; texts are then ASCII in lower case
	// behind: it may be before the match, not only in it.
	behind bool
	// leads are bytes by which characters begin that are a letter of the texts in
	// another case but are not ASCII.
	leads []byte
	most  int // the length of the longest text
	rare  int // of one text, the position of its rarest byte
	jumps *jumps
}

const (
	mostNeedle  = 128  // characters: enough to be rare
	mostNeedles = 1024 // alternatives
)

func newNeedle(n *node) needle {
	q := require(n)
	if len(q.best) == 0 {
		return needle{}
	}
	d := needle{behind: q.behind, whole: n.literals() && (len(q.best) > 1 || n.kind != nodeAlternate)}
	for _, text := range q.best {
		for _, c := range text {
			d.fold = d.fold || c.ci
		}
	}
	for _, text := range q.best {
		if !d.add(text) {
			return needle{}
		}
	}
	slices.Sort(d.leads)
	d.leads = slices.Compact(d.leads)
	if len(d.texts) > 1 {
		d.jumps = newJumps(d.texts)
		return d
	}
	for i, c := range d.texts[0] {
		if commonness(c) < commonness(d.texts[0][d.rare]) {
			d.rare = i
		}
	}
	return d
}

// literals says whether n is a text or alternatives of texts, short enough to be
// needles as they are.
func (n *node) literals() bool {
	if n.kind == nodeAlternate {
		return !slices.ContainsFunc(n.subs, func(s *node) bool { return s.kind == nodeAlternate || !s.literals() })
	}
	chars, ok := n.text()
	return ok && len(chars) <= mostNeedle && !slices.ContainsFunc(chars, (*node).unsought)
}

// add takes a text over if it can be looked for: a newline would confuse a search
// by lines, and only ASCII is compared in any case.
func (d *needle) add(chars []*node) bool {
	var text []byte
	for _, c := range chars {
		r := c.lit
		if r == '\n' || d.fold && r >= utf8.RuneSelf {
			return false
		}
		if d.fold {
			d.whole = d.whole && c.ci
			r = rune(lower[byte(r)])
		}
		text = appendSymbol(text, r)
		for _, sp := range c.set {
			if d.fold && sp.hi >= utf8.RuneSelf {
				d.leads = append(d.leads, string(sp.hi)[0])
			}
		}
	}
	d.most = max(d.most, len(text))
	d.texts = append(d.texts, text)
	return true
}

// literal returns the text if there is one, as it is.
func (d *needle) literal() []byte {
	if len(d.texts) != 1 || d.fold {
		return nil
	}
	return d.texts[0]
}

// commonness ranks bytes by how often text has them.
func commonness(c byte) int {
	if i := strings.IndexByte(common, c); i >= 0 {
		return len(common) - i
	}
	return 0
}

const common = " etaoinsrhldcumfpgwybvkxjqz"

// lower is ASCII in lower case; other bytes are themselves.
var lower = func() (t [256]byte) {
	for i := range t {
		t[i] = byte(i)
	}
	for c := 'A'; c <= 'Z'; c++ {
		t[c] = byte(c) + 'a' - 'A'
	}
	return t
}()

// index finds where the needle is, at from or later, or -1. If it is not sure,
// it is not before the position returned.
func (d *needle) index(b []byte, from int) (at int, sure bool) {
	if len(d.leads) == 0 {
		return d.search(b, from), true
	}
	// A block at a time, so that neither search runs ahead of the other.
	const block = 4096
	for ; from < len(b); from += block {
		to := min(len(b), from+block)
		odd := d.odd(b[from:to])
		if odd >= 0 {
			// An occurrence with that character begins not earlier than this.
			odd = max(from, from+odd-utf8.UTFMax*d.most)
			to = odd
		}
		at = d.search(b[:min(len(b), to+d.most-1)], from)
		if at >= 0 && (odd < 0 || at <= odd) {
			return at, true
		}
		if odd >= 0 {
			return odd, false
		}
	}
	return -1, true
}

// odd is the position of the first of leads in b, or -1.
func (d *needle) odd(b []byte) int {
	first := -1
	for _, c := range d.leads {
		if i := bytes.IndexByte(b, c); i >= 0 {
			b, first = b[:i], i
		}
	}
	return first
}

// search is index as if there were no leads.
func (d *needle) search(b []byte, from int) int {
	switch {
	case d.jumps != nil:
		return d.jumps.index(b, from, d.fold)
	case d.fold:
		return d.foldIndex(b, from)
	}
	if at := bytes.Index(b[from:], d.texts[0]); at >= 0 {
		return from + at
	}
	return -1
}

// foldIndex finds the only text in ASCII of any case.
func (d *needle) foldIndex(b []byte, from int) int {
	text := d.texts[0]
	low := text[d.rare]
	high := low
	if low >= 'a' && low <= 'z' {
		high -= 'a' - 'A'
	}
	nextLow, nextHigh := -1, -1
	for at := from + d.rare; ; at++ {
		nextLow = nextByte(b, at, nextLow, low)
		if high == low {
			nextHigh = nextLow
		} else {
			nextHigh = nextByte(b, at, nextHigh, high)
		}
		at = min(nextLow, nextHigh)
		start := at - d.rare
		if start+len(text) > len(b) {
			return -1
		}
		if equalLower(b[start:start+len(text)], text) {
			return start
		}
	}
}

// nextByte is the first position of c from at on, or len(b); known is that for
// an earlier at.
func nextByte(b []byte, at, known int, c byte) int {
	if known >= at {
		return known
	}
	if at < len(b) {
		if i := bytes.IndexByte(b[at:], c); i >= 0 {
			return at + i
		}
	}
	return len(b)
}

// equalLower says whether b is text, which is in lower case and as long.
func equalLower(b, text []byte) bool {
	for i, c := range b {
		if lower[c] != text[i] {
			return false
		}
	}
	return true
}
