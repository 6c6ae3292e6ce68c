package command

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

func init() {
	register(&Command{
		Name: "uniq", About: "Write each of several equal lines in a row once.",
		Synopsis: "[OPTION]... [INPUT [OUTPUT]]",
		Options: []Option{
			{Short: "c", Long: "count", Help: "write how often a line was there before it"},
			{Short: "d", Long: "repeated", Help: "only lines that were there more than once"},
			{Short: "D", Help: "all lines that were there more than once"},
			{Long: "all-repeated", Value: "[METHOD]", Help: "as -D, with empty lines between groups: none, prepend, separate"},
			{Short: "f", Long: "skip-fields", Value: "N", Help: "do not compare the first N fields"},
			{Long: "group", Value: "[METHOD]", Help: "all lines, with empty lines between groups: separate, prepend, append, both"},
			{Short: "i", Long: "ignore-case", Help: "compare without regard to case"},
			{Short: "s", Long: "skip-chars", Value: "N", Help: "do not compare the first N bytes"},
			{Short: "u", Long: "unique", Help: "only lines that were there once"},
			{Short: "w", Long: "check-chars", Value: "N", Help: "compare no more than N bytes"},
			{Short: "z", Long: "zero-terminated", Help: "lines end with NUL, not with a newline"},
			{Short: "0-9", Value: "N", Number: true, Help: "as -f N"},
		},
		Run: uniq,
	})
}

// uniqRun is a run of uniq.
type uniqRun struct {
	fields, skip, width int64 // width < 0: all
	fold                bool
	count, once, twice  bool
	all                 bool
	group               string // where empty lines go: "", "none", "prepend", "append", "separate", "both"
	end                 byte

	out    io.Writer
	groups int // that were written
}

func uniq(c *Call) int {
	u := &uniqRun{
		width: -1, fold: c.Flag("i"), count: c.Flag("c"), once: c.Flag("u"), twice: c.Flag("d"),
		all: c.Flag("D") || c.Flag("all-repeated"), end: lineEnd(c), out: c.Out,
	}
	if status := u.configure(c); status != 0 {
		return status
	}
	if len(c.Operands) > 2 {
		return c.Try(1, "extra operand %s", curly(c.Operands[2]))
	}
	name := "-"
	if len(c.Operands) > 0 {
		name = c.Operands[0]
	}
	in, err := c.Open(name)
	if isDir(err) {
		return c.Fail(1, "error reading %s", Quote(name))
	}
	if err != nil {
		return c.Fail(1, "%s: %s", plain(name), Reason(err))
	}
	defer in.Close()
	if len(c.Operands) == 2 && c.Operands[1] != "-" {
		out, err := c.create(c.Operands[1], false)
		if err != nil {
			return c.Fail(1, "%s: %s", plain(c.Operands[1]), Reason(err))
		}
		defer out.Close()
		buffered := NewOutput(out)
		u.out = buffered
		u.run(c, in)
		if err := buffered.Flush(); err != nil {
			return c.Fail(1, "error writing %s: %s", Quote(c.Operands[1]), Reason(err))
		}
		return 0
	}
	u.run(c, in)
	return 0
}

// configure reads the options with values. It returns a status that is not 0 if
// they are wrong.
func (u *uniqRun) configure(c *Call) int {
	for _, o := range []struct {
		names []string
		to    *int64
		what  string
	}{
		{[]string{"f", "0-9"}, &u.fields, "fields to skip"},
		{[]string{"s"}, &u.skip, "bytes to skip"},
		{[]string{"w"}, &u.width, "bytes to compare"},
	} {
		value, ok := c.Value(c.Last(o.names...))
		if !ok {
			continue
		}
		n, err := parseCount(value, false)
		if err == errNoNumber {
			return c.Fail(1, "%s: invalid number of %s", value, o.what)
		}
		*o.to = n
	}
	if len(c.Operands) > 0 && obsoleteStart(c.Operands[0]) {
		u.skip, _ = parseCount(c.Operands[0][1:], false)
		c.Operands = c.Operands[1:]
	}
	if u.all {
		u.group = "none"
		if method, _ := c.Value("all-repeated"); method != "" {
			u.group = method
		}
		if !oneOf(c, "--all-repeated", u.group, "none", "prepend", "separate") {
			return 1
		}
	}
	if c.Flag("group") {
		if u.count || u.once || u.twice || u.all {
			return c.Try(1, "--group is mutually exclusive with -c/-d/-D/-u")
		}
		u.group = "separate"
		if method, _ := c.Value("group"); method != "" {
			u.group = method
		}
		if !oneOf(c, "--group", u.group, "prepend", "append", "separate", "both") {
			return 1
		}
	}
	if u.all && u.count {
		return c.Try(1, "printing all duplicated lines and repeat counts is meaningless")
	}
	return 0
}

