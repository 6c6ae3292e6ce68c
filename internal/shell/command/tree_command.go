package command

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

func init() {
	register(&Command{
		Name: "tree", About: "Show folders and what is in them as a tree.",
		Synopsis: "[OPTION]... [FOLDER]...",
		Options: []Option{
			{Short: "a", Help: "with what begins with a dot"},
			{Short: "d", Help: "folders only"},
			{Short: "f", Help: "with the path before each name"},
			{Short: "i", Help: "without the lines of the tree"},
			{Short: "L", Value: "LEVEL", Help: "go no deeper than LEVEL"},
			{Short: "P", Value: "PATTERN", Help: "only files that match; | separates patterns"},
			{Short: "I", Value: "PATTERN", Help: "without what matches"},
			{Long: "ignore-case", Help: "patterns in any case"},
			{Long: "prune", Help: "without empty folders"},
			{Long: "noreport", Help: "without the counts at the end"},
			{Long: "dirsfirst", Help: "folders first"},
			{Long: "filelimit", Value: "NUM", Help: "do not enter folders with more than NUM things"},
			{Short: "F", Help: "mark folders with /, links with @, programs with *"},
			{Short: "s", Help: "with sizes"},
			{Short: "h", Help: "with sizes as 1.5K"},
			{Short: "D", Help: "with dates"},
			{Short: "p", Help: "with permissions"},
			{Short: "Q", Help: "names in quotes"},
			{Short: "N", Help: "nothing"},
			{Short: "n", Help: "nothing"},
			{Short: "C", Help: "nothing"},
			{Short: "l", Refused: "links are not followed"},
			{Short: "o", Value: "FILE", Refused: "redirect the output with >"},
			{Short: "t", Help: "newest last"},
			{Short: "r", Help: "in reverse order"},
			{Short: "v", Help: "sorted with numbers by value"},
			{Short: "U", Help: "nothing: sorted by name"},
			{Long: "sort", Value: "BY", Help: "by name, mtime, size or version"},
			{Long: "charset", Value: "X", Help: "nothing: UTF-8"},
			{Short: "J", Refused: "use the tree itself, or find -printf"},
			{Short: "X", Refused: "use the tree itself, or find -printf"},
		},
		Differs: "Links are not followed, and there are no colours, JSON, XML and HTML.",
		Run:     runTree,
	})
}

// treeView is one run of tree.
type treeView struct {
	c             *Call
	levels, limit int // negative: no limit
	only, without []*glob
	order         string
	files, dirs   int
	failed        bool
}

// treeEntry is a line of the tree.
type treeEntry struct {
	name, shown, abs string
	info             fs.FileInfo
	inside           []treeEntry
	problem          string // why a folder was not entered
}

func runTree(c *Call) int {
	v := &treeView{c: c, levels: -1, limit: -1}
	if !v.options() {
		return 1
	}
	operands := c.Operands
	if len(operands) == 0 {
		operands = []string{"."}
	}
	for _, name := range operands {
		v.show(name)
	}
	if !c.Flag("noreport") {
		v.report()
	}
	if v.failed {
		return 2
	}
	return 0
}

func (v *treeView) options() bool {
	if value, ok := v.c.Value("L"); ok {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			v.c.Fail(1, "Invalid level, must be greater than 0.")
			return false
		}
		v.levels = n
	}
	if value, ok := v.c.Value("filelimit"); ok {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			v.c.Fail(1, "Invalid file limit: %s", value)
			return false
		}
		v.limit = n
	}
	read := func(name string) (globs []*glob) {
		for _, value := range v.c.Values(name) {
			for pattern := range strings.SplitSeq(value, "|") {
				globs = append(globs, newGlob(strings.TrimSuffix(pattern, "/"), globStyle{fold: v.c.Flag("ignore-case")}))
			}
		}
		return globs
	}
	v.only, v.without = read("P"), read("I")
	switch v.order = v.c.Last("t", "v", "U", "sort"); v.order {
	case "sort":
		word, _ := v.c.Value("sort")
		letter, ok := map[string]string{"name": "", "mtime": "t", "size": "S", "version": "v"}[word]
		if !ok {
			v.c.Fail(1, "Sort type '%s' not valid, should be one of: name,version,size,mtime", word)
			return false
		}
		v.order = letter
	case "U":
		v.order = ""
	}
	return true
}

func (v *treeView) show(name string) {
	root := treeEntry{name: name, shown: name, abs: v.c.Path(name)}
	info, err := v.c.Tree.Stat(root.abs)
	if err != nil || !info.IsDir() {
		v.failed = true
		v.c.Out.WriteString(v.quoted(name) + "  [error opening dir]\n")
		return
	}
	root.info = info
	v.c.Out.WriteString(v.details(info) + v.quoted(name) + v.marker(info) + "\n")
	v.dirs++
	v.print(v.read(root, 1), "")
}

