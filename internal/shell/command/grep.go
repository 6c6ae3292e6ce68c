package command

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"sync/atomic"

	"redline/internal/shell/regex"
	"redline/internal/shell/tree"
)

const grepDiffers = `Folders are searched in the order of names. --color is accepted, and nothing is coloured.
-P has look-around, \K and references by number, but no possessive quantifiers, atomic groups and recursion.
egrep and fgrep do not warn that they are obsolescent, and grep does not warn of stray backslashes and operators.
A range of characters beyond ASCII, as [à-ü], goes by their code points.`

func init() {
	about := "Find the lines of files that match a pattern."
	synopsis := "[OPTION]... PATTERNS [FILE]..."
	register(&Command{Name: "grep", About: about, Synopsis: synopsis, Options: grepOptions, Differs: grepDiffers, Run: runGrep})
	register(&Command{Name: "egrep", About: "grep -E.", Synopsis: synopsis, Options: grepOptions, Run: runGrep})
	register(&Command{Name: "fgrep", About: "grep -F.", Synopsis: synopsis, Options: grepOptions, Run: runGrep})
}

// grep is one run.
type grep struct {
	c     *Call
	lines lineSearch

	count, listWith, listWithout, quiet bool
	silent                              bool
	hopeless                            bool // no line can be selected
	without                             bool // binary files have no match
	folders                             string
	follow                              bool
	names                               int // -1: only those found in folders; 0: no; 1: yes
	label                               string
	files, dirs                         nameFilter

	begun   bool // lines were shown before
	matched atomic.Bool
	failed  atomic.Bool
}

func runGrep(c *Call) int {
	g := &grep{c: c}
	if !g.options() {
		return badUsage
	}
	operands, ok := g.compile()
	if !ok {
		return badUsage
	}
	if (g.lines.most == 0 || g.hopeless) && !g.listWithout {
		return 1
	}
	recurse := g.folders == "recurse"
	g.names = 0
	switch c.Last("H", "h") {
	case "H":
		g.names = 1
	case "":
		if len(operands) > 1 {
			g.names = 1
		} else if recurse {
			g.names = -1
		}
	}
	g.lines.names = g.names > 0
	switch {
	case len(operands) > 0:
		for _, name := range operands {
			if c.Stopped() || g.quiet && g.matched.Load() {
				break
			}
			g.operand(name)
		}
	case recurse:
		g.folder(c.Path("."), "")
	default:
		g.operand("-")
	}
	return g.status()
}

func (g *grep) status() int {
	if err := g.lines.re.Err(); err != nil {
		g.c.Fail(2, "%v", err)
		g.failed.Store(true)
	}
	switch {
	case g.failed.Load() && !(g.quiet && g.matched.Load()):
		return 2
	case g.matched.Load():
		return 0
	}
	return 1
}

// options reads all but the patterns.
func (g *grep) options() bool {
	c := g.c
	l := &g.lines
	*l = lineSearch{ctx: c.Context, end: '\n', most: -1, invert: c.Flag("v"), only: c.Flag("o"), numbers: c.Flag("n"),
		offsets: c.Flag("b"), tabs: c.Flag("T"), nul: c.Flag("Z"), separator: []byte("--")}
	if c.Flag("z") {
		l.end = 0
	}
	if value, ok := c.Value("m"); ok {
		n, err := strconv.Atoi(value)
		if err != nil && !isRange(err) {
			c.Fail(2, "invalid max count")
			return false
		}
		l.most = n
	}
	g.quiet = c.Flag("q") || c.Flag("silent")
	switch c.Last("l", "L") {
	case "l":
		g.listWith = !g.quiet
	case "L":
		g.listWithout = !g.quiet
	}
	l.first = g.quiet || g.listWith || g.listWithout
	g.count = c.Flag("c") && !l.first
	l.quiet = g.count || l.first
	g.silent = c.Flag("s")
	g.label = "(standard input)"
	if label, ok := c.Value("label"); ok {
		g.label = label
	}
	switch c.Last("group-separator", "no-group-separator") {
	case "group-separator":
		value, _ := c.Value("group-separator")
		l.separator = []byte(value)
	case "no-group-separator":
		l.separator = nil
	}
	return g.context() && g.binaries() && g.directories() && g.filters()
}

func isRange(err error) bool { return strings.HasSuffix(err.Error(), strconv.ErrRange.Error()) }

