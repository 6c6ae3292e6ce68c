package console

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes a text of unknown origin safe for a terminal: what would move the
// cursor, change colours or the window, or turn the reading direction becomes
// visible, so that nothing is hidden by leaving it out. Line ends and tabs stay;
// CRLF is a line end.
func Clean(s string) string {
	if clean(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
		case r < 0x20:
			b.WriteRune('\u2400' + r) // ESC becomes ␛
		case r == 0x7f:
			b.WriteRune('\u2421')
		case hostile(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default: // invalid UTF-8 is U+FFFD here
			b.WriteRune(r)
		}
	}
	return b.String()
}

func clean(s string) bool {
	for _, r := range s {
		if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && (r == utf8.RuneError || hostile(r)) {
			return false
		}
	}
	return true
}

// hostile are characters above ASCII that a terminal obeys or that reorder what
// is read: C1 controls, bidi marks, embeddings, overrides and isolates, line and
// paragraph separators, tags, and signs that take no room and join nothing.
func hostile(r rune) bool {
	switch {
	case r == 0x7f, unicode.IsControl(r), r == 0x2028, r == 0x2029:
		return true
	case r == 0x200d, r == 0x200c, r == 0xad: // joiners of emoji and scripts, soft hyphen
		return false
	case r >= 0xe0020 && r <= 0xe007f:
		return true
	}
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

// oneLine is s cleaned and on one line.
func oneLine(s string) string {
	return strings.Join(strings.Fields(Clean(s)), " ")
}
