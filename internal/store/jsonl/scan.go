package jsonl

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner reads JSON that this package wrote, several times faster than
// encoding/json, which looks at each byte once for every level of a message. It
// knows less: whatever it does not expect (null, invalid UTF-8, a syntax error)
// makes it fail, and the caller asks encoding/json instead, whose word counts.
type scanner struct {
	data   []byte
	at     int
	failed bool
}

func (s *scanner) fail() { s.failed = true }

// peek returns the next byte that is not white space, or 0.
func (s *scanner) peek() byte {
	for s.at < len(s.data) {
		switch c := s.data[s.at]; c {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return c
		}
	}
	return 0
}

func (s *scanner) expect(c byte) bool {
	if s.failed || s.peek() != c {
		s.fail()
		return false
	}
	s.at++
	return true
}

// end says whether everything was read, and without failure.
func (s *scanner) end() bool { return !s.failed && s.peek() == 0 && s.at == len(s.data) }

// object calls field for each field with the scanner before its value, which
// field must read.
func (s *scanner) object(field func(name string)) {
	s.list('{', '}', func() {
		name := s.text()
		if s.expect(':') {
			field(name)
		}
	})
}

// array calls element with the scanner before each element.
func (s *scanner) array(element func()) { s.list('[', ']', element) }

func (s *scanner) list(open, shut byte, element func()) {
	if !s.expect(open) {
		return
	}
	if s.peek() == shut {
		s.at++
		return
	}
	for !s.failed {
		element()
		switch s.peek() {
		case ',':
			s.at++
		case shut:
			s.at++
			return
		default:
			s.fail()
		}
	}
}

// quoted returns what is between the quotes of a string, and whether it has
// escapes.
func (s *scanner) quoted() (inner []byte, escaped bool) {
	if !s.expect('"') {
		return nil, false
	}
	start := s.at
	for i := s.at; ; {
		i += plain(s.data[i:])
		switch {
		case i >= len(s.data) || s.data[i] < ' ':
			s.fail()
			return nil, false
		case s.data[i] == '"':
			s.at = i + 1
			return s.data[start:i], escaped
		}
		escaped = true
		if i += 2; i > len(s.data) { // the backslash was the last byte
			s.fail()
			return nil, false
		}
	}
}

// plain counts the bytes up to a quote, a backslash or a control character,
// eight at a time: the lowest byte that is flagged is one of them.
func plain(b []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	n := 0
	for ; n+8 <= len(b); n += 8 {
		w := binary.LittleEndian.Uint64(b[n:])
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		flags := ((w-ones*' ')&^w | (quote-ones)&^quote | (slash-ones)&^slash) & highs
		if flags != 0 {
			return n + bits.TrailingZeros64(flags)/8
		}
	}
	for n < len(b) && b[n] >= ' ' && b[n] != '"' && b[n] != '\\' {
		n++
	}
	return n
}

// text reads a string.
func (s *scanner) text() string {
	inner, escaped := s.quoted()
	if s.failed || !utf8.Valid(inner) {
		s.fail()
		return ""
	}
	if !escaped {
		return string(inner)
	}
	return s.unescape(inner)
}

func (s *scanner) unescape(inner []byte) string {
	var out strings.Builder
	out.Grow(len(inner))
	for {
		i := bytes.IndexByte(inner, '\\')
		if i < 0 {
			out.Write(inner)
			return out.String()
		}
		out.Write(inner[:i])
		c := inner[i+1] // quoted made sure that there is one
		inner = inner[i+2:]
		if c != 'u' {
			if c = escapes[c]; c == 0 {
				s.fail()
				return ""
			}
			out.WriteByte(c)
			continue
		}
		r, n := unicodeEscape(inner)
		if n == 0 {
			s.fail()
			return ""
		}
		out.WriteRune(r)
		inner = inner[n:]
	}
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unicodeEscape reads the digits behind \u, and the second half of a pair. n is
// 0 for what is no character.
func unicodeEscape(b []byte) (r rune, n int) {
	r = hex4(b)
	if r < 0 {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 4
	}
	if len(b) < 10 || b[4] != '\\' || b[5] != 'u' {
		return 0, 0
	}
	r = utf16.DecodeRune(r, hex4(b[6:]))
	if r == utf8.RuneError {
		return 0, 0
	}
	return r, 10
}

func hex4(b []byte) rune {
	if len(b) < 4 {
		return -1
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// bytes reads a string of base64.
func (s *scanner) bytes() []byte {
	inner, escaped := s.quoted()
	if s.failed || escaped {
		s.fail()
		return nil
	}
	out := make([]byte, base64.StdEncoding.DecodedLen(len(inner)))
	n, err := base64.StdEncoding.Decode(out, inner)
	if err != nil {
		s.fail()
	}
	return out[:n]
}

func (s *scanner) boolean() bool {
	switch raw := s.value(); string(raw) {
	case "true":
		return true
	case "false":
	default:
		s.fail()
	}
	return false
}

// value skips a value of any kind and returns it, as it is in the data. Numbers
// and what is in objects and arrays are not checked.
func (s *scanner) value() []byte {
	s.peek()
	start := s.at
	depth := 0
	for !s.failed {
		switch s.peek() {
		case 0:
			s.fail()
			return nil
		case '"':
			s.quoted()
		case '{', '[':
			depth++
			s.at++
		case '}', ']':
			depth--
			s.at++
		case ',', ':':
			if depth == 0 {
				s.fail()
				return nil
			}
			s.at++
			continue
		default:
			s.word()
		}
		if depth <= 0 {
			break
		}
	}
	if s.failed || depth < 0 {
		s.fail()
		return nil
	}
	return s.data[start:s.at]
}

// word skips a number, true, false or null.
func (s *scanner) word() {
	start := s.at
	for s.at < len(s.data) {
		switch c := s.data[s.at]; {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z', c == 'E', c == '+', c == '-', c == '.':
			s.at++
			continue
		}
		break
	}
	if s.at == start {
		s.fail()
	}
}
