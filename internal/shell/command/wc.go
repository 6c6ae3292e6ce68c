package command

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"unicode"
	"unicode/utf8"
)

func init() {
	register(&Command{
		Name: "wc", About: "Count the lines, words and bytes of files.",
		Synopsis: "[OPTION]... [FILE]...",
		Options: []Option{
			{Short: "c", Long: "bytes", Help: "count bytes"},
			{Short: "m", Long: "chars", Help: "count characters"},
			{Short: "l", Long: "lines", Help: "count newlines"},
			{Short: "L", Long: "max-line-length", Help: "the width of the widest line"},
			{Short: "w", Long: "words", Help: "count words"},
			{Long: "files0-from", Value: "FILE", Refused: "name the files as operands, or use xargs -0 wc"},
		},
		Differs: "Columns of standard input are always 7 wide, which they are with GNU for a pipe but not for a file.",
		Run:     wc,
	})
}

// tally is what wc counts.
type tally struct {
	lines, words, chars, bytes, widest int64
}

// wcColumns are the columns in their order, and how to get at them.
var wcColumns = []struct {
	option string
	count  func(*tally) *int64
}{
	{"l", func(t *tally) *int64 { return &t.lines }},
	{"w", func(t *tally) *int64 { return &t.words }},
	{"m", func(t *tally) *int64 { return &t.chars }},
	{"c", func(t *tally) *int64 { return &t.bytes }},
	{"L", func(t *tally) *int64 { return &t.widest }},
}

func wc(c *Call) int {
	shown := map[string]bool{}
	for _, column := range wcColumns {
		shown[column.option] = c.Flag(column.option)
	}
	if len(c.Given) == 0 {
		shown["l"], shown["w"], shown["c"] = true, true, true
	}
	width := wcWidth(c, shown)
	var total tally
	status := 0
	for _, name := range c.Inputs() {
		t, err := countIn(c, name, shown)
		if c.Stopped() {
			return status
		}
		if err != nil {
			status = c.Fail(1, "%s: %s", plain(name), Reason(err))
			if !isDir(err) {
				continue
			}
		}
		if len(c.Operands) == 0 {
			name = ""
		}
		t.print(c, shown, width, name)
		total.add(t)
	}
	if len(c.Operands) > 1 {
		total.print(c, shown, width, "total")
	}
	return status
}

func (t *tally) add(u tally) {
	t.lines += u.lines
	t.words += u.words
	t.chars += u.chars
	t.bytes += u.bytes
	t.widest = max(t.widest, u.widest)
}

func (t *tally) print(c *Call, shown map[string]bool, width int, name string) {
	gap := ""
	for _, column := range wcColumns {
		if shown[column.option] {
			fmt.Fprintf(c.Out, "%s%*d", gap, width, *column.count(t))
			gap = " "
		}
	}
	if name != "" {
		c.Out.WriteString(" " + name)
	}
	c.Out.WriteByte('\n')
}

// wcWidth is how wide the columns are: enough for the size of all files, and at
// least 7 for what has no size.
func wcWidth(c *Call, shown map[string]bool) int {
	columns := 0
	for _, on := range shown {
		if on {
			columns++
		}
	}
	names := c.Inputs()
	if len(names) == 1 && columns == 1 {
		return 1
	}
	least, size := 1, int64(0)
	for _, name := range names {
		if stdin(name) {
			least = 7
			continue
		}
		info, err := c.Tree.Stat(c.Path(name))
		switch {
		case err != nil:
		case info.Mode().IsRegular():
			size += info.Size()
		default:
			least = 7
		}
	}
	return max(least, len(strconv.FormatInt(size, 10)))
}

func countIn(c *Call, name string, shown map[string]bool) (tally, error) {
	in, err := c.Open(name)
	if err != nil {
		return tally{}, err
	}
	defer in.Close()
	counter := wordCounter{width: shown["L"]}
	full := shown["w"] || shown["m"] || shown["L"]
	buf := make([]byte, 64<<10)
	kept := 0
	for !c.Stopped() {
		n, err := in.Read(buf[kept:])
		counter.bytes += int64(n)
		if !full {
			counter.lines += int64(bytes.Count(buf[:n], newline))
		} else {
			kept = copy(buf, counter.take(buf[:kept+n], err != nil))
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return counter.tally, err
		}
	}
	counter.endWord()
	counter.endLine()
	return counter.tally, nil
}

var newline = []byte{'\n'}

// wordCounter counts what needs a look at each character.
type wordCounter struct {
	tally
	width  bool // measure lines
	column int64
	inWord bool
}

// take counts text, and returns the beginning of a character at its end.
func (w *wordCounter) take(text []byte, last bool) []byte {
	for len(text) > 0 {
		r, n := rune(text[0]), 1
		if r >= utf8.RuneSelf {
			if !last && !utf8.FullRune(text) {
				return text
			}
			if r, n = utf8.DecodeRune(text); r == utf8.RuneError && n == 1 {
				text = text[1:] // a byte, but no character
				continue
			}
		}
		text = text[n:]
		w.chars++
		w.char(r)
	}
	return nil
}

