package command

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"unicode/utf8"

	"redline/internal/shell/regex"
)

// lineSearch is what grep and rg look for, and how they show it. It is the same for
// all files, and not changed while they are searched.
type lineSearch struct {
	ctx    context.Context
	re     *regex.Regexp
	invert bool
	end    byte // of each line: a newline, or NUL with grep -z

	quiet bool // nothing is shown: counted or listed
	first bool // the first line that is selected is enough
	most  int  // lines that are selected in a file; negative: all

	before, after int
	context       bool // context was asked for, even if it is 0 lines
	separator     []byte
	only          bool // the matches, not the lines
	around        bool // with only, the lines around are shown, too
	names         bool
	numbers       bool
	offsets       bool
	columns       bool // of the first match (rg --column)
	tabs          bool
	nul           bool // a NUL behind names
	text          bool // binary files are like others
	multi         bool // a match may go over several lines
	// replace writes what stands for a match (rg -r); nil: the match.
	replace func(dst, line []byte, match []int) []byte
}

// lineScan searches one file. Its parts are kept from one file to the next.
type lineScan struct {
	*lineSearch
	name string
	out  []byte

	selected int
	matches  int  // of all selected lines; counted with matchCount only
	binary   bool // a line could not be shown: it is no UTF-8
	done     bool

	matchCount bool
	begun      bool // some line was selected before
	fresh      bool // nothing of this file was shown before
	pending    int  // lines behind a selected one that are still to be shown
	base       int  // the offset of the buffer in the file
	counted    int  // lines are counted up to this offset in the buffer
	line       int  // how many
	shown      int  // up to this offset in the buffer lines were shown; negative: before it
	match      int  // where the next line that matches begins, for invert; -1: unknown
	matchEnd   int
	span       []int
	width      int // of numbers, with tabs
}

// reset begins with another file.
func (s *lineScan) reset(name string) {
	*s = lineScan{lineSearch: s.lineSearch, name: name, out: s.out[:0], span: s.span, match: -1, fresh: true, begun: s.begun, matchCount: s.matchCount}
}

// window is how much is searched at a time before looking whether to go on; bytes.
const window = 1 << 20

// scan searches the lines of b from an offset on.
func (s *lineScan) scan(b []byte, from int) {
	if s.done {
		s.trailing(b, from, len(b))
	}
	for !s.done && s.most != 0 {
		start, end, ok := s.next(b, from)
		if s.pending > 0 {
			s.fresh = false
			limit := len(b)
			if ok {
				limit = start
			}
			s.trailing(b, from, limit)
		}
		if !ok {
			return
		}
		s.selected++
		if s.matchCount {
			s.countMatches(b[start:end])
		}
		if !s.quiet {
			s.show(b, start, end)
		}
		s.begun = true
		from = min(end+1, len(b))
		if s.first || s.selected == s.most {
			s.done = true
			s.trailing(b, from, len(b))
		}
	}
}

// next finds the next line that is selected.
func (s *lineScan) next(b []byte, from int) (start, end int, ok bool) {
	for from < len(b) {
		if s.ctx.Err() != nil {
			s.done = true
			return 0, 0, false
		}
		if !s.invert {
			lim := s.windowEnd(b, from)
			if start, end, ok = s.nextMatch(b[:lim], from); ok {
				return start, end, true
			}
			from = lim
			continue
		}
		lim := s.windowEnd(b, from)
		if s.match < from {
			s.match = lim
			if m, e, found := s.nextMatch(b[:lim], from); found {
				s.match, s.matchEnd = m, e
			} else if lim < len(b) {
				s.matchEnd = lim - 1 // look again behind the window
			} else {
				s.match, s.matchEnd = len(b), len(b)
			}
		}
		if s.match > from {
			return from, s.lineEnd(b, from), true
		}
		from = s.matchEnd + 1
		s.match = -1
	}
	return 0, 0, false
}

func (s *lineScan) windowEnd(b []byte, from int) int {
	if len(b)-from <= window || s.multi {
		return len(b)
	}
	return min(s.lineEnd(b, from+window)+1, len(b))
}

// nextMatch finds the next line that matches.
func (s *lineScan) nextMatch(b []byte, from int) (start, end int, ok bool) {
	if s.multi {
		return s.nextLines(b, from)
	}
	if s.end == '\n' {
		return s.re.NextLine(b, from)
	}
	for from < len(b) {
		end := s.lineEnd(b, from)
		if s.re.Match(b[from:end]) {
			return from, end, true
		}
		from = end + 1
	}
	return 0, 0, false
}

// nextLines finds the next lines over which a match goes.
func (s *lineScan) nextLines(b []byte, from int) (start, end int, ok bool) {
	at, to, ok := s.re.FindIndex(b, from)
	if !ok || at == len(b) && at > 0 && b[at-1] == s.end {
		return 0, 0, false
	}
	start = max(from, bytes.LastIndexByte(b[:at], s.end)+1)
	if to > at && b[to-1] == s.end {
		to--
	}
	return start, s.lineEnd(b, to), true
}

func (s *lineScan) lineEnd(b []byte, at int) int {
	if n := bytes.IndexByte(b[at:], s.end); n >= 0 {
		return at + n
	}
	return len(b)
}

// trailing shows lines between from and limit that follow a selected one.
func (s *lineScan) trailing(b []byte, from, limit int) {
	for ; s.pending > 0 && from < limit; s.pending-- {
		end := s.lineEnd(b, from)
		s.print(b, from, end, '-')
		from = min(end+1, len(b))
	}
}

