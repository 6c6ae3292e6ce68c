package regex

import (
	"slices"
	"unicode/utf8"
)

// requirement is what the matches of a node have in common: how they begin, how
// they end, and texts of which each has one. exact: there is nothing else to them.
type requirement struct {
	exact      bool
	head, tail []*node
	best       [][]*node
	behind     bool // best may be before the match
}

// exactly is the requirement of a text.
func exactly(chars ...*node) requirement {
	q := requirement{exact: true, head: chars, tail: chars}
	if len(chars) > 0 {
		q.best = [][]*node{chars}
	}
	return q
}

func require(n *node) requirement {
	switch n.kind {
	case nodeEmpty, nodeAssert, nodeKeep:
		return exactly()
	case nodeSet:
		if !n.unsought() {
			return exactly(n)
		}
	case nodeGroup:
		return require(n.subs[0])
	case nodeConcat:
		if chars, ok := n.text(); ok && len(chars) <= mostNeedle && !slices.ContainsFunc(chars, (*node).unsought) {
			return exactly(chars...)
		}
		q := exactly()
		for _, s := range n.subs {
			q = q.then(require(s))
		}
		return q
	case nodeLook:
		q := exactly()
		if !n.not {
			q.best, q.behind = require(n.subs[0]).best, n.behind
		}
		return q
	case nodeRepeat:
		if n.min == 0 {
			break
		}
		q := require(n.subs[0])
		q.exact = q.exact && n.min == 1 && n.max == 1
		return q
	case nodeAlternate:
		return requireAny(n.subs)
	}
	return requirement{}
}

// unsought says whether n, a set, is no character that a needle can have.
func (n *node) unsought() bool {
	return n.lit < 0 || n.lit >= broken || n.ci && n.lit >= utf8.RuneSelf
}

// then is the requirement of q and r behind it.
func (q requirement) then(r requirement) requirement {
	joined := slices.Concat(q.tail, r.head)
	if len(joined) > mostNeedle {
		joined = joined[:mostNeedle]
		r.exact = false
	}
	out := requirement{exact: q.exact && r.exact, head: q.head, tail: r.tail, best: q.best, behind: q.behind}
	if q.exact {
		out.head = joined
	}
	if r.exact {
		out.tail = joined
	}
	if worth(r.best) > worth(out.best) {
		out.best, out.behind = r.best, r.behind
	}
	if len(joined) > worth(out.best) {
		out.best, out.behind = [][]*node{joined}, false
	}
	return out
}

// worth is how much it helps to look for one of texts.
func worth(texts [][]*node) int {
	if len(texts) == 0 {
		return 0
	}
	shortest := mostNeedle
	for _, t := range texts {
		shortest = min(shortest, len(t))
	}
	if len(texts) > 1 {
		return shortest - 1 // one is faster to find than several
	}
	return shortest
}

// requireAny is the requirement of alternatives.
func requireAny(subs []*node) requirement {
	q := require(subs[0])
	q.exact = false
	several := slices.Clone(q.best)
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
		q.behind = q.behind || r.behind
		if len(several) > 0 && len(r.best) > 0 {
			several = append(several, r.best...)
		} else {
			several = nil
		}
	}
	q.best = nil
	if len(several) <= mostNeedles && worth(several) > 0 {
		q.best = several
	}
	for _, one := range [][]*node{q.head, q.tail} {
		if len(one) > 0 && len(one) >= worth(q.best) {
			q.best = [][]*node{one}
		}
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
