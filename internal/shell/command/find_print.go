package command

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"
)

// Names for what the shell does not tell about the machine.
const (
	neutralOwner = "user"
	neutralGroup = "group"
)

// findField is a part of a format of -printf: a text, or a directive.
type findField struct {
	text      string
	directive byte // 0: text
	sub       byte // of %A %C %T
	flags     string
	width     int
	precision int // -1: none
	last      bool
}

func printfAction(p *findParser, word string) (findTest, error) {
	arg, err := p.argument(word)
	if err != nil {
		return nil, err
	}
	p.acts = true
	fields := p.f.format(arg)
	return func(f *finder, e *found) bool {
		for _, field := range fields {
			if field.directive == 0 {
				f.c.Out.WriteString(field.text)
			} else {
				f.c.Out.WriteString(field.pad(f.directive(e, field)))
			}
			if field.last {
				f.c.Out.Flush()
				break
			}
		}
		return true
	}, nil
}

// format reads a format; what is odd in it is told and taken as it is.
func (f *finder) format(s string) []findField {
	var fields []findField
	text := func(t string) { fields = append(fields, findField{text: t}) }
	for s != "" {
		switch {
		case s[0] == '\\' && len(s) > 1:
			t, n, known := findEscape(s[1:])
			if !known {
				f.c.Fail(0, "warning: unrecognized escape `\\%c'", s[1])
			}
			text(t)
			if s[1] == 'c' {
				fields[len(fields)-1].last = true
				return fields
			}
			s = s[1+n:]
		case s[0] == '%' && len(s) > 1:
			field, n := newFindField(s, "TAC")
			switch {
			case field.directive == '%':
				text("%")
			case strings.IndexByte("pfhHPsmMydDlYTACtacnkbiuUgGFSZ", field.directive) < 0:
				f.c.Fail(0, "warning: unrecognized format directive `%s'", "%"+string(field.directive))
				text(s[:n])
			default:
				fields = append(fields, field)
			}
			s = s[n:]
		default:
			n := strings.IndexAny(s[1:], `\%`) + 1
			if n == 0 {
				n = len(s)
			}
			text(s[:n])
			s = s[n:]
		}
	}
	return fields
}

// findEscape reads what follows a backslash.
func findEscape(s string) (text string, n int, known bool) {
	if at := strings.IndexByte(`abfnrtv\"'`, s[0]); at >= 0 {
		return string("\a\b\f\n\r\t\v\\\"'"[at]), 1, s[0] != '"' && s[0] != '\''
	}
	if s[0] == 'c' {
		return "", 1, true
	}
	value := 0
	for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
		value = value*8 + int(s[n]-'0')
		n++
	}
	if n > 0 {
		return string([]byte{byte(value)}), n, true
	}
	return "\\" + s[:1], 1, false
}

// mostWidth bounds the width of what is printed.
const mostWidth = 1 << 12

// newFindField reads a directive, and tells how long it is. Those of pairs have a second
// letter.
func newFindField(s, pairs string) (findField, int) {
	field := findField{precision: -1}
	n := 1
	for n < len(s) && strings.IndexByte("-+ 0#", s[n]) >= 0 {
		n++
	}
	field.flags = s[1:n]
	from := n
	n += digits(s[n:])
	field.width, _ = strconv.Atoi(s[from:n])
	if n < len(s) && s[n] == '.' {
		d := digits(s[n+1:])
		field.precision, _ = strconv.Atoi(s[n+1 : n+1+d])
		n += 1 + d
	}
	field.width, field.precision = min(field.width, mostWidth), min(field.precision, mostWidth)
	if n == len(s) {
		return field, n
	}
	field.directive = s[n]
	n++
	if strings.IndexByte(pairs, field.directive) >= 0 && n < len(s) {
		field.sub = s[n]
		n++
	}
	return field, n
}

func (d findField) pad(s string) string {
	if d.precision >= 0 && d.precision < len(s) && strings.IndexByte("pfhHPlMyY", d.directive) >= 0 {
		s = s[:d.precision]
	}
	if d.width <= len(s) {
		return s
	}
	if strings.Contains(d.flags, "-") {
		return s + strings.Repeat(" ", d.width-len(s))
	}
	fill := " "
	if strings.Contains(d.flags, "0") && strings.IndexByte("md", d.directive) >= 0 {
		fill = "0"
	}
	return strings.Repeat(fill, d.width-len(s)) + s
}

