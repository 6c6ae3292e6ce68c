package command

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// unixTime is a number of seconds since 1970 as a time.
func unixTime(seconds int64) time.Time { return time.Unix(seconds, 0).UTC() }

// strftime writes a time as date does: the conversions of GNU, with its flags and
// widths, in the C locale. What is no conversion stays as it is.
func strftime(t time.Time, format string) string {
	var b strings.Builder
	for i := 0; i < len(format); {
		if format[i] != '%' {
			b.WriteByte(format[i])
			i++
			continue
		}
		c, n, ok := parseConversion(format[i:])
		if ok {
			var text string
			if text, ok = c.text(t); ok {
				b.WriteString(text)
			}
		}
		if !ok {
			b.WriteString(format[i : i+n])
		}
		i += n
	}
	return b.String()
}

// conversion is a percent sign with what belongs to it.
type conversion struct {
	flag   byte // - no padding, _ spaces, 0 zeros; 0: as usual
	upper  bool // ^
	swap   bool // #
	width  int  // -1: as usual
	colons int
	letter byte
}

// widestDate is how wide a field of a date may be.
const widestDate = 1000

func parseConversion(s string) (c conversion, length int, ok bool) {
	c.width = -1
	i := 1
	for ; i < len(s); i++ {
		switch s[i] {
		case '-', '_', '0', '+':
			c.flag = s[i]
			continue
		case '^':
			c.upper = true
			continue
		case '#':
			c.swap = true
			continue
		}
		break
	}
	if n := digits(s[i:]); n > 0 {
		c.width, _ = strconv.Atoi(s[i : i+min(n, 5)])
		c.width = min(c.width, widestDate)
		i += n
	}
	for ; i < len(s) && (s[i] == ':' || s[i] == 'E' || s[i] == 'O'); i++ {
		if s[i] == ':' {
			c.colons++
		}
	}
	if i >= len(s) {
		return c, i, false
	}
	c.letter = s[i]
	return c, i + 1, true
}

// text is what the conversion stands for.
func (c conversion) text(t time.Time) (string, bool) {
	if composed, ok := composedDates[c.letter]; ok {
		return c.pad(strftime(t, composed), ' ', 0), true
	}
	if text, ok := c.word(t); ok {
		return text, true
	}
	n, digits, pad, ok := numberOf(t, c.letter)
	switch {
	case c.letter == 'N':
		return c.nanoseconds(t), true
	case c.letter == 'z':
		return c.zone(t), true
	case !ok:
		return "", false
	}
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	return c.pad(sign+strconv.FormatInt(n, 10), pad, digits), true
}

// composedDates are conversions that stand for others.
var composedDates = map[byte]string{
	'c': "%a %b %e %H:%M:%S %Y", 'D': "%m/%d/%y", 'F': "%Y-%m-%d", 'r': "%I:%M:%S %p", 'R': "%H:%M",
	'T': "%H:%M:%S", 'x': "%m/%d/%y", 'X': "%H:%M:%S", '+': "%a %b %e %H:%M:%S %Z %Y",
}

// word is a conversion that gives letters.
func (c conversion) word(t time.Time) (string, bool) {
	var s string
	switch c.letter {
	case '%':
		s = "%"
	case 'n':
		s = "\n"
	case 't':
		s = "\t"
	case 'a':
		s = t.Weekday().String()[:3]
	case 'A':
		s = t.Weekday().String()
	case 'b', 'h':
		s = t.Month().String()[:3]
	case 'B':
		s = t.Month().String()
	case 'p', 'P':
		s = []string{"AM", "PM"}[t.Hour()/12]
		if c.letter == 'P' || c.swap {
			s = strings.ToLower(s)
		}
	case 'Z':
		if s, _ = t.Zone(); c.swap {
			s = strings.ToLower(s)
		}
	default:
		return "", false
	}
	if c.upper || c.swap && c.letter != 'Z' && c.letter != 'p' && c.letter != 'P' {
		s = strings.ToUpper(s)
	}
	return c.pad(s, ' ', 0), true
}

// numberOf is a conversion that gives a number, how many digits it has at least, and
// with what it is filled up.
func numberOf(t time.Time, letter byte) (n int64, digits int, pad byte, ok bool) {
	isoYear, isoWeek := t.ISOWeek()
	hour12 := (t.Hour()+11)%12 + 1
	values := map[byte]int{
		'C': t.Year() / 100, 'd': t.Day(), 'e': t.Day(), 'g': isoYear % 100, 'G': isoYear, 'H': t.Hour(), 'I': hour12,
		'j': t.YearDay(), 'k': t.Hour(), 'l': hour12, 'm': int(t.Month()), 'M': t.Minute(), 'q': (int(t.Month()) + 2) / 3,
		'S': t.Second(), 'u': (int(t.Weekday())+6)%7 + 1, 'U': (t.YearDay() + 6 - int(t.Weekday())) / 7, 'V': isoWeek,
		'w': int(t.Weekday()), 'W': (t.YearDay() + 6 - (int(t.Weekday())+6)%7) / 7, 'y': t.Year() % 100, 'Y': t.Year(),
	}
	if letter == 's' {
		return t.Unix(), 1, '0', true
	}
	value, ok := values[letter]
	digits, pad = 2, '0'
	switch letter {
	case 'e', 'k', 'l':
		pad = ' '
	case 'q', 'u', 'w':
		digits = 1
	case 'j':
		digits = 3
	case 'Y', 'G':
		digits = 4
	}
	return int64(value), digits, pad, ok
}

// pad fills up a text to the width of the conversion, or to the usual one.
func (c conversion) pad(s string, with byte, usual int) string {
	switch c.flag {
	case '-':
		return s
	case '_':
		with = ' '
	case '0', '+':
		with = '0'
	}
	width := usual
	if c.width >= 0 {
		width = c.width
	}
	fill := strings.Repeat(string(with), max(0, width-len(s)))
	if with == '0' && strings.HasPrefix(s, "-") {
		return "-" + fill + s[1:]
	}
	return fill + s
}

// nanoseconds are nine digits, or as many as the width says.
func (c conversion) nanoseconds(t time.Time) string {
	s := fmt.Sprintf("%09d", t.Nanosecond())
	width := 9
	if c.width > 0 {
		width = c.width
	}
	if width <= 9 {
		s = s[:width]
	} else {
		s += strings.Repeat("0", width-9)
	}
	if c.flag == '-' {
		s = strings.TrimRight(s, "0")
		if s == "" {
			s = "0"
		}
	}
	return s
}

// zone is the distance from UTC.
func (c conversion) zone(t time.Time) string {
	_, offset := t.Zone()
	sign := "+"
	if offset < 0 {
		sign, offset = "-", -offset
	}
	h, m, s := offset/3600, offset/60%60, offset%60
	switch {
	case c.colons == 0:
		return fmt.Sprintf("%s%02d%02d", sign, h, m)
	case c.colons == 1:
		return fmt.Sprintf("%s%02d:%02d", sign, h, m)
	case c.colons == 2:
		return fmt.Sprintf("%s%02d:%02d:%02d", sign, h, m, s)
	case s != 0:
		return fmt.Sprintf("%s%02d:%02d:%02d", sign, h, m, s)
	case m != 0:
		return fmt.Sprintf("%s%02d:%02d", sign, h, m)
	}
	return fmt.Sprintf("%s%02d", sign, h)
}
