package console

import (
	"io"
	"strings"
)

// palette tells whether there are colours. The texts it is given are clean.
type palette bool

func (p palette) paint(code, s string) string {
	if !bool(p) || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p palette) bold(s string) string  { return p.paint("1", s) }
func (p palette) dim(s string) string   { return p.paint("2", s) }
func (p palette) red(s string) string   { return p.paint("31", s) }
func (p palette) green(s string) string { return p.paint("32", s) }

// screen is text that grows downwards, with a status line under it that comes and
// goes. What it is given is clean.
type screen struct {
	w      io.Writer
	width  int
	colors palette
	plain  bool   // no status line, for there is no way to erase it
	inLine bool   // the cursor is behind text
	status string // the status line that is shown
	err    error  // the first one of w; nothing is written after it
}

func (s *screen) write(text string) {
	if s.err == nil && text != "" {
		_, s.err = io.WriteString(s.w, text)
	}
}

// text goes on where the last one ended.
func (s *screen) text(text string) {
	if text == "" {
		return
	}
	s.erase()
	s.write(text)
	s.inLine = !strings.HasSuffix(text, "\n")
}

// line begins a new line if need be, and ends it. A text of several lines is
// allowed.
func (s *screen) line(text string) {
	s.erase()
	s.fresh()
	s.write(text + "\n")
}

// fresh goes to the beginning of a line.
func (s *screen) fresh() {
	if s.inLine {
		s.write("\n")
		s.inLine = false
	}
}

// now shows what happens at the moment, until something else is written.
func (s *screen) now(text string) {
	if s.plain || s.inLine {
		return
	}
	text = s.colors.dim(cut(text, s.width-1))
	if text == s.status {
		return
	}
	s.erase()
	s.write(text)
	s.status = text
}

func (s *screen) erase() {
	if s.status != "" {
		s.write("\r\x1b[K")
		s.status = ""
	}
}
