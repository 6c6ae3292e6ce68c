package command

import (
	"bytes"
	"math"
	"strings"
)

// sortKey is a part of lines and how it is ordered.
type sortKey struct {
	field, offset int // where it begins, from 0
	last, until   int // the field where it ends, from 0, and how many of its bytes; 0: all
	skipStart     bool
	skipEnd       bool
	order         sortOrder
	letters       string // the options as written
}

// sortOrder is the options of an order.
type sortOrder struct {
	kind       byte // 'n', 'g', 'h', 'M', 'V', or 0: as text
	fold       bool
	dictionary bool
	printable  bool
	reverse    bool
}

// plain tells whether there are no options: the key then takes those of the command.
func (k *sortKey) plain() bool {
	return k.order == sortOrder{} && !k.skipStart && !k.skipEnd
}

// wholeLine is the key of a sort without keys.
func wholeLine() sortKey { return sortKey{last: math.MaxInt} }

// sortLetters are the letters of orders.
const sortLetters = "bdfghiMnRrV"

// set takes a letter; it tells whether it is one of an order. start and end say
// which ends of the key the letter b is for.
func (k *sortKey) set(letter byte, start, end bool) bool {
	switch letter {
	case 'b':
		k.skipStart = k.skipStart || start
		k.skipEnd = k.skipEnd || end
	case 'd':
		k.order.dictionary = true
	case 'f':
		k.order.fold = true
	case 'i':
		k.order.printable = true
	case 'r':
		k.order.reverse = true
	case 'g', 'h', 'M', 'n', 'V':
		k.order.kind = letter
	default:
		return false
	}
	k.letters += string(letter)
	return true
}

// parseSortKey reads F[.C][OPTS][,F[.C][OPTS]]. It returns what is wrong, or "".
func parseSortKey(text string) (key sortKey, complaint string) {
	bad := func(why string) string { return why + ": invalid field specification " + curly(text) }
	key.last = math.MaxInt
	letters := func(s string, start bool) (string, string) {
		for s != "" && s[0] != ',' {
			if s[0] == 'R' {
				return s, "-R is not available here: nothing here is random; leave it out"
			}
			if !key.set(s[0], start, !start) {
				return s, bad("stray character in field spec")
			}
			s = s[1:]
		}
		return s, ""
	}
	var rest string
	if key.field, rest, complaint = keyNumber(text, "invalid number at field start"); complaint != "" {
		return key, complaint
	}
	if key.field--; key.field < 0 {
		return key, bad("field number is zero")
	}
	if strings.HasPrefix(rest, ".") {
		if key.offset, rest, complaint = keyNumber(rest[1:], "invalid number after '.'"); complaint != "" {
			return key, complaint
		}
		if key.offset--; key.offset < 0 {
			return key, bad("character offset is zero")
		}
	}
	if rest, complaint = letters(rest, true); complaint != "" || rest == "" {
		return key, complaint
	}
	if key.last, rest, complaint = keyNumber(rest[1:], "invalid number after ','"); complaint != "" {
		return key, complaint
	}
	if key.last--; key.last < 0 {
		return key, bad("field number is zero")
	}
	if strings.HasPrefix(rest, ".") {
		if key.until, rest, complaint = keyNumber(rest[1:], "invalid number after '.'"); complaint != "" {
			return key, complaint
		}
	}
	if rest, complaint = letters(rest, false); complaint == "" && rest != "" {
		complaint = bad("stray character in field spec")
	}
	return key, complaint
}

// keyNumber reads digits at the start of text.
func keyNumber(text, what string) (int, string, string) {
	n := digits(text)
	if n == 0 {
		return 0, "", what + ": invalid count at start of " + curly(text)
	}
	value, _ := decimal(text[:n])
	return int(min(value, math.MaxInt32)), text[n:], ""
}

