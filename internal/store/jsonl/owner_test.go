//go:build unix

package jsonl_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestForTheOwnerOnly: what was said is nobody else's business, neither in a
// session, nor in its fork, nor in what a repair took off its end.
func TestForTheOwnerOnly(t *testing.T) {
	d := newDesk(t)
	session, err := d.Create("/path/to/project", nil)
	must(t, err)
	_, err = session.Append(user("Between us."))
	must(t, err)
	must(t, session.Close())
	fork, _, err := d.Fork(session.Path(), 0)
	must(t, err)
	defer fork.Close()
	file, err := os.OpenFile(session.Path(), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = file.WriteString(`{"type":"mess`)
	must(t, err)
	must(t, file.Close())
	session, _, err = d.Resume(session.Path())
	must(t, err)
	defer session.Close()
	dir := filepath.Dir(session.Path())
	files, err := os.ReadDir(dir)
	must(t, err)
	if len(files) < 4 { // session, note of its writer, torn end, fork
		t.Errorf("there are only %d files", len(files))
	}
	for _, path := range append([]string{dir}, names(dir, files)...) {
		info, err := os.Stat(path)
		must(t, err)
		if mode := info.Mode().Perm(); mode&0o077 != 0 {
			t.Errorf("%s has mode %o", filepath.Base(path), mode)
		}
	}
}

func names(dir string, files []os.DirEntry) []string {
	var list []string
	for _, f := range files {
		list = append(list, filepath.Join(dir, f.Name()))
	}
	return list
}
