package tree_test

import (
	"context"
	"io/fs"
	"os"
	"testing"

	"redline/internal/shell/tree"
)

// fast is a Base that walks in another goroutine.
type fast struct{ tree.Base }

func (fast) Workers() int { return 1 }

func (f fast) Walk(_ context.Context, dir string, visit func(int, string, []fs.DirEntry, tree.ReadFunc) ([]fs.DirEntry, error)) error {
	done := make(chan error)
	go func() {
		_, err := visit(0, dir, nil, nil)
		done <- err
	}()
	return <-done
}

// TestBrokenVisit: a panic in a visit reaches who has called Walk.
func TestBrokenVisit(t *testing.T) {
	dir := t.TempDir()
	tr := tree.New(fast{os.DirFS(dir).(tree.Base)}, dir, tree.Options{})
	defer func() {
		if p := recover(); p != "broken" {
			t.Errorf("recovered %v", p)
		}
	}()
	tr.Walk(t.Context(), dir, func(int, string, []fs.DirEntry, tree.ReadFunc) ([]fs.DirEntry, error) { panic("broken") })
	t.Error("no panic")
}
