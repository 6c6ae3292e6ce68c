package workspace_test

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"redline/internal/workspace"
)

func TestPrivate(t *testing.T) {
	below := filepath.Join(t.TempDir(), "made", "on the way")
	p, err := workspace.MakePrivate(below)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := p.Make("copy")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("got %v, %v", info, err)
	}
	closed := filepath.Join(dir, "closed")
	if err := os.MkdirAll(filepath.Join(closed, "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	// One in use is not swept, however often one tries.
	if n, err := workspace.SweepPrivate(below); n != 0 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(below); len(entries) > 0 || err != nil {
		t.Errorf("left %v, %v", entries, err)
	}
}

// TestSweepPrivate: what a killed process left is removed, and nothing else is.
func TestSweepPrivate(t *testing.T) {
	below := t.TempDir()
	if n, err := workspace.SweepPrivate(filepath.Join(below, "none")); n != 0 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	left := filepath.Join(below, "redline-private-1")
	for _, dir := range []string{left, filepath.Join(below, "other")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "lock"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := workspace.SweepPrivate(below); n != 1 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	if entries, err := os.ReadDir(below); len(entries) != 1 || err != nil {
		t.Errorf("left %v, %v", entries, err)
	}
}

// TestPrivateAtOnce: many are made while others sweep; no one loses what is his.
func TestPrivateAtOnce(t *testing.T) {
	below := t.TempDir()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 30 {
				p, err := workspace.MakePrivate(below)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := p.Make("tmp"); err != nil {
					t.Error(err)
				}
				if err := p.Close(); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for range 30 {
				if _, err := workspace.SweepPrivate(below); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
