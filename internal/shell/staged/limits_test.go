package staged_test

import (
	"context"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"redline/internal/shell/staged"
	"redline/internal/shell/tree"
)

// TestCut: what would go on for ever, or take all memory, is ended, and says why.
func TestCut(t *testing.T) {
	for _, c := range []struct{ line, why string }{
		{`while :; do :; done`, "did not end"},
		{`for ((;;)); do :; done`, "did not end"},
		{`until false; do x=1; done`, "did not end"},
		{`f(){ g; }; g(){ f; }; f`, "too deeply"},
		{`f(){ f | f; }; f`, "side by side"},
		{`x=xxxxxxxxxxxxxxxx; while :; do x=$x$x; done`, "memory"},
		{`x=xxxxxxxxxxxxxxxx; for ((;;)); do x=$x$x; done`, "memory"},
		{`a=(); for ((;;)); do a+=(xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx "${a[@]}"); done`, ""},
		{`while :; do echo "a long line, a long line, a long line, a long line"; done`, "writes more"},
		{`while :; do echo "a long line, a long line, a long line, a long line"; done > big.md`, "no space"},
		{`x=$(while :; do echo "a long line, a long line, a long line, a long line"; done)`, "did not end"},
		{`while :; do echo x; done | while :; do :; done`, "did not end"},
		{`while :; do echo x; done | cat > /dev/null`, "did not end"},
		{`eval 'f(){ eval f; }; f'`, "too deeply"},
		{`f(){ (f); }; f`, "too deeply"},
		{`f(){ echo $(f); }; f`, "too deeply"},
		{`read x < <(while :; do echo x; done)`, "did not end"},
	} {
		v := newVault(t, map[string]string{"a.md": "alpha\n"})
		r := staged.Run(context.Background(), staged.Command{Line: c.line, Tree: tree.New(v.base, v.dir, tree.Options{Limit: 4 << 20}), Timeout: patience(c.why)})
		if r.Cut == "" || !strings.Contains(r.Cut, c.why) {
			t.Errorf("%s: cut %q, status %d, stderr %.200q", c.line, r.Cut, r.ExitCode, r.Stderr)
		}
		runtime.GC()
	}
}

// patience is how long a command may take: one that has no other end, not long.
func patience(why string) time.Duration {
	if why == "did not end" {
		return 200 * time.Millisecond
	}
	return time.Minute
}

// TestAbort: a command ends when it is told to, whatever it is doing.
func TestAbort(t *testing.T) {
	for _, line := range []string{
		`while :; do :; done`, `echo started; while :; do echo x > /dev/null; done`, `sleep 1000`, `cat <(while :; do :; done)`,
		`while :; do echo x; done | cat | cat > /dev/null`,
	} {
		v := newVault(t, nil)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan staged.Result)
		go func() { done <- staged.Run(ctx, staged.Command{Line: line, Tree: v.tree(), Timeout: time.Hour}) }()
		cancel()
		if r := <-done; !r.Aborted || r.Cut == "" {
			t.Errorf("%s: %+v", line, r)
		}
	}
}

// TestBreakdown: a panic of the interpreter ends the command, not the program, wherever
// in a script it comes; and it says so.
func TestBreakdown(t *testing.T) {
	v := newVault(t, nil)
	for _, broken := range []string{
		`x=$'\xff'; echo ${x#$x}`, `x=a; echo ${x/[Z-\A]/b}`, `case a in [Z-\A]) ;; esac`, `[[ a == [Z-\A] ]]`,
		`read -r x < <(printf 'a\0b\n'); echo "${x@Q}"`, `declare -n q=; echo $q`,
	} {
		for _, line := range []string{
			broken, broken + ` | cat`, `{ ` + broken + `; } | cat | cat`, `: | { ` + broken + `; } | cat`, `f() { ` + broken + `; }; f | cat`,
			`x=$({ ` + broken + `; } | cat)`, `cat <({ ` + broken + `; } |& cat)`, "eval \"$(cat << 'E'\n{ " + broken + "; } | cat\nE\n)\"",
		} {
			if r, did := v.run(line + `; echo changed > a.md`); !strings.Contains(r.Cut, "broke down") || !strings.Contains(r.Stderr, "broke down") || len(did) > 0 {
				t.Errorf("%s: cut %q, stderr %q, did %v", line, r.Cut, r.Stderr, did)
			}
		}
	}
}

