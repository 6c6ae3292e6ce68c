package regex

import "strings"

// bracket reads a bracket expression behind its opening bracket.
func (p *parser) bracket() (set, error) {
	start := p.pos
	not := p.pos < len(p.src) && p.src[p.pos] == '^'
	if not {
		p.pos++
	}
	var s set
	for first := true; ; first = false {
		if p.pos == len(p.src) {
			return nil, errBracket
		}
		if p.src[p.pos] == ']' && !first {
			break
		}
		part, err := p.member(first)
		if err != nil {
			return nil, err
		}
		s = append(s, part...)
	}
	if in := p.src[start:p.pos]; len(in) > 1 && in[0] == ':' && in[len(in)-1] == ':' {
		return nil, errClassForm
	}
	p.pos++
	s = newSet(s...)
	if p.IgnoreCase {
		s = s.fold()
	}
	if not {
		s = p.withinLine(s.negate())
	}
	return s, nil
}

// member reads a class, a character or a range.
func (p *parser) member(first bool) (set, error) {
	if strings.HasPrefix(p.rest(), "[:") {
		end := strings.Index(p.rest()[2:], ":]")
		if end < 0 {
			return nil, errBracket
		}
		s, ok := class(p.rest()[2 : 2+end])
		if !ok {
			return nil, errClass
		}
		p.pos += end + 4
		if p.ranges() {
			return nil, errRange
		}
		return append(set(nil), s...), nil
	}
	if !first && p.ranges() {
		return nil, errRange // a hyphen is itself only first or last
	}
	low, err := p.element()
	if err != nil || !p.ranges() {
		return set{{low, low}}, err
	}
	p.pos++
	high, err := p.element()
	if err == nil && high < low {
		err = errRange
	}
	return set{{low, high}}, err
}

// ranges says whether a hyphen comes next that is not the last member.
func (p *parser) ranges() bool {
	r := p.rest()
	return len(r) > 1 && r[0] == '-' && r[1] != ']'
}

// element reads one character, perhaps written as [.x.] or [=x=].
func (p *parser) element() (rune, error) {
	r := p.rest()
	if len(r) > 1 && r[0] == '[' && (r[1] == '.' || r[1] == '=') {
		end := strings.Index(r[2:], r[1:2]+"]")
		if end < 0 {
			return 0, errBracket
		}
		c, w := symbolAt([]byte(r[2:]))
		if w != end {
			return 0, errCollation
		}
		p.pos += end + 4
		return c, nil
	}
	if strings.HasPrefix(r, "[:") {
		return 0, errRange
	}
	if r == "" {
		return 0, errBracket
	}
	c, w := symbolAt([]byte(r[:min(4, len(r))]))
	p.pos += w
	return c, nil
}