func (w *wordCounter) char(r rune) {
	switch {
	case r == '\n' || r == '\r' || r == '\f':
		if r == '\n' {
			w.lines++
		}
		w.endLine()
		w.endWord()
	case r == '\t':
		w.column += 8 - w.column%8
		w.endWord()
	case r == ' ':
		w.column++
		w.endWord()
	case r == '\v':
		w.endWord()
	case r < utf8.RuneSelf:
		if r > ' ' && r < 0x7f {
			w.column++
			w.inWord = true
		}
	case unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r):
		if w.width {
			w.column += int64(runeWidth(r))
		}
		if unicode.IsSpace(r) || r == '\u2060' {
			w.endWord()
		} else {
			w.inWord = true
		}
	}
}

func (w *wordCounter) endWord() {
	if w.inWord {
		w.words++
		w.inWord = false
	}
}

func (w *wordCounter) endLine() {
	w.widest = max(w.widest, w.column)
	w.column = 0
}

// wide are the characters that take two columns.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1}, {0x231a, 0x231b, 1}, {0x2329, 0x232a, 1}, {0x23e9, 0x23ec, 1},
		{0x23f0, 0x23f3, 3}, {0x25fd, 0x25fe, 1}, {0x2614, 0x2615, 1}, {0x2648, 0x2653, 1},
		{0x267f, 0x2693, 20}, {0x26a1, 0x26a1, 1}, {0x26aa, 0x26ab, 1}, {0x26bd, 0x26be, 1},
		{0x26c4, 0x26c5, 1}, {0x26ce, 0x26d4, 6}, {0x26ea, 0x26ea, 1}, {0x26f2, 0x26f3, 1},
		{0x26f5, 0x26fa, 5}, {0x26fd, 0x2705, 8}, {0x270a, 0x270b, 1}, {0x2728, 0x2728, 1},
		{0x274c, 0x274e, 2}, {0x2753, 0x2755, 1}, {0x2757, 0x2757, 1}, {0x2795, 0x2797, 1},
		{0x27b0, 0x27bf, 15}, {0x2b1b, 0x2b1c, 1}, {0x2b50, 0x2b55, 5}, {0x2e80, 0x303e, 1},
		{0x3041, 0x33ff, 1}, {0x3400, 0x4dbf, 1}, {0x4e00, 0xa4cf, 1}, {0xa960, 0xa97f, 1},
		{0xac00, 0xd7a3, 1}, {0xf900, 0xfaff, 1}, {0xfe10, 0xfe19, 1}, {0xfe30, 0xfe6f, 1},
		{0xff01, 0xff60, 1}, {0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{
		{0x16fe0, 0x18aff, 1}, {0x1b000, 0x1b2ff, 1}, {0x1f004, 0x1f004, 1}, {0x1f0cf, 0x1f0cf, 1},
		{0x1f18e, 0x1f18e, 1}, {0x1f191, 0x1f19a, 1}, {0x1f200, 0x1f320, 1}, {0x1f32d, 0x1f335, 1},
		{0x1f337, 0x1f37c, 1}, {0x1f37e, 0x1f393, 1}, {0x1f3a0, 0x1f3ca, 1}, {0x1f3cf, 0x1f3d3, 1},
		{0x1f3e0, 0x1f3f0, 1}, {0x1f3f4, 0x1f3f4, 1}, {0x1f3f8, 0x1f43e, 1}, {0x1f440, 0x1f440, 1},
		{0x1f442, 0x1f4fc, 1}, {0x1f4ff, 0x1f53d, 1}, {0x1f54b, 0x1f54e, 1}, {0x1f550, 0x1f567, 1},
		{0x1f57a, 0x1f57a, 1}, {0x1f595, 0x1f596, 1}, {0x1f5a4, 0x1f5a4, 1}, {0x1f5fb, 0x1f64f, 1},
		{0x1f680, 0x1f6c5, 1}, {0x1f6cc, 0x1f6cc, 1}, {0x1f6d0, 0x1f6d2, 1}, {0x1f6d5, 0x1f6d7, 1},
		{0x1f6dc, 0x1f6df, 1}, {0x1f6eb, 0x1f6ec, 1}, {0x1f6f4, 0x1f6fc, 1}, {0x1f7e0, 0x1f7eb, 1},
		{0x1f90c, 0x1f93a, 1}, {0x1f93c, 0x1f945, 1}, {0x1f947, 0x1f9ff, 1}, {0x1fa70, 0x1faff, 1},
		{0x20000, 0x2fffd, 1}, {0x30000, 0x3fffd, 1},
	},
}

// runeWidth is how many columns a printable character takes.
func runeWidth(r rune) int {
	switch {
	case r == 0xad:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}
