package command

import (
	"bytes"
	"fmt"
	"strings"
)

func init() {
	register(&Command{
		Name: "join", About: "Write the lines of two sorted files that have a field in common.",
		Synopsis: "[OPTION]... FILE1 FILE2",
		Options: []Option{
			{Short: "a", Value: "FILENUM", Help: "also lines of file 1 or 2 that have no partner"},
			{Short: "e", Value: "STRING", Help: "what to write for fields that are not there"},
			{Short: "i", Long: "ignore-case", Help: "compare without regard to case"},
			{Short: "j", Value: "FIELD", Help: "as -1 FIELD -2 FIELD"},
			{Short: "o", Value: "FORMAT", Help: "which fields to write: 0,1.2,2.3 or auto"},
			{Short: "t", Value: "CHAR", Help: "what separates fields"},
			{Short: "v", Value: "FILENUM", Help: "only lines of file 1 or 2 that have no partner"},
			{Short: "1", Value: "FIELD", Help: "the field of file 1 to join on"},
			{Short: "2", Value: "FIELD", Help: "the field of file 2 to join on"},
			{Long: "check-order", Help: "stop if a file is not sorted"},
			{Long: "nocheck-order", Help: "say nothing if a file is not sorted"},
			{Long: "header", Help: "the first lines are headers"},
			{Short: "z", Long: "zero-terminated", Help: "lines end with NUL, not with a newline"},
		},
		Run: join,
	})
}

// joinLine is a line, split into fields.
type joinLine struct {
	text   []byte
	fields [][]byte
}

// joinField is a field to write: file 0 is the one that is common.
type joinField struct{ file, field int }

// joinSide is one of the two files.
type joinSide struct {
	name     string
	number   int // 1 or 2
	lines    *lineReader
	count    int // lines read
	field    int // the one to join on, from 0
	unpaired bool
	held     []joinLine // lines that were read and are not done yet
	before   *joinLine  // the line read last
	warned   bool
	auto     int // fields to write of each line; -1: all
}

// joinRun is a run of join.
type joinRun struct {
	c        *Call
	sides    [2]*joinSide
	pairs    bool
	fold     bool
	tab      int // what separates fields; -1: blanks; -2: nothing, a line is one field
	filler   []byte
	format   []joinField
	order    string
	unpaired bool
	end      byte
	halted   bool
}

// The values of tab that are no bytes.
const (
	tabBlanks = -1
	tabNone   = -2
)

func join(c *Call) int {
	r := &joinRun{
		c: c, pairs: !c.Flag("v"), fold: c.Flag("i"), tab: tabBlanks, end: lineEnd(c),
		order: c.Last("check-order", "nocheck-order"),
		sides: [2]*joinSide{{number: 1, auto: -1, field: -1}, {number: 2, auto: -1, field: -1}},
	}
	auto := false
	for _, g := range c.Given {
		if complaint := r.option(g, &auto); complaint != "" {
			return c.Fail(1, "%s", complaint)
		}
	}
	if complaint := r.looseFormat(); complaint != "" {
		return c.Fail(1, "%s", complaint)
	}
	switch n := len(c.Operands); {
	case n == 0:
		return c.Try(1, "missing operand")
	case n == 1:
		return c.Try(1, "missing operand after %s", curly(c.Operands[0]))
	case n > 2:
		return c.Try(1, "extra operand %s", Quote(c.Operands[2]))
	case stdin(c.Operands[0]) && stdin(c.Operands[1]):
		return c.Fail(1, "both files cannot be standard input")
	}
	for i, side := range r.sides {
		side.name = c.Operands[i]
		side.field = max(side.field, 0)
		in, err := c.Open(side.name)
		if isDir(err) {
			return c.Fail(1, "read error: %s", Reason(err))
		}
		if err != nil {
			return c.Fail(1, "%s: %s", plain(side.name), Reason(err))
		}
		defer in.Close()
		side.lines = newLineReader(in, r.end)
	}
	r.run(auto)
	if r.halted {
		return 1
	}
	if r.sides[0].warned || r.sides[1].warned {
		return c.Fail(1, "input is not in sorted order")
	}
	return 0
}

