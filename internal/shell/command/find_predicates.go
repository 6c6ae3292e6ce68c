package command

import (
	"io/fs"
	"math"
	"strings"
	"time"

	"redline/internal/shell/regex"
)

// findPredicates read the tests and actions of find.
var findPredicates map[string]func(p *findParser, word string) (findTest, error)

func always(*finder, *found) bool { return true }

// fixed is a predicate without an argument.
func fixed(test findTest) func(*findParser, string) (findTest, error) {
	return func(*findParser, string) (findTest, error) { return test, nil }
}

// action is fixed for what prevents the default.
func action(test findTest) func(*findParser, string) (findTest, error) {
	return func(p *findParser, _ string) (findTest, error) {
		p.acts = true
		return test, nil
	}
}

func init() {
	findPredicates = map[string]func(p *findParser, word string) (findTest, error){
		"-name": nameTest, "-iname": nameTest,
		"-path": pathTest, "-ipath": pathTest, "-wholename": pathTest, "-iwholename": pathTest,
		"-regex": regexTest, "-iregex": regexTest, "-regextype": regexType,
		"-type": typeTest, "-xtype": typeTest, "-size": sizeTest, "-empty": fixed(isEmpty),
		"-mtime": ageTest, "-atime": ageTest, "-ctime": ageTest, "-mmin": ageTest, "-amin": ageTest, "-cmin": ageTest,
		"-newer": newerTest, "-anewer": newerTest, "-cnewer": newerTest,
		"-perm": permTest, "-readable": accessTest(0o444), "-writable": accessTest(0o222), "-executable": accessTest(0o111),
		"-lname": linkTest, "-ilname": linkTest,
		"-true": fixed(always), "-false": fixed(func(*finder, *found) bool { return false }),
		"-maxdepth": depthOption, "-mindepth": depthOption,
		"-depth": depthFirst, "-d": depthFirst,
		"-follow": func(p *findParser, _ string) (findTest, error) {
			p.f.follow, p.f.followArgs = true, true
			return always, nil
		},
		"-mount": fixed(always), "-xdev": fixed(always), "-noleaf": fixed(always), "-warn": fixed(always), "-nowarn": fixed(always),
		"-ignore_readdir_race": fixed(always), "-noignore_readdir_race": fixed(always),
		"-prune": fixed(func(_ *finder, e *found) bool { e.prune = true; return true }),
		"-quit":  quitAction,
		"-print": action(printPath),
		"-print0": action(func(f *finder, e *found) bool {
			f.c.Out.WriteString(e.path)
			f.c.Out.WriteByte(0)
			return true
		}),
		"-printf": printfAction, "-ls": action(listFound),
		"-exec": execAction, "-delete": deleteAction,
	}
}

func quitAction(p *findParser, _ string) (findTest, error) {
	p.f.serial = true
	return func(f *finder, _ *found) bool { f.quit = true; return true }, nil
}

func printPath(f *finder, e *found) bool {
	f.c.Out.WriteString(e.path)
	f.c.Out.WriteByte('\n')
	return true
}

func nameTest(p *findParser, word string) (findTest, error) {
	arg, err := p.argument(word)
	if err != nil {
		return nil, err
	}
	g := newGlob(arg, globStyle{fold: word == "-iname"})
	return func(_ *finder, e *found) bool { return g.match(e.name) }, nil
}

func pathTest(p *findParser, word string) (findTest, error) {
	arg, err := p.argument(word)
	if err != nil {
		return nil, err
	}
	g := newGlob(arg, globStyle{fold: strings.HasPrefix(word, "-i")})
	return func(_ *finder, e *found) bool { return g.match(e.path) }, nil
}

func linkTest(p *findParser, word string) (findTest, error) {
	arg, err := p.argument(word)
	if err != nil {
		return nil, err
	}
	g := newGlob(arg, globStyle{fold: word == "-ilname"})
	return func(f *finder, e *found) bool {
		if e.kind&fs.ModeSymlink == 0 {
			return false
		}
		target, err := f.c.Tree.ReadLink(e.abs())
		return err == nil && g.match(target)
	}, nil
}

