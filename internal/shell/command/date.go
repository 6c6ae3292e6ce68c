package command

import (
	"bufio"
	"strings"
	"time"
)

func init() {
	register(&Command{
		Name: "date", About: "Show the time, or another one, in a format.",
		Synopsis: "[OPTION]... [+FORMAT]",
		Options: []Option{
			{Short: "d", Long: "date", Value: "STRING", Help: "show the time that STRING means, not now"},
			{Short: "f", Long: "file", Value: "FILE", Help: "as -d for each line of FILE"},
			{Short: "I", Long: "iso-8601", Value: "[FMT]", Help: "as 2026-11-15; FMT is date, hours, minutes, seconds or ns"},
			{Short: "r", Long: "reference", Value: "FILE", Help: "show when FILE was changed"},
			{Short: "R", Long: "rfc-email", Help: "as Sun, 15 Nov 2026 10:00:00 +0000"},
			{Long: "rfc-3339", Value: "FMT", Help: "as 2026-11-15 10:00:00+00:00; FMT is date, seconds or ns"},
			{Short: "u", Long: "utc", Help: "in UTC, as without it"},
			{Long: "universal", Help: "as -u"},
		},
		Differs: "The time zone is UTC, and the clock cannot be set (-s). " +
			"STRING is an ISO date or time, @SECONDS, a date such as 15 Nov 2026, a weekday, or relative: tomorrow, 2 days ago, next month.",
		Run: date,
	})
}

func date(c *Call) int {
	format, ok := c.dateFormat()
	if !ok {
		return 1
	}
	if file, given := c.Value("f"); given {
		return c.dateLines(file, format)
	}
	now := c.Now().UTC()
	show := now
	if file, given := c.Value("r"); given {
		i, err := c.Tree.Stat(c.Path(file))
		if err != nil {
			return c.Fail(1, "%s: %s", file, Reason(err))
		}
		show = i.ModTime().UTC()
	}
	if text, given := c.Value("d"); given {
		if show, ok = parseDate(text, now); !ok {
			return c.Fail(1, "invalid date %s", curly(text))
		}
	}
	c.Out.WriteString(strftime(show, format) + "\n")
	return 0
}

// dateFormat is the format that the options and the operand ask for. A message was
// printed if it is not ok.
func (c *Call) dateFormat() (format string, ok bool) {
	format = "%a %b %e %H:%M:%S %Z %Y"
	for _, g := range c.Given {
		forms := isoForms
		switch g.Name {
		case "I":
			if !g.HasValue {
				g.Value = "date"
			}
		case "rfc-3339":
			forms = rfc3339Forms
		case "R":
			format = "%a, %d %b %Y %H:%M:%S %z"
			continue
		default:
			continue
		}
		if format, ok = forms[g.Value]; !ok {
			return "", c.badDateForm(g, forms)
		}
	}
	for i, operand := range c.Operands {
		custom, isFormat := strings.CutPrefix(operand, "+")
		switch {
		case i > 0:
			c.Try(1, "extra operand %s", curly(operand))
			return "", false
		case !isFormat && (c.Flag("d") || c.Flag("r") || c.Flag("f")):
			c.Fail(1, "the argument %s lacks a leading '+';\nwhen using an option to specify date(s), any non-option\nargument must be a format string beginning with '+'", curly(operand))
			c.referToHelp(1)
			return "", false
		case !isFormat:
			c.Fail(1, "invalid date %s", curly(operand))
			return "", false
		}
		format = custom
	}
	return format, true
}

// badDateForm says which arguments an option has. It is always false.
func (c *Call) badDateForm(g Given, forms map[string]string) bool {
	option := "--rfc-3339"
	if g.Name == "I" {
		option = "--iso-8601"
	}
	c.Fail(1, "invalid argument %s for %s\nValid arguments are:", curly(g.Value), curly(option))
	for _, form := range []string{"hours", "minutes", "date", "seconds", "ns"} {
		if forms[form] != "" {
			c.Err.Write([]byte("  - " + curly(form) + "\n"))
		}
	}
	c.referToHelp(1)
	return false
}

var (
	isoForms = map[string]string{"date": "%Y-%m-%d", "hours": "%Y-%m-%dT%H%:z", "minutes": "%Y-%m-%dT%H:%M%:z",
		"seconds": "%Y-%m-%dT%H:%M:%S%:z", "second": "%Y-%m-%dT%H:%M:%S%:z", "ns": "%Y-%m-%dT%H:%M:%S,%N%:z"}
	rfc3339Forms = map[string]string{"date": "%Y-%m-%d", "seconds": "%Y-%m-%d %H:%M:%S%:z", "ns": "%Y-%m-%d %H:%M:%S.%N%:z"}
)

func (c *Call) dateLines(file, format string) int {
	in, err := c.Open(file)
	if err != nil {
		return c.Fail(1, "%s: %s", file, Reason(err))
	}
	defer in.Close()
	status := 0
	lines := bufio.NewScanner(in)
	for lines.Scan() && !c.Stopped() {
		t, ok := parseDate(lines.Text(), c.Now().UTC())
		if !ok {
			status = c.Fail(1, "invalid date %s", curly(lines.Text()))
			continue
		}
		c.Out.WriteString(strftime(t, format) + "\n")
	}
	return status
}

// zones are the names of time zones that dates may have, by their distance from UTC in
// hours.
var zones = map[string]float64{"utc": 0, "gmt": 0, "z": 0, "ut": 0, "wet": 0, "cet": 1, "cest": 2, "eet": 2, "est": -5, "edt": -4,
	"cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7, "jst": 9, "bst": 1}

var months = names(12, func(i int) string { return time.Month(i + 1).String() })

var weekdays = func() map[string]int {
	days := names(7, func(i int) string { return time.Weekday(i).String() })
	days["tues"], days["wednes"], days["thur"], days["thurs"] = 2, 3, 4, 4
	return days
}()

// names are the full and the short names of months or days, in lower case.
func names(n int, name func(int) string) map[string]int {
	all := map[string]int{}
	for i := range n {
		full := strings.ToLower(name(i))
		all[full], all[full[:3]] = i, i
	}
	return all
}
