package command

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

func init() {
	register(&Command{
		Name: "cat", About: "Write files, one after the other, to standard output.",
		Synopsis: "[OPTION]... [FILE]...",
		Options: []Option{
			{Short: "A", Long: "show-all", Help: "as -vET"},
			{Short: "b", Long: "number-nonblank", Help: "number the lines that are not empty"},
			{Short: "e", Help: "as -vE"},
			{Short: "E", Long: "show-ends", Help: "show $ at the end of each line"},
			{Short: "n", Long: "number", Help: "number all lines"},
			{Short: "s", Long: "squeeze-blank", Help: "show several empty lines as one"},
			{Short: "t", Help: "as -vT"},
			{Short: "T", Long: "show-tabs", Help: "show tabs as ^I"},
			{Short: "u", Help: "nothing"},
			{Short: "v", Long: "show-nonprinting", Help: "show control characters as ^X and M-x"},
		},
		Run: cat,
	})
}

func cat(c *Call) int {
	form := catForm{
		all:     c.Flag("n"),
		filled:  c.Flag("b"),
		squeeze: c.Flag("s"),
		ends:    c.Flag("E") || c.Flag("A") || c.Flag("e"),
		tabs:    c.Flag("T") || c.Flag("A") || c.Flag("t"),
		visible: c.Flag("v") || c.Flag("A") || c.Flag("e") || c.Flag("t"),
	}
	status := 0
	for _, name := range c.Inputs() {
		if c.Stopped() {
			break
		}
		in, err := c.Open(name)
		if err == nil {
			err = form.copy(c, in)
			in.Close()
		}
		if err != nil {
			status = c.Fail(1, "%s: %s", plain(name), Reason(err))
		}
	}
	return status
}

// catForm is how cat shows lines. Numbers go on from file to file.
type catForm struct {
	all, filled, squeeze, ends, tabs, visible bool

	number int
	inLine bool // the last byte written was no newline
	blank  bool // the last line was empty
}

func (f *catForm) copy(c *Call, in io.Reader) error {
	if !f.all && !f.filled && !f.squeeze && !f.ends && !f.tabs && !f.visible {
		_, err := io.Copy(c.Out, in)
		if c.Stopped() {
			return nil
		}
		return err
	}
	r := bufio.NewReader(in)
	for !c.Stopped() {
		line, err := r.ReadSlice('\n')
		if len(line) > 0 {
			f.line(c.Out, line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil && err != bufio.ErrBufferFull {
			return err
		}
	}
	return nil
}

// line shows a line, or a piece of a long one.
func (f *catForm) line(out *Output, line []byte) {
	empty := !f.inLine && line[0] == '\n'
	if empty && f.squeeze && f.blank {
		return
	}
	if !f.inLine {
		f.blank = empty
		if f.all && !f.filled || f.filled && !empty {
			f.number++
			fmt.Fprintf(out, "%6d\t", f.number)
		}
	}
	f.inLine = line[len(line)-1] != '\n'
	if body, ok := bytes.CutSuffix(line, []byte("\r\n")); ok && f.ends {
		for _, b := range body {
			f.byte(out, b)
		}
		out.WriteString("^M$\n")
		return
	}
	for _, b := range line {
		f.byte(out, b)
	}
}

func (f *catForm) byte(out *Output, b byte) {
	switch {
	case b == '\n':
		if f.ends {
			out.WriteByte('$')
		}
		out.WriteByte(b)
		return
	case b == '\t':
		if f.tabs {
			out.WriteString("^I")
		} else {
			out.WriteByte(b)
		}
		return
	case !f.visible:
		out.WriteByte(b)
		return
	}
	if b >= 0x80 {
		out.WriteString("M-")
		b -= 0x80
	}
	switch {
	case b < 0x20:
		out.Write([]byte{'^', b + '@'})
	case b == 0x7f:
		out.WriteString("^?")
	default:
		out.WriteByte(b)
	}
}
