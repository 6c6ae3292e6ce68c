package command

import "bytes"

func init() {
	register(&Command{
		Name: "fold", About: "Break long lines.",
		Synopsis: "[OPTION]... [FILE]...",
		Options: []Option{
			{Short: "b", Long: "bytes", Help: "count bytes, not columns: tabs and backspaces are one"},
			{Short: "s", Long: "spaces", Help: "break at spaces"},
			{Short: "w", Long: "width", Value: "WIDTH", Help: "how long lines may be; 80 if not given"},
			{Short: "0-9", Value: "WIDTH", Number: true, Help: "as -w WIDTH"},
		},
		Run: fold,
	})
}

func fold(c *Call) int {
	width := int64(80)
	if value, ok := c.Value(c.Last("w", "0-9")); ok {
		n, err := parseCount(value, false)
		switch {
		case err == errNoNumber:
			return c.Fail(1, "invalid number of columns: %s", curly(value))
		case err != nil:
			return c.Fail(1, "invalid number of columns: %s: %v", curly(value), err)
		case n == 0:
			return c.Fail(1, "invalid number of columns: %s: %v", curly(value), errRange)
		}
		width = n
	}
	f := foldForm{width: int(width), bytes: c.Flag("b"), spaces: c.Flag("s")}
	return eachLine(c, '\n', func(line []byte, whole bool) {
		f.line(c, line)
		if whole {
			c.Out.WriteByte('\n')
		}
	})
}

type foldForm struct {
	width         int
	bytes, spaces bool
}

func (f foldForm) line(c *Call, line []byte) {
	begin, column := 0, 0
	for i := 0; i < len(line); i++ {
		next := f.advance(column, line[i])
		if next > f.width && i > begin {
			cut := i
			if f.spaces {
				if at := bytes.LastIndexAny(line[begin:i], " \t"); at >= 0 {
					cut = begin + at + 1
				}
			}
			c.Out.Write(line[begin:cut])
			c.Out.WriteByte('\n')
			begin, column = cut, 0
			for _, b := range line[begin:i] {
				column = f.advance(column, b)
			}
			i--
			continue
		}
		column = next
	}
	c.Out.Write(line[begin:])
}

// advance is the column behind a byte.
func (f foldForm) advance(column int, b byte) int {
	switch {
	case f.bytes:
	case b == '\t':
		return column + 8 - column%8
	case b == '\b':
		return max(0, column-1)
	case b == '\r':
		return 0
	}
	return column + 1
}
