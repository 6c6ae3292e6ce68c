package shell_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"redline/internal/shell"
)

// escapes are ways to outlive a shell. Each leaves a "sleep $N" behind, and those
// called open leave it with the output of the command.
var escapes = []struct{ name, line string }{
	{"background, open", `sleep $N &`},
	{"subshell", `(sleep $N; echo never) &`},
	{"nohup", `nohup sleep $N & disown`},
	{"own group", `set -m; sleep $N & set +m`},
	{"own session", `setsid sleep $N &`},
	{"own session, open", `setsid sleep $N &`},
	{"parents gone", `(setsid sh -c "sleep $N & exec true" &)`},
	{"parents gone, open", `(setsid sh -c "sleep $N & exec true" &)`},
	{"environment cleared", `(env -i setsid sleep $N &)`},
	{"limits changed", `(ulimit -R 5000000; setsid sleep $N &)`},
	{"no mark but the parent", `env -i N=$N bash -c 'ulimit -R 5000000; setsid -w env -i sleep $N; true' &`},
	{"no mark but a parent that goes first", `env -i N=$N bash -c 'ulimit -R 5000000; setsid -w env -i --ignore-signal=TERM sleep $N; true' &`},
	{"deaf to SIGTERM", `(trap "" TERM; setsid sleep $N &)`},
	{"stopped", `setsid sleep $N & until grep -aq ^sleep /proc/$!/cmdline; do sleep 0.01; done; kill -STOP $!`},
	{"folder left", `(cd / && setsid sleep $N &)`},
	{"many", `for i in 1 2 3 4 5 6 7 8 9; do (setsid sleep $N.$i &); done; setsid sleep $N &`},
	{"again and again", `deaf() { trap "" TERM; while :; do setsid sleep $N & wait $!; done; }; deaf &`},
}

// escaping is a script that says ready when it has left sleep n behind.
func escaping(name, line, n string) string {
	if !strings.HasSuffix(name, "open") {
		line = "{ " + line + "\n} >/dev/null 2>&1"
	}
	return "N=" + n + "\n" + line + "\necho ready\n"
}

// number is a time to sleep that no other process sleeps.
func number() string { return fmt.Sprint(1_000_000 + rand.IntN(1_000_000_000)) }

// sleepers are the living processes that have an argument which starts with n.
func sleepers(t *testing.T, n string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(files) == 0 {
		t.Fatalf("cannot look at processes: %v", err)
	}
	var found []string
	for _, file := range files {
		line, err := os.ReadFile(file) // empty for one that has ended
		if args := strings.Split(string(line), "\x00"); err == nil && args[0] == "sleep" && strings.HasPrefix(args[1], n) {
			found = append(found, strings.Join(args, " "))
		}
	}
	return found
}

// awaitSleeper returns when sleep n runs, or the test has failed.
func awaitSleeper(t *testing.T, n string) {
	for giveUp := time.Now().Add(time.Minute); len(sleepers(t, n)) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(giveUp) {
			t.Errorf("sleep %s was not started", n)
			return
		}
	}
}

func checkGone(t *testing.T, n string, r shell.Result) {
	t.Helper()
	if found := sleepers(t, n); len(found) > 0 {
		t.Errorf("still there: %q", found)
	}
	if !slices.ContainsFunc(r.Left, func(command string) bool { return strings.Contains(command, "sleep "+n) }) || len(r.Running) > 0 {
		t.Errorf("left %q, running %q", r.Left, r.Running)
	}
}

func skipWithoutMark(t *testing.T, name string) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_RTTIME, &limit); err != nil || limit.Max != unix.RLIM_INFINITY {
		if name == "environment cleared" {
			t.Skip("there is a real-time limit already, which a command cannot be marked with then")
		}
	}
}

