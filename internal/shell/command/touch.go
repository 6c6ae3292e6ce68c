package command

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"time"
)

func init() {
	register(&Command{
		Name: "touch", About: "Make empty files, or set the time of files.",
		Synopsis: "[OPTION]... FILE...",
		Options: []Option{
			{Short: "a", Help: "the time of access only: nothing is changed, but files are made"},
			{Short: "c", Long: "no-create", Help: "make no files"},
			{Short: "d", Long: "date", Value: "STRING", Help: "set the time that STRING means, not now"},
			{Short: "f", Help: "nothing"},
			{Short: "h", Long: "no-dereference", Help: "as -c for links: their times do not change"},
			{Short: "m", Help: "the time of change only"},
			{Short: "r", Long: "reference", Value: "FILE", Help: "set the time of FILE, not now"},
			{Short: "t", Value: "STAMP", Help: "set the time [[CC]YY]MMDDhhmm[.ss], not now"},
			{Long: "time", Value: "WORD", Help: "access, atime, use as -a; modify, mtime as -m"},
		},
		Differs: "Times count until the end of the script, for commands such as find and test: files on the disk get no other times than their last change. Folders keep theirs.",
		Run:     touch,
	})
}

func touch(c *Call) int {
	when, given, status := c.touchTime()
	if status != 0 {
		return status
	}
	if len(c.Operands) == 0 {
		return c.Try(1, "missing file operand")
	}
	word, _ := c.Value("time")
	accessOnly := (c.Flag("a") || word == "access" || word == "atime" || word == "use") && !c.Flag("m")
	for _, name := range c.Operands {
		if c.Stopped() {
			break
		}
		if name == "-" {
			continue // standard output
		}
		if err := c.touchOne(name, when, given, accessOnly); err != nil {
			what := "cannot touch"
			if strings.HasSuffix(name, "/") && errors.Is(err, fs.ErrNotExist) {
				what = "setting times of"
			}
			status = c.Fail(1, "%s %s: %s", what, Quote(name), Reason(err))
		}
	}
	return status
}

func (c *Call) touchOne(name string, when time.Time, given, accessOnly bool) error {
	if name == "" {
		return fs.ErrNotExist
	}
	full := c.Path(name)
	_, err := c.Tree.Stat(full)
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case missing && (c.Flag("c") || c.Flag("h")):
		return nil
	case missing && strings.HasSuffix(name, "/"):
		return err
	case missing:
		err = c.Tree.Touch(full, true)
	case err == nil && !accessOnly && !given:
		return c.Tree.Touch(full, false)
	}
	if err == nil && given && !accessOnly {
		err = c.Tree.Chtimes(full, when)
	}
	return err
}

// touchTime is the time that the options ask for.
func (c *Call) touchTime() (when time.Time, given bool, status int) {
	now := c.Now().UTC()
	if word, ok := c.Value("time"); ok && !strings.Contains(" access atime use modify mtime ", " "+word+" ") {
		return now, false, c.Try(1, "invalid argument %s for %s\nValid arguments are:\n  - ‘atime’, ‘access’, ‘use’\n  - ‘mtime’, ‘modify’", curly(word), curly("--time"))
	}
	when = now
	if file, ok := c.Value("r"); ok {
		i, err := c.Tree.Stat(c.Path(file))
		if err != nil {
			return now, false, c.Fail(1, "failed to get attributes of %s: %s", Quote(file), Reason(err))
		}
		when, given = i.ModTime(), true
	}
	if text, ok := c.Value("d"); ok {
		if when, given = parseDate(text, when.UTC()); !given {
			return now, false, c.Fail(1, "invalid date format %s", curly(text))
		}
	}
	if stamp, ok := c.Value("t"); ok {
		if when, given = parseStamp(stamp, now); !given {
			return now, false, c.Fail(1, "invalid date format %s", curly(stamp))
		}
	}
	return when, given, 0
}

// parseStamp reads [[CC]YY]MMDDhhmm[.ss].
func parseStamp(s string, now time.Time) (time.Time, bool) {
	main, seconds, dotted := strings.Cut(s, ".")
	if !dotted {
		seconds = "00"
	}
	switch len(main) {
	case 8:
		main = strconv.Itoa(now.Year()) + main
	case 10:
		century := "20"
		if main[:2] >= "69" {
			century = "19"
		}
		main = century + main
	}
	t, err := time.Parse("20060102150405", main+seconds)
	return t, err == nil && len(main) == 12
}
