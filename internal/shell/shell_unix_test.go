//go:build unix

package shell_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"redline/internal/shell"
)

var update = flag.Bool("update", false, "write the texts in testdata anew")

// run runs a command that must start, in a folder of its own and with more time
// than a busy machine needs, unless it has them.
func run(t *testing.T, c shell.Command) shell.Result {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	if c.Timeout == 0 {
		c.Timeout = 10 * time.Minute
	}
	r, err := shell.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTexts runs the commands in testdata and compares what a model would read.
func TestTexts(t *testing.T) {
	t.Setenv("LC_ALL", "C.UTF-8")
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no commands: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			command, text := &archive.Files[0], &archive.Files[1]
			got := run(t, shell.Command{Line: strings.TrimSuffix(string(command.Data), "\n")}).Text() + "\n"
			if *update {
				text.Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(text.Data), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestText(t *testing.T) {
	for _, test := range []struct {
		name string
		r    shell.Result
		want string
	}{
		{"timed out", shell.Result{Stdout: "a\n", ExitCode: 143, Duration: 30*time.Second + time.Millisecond, TimedOut: true},
			"stdout:\na\nstderr:\n\nexit code: 143\ntimed out after 30s, and was ended"},
		{"aborted", shell.Result{Stderr: "b", ExitCode: 143, Duration: 250 * time.Millisecond, Aborted: true},
			"stdout:\n\nstderr:\nb\nexit code: 143\naborted after 250ms, and was ended"},
		{"left", shell.Result{Left: []string{"sleep 1000", "npm start"}, Running: []string{"sudo top"}},
			"stdout:\n\nstderr:\n\nexit code: 0\nwas still running and was ended:\n  sleep 1000\n  npm start\nis still running and could not be ended:\n  sudo top"},
	} {
		if diff := cmp.Diff(test.want, test.r.Text()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
	}
}

func TestSyntaxError(t *testing.T) {
	r := run(t, shell.Command{Line: "echo before\nif then"})
	if r.ExitCode != 2 || !strings.Contains(r.Stderr, "syntax error") || r.Stdout != "before\n" {
		t.Errorf("got %+v", r)
	}
}

func TestNotStarted(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		name string
		ctx  context.Context
		c    shell.Command
		want string
	}{
		{"NUL", t.Context(), shell.Command{Line: "echo \x00", Dir: dir}, "NUL byte at position 5"},
		{"relative", t.Context(), shell.Command{Line: "touch ran", Dir: "testdata"}, "not an absolute path"},
		{"gone", t.Context(), shell.Command{Line: "touch ran", Dir: filepath.Join(dir, "gone")}, "is gone"},
		{"file", t.Context(), shell.Command{Line: "touch ran", Dir: file}, "not a folder"},
		{"cancelled", cancelled, shell.Command{Line: "touch ran", Dir: dir}, "not started: context canceled"},
		{"huge", t.Context(), shell.Command{Line: "touch ran; : " + strings.Repeat("x", 8<<20), Dir: dir}, "write it to a file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := shell.Run(test.ctx, test.c)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %+v, %v; want an error with %q", r, err, test.want)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("a command ran although it was refused")
	}
}

// TestShells: bash is taken where there is one, then sh.
func TestShells(t *testing.T) {
	tool := func(dir, name string) {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	both, posix, none := t.TempDir(), t.TempDir(), t.TempDir()
	tool(both, "bash")
	tool(both, "sh")
	tool(posix, "sh")
	for _, test := range []struct{ path, want string }{{both, "bash\n"}, {posix, "sh\n"}} {
		t.Setenv("PATH", test.path)
		for _, line := range []string{`echo "$0"`, `echo "$0" #` + strings.Repeat("x", 200_000)} {
			if r := run(t, shell.Command{Line: line}); r.Stdout != test.want {
				t.Errorf("got %+v, want %q", r, test.want)
			}
		}
	}
	t.Setenv("PATH", none)
	if _, err := shell.Run(t.Context(), shell.Command{Line: "echo", Dir: none}); err == nil || !strings.Contains(err.Error(), "install bash") {
		t.Errorf("without a shell: %v", err)
	}
}

// TestLongLine: a line longer than the system takes as one argument runs all the
// same, with no trace of how it came in.
func TestLongLine(t *testing.T) {
	body := strings.Repeat("ein langes, langes Lied für ☂ und $HOME\n", 20_000) // 840 KB
	r := run(t, shell.Command{Line: "echo \"$0 $# [$*]\"\ncat <<'END'\n" + body + "END\necho \"${redline_gate-no variable}\"\nexit 7"})
	if want := "bash 0 []\n" + body + "no variable\n"; r.Stdout != want || r.ExitCode != 7 || r.Stderr != "" {
		t.Errorf("got %d bytes, exit code %d, %q; want %d bytes", len(r.Stdout), r.ExitCode, r.Stderr, len(want))
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-1")
	t.Setenv("my_own_api_key", "sk-2")
	t.Setenv("API_KEY_FILE", "kept")
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("REDLINE_COMMAND", "OUTER")
	r := run(t, shell.Command{Line: `env; echo "colours: $TERM"`})
	if strings.Contains(r.Stdout, "sk-") {
		t.Error("a key of a model is in the environment of the command")
	}
	for _, want := range []string{"API_KEY_FILE=kept\n", "HOME=" + os.Getenv("HOME") + "\n", "colours: dumb\n", "REDLINE_COMMAND=OUTER:"} {
		if !strings.Contains(r.Stdout, want) {
			t.Errorf("no %q in\n%s", want, r.Stdout)
		}
	}
}

func TestFolderRemovedMeanwhile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "folder")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r := run(t, shell.Command{Line: `rmdir "$PWD" && echo removed; sh -c 'exit 4'`, Dir: dir})
	if r.Stdout != "removed\n" || r.ExitCode != 4 {
		t.Errorf("got %+v", r)
	}
}

// TestExcerpt: head and tail around a line with the number of bytes between them.
func TestExcerpt(t *testing.T) {
	for _, test := range []struct {
		name, line string
		limit      int
		whole      func() string
		cut        bool
	}{
		{"lines", "seq 1 100000", 1000, func() string {
			var b strings.Builder
			for i := range 100_000 {
				fmt.Fprintln(&b, i+1)
			}
			return b.String()
		}, true},
		{"no newline", "printf '%050000d' 7", 1001, func() string { return fmt.Sprintf("%050000d", 7) }, true},
		{"runes", "printf '☂%.0s' {1..9999}", 100, func() string { return strings.Repeat("☂", 9999) }, true},
		{"invalid", `printf '\377%.0s' {1..9999}`, 100, func() string { return strings.Repeat("\uFFFD", 9999) }, true},
		{"one byte", "echo hello", 1, func() string { return "hello\n" }, true},
		{"exactly", "printf 0123456789", 10, func() string { return "0123456789" }, false},
		{"one more", "printf 0123456789", 9, func() string { return "0123456789" }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			heard := ""
			r := run(t, shell.Command{Line: test.line + "; echo short >&2", MaxOutput: test.limit, Output: func(stream string, piece []byte) {
				if stream == "stdout" {
					heard += string(piece)
				}
			}})
			whole := test.whole()
			if heard != whole {
				t.Errorf("heard %d bytes, want all %d", len(heard), len(whole))
			}
			if !test.cut {
				if r.Stdout != whole || r.Truncated {
					t.Errorf("got %q, truncated %v; want all of it", r.Stdout, r.Truncated)
				}
				return
			}
			var left int
			head, tail, found := strings.Cut(r.Stdout, "[")
			if _, err := fmt.Sscanf(tail, "%d bytes left out]\n", &left); !found || err != nil || !r.Truncated {
				t.Fatalf("got %q, truncated %v", r.Stdout, r.Truncated)
			}
			_, tail, _ = strings.Cut(tail, "]\n")
			if !strings.HasPrefix(whole, head) {
				head = strings.TrimSuffix(head, "\n") // put there for the line
			}
			if !strings.HasPrefix(whole, head) || !strings.HasSuffix(whole, tail) || len(head)+left+len(tail) != len(whole) {
				t.Errorf("head %q, %d left out, tail %q do not make up the %d bytes", head, left, tail, len(whole))
			}
			if len(head)+len(tail) > test.limit || !utf8.ValidString(r.Stdout) {
				t.Errorf("%d bytes kept of at most %d, valid %v", len(head)+len(tail), test.limit, utf8.ValidString(r.Stdout))
			}
			if test.name == "lines" && (!strings.HasSuffix(head, "\n") || whole[len(whole)-len(tail)-1] != '\n') {
				t.Errorf("lines are cut: head %q, tail %q", head, tail)
			}
		})
	}
}

// TestBoundedMemory: what is not kept is not held either.
func TestBoundedMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := run(t, shell.Command{Line: "yes | head -c 60000000"})
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 20<<20 {
		t.Errorf("%d bytes of memory for 60 MB of output", used)
	}
	if !r.Truncated || len(r.Stdout) > 1<<20+100 || r.ExitCode != 0 {
		t.Errorf("%d bytes, truncated %v, exit code %d", len(r.Stdout), r.Truncated, r.ExitCode)
	}
}

// TestOutput: pieces come while the command runs, one at a time, with whole runes.
// The command goes on only when it sees that the piece before was heard.
func TestOutput(t *testing.T) {
	dir := t.TempDir()
	var heard []string
	var talking atomic.Int32
	c := shell.Command{Dir: dir, Line: `
await() { until [ -e "$1" ]; do sleep 0.01; done; }
printf 'one \342'; await 1
printf '\202\254'; await 2
printf 'three' >&2; await 3
printf '\360\237'`}
	c.Output = func(stream string, piece []byte) {
		if talking.Add(1) != 1 {
			t.Error("two pieces at once")
		}
		heard = append(heard, stream+" "+string(piece))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(len(heard))), nil, 0o644); err != nil {
			t.Error(err)
		}
		talking.Add(-1)
	}
	r := run(t, c)
	want := []string{"stdout one ", "stdout €", "stderr three", "stdout \uFFFD\uFFFD"}
	if diff := cmp.Diff(want, heard); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if r.Stdout != "one €\uFFFD\uFFFD" || r.Stderr != "three" {
		t.Errorf("got %+v", r)
	}
}

