package command

import (
	"bytes"
	"io"
	"strings"
)

func init() {
	follow := "nothing else changes files while it runs; leave it out"
	register(&Command{
		Name: "tail", About: "Write the last lines of files, 10 if not said otherwise.",
		Synopsis: "[OPTION]... [FILE]...",
		Options: []Option{
			{Short: "c", Long: "bytes", Value: "NUM", Help: "the last NUM bytes; with +, from byte NUM on"},
			{Short: "n", Long: "lines", Value: "NUM", Help: "the last NUM lines; with +, from line NUM on"},
			{Short: "0-9", Value: "NUM", Number: true, Help: "as -n NUM, for one file"},
			{Short: "q", Long: "quiet", Help: "write no headers with the names of files"},
			{Long: "silent", Help: "as -q"},
			{Short: "v", Long: "verbose", Help: "always write headers"},
			{Short: "z", Long: "zero-terminated", Help: "lines end with NUL, not with a newline"},
			{Short: "f", Refused: follow},
			{Long: "follow", Value: "[HOW]", Refused: follow},
			{Short: "F", Refused: follow},
			{Long: "pid", Value: "PID", Refused: follow},
			{Long: "retry", Refused: follow},
			{Short: "s", Long: "sleep-interval", Value: "N", Refused: follow},
		},
		Differs: "GNU also takes a letter behind the number, as in -20c; here it is -c 20.",
		Run:     tail,
	})
}

func tail(c *Call) int {
	p := extent{count: 10, end: lineEnd(c)}
	if len(c.Args) > 0 && len(c.Args) <= 2 && len(c.Given) == 0 && obsoleteStart(c.Args[0]) {
		p.other = true
		p.read(c, c.Args[0][1:])
		c.Operands = c.Operands[1:]
	}
	for _, g := range c.Given {
		switch g.Name {
		case "0-9":
			if len(c.Args) > 2 {
				return c.Fail(1, "option used in invalid context -- %c", g.Value[0])
			}
		case "c", "n":
		default:
			continue
		}
		p.bytes = g.Name == "c"
		p.other = strings.HasPrefix(g.Value, "+")
		if !p.read(c, strings.TrimPrefix(g.Value, "-")) {
			return 1
		}
	}
	return eachWithHeader(c, func(name string) error { return p.tail(c, name) })
}

// obsoleteStart tells whether an argument is the +NUM of old: from that line on.
func obsoleteStart(arg string) bool {
	return len(arg) > 1 && arg[0] == '+' && digits(arg[1:]) == len(arg)-1
}

func (p *extent) tail(c *Call, name string) error {
	in, err := c.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	if p.other {
		if p.bytes {
			_, err = io.CopyN(io.Discard, in, max(0, p.count-1))
		} else {
			err = p.skip(c, in)
		}
		if err == io.EOF {
			return nil
		}
		if err == nil {
			_, err = io.Copy(c.Out, in)
		}
		return err
	}
	data, err := p.keep(c, in)
	c.Out.Write(data)
	return err
}

// skip reads the lines before the one to begin with, and writes what was read
// behind them. It returns io.EOF at the end.
func (p *extent) skip(c *Call, in io.Reader) error {
	buf := make([]byte, 16<<10)
	for left := p.count - 1; left > 0 && !c.Stopped(); {
		n, err := in.Read(buf)
		text := buf[:n]
		for left > 0 {
			i := bytes.IndexByte(text, p.end)
			if i < 0 {
				text = nil
				break
			}
			text = text[i+1:]
			left--
		}
		c.Out.Write(text)
		if err != nil {
			return err
		}
	}
	return nil
}

// keep reads all, and keeps not much more than what is wanted.
func (p *extent) keep(c *Call, in io.Reader) ([]byte, error) {
	const enough = 1 << 20
	var data []byte
	trim := enough
	for !c.Stopped() {
		if cap(data)-len(data) < 16<<10 {
			data = append(make([]byte, 0, 2*len(data)+(32<<10)), data...)
		}
		n, err := in.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return p.last(data), nil
		}
		if err != nil {
			return p.last(data), err
		}
		if len(data) >= trim {
			kept := p.last(data)
			data = data[:copy(data, kept)]
			trim = max(enough, 2*len(data))
		}
	}
	return nil, nil
}

// last is the part at the end of data.
func (p *extent) last(data []byte) []byte {
	if p.bytes {
		return data[max(0, int64(len(data))-p.count):]
	}
	return data[lastLines(data, p.count, p.end):]
}
