package command

import (
	"bytes"
	"math"
	"strings"
)

func init() {
	register(&Command{
		Name: "expand", About: "Replace tabs by spaces.",
		Synopsis: "[OPTION]... [FILE]...",
		Options: []Option{
			{Short: "i", Long: "initial", Help: "only at the beginning of lines"},
			{Short: "t", Long: "tabs", Value: "LIST", Help: "how far tabs are apart, or where they are; 8 if not given"},
			{Short: "0-9", Value: "N", Number: true, Help: "as -t N"},
		},
		Run: expand,
	})
	register(&Command{
		Name: "unexpand", About: "Replace spaces at the beginning of lines by tabs.",
		Synopsis: "[OPTION]... [FILE]...",
		Options: []Option{
			{Short: "a", Long: "all", Help: "replace two spaces and more everywhere"},
			{Long: "first-only", Help: "only at the beginning of lines, whatever -t says"},
			{Short: "t", Long: "tabs", Value: "LIST", Help: "how far tabs are apart, or where they are; turns on -a"},
			{Short: "0-9", Value: "N", Number: true, Help: "as -t N"},
		},
		Run: unexpand,
	})
}

// tabStops are where tabs lead to.
type tabStops struct {
	stops []int
	every int // behind the last of stops: multiples of this; 0: there are no more
	more  int // behind the last of stops: this far apart, counted from it
}

// next is the tab stop behind a column; false if there is none.
func (t *tabStops) next(column int) (int, bool) {
	for _, s := range t.stops {
		if s > column {
			return s, true
		}
	}
	switch {
	case t.every > 0:
		return column + t.every - column%t.every, true
	case t.more > 0:
		last := 0
		if n := len(t.stops); n > 0 {
			last = t.stops[n-1]
		}
		return column + t.more - (column-last)%t.more, true
	}
	return 0, false
}

// parseTabs reads the values of -t. It returns what is wrong with them, or "".
func parseTabs(c *Call) (*tabStops, string) {
	t := &tabStops{}
	mark := byte(0) // the / or + that was seen
	for _, g := range c.Given {
		if g.Name != "t" && g.Name != "0-9" {
			continue
		}
		for _, item := range strings.FieldsFunc(g.Value, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
			if t.every > 0 || t.more > 0 {
				return nil, "'" + string(mark) + "' specifier only allowed with the last value"
			}
			digitsOnly := item
			if item[0] == '/' || item[0] == '+' {
				mark, digitsOnly = item[0], item[1:]
			} else {
				mark = 0
			}
			n, err := parseCount(digitsOnly, false)
			switch {
			case digits(digitsOnly) != len(digitsOnly):
				return nil, "tab size contains invalid character(s): " + curly(item[digits(item):])
			case err == errTooLarge || n > math.MaxInt32:
				return nil, "tab stop is too large " + curly(item)
			case mark == '/':
				t.every = int(n)
			case mark == '+':
				t.more = int(n)
			case n == 0:
				return nil, "tab size cannot be 0"
			case len(t.stops) > 0 && int(n) <= t.stops[len(t.stops)-1]:
				return nil, "tab sizes must be ascending"
			default:
				t.stops = append(t.stops, int(n))
			}
		}
	}
	switch {
	case len(t.stops) == 0 && t.every == 0 && t.more == 0:
		t.every = 8
	case len(t.stops) == 1 && t.every == 0 && t.more == 0:
		t.every, t.stops = t.stops[0], nil
	}
	return t, ""
}

func expand(c *Call) int {
	tabs, complaint := parseTabs(c)
	if complaint != "" {
		return c.Fail(1, "%s", complaint)
	}
	initial := c.Flag("i")
	var out []byte
	return eachLine(c, '\n', func(line []byte, whole bool) {
		out = out[:0]
		column, begin := 0, true
		for _, b := range line {
			switch {
			case b == '\t' && (begin || !initial):
				stop, ok := tabs.next(column)
				if !ok {
					stop = column + 1
				}
				out = append(out, bytes.Repeat([]byte(" "), stop-column)...)
				column = stop
				continue
			case b == '\b':
				column = max(0, column-1)
			default:
				column++
			}
			begin = begin && isBlank(b)
			out = append(out, b)
		}
		if whole {
			out = append(out, '\n')
		}
		c.Out.Write(out)
	})
}

func unexpand(c *Call) int {
	tabs, complaint := parseTabs(c)
	if complaint != "" {
		return c.Fail(1, "%s", complaint)
	}
	all := (c.Flag("a") || c.Flag("t")) && !c.Flag("first-only")
	var out []byte
	return eachLine(c, '\n', func(line []byte, whole bool) {
		out = tabs.unexpand(out[:0], line, all)
		if whole {
			out = append(out, '\n')
		}
		c.Out.Write(out)
	})
}

// unexpand appends a line to out, with tabs for spaces. A single space before a tab
// stop becomes a tab only if another blank follows.
func (t *tabStops) unexpand(out, line []byte, all bool) []byte {
	var pending []byte // blanks of which it is not known whether they become a tab
	column := 0
	single := false // pending begins with a single space before a tab stop
	blank, convert := true, true
	for _, b := range line {
		before := blank
		blank = isBlank(b)
		stop, more := 0, false
		if blank {
			stop, more = t.next(column)
		}
		switch {
		case !convert || blank && !more:
			convert = convert && !blank
		case b == '\t':
			column = stop
			pending = pending[:0]
			if single {
				pending = append(pending, '\t')
			}
		case b == ' ':
			column++
			if !before || column != stop {
				single = single || column == stop
				pending = append(pending, b)
				continue
			}
			b = '\t'
			pending = pending[:0]
			if single {
				pending = append(pending, '\t')
			}
		case b == '\b':
			column = max(0, column-1)
		default:
			column++
		}
		if len(pending) > 1 && single {
			pending[0] = '\t'
		}
		out = append(append(out, pending...), b)
		pending, single = pending[:0], false
		convert = convert && (all || blank)
	}
	if len(pending) > 1 && single {
		pending[0] = '\t'
	}
	return append(out, pending...)
}
