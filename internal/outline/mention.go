package outline

import (
	"bytes"
	"strings"
)

// Mentions tells whether a link in data may have a target whose last part is
// what is looks for. It does not parse the document, so it is fast, and it may
// say yes where [Links] finds nothing, in code for one; it never says no where
// Links finds such a target.
func Mentions(data []byte, is func(name string) bool) bool {
	for i := 0; i < len(data); i++ {
		n := bytes.IndexAny(data[i:], "[]")
		if n < 0 || i+n+1 >= len(data) {
			return false
		}
		i += n
		rest := data[i+2:]
		switch string(data[i : i+2]) {
		case "[[":
			if mentionsWiki(rest, is) {
				return true
			}
		case "](", "]:":
			if mentionsDestination(rest, is) {
				return true
			}
		}
	}
	return false
}

func mentionsWiki(s []byte, is func(string) bool) bool {
	if end := bytes.IndexAny(s, "[]|#\n"); end >= 0 {
		s = s[:end]
	}
	name := strings.TrimSpace(strings.TrimSuffix(string(s), `\`))
	if name == "" {
		return false
	}
	// Quotes of front matter are read where they are.
	return strings.Contains(name, `\`) || strings.Contains(name, "''") || is(last(name))
}

func mentionsDestination(s []byte, is func(string) bool) bool {
	s = bytes.TrimLeft(s, " \t\r\v\f")
	if len(s) == 0 {
		return false
	}
	if s[0] == '\n' {
		return true // the target is on the next line, behind whatever begins it
	}
	n := extent(s)
	if n == longest {
		return true
	}
	l, ok := destination(string(s[:n]))
	if strings.HasPrefix(l.raw, "<") { // in brackets
		l, ok = destination(l.raw[1:])
	}
	return ok && l.Target != "" && is(last(l.Target))
}

// Where the search for the end of a destination is given up. No path is longer,
// even with every byte escaped, and CommonMark allows a limit for parentheses.
// Otherwise many that never end would take the square of the length.
const (
	longest = 3 << 12
	deepest = 32
)

// extent is the length of the destination at the start of s, or longest.
func extent(s []byte) int {
	s = s[:min(len(s), longest)]
	angle, depth := s[0] == '<', 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\n':
			return i
		case c == '\\' && i+1 < len(s) && isPunct(s[i+1]):
			i++
		case angle:
			if c == '>' {
				return i
			}
		case c == '(':
			if depth++; depth > deepest {
				return longest
			}
		case c == ')':
			if depth--; depth < 0 {
				return i
			}
		case c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f':
			return i
		}
	}
	return len(s)
}

func last(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
