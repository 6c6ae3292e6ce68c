package workspace

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/internal/text"
)

// childEnv makes the test binary play another process: see TestMain.
const childEnv = "REDLINE_WORKSPACE_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(childEnv); role != "" {
		children[role]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// children are the parts that another process plays on the folder named by the
// first argument.
var children = map[string]func(){
	"hold the lock":   holdLock,
	"write and write": writeForever,
}

func startChild(t *testing.T, role string, args ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), childEnv+"="+role)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd, bufio.NewScanner(out)
}

func mustOpen(name string) *Folder {
	f, err := Open(name)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return f
}

func holdLock() {
	f := mustOpen(os.Args[1])
	if _, err := f.Lock(context.Background(), "applying 12 changes"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("locked")
	time.Sleep(time.Hour)
}

// TestLockAcrossProcesses: another process holds the lock, the message names
// it, another path to the folder does not get round it, and its death frees it.
func TestLockAcrossProcesses(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	f, _ := newTree(t)
	cmd, out := startChild(t, "hold the lock", f.Name())
	if !out.Scan() || out.Text() != "locked" {
		t.Fatalf("child said %q", out.Text())
	}
	other := filepath.Join(t.TempDir(), "another name")
	if err := os.Symlink(f.Name(), other); err != nil {
		t.Skip(err)
	}
	g, err := Open(other)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, folder := range []*Folder{f, g} {
		_, err := folder.Lock(ended, "trying")
		if !errors.Is(err, Locked) {
			t.Fatalf("got %v", err)
		}
		for _, want := range []string{fmt.Sprint(cmd.Process.Pid), "applying 12 changes"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not say %q", err, want)
			}
		}
	}
	waiting := make(chan error, 1)
	go func() {
		unlock, err := f.Lock(context.Background(), "waiting")
		if err == nil {
			unlock()
		}
		waiting <- err
	}()
	cmd.Process.Kill()
	cmd.Wait()
	if err := <-waiting; err != nil {
		t.Errorf("after the holder's death: %v", err)
	}
}

func TestLockInOneProcess(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	f, _ := newTree(t)
	g, err := Open(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	unlock, err := f.Lock(context.Background(), "first")
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, folder := range []*Folder{f, g} {
		if _, err := folder.Lock(ended, "second"); !errors.Is(err, Locked) {
			t.Errorf("got %v", err)
		}
	}
	unlock()
	unlock, err = g.Lock(ended, "third")
	if err != nil {
		t.Errorf("after unlocking: %v", err)
	} else {
		unlock()
	}
}

// writeForever replaces the files of a folder by turns with contents of one
// letter each.
func writeForever() {
	f := mustOpen(os.Args[1])
	for i := 0; ; i++ {
		unlock, err := f.Lock(context.Background(), "writing")
		if err != nil {
			os.Exit(1)
		}
		var writes []Write
		for k := range crashFiles {
			p := MustPath(fmt.Sprintf("crash/%d.md", k))
			w := Write{Path: p, Data: []byte(strings.Repeat(string(rune('a'+i%26)), crashSize))}
			if s, err := f.Read(p); err == nil {
				w.Old = s.Hash
			}
			writes = append(writes, w)
		}
		if _, err := f.WriteAll(context.Background(), writes, i%4 == 0); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		unlock()
		if i == 0 {
			fmt.Println("writing")
		}
	}
}

const (
	crashFiles = 10
	crashSize  = 100_000
)

// TestKillWhileWriting kills the writer at random moments: every file is wholly
// one of the contents, and the sweep leaves nothing behind.
func TestKillWhileWriting(t *testing.T) {
	f, _ := newTree(t)
	kills := 40
	if testing.Short() {
		kills = 8
	}
	for i := range kills {
		cmd, out := startChild(t, "write and write", f.Name())
		if !out.Scan() {
			t.Fatal("the child did not start")
		}
		time.Sleep(time.Duration(5+i*7%60) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		for k := range crashFiles {
			s, err := f.Read(MustPath(fmt.Sprintf("crash/%d.md", k)))
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Data) != crashSize || strings.Trim(string(s.Data), string(s.Data[:1])) != "" {
				t.Fatalf("kill %d: file %d has %d bytes, torn", i, k, len(s.Data))
			}
		}
		if _, err := f.Sweep(context.Background(), func(text.Hash) bool { return true }); err != nil {
			t.Fatal(err)
		}
		noTemporaries(t, f)
	}
	t.Logf("survived %d kills", kills)
}
