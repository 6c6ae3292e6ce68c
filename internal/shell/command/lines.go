package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"redline/internal/shell/tree"
)

// lineReader reads lines of any length.
type lineReader struct {
	r       io.Reader
	end     byte // what ends a line: newline, or NUL
	buf     []byte
	at      int // where the next line begins
	scanned int // no end of a line before this
	done    bool
	err     error // why it could not be read to its end
}

const lineBuffer = 32 << 10

func newLineReader(r io.Reader, end byte) *lineReader { return &lineReader{r: r, end: end} }

// next is the next line with its end, which only the last one may lack; nil if
// there is none. It is good until the next call.
func (l *lineReader) next() []byte {
	for {
		if i := bytes.IndexByte(l.buf[l.scanned:], l.end); i >= 0 {
			line := l.buf[l.at : l.scanned+i+1]
			l.at += len(line)
			l.scanned = l.at
			return line
		}
		l.scanned = len(l.buf)
		if l.done {
			line := l.buf[l.at:]
			l.at = len(l.buf)
			if len(line) == 0 {
				return nil
			}
			return line
		}
		l.fill()
	}
}

// fill reads more, behind what is left.
func (l *lineReader) fill() {
	if l.at > 0 {
		n := copy(l.buf, l.buf[l.at:])
		l.buf, l.scanned, l.at = l.buf[:n], l.scanned-l.at, 0
	}
	if cap(l.buf)-len(l.buf) < lineBuffer/2 {
		l.buf = append(make([]byte, 0, 2*len(l.buf)+lineBuffer), l.buf...)
	}
	n, err := l.r.Read(l.buf[len(l.buf):cap(l.buf)])
	l.buf = l.buf[:len(l.buf)+n]
	if err != nil {
		l.done = true
		if err != io.EOF {
			l.err = err
		}
	}
}

// chomp is a line without its end, and whether it had one.
func chomp(line []byte, end byte) ([]byte, bool) {
	if n := len(line); n > 0 && line[n-1] == end {
		return line[:n-1], true
	}
	return line, false
}

// lineEnd is what ends a line for tools that have -z.
func lineEnd(c *Call) byte {
	if c.Flag("z") {
		return 0
	}
	return '\n'
}

// eachLine calls line for each line of the inputs, with its end cut off. Messages
// about inputs that cannot be read are "name: reason". It returns the status.
func eachLine(c *Call, end byte, line func(line []byte, whole bool)) int {
	status := 0
	for _, name := range c.Inputs() {
		err := linesOf(c, name, end, line)
		if err != nil {
			status = c.Fail(1, "%s: %s", plain(name), Reason(err))
		}
		if c.Stopped() {
			break
		}
	}
	return status
}

func linesOf(c *Call, name string, end byte, line func(line []byte, whole bool)) error {
	in, err := c.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	lines := newLineReader(in, end)
	for text := lines.next(); text != nil && !c.Stopped(); text = lines.next() {
		line(chomp(text, end))
	}
	return lines.err
}

// isDir tells whether something cannot be read because it is a folder, which tools
// notice only after they have opened it.
func isDir(err error) bool { return errors.Is(err, tree.ErrIsDir) }

// curly puts a word into quotes as GNU tools do in messages.
func curly(s string) string {
	var b strings.Builder
	b.WriteString("‘")
	for i, r := range s {
		switch {
		case r == utf8.RuneError && s[i] >= utf8.RuneSelf && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\%03o`, s[i])
		case r == '\\' || r == '’':
			b.WriteRune('\\')
			b.WriteRune(r)
		case strings.ContainsRune("\a\b\f\n\r\t\v", r):
			b.WriteByte('\\')
			b.WriteByte("abtnvfr"[r-'\a'])
		case !unicode.IsPrint(r):
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteRune(r)
		}
	}
	b.WriteString("’")
	return b.String()
}

// plain is a name as coreutils write it before a colon: in quotes only where a shell
// would need them.
func plain(name string) string {
	switch {
	case name == "", name == "{", name == "}",
		name[0] == '#', name[0] == '~',
		strings.ContainsAny(name, " !\"$&'()*;<=>[^`|?\\:"),
		strings.ContainsFunc(name, unicode.IsControl):
		return Quote(name)
	}
	return name
}
