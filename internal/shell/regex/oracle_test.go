package regex_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"redline/internal/shell/regex"
)

// tools are where the GNU tools are, "" where there is none of GNU.
var tools = map[string]func() string{"grep": sync.OnceValue(func() string { return tool("grep") }), "sed": sync.OnceValue(func() string { return tool("sed") })}

func tool(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	if v, err := exec.Command(path, "--version").Output(); err != nil || !bytes.Contains(v, []byte("GNU")) {
		return ""
	}
	return path
}

// gnu runs a GNU tool on text, or skips the test where there is none.
func gnu(t *testing.T, text []byte, name string, args ...string) (out []byte, message string, status int) {
	t.Helper()
	path := tools[name]()
	if path == "" {
		t.Skip("no GNU " + name)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = []string{"LC_ALL=C.UTF-8"}
	cmd.Stdin = bytes.NewReader(text)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	return stdout.Bytes(), stderr.String(), cmd.ProcessState.ExitCode()
}

// matches renders text as grep -a -o -b does: the position and text of each match
// that is not empty.
func matches(r *regex.Regexp, text []byte) string {
	var out strings.Builder
	base := 0
	for line := range bytes.Lines(text) {
		b := bytes.TrimSuffix(line, []byte("\n"))
		for at := 0; at <= len(b); {
			start, end, ok := r.FindIndex(b, at)
			if !ok {
				break
			}
			if end == start {
				at = end + 1
				continue
			}
			fmt.Fprintf(&out, "%d:%s\n", base+start, b[start:end])
			at = end
		}
		base += len(line)
	}
	return out.String()
}

// replaced renders text as sed 's/…/<&>[\1][\2]…/g' does.
func replaced(r *regex.Regexp, text []byte) string {
	var out strings.Builder
	var found []int
	for line := range bytes.Lines(text) {
		b := bytes.TrimSuffix(line, []byte("\n"))
		copied, last := 0, -1 // last is the end of the match before
		for at := 0; at <= len(b); {
			if found = r.FindSubmatchIndex(b, at, found); found == nil {
				break
			}
			start, end := found[0], found[1]
			if at = end; start == end {
				_, w := utf8.DecodeRune(b[end:])
				at += max(w, 1)
			}
			if start == end && start == last {
				continue // sed does not replace nothing right behind a match
			}
			out.Write(b[copied:start])
			copied, last = end, end
			fmt.Fprintf(&out, "<%s>", b[start:end])
			for g := 1; g <= min(9, r.Groups()); g++ {
				s := ""
				if found[2*g] >= 0 {
					s = string(b[found[2*g]:found[2*g+1]])
				}
				fmt.Fprintf(&out, "[%s]", s)
			}
		}
		out.Write(b[copied:])
		out.WriteByte('\n')
	}
	return out.String()
}

// letters are what random patterns and texts are made of.
type letters struct {
	*rand.Rand
	extended bool
	tame     bool // no group matches nothing
}

func (l *letters) one(of ...string) string { return of[l.IntN(len(of))] }

// op writes an operator of the syntax.
func (l *letters) op(c string) string {
	if l.extended {
		return c
	}
	return `\` + c
}

func (l *letters) pattern(depth int) string {
	var b strings.Builder
	if l.tame && depth < 2 {
		b.WriteString(l.one("a", "b", "."))
	}
	for range 1 + l.IntN(3) {
		b.WriteString(l.atom(depth))
		switch l.IntN(8) {
		case 0:
			b.WriteString("*")
		case 1:
			b.WriteString(l.op("?"))
		case 2:
			b.WriteString(l.op("+"))
		case 3:
			b.WriteString(l.op("{") + l.one("1", "0,1", "1,2", "2", "2,", "0,2") + l.op("}"))
		}
	}
	if depth > 0 && l.IntN(4) == 0 {
		b.WriteString(l.op("|") + l.pattern(depth-1))
	}
	return b.String()
}

func (l *letters) atom(depth int) string {
	if depth > 0 && l.IntN(3) == 0 {
		return l.op("(") + l.pattern(depth-1) + l.op(")")
	}
	return l.one("a", "a", "b", "b", "c", "ab", ".", "[ab]", "[^a]", "[[:alpha:]]", "é", `\w`, `\W`, " ")
}

func (l *letters) text() []byte {
	var b strings.Builder
	for range 40 {
		for range l.IntN(8) {
			b.WriteString(l.one("a", "a", "b", "b", "c", "é", " ", "-"))
		}
		b.WriteString("\n")
	}
	return []byte(b.String())
}

// oracleRounds is how many random patterns are compared with each tool.
const oracleRounds = 250

func TestGrepFindsTheSame(t *testing.T) {
	for seed := range uint64(oracleRounds) {
		l := &letters{Rand: rand.New(rand.NewPCG(seed, 1)), extended: seed%2 == 0}
		pattern, text := l.pattern(2), l.text()
		o := regex.Options{Syntax: regex.Basic, Line: seed%7 == 0, IgnoreCase: seed%3 == 0}
		flags := []string{"-aob", "-G"}
		if l.extended {
			o.Syntax = regex.Extended
			flags[1] = "-E"
		}
		for flag, on := range map[string]bool{"-x": o.Line, "-i": o.IgnoreCase} {
			if on {
				flags = append(flags, flag)
			}
		}
		out, message, status := gnu(t, text, "grep", append(flags, "-e", pattern)...)
		r, err := regex.Compile(pattern, o)
		if err != nil || status > 1 {
			t.Fatalf("%q: %v; grep says %q", pattern, err, message)
		}
		if d := cmp.Diff(string(out), matches(r, text)); d != "" {
			t.Errorf("grep %v %q finds (-), regex finds (+):\n%s", flags, pattern, d)
		}
	}
}

func TestSedReplacesTheSame(t *testing.T) {
	for seed := range uint64(oracleRounds) {
		l := &letters{Rand: rand.New(rand.NewPCG(seed, 2)), tame: true, extended: seed%2 == 0}
		pattern, text := l.pattern(2), l.text()
		o := regex.Options{Syntax: regex.Basic, Sed: true}
		flag := "-s"
		if l.extended {
			o.Syntax = regex.Extended
			flag = "-E"
		}
		r, err := regex.Compile(pattern, o)
		if err != nil {
			t.Fatalf("%q: %v", pattern, err)
		}
		if r.Match(nil) {
			// Where it finds nothing, sed looks next inside the character.
			text = bytes.ReplaceAll(text, []byte("é"), []byte("d"))
		}
		by := "<&>"
		for g := 1; g <= min(9, r.Groups()); g++ {
			by += fmt.Sprintf(`[\%d]`, g)
		}
		out, message, status := gnu(t, text, "sed", flag, "s~"+pattern+"~"+by+"~g")
		if status != 0 {
			t.Fatalf("%q: sed says %q", pattern, message)
		}
		if d := cmp.Diff(string(out), replaced(r, text)); d != "" {
			t.Errorf("sed %s %q makes (-), regex makes (+):\n%s", flag, pattern, d)
		}
	}
}

// The tables are what GNU answers, but for the rows that say otherwise.
func TestTablesAreGNU(t *testing.T) {
	for _, file := range tables(t) {
		rows, lines := table(t, file)
		for i, r := range rows {
			if r == nil {
				continue
			}
			same := ""
			if r.parsed().Sed {
				same = r.sed(t)
			} else {
				same = r.grep(t)
			}
			if (same != "") != r.ours {
				t.Errorf("%s:%d: %s\t%s", file, i+1, lines[i], same)
			}
		}
	}
}

// grep says in what the answer differs from grep's.
func (r *row) grep(t *testing.T) string {
	flags := "-aob"
	for _, c := range r.options {
		if c != 'M' {
			flags += string(c)
		}
	}
	out, message, status := gnu(t, []byte(r.text+"\n"), "grep", flags, "-e", r.pattern)
	re, err := regex.Compile(r.pattern, r.parsed())
	if err != nil {
		return differs(status == 2 && (r.parsed().Syntax == regex.Perl || strings.Contains(message, err.Error())), message+string(out))
	}
	start, end, ok := re.FindIndex([]byte(r.text), 0)
	want := ""
	if ok {
		want = fmt.Sprintf("%d:%s\n", start, r.text[start:end])
	}
	if ok && start == end {
		want = "" // grep does not show it
	}
	return differs(ok == (status == 0) && status < 2 && (end == start || strings.HasPrefix(string(out), want)), fmt.Sprintf("%q %q", out, message))
}

// sed says in what the answer differs from sed's.
func (r *row) sed(t *testing.T) string {
	script := ":a;$!{N;ba};s~" + r.pattern + "~{&"
	re, err := regex.Compile(r.pattern, r.parsed())
	groups := 0
	if err == nil {
		groups = min(9, re.Groups())
	}
	for g := range groups {
		script += fmt.Sprintf(`|\%d`, g+1)
	}
	script += "}~"
	flag := "-s"
	for _, c := range r.options {
		switch c {
		case 'E':
			flag = "-E"
		case 'M':
			script += "M"
		case 'i':
			script += "I"
		}
	}
	out, message, status := gnu(t, []byte(r.text), "sed", flag, script)
	if err != nil {
		return differs(status != 0 && strings.Contains(message, err.Error()), message+string(out))
	}
	want := r.text
	if found := re.FindSubmatchIndex([]byte(r.text), 0, nil); found != nil {
		want = r.text[:found[0]] + "{" + r.text[found[0]:found[1]]
		for g := range groups {
			want += "|"
			if at := found[2*g+2]; at >= 0 {
				want += r.text[at:found[2*g+3]]
			}
		}
		want += "}" + r.text[found[1]:]
	}
	return differs(status == 0 && string(out) == want, fmt.Sprintf("%q %q", out, message))
}

func differs(same bool, answer string) string {
	if same {
		return ""
	}
	return "but GNU answers " + answer
}
