package command

import (
	"bytes"
	"slices"
	"strings"
)

func init() {
	register(&Command{
		Name: "sort", About: "Write the lines of all files together, in order.",
		Synopsis: "[OPTION]... [FILE]...",
		Options: []Option{
			{Short: "b", Long: "ignore-leading-blanks", Help: "do not look at blanks before a key"},
			{Short: "c", Help: "tell whether the input is in order"},
			{Long: "check", Value: "[HOW]", Help: "as -c; as -C for quiet"},
			{Short: "C", Help: "as -c, without a message"},
			{Short: "d", Long: "dictionary-order", Help: "look at blanks, letters and digits only"},
			{Short: "f", Long: "ignore-case", Help: "compare without regard to case"},
			{Short: "g", Long: "general-numeric-sort", Help: "by number, as in 1.5e3"},
			{Short: "h", Long: "human-numeric-sort", Help: "by size, as in 2K 1G"},
			{Short: "i", Long: "ignore-nonprinting", Help: "look at printable characters only"},
			{Short: "k", Long: "key", Value: "KEYDEF", Help: "by a part of lines: F[.C][OPTS][,F[.C][OPTS]]"},
			{Short: "m", Long: "merge", Help: "the files are in order already"},
			{Short: "M", Long: "month-sort", Help: "by month: JAN to DEC"},
			{Short: "n", Long: "numeric-sort", Help: "by number"},
			{Short: "r", Long: "reverse", Help: "the other way round"},
			{Short: "s", Long: "stable", Help: "leave lines with equal keys in their order"},
			{Long: "sort", Value: "WORD", Help: "general-numeric, human-numeric, month, numeric or version"},
			{Short: "t", Long: "field-separator", Value: "SEP", Help: "what separates fields, in the place of blanks"},
			{Short: "u", Long: "unique", Help: "only the first of equal lines"},
			{Short: "V", Long: "version-sort", Help: "by numbers in the text: a9 before a10"},
			{Short: "z", Long: "zero-terminated", Help: "lines end with NUL, not with a newline"},
			{Short: "S", Long: "buffer-size", Value: "SIZE", Help: "nothing"},
			{Short: "T", Long: "temporary-directory", Value: "DIR", Help: "nothing"},
			{Long: "parallel", Value: "N", Help: "nothing"},
			{Long: "batch-size", Value: "N", Help: "nothing"},
			{Short: "o", Long: "output", Value: "FILE", Refused: "redirect the output with >; for the same file, write to another one and mv it"},
			{Short: "R", Long: "random-sort", Refused: "nothing here is random; leave it out"},
			{Long: "random-source", Value: "FILE", Refused: "nothing here is random; leave it out"},
			{Long: "compress-program", Value: "PROG", Refused: "no programs are run; leave it out"},
			{Long: "files0-from", Value: "FILE", Refused: "name the files as operands, or use xargs -0 sort"},
			{Long: "debug", Refused: "leave it out"},
		},
		Run: sortLines,
	})
}

// sortRun is a run of sort.
type sortRun struct {
	c       *Call
	keys    []sortKey
	tab     int // what separates fields; -1: blanks
	reverse bool
	last    bool // lines with equal keys are ordered as a whole
	unique  bool
	end     byte
	steps   int
	stopped bool
}

func sortLines(c *Call) int {
	r := &sortRun{c: c, tab: -1, end: lineEnd(c), unique: c.Flag("u")}
	if complaint, status := r.configure(); complaint != "" {
		if status == 1 {
			return 1
		}
		return c.Fail(2, "%s", complaint)
	}
	quiet := c.Flag("C")
	check := quiet || c.Flag("c") || c.Flag("check")
	if how, _ := c.Value("check"); how == "quiet" || how == "silent" {
		quiet = true
	}
	switch {
	case c.Flag("C") && c.Flag("c"):
		return c.Fail(2, "options '-cC' are incompatible")
	case check && len(c.Operands) > 1:
		letter := "c"
		if quiet {
			letter = "C"
		}
		return c.Fail(2, "extra operand %s not allowed with -%s", Quote(c.Operands[1]), letter)
	case check:
		return r.check(c.Inputs()[0], quiet)
	}
	// All inputs are there before anything is read.
	for _, name := range c.Inputs() {
		if stdin(name) {
			continue
		}
		if in, err := c.Open(name); err == nil {
			in.Close()
		} else if !isDir(err) {
			return c.Fail(2, "cannot read: %s: %s", plain(name), Reason(err))
		}
	}
	if c.Flag("m") {
		return r.merge(c.Inputs())
	}
	return r.sort(c.Inputs())
}

// sortWords are the words of --sort.
var sortWords = map[string]string{
	"general-numeric": "g", "human-numeric": "h", "month": "M", "numeric": "n", "version": "V",
}

