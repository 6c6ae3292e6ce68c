package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"redline/internal/ledger"
	"redline/internal/text"
)

// mount makes a small disk, where the system lets us.
func mount(t *testing.T, size string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size="+size); err != nil {
		t.Skip("no disk of our own: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return folder
}

func remount(t *testing.T, folder string, flags uintptr) {
	t.Helper()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", syscall.MS_REMOUNT|flags, ""); err != nil {
		t.Fatal(err)
	}
}

// TestDiskFull: a Save that does not fit fails whole, what was there stays, and
// the store works again once there is room.
func TestDiskFull(t *testing.T) {
	folder := mount(t, "6m")
	s := openTest(t, filepath.Join(folder, "redline.db"))
	before := ledger.Batch{Blobs: [][]byte{noise(1, 100_000)}, Records: []ledger.Record{record("turn", "before")}}
	save(t, s, before)
	ballast := filepath.Join(folder, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 4<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	big := ledger.Batch{Records: []ledger.Record{record("turn", "big")}}
	for i := range 30 {
		big.Blobs = append(big.Blobs, noise(i+2, 60_000))
	}
	for i := range 3 {
		big.Lazy = i%2 == 0
		err := s.Save(t.Context(), big)
		if !errors.Is(err, ledger.ErrFull) || errors.Is(err, ledger.ErrReadOnly) || !strings.Contains(err.Error(), "free some space") {
			t.Fatalf("a full disk: %v", err)
		}
		wantBlob(t, s, before.Blobs[0])
		wantNoBlob(t, s, big.Blobs[0])
		if got := ids(load(t, s, ledger.Query{})); len(got) != 1 {
			t.Errorf("records %q", got)
		}
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	save(t, s, big)
	wantBlob(t, s, big.Blobs[29])
	if got := ids(load(t, s, ledger.Query{})); fmt.Sprint(got) != "[before big]" {
		t.Errorf("records %q", got)
	}
}

// TestDiskFullAtOnce: no room even for an empty database.
func TestDiskFullAtOnce(t *testing.T) {
	folder := mount(t, "1m")
	ballast := filepath.Join(folder, "ballast")
	_ = os.WriteFile(ballast, make([]byte, 1<<20), 0o600) // as much as fits
	path := filepath.Join(folder, "redline.db")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.ReadOnly(); err == nil || !strings.Contains(err.Error(), "free some space") {
		t.Errorf("the reason is %v", err)
	}
	wantReadOnly(t, s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	save(t, openTest(t, path), ledger.Batch{Blobs: [][]byte{[]byte("now")}})
}

// TestDiskFullLater: no room to open a database that is there.
func TestDiskFullLater(t *testing.T) {
	folder := mount(t, "3m")
	path := filepath.Join(folder, "redline.db")
	for suffix, data := range contents(t, sample(t, false)) {
		if data == nil {
			continue
		}
		if err := os.WriteFile(path+suffix, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_ = os.WriteFile(filepath.Join(folder, "ballast"), make([]byte, 3<<20), 0o600) // as much as fits
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.ReadOnly(); err == nil || !strings.Contains(err.Error(), "free some space") {
		t.Errorf("the reason is %v", err)
	}
	wantReadOnly(t, s)
}

// TestReadOnlyDisk: a disk that takes nothing shows what is on it.
func TestReadOnlyDisk(t *testing.T) {
	for _, c := range []struct {
		name      string
		hot       bool
		beginning bool // there is nothing yet
	}{{name: "tidy"}, {name: "with a log", hot: true}, {name: "empty", beginning: true}} {
		t.Run(c.name, func(t *testing.T) {
			folder := mount(t, "20m")
			path := filepath.Join(folder, "redline.db")
			if !c.beginning {
				from := sample(t, c.hot)
				for suffix, data := range contents(t, from) {
					if data == nil {
						continue
					}
					if err := os.WriteFile(path+suffix, data, 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			before := contents(t, path)
			remount(t, folder, syscall.MS_RDONLY)
			s, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.ReadOnly(); err == nil || !strings.Contains(err.Error(), "make the file and its folder writable") {
				t.Errorf("the reason is %v", err)
			}
			wantReadOnly(t, s)
			if c.beginning {
				wantNoBlob(t, s, []byte("any"))
			} else {
				readAll(t, s, true)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			for suffix, data := range contents(t, path) {
				if !bytes.Equal(data, before[suffix]) {
					t.Errorf("the file %q was changed", suffix)
				}
			}
			remount(t, folder, 0)
			save(t, openTest(t, path), ledger.Batch{Blobs: [][]byte{[]byte("now")}})
		})
	}
}

// TestReadOnlyFolder: permissions bind those who are not root.
func TestReadOnlyFolder(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	for _, modes := range [][2]os.FileMode{{0o500, 0o600}, {0o700, 0o400}, {0o500, 0o400}} {
		path := sample(t, false)
		folder := filepath.Dir(path)
		if err := errors.Join(os.Chmod(path, modes[1]), os.Chmod(folder, modes[0])); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(folder, 0o700) })
		s, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if s.ReadOnly() == nil {
			t.Errorf("%v: not read-only", modes)
		}
		wantReadOnly(t, s)
		if _, err := s.Blob(t.Context(), text.Sum(sampleNote(1))); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