// TestNothingIsLeft: the end of a call ends every descendant.
func TestNothingIsLeft(t *testing.T) {
	for _, escape := range escapes {
		t.Run(escape.name, func(t *testing.T) {
			t.Parallel()
			skipWithoutMark(t, escape.name)
			n, dir := number(), t.TempDir()
			c := shell.Command{Dir: dir, Line: escaping(escape.name, escape.line, n) + "until [ -e go ]; do sleep 0.01; done; exit 5"}
			c.Output = func(string, []byte) {
				awaitSleeper(t, n)
				if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o644); err != nil {
					t.Error(err)
				}
			}
			r := run(t, c)
			if r.ExitCode != 5 || r.Stdout != "ready\n" || r.Aborted || r.TimedOut {
				t.Errorf("got %+v", r)
			}
			checkGone(t, n, r)
		})
	}
}

// TestNothingIsLeftByAbort: neither does anything survive an abort.
func TestNothingIsLeftByAbort(t *testing.T) {
	for _, escape := range escapes {
		t.Run(escape.name, func(t *testing.T) {
			t.Parallel()
			skipWithoutMark(t, escape.name)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			n := number()
			c := shell.Command{Dir: t.TempDir(), Line: escaping(escape.name, escape.line, n) + "while :; do sleep 0.1; done"}
			c.Output = func(string, []byte) {
				awaitSleeper(t, n)
				cancel()
			}
			r, err := shell.Run(ctx, c)
			if err != nil || !r.Aborted || r.ExitCode != 143 {
				t.Errorf("got %+v, %v", r, err)
			}
			checkGone(t, n, r)
		})
	}
}

// TestNothingIsLeftByTimeout: nor the end of the time, whether the shell hears
// SIGTERM or not.
func TestNothingIsLeftByTimeout(t *testing.T) {
	for line, code := range map[string]int{"true": 143, `trap "" TERM`: 137, `trap "exit 9" TERM`: 9} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			n := number()
			c := shell.Command{Timeout: 500 * time.Millisecond, Line: line + "; setsid sleep " + n + ` &
until grep -aq ^sleep /proc/$!/cmdline; do sleep 0.01; done; echo ready; while :; do sleep 0.1; done`}
			r := run(t, c)
			for r.Stdout != "ready\n" { // a busy machine needs more time to come that far
				c.Timeout *= 2
				r = run(t, c)
			}
			if !r.TimedOut || r.ExitCode != code {
				t.Errorf("got %+v, want exit code %d", r, code)
			}
			checkGone(t, n, r)
		})
	}
}

