package command

import (
	"math"
	"strings"
)

// numberError is why a number of an option is none, in the words of GNU.
type numberError string

const (
	errNoNumber numberError = "no number"
	errTooLarge numberError = "Value too large for defined data type"
	errRange    numberError = "Numerical result out of range"
)

// Error implements error.
func (e numberError) Error() string { return string(e) }

// powers are the letters of sizes: K is 1024, KB is 1000, KiB is 1024.
const powers = "KMGTPEZY"

// parseCount reads a number that is not negative, with the suffixes of GNU tools if
// sizes is set: 2, 3k, 1MB, 4b. One that is too large is the largest one, with
// errTooLarge.
func parseCount(s string, sizes bool) (int64, error) {
	s = strings.TrimPrefix(strings.TrimLeft(s, " \t\n"), "+")
	n := digits(s)
	value, err := decimal(s[:n])
	suffix := s[n:]
	if suffix == "" && n > 0 {
		return value, err
	}
	if !sizes || suffix == "" {
		return 0, errNoNumber
	}
	if n == 0 {
		value = 1
	}
	unit, times, ok := size(suffix)
	if !ok {
		return 0, errNoNumber
	}
	for ; times > 0; times-- {
		if value > math.MaxInt64/unit {
			value, err = math.MaxInt64, errTooLarge
			break
		}
		value *= unit
	}
	return value, err
}

// decimal reads digits.
func decimal(s string) (int64, error) {
	value := int64(0)
	for _, d := range []byte(s) {
		if value > (math.MaxInt64-int64(d-'0'))/10 {
			return math.MaxInt64, errTooLarge
		}
		value = value*10 + int64(d-'0')
	}
	return value, nil
}

// size is a suffix: a unit, and how many times it counts.
func size(suffix string) (unit int64, times int, ok bool) {
	switch suffix {
	case "b":
		return 512, 1, true
	case "k":
		suffix = "K"
	case "m":
		suffix = "M"
	}
	letter, rest := suffix[:1], suffix[1:]
	if letter == "k" {
		letter = "K"
	}
	times = strings.Index(powers, letter) + 1
	switch {
	case times == 0:
		return 0, 0, false
	case rest == "" || rest == "iB":
		return 1024, times, true
	case rest == "B":
		return 1000, times, true
	}
	return 0, 0, false
}
