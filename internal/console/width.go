package console

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wide are the characters that take two columns: East Asian wide and fullwidth
// ones, and emoji.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1}, {0x231a, 0x231b, 1}, {0x2329, 0x232a, 1}, {0x23e9, 0x23ec, 1}, {0x23f0, 0x23f3, 3},
		{0x25fd, 0x25fe, 1}, {0x2614, 0x2615, 1}, {0x2648, 0x2653, 1}, {0x267f, 0x2693, 0x14}, {0x26a1, 0x26a1, 1},
		{0x26aa, 0x26ab, 1}, {0x26bd, 0x26be, 1}, {0x26c4, 0x26c5, 1}, {0x26ce, 0x26d4, 6}, {0x26ea, 0x26ea, 1},
		{0x26f2, 0x26f3, 1}, {0x26f5, 0x26fa, 5}, {0x26fd, 0x2705, 8}, {0x270a, 0x270b, 1}, {0x2728, 0x274c, 0x24},
		{0x274e, 0x274e, 1}, {0x2753, 0x2755, 1}, {0x2757, 0x2757, 1}, {0x2795, 0x2797, 1}, {0x27b0, 0x27bf, 0xf},
		{0x2b1b, 0x2b1c, 1}, {0x2b50, 0x2b55, 5}, {0x2e80, 0x303e, 1}, {0x3041, 0x33ff, 1}, {0x3400, 0x4dbf, 1},
		{0x4e00, 0xa4cf, 1}, {0xa960, 0xa97f, 1}, {0xac00, 0xd7a3, 1}, {0xf900, 0xfaff, 1}, {0xfe10, 0xfe19, 1},
		{0xfe30, 0xfe6f, 1}, {0xff00, 0xff60, 1}, {0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{
		{0x16fe0, 0x18aff, 1}, {0x1b000, 0x1b2ff, 1}, {0x1f004, 0x1f004, 1}, {0x1f0cf, 0x1f0cf, 1}, {0x1f18e, 0x1f18e, 1},
		{0x1f191, 0x1f19a, 1}, {0x1f1e6, 0x1f1ff, 1}, {0x1f200, 0x1f320, 1}, {0x1f32d, 0x1f335, 1}, {0x1f337, 0x1f37c, 1},
		{0x1f37e, 0x1f393, 1}, {0x1f3a0, 0x1f3ca, 1}, {0x1f3cf, 0x1f3d3, 1}, {0x1f3e0, 0x1f3f0, 1}, {0x1f3f4, 0x1f3f4, 1},
		{0x1f3f8, 0x1f43e, 1}, {0x1f440, 0x1f440, 1}, {0x1f442, 0x1f4fc, 1}, {0x1f4ff, 0x1f53d, 1}, {0x1f54b, 0x1f567, 1},
		{0x1f57a, 0x1f57a, 1}, {0x1f595, 0x1f596, 1}, {0x1f5a4, 0x1f5a4, 1}, {0x1f5fb, 0x1f64f, 1}, {0x1f680, 0x1f6c5, 1},
		{0x1f6cc, 0x1f6cc, 1}, {0x1f6d0, 0x1f6d2, 1}, {0x1f6d5, 0x1f6df, 1}, {0x1f6eb, 0x1f6ec, 1}, {0x1f6f4, 0x1f6fc, 1},
		{0x1f7e0, 0x1f7eb, 1}, {0x1f90c, 0x1f9ff, 1}, {0x1fa70, 0x1faff, 1}, {0x20000, 0x3fffd, 1},
	},
}

const (
	joiner    = 0x200d // what follows belongs to what was before
	emojiForm = 0xfe0f // makes the character before it wide
)

// columns is how much room s, cleaned and on one line, takes on a terminal. Where
// terminals differ, as with emoji that are joined, it is the larger figure.
func columns(s string) int {
	n := 0
	for s != "" {
		size, width := cluster(s)
		n += width
		s = s[size:]
	}
	return n
}

// cut shortens s to at most width columns, with an ellipsis, and never inside of
// a character, be it one that several code points make.
func cut(s string, width int) string {
	if columns(s) <= width {
		return s
	}
	if width < 1 {
		return ""
	}
	var b strings.Builder
	room := width - 1
	for s != "" {
		size, w := cluster(s)
		if room -= w; room < 0 {
			break
		}
		b.WriteString(s[:size])
		s = s[size:]
	}
	return b.String() + "…"
}

// cluster measures the first character that a person sees in s: in bytes and in
// columns.
func cluster(s string) (size, width int) {
	first, size := utf8.DecodeRuneInString(s)
	width = runeColumns(first)
	flag := regional(first)
	joined := false
	for size < len(s) {
		r, n := utf8.DecodeRuneInString(s[size:])
		switch {
		case joined, r == joiner, r >= 0x1f3fb && r <= 0x1f3ff && width >= 2:
			width += runeColumns(r)
		case r == emojiForm:
			width = max(width, 2)
		case flag && regional(r):
			flag = false
			width += runeColumns(r)
		case runeColumns(r) > 0:
			return size, width
		}
		joined = r == joiner
		size += n
	}
	return size, width
}

func regional(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

func runeColumns(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me), r == 0x200c, r == joiner, r >= 0x1160 && r <= 0x11ff:
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}
