package text

import "bytes"

// EOL is a line terminator.
type EOL string

// The terminators a line can have. A last line may have none.
const (
	None EOL = ""
	LF   EOL = "\n"
	CRLF EOL = "\r\n"
)

// Terminator returns the terminator at the end of line.
func Terminator(line []byte) EOL {
	switch {
	case bytes.HasSuffix(line, []byte(CRLF)):
		return CRLF
	case bytes.HasSuffix(line, []byte(LF)):
		return LF
	}
	return None
}

// EOL is the terminator that most lines have: what new lines get. A tie goes
// to the first line, and a document without any terminator counts as LF.
func (d *Document) EOL() EOL {
	lf := d.terminated() - d.crlf
	switch {
	case d.crlf > lf:
		return CRLF
	case d.crlf < lf || d.crlf == 0:
		return LF
	}
	return Terminator(d.Line(0))
}

// terminated is the number of lines that have a terminator.
func (d *Document) terminated() int {
	n := d.Lines()
	if n > 0 && d.data[len(d.data)-1] != '\n' {
		n--
	}
	return n
}

// mixed tells whether the document has terminators of both kinds.
func (d *Document) mixed() bool { return d.crlf > 0 && d.crlf < d.terminated() }

// adopt gives the terminators inside s the style of the text that s replaces:
// its k-th terminator becomes that of the k-th terminated line of old, and
// what goes beyond old gets eol.
func adopt(s, old []byte, eol EOL) []byte {
	if bytes.IndexByte(s, '\n') < 0 {
		return s
	}
	out := make([]byte, 0, len(s)+bytes.Count(s, newline))
	for len(s) > 0 {
		line, rest := cutLine(s)
		s = rest
		was := Terminator(line)
		out = append(out, line[:len(line)-len(was)]...)
		if was == None {
			continue
		}
		want := eol
		if len(old) > 0 {
			line, old = cutLine(old)
			if t := Terminator(line); t != None {
				want = t
			}
		}
		out = append(out, want...)
	}
	return out
}

// cutLine splits s behind its first terminator.
func cutLine(s []byte) (line, rest []byte) {
	if i := bytes.IndexByte(s, '\n'); i >= 0 {
		return s[:i+1], s[i+1:]
	}
	return s, nil
}
