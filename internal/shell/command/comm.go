package command

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

func init() {
	register(&Command{
		Name: "comm", About: "Compare two sorted files line by line.",
		Synopsis: "[OPTION]... FILE1 FILE2",
		Options: []Option{
			{Short: "1", Help: "no lines that are only in FILE1"},
			{Short: "2", Help: "no lines that are only in FILE2"},
			{Short: "3", Help: "no lines that are in both"},
			{Long: "check-order", Help: "stop if a file is not sorted"},
			{Long: "nocheck-order", Help: "say nothing if a file is not sorted"},
			{Long: "output-delimiter", Value: "STR", Help: "what separates columns, in the place of tabs"},
			{Long: "total", Help: "write a line with the counts at the end"},
			{Short: "z", Long: "zero-terminated", Help: "lines end with NUL, not with a newline"},
		},
		Run: comm,
	})
}

// ordered reads a file that should be sorted, line by line, and remembers the two
// lines before.
type ordered struct {
	name          string
	in            io.Closer
	lines         *lineReader
	line          []byte // nil at the end
	before, older []byte // nil: none
	warned        bool
}

// openOrdered opens the operands of comm and join and reads their first lines.
func openOrdered(c *Call, name string, end byte) (*ordered, error) {
	in, err := c.Open(name)
	if err != nil {
		return nil, err
	}
	o := &ordered{name: name, in: in, lines: newLineReader(in, end)}
	o.advance(end)
	return o, o.lines.err
}

func (o *ordered) advance(end byte) {
	if o.line != nil {
		o.older, o.before = o.before, append(o.older[:0:cap(o.older)], o.line...)
		if o.before == nil {
			o.before = []byte{}
		}
	}
	line := o.lines.next()
	if line == nil {
		o.line = nil
		return
	}
	line, _ = chomp(line, end)
	o.line = append(o.line[:0], line...)
	if o.line == nil {
		o.line = []byte{}
	}
}

// commRun is a run of comm.
type commRun struct {
	c         *Call
	files     [2]*ordered
	end       byte
	delimiter string
	shown     [3]bool
	counts    [3]int
	order     string // "check-order", "nocheck-order" or "": only once a line has no partner
	unpaired  bool
}

func comm(c *Call) int {
	switch n := len(c.Operands); {
	case n == 0:
		return c.Try(1, "missing operand")
	case n == 1:
		return c.Try(1, "missing operand after %s", curly(c.Operands[0]))
	case n > 2:
		return c.Try(1, "extra operand %s", curly(c.Operands[2]))
	}
	r := &commRun{
		c: c, end: lineEnd(c), delimiter: "\t",
		shown: [3]bool{!c.Flag("1"), !c.Flag("2"), !c.Flag("3")},
		order: c.Last("check-order", "nocheck-order"),
	}
	if all := c.Values("output-delimiter"); len(all) > 0 {
		if len(slices.Compact(all)) > 1 {
			return c.Fail(1, "multiple output delimiters specified")
		}
		if r.delimiter = all[0]; r.delimiter == "" {
			r.delimiter = "\x00"
		}
	}
	for i, name := range c.Operands {
		file, err := openOrdered(c, name, r.end)
		if err != nil {
			return c.Fail(1, "%s: %s", plain(name), Reason(err))
		}
		defer file.in.Close()
		r.files[i] = file
	}
	if !r.run() {
		return 1
	}
	if c.Flag("total") {
		d := r.delimiter
		fmt.Fprintf(c.Out, "%d%s%d%s%d%stotal%c", r.counts[0], d, r.counts[1], d, r.counts[2], d, r.end)
	}
	if r.files[0].warned || r.files[1].warned {
		return c.Fail(1, "input is not in sorted order")
	}
	return 0
}

// run writes the columns; false if it stopped at a line that is not in order.
func (r *commRun) run() bool {
	a, b := r.files[0], r.files[1]
	for (a.line != nil || b.line != nil) && !r.c.Stopped() {
		order := 0
		switch {
		case a.line == nil:
			order = 1
		case b.line == nil:
			order = -1
		default:
			order = bytes.Compare(a.line, b.line)
		}
		switch {
		case order < 0:
			r.unpaired = true
			r.write(0, a.line)
		case order > 0:
			r.unpaired = true
			r.write(1, b.line)
		default:
			r.write(2, b.line)
		}
		if order <= 0 && !r.step(0) || order >= 0 && !r.step(1) {
			return false
		}
	}
	return true
}

// step reads the next line of a file and looks at the order.
func (r *commRun) step(i int) bool {
	file := r.files[i]
	file.advance(r.end)
	earlier, later := file.before, file.line
	if file.line == nil {
		earlier, later = file.older, file.before
	}
	if r.order == "nocheck-order" || r.order == "" && !r.unpaired || file.warned ||
		earlier == nil || bytes.Compare(earlier, later) <= 0 {
		return true
	}
	file.warned = true
	r.c.Fail(1, "file %d is not in sorted order", i+1)
	return r.order == ""
}

// write writes a line in its column.
func (r *commRun) write(column int, line []byte) {
	r.counts[column]++
	if !r.shown[column] {
		return
	}
	for before := range column {
		if r.shown[before] {
			r.c.Out.WriteString(r.delimiter)
		}
	}
	r.c.Out.Write(line)
	r.c.Out.WriteByte(r.end)
}