// TestNested: a script that is nested so deeply that the stack would not do is refused,
// and so are other bounds that the interpreter does not have.
func TestNested(t *testing.T) {
	v := newVault(t, nil)
	double := func(x string) string { return `x='` + x + `'; for i in {1..19}; do x=$x$x; done; a=(1); ` }
	for _, c := range []struct{ line, want string }{
		{strings.Repeat("(", 250_000), "too deeply"},
		{"((" + strings.Repeat("(", 250_000), "too deeply"},
		{"echo " + strings.Repeat("$(", 125_000), "too deeply"},
		{"((" + strings.Repeat("!", 250_000), "too deeply"},
		{"eval '" + strings.Repeat("(", 250_000) + "'", "too deeply"},
		{double("(") + `unset "a[$x]"`, "not a valid identifier"},
		{double("$(") + `alias "y=$x"; shopt -s expand_aliases`, "no aliases"},
		{"echo " + strings.Repeat("{a,", 50_000) + strings.Repeat("}", 50_000), "braces"},
		{`for i in {1..99999}; do echo $i; done`, "use seq"},
		{`a=({1..200}{1..200})`, "use seq"},
	} {
		if r, _ := v.run(c.line); !strings.Contains(r.Stderr+r.Cut, c.want) || r.ExitCode == 0 {
			t.Errorf("%.50s: status %d, cut %q, stderr %.200q", c.line, r.ExitCode, r.Cut, r.Stderr)
		}
	}
	line := strings.Repeat("{ ", 200) + "echo $(echo $(echo $(( ((((1)))) + 1 )))) {1..3} {1..90000..30000} '{1..99999}' << E" + strings.Repeat("; }", 200) + "\n{1..99999}\nE\n"
	if r, _ := v.run(line); r.Stdout != "2 1 2 3 1 30001 60001 {1..99999}\n" {
		t.Errorf("%q, stderr %q", r.Stdout, r.Stderr)
	}
}

// TestNoUsers: nothing is known of the users of the system.
func TestNoUsers(t *testing.T) {
	v := newVault(t, nil)
	if r, _ := v.run(`echo ~root ~root/x ~nobody $UID $EUID $GID; x=~root; echo $x; echo ~`); r.Stdout != "~root ~root/x ~nobody 1000 1000 1000\n~root\n"+v.dir+"\n" {
		t.Errorf("%q", r.Stdout)
	}
}

// TestParts: what is before a | runs as it does elsewhere: with the status, the
// parameters, the variables and the documents of its place.
func TestParts(t *testing.T) {
	v := newVault(t, nil)
	for _, c := range []struct{ line, want string }{
		{`false; echo $? | cat`, "1\n"},
		{`f() { local v=2; echo $1 $# $v | cat; }; f 'a b' c`, "a b 2 2\n"},
		{`set -o pipefail; (exit 4) | cat; echo $?`, "4\n"},
		{`set -o pipefail; exit 4 | cat; echo $?`, "4\n"},
		{`x=1; x=2 | cat; echo $x`, "1\n"},
		{"x=1; cat << E | tr a-z A-Z\nx is $x \\$x $(echo 'it''s')\nE", "X IS 1 $X ITS\n"},
		{"cat <<- 'E' | cat\n\tx is $x\n\tE\necho b | cat", "x is $x\nb\n"},
		{`cat <(echo a | rev) <(echo b) | tac | cat`, "b\na\n"},
		{`eval 'cat <(echo a) | cat'`, "a\n"},
		{`for i in {1..70}; do cat <(echo $i); done | tail -n 1`, "70\n"},
		{`{ echo a; echo b >&2; } |& sort -r`, "b\na\n"},
		{`! echo x | grep -q y; echo $?`, "0\n"},
		{`for i in 1 2; do echo $i; done | while read x; do echo "<$x>" | cat; done`, "<1>\n<2>\n"},
		{"echo \"a'b\" 'c\"d' e\\ f $'g\\th' | # here\n cat", "a'b c\"d e f g\th\n"},
		{`a=(1 '2  3'); printf '%s\n' "${a[@]}" | cat`, "1\n2  3\n"},
		{`if true; then echo a; else echo b; fi | cat; case x in (x) echo y;; esac | cat; ((1+1)) | echo z`, "a\ny\nz\n"},
	} {
		if r, _ := v.run(c.line); r.Stdout != c.want || r.Stderr != "" {
			t.Errorf("%s: got %q, want %q, stderr %q", c.line, r.Stdout, c.want, r.Stderr)
		}
	}
}

