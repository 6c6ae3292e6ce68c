package command

import (
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

func init() {
	register(&Command{
		Name: "ls", About: "List files and folders.",
		Synopsis: "[OPTION]... [FILE]...",
		Options: []Option{
			{Short: "a", Long: "all", Help: "do not leave out what begins with a dot"},
			{Short: "A", Long: "almost-all", Help: "as -a, without . and .."},
			{Short: "B", Long: "ignore-backups", Help: "leave out what ends in ~"},
			{Short: "c", Help: "nothing: the time of the change of a status is that of the content"},
			{Short: "C", Help: "in columns"},
			{Long: "color", Value: "[WHEN]", Help: "nothing"},
			{Short: "d", Long: "directory", Help: "list folders themselves, not what is in them"},
			{Short: "f", Help: "as -a -U"},
			{Short: "F", Long: "classify", Value: "[WHEN]", Help: "mark folders with /, links with @, programs with *"},
			{Long: "file-type", Help: "as -F, without *"},
			{Long: "full-time", Help: "as -l --time-style=full-iso"},
			{Short: "g", Help: "as -l, without owner"},
			{Long: "group-directories-first", Help: "folders first"},
			{Short: "G", Long: "no-group", Help: "no group with -l"},
			{Short: "h", Long: "human-readable", Help: "sizes as 1K 234M 2G"},
			{Long: "si", Help: "as -h, in powers of 1000"},
			{Short: "H", Long: "dereference-command-line", Help: "follow links that are operands"},
			{Long: "hide", Value: "PATTERN", Help: "leave out what matches, except with -a or -A"},
			{Short: "I", Long: "ignore", Value: "PATTERN", Help: "leave out what matches"},
			{Short: "k", Long: "kibibytes", Help: "nothing"},
			{Short: "l", Help: "with type, permissions, size and time"},
			{Short: "L", Long: "dereference", Help: "show what links lead to"},
			{Short: "m", Help: "separated by commas"},
			{Short: "n", Long: "numeric-uid-gid", Help: "as -l, with numbers for owner and group"},
			{Short: "N", Long: "literal", Help: "nothing"},
			{Short: "o", Help: "as -l, without group"},
			{Short: "p", Help: "mark folders with /"},
			{Short: "q", Long: "hide-control-chars", Help: "show ? for control characters"},
			{Short: "Q", Long: "quote-name", Help: "names in quotes"},
			{Short: "r", Long: "reverse", Help: "in reverse order"},
			{Short: "R", Long: "recursive", Help: "with all folders below"},
			{Short: "s", Long: "size", Help: "with the room each takes, in blocks of 1 KiB"},
			{Short: "S", Help: "largest first"},
			{Long: "sort", Value: "WORD", Help: "by none, name, size, time, version, extension"},
			{Short: "t", Help: "newest first"},
			{Long: "time-style", Value: "STYLE", Help: "full-iso, long-iso, iso, locale or +FORMAT"},
			{Short: "U", Help: "not sorted: by name"},
			{Short: "v", Help: "sorted with numbers by value"},
			{Short: "w", Long: "width", Value: "COLS", Help: "the width of the output"},
			{Short: "x", Help: "in columns, line by line"},
			{Short: "X", Help: "sorted by extension"},
			{Short: "1", Help: "one per line (the default)"},
		},
		Differs: "Owner and group are 'user' and 'group', each file has one link, folders take 4096 bytes, and blocks are what they would be on most disks. There are no colours, inodes and contexts.",
		Run:     runLs,
	})
}

// listing is one run of ls.
type listing struct {
	c      *Call
	all    string // "a", "A" or ""
	form   string // "l", "C", "x", "m" or "1"
	order  string
	mark   string // "F", "file-type", "p" or ""
	times  string
	width  int
	ignore []*glob
	hide   []*glob
	status int
	begun  bool
}

// listed is a file or folder in a listing.
type listed struct {
	name   string
	abs    string
	info   fs.FileInfo
	target string // of a link
}

func runLs(c *Call) int {
	l := &listing{c: c, width: 80}
	if status, ok := l.options(); !ok {
		return status
	}
	operands := c.Operands
	if len(operands) == 0 {
		operands = []string{"."}
	}
	var files, folders []listed
	for _, name := range operands {
		e, err := l.operand(name)
		switch {
		case err != nil:
			l.status = c.Fail(2, "cannot access %s: %s", Quote(name), Reason(err))
		case e.info.IsDir() && !c.Flag("d"):
			folders = append(folders, e)
		default:
			files = append(files, e)
		}
	}
	l.sort(files)
	l.sort(folders)
	if len(files) > 0 {
		l.show(files, false)
		l.begun = true
	}
	titled := c.Flag("R") || len(operands) > 1
	for _, f := range folders {
		l.folder(f, titled, 0)
	}
	return l.status
}

// options reads what was given; if that is wrong, it returns the exit status.
func (l *listing) options() (status int, ok bool) {
	c := l.c
	l.all = c.Last("a", "A")
	if c.Flag("f") {
		l.all = "a"
	}
	l.form = c.Last("l", "g", "n", "o", "full-time", "C", "x", "m", "1")
	switch l.form {
	case "g", "n", "o", "full-time":
		l.form = "l"
	case "":
		l.form = "1"
	case "1": // does not take -l back
		if c.Last("l", "g", "n", "o", "full-time") != "" {
			l.form = "l"
		}
	}
	l.mark = c.Last("F", "file-type", "p")
	for _, p := range c.Values("I") {
		l.ignore = append(l.ignore, newGlob(p, globStyle{}))
	}
	for _, p := range c.Values("hide") {
		l.hide = append(l.hide, newGlob(p, globStyle{}))
	}
	if value, ok := c.Value("w"); ok {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return c.Fail(2, "invalid line width: ‘%s’", value), false
		}
		l.width = n
	}
	if !l.sorting() {
		return 1, false
	}
	return 2, l.timing()
}

