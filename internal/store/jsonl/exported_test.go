package jsonl_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"redline/internal/store/jsonl"
)

// TestExportFile: a transcript takes no other file's place unasked, and half of one does
// not stay.
func TestExportFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "talk.md")
	says := func(text string, err error) func(io.Writer) error {
		return func(w io.Writer) error { fmt.Fprint(w, text); return err }
	}
	broken := errors.New("broken")
	for i, step := range []struct {
		over bool
		text string
		err  error
		want error
		now  string // what the file holds then
	}{
		{false, "half", broken, broken, ""},
		{false, "one", nil, nil, "one"},
		{false, "two", nil, fs.ErrExist, "one"},
		{true, "half", broken, broken, "one"},
		{true, "three", nil, nil, "three"},
	} {
		err := jsonl.Export(name, step.over, says(step.text, step.err))
		if !errors.Is(err, step.want) {
			t.Errorf("step %d: %v, want %v", i, err, step.want)
		}
		if data, _ := os.ReadFile(name); string(data) != step.now {
			t.Errorf("step %d: the file holds %q, want %q", i, data, step.now)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := jsonl.Export(filepath.Join(dir, "none", "x.md"), false, says("", nil)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such folder: %v", err)
	}
}