// context reads -A, -B, -C and -NUM: those of one side count more than those of both.
func (g *grep) context() bool {
	number := func(names ...string) (int, bool) {
		name := g.c.Last(names...)
		if name == "" {
			return -1, true
		}
		value, _ := g.c.Value(name)
		n, err := strconv.Atoi(value)
		if err != nil && isRange(err) {
			n, err = math.MaxInt, nil
		}
		if err != nil || n < 0 {
			g.c.Fail(2, "%s: invalid context length argument", value)
			return 0, false
		}
		return n, true
	}
	both, ok := number("C", "0-9")
	after, okAfter := number("A")
	before, okBefore := number("B")
	if !ok || !okAfter || !okBefore {
		return false
	}
	l := &g.lines
	l.context = both >= 0 || after >= 0 || before >= 0
	l.after, l.before = max(both, 0), max(both, 0)
	if after >= 0 {
		l.after = after
	}
	if before >= 0 {
		l.before = before
	}
	if l.quiet {
		l.before, l.after = 0, 0
	}
	return true
}

func (g *grep) binaries() bool {
	for _, given := range g.c.Given {
		kind := given.Value
		switch given.Name {
		case "a":
			kind = "text"
		case "I":
			kind = "without-match"
		case "binary-files":
		default:
			continue
		}
		switch kind {
		case "binary", "text", "without-match":
			g.lines.text, g.without = kind == "text", kind == "without-match"
		default:
			g.c.Fail(2, "unknown binary-files type")
			return false
		}
	}
	return true
}

func (g *grep) directories() bool {
	g.folders = "read"
	for _, given := range g.c.Given {
		switch given.Name {
		case "r":
			g.folders, g.follow = "recurse", false
		case "R":
			g.folders, g.follow = "recurse", true
		case "d":
			switch given.Value {
			case "read", "recurse", "skip":
				g.folders, g.follow = given.Value, false
			default:
				g.c.Try(2, "invalid argument ‘%s’ for ‘--directories’", given.Value)
				return false
			}
		}
	}
	return true
}

// compile makes the regular expression, and returns the operands that are left.
func (g *grep) compile() (operands []string, ok bool) {
	c := g.c
	operands = c.Operands
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
				c.Fail(2, "%s: %s", o.Value, Reason(err))
				return nil, false
			}
			if text := strings.TrimSuffix(string(data), "\n"); len(data) > 0 {
				patterns = append(patterns, strings.Split(text, "\n")...)
			}
		}
	}
	if !given {
		if len(operands) == 0 {
			fmt.Fprintf(c.Err, "Usage: %s [OPTION]... PATTERNS [FILE]...\nTry '%[1]s --help' for more information.\n", c.Command.Name)
			return nil, false
		}
		patterns, operands = strings.Split(operands[0], "\n"), operands[1:]
	}
	syntax, ok := g.syntax()
	if !ok {
		return nil, false
	}
	options := regex.Options{Syntax: syntax, Word: c.Flag("w"), Line: c.Flag("x")}
	switch c.Last("i", "y", "no-ignore-case") {
	case "i", "y":
		options.IgnoreCase = true
	}
	if syntax == regex.Perl && len(patterns) > 1 {
		c.Fail(2, "the -P option only supports a single pattern")
		return nil, false
	}
	re, err := regex.CompileAll(patterns, options)
	if err != nil {
		c.Fail(2, "%v", err)
		return nil, false
	}
	g.lines.re = re
	g.hopeless = g.lines.invert && len(patterns) == 1 && patterns[0] == "" && !options.Word && !options.Line
	return operands, true
}

func (g *grep) syntax() (regex.Syntax, bool) {
	kinds := map[string]regex.Syntax{"E": regex.Extended, "F": regex.Fixed, "G": regex.Basic, "P": regex.Perl}
	chosen := map[string]string{"egrep": "E", "fgrep": "F"}[g.c.Command.Name]
	for _, o := range g.c.Given {
		if _, ok := kinds[o.Name]; !ok || o.Name == chosen {
			continue
		}
		if chosen != "" {
			g.c.Fail(2, "conflicting matchers specified")
			return 0, false
		}
		chosen = o.Name
	}
	return kinds[chosen], true
}

