package workspace_test

import (
	"os"
	"runtime"
	"testing"

	"redline/internal/workspace"
)

// TestProbe: it leaves nothing behind, and says if nothing can be written.
func TestProbe(t *testing.T) {
	dir := t.TempDir()
	f, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	exchange, err := f.Probe()
	if err != nil || !exchange && runtime.GOOS == "linux" {
		t.Errorf("%v, %v", exchange, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if os.Getuid() == 0 {
		t.Skip("root may write anywhere")
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Probe(); err == nil {
		t.Error("a folder that cannot be written passes")
	}
}
