package staged_test

import (
	"context"
	"runtime"
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
