package agent_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"redline/agent"
	"redline/llm/scripted"
)

// TestRuns plays the scripts in testdata/runs and compares every event. A file
// has the script of the model, what the user says (a line each), perhaps limits,
// and the events.
func TestRuns(t *testing.T) {
	files, err := filepath.Glob("testdata/runs/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no runs: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := map[string]*txtar.File{}
			for i := range archive.Files {
				parts[archive.Files[i].Name] = &archive.Files[i]
			}
			model, err := scripted.Parse("script.yaml", parts["script.yaml"].Data)
			if err != nil {
				t.Fatal(err)
			}
			a := agent.New(agent.Config{Provider: model, Model: scripted.Model(), Tools: newWorkbench(t).set, Limits: limitsOf(t, parts["limits"])})
			var trace strings.Builder
			var o *order
			a.Subscribe(func(e agent.Event) {
				if e.Type == agent.AgentStart {
					o = &order{t: t}
				}
				o.hear(e)
				if e.Type != agent.StateUpdate {
					trace.WriteString(line(e) + "\n")
				}
			})
			for prompt := range strings.Lines(string(parts["prompts"].Data)) {
				if _, err := a.Prompt(context.Background(), strings.TrimSpace(prompt)); err != nil {
					t.Fatal(err)
				}
				o.finished()
			}
			if *update {
				parts["events"].Data = []byte(trace.String())
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(string(parts["events"].Data), trace.String()); d != "" {
				t.Errorf("events (-want +got):\n%s", d)
			}
		})
	}
}

func limitsOf(t *testing.T, file *txtar.File) agent.Limits {
	var l agent.Limits
	if file == nil {
		return l
	}
	for text := range strings.Lines(string(file.Data)) {
		name, value, _ := strings.Cut(strings.TrimSpace(text), " ")
		n, err := strconv.Atoi(value)
		if err != nil {
			t.Fatalf("limit %s: %v", text, err)
		}
		switch name {
		case agent.LimitIterations:
			l.Iterations = n
		case agent.LimitToolCalls:
			l.ToolCalls = n
		default:
			t.Fatalf("unknown limit %q", name)
		}
	}
	return l
}