func regexType(p *findParser, word string) (findTest, error) {
	arg, err := p.argument(word)
	if err != nil {
		return nil, err
	}
	switch arg {
	case "findutils-default", "ed", "emacs", "gnu-awk", "grep", "posix-awk", "awk", "posix-basic", "posix-egrep", "egrep", "posix-extended", "posix-minimal-basic", "sed":
		p.regexType = arg
		return always, nil
	}
	return nil, findFaultf("Unknown regular expression type ‘%s’; valid types are ‘findutils-default’, ‘ed’, ‘emacs’, ‘gnu-awk’, ‘grep’, ‘posix-awk’, ‘awk’, ‘posix-basic’, ‘posix-egrep’, ‘egrep’, ‘posix-extended’, ‘posix-minimal-basic’, ‘sed’.", arg)
}

func regexTest(p *findParser, word string) (findTest, error) {
	arg, err := p.argument(word)
	if err != nil {
		return nil, err
	}
	o := regex.Options{Line: true, IgnoreCase: word == "-iregex"}
	switch p.regexType {
	case "", "findutils-default", "emacs":
		arg = fromEmacs(arg)
	case "gnu-awk", "posix-awk", "awk", "posix-egrep", "egrep", "posix-extended":
		o.Syntax = regex.Extended
	}
	re, err := regex.Compile(arg, o)
	if err != nil {
		return nil, err
	}
	return func(_ *finder, e *found) bool { return re.Match([]byte(e.path)) }, nil
}

// fromEmacs writes a regular expression of Emacs as a basic one: there + and ? are
// operators, and braces are not.
func fromEmacs(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch ch := pattern[i]; {
		case ch == '\\' && i+1 < len(pattern):
			i++
			if !strings.ContainsRune("+?{}", rune(pattern[i])) {
				b.WriteByte('\\')
			}
			b.WriteByte(pattern[i])
		case (ch == '+' || ch == '?') && i > 0:
			b.WriteString("\\" + string(ch))
		case ch == '[':
			end := bracketEnd(pattern, i)
			b.WriteString(pattern[i:end])
			i = end - 1
		default:
			b.WriteByte(ch)
		}
	}
	return b.String()
}

// bracketEnd is the offset behind a set of characters that begins at i.
func bracketEnd(pattern string, i int) int {
	i++
	if i < len(pattern) && pattern[i] == '^' {
		i++
	}
	for first := true; i < len(pattern); i++ {
		if pattern[i] == ']' && !first {
			return i + 1
		}
		first = false
		if strings.HasPrefix(pattern[i:], "[:") {
			if end := strings.Index(pattern[i:], ":]"); end > 0 {
				i += end + 1
			}
		}
	}
	return len(pattern)
}

func typeTest(p *findParser, word string) (findTest, error) {
	arg, err := p.argument(word)
	if err != nil {
		return nil, err
	}
	if arg == "" {
		return nil, findFaultf("Arguments to %s should contain at least one letter", word)
	}
	letters := ""
	for i := 0; i < len(arg); i++ {
		if !strings.ContainsRune("bcdpflsD", rune(arg[i])) {
			return nil, findFaultf("Unknown argument to %s: %c", word, arg[i])
		}
		letters += string(arg[i])
		if i++; i < len(arg) && (arg[i] != ',' || i == len(arg)-1) {
			if arg[i] == ',' {
				return nil, findFaultf("Last file type in list argument to %s is missing, i.e., list is ending on: ','", word)
			}
			return nil, findFaultf("Must separate multiple arguments to %s using: ','", word)
		}
	}
	if len(letters) == 1 && word == "-type" {
		letter := letters[0]
		return func(_ *finder, e *found) bool { return typeLetter(e.kind) == letter }, nil
	}
	return func(f *finder, e *found) bool {
		kind := e.kind
		if word == "-xtype" && !f.follow && kind&fs.ModeSymlink != 0 {
			if i, err := f.c.Tree.Stat(e.abs()); err == nil {
				kind = i.Mode()
			}
		}
		return strings.IndexByte(letters, typeLetter(kind)) >= 0
	}, nil
}

// typeLetter is how find writes the type of a file.
func typeLetter(m fs.FileMode) byte {
	switch {
	case m.IsDir():
		return 'd'
	case m&fs.ModeSymlink != 0:
		return 'l'
	case m&fs.ModeCharDevice != 0:
		return 'c'
	case m&fs.ModeDevice != 0:
		return 'b'
	case m&fs.ModeNamedPipe != 0:
		return 'p'
	case m&fs.ModeSocket != 0:
		return 's'
	}
	return 'f'
}

