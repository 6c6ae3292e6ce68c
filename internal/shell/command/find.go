package command

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"redline/internal/shell/tree"
)

func init() {
	register(&Command{
		Name: "find", About: "Find files and folders by name, type, size and time.",
		Synopsis: "[-H] [-L] [-P] [PATH]... [EXPRESSION]",
		Raw:      true,
		Options: []Option{
			{Short: "H -L -P", Help: "follow links that are named; all links; none (the default)"},
			{Short: "name -iname -path -ipath -wholename GLOB", Help: "the name, or the whole path, matches"},
			{Short: "regex -iregex RE, -regextype TYPE", Help: "the whole path matches (emacs, posix-basic, posix-extended…)"},
			{Short: "type -xtype f,d,l", Help: "what it is"},
			{Short: "size [+-]N[cwbkMG], -empty", Help: "its size, rounded up to the unit"},
			{Short: "mtime -mmin [+-]N, -newer FILE, -newermt DATE", Help: "when it was changed"},
			{Short: "perm [-/]MODE, -readable, -writable, -executable", Help: "its permissions"},
			{Short: "maxdepth -mindepth N, -depth, -prune, -quit", Help: "how far to go"},
			{Short: "not ! -a -and -o -or ( ) , -true -false", Help: "joins tests"},
			{Short: "print -print0 -printf FORMAT -ls", Help: "show what was found"},
			{Short: "exec COMMAND {} ;  -exec COMMAND {} +", Help: "run a command of this shell"},
			{Short: "delete", Help: "remove it: only if allowed"},
		},
		Differs: "Folders are searched in the order of names. Access and change times are the time of the last change; owners are 'user' and 'group', inodes 0. -execdir, -ok, -fprint and their like are not available.",
		Run:     runFind,
	})
}

// finder is one run of find.
type finder struct {
	c                  *Call
	follow, followArgs bool
	least, most        int  // depth; most is negative if there is no limit
	inner              bool // what is in a folder comes before it
	test               findTest
	batches            []*findBatch
	serial             bool // one after the other: something is done that may change what comes
	status             int
	quit               bool
}

// findTest tells whether something has a property, or does something with it.
type findTest func(f *finder, e *found) bool

// found is a file or folder under test.
type found struct {
	path     string // as it is shown
	name     string
	around   string // the absolute name of the folder it is in, with a slash; "": abs is known
	absolute string
	start    string // the operand
	depth    int
	kind     fs.FileMode // its type, of what a link leads to with -L
	info     fs.FileInfo // nil: not looked at yet
	entry    fs.DirEntry
	prune    bool
}

// abs is the absolute name.
func (e *found) abs() string {
	if e.absolute == "" {
		e.absolute = e.around + e.name
	}
	return e.absolute
}

func runFind(c *Call) int {
	f := &finder{c: c, most: -1}
	args := f.leading(c.Args)
	if len(args) == 1 && args[0] == "--help" {
		c.help()
		return 0
	}
	var starts []string
	for len(args) > 0 && !startsExpression(args[0]) {
		starts, args = append(starts, args[0]), args[1:]
	}
	if len(starts) == 0 {
		starts = []string{"."}
	}
	p := &findParser{f: f, args: args}
	test, err := p.parse()
	if err != nil {
		status := 1
		if errors.Is(err, errUnknownPredicate) {
			status = badUsage
		}
		return c.Fail(status, "%v", err)
	}
	f.test = test
	for _, start := range starts {
		if f.quit || c.Stopped() {
			break
		}
		f.start(start)
	}
	for _, b := range f.batches {
		b.run(f)
	}
	return f.status
}

// leading takes the options before the first operand.
func (f *finder) leading(args []string) []string {
	for len(args) > 0 {
		switch {
		case args[0] == "-L":
			f.follow, f.followArgs = true, true
		case args[0] == "-H":
			f.follow, f.followArgs = false, true
		case args[0] == "-P":
			f.follow, f.followArgs = false, false
		case len(args[0]) == 3 && strings.HasPrefix(args[0], "-O"):
		case args[0] == "--":
			return args[1:]
		default:
			return args
		}
		args = args[1:]
	}
	return args
}

// startsExpression tells whether an argument is no path.
func startsExpression(arg string) bool {
	return arg == "(" || arg == "!" || strings.HasPrefix(arg, "-") && len(arg) > 1
}