// configure reads the options. A complaint with status 1 was printed already.
func (r *sortRun) configure() (complaint string, status int) {
	c := r.c
	all := wholeLine()
	tabs := ""
	for _, g := range c.Given {
		switch {
		case g.Name == "sort":
			word := sortWords[g.Value]
			if word == "" {
				oneOf(c, "--sort", g.Value, "general-numeric", "human-numeric", "month", "numeric", "version")
				return g.Value, 1
			}
			all.set(word[0], true, true)
		case g.Name == "k":
			key, complaint := parseSortKey(g.Value)
			if complaint != "" {
				return complaint, 2
			}
			r.keys = append(r.keys, key)
		case g.Name == "t":
			tab, ok := singleByte(g.Value)
			switch {
			case g.Value == "":
				return "empty tab", 2
			case !ok:
				return "multi-character tab " + curly(g.Value), 2
			case tabs != "" && tabs != g.Value:
				return "incompatible tabs", 2
			}
			tabs, r.tab = g.Value, int(tab)
		case len(g.Name) == 1 && strings.Contains(sortLetters, g.Name):
			all.set(g.Name[0], true, true)
		}
	}
	r.reverse = all.order.reverse
	r.last = !c.Flag("s") && !r.unique
	for i := range r.keys {
		if k := &r.keys[i]; k.plain() {
			k.order, k.skipStart, k.skipEnd, k.letters = all.order, all.skipStart, all.skipEnd, all.letters
		}
	}
	if len(r.keys) == 0 && !all.plain() {
		r.keys = []sortKey{all}
	}
	for i := range r.keys {
		if wrong := r.keys[i].incompatible(); wrong != "" {
			return "options '-" + wrong + "' are incompatible", 2
		}
	}
	// Without an order but -r, the whole line is all there is.
	if k := r.keys; len(k) == 1 && k[0].field+k[0].offset == 0 && k[0].last == wholeLine().last &&
		!k[0].skipStart && k[0].order == (sortOrder{reverse: r.reverse}) {
		r.keys = nil
	}
	return "", 0
}

// sortLine is a line with its first key.
type sortLine struct{ text, key []byte }

func (r *sortRun) line(text []byte) sortLine {
	l := sortLine{text: text}
	if len(r.keys) > 0 {
		begin, end := r.keys[0].bounds(text, r.tab)
		l.key = text[begin:end]
	}
	return l
}

// compare orders lines.
func (r *sortRun) compare(a, b sortLine) int {
	if r.steps++; r.steps&0xfff == 0 && r.c.Stopped() {
		r.stopped = true
	}
	if r.stopped {
		return 0 // the rest of the sort goes fast
	}
	if order := r.compareKeys(a, b); order != 0 || len(r.keys) > 0 && !r.last {
		return order
	}
	order := bytes.Compare(a.text, b.text)
	if r.reverse {
		return -order
	}
	return order
}

func (r *sortRun) compareKeys(a, b sortLine) int {
	for i := range r.keys {
		k := &r.keys[i]
		x, y := a.key, b.key
		if i > 0 {
			begin, end := k.bounds(a.text, r.tab)
			x = a.text[begin:end]
			begin, end = k.bounds(b.text, r.tab)
			y = b.text[begin:end]
		}
		if order := k.order.compare(x, y); order != 0 {
			return order
		}
	}
	return 0
}

// sort reads all lines, and writes them in order.
func (r *sortRun) sort(names []string) int {
	var lines []sortLine
	for _, name := range names {
		data, err := r.c.Read(name)
		if err != nil {
			return r.c.Fail(2, "read failed: %s: %s", plain(name), Reason(err))
		}
		if lines == nil {
			lines = make([]sortLine, 0, min(bytes.Count(data, []byte{r.end})+1, 1<<20))
		}
		for len(data) > 0 {
			if len(lines)%(1<<16) == 0 && r.c.Stopped() {
				return closedPipe
			}
			i := bytes.IndexByte(data, r.end)
			if i < 0 {
				i = len(data)
			}
			lines = append(lines, r.line(data[:i]))
			data = data[min(i+1, len(data)):]
		}
	}
	if len(r.keys) > 0 && !r.last {
		slices.SortStableFunc(lines, r.compare)
	} else {
		// Lines that are equal are the same.
		slices.SortFunc(lines, r.compare)
	}
	for i, line := range lines {
		if r.c.Stopped() {
			break
		}
		if r.unique && i > 0 && r.compare(lines[i-1], line) == 0 {
			continue
		}
		r.write(line)
	}
	return 0
}

func (r *sortRun) write(line sortLine) {
	r.c.Out.Write(line.text)
	r.c.Out.WriteByte(r.end)
}

// check tells whether the input is in order.
func (r *sortRun) check(name string, quiet bool) int {
	in, err := r.c.Open(name)
	if err != nil {
		what := "open failed"
		if isDir(err) {
			what = "read failed"
		}
		return r.c.Fail(2, "%s: %s: %s", what, plain(name), Reason(err))
	}
	defer in.Close()
	lines := newLineReader(in, r.end)
	var before []byte
	for n := 1; !r.c.Stopped(); n++ {
		text := lines.next()
		if text == nil {
			break
		}
		text, _ = chomp(text, r.end)
		if n > 1 {
			order := r.compare(r.line(before), r.line(text))
			if order > 0 || order == 0 && r.unique {
				if !quiet {
					r.c.Fail(1, "%s:%d: disorder: %s", plain(name), n, text)
				}
				return 1
			}
		}
		before = append(before[:0], text...)
	}
	return 0
}

// merge writes the lines of files that are in order.
func (r *sortRun) merge(names []string) int {
	type source struct {
		lines *lineReader
		now   sortLine
	}
	var sources []*source
	advance := func(s *source) bool {
		text := s.lines.next()
		if text == nil {
			return false
		}
		text, _ = chomp(text, r.end)
		s.now = r.line(bytes.Clone(text))
		return true
	}
	for _, name := range names {
		in, err := r.c.Open(name)
		if err != nil {
			return r.c.Fail(2, "read failed: %s: %s", plain(name), Reason(err))
		}
		defer in.Close()
		s := &source{lines: newLineReader(in, r.end)}
		if advance(s) {
			sources = append(sources, s)
		}
	}
	var written *sortLine
	for len(sources) > 0 && !r.c.Stopped() {
		least := 0
		for i := range sources[1:] {
			if r.compare(sources[i+1].now, sources[least].now) < 0 {
				least = i + 1
			}
		}
		line := sources[least].now
		if !r.unique || written == nil || r.compare(*written, line) != 0 {
			r.write(line)
			written = &line
		}
		if !advance(sources[least]) {
			sources = slices.Delete(sources, least, least+1)
		}
	}
	return 0
}
