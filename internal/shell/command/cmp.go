package command

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

func init() {
	register(&Command{
		Name: "cmp", About: "Compare two files byte by byte.",
		Synopsis: "[OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]",
		Options: []Option{
			{Short: "b", Long: "print-bytes", Help: "show the bytes that differ"},
			{Short: "i", Long: "ignore-initial", Value: "SKIP", Help: "pass over the first SKIP bytes, or SKIP1:SKIP2"},
			{Short: "l", Long: "verbose", Help: "show all bytes that differ"},
			{Short: "n", Long: "bytes", Value: "LIMIT", Help: "compare at most LIMIT bytes"},
			{Short: "s", Long: "quiet", Help: "show nothing"},
			{Long: "silent", Help: "as -s"},
		},
		Run: cmpCommand,
	})
}

// bytewise is a run of cmp.
type bytewise struct {
	*Call
	names [2]string
	data  [2][]byte
	skip  [2]int64
	limit int64 // -1: none
}

func cmpCommand(c *Call) int {
	b := &bytewise{Call: c, limit: -1}
	if status := b.operands(); status != 0 {
		return status
	}
	silent := c.Flag("s") || c.Flag("silent")
	for i, name := range b.names {
		data, err := c.Read(name)
		if err != nil {
			if !silent {
				c.Fail(2, "%s: %s", name, Reason(err))
			}
			return 2
		}
		data = data[min(int64(len(data)), b.skip[i]):]
		if b.limit >= 0 {
			data = data[:min(int64(len(data)), b.limit)]
		}
		b.data[i] = data
	}
	switch {
	case bytes.Equal(b.data[0], b.data[1]):
		return 0
	case silent:
		return 1
	case c.Flag("l"):
		b.all()
	default:
		b.first()
	}
	return 1
}

func (b *bytewise) usage(format, arg string) int {
	b.Fail(2, format, Quote(arg))
	return b.Fail(2, "Try 'cmp --help' for more information.")
}

func (b *bytewise) operands() int {
	args := b.Operands
	switch {
	case len(args) == 0:
		last := "cmp"
		if len(b.Args) > 0 {
			last = b.Args[len(b.Args)-1]
		}
		return b.usage("missing operand after %s", last)
	case len(args) > 4:
		return b.usage("extra operand %s", args[4])
	}
	b.names = [2]string{args[0], "-"}
	if len(args) > 1 {
		b.names[1] = args[1]
	}
	skips := args[min(len(args), 2):]
	if initial, ok := b.Value("i"); ok {
		one, two, both := strings.Cut(initial, ":")
		if !both {
			two = one
		}
		skips = []string{one, two}
	}
	for i, s := range skips {
		n, err := parseCount(s, true)
		if err != nil {
			return b.usage("invalid --ignore-initial value %s", s)
		}
		b.skip[i] = n
	}
	if limit, ok := b.Value("n"); ok {
		n, err := parseCount(limit, true)
		if err != nil {
			return b.usage("invalid --bytes value %s", limit)
		}
		b.limit = n
	}
	return 0
}

// first shows the first byte that differs.
func (b *bytewise) first() {
	x, y := b.data[0], b.data[1]
	n := min(len(x), len(y))
	at := 0
	for at < n && x[at] == y[at] {
		at++
	}
	line := bytes.Count(x[:at], []byte("\n")) + 1
	if at < n {
		fmt.Fprintf(b.Out, "%s %s differ: byte %d, line %d", b.names[0], b.names[1], at+1, line)
		if b.Flag("b") {
			fmt.Fprintf(b.Out, " is %3o %s %3o %s", x[at], visible(x[at]), y[at], visible(y[at]))
		}
		b.Out.WriteByte('\n')
		return
	}
	b.shorter(n, func() string {
		if bytes.HasSuffix(x[:n], []byte("\n")) {
			return fmt.Sprintf(", line %d", line-1)
		}
		return fmt.Sprintf(", in line %d", line)
	})
}

// shorter says that one of the files ended after n bytes.
func (b *bytewise) shorter(n int, line func() string) {
	name := b.names[0]
	if len(b.data[1]) < len(b.data[0]) {
		name = b.names[1]
	}
	if n == 0 {
		b.Fail(1, "EOF on %s which is empty", name)
		return
	}
	b.Fail(1, "EOF on %s after byte %d%s", name, n, line())
}

// all shows every byte that differs.
func (b *bytewise) all() {
	x, y := b.data[0], b.data[1]
	n := min(len(x), len(y))
	width := len(strconv.Itoa(n))
	for i := range n {
		if x[i] == y[i] {
			continue
		}
		if b.Stopped() {
			return
		}
		if b.Flag("b") {
			fmt.Fprintf(b.Out, "%*d %3o %-4s %3o %s\n", width, i+1, x[i], visible(x[i]), y[i], visible(y[i]))
		} else {
			fmt.Fprintf(b.Out, "%*d %3o %3o\n", width, i+1, x[i], y[i])
		}
	}
	if len(x) != len(y) {
		b.shorter(n, func() string { return "" })
	}
}

// visible is a byte as cat -v shows it.
func visible(b byte) string {
	mark := ""
	if b >= 0x80 {
		mark, b = "M-", b-0x80
	}
	switch {
	case b < ' ':
		return mark + "^" + string(rune(b+'@'))
	case b == 0x7f:
		return mark + "^?"
	}
	return mark + string(rune(b))
}
