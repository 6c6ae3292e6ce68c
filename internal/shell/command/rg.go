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

var rgOptions = []Option{
	{Short: "e", Long: "regexp", Value: "PATTERN", Help: "look for PATTERN"},
	{Short: "f", Long: "file", Value: "FILE", Help: "take patterns from FILE"},
	{Short: "i", Long: "ignore-case", Help: "upper and lower case are the same"},
	{Short: "s", Long: "case-sensitive", Help: "they are not (the default)"},
	{Short: "S", Long: "smart-case", Help: "they are, unless PATTERN has upper case"},
	{Short: "F", Long: "fixed-strings", Help: "PATTERN is a string"},
	{Short: "P", Long: "pcre2", Help: "nothing"},
	{Short: "w", Long: "word-regexp", Help: "match whole words only"},
	{Short: "x", Long: "line-regexp", Help: "match whole lines only"},
	{Short: "v", Long: "invert-match", Help: "show the lines that do not match"},
	{Short: "U", Long: "multiline", Help: "a match may go over several lines"},
	{Long: "multiline-dotall", Help: "with -U, a dot is also a newline"},
	{Short: "n", Long: "line-number", Help: "show the number of each line"},
	{Short: "N", Long: "no-line-number", Help: "do not (the default)"},
	{Long: "column", Help: "show the column of the first match, and -n"},
	{Short: "b", Long: "byte-offset", Help: "show the offset of each line"},
	{Short: "H", Long: "with-filename", Help: "show the file of each line"},
	{Short: "I", Long: "no-filename", Help: "do not show the file"},
	{Long: "heading", Help: "show the file once, above its lines"},
	{Long: "no-heading", Help: "do not (the default)"},
	{Short: "p", Long: "pretty", Help: "as --heading -n"},
	{Short: "o", Long: "only-matching", Help: "show only what matches"},
	{Short: "r", Long: "replace", Value: "TEXT", Help: "show TEXT for what matches: $1, $name"},
	{Short: "A", Long: "after-context", Value: "NUM", Help: "show NUM lines behind each match"},
	{Short: "B", Long: "before-context", Value: "NUM", Help: "show NUM lines before each match"},
	{Short: "C", Long: "context", Value: "NUM", Help: "show NUM lines around each match"},
	{Long: "context-separator", Value: "SEP", Help: "what is shown between lines that do not follow each other"},
	{Short: "m", Long: "max-count", Value: "NUM", Help: "at most NUM lines of each file"},
	{Short: "c", Long: "count", Help: "show only how many lines match in each file"},
	{Long: "count-matches", Help: "show only how many matches there are in each file"},
	{Long: "include-zero", Help: "with -c, also files without a match"},
	{Short: "l", Long: "files-with-matches", Help: "show only the names of files with a match"},
	{Long: "files-without-match", Help: "show only the names of files without a match"},
	{Long: "files", Help: "show the names of all files that would be searched"},
	{Short: "q", Long: "quiet", Help: "show nothing"},
	{Short: "0", Long: "null", Help: "NUL behind each name of a file"},
	{Short: "a", Long: "text", Help: "search binary files as if they were text"},
	{Short: "g", Long: "glob", Value: "GLOB", Help: "search only files that match, or with ! those that do not"},
	{Long: "iglob", Value: "GLOB", Help: "as -g, in any case"},
	{Long: "glob-case-insensitive", Help: "-g in any case"},
	{Short: "t", Long: "type", Value: "TYPE", Help: "search only files of a type: md, txt, py…"},
	{Short: "T", Long: "type-not", Value: "TYPE", Help: "search no files of a type"},
	{Long: "type-add", Value: "TYPE:GLOB", Help: "add to a type"},
	{Long: "type-list", Help: "show the types"},
	{Short: ".", Long: "hidden", Help: "search files that begin with a dot, too"},
	{Long: "no-ignore", Help: "do not look at .gitignore, .ignore and .rgignore"},
	{Short: "u", Long: "unrestricted", Help: "as --no-ignore; twice, as --hidden too; three times, as -a too"},
	{Short: "L", Long: "follow", Help: "follow links"},
	{Short: "d", Long: "max-depth", Value: "NUM", Help: "go no deeper than NUM levels"},
	{Long: "sort", Value: "BY", Help: "nothing: it is always path"},
	{Long: "no-messages", Help: "say nothing about files that cannot be read"},
	{Long: "color", Value: "WHEN", Help: "nothing"},
	{Long: "colors", Value: "SPEC", Help: "nothing"},
	{Short: "j", Long: "threads", Value: "NUM", Help: "nothing"},
	{Long: "no-config", Help: "nothing"},
	{Long: "no-require-git", Help: "nothing"},
	{Long: "line-buffered", Help: "nothing"},
	{Long: "json", Refused: "use -n and --column"},
	{Short: "z", Long: "search-zip", Refused: "compressed files are not searched"},
	{Long: "pre", Value: "COMMAND", Refused: "no program can be started"},
}

// rg is one run.
type rg struct {
	c      *Call
	lines  lineSearch
	filter rgFilter

	count, countMatches, zero, list, listWithout, quiet, files bool
	heading                                                    bool
	begun                                                      bool // lines were shown before
	matched, failed                                            atomic.Bool
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
	*l = lineSearch{ctx: c.Context, end: '\n', most: -1, text: true, invert: c.Flag("v"), only: c.Flag("o"), offsets: c.Flag("b"),
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
	if l.quiet || l.only {
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
	case r.heading && l.names:
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
