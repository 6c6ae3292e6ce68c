package command

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"redline/internal/shell/regex"
)

func init() {
	register(&Command{
		Name: "nl", About: "Number lines.",
		Synopsis: "[OPTION]... [FILE]...",
		Options: []Option{
			{Short: "b", Long: "body-numbering", Value: "STYLE", Help: "which lines of bodies get a number: a all, t those that are not empty, n none, pBRE those that match"},
			{Short: "d", Long: "section-delimiter", Value: "CC", Help: `what separates sections, in the place of \:`},
			{Short: "f", Long: "footer-numbering", Value: "STYLE", Help: "which lines of footers get a number"},
			{Short: "h", Long: "header-numbering", Value: "STYLE", Help: "which lines of headers get a number"},
			{Short: "i", Long: "line-increment", Value: "N", Help: "how far numbers are apart"},
			{Short: "l", Long: "join-blank-lines", Value: "N", Help: "count N empty lines in a row as one"},
			{Short: "n", Long: "number-format", Value: "FORMAT", Help: "ln to the left, rn to the right, rz with zeros"},
			{Short: "p", Long: "no-renumber", Help: "do not begin again with each section"},
			{Short: "s", Long: "number-separator", Value: "STRING", Help: "what stands behind numbers, in the place of a tab"},
			{Short: "v", Long: "starting-line-number", Value: "N", Help: "the first number"},
			{Short: "w", Long: "number-width", Value: "N", Help: "how wide numbers are"},
		},
		Run: nl,
	})
}

// nlStyle tells which lines get a number.
type nlStyle struct {
	kind    byte // 'a', 't', 'n', 'p'
	pattern *regex.Regexp
}

// nlRun is a run of nl.
type nlRun struct {
	header, body, footer nlStyle
	now                  *nlStyle
	separator, format    string
	delimiter            string
	start, step, number  int64
	width, join          int64
	keep                 bool
	blank                string // in the place of a number

	empty int64 // empty lines since the last number, for join
}

func nl(c *Call) int {
	r := &nlRun{
		header: nlStyle{kind: 'n'}, body: nlStyle{kind: 't'}, footer: nlStyle{kind: 'n'},
		separator: "\t", format: "rn", delimiter: `\:`, start: 1, step: 1, width: 6, join: 1, keep: c.Flag("p"),
	}
	if status := r.configure(c); status != 0 {
		return status
	}
	r.number, r.now = r.start, &r.body
	r.blank = strings.Repeat(" ", int(r.width)+len(r.separator))
	return eachLine(c, '\n', func(line []byte, _ bool) { r.line(c, line) })
}

// configure reads the options with values; a status that is not 0 says that one is
// wrong.
func (r *nlRun) configure(c *Call) int {
	for _, g := range c.Given {
		switch g.Name {
		case "b", "h", "f":
			style := map[string]*nlStyle{"b": &r.body, "h": &r.header, "f": &r.footer}[g.Name]
			if status := style.read(c, g); status != 0 {
				return status
			}
		case "s":
			r.separator = g.Value
		case "d":
			switch len(g.Value) {
			case 0:
				r.delimiter = ""
			case 1:
				r.delimiter = g.Value + ":"
			default:
				r.delimiter = g.Value
			}
		case "n":
			if g.Value != "ln" && g.Value != "rn" && g.Value != "rz" {
				return c.Try(1, "invalid line numbering format: %s", curly(g.Value))
			}
			r.format = g.Value
		}
	}
	for _, o := range []struct {
		name, what string
		to         *int64
		least      int64
		most       int64
	}{
		{"v", "starting line number", &r.start, math.MinInt64, math.MaxInt64},
		{"i", "line number increment", &r.step, math.MinInt64, math.MaxInt64},
		{"l", "line number of blank lines", &r.join, 1, math.MaxInt64},
		{"w", "line number field width", &r.width, 1, widestColumn},
	} {
		value, ok := c.Value(o.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimPrefix(value, "+"), 10, 64)
		switch {
		case err != nil && digits(strings.TrimLeft(value, "-+")) == len(value):
			return c.Fail(1, "invalid %s: %s: %v", o.what, curly(value), errTooLarge)
		case err != nil:
			return c.Fail(1, "invalid %s: %s", o.what, curly(value))
		case n < o.least || n > o.most:
			return c.Fail(1, "invalid %s: %s: %v", o.what, curly(value), errRange)
		}
		*o.to = n
	}
	return 0
}

// widestColumn is how wide a column may be asked for.
const widestColumn = 100_000

func (s *nlStyle) read(c *Call, g Given) int {
	if g.Value == "a" || g.Value == "t" || g.Value == "n" {
		s.kind = g.Value[0]
		return 0
	}
	pattern, ok := strings.CutPrefix(g.Value, "p")
	if !ok {
		part := map[string]string{"b": "body", "h": "header", "f": "footer"}[g.Name]
		return c.Try(1, "invalid %s numbering style: %s", part, curly(g.Value))
	}
	re, err := regex.Compile(pattern, regex.Options{})
	if err != nil {
		return c.Fail(1, "%v", err)
	}
	s.kind, s.pattern = 'p', re
	return 0
}

func (r *nlRun) line(c *Call, line []byte) {
	if section := r.section(line); section != nil {
		r.now = section
		if !r.keep {
			r.number = r.start
		}
		c.Out.WriteByte('\n')
		return
	}
	if r.numbered(line) {
		c.Out.WriteString(r.spelled())
		r.number += r.step
	} else {
		c.Out.WriteString(r.blank)
	}
	c.Out.Write(line)
	c.Out.WriteByte('\n')
}

// section is what a line begins that is a delimiter, or nil.
func (r *nlRun) section(line []byte) *nlStyle {
	d := r.delimiter
	if d == "" || !bytes.HasPrefix(line, []byte(d)) {
		return nil
	}
	switch string(line) {
	case d + d + d:
		return &r.header
	case d + d:
		return &r.body
	case d:
		return &r.footer
	}
	return nil
}

func (r *nlRun) numbered(line []byte) bool {
	switch r.now.kind {
	case 'a':
		if len(line) > 0 || r.join == 1 {
			r.empty = 0
			return true
		}
		if r.empty++; r.empty == r.join {
			r.empty = 0
			return true
		}
		return false
	case 't':
		return len(line) > 0
	case 'p':
		return r.now.pattern.Match(line)
	}
	return false
}

// spelled is the number with what stands behind it.
func (r *nlRun) spelled() string {
	form := "%*d%s"
	switch r.format {
	case "ln":
		form = "%-*d%s"
	case "rz":
		form = "%0*d%s"
	}
	return fmt.Sprintf(form, int(r.width), r.number, r.separator)
}