// oneOf tells whether the value of an option is one that it can have, and says so
// if not.
func oneOf(c *Call, option, value string, valid ...string) bool {
	if slices.Contains(valid, value) {
		return true
	}
	c.Fail(1, "invalid argument %s for %s", curly(value), curly(option))
	fmt.Fprintf(c.Err, "Valid arguments are:\n")
	for _, v := range valid {
		fmt.Fprintf(c.Err, "  - %s\n", curly(v))
	}
	fmt.Fprintf(c.Err, "Try '%s --help' for more information.\n", c.Command.Name)
	return false
}

// run writes groups of equal lines.
func (u *uniqRun) run(c *Call, in io.Reader) {
	lines := newLineReader(in, u.end)
	var first []byte // of the group
	count := 0
	for line := lines.next(); line != nil && !c.Stopped(); line = lines.next() {
		line, _ = chomp(line, u.end)
		if count > 0 && u.equal(u.key(first), u.key(line)) {
			count++
			u.next(first, line, count)
			continue
		}
		u.close(first, count)
		first = append(first[:0], line...)
		count = 1
		u.next(nil, line, count)
	}
	u.close(first, count)
	if u.groups > 0 && (u.group == "append" || u.group == "both") {
		u.out.Write([]byte{u.end})
	}
}

// next is called for each line, where all of them are written.
func (u *uniqRun) next(first, line []byte, count int) {
	switch {
	case u.group == "":
		return
	case u.all && count == 1:
		return
	case u.all && count == 2:
		u.open()
		u.write(first)
	case count == 1:
		u.open()
	}
	u.write(line)
}

// open begins a group.
func (u *uniqRun) open() {
	u.groups++
	if u.group == "prepend" || u.group == "both" || u.groups > 1 && (u.group == "separate" || u.group == "append") {
		u.out.Write([]byte{u.end})
	}
}

// close is called at the end of each group, where only its first line is written.
func (u *uniqRun) close(first []byte, count int) {
	if count == 0 || u.group != "" || u.twice && count == 1 || u.once && count > 1 {
		return
	}
	if u.count {
		fmt.Fprintf(u.out, "%7d ", count)
	}
	u.write(first)
}

func (u *uniqRun) write(line []byte) {
	u.out.Write(line)
	u.out.Write([]byte{u.end})
}

// key is the part of a line that is compared.
func (u *uniqRun) key(line []byte) []byte {
	at := 0
	for i := int64(0); i < u.fields && at < len(line); i++ {
		for at < len(line) && isBlank(line[at]) {
			at++
		}
		for at < len(line) && !isBlank(line[at]) {
			at++
		}
	}
	line = line[at:]
	line = line[min(u.skip, int64(len(line))):]
	if u.width >= 0 {
		line = line[:min(u.width, int64(len(line)))]
	}
	return line
}

func (u *uniqRun) equal(a, b []byte) bool {
	if u.fold {
		return len(a) == len(b) && compareFold(a, b) == 0
	}
	return bytes.Equal(a, b)
}

// compareFold compares bytes as if ASCII letters were all upper case.
func compareFold(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if x, y := upper(a[i]), upper(b[i]); x != y {
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}

func upper(b byte) byte {
	if 'a' <= b && b <= 'z' {
		return b - 'a' + 'A'
	}
	return b
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' }

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

func isLetter(b byte) bool { return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' }

// singleByte is the value of an option that is one byte: "\0" is NUL.
func singleByte(s string) (byte, bool) {
	if s == `\0` {
		return 0, true
	}
	if len(s) != 1 {
		return 0, false
	}
	return s[0], true
}