// directive is what a directive stands for.
func (f *finder) directive(e *found, d findField) string {
	switch d.directive {
	case 'p':
		return e.path
	case 'f':
		if trimmed := strings.TrimRight(e.path, "/"); e.depth == 0 && trimmed != "" {
			return trimmed[strings.LastIndexByte(trimmed, '/')+1:] + e.path[len(trimmed):]
		}
		return e.name
	case 'h':
		if at := strings.LastIndexByte(strings.TrimRight(e.path, "/"), '/'); at >= 0 {
			return e.path[:at]
		}
		return "."
	case 'H':
		return e.start
	case 'P':
		return strings.TrimPrefix(strings.TrimPrefix(e.path, e.start), "/")
	case 'd':
		return strconv.Itoa(e.depth)
	case 'y':
		return string(typeLetter(e.kind))
	case 'u', 'U':
		return neutralOwner
	case 'g', 'G':
		return neutralGroup
	case 'i', 'D':
		return "0"
	case 'n':
		return "1"
	case 'F', 'Z':
		return ""
	}
	return f.measured(e, d)
}

// measured is what a directive stands for, for which the file is looked at.
func (f *finder) measured(e *found, d findField) string {
	i, ok := f.stat(e)
	if !ok {
		return ""
	}
	switch d.directive {
	case 's':
		return strconv.FormatInt(sizeOf(i), 10)
	case 'm':
		return strconv.FormatUint(uint64(i.Mode().Perm()), 8)
	case 'M':
		return modeString(i.Mode())
	case 'l':
		if i.Mode()&fs.ModeSymlink == 0 {
			return ""
		}
		target, _ := f.c.Tree.ReadLink(e.abs())
		return target
	case 'Y':
		target, err := f.c.Tree.Stat(e.abs())
		if err != nil {
			return "N"
		}
		return string(typeLetter(target.Mode()))
	case 'k':
		return strconv.FormatInt(blocks(i)/2, 10)
	case 'b':
		return strconv.FormatInt(blocks(i), 10)
	case 'S':
		return "1"
	case 't', 'a', 'c':
		t := i.ModTime().UTC()
		return t.Format("Mon Jan _2 15:04:05.") + findFraction(t) + t.Format(" 2006")
	}
	return findTime(i.ModTime().UTC(), d.sub)
}

// findFraction is the part of a second as find writes it.
func findFraction(t time.Time) string { return fmt.Sprintf("%09d0", t.Nanosecond()) }

// findTime is a time by one letter of strftime, or @ or +.
func findTime(t time.Time, letter byte) string {
	switch letter {
	case '@':
		return strconv.FormatInt(t.Unix(), 10) + "." + findFraction(t)
	case '+':
		return t.Format("2006-01-02+15:04:05.") + findFraction(t)
	case 'S':
		return t.Format("05.") + findFraction(t)
	case 'T':
		return t.Format("15:04:05.") + findFraction(t)
	case 'X':
		return t.Format("15:04:05.") + findFraction(t)
	case 'c':
		return t.Format("Mon Jan _2 15:04:05.") + findFraction(t) + t.Format(" 2006")
	}
	return strftime(t, "%"+string(letter))
}

// sizeOf is the size of a file; all folders have the same.
func sizeOf(i fs.FileInfo) int64 {
	if i.IsDir() {
		return 4096
	}
	return i.Size()
}

// blocks is how many blocks of 512 bytes a file takes on most disks.
func blocks(i fs.FileInfo) int64 {
	if i.Mode()&fs.ModeSymlink != 0 {
		return 0
	}
	if i.IsDir() {
		return 8
	}
	return (i.Size() + 4095) / 4096 * 8
}

func listFound(f *finder, e *found) bool {
	i, ok := f.stat(e)
	if !ok {
		return true
	}
	name := e.path
	if i.Mode()&fs.ModeSymlink != 0 {
		if target, err := f.c.Tree.ReadLink(e.abs()); err == nil {
			name += " -> " + target
		}
	}
	fmt.Fprintf(f.c.Out, "%9d %6d %s %3d %-8s %-8s %8d %s %s\n", 0, blocks(i)/2, modeString(i.Mode()), 1,
		neutralOwner, neutralGroup, sizeOf(i), listTime(i.ModTime(), f.c.Now()), name)
	return true
}

// modeString is the type and the permissions as ls shows them.
func modeString(m fs.FileMode) string {
	b := []byte("?rwxrwxrwx")
	b[0] = typeLetter(m)
	if b[0] == 'f' {
		b[0] = '-'
	}
	for i := range 9 {
		if m&(1<<(8-i)) == 0 {
			b[1+i] = '-'
		}
	}
	return string(b)
}

// halfYear is how long ls shows the time of day rather than the year.
const halfYear = 31556952 / 2 * time.Second

// listTime is a time as ls -l shows it.
func listTime(t, now time.Time) string {
	if age := now.Sub(t); age >= 0 && age < halfYear {
		return t.UTC().Format("Jan _2 15:04")
	}
	return t.UTC().Format("Jan _2  2006")
}
