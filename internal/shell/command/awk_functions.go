package command

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// functions are those that programs can call: some of gawk by their names, and those
// that rewriteAwk puts into programs, which begin with _awk_.
func (a *awkRun) functions() map[string]any {
	return map[string]any{
		"_awk_read":     a.read,
		"_awk_text":     func() string { return a.text },
		"_awk_state":    func() int { return a.state },
		"_awk_print":    a.print,
		"_awk_close":    a.closeFile,
		"_awk_flush":    a.flush,
		"_awk_filename": func() string { return a.input.name },
		"_awk_skip":     func() int { a.input.close(); return 1 },
		"_awk_argument": func(i int) string { return append([]string{a.Command.Name}, a.args...)[i] },
		"_awk_enqueue":  a.input.enqueue,
		"_awk_records":  func(rs string) int { a.input.double = rs == "\n"; return 0 },
		"_awk_join":     a.join,
		"_awk_replace":  a.replacement,
		"_awk_format":   a.format,
		"_awk_splits":   a.splits,
		"_awk_substr":   awkSubstr,
		"_awk_groups":   a.match,
		"_awk_group":    func(i int) string { return a.groups[i] },
		"_awk_start":    func(i int) int { return a.where[i] },
		"gensub":        a.gensub,
		"strftime":      a.strftime,
		"systime":       func() float64 { return float64(a.Now().Unix()) },
		"mktime":        awkMktime,
		"strtonum":      strtonum,
		"and":           func(x, y float64) float64 { return float64(uint64(x) & uint64(y)) },
		"or":            func(x, y float64) float64 { return float64(uint64(x) | uint64(y)) },
		"xor":           func(x, y float64) float64 { return float64(uint64(x) ^ uint64(y)) },
		"lshift":        func(x, n float64) float64 { return float64(uint64(x) << uint64(n)) },
		"rshift":        func(x, n float64) float64 { return float64(uint64(x) >> uint64(n)) },
		"compl":         func(x float64) float64 { return float64(^uint64(x) & (1<<53 - 1)) },
	}
}

// longestString is how long a string of a program may be, in bytes. The interpreter
// itself has no limit, and cannot be stopped while it makes one.
const longestString = 16 << 20

var errLongString = errors.New("a string is longer than 16 MB")

// join stands between strings that are put together: count of them, one of which is s.
// It is an empty string.
func (a *awkRun) join(count int, s string) (string, error) {
	if len(s) > longestString/max(count, 1) {
		return "", errLongString
	}
	return "", a.Context.Err()
}

// replacement checks the second argument of sub and gsub.
func (a *awkRun) replacement(by, target string, all int) (string, error) {
	most := len(target) + len(by) + strings.Count(by, "&")*len(target)
	if all != 0 {
		most += len(target) * len(by)
	}
	if most > 4*longestString {
		return "", errors.New("sub or gsub could make a string of more than 64 MB")
	}
	return by, a.Context.Err()
}

// widestFormat is how wide all fields of a format may be together.
const widestFormat = 16 << 20

// format checks the first argument of printf and sprintf, and the strings that go into
// it.
func (a *awkRun) format(format string, values ...string) (string, error) {
	width, length := 0, len(format)
	for i := 0; i < len(format); {
		switch n := digits(format[i:]); {
		case n > 0:
			w, err := strconv.Atoi(format[i : i+n])
			if err != nil {
				w = widestFormat + 1
			}
			width += min(w, widestFormat+1)
			i += n
		case format[i] == '*':
			width += 1 << 20
			i++
		default:
			i++
		}
	}
	for _, v := range values {
		length += len(v)
	}
	switch {
	case width > widestFormat:
		return "", errors.New("the fields of a format are too wide")
	case length > longestString:
		return "", errLongString
	}
	return format, a.Context.Err()
}

// mostPieces is how many pieces split may make.
const mostPieces = 1 << 20

// splits checks the first argument of split.
func (a *awkRun) splits(s, separator string) (string, error) {
	pieces := len(s)
	switch {
	case len(separator) == 1 && separator != " ":
		pieces = strings.Count(s, separator)
	case separator != "":
		pieces /= 8
	}
	if pieces > mostPieces {
		return "", errors.New("split could make more than a million pieces")
	}
	return s, a.Context.Err()
}

