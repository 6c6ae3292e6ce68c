//go:build unix

package workspace

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"

	"redline/internal/text"
)

func TestSpecialFiles(t *testing.T) {
	f, _ := newTree(t)
	if err := syscall.Mkfifo(disk(f, "journal/pipe"), 0o644); err != nil {
		t.Skip(err)
	}
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	t.Chdir(disk(f, "journal")) // the name of a socket must be short
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: "sock"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"journal/pipe", "journal/sock"} {
		if _, err := f.Read(MustPath(name)); !errors.Is(err, NotRegular) {
			t.Errorf("read %s: %v", name, err)
		}
		if _, err := f.Replace(MustPath(name), []byte("x"), text.Sum(nil)); !errors.Is(err, NotRegular) {
			t.Errorf("replace %s: %v", name, err)
		}
		if _, err := f.Create(MustPath(name), []byte("x"), 0); !errors.Is(err, Exists) {
			t.Errorf("create %s: %v", name, err)
		}
	}
	list, err := f.List(context.Background(), WalkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range list {
		if strings.HasSuffix(l.Path.String(), "pipe") || strings.HasSuffix(l.Path.String(), "sock") {
			t.Errorf("listed %s", l.Path)
		}
	}
	for name, code := range map[string]Code{"journal": IsDirectory, "gone.md": NotFound, "gone/x.md": NotFound, "notes.md/x": NotDirectory} {
		if _, err := f.Read(MustPath(name)); !errors.Is(err, code) {
			t.Errorf("read %s: %v, want %s", name, err, code)
		}
	}
}
