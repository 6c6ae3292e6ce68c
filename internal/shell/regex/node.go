package regex

import "unicode/utf8"

type kind uint8

const (
	nodeEmpty kind = iota
	nodeSet
	nodeConcat
	nodeAlternate
	nodeRepeat
	nodeGroup
	nodeAssert
	nodeRef  // what the group index matched
	nodeLook // a look-around
	nodeKeep // \K: the match begins here
)

// node is a part of a pattern.
type node struct {
	kind kind
	subs []*node

	set set  // of nodeSet
	lit rune // of nodeSet: the character it was written as, or -1
	ci  bool // of nodeSet with lit: in any case; of nodeRef: ignore case

	min, max int  // of nodeRepeat; max -1: no end
	lazy     bool // of nodeRepeat: as few as possible

	index  int       // of nodeGroup and nodeRef
	assert condition // of nodeAssert

	behind, not bool // of nodeLook
}

// condition is what an assertion asks of the place between two symbols.
type condition uint8

const (
	textStart condition = iota
	textEnd
	lineStart
	lineFinish
	wordBoundary
	noWordBoundary
	wordStart
	wordFinish
	noWordBefore
	noWordAfter
)

func assertion(c condition) *node { return &node{kind: nodeAssert, assert: c} }

func setNode(s set) *node { return &node{kind: nodeSet, set: s, lit: -1} }

func runeNode(r rune, ignoreCase bool) *node {
	if ignoreCase {
		return &node{kind: nodeSet, set: foldRune(r), lit: r, ci: true}
	}
	return &node{kind: nodeSet, set: set{{r, r}}, lit: r}
}

// literalNode matches each character of s for itself.
func literalNode(s string, ignoreCase bool) *node {
	var subs []*node
	b := []byte(s)
	for len(b) > 0 {
		r, w := symbolAt(b)
		subs = append(subs, runeNode(r, ignoreCase))
		b = b[w:]
	}
	return concat(subs...)
}

func concat(subs ...*node) *node {
	switch len(subs) {
	case 0:
		return &node{kind: nodeEmpty}
	case 1:
		return subs[0]
	}
	return &node{kind: nodeConcat, subs: subs}
}

// alternate of nothing matches nothing.
func alternate(subs []*node) *node {
	switch len(subs) {
	case 0:
		return setNode(nil)
	case 1:
		return subs[0]
	}
	return &node{kind: nodeAlternate, subs: subs}
}

func repeat(n *node, min, max int) *node {
	return &node{kind: nodeRepeat, subs: []*node{n}, min: min, max: max}
}

// bare returns n without groups and with something that an automaton can do in
// place of what it cannot, so that it matches at least where n does.
func bare(n *node) *node {
	switch n.kind {
	case nodeRef:
		return repeat(setNode(set{{0, maxSymbol}}), 0, -1)
	case nodeLook, nodeKeep:
		return concat()
	case nodeGroup:
		return bare(n.subs[0])
	}
	c := *n
	c.subs = make([]*node, len(n.subs))
	for i, s := range n.subs {
		c.subs[i] = bare(s)
	}
	return &c
}

// text returns the characters of a node that consists of nothing else.
func (n *node) text() ([]*node, bool) {
	switch n.kind {
	case nodeSet:
		return []*node{n}, n.lit >= 0
	case nodeConcat:
		for _, s := range n.subs {
			if s.kind != nodeSet || s.lit < 0 {
				return nil, false
			}
		}
		return n.subs, true
	}
	return nil, false
}

// branch is a place in the tree of many literals.
type branch struct {
	char *node
	next map[rune]*branch
	kids []*branch // as they came
	ends bool
}

// trie joins the beginnings of many literals, so that the number of states grows
// with their characters and not with their count. It returns n if they are few,
// or one of them is no literal.
func trie(all []*node, n *node) *node {
	const many = 8
	if len(all) < many {
		return n
	}
	root := &branch{}
	for _, a := range all {
		chars, ok := a.text()
		if !ok {
			return n
		}
		at := root
		for _, c := range chars {
			key := c.lit
			if c.ci {
				key = upper(key)
			}
			if at.next == nil {
				at.next = map[rune]*branch{}
			}
			kid := at.next[key]
			if kid == nil {
				kid = &branch{char: c}
				at.next[key] = kid
				at.kids = append(at.kids, kid)
			}
			at = kid
		}
		at.ends = true
	}
	return root.node()
}

func (b *branch) node() *node {
	var subs []*node
	// A run without a fork is one level, so that long literals do not nest.
	for len(b.kids) == 1 && !b.ends {
		b = b.kids[0]
		subs = append(subs, b.char)
	}
	var forks []*node
	for _, k := range b.kids {
		forks = append(forks, concat(k.char, k.node()))
	}
	if b.ends {
		forks = append(forks, concat())
	}
	return concat(append(subs, alternate(forks))...)
}

// appendSymbol appends the bytes of a symbol.
func appendSymbol(b []byte, r rune) []byte {
	if r >= broken {
		return append(b, byte(r-broken))
	}
	return utf8.AppendRune(b, r)
}