// operand searches what was named on the command line.
func (g *grep) operand(name string) {
	if name == "-" {
		g.input()
		return
	}
	info, err := g.stat(name)
	if err != nil {
		g.report(g.unread(name, err))
		return
	}
	if info.IsDir() {
		switch g.folders {
		case "skip":
		case "recurse":
			if !g.dirs.skips(name, true) {
				g.folder(g.c.Path(name), strings.TrimRight(name, "/")+"/")
			}
		default:
			g.report(g.unread(name, tree.ErrIsDir))
			s := &lineScan{lineSearch: &g.lines}
			s.reset(name)
			text, _ := g.finish(s)
			g.c.Out.Write(text)
		}
		return
	}
	if g.files.skips(name, true) {
		return
	}
	data, err := g.c.Read(name)
	if err != nil {
		g.report(g.unread(name, err))
		return
	}
	s := &lineScan{lineSearch: &g.lines, begun: g.begun}
	text, message := g.search(s, name, data)
	g.begun = s.begun
	g.c.Out.Write(text)
	g.report(message)
}

func (g *grep) stat(name string) (fs.FileInfo, error) {
	if name == "" {
		return nil, fs.ErrNotExist
	}
	return g.c.Tree.Stat(g.c.Path(name))
}

func (g *grep) report(message string) {
	if message != "" {
		io.WriteString(g.c.Err, message)
	}
}

// unread is the message about a file that cannot be read.
func (g *grep) unread(name string, err error) string {
	g.failed.Store(true)
	if g.silent {
		return ""
	}
	return fmt.Sprintf("%s: %s: %s\n", g.c.Command.Name, name, Reason(err))
}

// folder searches a folder. shown is what the names of its files begin with.
func (g *grep) folder(dir, shown string) {
	lines := g.lines
	lines.names = g.names != 0
	scans := make([]*lineScan, g.c.Tree.Workers())
	s := &folderSearch{orderly: orderly{c: g.c, begun: g.begun}, follow: g.follow, unread: g.unread}
	if lines.context && !lines.quiet && lines.separator != nil {
		s.between = append(lines.separator[:len(lines.separator):len(lines.separator)], '\n')
	}
	s.enters = func(_ *place, name string) bool { return !g.dirs.skips(name, false) }
	s.wants = func(_ *place, name string) bool { return !g.files.skips(name, false) }
	s.search = func(worker int, name string, data []byte) ([]byte, string) {
		if scans[worker] == nil {
			scans[worker] = &lineScan{lineSearch: &lines}
		}
		text, message := g.search(scans[worker], name, data)
		scans[worker].begun = false // the lines of other files come before
		if g.quiet && g.matched.Load() {
			s.stop()
		}
		return text, message
	}
	s.loop = func(name string) string {
		return fmt.Sprintf("%s: %s: warning: recursive directory loop\n", g.c.Command.Name, name)
	}
	s.run(dir, shown, nil)
	g.begun = s.begun
}

// search searches the content of a file.
func (g *grep) search(s *lineScan, name string, data []byte) (text []byte, message string) {
	s.reset(name)
	s.width = g.width(len(data))
	lines := s.lineSearch
	binary := !lines.text && lines.end == '\n' && bytes.IndexByte(data, 0) >= 0
	if binary && g.without {
		return g.finish(s)
	}
	if binary {
		// Nothing of it is shown. Lines end at NULs, too.
		private := *lines
		private.first, private.quiet = !g.count, true
		s.lineSearch = &private
		data = bytes.ReplaceAll(data, []byte{0}, []byte{'\n'})
	}
	s.scan(data, 0)
	s.lineSearch = lines
	s.binary = s.binary || binary && s.selected > 0
	return g.finish(s)
}

// width is that of the numbers before the lines of a file with -T.
func (g *grep) width(size int) int {
	if g.lines.numbers && size < math.MaxInt {
		size++
	}
	return len(strconv.Itoa(size))
}

// finish shows what is shown once for a file.
func (g *grep) finish(s *lineScan) (text []byte, message string) {
	if s.selected > 0 {
		g.matched.Store(true)
	}
	switch {
	case g.count:
		if s.names {
			s.out = append(s.out, s.name...)
			if s.nul {
				s.out = append(s.out, 0)
			} else {
				s.out = append(s.out, ':')
			}
		}
		s.out = append(strconv.AppendInt(s.out, int64(s.selected), 10), '\n')
	case g.listWith && s.selected > 0, g.listWithout && s.selected == 0:
		s.out = append(s.out, s.name...)
		if s.nul {
			s.out = append(s.out, 0)
		} else {
			s.out = append(s.out, '\n')
		}
	}
	if s.binary && !s.quiet && !g.without {
		message = fmt.Sprintf("%s: %s: binary file matches\n", g.c.Command.Name, s.name)
	}
	return s.out, message
}
