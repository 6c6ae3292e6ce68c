package command

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// trSet is a STRING of tr: bytes, ranges, classes and repetitions.
type trSet struct {
	items []trItem
}

// trItem is a piece of a set.
type trItem struct {
	bytes  []byte
	class  string // "upper", … if it is a class
	equals bool   // an equivalence class, [=c=]
	repeat int    // of [c*n]: how often the byte comes; -1 for [c*]: as often as needed; 0: no repetition
}

// trClasses tell which bytes are in a class.
var trClasses = map[string]func(b byte) bool{
	"alnum":  func(b byte) bool { return isLetter(b) || isDigit(b) },
	"alpha":  isLetter,
	"blank":  func(b byte) bool { return b == ' ' || b == '\t' },
	"cntrl":  func(b byte) bool { return b < ' ' || b == 0x7f },
	"digit":  isDigit,
	"graph":  func(b byte) bool { return b > ' ' && b < 0x7f },
	"lower":  func(b byte) bool { return 'a' <= b && b <= 'z' },
	"print":  func(b byte) bool { return b >= ' ' && b < 0x7f },
	"punct":  func(b byte) bool { return b > ' ' && b < 0x7f && !isLetter(b) && !isDigit(b) },
	"space":  func(b byte) bool { return b == ' ' || '\t' <= b && b <= '\r' },
	"upper":  func(b byte) bool { return 'A' <= b && b <= 'Z' },
	"xdigit": func(b byte) bool { return isDigit(b) || 'a' <= b && b <= 'f' || 'A' <= b && b <= 'F' },
}

// trText is a set with its escapes resolved. An escaped byte has no meaning but
// itself.
type trText struct {
	bytes   []byte
	escaped []bool
}

func (t *trText) is(i int, b byte) bool {
	return i < len(t.bytes) && t.bytes[i] == b && !t.escaped[i]
}