// complain says what is wrong with a path.
func (f *finder) complain(name string, err error) {
	f.status = f.c.Fail(1, "‘%s’: %s", name, Reason(err))
}

func (f *finder) start(name string) {
	e := &found{path: name, start: name, absolute: f.c.Path(name)}
	var err error = fs.ErrNotExist
	if name != "" {
		if e.info, err = f.c.Tree.Lstat(e.abs()); err == nil && e.info.Mode()&fs.ModeSymlink != 0 && (f.follow || f.followArgs) {
			if i, err := f.c.Tree.Stat(e.abs()); err == nil {
				e.info = i
			}
		}
	}
	if err != nil {
		f.complain(name, err)
		return
	}
	e.name = path.Base(name)
	e.kind = e.info.Mode().Type()
	f.visit(e)
}

func (f *finder) visit(e *found) {
	if f.quit || f.c.Stopped() {
		return
	}
	if !f.inner && e.depth >= f.least {
		f.test(f, e)
	}
	if e.kind.IsDir() && (f.most < 0 || e.depth < f.most) && !f.quit && (!e.prune || f.inner) {
		if f.serial || f.follow {
			f.enter(e)
		} else {
			f.walk(e)
		}
	}
	if f.inner && e.depth >= f.least && !f.quit {
		f.test(f, e)
	}
}

// enter visits what is in a folder.
func (f *finder) enter(e *found) {
	if f.follow && f.loops(e) {
		return
	}
	entries, err := f.c.Tree.ReadDir(e.abs())
	if err != nil {
		f.complain(e.path, err)
		return
	}
	shown := e.path
	if !strings.HasSuffix(shown, "/") {
		shown += "/"
	}
	around := strings.TrimSuffix(e.abs(), "/") + "/"
	var child found
	for _, entry := range entries {
		name := entry.Name()
		child = found{path: shown + name, name: name, around: around, start: e.start, depth: e.depth + 1, kind: entry.Type(), entry: entry}
		if f.follow && child.kind&fs.ModeSymlink != 0 {
			if i, err := f.c.Tree.Stat(child.abs()); err == nil {
				child.info, child.kind = i, i.Mode().Type()
			}
		}
		f.visit(&child)
		if f.quit {
			return
		}
	}
}

// loops tells whether a folder that was reached through a link is one of those around
// it.
func (f *finder) loops(e *found) bool {
	i, err := f.c.Tree.Lstat(e.abs())
	if err != nil || i.Mode()&fs.ModeSymlink == 0 {
		return false
	}
	target, err := resolved(f.c.Tree, e.abs())
	if err != nil {
		return false
	}
	shown, abs := path.Dir(e.path), path.Dir(e.abs())
	for range e.depth {
		if around, err := resolved(f.c.Tree, abs); err == nil && around == target {
			if shown != "." && strings.HasPrefix(e.path, "./") {
				shown = "./" + shown
			}
			f.status = f.c.Fail(1, "File system loop detected; ‘%s’ is part of the same file system loop as ‘%s’.", e.path, shown)
			return true
		}
		shown, abs = path.Dir(shown), path.Dir(abs)
	}
	return false
}

// resolved is the name of a file or folder without links.
func resolved(t *tree.Tree, name string) (string, error) {
	rel, err := t.Rel(name)
	if err != nil {
		return "", err
	}
	done := t.Root()
	for links := 0; rest(rel) != ""; {
		head, tail, _ := strings.Cut(rest(rel), "/")
		next := path.Join(done, head)
		i, err := t.Lstat(next)
		if err != nil {
			return "", err
		}
		if i.Mode()&fs.ModeSymlink == 0 {
			done, rel = next, tail
			continue
		}
		if links++; links > 40 {
			return "", tree.ErrLoop
		}
		target, err := t.ReadLink(next)
		if err != nil {
			return "", err
		}
		if !path.IsAbs(target) {
			target = path.Join(done, target)
		}
		if rel, err = t.Rel(path.Join(target, tail)); err != nil {
			return "", err
		}
		done = t.Root()
	}
	return done, nil
}

// rest is a relative name, "" for the folder itself.
func rest(rel string) string {
	if rel == "." {
		return ""
	}
	return rel
}

// stat looks at a file, if that has not been done.
func (f *finder) stat(e *found) (fs.FileInfo, bool) {
	if e.info == nil {
		i, err := e.entry.Info()
		if err != nil {
			f.complain(e.path, err)
			return nil, false
		}
		e.info = i
	}
	return e.info, true
}
