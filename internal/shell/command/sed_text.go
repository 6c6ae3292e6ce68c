package command

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"redline/internal/shell/regex"
)

// lines reads the text of a, i and c, up to the end of a line that has no backslash
// there.
func (p *sedParser) lines(k *sedCommand) error {
	p.blanks(false)
	if p.at == len(p.text) || p.peek() == '\n' {
		return p.fail("expected \\ after `a', `c' or `i'")
	}
	if p.peek() == '\\' {
		p.at++
		begin := p.at
		p.blanks(false)
		if p.at == len(p.text) {
			return nil // no text at all
		}
		if p.peek() == '\n' {
			p.at++
		} else {
			p.at = begin
		}
	}
	for {
		c, ok := p.next()
		if !ok || c == '\n' {
			break
		}
		if c == '\\' {
			if p.at == len(p.text) {
				break
			}
			var escaped []byte
			escaped, n := sedEscape(p.text[p.at:])
			p.at += n
			k.text = append(k.text, escaped...)
			continue
		}
		k.text = append(k.text, c)
	}
	if p.nulls && k.name == 'i' {
		k.text = append(k.text, 0)
	} else {
		k.text = append(k.text, '\n')
	}
	return nil
}

// sedEscape is what an escape stands for; s begins behind the backslash. It returns
// how much of s belongs to it.
func sedEscape(s string) ([]byte, int) {
	if at := strings.IndexByte("afnrtv", s[0]); at >= 0 {
		return []byte{"\a\f\n\r\t\v"[at]}, 1
	}
	base, most := 0, 0
	switch s[0] {
	case 'c':
		if len(s) > 1 {
			return []byte{upper(s[1]) ^ 0x40}, 2
		}
	case 'd':
		base, most = 10, 3
	case 'o':
		base, most = 8, 3
	case 'x':
		base, most = 16, 2
	}
	for n := min(most, len(s)-1); n > 0; n-- {
		if value, err := strconv.ParseUint(s[1:1+n], base, 16); err == nil {
			return []byte{byte(value)}, 1 + n
		}
	}
	_, n := utf8.DecodeRuneInString(s)
	return []byte(s[:n]), n
}

// replacement reads the right side of s. It returns the largest group that it names.
func replacement(text string) (parts []sedPart, most int) {
	part := sedPart{group: -1}
	flush := func() {
		if part.turn != 0 || part.text != nil || part.group >= 0 {
			parts = append(parts, part)
		}
		part = sedPart{group: -1}
	}
	group := func(n int) {
		part.group = n
		most = max(most, n)
		flush()
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '&':
			group(0)
			continue
		case c != '\\' || i+1 == len(text):
			part.text = append(part.text, c)
			continue
		}
		i++
		switch c = text[i]; {
		case isDigit(c):
			group(int(c - '0'))
		case strings.IndexByte("ULulE", c) >= 0:
			flush()
			part.turn = c
		default:
			escaped, n := sedEscape(text[i:])
			part.text = append(part.text, escaped...)
			i += n - 1
		}
	}
	flush()
	return parts, most
}

// substitution reads what is behind s.
func (p *sedParser) substitution(k *sedCommand) error {
	s := &sedSubst{}
	k.subst = s
	delimiter, _ := p.next()
	pattern, ok := p.delimited(delimiter, true)
	if !ok {
		return p.fail("unterminated `s' command")
	}
	right, ok := p.delimited(delimiter, false)
	if !ok {
		return p.fail("unterminated `s' command")
	}
	var most int
	s.parts, most = replacement(right)
	o := p.options()
	if err := p.flags(s, &o); err != nil {
		return err
	}
	var err error
	if s.regex, err = p.compile(pattern, o, o.IgnoreCase || o.Multiline); err != nil {
		return err
	}
	if s.regex != nil && most > s.regex.Groups() {
		return p.fail("invalid reference \\%d on `s' command's RHS", most)
	}
	return nil
}

// flags reads the flags of s, up to the end of the command.
func (p *sedParser) flags(s *sedSubst, o *regex.Options) error {
	for {
		c, ok := p.next()
		switch {
		case !ok || c == '\n' || c == ';':
			return nil
		case c == '}' || c == '#':
			p.at--
			return nil
		case c == ' ' || c == '\t' || c == '\r':
		case c == 'i' || c == 'I':
			o.IgnoreCase = true
		case c == 'm' || c == 'M':
			o.Multiline = true
		case c == 'e':
			return p.fail("the flag e of `s' is not available here: no programs are run")
		case c == 'g' && s.all, c == 'p' && s.print:
			return p.fail("multiple `%c' options to `s' command", c)
		case c == 'g':
			s.all = true
		case c == 'p':
			s.print = true
		case isDigit(c):
			p.at--
			if err := p.which(s); err != nil {
				return err
			}
		case c == 'w' && p.sandbox:
			return p.fail("e/r/w commands disabled in sandbox mode")
		case c == 'w':
			var err error
			s.file, err = p.fileName()
			return err
		default:
			return p.fail("unknown option to `s'")
		}
	}
}

// which reads the number of the match to replace.
func (p *sedParser) which(s *sedSubst) error {
	if s.number > 0 {
		p.at++
		return p.fail("multiple number options to `s' command")
	}
	n := digits(p.text[p.at:])
	value, _ := decimal(p.text[p.at : p.at+n])
	p.at += n
	if s.number = int(value); s.number == 0 {
		return p.fail("number option to `s' command may not be zero")
	}
	return nil
}

// transliteration reads what is behind y.
func (p *sedParser) transliteration(k *sedCommand) error {
	delimiter, _ := p.next()
	from, ok := p.delimited(delimiter, false)
	if !ok {
		return p.fail("unterminated `y' command")
	}
	to, ok := p.delimited(delimiter, false)
	if !ok {
		return p.fail("unterminated `y' command")
	}
	left, right := unescapeRunes(from), unescapeRunes(to)
	if len(left) != len(right) {
		return p.fail("strings for `y' command are different lengths")
	}
	k.table = map[rune]rune{}
	for i, r := range left {
		if _, ok := k.table[r]; !ok {
			k.table[r] = right[i]
		}
	}
	return p.finish()
}

// unescapeRunes are the characters of a side of y.
func unescapeRunes(s string) []rune {
	var all []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			all = append(all, s[i])
			continue
		}
		escaped, n := sedEscape(s[i+1:])
		all = append(all, escaped...)
		i += n
	}
	return []rune(string(all))
}
