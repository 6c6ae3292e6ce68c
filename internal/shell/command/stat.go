package command

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

func init() {
	register(&Command{
		Name: "stat", About: "Tell about files and folders.",
		Synopsis: "[OPTION]... FILE...",
		Options: []Option{
			{Short: "c", Long: "format", Value: "FORMAT", Help: "show FORMAT, and a newline: %n %N %s %F %a %A %y %Y %h %b %B %f %U %G …"},
			{Long: "printf", Value: "FORMAT", Help: "as -c with escapes, and without the newline"},
			{Short: "L", Long: "dereference", Help: "follow links"},
			{Short: "t", Long: "terse", Help: "all in one line"},
			{Short: "f", Long: "file-system", Refused: "there is no file system to tell about"},
		},
		Differs: "There is one time, that of the last change; owners are 'user' and 'group', devices and inodes 0, and each file has one link.",
		Run:     runStat,
	})
}

const (
	statLong = `  File: %N
  Size: %-10s	Blocks: %-10b IO Block: %-6o %F
Device: 0,0	Inode: %-11i Links: %h
Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)
Access: %x
Modify: %y
Change: %z
 Birth: %w
`
	statTerse = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n"
)

// stats is one run of stat.
type stats struct {
	c       *Call
	format  string
	escapes bool
	plain   bool // names without quotes in %N, as in the long form
}

func runStat(c *Call) int {
	if len(c.Operands) == 0 {
		return c.Try(1, "missing operand")
	}
	s := &stats{c: c}
	switch c.Last("c", "printf") {
	case "c":
		value, _ := c.Value("c")
		s.format = value + "\n"
	case "printf":
		s.format, _ = c.Value("printf")
		s.escapes = true
	default:
		s.format, s.plain = statLong, true
		if c.Flag("t") {
			s.format = statTerse
		}
	}
	status := 0
	for _, name := range c.Operands {
		info, err := s.look(name)
		if err != nil {
			status = c.Fail(1, "cannot statx %s: %s", Quote(name), Reason(err))
			continue
		}
		s.print(name, info)
	}
	return status
}

func (s *stats) look(name string) (fs.FileInfo, error) {
	switch {
	case name == "":
		return nil, fs.ErrNotExist
	case s.c.Flag("L"):
		return s.c.Tree.Stat(s.c.Path(name))
	}
	return s.c.Tree.Lstat(s.c.Path(name))
}

func (s *stats) print(name string, info fs.FileInfo) {
	format := s.format
	for format != "" {
		switch {
		case format[0] == '%':
			d, n := newFindField(format, "")
			if d.directive == 0 && n < len(format) || format[:n] == "%\n" { // a newline behind a lone percent sign
				n, d.directive = 1, '%'
			}
			s.c.Out.WriteString(s.directive(name, info, d))
			format = format[n:]
		case format[0] == '\\' && s.escapes && len(format) > 1:
			format = s.escape(format[1:])
		default:
			n := strings.IndexAny(format[1:], `%\`) + 1
			if n == 0 {
				n = len(format)
			}
			s.c.Out.WriteString(format[:n])
			format = format[n:]
		}
	}
}

// escape writes what an escape of --printf stands for, and returns the rest.
func (s *stats) escape(rest string) string {
	if rest[0] == 'x' {
		n := 1
		for n < len(rest) && n < 3 && strings.IndexByte("0123456789abcdefABCDEF", rest[n]) >= 0 {
			n++
		}
		if value, err := strconv.ParseUint(rest[1:n], 16, 8); err == nil {
			s.c.Out.WriteByte(byte(value))
			return rest[n:]
		}
	}
	if rest[0] == '"' {
		s.c.Out.WriteByte('"')
		return rest[1:]
	}
	text, n, known := findEscape(rest)
	if !known {
		s.c.Fail(0, "warning: unrecognized escape '\\%c'", rest[0])
		text, n = rest[:1], 1
	}
	s.c.Out.WriteString(text)
	return rest[n:]
}

// directive is what a directive stands for, with its width.
func (s *stats) directive(name string, i fs.FileInfo, d findField) string {
	text := ""
	number := false
	switch d.directive {
	case 'n':
		text = name
	case 'N':
		text = s.quoted(name, i)
	case 'F':
		text = fileKind(i)
	case 'A':
		text = modeString(i.Mode())
	case 'U':
		text = neutralOwner
	case 'G':
		text = neutralGroup
	case 'm':
		text = s.c.Tree.Root()
	case 'w':
		text = "-"
	case 'x', 'y', 'z':
		text = i.ModTime().UTC().Format("2006-01-02 15:04:05.000000000 +0000")
	case 'X', 'Y', 'Z':
		text, number = s.seconds(i, d), true
		d.precision = -1
	case '%':
		return "%"
	default:
		value, ok := statNumber(i, d)
		if !ok {
			return "?"
		}
		text, number = value, true
	}
	if d.precision >= 0 && d.precision < len(text) && !number {
		text = text[:d.precision]
	}
	fill := " "
	if number && strings.Contains(d.flags, "0") {
		fill = "0"
	}
	switch missing := d.width - len(text); {
	case missing <= 0:
		return text
	case strings.Contains(d.flags, "-"):
		return text + strings.Repeat(" ", missing)
	default:
		return strings.Repeat(fill, missing) + text
	}
}

// seconds is the time since the epoch, with as many digits as asked for.
func (s *stats) seconds(i fs.FileInfo, d findField) string {
	t := i.ModTime()
	text := strconv.FormatInt(t.Unix(), 10)
	if d.precision > 0 {
		text += "." + (fmt.Sprintf("%09d", t.Nanosecond()) + strings.Repeat("0", max(0, d.precision-9)))[:d.precision]
	}
	return text
}

func statNumber(i fs.FileInfo, d findField) (string, bool) {
	switch d.directive {
	case 's':
		return strconv.FormatInt(sizeOf(i), 10), true
	case 'a':
		text := strconv.FormatUint(uint64(i.Mode().Perm()), 8)
		if strings.Contains(d.flags, "#") {
			text = "0" + text
		}
		return text, true
	case 'f':
		return strconv.FormatUint(rawMode(i.Mode()), 16), true
	case 'b':
		return strconv.FormatInt(blocks(i), 10), true
	case 'B':
		return "512", true
	case 'o':
		return "4096", true
	case 'h':
		return "1", true
	case 'i', 'd', 'D', 't', 'T', 'r', 'R', 'W', 'u', 'g':
		return "0", true
	}
	return "", false
}

// rawMode is the type and the permissions as stat(2) has them.
func rawMode(m fs.FileMode) uint64 {
	kind := map[byte]uint64{'f': 0o100000, 'd': 0o040000, 'l': 0o120000, 'c': 0o020000, 'b': 0o060000, 'p': 0o010000, 's': 0o140000}[typeLetter(m)]
	return kind | uint64(m.Perm())
}

// quoted is a name, and for a link where it leads.
func (s *stats) quoted(name string, i fs.FileInfo) string {
	quote := Quote
	if s.plain {
		quote = func(name string) string { return name }
	}
	if i.Mode()&fs.ModeSymlink == 0 {
		return quote(name)
	}
	target, _ := s.c.Tree.ReadLink(s.c.Path(name))
	return quote(name) + " -> " + quote(target)
}

// fileKind is the type of a file in words.
func fileKind(i fs.FileInfo) string {
	switch typeLetter(i.Mode()) {
	case 'd':
		return "directory"
	case 'l':
		return "symbolic link"
	case 'c':
		return "character special file"
	}
	if i.Size() == 0 {
		return "regular empty file"
	}
	return "regular file"
}
