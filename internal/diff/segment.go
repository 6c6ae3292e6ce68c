package diff

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"redline/internal/text"
)

// pieces is a text cut into consecutive pieces: piece i ends at ends[i].
type pieces struct {
	data []byte
	ends []int
}

func (p pieces) len() int { return len(p.ends) }

// offset is where piece i starts; offset(len()) is the end.
func (p pieces) offset(i int) int {
	if i == 0 {
		return 0
	}
	return p.ends[i-1]
}

func (p pieces) at(i int) []byte { return p.data[p.offset(i):p.ends[i]] }

func (p pieces) slice(r text.Range) []byte { return p.data[p.offset(r.Start):p.offset(r.End)] }

// ids numbers the pieces.
func (p pieces) ids(t *interner) []int32 {
	out := make([]int32, p.len())
	for i := range out {
		out[i] = t.id(p.at(i))
	}
	return out
}

// words cuts s into words, runs of white space, line terminators, and single
// other characters.
func words(s []byte) pieces {
	p := pieces{data: s, ends: make([]int, 0, len(s)/4+1)}
	for at := 0; at < len(s); {
		at += wordLen(s[at:])
		p.ends = append(p.ends, at)
	}
	return p
}

// wordLen is the length of the first piece of s, which is not empty.
func wordLen(s []byte) int {
	switch c := s[0]; {
	case c == '\n':
		return 1
	case c == '\r':
		if len(s) > 1 && s[1] == '\n' {
			return 2
		}
		return 1
	case isBlank(c):
		n := 1
		for n < len(s) && isBlank(s[n]) {
			n++
		}
		return n
	case c < utf8.RuneSelf && !isWordByte(c):
		return 1 + marksLen(s[1:])
	}
	r, size := utf8.DecodeRune(s)
	switch {
	case isLoner(r):
		return size + marksLen(s[size:])
	case isWordRune(r):
		return lettersLen(s)
	case isRegional(r): // two of them make a flag
		if r, n := utf8.DecodeRune(s[size:]); isRegional(r) {
			size += n
		}
	}
	return size + marksLen(s[size:])
}

// lettersLen is the length of the run of letters, digits and marks at the start
// of s. An apostrophe between letters and a point or comma between digits
// belong to it.
func lettersLen(s []byte) int {
	n := 0
	for n < len(s) {
		c := s[n]
		if isWordByte(c) {
			n++
			continue
		}
		if c < utf8.RuneSelf && !(n > 0 && n+1 < len(s) && joins(s[n-1], c, s[n+1])) {
			return n
		}
		r, size := utf8.DecodeRune(s[n:])
		if r == '’' && n > 0 && n+size < len(s) && joins(s[n-1], '\'', s[n+size]) || c < utf8.RuneSelf || isWordRune(r) && !isLoner(r) {
			n += size
			continue
		}
		return n
	}
	return n
}

// joins tells whether c holds the bytes around it together as one word.
func joins(before, c, behind byte) bool {
	switch c {
	case '\'':
		return isLetterByte(before) && isLetterByte(behind)
	case '.', ',':
		return isDigit(before) && isDigit(behind)
	}
	return false
}

// marksLen is the length of what at the start of s combines with the character
// before it: accents, variation selectors, skin tones, joined emoji.
func marksLen(s []byte) int {
	n := 0
	for n < len(s) && s[n] >= utf8.RuneSelf {
		r, size := utf8.DecodeRune(s[n:])
		switch {
		case r == '\u200d': // zero width joiner, with what it joins
			_, next := utf8.DecodeRune(s[n+size:])
			n += size + next
		case unicode.IsMark(r) || r >= 0x1f3fb && r <= 0x1f3ff:
			n += size
		default:
			return n
		}
	}
	return n
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\v' || c == '\f' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isLetterByte also accepts the bytes of letters outside ASCII.
func isLetterByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isWordByte(byte(r))
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

// isLoner tells whether r is written without spaces around words, so that each
// such character counts as a word.
func isLoner(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func isRegional(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// isWord tells whether the piece s is a word and not space or punctuation.
func isWord(s []byte) bool {
	r, _ := utf8.DecodeRune(s)
	return isWordRune(r)
}

// sentences cuts s behind each sentence with the space that follows it, and
// behind lines that the next line does not continue: at blank lines, and
// before list items, headings, quotes and the like.
func sentences(s []byte) pieces {
	p := pieces{data: s}
	for at := 0; at < len(s); {
		at += sentenceLen(s[at:])
		p.ends = append(p.ends, at)
	}
	return p
}

func sentenceLen(s []byte) int {
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\n':
			if i++; len(bytes.TrimLeft(s[:i], " \t\r\n")) == 0 || !continues(s[i:]) {
				return i
			}
		case c == '.' || c == '!' || c == '?':
			i = skip(s, i, ".!?")
			i = skip(s, i, closers)
			if i == len(s) || isBlank(s[i]) || s[i] == '\n' || s[i] == '\r' {
				return spaceEnd(s, i)
			}
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(s[i:])
			i += size
			if r == '。' || r == '！' || r == '？' {
				return spaceEnd(s, skip(s, i, closers))
			}
		default:
			i++
		}
	}
	return len(s)
}

// closers may stand between the end of a sentence and the space behind it.
const closers = "\"')]}*_`’”»」』）"

// skip passes over the characters of set.
func skip(s []byte, i int, set string) int {
	for i < len(s) {
		r, size := utf8.DecodeRune(s[i:])
		if !strings.ContainsRune(set, r) || r == utf8.RuneError {
			break
		}
		i += size
	}
	return i
}

// spaceEnd passes over blanks and one line terminator.
func spaceEnd(s []byte, i int) int {
	for i < len(s) && isBlank(s[i]) {
		i++
	}
	if i+1 < len(s) && s[i] == '\r' && s[i+1] == '\n' {
		return i + 2
	}
	if i < len(s) && s[i] == '\n' {
		return i + 1
	}
	return i
}

// continues tells whether the line at the start of s goes on with a sentence.
func continues(s []byte) bool {
	for len(s) > 0 && isBlank(s[0]) {
		s = s[1:]
	}
	r, _ := utf8.DecodeRune(s)
	return unicode.IsLetter(r)
}

// sub is a part of p as pieces of their own.
func (p pieces) sub(r text.Range) pieces {
	from := p.offset(r.Start)
	ends := make([]int, r.Len())
	for i := range ends {
		ends[i] = p.ends[r.Start+i] - from
	}
	return pieces{p.slice(r), ends}
}
