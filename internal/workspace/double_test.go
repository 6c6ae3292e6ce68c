package workspace_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"redline/internal/workspace"
)

var enough = workspace.CopyLimit{Bytes: 1 << 20, Files: 100}

// TestCopy: a copy has contents, modes, times and links, of everything but Redline's
// own files.
func TestCopy(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes and links are others there")
	}
	dir, to := t.TempDir(), t.TempDir()
	for _, name := range []string{"a.md", "d/e/deep.md", ".git/HEAD", ".redline/config.toml", "ignored.log", ".gitignore"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("*.log\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	then := time.Date(2001, 2, 3, 4, 5, 6, 7000, time.UTC)
	for _, err := range []error{
		os.Chmod(filepath.Join(dir, "a.md"), 0o751), os.Symlink("a.md", filepath.Join(dir, "link")), os.Symlink("/nowhere", filepath.Join(dir, "out")),
		os.Chtimes(filepath.Join(dir, "a.md"), then, then), os.Chmod(filepath.Join(dir, "d/e"), 0o555),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(filepath.Join(dir, "d/e"), 0o755)
	folder, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	double, err := folder.Copy(context.Background(), to, enough)
	if err != nil {
		t.Fatal(err)
	}
	defer double.Close()
	defer os.Chmod(filepath.Join(to, "d/e"), 0o755)
	for _, name := range []string{"a.md", "d/e/deep.md", ".git/HEAD", "ignored.log", "link"} {
		if data, err := os.ReadFile(filepath.Join(to, name)); string(data) != "*.log\n" || err != nil {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if info, err := os.Stat(filepath.Join(to, "a.md")); err != nil || info.Mode() != 0o751 || !info.ModTime().Equal(then) {
		t.Errorf("got %v, %v", info, err)
	}
	if info, err := os.Stat(filepath.Join(to, "d/e")); err != nil || info.Mode().Perm() != 0o555 {
		t.Errorf("got %v, %v", info, err)
	}
	if target, err := os.Readlink(filepath.Join(to, "out")); target != "/nowhere" {
		t.Errorf("got %q, %v", target, err)
	}
	if _, err := os.Stat(filepath.Join(to, ".redline")); err == nil {
		t.Error("Redline's own files were copied")
	}
}

// TestDouble: what is put into a double and removed from it is there, or gone, and
// what is done to it after it is sealed is found.
func TestDouble(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	for _, name := range []string{"a.md", "b.md", "c.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	double, err := folder.Copy(t.Context(), to, enough)
	if err != nil {
		t.Fatal(err)
	}
	defer double.Close()
	p := workspace.MustPath
	for _, err := range []error{
		double.Put(p("new/deep/n.md"), 0o644, []byte("new")), double.Put(p("a.md"), os.ModeDir, nil), double.Put(p("a.md/in"), 0o644, []byte("in")),
		double.Remove(p("b.md")), double.Remove(p("b.md/below")), double.Remove(p("none")), double.Seal(t.Context()),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if found, git, err := double.Changed(t.Context()); git || err != nil {
		t.Fatalf("found %v, %v, %v", found, git, err)
	}
	for _, err := range []error{
		os.WriteFile(filepath.Join(to, "c.md"), []byte("changed"), 0o644), os.RemoveAll(filepath.Join(to, "a.md")), os.Mkdir(filepath.Join(to, "empty"), 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	found, _, err := double.Changed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, f := range found {
		got[f.Path.String()] = f.Exists
	}
	for name, want := range map[string]bool{"c.md": true, "a.md": false, "a.md/in": false, "empty": true} {
		if exists, ok := got[name]; !ok || exists != want {
			t.Errorf("%s: found %v, %v", name, ok, exists)
		}
	}
	if data, err := double.Read(p("c.md")); string(data) != "changed" || err != nil {
		t.Errorf("got %q, %v", data, err)
	}
	if runtime.GOOS == "windows" {
		return // what is open cannot be deleted there
	}
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if found, _, err = double.Changed(t.Context()); err != nil || len(found) != 6 { // a.md, a.md/in, c.md, new, new/deep, new/deep/n.md
		t.Errorf("found %v, %v", found, err)
	}
}

func TestCopyTooLarge(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, 100), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	_, err = folder.Copy(t.Context(), t.TempDir(), workspace.CopyLimit{Bytes: 1 << 20, Files: 1})
	if workspace.CodeOf(err) != workspace.TooLarge || !strings.Contains(err.Error(), "more than 1 files") {
		t.Errorf("got %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := folder.Copy(cancelled, t.TempDir(), enough); err == nil {
		t.Error("a cancelled copy is whole")
	}
}
