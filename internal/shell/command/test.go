package command

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

func init() {
	for _, name := range []string{"test", "["} {
		register(&Command{
			Name: name, About: "Check files and compare values: the status is the answer.",
			Synopsis: map[string]string{"test": "EXPRESSION", "[": "EXPRESSION ]"}[name], Raw: true,
			Differs: "The permissions of a file are what its mode says; there are no users and no terminals.",
			Run:     test,
		})
	}
}

// condition is the expression of a run of test.
type condition struct {
	*Call
	args []string
	err  string // what is wrong with the expression
	deep int    // parentheses inside of each other
}

func test(c *Call) int {
	args := c.Args
	if c.Command.Name == "[" {
		if len(args) == 0 || args[len(args)-1] != "]" {
			return c.Fail(2, "missing `]'")
		}
		args = args[:len(args)-1]
	}
	t := condition{Call: c, args: args}
	yes := t.whole()
	switch {
	case t.err != "":
		return c.Fail(2, "%s", t.err)
	case yes:
		return 0
	}
	return 1
}

// whole decides by the number of arguments, as POSIX wants it.
func (t *condition) whole() bool {
	a := t.args
	switch len(a) {
	case 0:
		return false
	case 1:
		return a[0] != ""
	case 2:
		return t.two(a)
	case 3:
		return t.three(a)
	case 4:
		if a[0] == "!" {
			return !t.three(a[1:])
		}
		if a[0] == "(" && a[3] == ")" {
			return t.two(a[1:3])
		}
	}
	yes := t.or()
	if t.err == "" && len(t.args) > 0 {
		t.err = "too many arguments"
	}
	return yes
}

func (t *condition) two(a []string) bool {
	if a[0] == "!" {
		return a[1] == ""
	}
	if !isUnary(a[0]) {
		t.err = a[0] + ": unary operator expected"
		return false
	}
	return t.unary(a[0], a[1])
}

func (t *condition) three(a []string) bool {
	switch {
	case isBinary(a[1]):
		return t.binary(a[0], a[1], a[2])
	case a[1] == "-a":
		return a[0] != "" && a[2] != ""
	case a[1] == "-o":
		return a[0] != "" || a[2] != ""
	case a[0] == "!":
		return !t.two(a[1:])
	case a[0] == "(" && a[2] == ")":
		return a[1] != ""
	}
	t.err = a[1] + ": binary operator expected"
	return false
}

// or, and, not and term are the grammar of longer expressions. All is evaluated: there
// are no side effects.
func (t *condition) or() bool {
	yes := t.and()
	for t.take("-o") {
		right := t.and()
		yes = yes || right
	}
	return yes
}

func (t *condition) and() bool {
	yes := t.not()
	for t.take("-a") {
		right := t.not()
		yes = yes && right
	}
	return yes
}

func (t *condition) not() bool {
	odd := false
	for len(t.args) > 0 && t.args[0] == "!" && t.err == "" {
		t.args = t.args[1:]
		odd = !odd
	}
	return t.term() != odd
}

func (t *condition) take(word string) bool {
	if t.err != "" || len(t.args) == 0 || t.args[0] != word {
		return false
	}
	t.args = t.args[1:]
	return true
}

func (t *condition) term() bool {
	a := t.args
	switch {
	case t.err != "":
		return false
	case len(a) == 0:
		t.err = "argument expected"
		return false
	case len(a) >= 3 && isBinary(a[1]):
		t.args = a[3:]
		return t.binary(a[0], a[1], a[2])
	case a[0] == "(":
		t.args = a[1:]
		if t.deep++; t.deep > deepest {
			t.err = "too many parentheses"
		}
		yes := t.or()
		t.deep--
		if t.err == "" && !t.take(")") {
			t.err = "`)' expected"
		}
		return yes
	case len(a) >= 2 && isUnary(a[0]):
		t.args = a[2:]
		return t.unary(a[0], a[1])
	}
	t.args = a[1:]
	return a[0] != ""
}

func isUnary(op string) bool {
	return len(op) == 2 && op[0] == '-' && strings.IndexByte("abcdefghkLnNoOpGrRsStuvwxz", op[1]) >= 0
}

func isBinary(op string) bool {
	return slices.Contains([]string{"=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"}, op)
}

func (t *condition) unary(op, arg string) bool {
	switch op {
	case "-n":
		return arg != ""
	case "-z":
		return arg == ""
	case "-v":
		return t.Env(arg) != ""
	case "-o", "-R", "-t", "-N":
		return false
	}
	i := t.about(arg, op == "-h" || op == "-L")
	if i == nil {
		return false
	}
	mode := i.Mode()
	switch op {
	case "-d":
		return mode.IsDir()
	case "-f":
		return mode.IsRegular()
	case "-h", "-L":
		return mode&fs.ModeSymlink != 0
	case "-s":
		return i.Size() > 0 || mode.IsDir()
	case "-w":
		return mode&0o222 != 0 || mode.IsDir()
	case "-x":
		return mode&0o111 != 0 || mode.IsDir()
	case "-c":
		return mode&fs.ModeCharDevice != 0
	case "-b", "-p", "-S", "-u", "-g", "-k":
		return false
	}
	return true // -a -e -r -O -G
}

// about is what is known of a file, nil if there is none.
func (t *condition) about(name string, link bool) fs.FileInfo {
	look := t.Tree.Stat
	if link {
		look = t.Tree.Lstat
	}
	i, err := look(t.Path(name))
	if name == "" || err != nil {
		return nil
	}
	return i
}

func (t *condition) binary(a, op, b string) bool {
	switch op {
	case "=", "==":
		return a == b
	case "!=":
		return a != b
	case "<":
		return a < b
	case ">":
		return a > b
	case "-nt", "-ot":
		if op == "-ot" {
			a, b = b, a
		}
		x, y := t.about(a, false), t.about(b, false)
		return x != nil && (y == nil || x.ModTime().After(y.ModTime()))
	case "-ef":
		x, errX := t.realName(a, mustExist)
		y, errY := t.realName(b, mustExist)
		return errX == nil && errY == nil && x == y
	}
	x, y := t.integer(a), t.integer(b)
	switch op {
	case "-eq":
		return x == y
	case "-ne":
		return x != y
	case "-lt":
		return x < y
	case "-le":
		return x <= y
	case "-gt":
		return x > y
	}
	return x >= y
}

func (t *condition) integer(s string) int64 {
	n, err := strconv.ParseInt(strings.Trim(s, " \t\n"), 10, 64)
	if err != nil && t.err == "" {
		t.err = s + ": integer expression expected"
	}
	return n
}
