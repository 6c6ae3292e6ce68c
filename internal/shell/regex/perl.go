package regex

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode"
)

// perl reads Perl patterns: what the standard library reads is left to it, and
// what it does not know is taken out before, leaving an empty group by the name
// of its number in parts.
type perl struct {
	Options
	src   string
	pos   int
	out   strings.Builder
	parts []*node
	flags string // those that the pattern begins with, for its parts
	base  int    // groups of other patterns
}

// partName begins the names of the groups that stand for parts.
const partName = "part_"

func parsePerl(pattern string, o Options, groups int) (*node, int, error) {
	p := &perl{Options: o, src: pattern, base: groups}
	n, count, err := p.parse()
	if err != nil {
		return nil, 0, err
	}
	if top := references(n); top > groups+count {
		return nil, 0, errors.New("reference to non-existent subpattern")
	}
	return n, count, nil
}

// references is the highest group that n refers to.
func references(n *node) int {
	top := 0
	if n.kind == nodeRef {
		top = n.index
	}
	for _, s := range n.subs {
		top = max(top, references(s))
	}
	return top
}

func (p *perl) parse() (*node, int, error) {
	if end := strings.IndexByte(p.src, ')'); strings.HasPrefix(p.src, "(?") && end > 0 &&
		strings.Trim(p.src[2:end], "imsU-") == "" {
		p.flags = p.src[:end+1]
	}
	for p.pos < len(p.src) {
		if err := p.copy(); err != nil {
			return nil, 0, err
		}
	}
	flags := syntax.Perl
	if p.IgnoreCase {
		flags |= syntax.FoldCase
	}
	if p.Multiline {
		flags &^= syntax.OneLine
	}
	tree, err := syntax.Parse(p.out.String(), flags)
	if err != nil {
		return nil, 0, complaint(err)
	}
	c := converter{perl: p, numbers: []int{0}}
	for _, name := range tree.CapNames()[1:] {
		if !strings.HasPrefix(name, partName) {
			c.count++
		}
		c.numbers = append(c.numbers, c.count)
	}
	return c.node(tree), c.count, nil
}

// complaint says what is wrong in words that fit grep -P.
func complaint(err error) error {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Code == syntax.ErrInvalidRepeatOp && strings.HasSuffix(e.Expr, "+") {
		return unsupported("possessive quantifiers", "a plain quantifier")
	}
	return fmt.Errorf("%s: %s", e.Code, e.Expr)
}

func unsupported(what, instead string) error {
	return fmt.Errorf("not supported here: %s, use %s", what, instead)
}

// copy takes the next piece of the pattern over.
func (p *perl) copy() error {
	rest := p.src[p.pos:]
	switch {
	case strings.HasPrefix(rest, `\Q`):
		n := strings.Index(rest, `\E`) + 2
		if n < 2 {
			n = len(rest)
		}
		p.take(n)
	case rest[0] == '\\':
		return p.escape(rest)
	case rest[0] == '[':
		return p.class(rest)
	case strings.HasPrefix(rest, "(?#"):
		n := strings.IndexByte(rest, ')')
		if n < 0 {
			return errOpen
		}
		p.pos += n + 1
	case strings.HasPrefix(rest, "(?"), strings.HasPrefix(rest, "(*"):
		return p.construct(rest)
	default:
		p.take(1)
	}
	return nil
}

// take copies n bytes.
func (p *perl) take(n int) {
	p.out.WriteString(p.src[p.pos : p.pos+n])
	p.pos += n
}

// put leaves n bytes out and writes s for them.
func (p *perl) put(n int, s string) {
	p.out.WriteString(s)
	p.pos += n
}

// part leaves n bytes out that stand for a node.
func (p *perl) part(n int, of *node) {
	p.put(n, fmt.Sprintf("(?P<%s%d>)", partName, len(p.parts)))
	p.parts = append(p.parts, of)
}

