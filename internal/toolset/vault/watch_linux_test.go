package vault_test

import (
	"fmt"
	"testing"

	"golang.org/x/sys/unix"
)

// watch sees who opens something in folders.
type watch struct{ fd int }

func makePipe(name string) error { return unix.Mkfifo(name, 0o644) }

func watchFor(t testing.TB, dirs ...string) *watch {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	for _, dir := range dirs {
		if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_ALL_EVENTS); err != nil {
			t.Fatal(err)
		}
	}
	return &watch{fd}
}

// begin forgets what was seen.
func (w *watch) begin() { w.end() }

// end is what was seen, "" if nothing.
func (w *watch) end() string {
	seen := ""
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.Read(w.fd, buf)
		if err != nil || n <= 0 {
			return seen
		}
		seen += fmt.Sprintf("%q ", buf[:min(n, 200)])
	}
}
