package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"time"

	"redline/internal/ledger"
	"redline/internal/ops"
	"redline/internal/toolset/vault"
	"redline/internal/workspace"
	"redline/llm"
	"redline/tool"
)

// shellRows compare the staged shell, as the tool of the toolset vault runs it, with
// the real commands: theirs is a process, ours is not.
func shellRows(c corpora) []row {
	compare := func(limit float64, command string) row {
		return row{
			name: "shell: " + command + " (in process)", ours: self("shell", c.notes, command),
			anchorName: "GNU, in bash", anchor: in(c.notes, "bash", "--norc", "-c", command), limit: limit,
		}
	}
	return []row{
		compare(1.0, "grep -rn xyzzyneedle ."),
		compare(1.0, "grep -rnw miodorit ."),
		compare(1.0, "grep -rniE 'xyzzy(need|thread)le (is|was)' --include=*.md ."),
		compare(2.0, "find . -name '*.md' | wc -l"),
		{name: "shell: echo x (in process)", ours: self("shell", c.small, "echo x"), limit: 1},
	}
}

// in times a command that runs in a folder.
func in(dir string, args ...string) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, gitEnv(), &counter{}, os.Stderr
		start := time.Now()
		err := cmd.Run()
		return time.Since(start), err
	}
}

// shellJob times a command of the tool bash.
func shellJob(args []string) error {
	ctx := context.Background()
	l, _, end, err := openLedger(args[0])
	if err != nil {
		return err
	}
	defer end()
	folder, err := open(args)
	if err != nil {
		return err
	}
	defer folder.Close()
	turn, err := l.Begin(ctx, ledger.TurnRequest{Session: "bench", Review: ledger.Auto})
	if err != nil {
		return err
	}
	defer turn.End(ctx)
	desk := ops.New(folder, turn, ops.Options{Policy: workspace.ForDocuments()})
	tools, err := vault.New(func(context.Context) *ops.Desk { return desk }, vault.Options{})
	if err != nil {
		return err
	}
	set, err := tool.NewSet(tools...)
	if err != nil {
		return err
	}
	arguments, err := json.Marshal(map[string]string{"command": args[1]})
	if err != nil {
		return err
	}
	return repeat(func() error {
		if r := tool.Run(ctx, set, llm.ToolCall{ID: "1", Name: "bash", Arguments: arguments}, nil); r.IsError {
			return fmt.Errorf("%s: %s", args[1], r.Output)
		}
		return nil
	})
}
