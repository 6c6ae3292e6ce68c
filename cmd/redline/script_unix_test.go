//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

func sendSignal(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, 2)
	signals := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL}
	ts.Check(processNamed(ts, args[0]).cmd.Process.Signal(signals[args[1]]))
}

func startOnTerminal(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, anyNumber)
	cmd := command(ts, args[1:])
	out, err := os.Create(beside(ts, args[0]+".out"))
	ts.Check(err)
	keys, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 100})
	ts.Check(err)
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		defer out.Close()
		_, _ = io.Copy(out, keys) // ends with an error when the program has ended
	}()
	follow(ts, args[0], &process{cmd: cmd, input: keys, shown: shown})
}

// awaitEnd takes a process that is over but not yet buried for ended.
func awaitEnd(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, 1)
	pid := strings.TrimSpace(ts.ReadFile(args[0]))
	if pid == "" {
		ts.Fatalf("%s holds no process id", args[0])
	}
	eventually(ts, "the end of process "+pid, func() bool {
		state, err := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
		return err != nil || strings.HasPrefix(strings.TrimSpace(string(state)), "Z")
	})
}