// TestOutputInTurns: both streams at once, and still one piece at a time.
func TestOutputInTurns(t *testing.T) {
	heard := map[string]string{} // the race detector watches over it
	var talking atomic.Int32
	c := shell.Command{Line: `talk() { for i in {1..3000}; do echo $i; done; }; talk & talk >&2; wait`}
	c.Output = func(stream string, piece []byte) {
		if talking.Add(1) != 1 {
			t.Error("two pieces at once")
		}
		runtime.Gosched()
		heard[stream] += string(piece)
		talking.Add(-1)
	}
	r := run(t, c)
	if heard["stdout"] != r.Stdout || heard["stderr"] != r.Stderr || r.Stdout != r.Stderr || !strings.HasSuffix(r.Stdout, "2999\n3000\n") {
		t.Errorf("heard %d and %d bytes; got %d and %d", len(heard["stdout"]), len(heard["stderr"]), len(r.Stdout), len(r.Stderr))
	}
}

// TestLateOutput: what a process says that the shell does not wait for is heard.
func TestLateOutput(t *testing.T) {
	r := run(t, shell.Command{Line: "echo first; echo late > >(sed s/late/heard/)"})
	if r.Stdout != "first\nheard\n" {
		t.Errorf("got %+v", r)
	}
}

// TestSlowListener: what was written is heard, however long the one who hears it
// takes: here longer than a call listens to silence.
func TestSlowListener(t *testing.T) {
	t.Parallel()
	heard := 0
	r := run(t, shell.Command{Line: "seq 1 10000", Output: func(_ string, piece []byte) {
		if heard += len(piece); heard == len(piece) {
			time.Sleep(2500 * time.Millisecond)
		}
	}})
	if len(r.Stdout) != 48894 || heard != 48894 {
		t.Errorf("got %d bytes, heard %d", len(r.Stdout), heard)
	}
}

// TestYes: output without end ends with the time.
func TestYes(t *testing.T) {
	t.Parallel()
	c := shell.Command{Line: "yes", Timeout: 300 * time.Millisecond, MaxOutput: 10_000}
	r := run(t, c)
	for r.Stdout == "" { // a busy machine needs more time to come that far
		c.Timeout *= 2
		r = run(t, c)
	}
	if !r.TimedOut || r.Aborted || !r.Truncated || len(r.Stdout) > 10_100 || r.ExitCode != 143 {
		t.Errorf("%d bytes; %+v", len(r.Stdout), r)
	}
}

// TestAbort: the error of ctx is no error of Run.
func TestAbort(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	r, err := shell.Run(ctx, shell.Command{Dir: t.TempDir(), Line: "echo started; sleep 98765; echo never", Output: func(string, []byte) { cancel(errors.New("enough")) }})
	if err != nil || !r.Aborted || r.TimedOut || r.ExitCode != 143 || r.Stdout != "started\n" {
		t.Errorf("got %+v, %v", r, err)
	}
}