// awkSubstr is substr as POSIX has it: the characters from start up to start plus
// length, both rounded, as far as there are any.
func awkSubstr(s string, start, length float64) string {
	from := math.RoundToEven(start)
	to := from + math.RoundToEven(length)
	if !(from < to) { // also if one of them is no number
		return ""
	}
	first, last, at := len(s), len(s), 1.0
	for i := range s {
		if at >= from && first == len(s) {
			first = i
		}
		if at >= to {
			last = i
			break
		}
		at++
	}
	return s[min(first, last):last]
}

// pattern compiles a regular expression of a program.
func (a *awkRun) pattern(s string) (*regexp.Regexp, error) {
	if re := a.patterns[s]; re != nil {
		return re, nil
	}
	re, err := regexp.Compile("(?s:" + s + ")")
	if err != nil {
		return nil, fmt.Errorf("invalid regular expression /%s/: %w", s, err)
	}
	if len(a.patterns) > 100 {
		clear(a.patterns)
	}
	a.patterns[s] = re
	return re, nil
}

// match finds the groups of a match, for match with an array. It returns how many
// there are, the match itself included.
func (a *awkRun) match(s, pattern string) (int, error) {
	re, err := a.pattern(pattern)
	if err != nil {
		return 0, err
	}
	a.groups, a.where = nil, nil
	at := re.FindStringSubmatchIndex(s)
	for i := 0; i < len(at); i += 2 {
		if at[i] < 0 {
			a.groups, a.where = append(a.groups, ""), append(a.where, 0)
			continue
		}
		a.groups = append(a.groups, s[at[i]:at[i+1]])
		a.where = append(a.where, utf8.RuneCountInString(s[:at[i]])+1)
	}
	return len(a.groups), nil
}

// gensub replaces the matches in target, all of them or one: how is "g" or a number.
func (a *awkRun) gensub(pattern, by, how, target string) (string, error) {
	re, err := a.pattern(pattern)
	if err != nil {
		return "", err
	}
	which := 0
	if how == "" || how[0] != 'g' && how[0] != 'G' {
		n, _ := strconv.ParseFloat(how, 64)
		which = max(1, int(n))
	}
	var out []byte
	last, seen := 0, 0
	for _, at := range re.FindAllStringSubmatchIndex(target, -1) {
		if seen++; which > 0 && seen != which {
			continue
		}
		out = append(out, target[last:at[0]]...)
		out = appendReplacement(out, by, target, at)
		if last = at[1]; len(out) > longestString {
			return "", errLongString
		}
	}
	return string(append(out, target[last:]...)), a.Context.Err()
}

// appendReplacement appends a replacement: & and \0 are the match, \1 to \9 its groups.
func appendReplacement(out []byte, by, target string, at []int) []byte {
	for i := 0; i < len(by); i++ {
		group := -1
		switch {
		case by[i] == '&':
			group = 0
		case by[i] == '\\' && i+1 < len(by):
			i++
			if by[i] >= '0' && by[i] <= '9' {
				group = int(by[i] - '0')
			}
		}
		switch {
		case group < 0:
			out = append(out, by[i])
		case 2*group+1 < len(at) && at[2*group] >= 0:
			out = append(out, target[at[2*group]:at[2*group+1]]...)
		}
	}
	return out
}

// strftime is that of gawk: format, time in seconds, and whether it is in UTC, which
// it always is.
func (a *awkRun) strftime(args ...string) string {
	format, at := "%a %b %e %H:%M:%S %Z %Y", a.Now()
	if len(args) > 0 {
		format = args[0]
	}
	if len(args) > 1 {
		seconds, _ := strconv.ParseFloat(args[1], 64)
		at = unixTime(int64(seconds))
	}
	return strftime(at.UTC(), format)
}

// awkMktime reads "YYYY MM DD HH MM SS".
func awkMktime(s string) float64 {
	var n [6]int
	if count, _ := fmt.Sscan(s, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5]); count < 6 {
		return -1
	}
	return float64(time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, time.UTC).Unix())
}

// strtonum reads a number that may be hexadecimal or octal.
func strtonum(s string) float64 {
	s = strings.TrimSpace(s)
	lower := strings.ToLower(s)
	base, from := 10, 0
	switch {
	case strings.HasPrefix(lower, "0x"):
		base, from = 16, 2
	case len(s) > 1 && s[0] == '0' && strings.Trim(s, "01234567") == "":
		base, from = 8, 1
	}
	if base != 10 {
		n := digitsOf(s[from:], base, len(s)-from)
		value, _ := strconv.ParseUint("0"+s[from:from+n], base, 64)
		return float64(value)
	}
	for n := min(len(s), 400); n > 0; n-- {
		if f, err := strconv.ParseFloat(s[:n], 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return f
		}
	}
	return 0
}