// incompatible are the letters of the key if they cannot go together, "" if they can.
func (k *sortKey) incompatible() string {
	kinds := 0
	var letters string
	for _, letter := range sortLetters {
		if letter == 'b' || letter == 'r' || letter == 'i' && k.order.dictionary || !strings.ContainsRune(k.letters, letter) {
			continue
		}
		letters += string(letter)
		if strings.ContainsRune("ghMn", letter) {
			kinds++
		}
	}
	if kinds > 1 || kinds == 1 && (k.order.dictionary || k.order.printable || strings.Contains(letters, "V")) {
		return letters
	}
	return ""
}

// bounds are where the key begins and ends in a line.
func (k *sortKey) bounds(line []byte, tab int) (int, int) {
	begin := 0
	for i := 0; i < k.field && begin < len(line); i++ {
		begin = skipField(line, begin, tab, true)
	}
	if k.skipStart {
		for begin < len(line) && isBlank(line[begin]) {
			begin++
		}
	}
	begin = min(len(line), begin+k.offset)
	if k.last == math.MaxInt {
		return begin, len(line)
	}
	fields := k.last
	if k.until == 0 {
		fields++
	}
	end := 0
	for i := 0; i < fields && end < len(line); i++ {
		end = skipField(line, end, tab, i < fields-1 || k.until > 0)
	}
	if k.until > 0 {
		if k.skipEnd {
			for end < len(line) && isBlank(line[end]) {
				end++
			}
		}
		end = min(len(line), end+k.until)
	}
	return begin, max(begin, end)
}

// skipField is where a field ends that begins at a position. over says to go over
// the tab behind it.
func skipField(line []byte, at, tab int, over bool) int {
	if tab >= 0 {
		i := bytes.IndexByte(line[at:], byte(tab))
		if i < 0 {
			return len(line)
		}
		if over {
			i++
		}
		return at + i
	}
	for at < len(line) && isBlank(line[at]) {
		at++
	}
	for at < len(line) && !isBlank(line[at]) {
		at++
	}
	return at
}

// compare orders two keys.
func (o *sortOrder) compare(a, b []byte) int {
	order := 0
	switch o.kind {
	case 'n':
		order = compareNumeric(a, b)
	case 'g':
		order = compareGeneral(a, b)
	case 'h':
		order = compareHuman(a, b)
	case 'M':
		order = month(a) - month(b)
	case 'V':
		order = compareVersions(string(o.significant(a)), string(o.significant(b)))
	default:
		if o.fold || o.dictionary || o.printable {
			order = o.compareText(a, b)
		} else {
			order = bytes.Compare(a, b)
		}
	}
	if o.reverse {
		return -order
	}
	return order
}

// ignored tells whether a byte does not count.
func (o *sortOrder) ignored(b byte) bool {
	if o.dictionary {
		return !isBlank(b) && !isLetter(b) && !isDigit(b)
	}
	return o.printable && (b < ' ' || b >= 0x7f)
}

// compareText is for -d, -f and -i.
func (o *sortOrder) compareText(a, b []byte) int {
	i, j := 0, 0
	for {
		for i < len(a) && o.ignored(a[i]) {
			i++
		}
		for j < len(b) && o.ignored(b[j]) {
			j++
		}
		switch {
		case i == len(a) && j == len(b):
			return 0
		case i == len(a):
			return -1
		case j == len(b):
			return 1
		}
		x, y := a[i], b[j]
		if o.fold {
			x, y = upper(x), upper(y)
		}
		if x != y {
			return int(x) - int(y)
		}
		i++
		j++
	}
}

// significant is a text as -d, -f and -i leave it.
func (o *sortOrder) significant(s []byte) []byte {
	if !o.fold && !o.dictionary && !o.printable {
		return s
	}
	var kept []byte
	for _, b := range s {
		if o.ignored(b) {
			continue
		}
		if o.fold {
			b = upper(b)
		}
		kept = append(kept, b)
	}
	return kept
}
