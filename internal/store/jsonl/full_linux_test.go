package jsonl_test

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"redline/internal/store/jsonl"
)

func init() { children["fill"] = fillDisk }

// fillDisk appends to a session under a limit to the size of files, as on a full
// disk, then lifts the limit and appends again.
func fillDisk(args []string) error {
	signal.Ignore(unix.SIGXFSZ)
	session, _, err := jsonl.Open(args[0], nil).Resume(args[1])
	if err != nil {
		return err
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 10_000, Max: limit.Max}); err != nil {
		return err
	}
	if _, err := session.Append(user(strings.Repeat("x", 20_000))); err == nil {
		return fmt.Errorf("a message that does not fit was written")
	}
	fmt.Println("full", session.Len())
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	index, err := session.Append(user("fits"))
	fmt.Println("wrote", index)
	return err
}

// TestFullDisk: of a message that does not fit, nothing stays, and the session
// goes on when there is room again.
func TestFullDisk(t *testing.T) {
	d := newDesk(t)
	session := d.begin(user("one"))
	session.Close()
	before := read(t, session.Path())
	cmd, out := startChild(t, "fill", d.root, session.Path())
	for _, want := range []string{"full 1", "wrote 1"} {
		if !out.Scan() || out.Text() != want {
			t.Fatalf("the child said %q, not %q", out.Text(), want)
		}
	}
	must(t, cmd.Wait())
	after := read(t, session.Path())
	if !strings.HasPrefix(after, before) || strings.Contains(after, "xxx") {
		t.Errorf("the file is %q", after)
	}
	if record, err := d.Read(session.Path()); err != nil || len(record.Messages) != 2 || len(record.Problems) > 0 {
		t.Errorf("%+v, %v", record, err)
	}
}

// TestNotAllowed: a session file that cannot be opened says so, and is listed
// with its error.
func TestNotAllowed(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	d := newDesk(t)
	session := d.begin(user("one"))
	session.Close()
	must(t, os.Chmod(session.Path(), 0))
	infos, err := d.List(d.cwd)
	if err != nil || len(infos) != 1 || infos[0].Err == nil {
		t.Errorf("listed as %+v, %v", infos, err)
	}
	if _, _, err := d.Resume(session.Path()); err == nil || !strings.Contains(err.Error(), filepath.Base(session.Path())) {
		t.Errorf("resume: %v", err)
	}
}