// read is what is shown of a folder.
func (v *treeView) read(dir treeEntry, level int) []treeEntry {
	if v.c.Stopped() || level > mostDepth {
		return nil
	}
	entries, err := v.c.Tree.ReadDir(dir.abs)
	if err != nil {
		return nil
	}
	var list []treeEntry
	for _, e := range entries {
		if !v.wants(e) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue
		}
		name := e.Name()
		entry := treeEntry{name: name, shown: strings.TrimSuffix(dir.shown, "/") + "/" + name, abs: path.Join(dir.abs, name), info: info}
		if e.IsDir() && (v.levels < 0 || level < v.levels) {
			v.enter(&entry, level)
			if v.c.Flag("prune") && len(entry.inside) == 0 {
				continue
			}
		}
		list = append(list, entry)
	}
	v.sort(list)
	return list
}

// enter reads a folder into its line.
func (v *treeView) enter(entry *treeEntry, level int) {
	entry.inside = v.read(*entry, level+1)
	if v.limit >= 0 && len(entry.inside) > v.limit {
		entry.problem = fmt.Sprintf("  [%d entries exceeds filelimit, not opening dir]", len(entry.inside))
		entry.inside = nil
	}
}

func (v *treeView) wants(e fs.DirEntry) bool {
	name := e.Name()
	if strings.HasPrefix(name, ".") && !v.c.Flag("a") || v.c.Flag("d") && !e.IsDir() {
		return false
	}
	match := func(g *glob) bool { return g.match(name) }
	if slices.ContainsFunc(v.without, match) {
		return false
	}
	return len(v.only) == 0 || e.IsDir() || slices.ContainsFunc(v.only, match)
}

func (v *treeView) sort(list []treeEntry) {
	slices.SortStableFunc(list, func(a, b treeEntry) int {
		if v.c.Flag("dirsfirst") && a.info.IsDir() != b.info.IsDir() {
			if a.info.IsDir() {
				return -1
			}
			return 1
		}
		c := 0
		switch v.order {
		case "t":
			c = a.info.ModTime().Compare(b.info.ModTime())
		case "S":
			c = int(max(-1, min(1, sizeOf(b.info)-sizeOf(a.info))))
		case "v":
			c = compareVersions(a.name, b.name)
		}
		if c == 0 {
			c = strings.Compare(a.name, b.name)
		}
		if v.c.Flag("r") {
			return -c
		}
		return c
	})
}

// print writes lines, each behind the lines of the tree.
func (v *treeView) print(list []treeEntry, indent string) {
	for i, e := range list {
		if v.c.Stopped() {
			return
		}
		branch, below := "├── ", "│\u00a0\u00a0 "
		if i == len(list)-1 {
			branch, below = "└── ", "    "
		}
		if v.c.Flag("i") {
			branch, below = "", ""
		}
		name := e.name
		if v.c.Flag("f") {
			name = e.shown
		}
		line := indent + branch + v.details(e.info) + v.quoted(name)
		if e.info.Mode()&fs.ModeSymlink != 0 {
			target, _ := v.c.Tree.ReadLink(e.abs)
			line += " -> " + target
		} else {
			line += v.marker(e.info)
		}
		v.c.Out.WriteString(line + e.problem + "\n")
		if e.info.IsDir() {
			v.dirs++
		} else {
			v.files++
		}
		v.print(e.inside, indent+below)
	}
}

func (v *treeView) quoted(name string) string {
	if v.c.Flag("Q") {
		return strconv.Quote(name)
	}
	return name
}

// details is what stands in brackets before a name.
func (v *treeView) details(i fs.FileInfo) string {
	var parts []string
	if v.c.Flag("p") {
		parts = append(parts, modeString(i.Mode()))
	}
	switch {
	case v.c.Flag("h"):
		parts = append(parts, fmt.Sprintf("%4s", humanSize(sizeOf(i), 1024)))
	case v.c.Flag("s"):
		parts = append(parts, fmt.Sprintf("%11d", sizeOf(i)))
	}
	if v.c.Flag("D") {
		parts = append(parts, listTime(i.ModTime(), v.c.Now()))
	}
	if len(parts) == 0 {
		return ""
	}
	return "[" + strings.Join(parts, " ") + "]  "
}

func (v *treeView) marker(i fs.FileInfo) string {
	switch {
	case !v.c.Flag("F"):
	case i.IsDir():
		return "/"
	case i.Mode()&fs.ModeSymlink != 0:
		return "@"
	case i.Mode()&0o111 != 0:
		return "*"
	}
	return ""
}

// report counts what was shown.
func (v *treeView) report() {
	count := func(n int, one, many string) string {
		if n == 1 {
			return "1 " + one
		}
		return strconv.Itoa(n) + " " + many
	}
	fmt.Fprintf(v.c.Out, "\n%s", count(v.dirs, "directory", "directories"))
	if !v.c.Flag("d") {
		fmt.Fprintf(v.c.Out, ", %s", count(v.files, "file", "files"))
	}
	v.c.Out.WriteByte('\n')
}