func unescapeTr(c *Call, s string) trText {
	var t trText
	add := func(b byte, escaped bool) {
		t.bytes, t.escaped = append(t.bytes, b), append(t.escaped, escaped)
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			add(s[i], false)
			continue
		}
		if i++; i == len(s) {
			c.Fail(0, "warning: an unescaped backslash at end of string is not portable")
			add('\\', true)
			break
		}
		if at := strings.IndexByte(`abfnrtv\`, s[i]); at >= 0 {
			add("\a\b\f\n\r\t\v\\"[at], true)
			continue
		}
		n := 0
		for n < 3 && i+n < len(s) && '0' <= s[i+n] && s[i+n] <= '7' {
			n++
		}
		if n == 0 {
			add(s[i], true)
			continue
		}
		value, _ := strconv.ParseUint(s[i:i+n], 8, 16)
		if value > 255 {
			c.Fail(0, "warning: the ambiguous octal escape \\%s is being\n\tinterpreted as the 2-byte sequence \\0%s, %s", s[i:i+3], s[i:i+2], s[i+2:i+3])
			value, _ = strconv.ParseUint(s[i:i+2], 8, 16)
			n = 2
		}
		add(byte(value), true)
		i += n - 1
	}
	return t
}

// parseTrSet reads a set.
func parseTrSet(c *Call, s string) (*trSet, error) {
	t := unescapeTr(c, s)
	set := &trSet{}
	for i := 0; i < len(t.bytes); {
		item, n, err := t.bracket(i)
		if err != nil {
			return nil, err
		}
		if n > 0 {
			set.items = append(set.items, item)
			i += n
			continue
		}
		if t.is(i+1, '-') && i+2 < len(t.bytes) {
			low, high := t.bytes[i], t.bytes[i+2]
			if high < low {
				return nil, fmt.Errorf("range-endpoints of '%s-%s' are in reverse collating sequence order", trChar(low), trChar(high))
			}
			set.items = append(set.items, trItem{bytes: byteRange(low, high)})
			i += 3
			continue
		}
		set.items = append(set.items, trItem{bytes: t.bytes[i : i+1]})
		i++
	}
	return set, nil
}

func trChar(b byte) string {
	if b < ' ' || b >= 0x7f {
		return fmt.Sprintf(`\%03o`, b)
	}
	return string(rune(b))
}

func byteRange(low, high byte) []byte {
	var all []byte
	for b := int(low); b <= int(high); b++ {
		all = append(all, byte(b))
	}
	return all
}

// bracket reads [:class:], [=c=] or [c*n] at i; n is 0 if there is none.
func (t *trText) bracket(i int) (item trItem, n int, err error) {
	if !t.is(i, '[') {
		return trItem{}, 0, nil
	}
	for _, kind := range []byte(":=") {
		if !t.is(i+1, kind) {
			continue
		}
		if end := t.close(i+2, kind); end >= 0 {
			if end == i+2 && t.is(i+2, kind) && t.is(i+3, kind) {
				continue
			}
			return t.class(kind, t.bytes[i+2:end], end+2-i)
		}
	}
	if i+2 < len(t.bytes) && t.is(i+2, '*') {
		return t.repetition(i)
	}
	return trItem{}, 0, nil
}

// close finds the end of a class, ":]" or "=]", behind at least one byte.
func (t *trText) close(from int, kind byte) int {
	for i := from; i+1 < len(t.bytes); i++ {
		if t.is(i, kind) && t.is(i+1, ']') {
			return i
		}
	}
	return -1
}

func (t *trText) class(kind byte, name []byte, n int) (trItem, int, error) {
	if kind == '=' {
		switch len(name) {
		case 0:
			return trItem{}, 0, errors.New("missing equivalence class character '[==]'")
		case 1:
			return trItem{bytes: name, equals: true}, n, nil
		}
		return trItem{}, 0, fmt.Errorf("%s: equivalence class operand must be a single character", name)
	}
	if len(name) == 0 {
		return trItem{}, 0, errors.New("missing character class name '[::]'")
	}
	in := trClasses[string(name)]
	if in == nil {
		return trItem{}, 0, fmt.Errorf("invalid character class %s", curly(string(name)))
	}
	item := trItem{class: string(name)}
	for b := range 256 {
		if in(byte(b)) {
			item.bytes = append(item.bytes, byte(b))
		}
	}
	return item, n, nil
}

func (t *trText) repetition(i int) (trItem, int, error) {
	end := i + 3
	for end < len(t.bytes) && !t.is(end, ']') {
		if t.escaped[end] {
			return trItem{}, 0, nil
		}
		end++
	}
	if end == len(t.bytes) {
		return trItem{}, 0, nil
	}
	item := trItem{bytes: t.bytes[i+1 : i+2], repeat: -1}
	if digits := string(t.bytes[i+3 : end]); digits != "" {
		base := 10
		if digits[0] == '0' {
			base = 8
		}
		count, err := strconv.ParseUint(digits, base, 31)
		if err != nil {
			return trItem{}, 0, fmt.Errorf("invalid repeat count %s in [c*n] construct", curly(digits))
		}
		if count > 0 {
			item.repeat = int(count)
		}
	}
	return item, end + 1 - i, nil
}

// noRepeats is an error for a STRING1 that has [c*].
func (s *trSet) noRepeats() error {
	for _, item := range s.items {
		if item.repeat < 0 {
			return errors.New("the [c*] repeat construct may not appear in string1")
		}
	}
	return nil
}

// mostRepeats is how often [c*n] can count: no STRING1 has more bytes.
const mostRepeats = 1 << 16

// bytes are all bytes of the set, in order. A [c*] that was not filled has none.
func (s *trSet) bytes() []byte {
	var all []byte
	for _, item := range s.items {
		if item.repeat != 0 {
			all = append(all, bytes.Repeat(item.bytes, min(max(item.repeat, 0), mostRepeats))...)
		} else {
			all = append(all, item.bytes...)
		}
	}
	return all
}

// fill makes [c*] so long that the set has n bytes; with more than one, it is an
// error.
func (s *trSet) fill(n int) error {
	var open *trItem
	for i := range s.items {
		if s.items[i].repeat < 0 {
			if open != nil {
				return errors.New("only one [c*] repeat construct may appear in string2")
			}
			open = &s.items[i]
		}
	}
	if open != nil {
		have := len(s.bytes())
		open.repeat = max(0, n-have)
		if open.repeat == 0 {
			open.repeat, open.bytes = 1, nil
		}
	}
	return nil
}

// translating makes sure that a STRING2 can replace a STRING1 of n bytes.
func (s *trSet) translating(first *trSet, n int, complement, truncate bool) error {
	if err := s.fill(n); err != nil {
		return err
	}
	for _, item := range s.items {
		if item.equals {
			return errors.New("[=c=] expressions may not appear in string2 when translating")
		}
		if item.class != "" && item.class != "upper" && item.class != "lower" {
			return errors.New("when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'")
		}
	}
	if !complement {
		if err := s.aligned(first); err != nil {
			return err
		}
	}
	have := len(s.bytes())
	if have == 0 && n > 0 && !truncate {
		return errors.New("when not truncating set1, string2 must be non-empty")
	}
	if n > have && !truncate && len(s.items) > 0 && s.items[len(s.items)-1].class != "" {
		return errors.New("when translating with string1 longer than string2,\nthe latter string must not end with a character class")
	}
	if complement {
		for _, item := range first.items {
			if item.class != "" && have > 0 && bytes.Count(s.bytes(), s.bytes()[:1]) != have {
				return errors.New("when translating with complemented character classes,\nstring2 must map all characters in the domain to one")
			}
		}
	}
	return nil
}

// aligned makes sure that a class in STRING2 stands against one in STRING1 that is
// upper or lower as well.
func (s *trSet) aligned(first *trSet) error {
	starts := map[int]bool{}
	at := 0
	for _, item := range first.items {
		if item.class == "upper" || item.class == "lower" {
			starts[at] = true
		}
		at += len(item.bytes)
	}
	length := at
	at = 0
	for _, item := range s.items {
		if item.class != "" && at <= length && !starts[at] {
			return errors.New("misaligned [:upper:] and/or [:lower:] construct")
		}
		if item.repeat > 0 {
			at += item.repeat * len(item.bytes)
		} else {
			at += len(item.bytes)
		}
	}
	return nil
}
