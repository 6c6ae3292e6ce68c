package regex

import "strings"

// fault is what is wrong with a pattern, in the words of GNU.
type fault string

func (f fault) Error() string { return string(f) }

const (
	errBracket   fault = "Unmatched [, [^, [:, [., or [="
	errOpen      fault = `Unmatched ( or \(`
	errClose     fault = `Unmatched ) or \)`
	errReference fault = "Invalid back reference"
	errOperand   fault = "Invalid preceding regular expression"
	errBackslash fault = "Trailing backslash"
	errBrace     fault = `Unmatched \{`
	errInterval  fault = `Invalid content of \{\}`
	errRange     fault = "Invalid range end"
	errClass     fault = "Invalid character class name"
	errCollation fault = "Invalid collation character"
	errTooBig    fault = "Regular expression too big"
	errClassForm fault = "character class syntax is [[:space:]], not [:space:]"
)

const (
	mostRepeats = 32767
	mostNested  = 1000
)

// parser reads Basic and Extended patterns.
type parser struct {
	Options
	src   string
	pos   int
	base  int // groups of other patterns
	count int // groups so far
	depth int // open groups
	// closed has bit n set while a reference to group n is possible here.
	closed uint32
}

func parsePOSIX(pattern string, o Options, groups int) (*node, int, error) {
	if o.Sed {
		pattern = sedEscapes(pattern)
	}
	p := &parser{Options: o, src: pattern, base: groups}
	n, err := p.alternatives()
	return n, p.count, err
}

func (p *parser) rest() string { return p.src[p.pos:] }

// operator says whether the operator c comes next: plain in Extended, behind a
// backslash in Basic.
func (p *parser) operator(c byte) bool {
	if p.Syntax == Extended {
		return p.pos < len(p.src) && p.src[p.pos] == c
	}
	return p.pos+1 < len(p.src) && p.src[p.pos] == '\\' && p.src[p.pos+1] == c
}

// take steps over the operator c if it comes next.
func (p *parser) take(c byte) bool {
	if !p.operator(c) {
		return false
	}
	p.pos++
	if p.Syntax == Basic {
		p.pos++
	}
	return true
}

func (p *parser) alternatives() (*node, error) {
	before, after := p.closed, p.closed
	var all []*node
	for {
		n, err := p.sequence()
		if err != nil {
			return nil, err
		}
		all = append(all, n)
		after |= p.closed
		if !p.take('|') {
			break
		}
		p.closed = before
	}
	p.closed = after
	return alternate(all), nil
}

// ended says whether the sequence is over.
func (p *parser) ended() bool {
	return p.pos == len(p.src) || p.operator('|') || p.depth > 0 && p.operator(')')
}

func (p *parser) sequence() (*node, error) {
	var subs []*node
	first := true // nothing yet that an operator could be applied to
	for !p.ended() {
		if first {
			skipped, err := p.leading()
			if err != nil {
				return nil, err
			}
			if skipped {
				continue
			}
		}
		n, err := p.atom(first, len(subs) == 0)
		if err != nil {
			return nil, err
		}
		anchor := n.kind == nodeAssert && (n.assert == textStart || n.assert == lineStart)
		if anchor && (p.Syntax == Basic || p.Sed) && first && len(subs) == 0 {
			subs = append(subs, n)
			continue
		}
		first = false
		if n, err = p.repeats(n); err != nil {
			return nil, err
		}
		subs = append(subs, n)
	}
	return concat(subs...), nil
}

// leading treats an operator without operand: sed refuses it, grep takes it for
// nothing in Extended and for itself in Basic.
func (p *parser) leading() (skipped bool, err error) {
	if p.Syntax == Basic {
		if p.Sed && p.operator('{') {
			return false, errOperand
		}
		return false, nil
	}
	c := p.src[p.pos]
	if !strings.ContainsRune("*+?{", rune(c)) {
		return false, nil
	}
	if p.Sed {
		return false, errOperand
	}
	if c != '{' {
		p.pos++
		return true, nil
	}
	at := p.pos
	p.pos++
	if _, _, err := p.interval(); err != nil {
		p.pos = at
		return false, nil
	}
	return true, nil
}

// atom reads what an operator applies to. first: the sequence has nothing yet
// but perhaps an anchor; begins: not even that.
func (p *parser) atom(first, begins bool) (*node, error) {
	switch c := p.src[p.pos]; {
	case c == '\\':
		return p.escape(first)
	case c == '[':
		p.pos++
		s, err := p.bracket()
		return setNode(s), err
	case c == '.':
		p.pos++
		return setNode(p.withinLine(anything)), nil
	case c == '(' && p.Syntax == Extended:
		p.pos++
		return p.group()
	case c == ')' && p.Syntax == Extended && p.Sed:
		return nil, errClose
	case c == '^' && (p.Syntax == Extended || begins):
		p.pos++
		return p.anchor(lineStart, textStart), nil
	case c == '$' && (p.Syntax == Extended || p.last()):
		p.pos++
		return p.anchor(lineFinish, textEnd), nil
	}
	return p.char(), nil
}