func (p *perl) escape(rest string) error {
	if len(rest) == 1 {
		return errBackslash
	}
	switch c := rest[1]; c {
	case 'K':
		p.part(2, &node{kind: nodeKeep})
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		p.part(2, &node{kind: nodeRef, index: p.base + int(c-'0'), ci: p.IgnoreCase || strings.Contains(p.flags, "i")})
	case 'h':
		p.put(2, `[ \t]`)
	case 'H':
		p.put(2, `[^ \t]`)
	case 'R':
		p.put(2, `(?:\r\n|[\n-\r])`)
	case 'N':
		p.put(2, `[^\n]`)
	case 'Z':
		p.put(2, `\z`)
	case 'e':
		p.put(2, `\x1b`)
	case 'g', 'k':
		return unsupported(`\`+string(c), `\1 to \9`)
	case 'G', 'X', 'C':
		return unsupported(`\`+string(c), "another pattern")
	default:
		p.take(2)
	}
	return nil
}

// class copies a bracket expression.
func (p *perl) class(rest string) error {
	n := 1
	if strings.HasPrefix(rest[n:], "^") {
		n++
	}
	if strings.HasPrefix(rest[n:], "]") {
		n++
	}
	p.put(n, strings.Replace(rest[:n], "]", `\]`, 1))
	for p.pos < len(p.src) {
		rest = p.src[p.pos:]
		end := strings.Index(rest, ":]")
		switch {
		case rest[0] == ']':
			p.take(1)
			return nil
		case strings.HasPrefix(rest, "[:") && end > 0:
			p.take(end + 2)
		case rest[0] == '[':
			p.put(1, `\[`)
		case strings.HasPrefix(rest, `\h`):
			p.put(2, ` \t`)
		case strings.HasPrefix(rest, `\e`):
			p.put(2, `\x1b`)
		case rest[0] == '\\' && len(rest) > 1:
			p.take(2)
		default:
			p.take(1)
		}
	}
	return errors.New("missing terminating ] for character class")
}

// construct reads what begins with (? or (*.
func (p *perl) construct(rest string) error {
	if strings.HasPrefix(rest, "(*") {
		return unsupported("verbs (*…)", "another pattern")
	}
	for _, l := range []struct {
		opens       string
		behind, not bool
	}{{"(?=", false, false}, {"(?!", false, true}, {"(?<=", true, false}, {"(?<!", true, true}} {
		if !strings.HasPrefix(rest, l.opens) {
			continue
		}
		end := closing(rest)
		if end < 0 {
			return errOpen
		}
		in := &perl{Options: p.Options, src: p.flags + rest[len(l.opens):end], base: p.base}
		n, count, err := in.parse()
		if err != nil {
			return err
		}
		if count > 0 {
			return unsupported("groups in a look-around", "(?:…) there")
		}
		p.part(end+1, &node{kind: nodeLook, subs: []*node{n}, behind: l.behind, not: l.not})
		return nil
	}
	switch c := rest[2:]; {
	case strings.HasPrefix(c, ">"):
		return unsupported("atomic groups (?>…)", "(?:…)")
	case strings.HasPrefix(c, "|"):
		return unsupported("branch reset (?|…)", "(?:…)")
	case strings.HasPrefix(c, "("), strings.HasPrefix(c, "R"), strings.HasPrefix(c, "&"),
		c != "" && c[0] >= '0' && c[0] <= '9':
		return unsupported("recursion and conditions", "another pattern")
	}
	p.take(2)
	return nil
}

// closing is the position of the parenthesis that closes the first one of s, or
// -1.
func closing(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			i = classEnd(s, i)
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// classEnd is where the bracket expression ends that begins at i.
func classEnd(s string, i int) int {
	i++
	if i < len(s) && s[i] == '^' {
		i++
	}
	for first := i; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == ']' && i > first:
			return i
		case strings.HasPrefix(s[i:], "[:"):
			if end := strings.Index(s[i:], ":]"); end > 0 {
				i += end + 1
			}
		}
	}
	return i
}

// converter makes nodes of what the standard library read.
type converter struct {
	*perl
	numbers []int // of its groups, without parts
	count   int
}

func (c *converter) nodes(res []*syntax.Regexp) []*node {
	var all []*node
	for _, re := range res {
		all = append(all, c.node(re))
	}
	return all
}

func (c *converter) node(re *syntax.Regexp) *node {
	lazy := re.Flags&syntax.NonGreedy != 0
	times := func(low, high int) *node {
		return &node{kind: nodeRepeat, subs: c.nodes(re.Sub), min: low, max: high, lazy: lazy}
	}
	switch re.Op {
	case syntax.OpNoMatch:
		return setNode(nil)
	case syntax.OpLiteral:
		return literal(re.Rune, re.Flags&syntax.FoldCase != 0)
	case syntax.OpCharClass:
		var s set
		for i := 0; i < len(re.Rune); i += 2 {
			s = append(s, span{re.Rune[i], re.Rune[i+1]})
		}
		return setNode(newSet(s...))
	case syntax.OpAnyCharNotNL:
		return setNode(set{{'\n', '\n'}}.negate())
	case syntax.OpAnyChar:
		return setNode(anything)
	case syntax.OpCapture:
		if strings.HasPrefix(re.Name, partName) {
			var at int
			fmt.Sscan(re.Name[len(partName):], &at)
			return c.parts[at]
		}
		return &node{kind: nodeGroup, index: c.base + c.numbers[re.Cap], subs: c.nodes(re.Sub)}
	case syntax.OpStar:
		return times(0, -1)
	case syntax.OpPlus:
		return times(1, -1)
	case syntax.OpQuest:
		return times(0, 1)
	case syntax.OpRepeat:
		return times(re.Min, re.Max)
	case syntax.OpConcat:
		return concat(c.nodes(re.Sub)...)
	case syntax.OpAlternate:
		return alternate(c.nodes(re.Sub))
	}
	if a, ok := perlAssertions[re.Op]; ok {
		return assertion(a)
	}
	return concat()
}

var perlAssertions = map[syntax.Op]condition{
	syntax.OpBeginLine:      lineStart,
	syntax.OpEndLine:        lineFinish,
	syntax.OpBeginText:      textStart,
	syntax.OpEndText:        textEnd,
	syntax.OpWordBoundary:   wordBoundary,
	syntax.OpNoWordBoundary: noWordBoundary,
}

func literal(runes []rune, ignoreCase bool) *node {
	var all []*node
	for _, r := range runes {
		n := runeNode(r, false)
		if ignoreCase {
			n.ci = true
			for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
				n.set = append(n.set, span{o, o})
			}
			n.set = newSet(n.set...)
		}
		all = append(all, n)
	}
	return concat(all...)
}
