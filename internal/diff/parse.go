package diff

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"redline/internal/text"
)

// ErrPatch is a text that is not a unified patch.
var ErrPatch = errors.New("malformed patch")

// ParseError is ErrPatch with the place and the reason.
type ParseError struct {
	Line   int // of the patch, counted from 1
	Reason string
}

func (e *ParseError) Error() string { return fmt.Sprintf("patch line %d: %s", e.Line, e.Reason) }

func (e *ParseError) Unwrap() error { return ErrPatch }

// Parse reads unified patches, one for each file named. Hunks without a file
// name make a patch without names. It accepts what git diff and diff -u write;
// time stamps behind names and git's own header lines are passed over.
//
// It is strict. Hunks must have as many lines as they announce and must be in
// order, and what is not a patch is an error, never passed over: a patch that
// was cut short or mangled would otherwise change less than it says. Patches
// without text, such as renames and binary files, are errors too.
func Parse(data []byte) ([]Patch, error) {
	p := parser{rest: data}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		return nil, p.fail(bytes.Count(data, []byte("\n"))+1, "cut short: the last line has no newline")
	}
	var out []Patch
	for {
		named, err := p.preamble()
		if err != nil {
			return nil, err
		}
		if len(p.rest) == 0 && !named {
			break
		}
		if len(out) > 0 && p.sees("@@ ") {
			// Printed again they would belong to the file before.
			return nil, p.unexpected("a file name, as the hunks of a file stand together")
		}
		one, err := p.patch(named)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	if len(out) == 0 {
		return nil, p.fail(1, "there is no hunk")
	}
	return out, nil
}

// parser reads from the top. at is the line that starts rest, counted from 0.
type parser struct {
	rest []byte
	at   int
}

func (p *parser) fail(line int, format string, args ...any) error {
	return &ParseError{line, fmt.Sprintf(format, args...)}
}

// unexpected fails at the next line.
func (p *parser) unexpected(want string) error {
	line := p.at + 1
	if len(p.rest) == 0 {
		return p.fail(line, "want %s, have the end", want)
	}
	have := p.next()
	return p.fail(line, "want %s, have %.60q", want, have[:len(have)-1])
}

// next returns the next line with its "\n". There must be one.
func (p *parser) next() []byte {
	line := p.rest[:bytes.IndexByte(p.rest, '\n')+1]
	p.rest = p.rest[len(line):]
	p.at++
	return line[:len(line):len(line)]
}

func (p *parser) sees(prefix string) bool { return bytes.HasPrefix(p.rest, []byte(prefix)) }

// headers are the lines that git and diff put before a file's names.
var headers = []string{"diff ", "index ", "old mode ", "new mode ", "new file mode ", "deleted file mode ",
	"similarity index ", "dissimilarity index ", "rename from ", "rename to ", "copy from ", "copy to "}

// preamble passes over blank lines, and over header lines, behind which a file
// name must follow.
func (p *parser) preamble() (named bool, err error) {
	for {
		switch {
		case p.sees("\n") && !named:
			p.next()
		case slices.ContainsFunc(headers, p.sees):
			if named && p.sees("diff ") {
				return false, p.unexpected(`"--- " and a file name; only changes of text can be read`)
			}
			p.next()
			named = true
		default:
			return named, nil
		}
	}
}

// patch reads the names and the hunks of one file.
func (p *parser) patch(named bool) (one Patch, err error) {
	if p.sees("--- ") {
		if one.Old, err = p.name(); err != nil {
			return one, err
		}
		if !p.sees("+++ ") {
			return one, p.unexpected(`"+++ " and a file name`)
		}
		if one.New, err = p.name(); err != nil {
			return one, err
		}
	} else if named {
		return one, p.unexpected(`"--- " and a file name; only changes of text can be read`)
	}
	for p.sees("@@ ") {
		line := p.at + 1
		h, err := p.hunk()
		if err != nil {
			return one, err
		}
		if n := len(one.Hunks); n > 0 && !follows(one.Hunks[n-1], h) {
			return one, p.fail(line, "hunk %s overlaps the hunk before it or comes too late", h.Header())
		}
		one.Hunks = append(one.Hunks, h)
	}
	if len(one.Hunks) == 0 {
		return one, p.unexpected(`a hunk ("@@ ") or a file name ("--- ")`)
	}
	return one, nil
}

// follows tells whether h is entirely behind prev in both documents.
func follows(prev, h Hunk) bool {
	unterminated := slices.ContainsFunc(prev.Lines, func(l Span) bool { return !terminated(l.Text) })
	return h.A.Start >= prev.A.End && h.B.Start >= prev.B.End && !unterminated
}

func terminated(line []byte) bool { return len(line) > 0 && line[len(line)-1] == '\n' }

// name reads a line such as "--- a/notes.md", with an optional tab and time
// stamp, or the name in quotes.
func (p *parser) name() (string, error) {
	line := p.next()
	name := line[len("--- ") : len(line)-1]
	if bytes.HasSuffix(name, []byte("\r")) {
		return "", p.fail(p.at, `the line ends in "\r\n"; the lines of a patch itself end in "\n"`)
	}
	if len(name) > 0 && name[0] == '"' {
		s, err := unquote(name)
		if err != nil {
			return "", p.fail(p.at, "file name %.60q: %v", name, err)
		}
		return s, nil
	}
	name, _, _ = bytes.Cut(name, []byte("\t"))
	if len(name) == 0 {
		return "", p.fail(p.at, "the file name is empty")
	}
	return string(name), nil
}

