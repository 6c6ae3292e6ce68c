package command

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode"

	"redline/internal/shell/regex"
)

func init() {
	register(&Command{
		Name: "rg", About: "Find the lines of files that match a pattern, in all folders.",
		Synopsis: "[OPTION]... PATTERN [PATH]...",
		Options:  rgOptions,
		Differs: `This is ripgrep as it writes to a pipe: no colours, no headings, and line numbers only with -n. Results are in the order of names.
.gitignore counts also where there is no git repository. Patterns are those of grep -P.
--json, -z, --pre, --stats and --replace with --passthru are not available.`,
		Run: runRg,
	})
}

// rg is one run.
type rg struct {
	c      *Call
	lines  lineSearch
	filter rgFilter

	count, countMatches, zero, list, listWithout, quiet, files bool
	heading                                                    bool
	begun                                                      bool // lines were shown before
	matched, failed, searched                                  atomic.Bool
}

func runRg(c *Call) int {
	if c.Flag("type-list") {
		for _, name := range sortedKeys(fileTypes) {
			fmt.Fprintf(c.Out, "%s: %s\n", name, strings.Join(fileTypes[name], ", "))
		}
		return 0
	}
	r := &rg{c: c}
	paths, err := r.options()
	if err != nil {
		fmt.Fprintln(c.Err, err)
		return 2
	}
	if len(paths) == 0 {
		if in := bufio.NewReaderSize(c.In, 4<<10); !r.files && waits(in) {
			r.input(in, false)
		} else {
			r.names(c.Last("I") == "")
			r.folder(c.Path("."), "")
		}
		return r.status()
	}
	r.names(len(paths) > 1)
	for _, name := range paths {
		if c.Stopped() || r.quiet && r.matched.Load() {
			break
		}
		r.operand(name, len(paths) > 1)
	}
	return r.status()
}

// waits tells whether there is anything to read.
func waits(in *bufio.Reader) bool {
	_, err := in.Peek(1)
	return err == nil
}

