package command

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

func init() {
	register(&Command{
		Name: "echo", About: "Write the arguments, with spaces between them.",
		Synopsis: "[-neE] [STRING]...", Raw: true,
		Differs: "-n: no newline at the end; -e: read escapes such as \\n and \\t; -E: do not, as without it. It is the echo of bash.",
		Run:     echo,
	})
}

func echo(c *Call) int {
	args, newline, escapes := c.Args, true, false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		for _, letter := range args[0][1:] {
			switch letter {
			case 'n':
				newline = false
			case 'e':
				escapes = true
			case 'E':
				escapes = false
			}
		}
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escapes {
		out, ended := unescape(nil, text, echoEscapes)
		c.Out.Write(out)
		if ended {
			return 0
		}
	} else {
		c.Out.WriteString(text)
	}
	if newline {
		c.Out.WriteByte('\n')
	}
	return 0
}

// escapes is which escapes a text may have.
type escapes int

const (
	formatEscapes  escapes = iota // \nnn in octal, \' \" \?
	echoEscapes                   // \0nnn in octal, \c ends the output
	percentBEscape                // both forms of octal, \c and the quotes
)

// unescape appends a text to dst with its escapes replaced. ended is true if it says
// that nothing more is to be written.
func unescape(dst []byte, s string, kind escapes) (out []byte, ended bool) {
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			dst = append(dst, s[i])
			i++
			continue
		}
		if s[i+1] == 'c' && kind != formatEscapes {
			return dst, true
		}
		var n int
		dst, n = escape(dst, s[i:], kind)
		i += n
	}
	return dst, false
}

// escape appends what the escape at the start of s stands for, and returns its length.
// What is none is taken as it is.
func escape(dst []byte, s string, kind escapes) ([]byte, int) {
	const letters, values = `abeEfnrtv\`, "\a\b\x1b\x1b\f\n\r\t\v\\"
	letter := s[1]
	if i := strings.IndexByte(letters, letter); i >= 0 {
		return append(dst, values[i]), 2
	}
	switch {
	case strings.IndexByte(`'"?`, letter) >= 0 && kind != echoEscapes:
		return append(dst, letter), 2
	case letter == '0' && kind != formatEscapes:
		n := digitsOf(s[2:], 8, 3)
		v, _ := strconv.ParseUint("0"+s[2:2+n], 8, 32)
		return append(dst, byte(v)), 2 + n
	case letter >= '0' && letter <= '7' && kind != echoEscapes:
		n := digitsOf(s[1:], 8, 3)
		v, _ := strconv.ParseUint(s[1:1+n], 8, 32)
		return append(dst, byte(v)), 1 + n
	}
	if most := map[byte]int{'x': 2, 'u': 4, 'U': 8}[letter]; most > 0 {
		if n := digitsOf(s[2:], 16, most); n > 0 {
			v, _ := strconv.ParseUint(s[2:2+n], 16, 32)
			if letter == 'x' {
				return append(dst, byte(v)), 2 + n
			}
			return utf8.AppendRune(dst, rune(v)), 2 + n
		}
	}
	return append(dst, s[:2]...), 2
}

// digitsOf counts the digits at the start of s, up to a number of them.
func digitsOf(s string, base, most int) int {
	n := 0
	for n < len(s) && n < most {
		if _, err := strconv.ParseUint(s[n:n+1], base, 8); err != nil {
			break
		}
		n++
	}
	return n
}