// show shows a selected line and those before it.
func (s *lineScan) show(b []byte, start, end int) {
	begin := s.back(b, start)
	if s.context && s.begun && (s.fresh || begin > s.shown) && s.separator != nil {
		s.out = append(s.out, s.separator...)
		s.out = append(s.out, '\n')
	}
	for begin < start {
		lineEnd := s.lineEnd(b, begin)
		s.print(b, begin, lineEnd, '-')
		begin = lineEnd + 1
	}
	s.print(b, start, end, ':')
	s.pending = s.after
}

// back is where the lines begin that are shown before the one at start.
func (s *lineScan) back(b []byte, start int) int {
	least := max(s.shown, 0)
	for n := 0; n < s.before && start > least; n++ {
		start = bytes.LastIndexByte(b[:start-1], s.end) + 1
	}
	return max(start, least)
}

// print shows a line, or its matches.
func (s *lineScan) print(b []byte, start, end int, mark byte) {
	if s.only && (mark == ':' || !s.around) {
		if mark == ':' && !s.invert {
			s.printMatches(b, start, end)
		}
		s.shown, s.fresh = min(end+1, len(b)), false
		return
	}
	if !s.text && !utf8.Valid(b[start:end]) {
		s.binary = true
		return
	}
	s.shown, s.fresh = min(end+1, len(b)), false
	if s.multi && s.replace == nil {
		for more := s.lineEnd(b, start); more < end; more = s.lineEnd(b, start) {
			s.printLine(b, start, more, mark)
			start = more + 1
		}
	}
	s.printLine(b, start, end, mark)
}

func (s *lineScan) printLine(b []byte, start, end int, mark byte) {
	column := 0
	if s.columns && mark == ':' && !s.invert {
		if at, _, ok := s.re.FindIndex(b[start:end], 0); ok {
			column = at + 1
		}
	}
	s.head(b, start, start, column, mark)
	if s.tabs && end > start && (s.names || s.numbers || s.offsets) {
		s.out = append(s.out, '\t')
	}
	if s.replace != nil && mark == ':' && !s.invert {
		s.out = s.replaced(s.out, b[start:end])
	} else {
		s.out = append(s.out, b[start:end]...)
	}
	s.out = append(s.out, s.end)
}

func (s *lineScan) printMatches(b []byte, start, end int) {
	line := b[start:end]
	s.eachMatch(line, func(at, to int) {
		if at == to {
			return
		}
		if !s.text && !utf8.Valid(line[at:to]) {
			s.binary = true
			return
		}
		s.head(b, start, start+at, at+1, ':')
		if s.tabs && (s.names || s.numbers || s.offsets) {
			s.out = append(s.out, '\t')
		}
		if s.replace != nil {
			s.out = s.replace(s.out, line, s.span)
		} else {
			s.out = append(s.out, line[at:to]...)
		}
		s.out = append(s.out, s.end)
	})
}

// eachMatch finds the matches of a line; span has the groups of each.
func (s *lineScan) eachMatch(line []byte, found func(at, to int)) {
	for from := 0; from <= len(line); {
		at, to, ok := 0, 0, false
		if s.replace != nil {
			if s.span = s.re.FindSubmatchIndex(line, from, s.span); s.span == nil {
				return
			}
			at, to, ok = s.span[0], s.span[1], true
		} else if at, to, ok = s.re.FindIndex(line, from); !ok {
			return
		}
		found(at, to)
		from = to
		if at == to {
			_, w := utf8.DecodeRune(line[to:])
			from += max(w, 1)
		}
	}
}

func (s *lineScan) countMatches(line []byte) {
	if s.invert {
		s.matches++
		return
	}
	s.eachMatch(line, func(int, int) { s.matches++ })
}

// replaced is a line with all matches replaced.
func (s *lineScan) replaced(dst, line []byte) []byte {
	done := 0
	s.eachMatch(line, func(at, to int) {
		dst = append(dst, line[done:at]...)
		dst = s.replace(dst, line, s.span)
		done = to
	})
	return append(dst, line[done:]...)
}

// head shows what stands before a line: its file, number and offset.
func (s *lineScan) head(b []byte, start, at, column int, mark byte) {
	if s.names {
		s.out = append(s.out, s.name...)
		if s.nul {
			s.out = append(s.out, 0)
		} else {
			s.out = append(s.out, mark)
		}
	}
	if s.numbers {
		s.line += bytes.Count(b[s.counted:start], []byte{s.end})
		s.counted = start
		s.field(s.line+1, mark)
	}
	if column > 0 && s.columns {
		s.field(column, mark)
	}
	if s.offsets {
		s.field(s.base+at, mark)
	}
}

// field shows a number; with grep -T as wide as the largest of the file may be.
func (s *lineScan) field(n int, mark byte) {
	if s.tabs {
		s.out = fmt.Appendf(s.out, "%*d", s.width, n)
	} else {
		s.out = strconv.AppendInt(s.out, int64(n), 10)
	}
	s.out = append(s.out, mark)
}

// forget drops the beginning of a buffer that is read piece by piece, up to what may
// still be shown, and returns the rest; next is the offset of what was not scanned.
func (s *lineScan) forget(b []byte, next int) []byte {
	keep := s.back(b, next)
	s.line += bytes.Count(b[s.counted:max(keep, s.counted)], []byte{s.end})
	s.counted = max(s.counted-keep, 0)
	s.base += keep
	s.shown -= keep
	s.match = -1
	return b[:copy(b, b[keep:])]
}