func (l *listing) sorting() bool {
	switch l.order = l.c.Last("sort", "t", "S", "U", "v", "X", "f"); l.order {
	case "f":
		l.order = "U"
	case "sort":
		word, _ := l.c.Value("sort")
		letter, ok := map[string]string{"none": "U", "name": "", "size": "S", "time": "t", "version": "v", "extension": "X", "width": "width"}[word]
		if !ok {
			l.c.Try(1, "invalid argument ‘%s’ for ‘--sort’", word)
			return false
		}
		l.order = letter
	}
	return true
}

func (l *listing) timing() bool {
	switch l.c.Last("time-style", "full-time") {
	case "full-time":
		l.times = "full-iso"
	case "time-style":
		l.times, _ = l.c.Value("time-style")
		l.times = strings.TrimPrefix(l.times, "posix-")
	default:
		l.times = "locale"
	}
	switch l.times {
	case "full-iso", "long-iso", "iso", "locale":
		return true
	}
	if strings.HasPrefix(l.times, "+") {
		return true
	}
	l.c.Try(2, "invalid argument ‘%s’ for ‘time style’", l.times)
	return false
}

// operand looks at an operand. A link to a folder means the folder, unless the
// listing shows the link itself.
func (l *listing) operand(name string) (listed, error) {
	if name == "" {
		return listed{}, fs.ErrNotExist
	}
	abs := l.c.Path(name)
	info, err := l.c.Tree.Lstat(abs)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		target, e := l.c.Tree.Stat(abs)
		always := l.c.Flag("L") || l.c.Flag("H")
		folder := e == nil && target.IsDir() && l.form != "l" && !l.c.Flag("d") && l.mark != "F"
		switch {
		case e == nil && (always || folder):
			info = target
		case e != nil && l.c.Flag("L"):
			err = e
		}
	}
	if err != nil {
		return listed{}, err
	}
	return l.entry(name, abs, info), nil
}

// entry is a thing to list; info tells of it as it is to be shown.
func (l *listing) entry(name, abs string, info fs.FileInfo) listed {
	e := listed{name: name, abs: abs, info: info}
	if info.Mode()&fs.ModeSymlink != 0 && l.form == "l" {
		e.target, _ = l.c.Tree.ReadLink(strings.TrimSuffix(abs, "/"))
	}
	return e
}

// mostDepth bounds how deep -R goes.
const mostDepth = 1000

// folder lists what is in a folder.
func (l *listing) folder(f listed, titled bool, depth int) {
	if l.c.Stopped() || depth > mostDepth {
		return
	}
	entries, err := l.c.Tree.ReadDir(f.abs)
	if err != nil {
		l.status = max(l.status, 1)
		l.c.Fail(1, "cannot open directory %s: %s", Quote(f.name), Reason(err))
		return
	}
	if titled {
		if l.begun {
			l.c.Out.WriteByte('\n')
		}
		l.c.Out.WriteString(l.quoted(f.name) + ":\n")
	}
	l.begun = true
	list := l.read(f, entries)
	l.sort(list)
	l.show(list, true)
	if !l.c.Flag("R") {
		return
	}
	for _, e := range list {
		if e.info.IsDir() && e.name != "." && e.name != ".." {
			around := f.name
			if !strings.HasSuffix(around, "/") {
				around += "/"
			}
			if l.c.Flag("L") && l.loops(e.abs) {
				l.status = l.c.Fail(2, "%s: not listing already-listed directory", around+e.name)
				continue
			}
			e.name = around + e.name
			l.folder(e, true, depth+1)
		}
	}
}

// loops tells whether a name is a link to a folder around it.
func (l *listing) loops(abs string) bool {
	target, err := resolved(l.c.Tree, abs)
	around, err2 := resolved(l.c.Tree, path.Dir(abs))
	return errors.Join(err, err2) != nil || strings.HasPrefix(around+"/", target+"/")
}

// read are the things of a folder that are shown.
func (l *listing) read(f listed, entries []fs.DirEntry) []listed {
	var list []listed
	if l.all == "a" {
		for _, dots := range []string{".", ".."} {
			info, err := l.c.Tree.Lstat(path.Join(f.abs, dots))
			if err != nil { // above the root
				info = f.info
			}
			list = append(list, listed{name: dots, abs: path.Join(f.abs, dots), info: info})
		}
	}
	for _, entry := range entries {
		name := entry.Name()
		if !l.wants(name) {
			continue
		}
		abs := path.Join(f.abs, name)
		info, err := entry.Info()
		if err == nil && l.c.Flag("L") && info.Mode()&fs.ModeSymlink != 0 {
			target, broken := l.c.Tree.Stat(abs)
			if broken == nil {
				info = target
			} else {
				l.status = max(l.status, 1)
				l.c.Fail(1, "cannot access %s: %s", Quote(name), Reason(broken))
			}
		}
		if err != nil {
			l.status = max(l.status, 1)
			l.c.Fail(1, "cannot access %s: %s", Quote(path.Join(f.name, name)), Reason(err))
			continue
		}
		list = append(list, l.entry(name, abs, info))
	}
	return list
}

func (l *listing) wants(name string) bool {
	if strings.HasPrefix(name, ".") && l.all == "" || strings.HasSuffix(name, "~") && l.c.Flag("B") {
		return false
	}
	for _, g := range l.ignore {
		if g.match(name) {
			return false
		}
	}
	for _, g := range l.hide {
		if l.all == "" && g.match(name) {
			return false
		}
	}
	return true
}
