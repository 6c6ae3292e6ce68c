package workspace

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// swapper exchanges two names over and over until the test ends.
func swapper(t *testing.T, a, b string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			if err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE); err != nil && err != unix.ENOENT {
				t.Errorf("swap: %v", err)
				return
			}
			time.Sleep(time.Duration(rand.IntN(600)) * time.Microsecond)
		}
	})
	return func() { cancel(); wg.Wait() }
}

func rounds(t *testing.T) int {
	if testing.Short() {
		return 300
	}
	return 2000
}

// TestSwapFileForLink: while a file is swapped with links to the outside and to
// a secret, every read gives the file's own bytes or an error.
func TestSwapFileForLink(t *testing.T) {
	for _, target := range []string{"../outside/canary.txt", ".env"} {
		t.Run(filepath.Base(target), func(t *testing.T) {
			f, out := newTree(t)
			before := treeState(t, out)
			if err := os.Symlink(target, disk(f, "swap")); err != nil {
				t.Fatal(err)
			}
			stop := swapper(t, disk(f, "notes.md"), disk(f, "swap"))
			read := 0
			for range rounds(t) {
				p, err := f.Resolve("notes.md", ForDocuments(), Writing)
				if err != nil {
					continue
				}
				s, err := f.Read(p)
				if err != nil {
					continue
				}
				read++
				if string(s.Data) != tree["folder/notes.md"] {
					t.Fatalf("read %q", s.Data)
				}
				if _, err := f.Replace(p, s.Data, s.Hash); err == nil {
					read++
				}
			}
			stop()
			if read == 0 {
				t.Error("no read ever succeeded: the test shows nothing")
			}
			if after := treeState(t, out); after != before {
				t.Errorf("outside changed:\n%s", after)
			}
			if got := mustReadDisk(t, f, ".env"); got != tree["folder/.env"] {
				t.Errorf(".env became %q", got)
			}
			noTemporaries(t, f)
		})
	}
}

func mustReadDisk(t *testing.T, f *Folder, name string) string {
	t.Helper()
	data, err := os.ReadFile(disk(f, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestSwapFolderForLink: while a folder is swapped with a link to the outside,
// nothing outside is written, listed, moved or read.
func TestSwapFolderForLink(t *testing.T) {
	f, out := newTree(t)
	before := treeState(t, out)
	if err := os.Symlink(out, disk(f, "swap")); err != nil {
		t.Fatal(err)
	}
	stop := swapper(t, disk(f, "journal"), disk(f, "swap"))
	ctx := context.Background()
	done := 0
	for i := range rounds(t) {
		if p, err := f.Resolve(fmt.Sprintf("journal/w%d.md", i), ForDocuments(), Writing); err == nil {
			if _, err := f.Create(p, []byte("w\n"), 0); err == nil {
				done++
				if i%2 == 0 {
					_, _ = f.Trash(p)
				} else {
					_, _ = f.Move(p, MustPath("moved.md"))
					_, _ = f.Trash(MustPath("moved.md"))
				}
			}
		}
		_, _ = f.MakeDir(MustPath("journal/d"))
		_ = f.RemoveDir(MustPath("journal/d"))
		list, _ := f.List(ctx, WalkOptions{Policy: ForDocuments()})
		for _, l := range list {
			if strings.Contains(l.Path.String(), "canary") {
				t.Fatalf("listed %s", l.Path)
			}
		}
		_ = f.Walk(ctx, WalkOptions{}, func(_ int, v *Visited) error {
			for _, e := range v.Entries {
				if e.IsFile() {
					if data, _, err := v.Read(e, nil); err == nil && strings.Contains(string(data), "CANARY") {
						t.Errorf("read the canary as %s", v.Child(e))
					}
				}
			}
			return nil
		})
	}
	stop()
	if done == 0 {
		t.Error("no write ever succeeded: the test shows nothing")
	}
	if after := treeState(t, out); after != before {
		t.Errorf("outside changed:\n%s", after)
	}
	noTemporaries(t, f)
}

// TestSwapFolderForSecretFolder: a walk that was shown "journal" does not list
// .git under that name.
func TestSwapFolderForSecretFolder(t *testing.T) {
	f, _ := newTree(t)
	if err := os.Symlink(".git", disk(f, "swap")); err != nil {
		t.Fatal(err)
	}
	stop := swapper(t, disk(f, "journal"), disk(f, "swap"))
	defer stop()
	for range rounds(t) {
		list, _ := f.List(context.Background(), WalkOptions{Policy: ForDocuments()})
		for _, l := range list {
			if l.Path.Base() == "config" && !l.IsDir() {
				t.Fatalf("listed %s", l.Path)
			}
		}
	}
}

// TestSwapTemporary: somebody who watches the folder and puts a link in the
// place of our temporary file as soon as it appears gets nothing written
// through it.
func TestSwapTemporary(t *testing.T) {
	f, out := newTree(t)
	before := treeState(t, out)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			entries, _ := os.ReadDir(disk(f, "journal"))
			for _, e := range entries {
				if isTempName(e.Name()) {
					name := disk(f, "journal/"+e.Name())
					_ = os.Remove(name)
					_ = os.Symlink(filepath.Join(out, "canary.txt"), name)
				}
			}
		}
	})
	for range rounds(t) / 4 {
		if s, err := f.Read(MustPath("journal/2024-01-01.md")); err == nil {
			_, _ = f.Replace(s.Path, append(s.Data, 'x'), s.Hash)
		}
	}
	cancel()
	wg.Wait()
	if after := treeState(t, out); after != before {
		t.Errorf("outside changed:\n%s", after)
	}
}