// last says whether the byte at pos ends its sequence.
func (p *parser) last() bool {
	q := *p
	q.pos++
	return q.ended()
}

// withinLine is what a dot or a negated bracket may match: with Multiline no newline.
func (p *parser) withinLine(s set) set {
	if p.Multiline && p.Syntax != Perl {
		return s.minus(set{{'\n', '\n'}})
	}
	return s
}

func (p *parser) anchor(line, text condition) *node {
	if p.Multiline {
		return assertion(line)
	}
	return assertion(text)
}

// char reads one character for itself.
func (p *parser) char() *node {
	r, w := symbolAt([]byte(p.rest()[:min(4, len(p.rest()))]))
	p.pos += w
	return runeNode(r, p.IgnoreCase)
}

func (p *parser) group() (*node, error) {
	if p.depth++; p.depth > mostNested {
		return nil, errTooBig
	}
	p.count++
	index := p.count
	n, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if !p.take(')') {
		return nil, errOpen
	}
	p.depth--
	if index < 10 {
		p.closed |= 1 << index
	}
	return &node{kind: nodeGroup, index: p.base + index, subs: []*node{n}}, nil
}

// escape reads what begins with a backslash.
func (p *parser) escape(first bool) (*node, error) {
	if p.pos+1 == len(p.src) {
		return nil, errBackslash
	}
	c := p.src[p.pos+1]
	if p.Syntax == Basic && c == '(' {
		p.pos += 2
		return p.group()
	}
	if p.Syntax == Basic && c == ')' {
		return nil, errClose
	}
	if n, ok := p.shorthand(c); ok {
		p.pos += 2
		return n, nil
	}
	if c >= '1' && c <= '9' {
		if p.closed&(1<<(c-'0')) == 0 {
			return nil, errReference
		}
		p.pos += 2
		return &node{kind: nodeRef, index: p.base + int(c-'0'), ci: p.IgnoreCase}, nil
	}
	p.pos++
	return p.char(), nil
}

// shorthand is what \c stands for, if it is a set or an assertion.
func (p *parser) shorthand(c byte) (*node, bool) {
	switch c {
	case 'w':
		return setNode(words()), true
	case 'W':
		return setNode(words().negate()), true
	case 's':
		return setNode(spaces), true
	case 'S':
		return setNode(spaces.negate()), true
	case 'b':
		return assertion(wordBoundary), true
	case 'B':
		return assertion(noWordBoundary), true
	case '<':
		return assertion(wordStart), true
	case '>':
		return assertion(wordFinish), true
	case '`':
		return assertion(textStart), true
	case '\'':
		return assertion(textEnd), true
	}
	return nil, false
}

// repeats applies the operators that follow n.
func (p *parser) repeats(n *node) (*node, error) {
	for again := false; p.pos < len(p.src); again = true {
		strict := again && p.Sed && p.Syntax == Basic
		switch {
		case p.src[p.pos] == '*':
			if strict {
				return nil, errOperand
			}
			p.pos++
			n = repeat(n, 0, -1)
		case p.take('+'):
			n = repeat(n, 1, -1)
		case p.take('?'):
			n = repeat(n, 0, 1)
		case p.operator('{'):
			if strict {
				return nil, errOperand
			}
			at := p.pos
			p.take('{')
			low, high, err := p.interval()
			if err == errBrace || err == errInterval && p.src[p.pos-1] != '}' {
				if p.Syntax == Extended && !p.Sed {
					p.pos = at // grep takes the brace for itself
					return n, nil
				}
			}
			if err != nil {
				return nil, err
			}
			n = repeat(n, low, high)
		default:
			return n, nil
		}
	}
	return n, nil
}

// interval reads what follows an opening brace up to the closing one.
func (p *parser) interval() (low, high int, err error) {
	low, some := p.number()
	high = low
	if p.pos < len(p.src) && p.src[p.pos] == ',' {
		p.pos++
		var bound bool
		if high, bound = p.number(); !bound {
			high = -1
		}
		some = true
	}
	if p.pos == len(p.src) {
		return 0, 0, errBrace
	}
	if !p.take('}') || !some {
		return 0, 0, errInterval
	}
	if high >= 0 && low > high {
		return 0, 0, errInterval
	}
	if max(low, high) > mostRepeats {
		return 0, 0, errTooBig
	}
	return low, high, nil
}

func (p *parser) number() (n int, ok bool) {
	for p.pos < len(p.src) && p.src[p.pos] >= '0' && p.src[p.pos] <= '9' {
		n = min(n*10+int(p.src[p.pos]-'0'), mostRepeats+1)
		p.pos++
		ok = true
	}
	return n, ok
}