// TestStopped: a shell that has stopped itself can still be ended.
func TestStopped(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := shell.Run(ctx, shell.Command{Dir: t.TempDir(), Line: "echo ready; kill -STOP $$", Output: func(string, []byte) { cancel() }})
	if err != nil || !r.Aborted || r.ExitCode != 143 {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestCleanUp: SIGTERM leaves a command the time to tidy up, with programs that it
// starts for that.
func TestCleanUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := shell.Run(ctx, shell.Command{Dir: dir, Line: `touch temporary
trap 'sleep 0.1; rm temporary; echo tidy; exit 3' TERM
echo ready; while :; do sleep 0.01; done`, Output: func(string, []byte) { cancel() }})
	if _, gone := os.Stat(filepath.Join(dir, "temporary")); err != nil || r.ExitCode != 3 || r.Stdout != "ready\ntidy\n" || gone == nil {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestForks: processes that multiply are ended together.
func TestForks(t *testing.T) {
	t.Parallel()
	n := number()
	r := run(t, shell.Command{Line: `trap "" TERM; spread() { for i in 1 2 3; do (sleep ` + n + ` & sleep 0.01; [ $1 -lt 4 ] && spread $(($1 + 1)); wait) & done; wait; }; spread 1`, Timeout: time.Second})
	if !r.TimedOut {
		t.Errorf("got %+v", r)
	}
	if found := sleepers(t, n); len(found) > 0 {
		t.Errorf("%d still there", len(found))
	}
}

// TestTwoAtOnce: the end of one command touches neither an older nor a younger one,
// nor a process of somebody else.
func TestTwoAtOnce(t *testing.T) {
	sleeping := func(dir, n string) shell.Command {
		return shell.Command{Dir: dir, Timeout: 10 * time.Minute, Line: "setsid sleep " + n + ` >/dev/null 2>&1 & until [ -e go ]; do sleep 0.01; done; kill -0 $! && echo unharmed`}
	}
	release := func(dir string) {
		if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o644); err != nil {
			t.Error(err)
		}
	}
	var results [2]shell.Result
	dirs, numbers := [2]string{t.TempDir(), t.TempDir()}, [2]string{number(), number()}
	var ends [2]sync.WaitGroup
	begin := func(i int) {
		ends[i].Go(func() { results[i], _ = shell.Run(t.Context(), sleeping(dirs[i], numbers[i])) })
		awaitSleeper(t, numbers[i])
	}
	begin(0)
	bystander := exec.Command("sleep", number())
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	begin(1)
	if r := run(t, shell.Command{Line: "(setsid sleep " + number() + " >/dev/null 2>&1 &); echo done"}); r.Stdout != "done\n" {
		t.Errorf("the youngest: got %+v", r)
	}
	for i := range results {
		release(dirs[i])
		ends[i].Wait()
		if results[i].Stdout != "unharmed\n" {
			t.Errorf("command %d: got %+v", i, results[i])
		}
		checkGone(t, numbers[i], results[i])
	}
	if err := bystander.Process.Kill(); err != nil {
		t.Errorf("the bystander: %v", err)
	}
	if err := bystander.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("the bystander was ended by another: %v", err)
	}
}

// TestStranger: a process outside the family that holds the output open, silent or
// not, does not hold the call.
func TestStranger(t *testing.T) {
	for _, talks := range []bool{false, true} {
		t.Run(fmt.Sprintf("talks %v", talks), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var held *os.File
			var talk sync.WaitGroup
			c := shell.Command{Dir: dir, Line: `echo $$; until [ -e go ]; do sleep 0.01; done; echo last`}
			c.Output = func(_ string, piece []byte) {
				if held != nil {
					return
				}
				var err error
				if held, err = os.OpenFile("/proc/"+strings.TrimSpace(string(piece))+"/fd/1", os.O_WRONLY, 0); err != nil {
					t.Error(err)
				}
				if talks {
					talk.Go(func() {
						for err == nil {
							_, err = held.WriteString("and so on\n")
						}
					})
				}
				if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o644); err != nil {
					t.Error(err)
				}
			}
			r := run(t, c)
			talk.Wait()
			if !strings.Contains(r.Stdout, "\nlast\n") && !r.Truncated || len(r.Left) > 0 || r.ExitCode != 0 {
				t.Errorf("got %+v", r)
			}
			if _, err := held.WriteString("x"); err == nil {
				t.Error("nobody should read any more")
			}
			held.Close()
		})
	}
}

// TestNoTerminal: the command leads a session of its own.
func TestNoTerminal(t *testing.T) {
	r := run(t, shell.Command{Line: `read -r pid name state parent group session rest </proc/$$/stat; [ "$group $session" = "$$ $$" ] && ! : </dev/tty`})
	if r.ExitCode != 0 {
		t.Errorf("got %+v", r)
	}
}

// TestNoLeaks: neither goroutines nor files nor dead processes stay behind.
func TestNoLeaks(t *testing.T) {
	files := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	work := func() {
		run(t, shell.Command{Line: "echo"})
		run(t, shell.Command{Line: "sleep " + number() + " >/dev/null 2>&1 &"})
		run(t, shell.Command{Line: "sleep " + number(), Timeout: time.Millisecond})
		if _, err := shell.Run(t.Context(), shell.Command{Dir: t.TempDir(), Line: strings.Repeat("x", 8<<20)}); err == nil {
			t.Error("the command is not too long")
		}
	}
	work()
	goroutines, open := runtime.NumGoroutine(), files()
	for range 2 {
		work()
	}
	for runtime.NumGoroutine() > goroutines && t.Context().Err() == nil { // the last step of a goroutine cannot be seen
		runtime.Gosched()
	}
	if now := files(); now > open {
		t.Errorf("%d open files, %d before", now, open)
	}
	if _, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != unix.ECHILD {
		t.Errorf("a child was not waited for: %v", err)
	}
}
