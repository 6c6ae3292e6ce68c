//go:build unix

package tree_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"redline/internal/shell/tree"
)

// TestSpecial: a pipe on the disk can be neither read nor changed, and what would have
// been replaced by it stays.
func TestSpecial(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir)
	if err := syscall.Mkfifo(filepath.Join(dir, "g", "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	tr := mount(t, dir, tree.Options{})
	pipe := dir + "/g/pipe"
	_, read := tr.ReadFile(pipe)
	for what, err := range map[string]error{
		"read": read, "write": tr.WriteFile(pipe, nil, 0o644), "remove": tr.Remove(pipe), "remove all": tr.RemoveAll(dir + "/g"),
		"move": tr.Rename(pipe, dir+"/a.md"), "move over": tr.Rename(dir+"/a.md", pipe), "move the folder": tr.Rename(dir+"/g", dir+"/i"),
		"copy": tr.Copy(pipe, dir+"/i", 0o644),
	} {
		if !errors.Is(err, tree.ErrSpecial) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if effects, err := tr.Effects(); err != nil || len(effects) > 0 {
		t.Errorf("%+v, %v", effects, err)
	}
}