// TestLongOutput: head and tail of a long output are kept, both streams together within
// the limit, in whole characters.
func TestLongOutput(t *testing.T) {
	v := newVault(t, nil)
	line := `for ((i=0; i<20000; i++)); do echo "out $i äöü"; echo "err $i äöü" >&2; done`
	r := staged.Run(context.Background(), staged.Command{Line: line, Tree: v.tree(), MaxOutput: 100_000})
	if !r.Truncated || r.ExitCode != 0 {
		t.Errorf("truncated %v, status %d", r.Truncated, r.ExitCode)
	}
	if n := len(r.Stdout) + len(r.Stderr); n > 101_000 || n < 80_000 {
		t.Errorf("%d bytes of 100,000", n)
	}
	for _, s := range []string{r.Stdout, r.Stderr} {
		if !strings.HasPrefix(s[4:], "0 äöü\n") || !strings.HasSuffix(s, " 19999 äöü\n") || !strings.Contains(s, " bytes left out]\n") {
			t.Errorf("%.60q … %q", s, s[len(s)-30:])
		}
	}
}

// TestHeard: what a command writes is heard while it runs, in order.
func TestHeard(t *testing.T) {
	v := newVault(t, nil)
	var heard strings.Builder
	last := ""
	r := staged.Run(context.Background(), staged.Command{Line: `echo one; echo two >&2; echo -n three`, Tree: v.tree(), Output: func(stream string, piece []byte) {
		if stream != last {
			heard.WriteString("|" + stream + ":")
		}
		last = stream
		heard.Write(piece)
	}})
	if want := "|stdout:one\n|stderr:two\n|stdout:three"; heard.String() != want {
		t.Errorf("heard %q, result %+v", heard.String(), r)
	}
}

// TestNothingStays: variables, functions, options and the directory of one command are
// gone in the next.
func TestNothingStays(t *testing.T) {
	v := newVault(t, map[string]string{"d/a.md": "a\n"})
	tr := v.tree()
	staged.Run(context.Background(), staged.Command{Line: `x=1; export PATH=.; cat(){ echo mine; }; set -f; cd d; alias ls=cat`, Tree: tr})
	r := staged.Run(context.Background(), staged.Command{Line: `echo "[$x]"; cat d/*.md; pwd | cat`, Tree: tr})
	if want := "[]\na\n" + v.dir + "\n"; r.Stdout != want {
		t.Errorf("got %q, want %q", r.Stdout, want)
	}
}

// TestDashedNames: a file that is called like an option is a file where a pattern finds
// it.
func TestDashedNames(t *testing.T) {
	v := newVault(t, map[string]string{"-n": "dash\n", "a": "one\n"})
	if r, _ := v.run(`cat *`); r.Stdout != "dash\none\n" {
		t.Errorf("%q", r.Stdout)
	}
	if r, _ := v.run(`cat -n a`); r.Stdout != "     1\tone\n" {
		t.Errorf("%q", r.Stdout)
	}
}

// endless is a folder that holds itself: no pattern comes to its end.
type endless struct{ tree.Base }

func (endless) Lstat(name string) (fs.FileInfo, error) { return folderInfo{}, nil }
func (endless) ReadDir(name string) ([]fs.DirEntry, error) {
	return []fs.DirEntry{fs.FileInfoToDirEntry(folderInfo{})}, nil
}

type folderInfo struct{ fs.FileInfo }

func (folderInfo) Name() string      { return "d" }
func (folderInfo) Mode() fs.FileMode { return fs.ModeDir | 0o755 }
func (folderInfo) IsDir() bool       { return true }

// TestEndlessPattern: to expand a pattern ends with the script.
func TestEndlessPattern(t *testing.T) {
	tr := tree.New(endless{}, "/vault", tree.Options{})
	r := staged.Run(t.Context(), staged.Command{Line: `shopt -s globstar; echo **`, Tree: tr, Timeout: 100 * time.Millisecond})
	if !r.TimedOut {
		t.Errorf("%+v", r)
	}
}

// TestManyShells: shells inside of the shell leave nothing open behind them.
func TestManyShells(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the open files are counted in /proc")
	}
	open := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(list)
	}
	v := newVault(t, nil)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it would close them
	before := open()
	r, _ := v.run(`seq 1 50 | xargs -n 1 sh -c 'echo $0' | tail -n 1`)
	if after := open(); r.Stdout != "50\n" || after > before {
		t.Errorf("%q, %q: %d files were open before, %d are now", r.Stdout, r.Stderr, before, after)
	}
}