// option takes one option; it returns what is wrong with it.
func (r *joinRun) option(g Given, auto *bool) string {
	switch g.Name {
	case "a", "v":
		if g.Value != "1" && g.Value != "2" {
			if _, err := parseCount(g.Value, false); err != nil || g.Value != "" {
				return "invalid field number: " + curly(g.Value)
			}
		}
		r.sides[g.Value[0]-'1'].unpaired = true
	case "e":
		if r.filler != nil && string(r.filler) != g.Value {
			return "conflicting empty-field replacement strings"
		}
		r.filler = []byte(g.Value)
	case "t":
		tab := tabNone
		if g.Value != "" {
			b, ok := singleByte(g.Value)
			if !ok {
				return "multi-character tab " + curly(g.Value)
			}
			tab = int(b)
		}
		if r.tab != tabBlanks && r.tab != tab {
			return "incompatible tabs"
		}
		r.tab = tab
	case "1", "2", "j":
		for i, side := range r.sides {
			if g.Name == "j" || g.Name == fmt.Sprint(i+1) {
				if complaint := side.joinOn(g.Value); complaint != "" {
					return complaint
				}
			}
		}
	case "o":
		if g.Value == "auto" {
			*auto = true
			return ""
		}
		return r.addFormat(g.Value)
	}
	return ""
}

func (s *joinSide) joinOn(value string) string {
	field, complaint := joinNumber(value)
	switch {
	case complaint != "":
		return complaint
	case s.field >= 0 && s.field != field:
		return fmt.Sprintf("incompatible join fields %d, %d", s.field+1, field+1)
	}
	s.field = field
	return ""
}

// joinNumber reads the number of a field, which is counted from 0 then.
func joinNumber(value string) (int, string) {
	n, err := parseCount(value, false)
	if err == errNoNumber || n == 0 {
		return 0, "invalid field number: " + curly(value)
	}
	return int(min(n, 1<<30)) - 1, ""
}

// addFormat takes a list of fields to write.
func (r *joinRun) addFormat(list string) string {
	for _, item := range strings.FieldsFunc(strings.ReplaceAll(list, ",", " , "), func(r rune) bool { return r == ' ' || r == '\t' }) {
		if item == "," {
			continue
		}
		if item == "0" {
			r.format = append(r.format, joinField{})
			continue
		}
		if item[0] != '1' && item[0] != '2' {
			return "invalid file number in field spec: " + curly(item)
		}
		if len(item) < 2 || item[1] != '.' {
			return "invalid field specifier: " + curly(item)
		}
		field, complaint := joinNumber(item[2:])
		if complaint != "" {
			return complaint
		}
		r.format = append(r.format, joinField{int(item[0] - '0'), field})
	}
	return ""
}

// looseFormat takes the fields that stand behind -o as words of their own.
func (r *joinRun) looseFormat() string {
	for r.format != nil && len(r.c.Operands) > 2 {
		if complaint := r.addFormat(r.c.Operands[0]); complaint != "" {
			return complaint
		}
		r.c.Operands = r.c.Operands[1:]
	}
	return ""
}

// read reads a line of a side and holds it; false at the end.
func (r *joinRun) read(s *joinSide) bool {
	text := s.lines.next()
	if text == nil || r.halted || r.c.Stopped() {
		return false
	}
	text, _ = chomp(text, r.end)
	s.count++
	line := joinLine{text: bytes.Clone(text)}
	line.fields = r.split(line.text)
	if s.before != nil {
		r.check(s, line)
	}
	s.before = &line
	s.held = append(s.held, line)
	return !r.halted
}

// check looks at whether a line is in order.
func (r *joinRun) check(s *joinSide, line joinLine) {
	if s.warned || r.order == "nocheck-order" || r.order == "" && !r.unpaired {
		return
	}
	if r.compare(*s.before, line, s.field, s.field) > 0 {
		r.c.Fail(1, "%s:%d: is not sorted: %s", plain(s.name), s.count, line.text)
		s.warned = true
		r.halted = r.order == "check-order"
	}
}

func (r *joinRun) split(text []byte) [][]byte {
	if len(text) == 0 {
		return nil
	}
	if r.tab == tabNone {
		return [][]byte{text}
	}
	if r.tab >= 0 {
		return bytes.Split(text, []byte{byte(r.tab)})
	}
	var fields [][]byte
	text = bytes.TrimLeft(text, " \t\n")
	for len(text) > 0 {
		i := bytes.IndexAny(text, " \t\n")
		if i < 0 {
			return append(fields, text)
		}
		fields = append(fields, text[:i])
		if text = bytes.TrimLeft(text[i:], " \t\n"); len(text) == 0 {
			fields = append(fields, text)
		}
	}
	return fields
}

func (r *joinRun) compare(a, b joinLine, fieldA, fieldB int) int {
	var x, y []byte
	if fieldA < len(a.fields) {
		x = a.fields[fieldA]
	}
	if fieldB < len(b.fields) {
		y = b.fields[fieldB]
	}
	if r.fold {
		return compareFold(x, y)
	}
	return bytes.Compare(x, y)
}

