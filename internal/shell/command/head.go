package command

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

func init() {
	register(&Command{
		Name: "head", About: "Write the first lines of files, 10 if not said otherwise.",
		Synopsis: "[OPTION]... [FILE]...",
		Options: []Option{
			{Short: "c", Long: "bytes", Value: "NUM", Help: "the first NUM bytes; with -, all but the last NUM"},
			{Short: "n", Long: "lines", Value: "NUM", Help: "the first NUM lines; with -, all but the last NUM"},
			{Short: "0-9", Value: "NUM", Number: true, Help: "as -n NUM"},
			{Short: "q", Long: "quiet", Help: "write no headers with the names of files"},
			{Long: "silent", Help: "as -q"},
			{Short: "v", Long: "verbose", Help: "always write headers"},
			{Short: "z", Long: "zero-terminated", Help: "lines end with NUL, not with a newline"},
		},
		Differs: "GNU also takes a letter behind the number, as in -20c; here it is -c 20.",
		Run:     head,
	})
}

// extent is which part of a file head and tail write.
type extent struct {
	count int64
	bytes bool // count is of bytes, not of lines
	other bool // head: all but the last; tail: from that one on
	end   byte
}

func head(c *Call) int {
	p := extent{count: 10, end: lineEnd(c)}
	for _, g := range c.Given {
		if !strings.Contains("cn0-9", g.Name) {
			continue
		}
		p.bytes = g.Name == "c"
		value, minus := strings.CutPrefix(g.Value, "-")
		p.other = minus
		if ok := p.read(c, value); !ok {
			return 1
		}
	}
	return eachWithHeader(c, func(name string) error { return p.head(c, name) })
}

// read sets the count; it says so if it cannot.
func (p *extent) read(c *Call, value string) bool {
	what := "lines"
	if p.bytes {
		what = "bytes"
	}
	var err error
	p.count, err = parseCount(value, true)
	switch {
	case err == nil:
		return true
	case errors.Is(err, errTooLarge):
		c.Fail(1, "invalid number of %s: %s: %v", what, curly(value), err)
	default:
		c.Fail(1, "invalid number of %s: %s", what, curly(value))
	}
	return false
}

// eachWithHeader shows each input, with its name above if there are several.
func eachWithHeader(c *Call, show func(name string) error) int {
	names := c.Inputs()
	headers := len(names) > 1
	switch c.Last("q", "silent", "v") {
	case "q", "silent":
		headers = false
	case "v":
		headers = true
	}
	status, first := 0, true
	for _, name := range names {
		if c.Stopped() {
			break
		}
		in, err := c.Open(name)
		if err == nil {
			in.Close()
		}
		if err != nil && !isDir(err) {
			status = c.Fail(1, "cannot open %s for reading: %s", Quote(name), Reason(err))
			continue
		}
		if headers {
			header(c, name, first)
			first = false
		}
		if err == nil {
			err = show(name)
		}
		if err != nil {
			status = c.Fail(1, "error reading %s: %s", Quote(name), Reason(err))
		}
	}
	return status
}

func header(c *Call, name string, first bool) {
	if !first {
		c.Out.WriteByte('\n')
	}
	if name == "-" {
		name = "standard input"
	}
	c.Out.WriteString("==> " + name + " <==\n")
}

func (p *extent) head(c *Call, name string) error {
	switch {
	case p.other:
		data, err := c.Read(name)
		if err != nil {
			return err
		}
		if p.bytes {
			data = data[:max(0, int64(len(data))-p.count)]
		} else {
			data = data[:lastLines(data, p.count, p.end)]
		}
		c.Out.Write(data)
		return nil
	case p.count == 0:
		return nil
	}
	in, err := c.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	if p.bytes {
		_, err := io.Copy(c.Out, io.LimitReader(in, p.count))
		return err
	}
	return p.lines(c, in, stdin(name) && p.count <= fewLines)
}

// fewLines are read byte by byte from standard input: what follows them is left
// for the next command, as in (head -n 1; sort) <table.
const fewLines = 32

func (p *extent) lines(c *Call, in io.Reader, single bool) error {
	buf := make([]byte, 16<<10)
	if single {
		buf = buf[:1]
	}
	for left := p.count; left > 0 && !c.Stopped(); {
		n, err := in.Read(buf)
		text := buf[:n]
		for at := 0; at < n && left > 0; {
			i := bytes.IndexByte(text[at:], p.end)
			if i < 0 {
				break
			}
			at += i + 1
			if left--; left == 0 {
				text = text[:at]
			}
		}
		c.Out.Write(text)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lastLines is where the last count lines of data begin.
func lastLines(data []byte, count int64, end byte) int {
	at := len(data)
	if count == 0 {
		return at
	}
	if at > 0 && data[at-1] == end {
		at--
	}
	for ; count > 0 && at >= 0; count-- {
		at = bytes.LastIndexByte(data[:at], end)
	}
	return at + 1
}
