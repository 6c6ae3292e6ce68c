package regex

import (
	"strconv"
	"strings"
)

// sedEscapes writes the characters for which sed has escapes as themselves, as
// sed does before it reads a pattern: \x2a is the operator *.
func sedEscapes(s string) string {
	var out []byte
	for len(s) > 0 {
		c, w := sedEscape(s)
		switch {
		case w > 0:
			out = append(out, c)
		case s[0] == '\\':
			w = min(2, len(s))
			out = append(out, s[:w]...)
		default:
			w = 1
			out = append(out, s[0])
		}
		s = s[w:]
	}
	return string(out)
}

// sedEscape decodes the escape at the start of s that sed has for a byte. w is
// its length, 0 if there is none.
func sedEscape(s string) (c byte, w int) {
	if len(s) < 2 || s[0] != '\\' {
		return 0, 0
	}
	if i := strings.IndexByte("ntafvr", s[1]); i >= 0 {
		return "\n\t\a\f\v\r"[i], 2
	}
	switch s[1] {
	case 'd':
		return sedNumber(s, 3, 10)
	case 'o':
		return sedNumber(s, 3, 8)
	case 'x':
		return sedNumber(s, 2, 16)
	case 'c':
		if len(s) > 2 {
			return strings.ToUpper(s[2:3])[0] ^ 0x40, 3
		}
	}
	return 0, 0
}

// sedNumber reads up to so many digits behind the first two bytes of s.
func sedNumber(s string, digits, base int) (c byte, w int) {
	w = 2
	value := uint64(0)
	for w < min(len(s), 2+digits) {
		d, err := strconv.ParseUint(s[w:w+1], base, 8)
		if err != nil {
			break
		}
		value = value*uint64(base) + d
		w++
	}
	if w == 2 {
		return 0, 0
	}
	return byte(value), w
}
