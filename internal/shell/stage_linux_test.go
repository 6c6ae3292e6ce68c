package shell_test

import (
	"fmt"
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

// TestStageStays: a command cannot take the stage away, to reach the folder itself,
// also if it is run by root.
func TestStageStays(t *testing.T) {
	dir, copied := t.TempDir(), t.TempDir()
	stage := shell.Stage{Copy: copied}
	if err := shell.Mount(dir, stage); err != nil {
		t.Skip(err)
	}
	line := fmt.Sprintf("cd /; umount -l '%[1]s'; umount '%[1]s'; echo written > '%[1]s/file'", dir)
	r := run(t, shell.Command{Line: line, Dir: dir, Stage: stage})
	if _, err := os.Stat(filepath.Join(dir, "file")); err == nil {
		t.Errorf("the command has written to the folder itself\n%s", r.Stderr)
	}
	if _, err := os.Stat(filepath.Join(copied, "file")); err != nil {
		t.Errorf("the command has not written to the stage: %v\n%s", err, r.Stderr)
	}
}