// unquote reads a name in quotes, with the escapes of C.
func unquote(s []byte) (string, error) {
	var out []byte
	for i := 1; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"' && len(out) > 0:
			return string(out), nil
		case c == '"':
			return "", errors.New("it is empty")
		case c != '\\':
			out = append(out, c)
			continue
		}
		if i++; i == len(s) {
			break
		}
		if k := bytes.IndexByte([]byte(`abtnvfr"\`), s[i]); k >= 0 {
			out = append(out, "\a\b\t\n\v\f\r\"\\"[k])
			continue
		}
		if i+3 > len(s) {
			break
		}
		n, err := strconv.ParseUint(string(s[i:i+3]), 8, 8)
		if err != nil {
			return "", fmt.Errorf("bad escape %.4q", s[i-1:])
		}
		out = append(out, byte(n))
		i += 2
	}
	return "", errors.New("the closing quote is missing")
}

// hunk reads the header and exactly the lines that it announces.
func (p *parser) hunk() (h Hunk, err error) {
	header := p.next()
	start := p.at
	rest := header[len("@@ "):]
	a, rest, ok1 := cutRange(rest, "-")
	b, rest, ok2 := cutRange(rest, " +")
	if !ok1 || !ok2 || !bytes.HasPrefix(rest, []byte(" @@")) || bytes.HasSuffix(header, []byte("\r\n")) {
		return h, p.fail(start, "want a hunk header such as %q, have %.60q", "@@ -14,9 +14,11 @@", header[:len(header)-1])
	}
	h.A, h.B = a, b
	old, new := a.Len(), b.Len() // lines still to come
	changed, oldEnded, newEnded := false, false, false
	for old > 0 || new > 0 || p.sees(`\`) {
		if p.sees(`\`) {
			if err := p.endWithout(&h, start); err != nil {
				return h, err
			}
			op := h.Lines[len(h.Lines)-1].Op
			oldEnded, newEnded = oldEnded || op != Insert, newEnded || op != Delete
			continue
		}
		l, ok := p.hunkLine()
		inOld, inNew := l.Op != Insert, l.Op != Delete
		switch {
		case !ok:
			return h, p.unexpected(fmt.Sprintf("%d more old and %d more new lines of the hunk in line %d", old, new, start))
		case inOld && old == 0 || inNew && new == 0:
			return h, p.fail(p.at, "the hunk in line %d announces fewer %s lines than it has", start, side(inOld && old == 0))
		case inOld && oldEnded || inNew && newEnded:
			return h, p.fail(p.at, "a line behind the %s file's last line, which has no newline", side(inOld && oldEnded))
		}
		if inOld {
			old--
		}
		if inNew {
			new--
		}
		changed = changed || l.Op != Equal
		h.Lines = append(h.Lines, l)
	}
	if !changed {
		return h, p.fail(start, "the hunk changes nothing")
	}
	return h, nil
}

func side(old bool) string {
	if old {
		return "old"
	}
	return "new"
}

// hunkLine reads a line of a hunk. An empty line is an equal empty line whose
// space was lost, which editors do and every patch program accepts.
func (p *parser) hunkLine() (Span, bool) {
	if len(p.rest) == 0 {
		return Span{}, false
	}
	op := Equal
	switch p.rest[0] {
	case '\n':
		return Span{Equal, p.next()}, true
	case ' ':
	case '-':
		op = Delete
	case '+':
		op = Insert
	default:
		return Span{}, false
	}
	return Span{op, p.next()[1:]}, true
}

// endWithout reads the mark that the line before it has no newline.
func (p *parser) endWithout(h *Hunk, start int) error {
	p.next()
	if len(h.Lines) == 0 {
		return p.fail(p.at, "a mark for a missing newline without a line before it")
	}
	l := &h.Lines[len(h.Lines)-1]
	if !terminated(l.Text) || len(l.Text) == 1 {
		return p.fail(p.at, "a mark for a missing newline behind a line that is empty or already has one, in the hunk in line %d", start)
	}
	l.Text = l.Text[: len(l.Text)-1 : len(l.Text)-1]
	return nil
}

// cutRange reads prefix and a range such as "14,9" or "14" from s.
func cutRange(s []byte, prefix string) (r text.Range, rest []byte, ok bool) {
	s, ok = bytes.CutPrefix(s, []byte(prefix))
	if !ok {
		return r, nil, false
	}
	start, s, ok := cutNumber(s)
	if !ok {
		return r, nil, false
	}
	count := 1
	if after, found := bytes.CutPrefix(s, []byte(",")); found {
		if count, s, ok = cutNumber(after); !ok {
			return r, nil, false
		}
	}
	if count > 0 { // an empty range names the line before it
		start--
	}
	return text.Range{Start: start, End: start + count}, s, start >= 0
}

func cutNumber(s []byte) (n int, rest []byte, ok bool) {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	n, err := strconv.Atoi(string(s[:i]))
	return n, s[i:], err == nil && n <= math.MaxInt32
}
