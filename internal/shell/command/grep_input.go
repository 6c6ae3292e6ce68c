package command

import (
	"bytes"
	"io"
	"strings"
)

// input searches standard input, as it comes.
func (g *grep) input() {
	s := &lineScan{lineSearch: &g.lines, begun: g.begun}
	s.reset(g.label)
	s.width = 20 // the size is not known
	buf := make([]byte, 0, onePiece)
	from := 0
	var err error
	for err == nil && (!s.done || s.pending > 0) && !g.c.Stopped() {
		if buf, err = fill(g.c.In, buf); err != nil && err != io.EOF {
			g.report(g.unread(g.label, err))
			break
		}
		whole := len(buf)
		if err == nil {
			whole = from + bytes.LastIndexByte(buf[from:], s.end) + 1
		}
		if !s.text && s.end == '\n' && bytes.IndexByte(buf[from:whole], 0) >= 0 {
			g.binaryInput(s, buf[from:], err)
			break
		}
		s.scan(buf[:whole], from)
		g.c.Out.Write(s.out)
		s.out = s.out[:0]
		rest := len(buf) - whole
		buf = s.forget(buf, whole)
		from = len(buf) - rest
	}
	text, message := g.finish(s)
	g.begun = s.begun
	g.c.Out.Write(text)
	g.report(message)
}

// binaryInput searches what is left of standard input after a NUL was found.
func (g *grep) binaryInput(s *lineScan, begin []byte, err error) {
	data := append([]byte(nil), begin...)
	if err == nil {
		rest, _ := io.ReadAll(&stoppable{g.c.In, g.c})
		data = append(data, rest...)
	}
	if g.without {
		s.selected = 0
		return
	}
	lines := s.lineSearch
	private := *lines
	private.first, private.quiet = !g.count, true
	before := s.selected
	s.lineSearch = &private
	s.counted, s.match = 0, -1
	s.scan(bytes.ReplaceAll(data, []byte{0}, []byte{'\n'}), 0)
	s.lineSearch = lines
	s.binary = s.binary || s.selected > before
}

// onePiece is how much is read at a time, so that the end of the call is seen; bytes.
const onePiece = 64 << 10

// fill reads more behind what is in buf, which grows if it is full.
func fill(in io.Reader, buf []byte) ([]byte, error) {
	if cap(buf)-len(buf) < 4<<10 {
		buf = append(make([]byte, 0, 2*cap(buf)), buf...)
	}
	n, err := in.Read(buf[len(buf):min(cap(buf), len(buf)+onePiece)])
	return buf[:len(buf)+n], err
}

// nameFilter is the patterns of --include and --exclude, in their order.
type nameFilter []namePattern

type namePattern struct {
	*glob
	include bool
}

// skips tells whether a name is left out: the last pattern that matches decides; if
// none does, then only what is not included is. Of an operand, the pattern may also
// match what follows any slash.
func (f nameFilter) skips(name string, operand bool) bool {
	if len(f) == 0 {
		return false
	}
	for i := len(f) - 1; i >= 0; i-- {
		if f[i].match(name) || operand && f[i].matchTail(name) {
			return !f[i].include
		}
	}
	return f[0].include
}

func (p namePattern) matchTail(name string) bool {
	for {
		_, tail, more := strings.Cut(name, "/")
		if !more {
			return false
		}
		if p.match(tail) {
			return true
		}
		name = tail
	}
}

// filters reads --include and its like.
func (g *grep) filters() bool {
	for _, o := range g.c.Given {
		switch o.Name {
		case "include", "exclude":
			g.files = append(g.files, namePattern{newGlob(o.Value, globStyle{}), o.Name == "include"})
		case "exclude-dir":
			g.dirs = append(g.dirs, namePattern{newGlob(trimSlashes(o.Value), globStyle{}), false})
		case "exclude-from":
			data, err := g.c.Read(o.Value)
			if err != nil {
				g.c.Fail(2, "%s: %s", o.Value, Reason(err))
				return false
			}
			for line := range strings.Lines(string(data)) {
				if line = strings.TrimRight(line, " \t\r\n"); line != "" {
					g.files = append(g.files, namePattern{newGlob(line, globStyle{}), false})
				}
			}
		}
	}
	return true
}

// trimSlashes is a name without slashes at the end, but not without all.
func trimSlashes(name string) string {
	if trimmed := strings.TrimRight(name, "/"); trimmed != "" {
		return trimmed
	}
	return name
}
