package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"redline/internal/shell"
)

// TestMountedBelow: where something is mounted in the folder, which a layer over it
// would not show, there is no overlay.
func TestMountedBelow(t *testing.T) {
	dir, beside := filepath.Join(t.TempDir(), "a folder"), t.TempDir()
	inner := filepath.Join(dir, "mounted")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	stage := shell.Stage{Upper: filepath.Join(beside, "upper"), Work: filepath.Join(beside, "work")}
	for _, name := range []string{stage.Upper, stage.Work} {
		if err := os.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := shell.Mount(dir, stage); err != nil {
		t.Skip(err)
	}
	if err := unix.Mount(beside, inner, "", unix.MS_BIND, ""); err != nil {
		t.Skip(err)
	}
	defer unix.Unmount(inner, 0)
	if err := shell.Mount(dir, stage); err == nil || !strings.Contains(err.Error(), "mounted in the folder") {
		t.Errorf("got %v", err)
	}
}
