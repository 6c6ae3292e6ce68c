package regex

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// needle is a text that every match contains, so that where it is not, nothing
// slower has to look.
type needle struct {
	text  []byte
	whole bool // each occurrence is a match, and there are no others
	fold  bool // in any case; text is then ASCII in lower case
	// leads are bytes by which characters begin that are a letter of text in
	// another case but are not ASCII.
	leads []byte
	rare  int // the position in text of its rarest byte
}

// mostNeedle is enough to be rare.
const mostNeedle = 128

func newNeedle(n *node) needle {
	chars := require(n).best
	if len(chars) == 0 {
		return needle{}
	}
	var d needle
	for _, c := range chars {
		d.fold = d.fold || c.ci
	}
	all, pure := n.text()
	d.whole = pure && len(all) == len(chars)
	for _, c := range chars {
		r := c.lit
		if d.fold {
			d.whole = d.whole && c.ci
			r = rune(lower[byte(r)])
		}
		d.text = appendSymbol(d.text, r)
		for _, sp := range c.set {
			if d.fold && sp.hi >= utf8.RuneSelf {
				d.leads = append(d.leads, string(sp.hi)[0])
			}
		}
	}
	slices.Sort(d.leads)
	d.leads = slices.Compact(d.leads)
	for i, c := range d.text {
		if commonness(c) < commonness(d.text[d.rare]) {
			d.rare = i
		}
	}
	return d
}

// commonness ranks bytes by how often text has them.
func commonness(c byte) int { return len(common) - strings.IndexByte(common, c)&0xff }

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
	if !d.fold {
		if at = bytes.Index(b[from:], d.text); at >= 0 {
			at += from
		}
		return at, true
	}
	if len(d.leads) == 0 {
		return d.foldIndex(b, from), true
	}
	// A block at a time, so that neither search runs ahead of the other.
	const block = 4096
	for ; from < len(b); from += block {
		to := min(len(b), from+block)
		odd := d.odd(b[from:to])
		if odd >= 0 {
			// An occurrence with that character begins not earlier than this.
			odd = max(from, from+odd-utf8.UTFMax*len(d.text))
			to = odd
		}
		at = d.foldIndex(b[:min(len(b), to+len(d.text)-1)], from)
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

// foldIndex finds the needle in ASCII of any case.
func (d *needle) foldIndex(b []byte, from int) int {
	low := d.text[d.rare]
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
		if start+len(d.text) > len(b) {
			return -1
		}
		if equalLower(b[start:start+len(d.text)], d.text) {
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

// requirement is what the matches of a node have in common: how they begin, how
// they end, and the longest text in them. exact: it is all of each match.
type requirement struct {
	exact      bool
	head, tail []*node
	best       []*node
}

func exactly(chars []*node) requirement { return requirement{true, chars, chars, chars} }

func require(n *node) requirement {
	switch n.kind {
	case nodeEmpty, nodeAssert, nodeLook, nodeKeep:
		return exactly(nil)
	case nodeSet:
		if n.lit >= 0 && n.lit < broken && !(n.ci && n.lit >= utf8.RuneSelf) {
			return exactly([]*node{n})
		}
	case nodeGroup:
		return require(n.subs[0])
	case nodeConcat:
		q := exactly(nil)
		for _, s := range n.subs {
			q = q.then(require(s))
		}
		return q
	case nodeRepeat:
		if n.min == 0 {
			break
		}
		q := require(n.subs[0])
		if n.min > 1 || n.max != 1 {
			q.exact = false
		}
		return q
	case nodeAlternate:
		return requireAny(n.subs)
	}
	return requirement{}
}

// then is what q and r behind it have in common.
func (q requirement) then(r requirement) requirement {
	joined := slices.Concat(q.tail, r.head)
	if len(joined) > mostNeedle {
		joined = joined[:mostNeedle]
		q.exact = q.exact && len(q.tail) <= mostNeedle
		r.exact = false
	}
	out := requirement{exact: q.exact && r.exact, head: q.head, tail: r.tail, best: q.best}
	if q.exact {
		out.head = joined
	}
	if r.exact {
		out.tail = joined
	}
	for _, c := range [][]*node{joined, r.best} {
		if len(c) > len(out.best) {
			out.best = c
		}
	}
	return out
}

// requireAny is what alternatives have in common.
func requireAny(subs []*node) requirement {
	q := require(subs[0])
	q.exact = false
	for _, s := range subs[1:] {
		r := require(s)
		n := 0
		for n < min(len(q.head), len(r.head)) && same(q.head[n], r.head[n]) {
			n++
		}
		q.head = q.head[:n]
		n = 0
		for n < min(len(q.tail), len(r.tail)) && same(q.tail[len(q.tail)-1-n], r.tail[len(r.tail)-1-n]) {
			n++
		}
		q.tail = q.tail[len(q.tail)-n:]
	}
	q.best = q.head
	if len(q.tail) > len(q.best) {
		q.best = q.tail
	}
	return q
}

func same(a, b *node) bool { return a.lit == b.lit && a.ci == b.ci }

// prefix is the text by which each match begins, if its case is known.
func prefix(n *node) []byte {
	var b []byte
	for _, c := range require(n).head {
		if c.ci {
			break
		}
		b = appendSymbol(b, c.lit)
	}
	return b
}
