package llm

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"
)

// PartialJSON makes the beginning of a JSON text readable: it closes what is
// open and drops what is not yet a value. A cut string keeps what has come of
// it. If not even the beginning is JSON it returns an empty object.
func PartialJSON(text string) json.RawMessage {
	text = strings.TrimLeft(text, " \t\r\n")
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	var s partial
	for i := 0; i < len(text); i++ {
		if !s.step(text, i) {
			break
		}
	}
	if out := s.close(text); json.Valid([]byte(out)) {
		return json.RawMessage(out)
	}
	if out := text[:s.good] + s.closers(s.goodDepth); json.Valid([]byte(out)) {
		return json.RawMessage(out)
	}
	return noArguments()
}

// partial is a scanner that remembers the last place where the text could be
// closed: after a value, or after an opening bracket.
type partial struct {
	stack     []byte // '{' and '['
	inString  bool
	escape    int // bytes of an escape sequence still to come, or -1 right after the backslash
	start     int // of the current string
	good      int // the text up to here can be closed
	goodDepth int
	scalar    bool // inside a number or a word
	key       bool // the string that just ended or goes on is a key
	expectKey bool
	cutAt     int // inside a string: the place up to which it is whole
}

func (s *partial) step(text string, i int) bool {
	c := text[i]
	if s.inString {
		s.stepString(c, i)
		return true
	}
	switch c {
	case '"':
		s.endScalar(i)
		s.inString, s.start, s.cutAt = true, i, i+1
		s.key = s.expectKey
	case '{', '[':
		s.stack = append(s.stack, c)
		s.expectKey = c == '{'
		s.mark(i + 1)
	case '}', ']':
		s.endScalar(i)
		if len(s.stack) == 0 {
			return false
		}
		s.stack = s.stack[:len(s.stack)-1]
		s.expectKey = false
		s.mark(i + 1)
		return len(s.stack) > 0
	case ',':
		s.endScalar(i)
		s.expectKey = len(s.stack) > 0 && s.stack[len(s.stack)-1] == '{'
	case ':':
		s.expectKey = false
	case ' ', '\t', '\n', '\r':
		s.endScalar(i)
	default:
		s.scalar = true
	}
	return true
}

func (s *partial) stepString(c byte, i int) {
	switch {
	case s.escape == -1:
		s.escape = 0
		if c == 'u' {
			s.escape = 4
		}
	case s.escape > 0:
		s.escape--
	case c == '\\':
		s.escape = -1
		return
	case c == '"':
		s.inString = false
		if !s.key {
			s.mark(i + 1)
		}
		return
	}
	if s.escape == 0 {
		s.cutAt = i + 1
	}
}

func (s *partial) endScalar(i int) {
	if s.scalar {
		s.scalar = false
		s.mark(i)
	}
}

func (s *partial) mark(i int) { s.good, s.goodDepth = i, len(s.stack) }

// close completes the text as it stands, if its end is inside a value.
func (s *partial) close(text string) string {
	switch {
	case s.inString && !s.key:
		return wholeRunes(text[:s.cutAt]) + `"` + s.closers(len(s.stack))
	case s.scalar:
		return text + s.closers(len(s.stack))
	}
	return text[:s.good] + s.closers(s.goodDepth)
}

// wholeRunes drops from the end what is only part of a rune: a high surrogate
// whose low one has not come, or the first bytes of a UTF-8 sequence.
func wholeRunes(text string) string {
	if i := len(text) - len(`\ud800`); i >= 0 && highSurrogate.MatchString(text[i:]) && !escaped(text, i) {
		return text[:i]
	}
	for i := len(text) - 1; i >= max(0, len(text)-utf8.UTFMax); i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRuneInString(text[i:]) {
				return text[:i]
			}
			break
		}
	}
	return text
}

var highSurrogate = regexp.MustCompile(`^\\u[dD][89abAB][0-9a-fA-F]{2}$`)

// escaped reports whether the backslash at i is itself escaped.
func escaped(text string, i int) bool {
	before := text[:i]
	return (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
}

func (s *partial) closers(depth int) string {
	var b strings.Builder
	for i := min(depth, len(s.stack)) - 1; i >= 0; i-- {
		b.WriteByte(s.stack[i] + 2) // '{'+2 is '}', '['+2 is ']'
	}
	return b.String()
}
