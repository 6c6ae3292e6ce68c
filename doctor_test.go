package redline_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline"
	"redline/internal/workspace"
	"redline/llm"
)

// examined is what an examination says of an area, a line each.
func examined(dir string, o redline.Options, area string) string {
	var lines []string
	for _, f := range redline.Examine(context.Background(), dir, o) {
		if f.Area == area {
			lines = append(lines, string(f.Health)+": "+f.Text)
		}
	}
	return strings.Join(lines, "\n")
}

func TestExamineFolder(t *testing.T) {
	base := t.TempDir()
	o := redline.Options{State: filepath.Join(base, "state")}
	dir := filepath.Join(base, "notes")
	put(t, filepath.Join(dir, "a.md"), "a\n")
	want := "ok: " + dir + " can be read\nok: it can be locked and written, and files are exchanged in one step"
	if got := examined(dir, o, "folder"); got != want {
		t.Errorf("got %s", got)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("it left something behind: %v", entries)
	}
	if got := examined(filepath.Join(base, "none"), o, "folder"); !strings.HasPrefix(got, "problem: ") {
		t.Errorf("got %s", got)
	}
	if got := examined(filepath.Join(dir, "a.md"), o, "folder"); !strings.HasPrefix(got, "problem: ") {
		t.Errorf("got %s", got)
	}
}

// TestExamineState: before anything is kept, afterwards, and when it is
// damaged.
func TestExamineState(t *testing.T) {
	ctx, base := context.Background(), t.TempDir()
	o := redline.Options{State: filepath.Join(base, "state")}
	dir := filepath.Join(base, "notes")
	put(t, filepath.Join(dir, "a.md"), "a\n")
	if got := examined(dir, o, "state"); !strings.HasPrefix(got, "ok: nothing is kept of this folder yet; it will be in "+o.State) {
		t.Errorf("got %s", got)
	}
	if _, err := os.Stat(o.State); err == nil {
		t.Error("to look has made a state")
	}
	f := open(t, dir, o.State)
	turn, err := f.Begin(ctx, redline.TurnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r := turn.Run(ctx, llm.ToolCall{ID: "1", Name: "edit_document", Arguments: []byte(`{"path":"a.md","operation":"append","content":"b"}`)}); r.IsError {
		t.Fatal(r.Output)
	}
	if err := turn.End(ctx, false); err != nil {
		t.Fatal(err)
	}
	f.Close()
	got := examined(dir, o, "state")
	if !strings.Contains(got, ": 1 turn, contents of ") || !strings.HasSuffix(got, "ok: the audit log is complete") {
		t.Errorf("got %s", got)
	}
	damage(t, o.State)
	if got := examined(dir, o, "state"); !strings.Contains(got, "problem: ") {
		t.Errorf("got %s", got)
	}
}

// damage writes over all of the database but its first page.
func damage(t *testing.T, state string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(state, "*", "redline.db"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	info, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(files[0], os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(bytes.Repeat([]byte("x"), int(info.Size()-4096)), 4096); err != nil {
		t.Fatal(err)
	}
}

// TestExamineBusy: a folder that somebody writes to is told, not waited for.
func TestExamineBusy(t *testing.T) {
	dir := t.TempDir()
	f, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unlock, err := f.Lock(t.Context(), "writing 12 documents")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	got := examined(dir, redline.Options{State: t.TempDir()}, "folder")
	if !strings.Contains(got, "warning: it is busy: ") || !strings.Contains(got, "writing 12 documents") {
		t.Errorf("got %s", got)
	}
}
