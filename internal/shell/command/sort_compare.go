package command

import (
	"bytes"
	"cmp"
	"math"
	"strconv"
	"strings"
)

// compareNumeric orders numbers as sort -n does: blanks, a minus, digits, a point and
// digits, of any length; what is no number is 0.
func compareNumeric(a, b []byte) int {
	negA, wholeA, fracA := decimalParts(a)
	negB, wholeB, fracB := decimalParts(b)
	if negA != negB {
		if negA {
			return -1
		}
		return 1
	}
	order := cmp.Compare(len(wholeA), len(wholeB))
	if order == 0 {
		order = bytes.Compare(wholeA, wholeB)
	}
	if order == 0 {
		order = bytes.Compare(fracA, fracB)
	}
	if negA {
		return -order
	}
	return order
}

// decimalParts are the digits of a number without zeros that do not count. Zero is
// not negative.
func decimalParts(s []byte) (negative bool, whole, fraction []byte) {
	s = trimBlanks(s)
	if len(s) > 0 && s[0] == '-' {
		negative, s = true, s[1:]
	}
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	whole = bytes.TrimLeft(s[:n], "0")
	if n < len(s) && s[n] == '.' {
		s = s[n+1:]
		n = 0
		for n < len(s) && isDigit(s[n]) {
			n++
		}
		fraction = bytes.TrimRight(s[:n], "0")
	}
	if len(whole) == 0 && len(fraction) == 0 {
		negative = false
	}
	return negative, whole, fraction
}

func trimBlanks(s []byte) []byte {
	i := 0
	for i < len(s) && isBlank(s[i]) {
		i++
	}
	return s[i:]
}

// compareHuman orders sizes as sort -h does: by their unit first.
func compareHuman(a, b []byte) int {
	if order := cmp.Compare(humanUnit(a), humanUnit(b)); order != 0 {
		return order
	}
	return compareNumeric(a, b)
}

// humanUnit is the rank of the letter behind a number; it is negative for a negative
// number, 0 for zero.
func humanUnit(s []byte) int {
	negative, whole, fraction := decimalParts(s)
	if len(whole) == 0 && len(fraction) == 0 {
		return 0
	}
	s = trimBlanks(s)
	rest := bytes.TrimLeft(s, "-")
	n := 0
	for n < len(rest) && (isDigit(rest[n]) || rest[n] == '.') {
		n++
	}
	unit := 0
	if n < len(rest) {
		letter := rest[n]
		if letter == 'k' {
			letter = 'K'
		}
		unit = strings.IndexByte(powers, letter) + 1
	}
	if negative {
		return -unit
	}
	return unit
}

// compareGeneral orders numbers as sort -g does: what is no number first, then NaN,
// then by value.
func compareGeneral(a, b []byte) int {
	x, okA := floatPrefix(a)
	y, okB := floatPrefix(b)
	switch {
	case !okA || !okB:
		return cmp.Compare(rank(okA), rank(okB))
	case math.IsNaN(x) || math.IsNaN(y):
		return cmp.Compare(rank(!math.IsNaN(x)), rank(!math.IsNaN(y)))
	}
	return cmp.Compare(x, y)
}

func rank(ok bool) int {
	if ok {
		return 1
	}
	return 0
}

// floatPrefix reads the number that a text begins with.
func floatPrefix(s []byte) (float64, bool) {
	s = bytes.TrimLeft(s, " \t\n\v\f\r")
	text := strings.ToLower(string(s[:min(len(s), 400)]))
	at := 0
	if at < len(text) && (text[at] == '-' || text[at] == '+') {
		at++
	}
	for _, word := range []string{"infinity", "inf", "nan"} {
		if strings.HasPrefix(text[at:], word) {
			value, err := strconv.ParseFloat(text[:at]+word, 64)
			if word == "nan" {
				return math.NaN(), true
			}
			return value, err == nil
		}
	}
	if hex, ok := strings.CutPrefix(text[at:], "0x"); ok {
		n := len(hex) - len(strings.TrimLeft(hex, "0123456789abcdef"))
		if value, err := strconv.ParseUint(hex[:n], 16, 64); err == nil {
			if text[0] == '-' {
				return -float64(value), true
			}
			return float64(value), true
		}
	}
	end := at + numberLength(text[at:])
	if end == at {
		return 0, false
	}
	value, err := strconv.ParseFloat(text[:end], 64)
	return value, err == nil || math.IsInf(value, 0)
}

// numberLength is how long the number is that a text begins with.
func numberLength(s string) int {
	whole := digits(s)
	n := whole
	if n < len(s) && s[n] == '.' {
		fraction := digits(s[n+1:])
		if whole+fraction == 0 {
			return 0
		}
		n += 1 + fraction
	}
	if n == 0 || n == len(s) || s[n] != 'e' {
		return n
	}
	exponent := n + 1
	if exponent < len(s) && (s[exponent] == '-' || s[exponent] == '+') {
		exponent++
	}
	if more := digits(s[exponent:]); more > 0 {
		return exponent + more
	}
	return n
}

const monthNames = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"

// month is the number of a month that a text begins with, 0 for none.
func month(s []byte) int {
	s = trimBlanks(s)
	if len(s) < 3 {
		return 0
	}
	name := strings.ToUpper(string(s[:3]))
	if i := strings.Index(monthNames, name); i >= 0 && i%3 == 0 {
		return i/3 + 1
	}
	return 0
}
