package redline_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline"
	"redline/llm"
	"redline/tool"
)

func open(t *testing.T, dir, state string) *redline.Folder {
	t.Helper()
	f, err := redline.Open(context.Background(), dir, redline.Options{State: state})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func states(t *testing.T, dir string) int {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// TestRenamedFolder: a folder that was renamed has the state it had, and another
// folder of its old name has none of it.
func TestRenamedFolder(t *testing.T) {
	base := t.TempDir()
	state, old, renamed := filepath.Join(base, "state"), filepath.Join(base, "notes"), filepath.Join(base, "diary")
	if err := os.Mkdir(old, 0o755); err != nil {
		t.Fatal(err)
	}
	open(t, old, state).Close()
	if err := os.Rename(old, renamed); err != nil {
		t.Fatal(err)
	}
	open(t, renamed, state).Close()
	if n := states(t, state); n != 1 {
		t.Skipf("%d states: this disk does not tell when a folder was made", n)
	}
	if err := os.Mkdir(old, 0o755); err != nil {
		t.Fatal(err)
	}
	open(t, old, state).Close()
	if n := states(t, state); n != 2 {
		t.Errorf("%d states for two folders", n)
	}
}

// TestStateInside: Redline's own state is never part of the folder.
func TestStateInside(t *testing.T) {
	dir := t.TempDir()
	if _, err := redline.Open(context.Background(), dir, redline.Options{State: filepath.Join(dir, "state")}); err == nil || !strings.Contains(err.Error(), "XDG_STATE_HOME") {
		t.Errorf("opened with the state inside: %v", err)
	}
}

// TestOwnTemplates: a template in .redline/templates can be used, though no tool
// can read it.
func TestOwnTemplates(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "notes")
	if err := os.MkdirAll(filepath.Join(dir, ".redline", "templates"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".redline", "templates", "recipe.md"), []byte("# {{title}}\n\nServes four.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f := open(t, dir, filepath.Join(base, "state"))
	defer f.Close()
	ctx := context.Background()
	turn, err := f.Begin(ctx, redline.TurnOptions{Session: "s"})
	if err != nil {
		t.Fatal(err)
	}
	r := turn.Run(ctx, llm.ToolCall{ID: "1", Name: "create_document", Arguments: []byte(`{"name":"Soup","template":"recipe"}`)})
	if r.IsError {
		t.Fatal(r.Output)
	}
	if err := turn.End(ctx, false); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "Soup.md"))
	if err != nil || string(data) != "# Soup\n\nServes four.\n" {
		t.Errorf("made %q, %v", data, err)
	}
}

// TestAbortedTurn: under review "turn" an aborted turn is as if it had never been.
func TestAbortedTurn(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "notes")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f := open(t, dir, filepath.Join(base, "state"))
	defer f.Close()
	ctx := context.Background()
	for range 2 { // a turn that waited for a decision would refuse the second
		turn, err := f.Begin(ctx, redline.TurnOptions{Session: "s", Review: "turn"})
		if err != nil {
			t.Fatal(err)
		}
		if r := turn.Run(ctx, llm.ToolCall{ID: "1", Name: "create_document", Arguments: []byte(`{"name":"a","content":"x"}`)}); r.IsError {
			t.Fatal(r.Output)
		}
		if err := turn.End(ctx, true); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWrongArguments: the agent counts calls with wrong arguments by this code, in
// whatever shape the toolset tells them.
func TestWrongArguments(t *testing.T) {
	f := open(t, t.TempDir(), t.TempDir())
	defer f.Close()
	for toolset, name := range map[string]string{"documents": "read_document", "project": "read_file", "coding": "read"} {
		turn, err := f.Begin(t.Context(), redline.TurnOptions{Toolset: toolset, Session: toolset})
		if err != nil {
			t.Fatal(err)
		}
		r := turn.Run(t.Context(), llm.ToolCall{ID: "1", Name: name, Arguments: []byte(`{"no": 1}`)})
		if !r.IsError || r.Code() != tool.CodeInvalid {
			t.Errorf("%s: code %q: %s", toolset, r.Code(), r.Output)
		}
		if err := turn.End(t.Context(), false); err != nil {
			t.Error(err)
		}
	}
}

// TestAfterTheEnd: a call behind the one that ended the run is refused by a code.
func TestAfterTheEnd(t *testing.T) {
	f := open(t, t.TempDir(), t.TempDir())
	defer f.Close()
	turn, err := f.Begin(t.Context(), redline.TurnOptions{Toolset: "project", Session: "s"})
	if err != nil {
		t.Fatal(err)
	}
	var r tool.Result
	for range 14 { // the limit is 12
		r = turn.Run(t.Context(), llm.ToolCall{ID: "1", Name: "list_files", Arguments: []byte(`{}`)})
	}
	if !r.IsError || r.Code() != "turn_over" {
		t.Errorf("code %q: %s", r.Code(), r.Output)
	}
	if err := turn.End(t.Context(), false); err != nil {
		t.Error(err)
	}
}