func sortedKeys(m map[string][]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (r *rg) status() int {
	if re := r.lines.re; re != nil && re.Err() != nil {
		fmt.Fprintln(r.c.Err, re.Err())
		r.failed.Store(true)
	}
	switch {
	case r.quiet && r.matched.Load():
		return 0
	case r.failed.Load():
		return 2
	case r.matched.Load():
		return 0
	case !r.searched.Load() && !r.quiet && !r.files:
		fmt.Fprintln(r.c.Err, "No files were searched, which means ripgrep probably applied a filter you didn't expect.")
		return 2
	}
	return 1
}

// names sets whether names are shown, if nothing was said about it.
func (r *rg) names(many bool) {
	switch r.c.Last("H", "I") {
	case "H":
		many = true
	case "I":
		many = false
	}
	r.lines.names = many
}

// options reads what was given, and returns the paths.
func (r *rg) options() ([]string, error) {
	c := r.c
	r.files = c.Flag("files")
	r.quiet = c.Flag("q")
	switch c.Last("l", "files-without-match", "c", "count-matches") {
	case "l":
		r.list = true
	case "files-without-match":
		r.listWithout = true
	case "c":
		r.count = true
		r.countMatches = c.Flag("o") && !c.Flag("v")
	case "count-matches":
		r.count, r.countMatches = true, !c.Flag("v")
	}
	r.zero = c.Flag("include-zero")
	l := &r.lines
	*l = lineSearch{ctx: c.Context, end: '\n', most: -1, text: true, invert: c.Flag("v"), only: c.Flag("o") && !c.Flag("v"), around: true, offsets: c.Flag("b"),
		columns: c.Flag("column"), nul: c.Flag("0"), separator: []byte("--"), multi: c.Flag("U")}
	l.numbers = l.columns && c.Last("n", "N") != "N" || c.Last("n", "N", "p") != "" && c.Last("n", "N", "p") != "N"
	l.first = r.quiet || r.list || r.listWithout
	l.quiet = r.count || l.first
	r.heading = c.Last("heading", "no-heading", "p") == "heading" || c.Last("heading", "no-heading", "p") == "p"
	if value, ok := c.Value("context-separator"); ok {
		l.separator = []byte(value)
	}
	if err := r.filter.options(c); err != nil {
		return nil, err
	}
	if err := r.numbers(); err != nil {
		return nil, err
	}
	return r.compile()
}

func (r *rg) numbers() error {
	read := func(name string, into *int) error {
		value, ok := r.c.Value(name)
		if !ok {
			return nil
		}
		n, err := strconv.ParseUint(value, 10, 63)
		if err != nil && !isRange(err) {
			return fmt.Errorf("error: invalid value '%s' for '-%s': invalid digit found in string", value, name)
		}
		*into = int(min(n, math.MaxInt))
		return nil
	}
	l := &r.lines
	r.filter.most = -1
	for _, o := range []struct {
		name string
		into *int
	}{{"C", &l.before}, {"C", &l.after}, {"A", &l.after}, {"B", &l.before}, {"m", &l.most}, {"d", &r.filter.most}} {
		if err := read(o.name, o.into); err != nil {
			return err
		}
	}
	l.context = l.before > 0 || l.after > 0
	if l.quiet {
		l.before, l.after = 0, 0
	}
	return nil
}

// compile makes the regular expression, and returns the operands that are left.
func (r *rg) compile() ([]string, error) {
	c := r.c
	paths := c.Operands
	var patterns []string
	given := false
	for _, o := range c.Given {
		switch o.Name {
		case "e":
			given = true
			patterns = append(patterns, strings.Split(o.Value, "\n")...)
		case "f":
			given = true
			data, err := c.Read(o.Value)
			if err != nil {
				return nil, fmt.Errorf("%s: %s (os error 2)", o.Value, Reason(err))
			}
			for line := range strings.Lines(string(data)) {
				patterns = append(patterns, strings.TrimRight(line, "\r\n"))
			}
		}
	}
	if r.files {
		return paths, nil
	}
	if !given {
		if len(paths) == 0 {
			return nil, fmt.Errorf("error: The following required arguments were not provided:\n    <PATTERN>\n\nFor more information try --help")
		}
		patterns, paths = []string{paths[0]}, paths[1:]
	}
	o := regex.Options{Syntax: regex.Perl, Word: c.Flag("w"), Line: c.Flag("x"), Multiline: c.Flag("U")}
	if c.Flag("F") {
		o.Syntax = regex.Fixed
	} else if c.Flag("multiline-dotall") && c.Flag("U") {
		for i, p := range patterns {
			patterns[i] = "(?s:" + p + ")"
		}
	}
	switch c.Last("i", "s", "S") {
	case "i":
		o.IgnoreCase = true
	case "S":
		o.IgnoreCase = !slices.ContainsFunc(patterns, func(p string) bool { return hasUpper(p, o.Syntax) })
	}
	re, err := regex.CompileAll(patterns, o)
	if err != nil {
		return nil, fmt.Errorf("regex parse error:\n    %s\nerror: %v", strings.Join(patterns, "|"), err)
	}
	r.lines.re = re
	if text, ok := c.Value("r"); ok {
		r.lines.replace = newReplacement(text, groupNames(patterns, o.Syntax))
	}
	return paths, nil
}

// hasUpper tells whether a pattern has a letter in upper case, beside those of classes
// like \W.
func hasUpper(pattern string, syntax regex.Syntax) bool {
	escaped := false
	for _, c := range pattern {
		if escaped && syntax != regex.Fixed {
			escaped = false
			continue
		}
		escaped = c == '\\'
		if unicode.IsUpper(c) {
			return true
		}
	}
	return false
}

func (r *rg) unread(name string, err error) string {
	r.failed.Store(true)
	if r.c.Flag("no-messages") {
		return ""
	}
	return fmt.Sprintf("%s: %s (os error %d)\n", name, Reason(err), errorNumber(err))
}

// operand searches what was named.
func (r *rg) operand(name string, several bool) {
	if name == "-" {
		r.input(r.c.In, several)
		return
	}
	info, err := r.c.Tree.Stat(r.c.Path(name))
	if err != nil || name == "" {
		io.WriteString(r.c.Err, r.unread(name, err))
		return
	}
	if info.IsDir() {
		r.names(true)
		r.folder(r.c.Path(name), strings.TrimRight(name, "/")+"/")
		r.names(several)
		return
	}
	if r.files {
		r.matched.Store(true)
		r.c.Out.Write(r.listed(nil, name))
		return
	}
	data, err := r.c.Read(name)
	if err != nil {
		io.WriteString(r.c.Err, r.unread(name, err))
		return
	}
	r.single(name, data)
}

// single searches one file that was named.
func (r *rg) single(name string, data []byte) {
	s := &lineScan{lineSearch: &r.lines, matchCount: r.countMatches}
	text := r.search(s, name, data, true)
	if len(text) == 0 {
		return
	}
	if r.begun {
		r.c.Out.Write(r.between())
	}
	r.begun = true
	r.c.Out.Write(text)
}

// between is what stands between the lines of two files.
func (r *rg) between() []byte {
	switch l := &r.lines; {
	case r.files || l.quiet:
	case r.heading:
		return []byte{'\n'}
	case l.context && l.separator != nil:
		return append(slices.Clone(l.separator), '\n')
	}
	return nil
}

// input searches standard input.
func (r *rg) input(in io.Reader, several bool) {
	data, err := io.ReadAll(&stoppable{in, r.c})
	if err != nil {
		io.WriteString(r.c.Err, r.unread("<stdin>", err))
		return
	}
	r.names(several)
	r.single("<stdin>", data)
}

// stoppable is a reader that ends when the call does.
type stoppable struct {
	io.Reader
	c *Call
}

func (s *stoppable) Read(p []byte) (int, error) {
	if s.c.Stopped() {
		return 0, io.EOF
	}
	return s.Reader.Read(p[:min(len(p), onePiece)])
}

// folder searches a folder. shown is what the names of its files begin with.
func (r *rg) folder(dir, shown string) {
	lines := r.lines
	scans := make([]*lineScan, r.c.Tree.Workers())
	s := &folderSearch{orderly: orderly{c: r.c, begun: r.begun}, follow: r.c.Flag("L"), unread: r.unread}
	s.listed, s.enters, s.wants = r.filter.listed, r.filter.enters, r.filter.wants
	s.between = r.between()
	s.search = func(worker int, name string, data []byte) ([]byte, string) {
		if scans[worker] == nil {
			scans[worker] = &lineScan{lineSearch: &lines, matchCount: r.countMatches}
		}
		text := r.search(scans[worker], name, data, false)
		scans[worker].begun = false
		if r.quiet && r.matched.Load() {
			s.stop()
		}
		return text, ""
	}
	if r.files {
		s.named = func(name string) []byte {
			r.matched.Store(true)
			if r.quiet {
				s.stop()
				return nil
			}
			return r.listed(nil, name)
		}
	}
	s.loop = func(name string) string {
		return fmt.Sprintf("File system loop found: %s points to an ancestor\n", name)
	}
	s.run(dir, shown, r.filter.above(dir))
	r.begun = s.begun
}

// listed is the name of a file in a list.
func (r *rg) listed(out []byte, name string) []byte {
	out = append(out, name...)
	if r.lines.nul {
		return append(out, 0)
	}
	return append(out, '\n')
}

// search searches the content of a file. Binary files that were not named are passed
// over.
func (r *rg) search(s *lineScan, name string, data []byte, named bool) []byte {
	s.reset(name)
	r.searched.Store(true)
	text := r.c.Flag("a") || len(r.c.Values("u")) > 2
	nul := -1
	if !text {
		if nul = bytes.IndexByte(data, 0); nul >= 0 && !named {
			return nil
		}
	}
	lines := s.lineSearch
	heading := r.heading && lines.names && !lines.quiet
	if heading || nul >= 0 && !lines.quiet {
		private := *lines
		private.names = lines.names && !heading
		if nul >= 0 {
			private.quiet, private.first = true, true
		}
		s.lineSearch = &private
	}
	if heading {
		s.out = append(append(s.out, name...), '\n')
	}
	s.scan(data, 0)
	s.lineSearch = lines
	if s.selected == 0 && heading {
		s.out = s.out[:0]
	}
	if nul >= 0 && !lines.quiet && s.selected > 0 {
		if lines.names {
			s.out = append(append(s.out, name...), ": "...)
		}
		s.out = fmt.Appendf(s.out, "binary file matches (found \"\\0\" byte around offset %d)\n", nul)
	}
	return r.finish(s)
}

// finish shows what is shown once for a file.
func (r *rg) finish(s *lineScan) []byte {
	hit := s.selected > 0
	if hit != r.listWithout {
		r.matched.Store(true)
	}
	n := s.selected
	if r.countMatches {
		n = s.matches
	}
	switch {
	case r.quiet:
	case r.count && (hit || r.zero):
		if s.names {
			s.out = append(s.out, s.name...)
			if s.nul {
				s.out = append(s.out, 0)
			} else {
				s.out = append(s.out, ':')
			}
		}
		s.out = append(strconv.AppendInt(s.out, int64(n), 10), '\n')
	case r.list && hit, r.listWithout && !hit:
		s.out = r.listed(s.out, s.name)
	}
	return s.out
}
