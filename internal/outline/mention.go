package outline

import "bytes"

// Mentions tells whether a link in data may have a target whose last part is
// what is looks for. It does not parse the document, so it is fast, and it may
// say yes where [Links] finds nothing, in code for one; it never says no where
// Links finds such a target. is must not keep the name.
func Mentions(data []byte, is func(name []byte) bool) bool {
	var buf []byte // for names that have to be decoded
	seen := 0      // no wikilink begins before it
	for i := 0; ; i++ {
		n := bytes.IndexByte(data[i:], ']')
		if n < 0 || i+n+1 >= len(data) {
			return false
		}
		i += n
		found := false
		switch data[i+1] {
		case ']':
			found = mentionsWiki(data[seen:i], is)
			seen = i
		case '(', ':':
			found = mentionsDestination(data[i+2:], &buf, is)
		}
		if found {
			return true
		}
	}
}

// mentionsWiki looks at the wikilink that ends where s does.
func mentionsWiki(s []byte, is func([]byte) bool) bool {
	begin := bytes.LastIndex(s, []byte("[["))
	if begin < 0 {
		return false
	}
	s = s[begin+len("[["):]
	if end := bytes.IndexAny(s, "[]|#\n"); end >= 0 {
		if s[end] == '|' && end > 0 && s[end-1] == '\\' {
			end--
		}
		s = s[:end]
	}
	if s = bytes.TrimSpace(s); len(s) == 0 {
		return false
	}
	// Quotes of front matter are read where they are.
	return bytes.IndexByte(s, '\\') >= 0 || bytes.Contains(s, []byte("''")) || is(last(s))
}

func mentionsDestination(s []byte, buf *[]byte, is func([]byte) bool) bool {
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
	s = bytes.TrimPrefix(s[:n], []byte("<"))
	if bytes.ContainsAny(s, `#?\&`) {
		l, ok := destination(string(s))
		return ok && l.Target != "" && is(last([]byte(l.Target)))
	}
	if s = last(s); bytes.IndexByte(s, '%') < 0 {
		return is(s)
	}
	*buf = appendDecoded((*buf)[:0], s)
	return is(last(*buf)) || is(s) // as it is, if it can be decoded but the folders cannot
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

func last(path []byte) []byte { return path[bytes.LastIndexByte(path, '/')+1:] }