// across compares lines of the two sides.
func (r *joinRun) across(a, b joinLine) int {
	return r.compare(a, b, r.sides[0].field, r.sides[1].field)
}

func (r *joinRun) run(auto bool) {
	a, b := r.sides[0], r.sides[1]
	r.read(a)
	r.read(b)
	if auto {
		for _, s := range r.sides {
			s.auto = 0
			if len(s.held) > 0 {
				s.auto = len(s.held[0].fields)
			}
		}
	}
	if r.c.Flag("header") && len(a.held)+len(b.held) > 0 {
		r.write(a.first(), b.first())
		for _, s := range r.sides {
			s.before = nil
			s.held = nil
			r.read(s)
		}
	}
	for len(a.held) > 0 && len(b.held) > 0 && !r.halted && !r.c.Stopped() {
		switch order := r.across(a.held[0], b.held[0]); {
		case order < 0:
			r.alone(a)
		case order > 0:
			r.alone(b)
		default:
			r.group()
		}
	}
	if !r.halted {
		left, right := len(a.held) > 0, len(b.held) > 0
		r.rest(a, right)
		r.rest(b, left)
	}
}

// first is the line that is held, or nil.
func (s *joinSide) first() *joinLine {
	if len(s.held) == 0 {
		return nil
	}
	return &s.held[0]
}

// alone is for a line that has no partner.
func (r *joinRun) alone(s *joinSide) {
	if s.unpaired {
		r.lonely(s, &s.held[0])
	}
	s.held = s.held[:0]
	r.read(s)
	r.unpaired = true
}

func (r *joinRun) lonely(s *joinSide, line *joinLine) {
	if s.number == 1 {
		r.write(line, nil)
	} else {
		r.write(nil, line)
	}
}

// group writes all pairs of the lines that have the same field.
func (r *joinRun) group() {
	a, b := r.sides[0], r.sides[1]
	more := [2]bool{}
	for r.read(a) {
		if r.across(a.held[len(a.held)-1], b.held[0]) != 0 {
			more[0] = true
			break
		}
	}
	for r.read(b) {
		if r.across(a.held[0], b.held[len(b.held)-1]) != 0 {
			more[1] = true
			break
		}
	}
	if r.halted {
		return
	}
	same := [2][]joinLine{a.held, b.held}
	for i, s := range r.sides {
		if more[i] {
			last := len(s.held) - 1
			same[i], s.held = s.held[:last], []joinLine{s.held[last]}
		} else {
			s.held = nil
		}
	}
	if !r.pairs {
		return
	}
	for i := range same[0] {
		for j := range same[1] {
			if r.c.Stopped() {
				return
			}
			r.write(&same[0][i], &same[1][j])
		}
	}
}

// rest reads what is left of a side, to write it or to look at its order; other
// tells whether there is something left of the other side.
func (r *joinRun) rest(s *joinSide, other bool) {
	check := r.order != "nocheck-order" && !(r.sides[0].warned && r.sides[1].warned)
	if len(s.held) == 0 || !s.unpaired && !check {
		return
	}
	if s.unpaired {
		r.lonely(s, &s.held[0])
	}
	r.unpaired = r.unpaired || other
	for s.held = s.held[:0]; r.read(s); s.held = s.held[:0] {
		if s.unpaired {
			r.lonely(s, &s.held[0])
		}
		if s.warned && !s.unpaired {
			break
		}
	}
}

// write writes a pair of lines, of which one may be missing.
func (r *joinRun) write(a, b *joinLine) {
	common, side := a, r.sides[0]
	if a == nil {
		common, side = b, r.sides[1]
	}
	between := byte(' ')
	if r.tab >= 0 {
		between = byte(r.tab)
	}
	out := r.c.Out
	if r.format != nil {
		for i, f := range r.format {
			if i > 0 {
				out.WriteByte(between)
			}
			switch f.file {
			case 0:
				r.writeField(common, side.field)
			case 1:
				r.writeField(a, f.field)
			case 2:
				r.writeField(b, f.field)
			}
		}
		out.WriteByte(r.end)
		return
	}
	r.writeField(common, side.field)
	for i, line := range []*joinLine{a, b} {
		s := r.sides[i]
		count := s.auto
		if count < 0 && line != nil {
			count = len(line.fields)
		}
		for field := range max(count, 0) {
			if field != s.field {
				out.WriteByte(between)
				r.writeField(line, field)
			}
		}
	}
	out.WriteByte(r.end)
}

func (r *joinRun) writeField(line *joinLine, field int) {
	if line != nil && field < len(line.fields) && len(line.fields[field]) > 0 {
		r.c.Out.Write(line.fields[field])
		return
	}
	r.c.Out.Write(r.filler)
}