func sizeTest(p *findParser, word string) (findTest, error) {
	arg, err := p.argument(word)
	if err != nil {
		return nil, err
	}
	unit, digits := 512.0, arg
	if arg != "" && (arg[len(arg)-1] < '0' || arg[len(arg)-1] > '9') {
		digits = arg[:len(arg)-1]
		switch arg[len(arg)-1] {
		case 'b':
		case 'c':
			unit = 1
		case 'w':
			unit = 2
		case 'k':
			unit = 1 << 10
		case 'M':
			unit = 1 << 20
		case 'G':
			unit = 1 << 30
		default:
			return nil, findFaultf("invalid -size type `%c'", arg[len(arg)-1])
		}
	}
	n, ok := newFindNumber(digits)
	if !ok || n.n != math.Trunc(n.n) {
		return nil, findFaultf("Invalid argument `%s' to -size", arg)
	}
	return func(f *finder, e *found) bool {
		i, ok := f.stat(e)
		return ok && n.is(math.Ceil(float64(sizeOf(i))/unit))
	}, nil
}

func isEmpty(f *finder, e *found) bool {
	switch {
	case e.kind.IsDir():
		entries, err := f.c.Tree.ReadDir(e.abs())
		if err != nil {
			f.complain(e.path, err)
			return false
		}
		return len(entries) == 0
	case e.kind.IsRegular():
		i, ok := f.stat(e)
		return ok && i.Size() == 0
	}
	return false
}

// ageTest is -mtime and -mmin: how many whole days ago, or minutes rounded up.
func ageTest(p *findParser, word string) (findTest, error) {
	arg, err := p.argument(word)
	if err != nil {
		return nil, err
	}
	n, ok := newFindNumber(arg)
	if !ok {
		return nil, findFaultf("invalid argument `%s' to `%s'", arg, word)
	}
	days := strings.HasSuffix(word, "time")
	now := p.f.c.Now()
	return func(f *finder, e *found) bool {
		i, ok := f.stat(e)
		if !ok {
			return false
		}
		if age := now.Sub(i.ModTime()); days {
			return n.is(math.Floor(age.Hours() / 24))
		} else if n.sign == 0 {
			return math.Ceil(age.Minutes()) == n.n
		} else {
			return n.is(age.Minutes())
		}
	}, nil
}

func newerTest(p *findParser, word string) (findTest, error) {
	arg, err := p.argument(word)
	if err != nil {
		return nil, err
	}
	i, err := p.f.c.Tree.Stat(p.f.c.Path(arg))
	if err != nil {
		return nil, findFaultf("‘%s’: %s", arg, Reason(err))
	}
	return newerThan(i.ModTime()), nil
}

func newerThan(t time.Time) findTest {
	return func(f *finder, e *found) bool {
		i, ok := f.stat(e)
		return ok && i.ModTime().After(t)
	}
}

// newerXY reads -newermt and its like: X is the time of the file, Y that of another
// one, or t for a date.
func (p *findParser) newerXY(word string) (test findTest, err error, ok bool) {
	xy, ok := strings.CutPrefix(word, "-newer")
	if !ok || len(xy) != 2 || !strings.ContainsRune("amc", rune(xy[0])) || !strings.ContainsRune("amct", rune(xy[1])) {
		return nil, nil, false
	}
	if xy[1] != 't' {
		test, err = newerTest(p, word)
		return test, err, true
	}
	arg, err := p.argument(word)
	if err != nil {
		return nil, err, true
	}
	t, ok := parseDate(arg, p.f.c.Now().UTC())
	if !ok {
		return nil, findFaultf("I cannot figure out how to interpret ‘%s’ as a date or time", arg), true
	}
	return newerThan(t), nil, true
}

func depthOption(p *findParser, word string) (findTest, error) {
	n, err := p.depth(word)
	if err != nil {
		return nil, err
	}
	if word == "-maxdepth" {
		p.f.most = n
	} else {
		p.f.least = n
	}
	return always, nil
}

func depthFirst(p *findParser, _ string) (findTest, error) {
	p.f.inner = true
	return always, nil
}
