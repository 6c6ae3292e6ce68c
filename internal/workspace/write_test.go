package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"redline/internal/text"
)

func TestCreate(t *testing.T) {
	f, _ := newTree(t)
	p := MustPath("new/deep/file.md")
	info, err := f.Create(p, []byte("x\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	if s := mustRead(t, f, "new/deep/file.md"); string(s.Data) != "x\n" || s.Info.Stamp != info.Stamp || s.Hash != text.Sum([]byte("x\n")) {
		t.Errorf("read %+v", s)
	}
	if info.Mode.Perm()&0o400 == 0 || info.Mode.Perm()&0o111 != 0 {
		t.Errorf("mode %v", info.Mode)
	}
	if _, err := f.Create(p, []byte("y\n"), 0); !errors.Is(err, Exists) {
		t.Errorf("create again: %v", err)
	}
	if _, err := f.Create(MustPath("script.sh"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if info, _ := f.Stat(MustPath("script.sh")); runtime.GOOS != "windows" && info.Mode.Perm() != 0o755 {
		t.Errorf("mode %v, want 0755", info.Mode)
	}
	for path, code := range map[string]Code{
		"notes.md/child.md": NotDirectory,
		"journal":           Exists,
		".":                 IsDirectory,
	} {
		p, _ := f.Path(path)
		if _, err := f.Create(p, []byte("x"), 0); !errors.Is(err, code) {
			t.Errorf("create %s: %v, want %s", path, err, code)
		}
	}
	noTemporaries(t, f)
}

func TestReplace(t *testing.T) {
	f, _ := newTree(t)
	s := mustRead(t, f, "notes.md")
	if err := os.Chmod(disk(f, "notes.md"), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Replace(s.Path, []byte("new\n"), s.Hash); err != nil {
		t.Fatal(err)
	}
	if got := mustRead(t, f, "notes.md"); string(got.Data) != "new\n" || got.Mode != 0o640 && runtime.GOOS != "windows" {
		t.Errorf("got %q, mode %v", got.Data, got.Mode)
	}
	if _, err := f.Replace(s.Path, []byte("newer\n"), s.Hash); !errors.Is(err, Conflict) {
		t.Errorf("with a stale hash: %v", err)
	}
	if _, err := f.Replace(MustPath("gone.md"), []byte("x"), s.Hash); !errors.Is(err, Conflict) {
		t.Errorf("of a file that is gone: %v", err)
	}
	if _, err := f.Replace(MustPath("journal"), []byte("x"), s.Hash); !errors.Is(err, IsDirectory) {
		t.Errorf("of a folder: %v", err)
	}
	if got := mustReadData(t, f, "notes.md"); got != "new\n" {
		t.Errorf("after the refusals: %q", got)
	}
	noTemporaries(t, f)
}

func mustReadData(t *testing.T, f *Folder, name string) string {
	return string(mustRead(t, f, name).Data)
}

// TestSameSizeSameTime: an edit that keeps size and modification time is still
// seen, because content decides.
func TestSameSizeSameTime(t *testing.T) {
	f, _ := newTree(t)
	s := mustRead(t, f, "notes.md")
	info, _ := os.Stat(disk(f, "notes.md"))
	other := bytes.Repeat([]byte("x"), len(s.Data))
	os.WriteFile(disk(f, "notes.md"), other, 0o644)
	os.Chtimes(disk(f, "notes.md"), info.ModTime(), info.ModTime())
	if _, err := f.Replace(s.Path, []byte("mine"), s.Hash); !errors.Is(err, Conflict) {
		t.Errorf("got %v", err)
	}
	if got := mustReadData(t, f, "notes.md"); got != string(other) {
		t.Errorf("the other program's bytes became %q", got)
	}
	// Only touched: the content is the same, so it goes through.
	s = mustRead(t, f, "crlf.md")
	os.Chtimes(disk(f, "crlf.md"), time.Now(), time.Now().Add(time.Hour))
	if _, err := f.Replace(s.Path, []byte("mine"), s.Hash); err != nil {
		t.Errorf("touched: %v", err)
	}
}

func TestReadOnlyFile(t *testing.T) {
	f, _ := newTree(t)
	s := mustRead(t, f, "notes.md")
	os.Chmod(disk(f, "notes.md"), 0o444)
	if _, err := f.Replace(s.Path, []byte("x"), s.Hash); !errors.Is(err, Permission) {
		t.Errorf("got %v", err)
	}
	if got := mustReadData(t, f, "notes.md"); got != string(s.Data) {
		t.Errorf("the file became %q", got)
	}
	noTemporaries(t, f)
}

func TestHardLinkOutside(t *testing.T) {
	f, out := newTree(t)
	if err := os.Link(filepath.Join(out, "canary.txt"), disk(f, "hard.md")); err != nil {
		t.Skip(err)
	}
	s := mustRead(t, f, "hard.md")
	if _, err := f.Replace(s.Path, []byte("mine\n"), s.Hash); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(filepath.Join(out, "canary.txt")); string(data) != "CANARY\n" {
		t.Errorf("the other name of the file became %q", data)
	}
}

func TestWriteAllOrNone(t *testing.T) {
	f, _ := newTree(t)
	before := treeState(t, f.Name())
	good := mustRead(t, f, "notes.md")
	for name, last := range map[string]Write{
		"stale":     {Path: MustPath("crlf.md"), Data: []byte("x"), Old: good.Hash},
		"exists":    {Path: MustPath("empty.md"), Data: []byte("x")},
		"read-only": {Path: MustPath("journal/2024-01-01.md"), Data: []byte("x"), Old: mustRead(t, f, "journal/2024-01-01.md").Hash},
		"through":   {Path: MustPath("crlf.md/x/y.md"), Data: []byte("x")},
	} {
		if name == "read-only" {
			os.Chmod(disk(f, last.Path.String()), 0o444)
			before = treeState(t, f.Name())
		}
		_, err := f.WriteAll(context.Background(), []Write{
			{Path: good.Path, Data: []byte("changed\n"), Old: good.Hash},
			{Path: MustPath("made/up/a.md"), Data: []byte("new\n")},
			{Path: MustPath("made/b.md"), Data: []byte("new\n")},
			last,
		}, true)
		if err == nil {
			t.Errorf("%s: written", name)
		}
		if after := treeState(t, f.Name()); after != before {
			t.Errorf("%s: the tree changed\n%s\n%s", name, before, after)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.WriteAll(ctx, []Write{{Path: good.Path, Data: []byte("x"), Old: good.Hash}}, true); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if after := treeState(t, f.Name()); after != before {
		t.Error("cancelled: the tree changed")
	}
}

// TestLateChange: a program that changes a file between the check and the
// rename keeps its bytes, and the files before it in the batch are put back.
func TestLateChange(t *testing.T) {
	f, _ := newTree(t)
	a, b := mustRead(t, f, "notes.md"), mustRead(t, f, "crlf.md")
	batch := &batch{folder: f, dirs: dirCache{folder: f}}
	defer batch.dirs.close()
	err := batch.prepare(context.Background(), []Write{
		{Path: a.Path, Data: []byte("mine\n"), Old: a.Hash},
		{Path: MustPath("new.md"), Data: []byte("mine\n")},
		{Path: b.Path, Data: []byte("mine\n"), Old: b.Hash},
	})
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(disk(f, "crlf.md"), []byte("theirs\n"), 0o644)
	err = batch.commit()
	if !errors.Is(err, Conflict) {
		t.Errorf("commit: %v", err)
	}
	if err := batch.undo(); err != nil {
		t.Errorf("undo: %v", err)
	}
	if got := mustReadData(t, f, "crlf.md"); got != "theirs\n" {
		t.Errorf("the late change became %q", got)
	}
	if got := mustReadData(t, f, "notes.md"); got != string(a.Data) {
		t.Errorf("the first file was not put back: %q", got)
	}
	if _, err := f.Stat(MustPath("new.md")); !errors.Is(err, NotFound) {
		t.Errorf("the new file was not taken back: %v", err)
	}
	noTemporaries(t, f)
}

// TestLateCreate: a file that appears under the name of a new one stays.
func TestLateCreate(t *testing.T) {
	f, _ := newTree(t)
	batch := &batch{folder: f, dirs: dirCache{folder: f}}
	defer batch.dirs.close()
	if err := batch.prepare(context.Background(), []Write{{Path: MustPath("new.md"), Data: []byte("mine\n")}}); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(disk(f, "new.md"), []byte("theirs\n"), 0o644)
	if err := batch.commit(); !errors.Is(err, Exists) {
		t.Errorf("commit: %v", err)
	}
	if err := batch.undo(); err != nil {
		t.Error(err)
	}
	if got := mustReadData(t, f, "new.md"); got != "theirs\n" {
		t.Errorf("got %q", got)
	}
	noTemporaries(t, f)
}

// TestConcurrentReplace: of several writers with one base, exactly one wins,
// and nobody ever sees half a file.
func TestConcurrentReplace(t *testing.T) {
	f, _ := newTree(t)
	for round := range 50 {
		s := mustRead(t, f, "notes.md")
		var wg sync.WaitGroup
		wins := make(chan string, 8)
		for i := range 4 {
			wg.Go(func() {
				unlock, err := f.Lock(context.Background(), "testing")
				if err != nil {
					t.Error(err)
					return
				}
				defer unlock()
				content := strings.Repeat(fmt.Sprintf("round %d writer %d\n", round, i), 2000)
				if _, err := f.Replace(s.Path, []byte(content), s.Hash); err == nil {
					wins <- content
				} else if !errors.Is(err, Conflict) {
					t.Error(err)
				}
			})
		}
		for range 20 {
			if data := mustReadData(t, f, "notes.md"); data != string(s.Data) && strings.Count(data, "\n") != 2000 {
				t.Fatalf("a torn file of %d bytes", len(data))
			}
		}
		wg.Wait()
		close(wins)
		if n := len(wins); n != 1 {
			t.Fatalf("%d writers won", n)
		}
		if want := <-wins; mustReadData(t, f, "notes.md") != want {
			t.Fatal("the file is not the winner's")
		}
	}
}

func TestUnsupportedFiles(t *testing.T) {
	f, _ := newTree(t)
	for name, data := range map[string]string{"nul.md": "a\x00b\n", "latin1.md": "caf\xe9\n", "utf16.md": "\xff\xfea\x00\n\x00"} {
		os.WriteFile(disk(f, name), []byte(data), 0o644)
		if _, err := mustRead(t, f, name).Document(); !errors.Is(err, UnsupportedFile) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if d, err := mustRead(t, f, "crlf.md").Document(); err != nil || d.EOL() != text.CRLF {
		t.Errorf("crlf.md: %v", err)
	}
}

func TestKeepsExtendedAttributes(t *testing.T) {
	f, _ := newTree(t)
	name := disk(f, "notes.md")
	if err := setXattr(name, "user.redline.test", "tag"); err != nil {
		t.Skip(err)
	}
	s := mustRead(t, f, "notes.md")
	if _, err := f.Replace(s.Path, []byte("x\n"), s.Hash); err != nil {
		t.Fatal(err)
	}
	if got, err := getXattr(name, "user.redline.test"); err != nil || got != "tag" {
		t.Errorf("attribute %q, %v", got, err)
	}
}

func TestMove(t *testing.T) {
	f, _ := newTree(t)
	ok := func(from, to string) {
		t.Helper()
		if _, err := f.Move(MustPath(from), MustPath(to)); err != nil {
			t.Errorf("%s → %s: %v", from, to, err)
		}
		if _, err := f.Stat(MustPath(to)); err != nil {
			t.Errorf("%s is not there: %v", to, err)
		}
		if _, err := f.Stat(MustPath(from)); !errors.Is(err, NotFound) {
			t.Errorf("%s: %v", from, err)
		}
	}
	ok("notes.md", "archive/2024/notes.md")
	ok("journal", "diary")
	ok("diary/2024-01-01.md", "diary/2024-01-01.MD") // case alone
	ok("empty.md", "Empty.md")
	before := treeState(t, f.Name())
	for _, tt := range []struct {
		from, to string
		code     Code
	}{
		{"crlf.md", "Empty.md", Exists},
		{"crlf.md", "diary", Exists},
		{"crlf.md", "crlf.md", Exists},
		{"diary", "diary/inner", InvalidPath},
		{"gone.md", "made/x.md", NotFound},
		{"crlf.md", "Empty.md/x.md", NotDirectory},
		{"crlf.md", "fresh/../Empty.md", Exists},
	} {
		if _, err := f.Move(MustPath(tt.from), MustPath(tt.to)); !errors.Is(err, tt.code) {
			t.Errorf("%s → %s: %v, want %s", tt.from, tt.to, err, tt.code)
		}
	}
	if _, err := f.Move(Path{}, MustPath("x")); !errors.Is(err, InvalidPath) {
		t.Errorf("the folder itself: %v", err)
	}
	if after := treeState(t, f.Name()); after != before {
		t.Errorf("the tree changed:\n%s\n%s", before, after)
	}
}

func TestMakeAndRemoveDir(t *testing.T) {
	f, _ := newTree(t)
	made, err := f.MakeDir(MustPath("a/b/c"))
	if err != nil || fmt.Sprint(made) != "[a a/b a/b/c]" {
		t.Errorf("made %v, %v", made, err)
	}
	if _, err := f.MakeDir(MustPath("a/b")); !errors.Is(err, Exists) {
		t.Errorf("again: %v", err)
	}
	if _, err := f.MakeDir(MustPath("notes.md/x")); !errors.Is(err, NotDirectory) {
		t.Errorf("in a file: %v", err)
	}
	if err := f.RemoveDir(MustPath("a")); !errors.Is(err, NotEmpty) {
		t.Errorf("remove a: %v", err)
	}
	if err := f.RemoveDir(MustPath("notes.md")); !errors.Is(err, NotDirectory) {
		t.Errorf("remove a file: %v", err)
	}
	if err := f.RemoveDir(MustPath("a/b/c")); err != nil {
		t.Error(err)
	}
}

func TestChmod(t *testing.T) {
	f, _ := newTree(t)
	if err := f.Chmod(MustPath("notes.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	if info, _ := f.Stat(MustPath("notes.md")); info.Mode.Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode)
	}
}

func TestSweep(t *testing.T) {
	f, _ := newTree(t)
	stray := []string{tempName(), "journal/" + tempName(), "projects/alpha/" + tempName()}
	for _, name := range stray {
		os.WriteFile(disk(f, name), []byte("half"), 0o600)
	}
	theirs := "journal/" + tempName() // the text of somebody who saved in the moment of a crash
	os.WriteFile(disk(f, theirs), []byte("somebody's"), 0o600)
	keep := []string{".redline-notes.md", "journal/.redline-x.tmp"} // not our names
	for _, name := range keep {
		os.WriteFile(disk(f, name), nil, 0o600)
	}
	swept, err := f.Sweep(context.Background(), func(h text.Hash) bool { return h != text.Sum([]byte("somebody's")) })
	if err != nil || len(swept) != len(stray)+1 {
		t.Errorf("swept %v, %v", swept, err)
	}
	if list, _ := f.Trashes(); len(list) != 1 || list[0].Path.String() != theirs {
		t.Errorf("in the trash: %+v", list)
	}
	noTemporaries(t, f)
	for _, name := range keep {
		if _, err := os.Stat(disk(f, name)); err != nil {
			t.Errorf("swept a file that is not ours: %v", err)
		}
	}
}

func TestOpenFolder(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	os.WriteFile(file, nil, 0o644)
	for name, code := range map[string]Code{filepath.Join(dir, "nosuch"): NotFound, file: NotDirectory} {
		if _, err := Open(name); !errors.Is(err, code) {
			t.Errorf("Open(%s): %v, want %s", name, err, code)
		}
	}
	// By a link the folder has two names, and both work as absolute paths.
	real := filepath.Join(dir, "real")
	os.Mkdir(real, 0o755)
	os.WriteFile(filepath.Join(real, "a.md"), []byte("a"), 0o644)
	link := filepath.Join(dir, "link")
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	f, err := Open(link)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, name := range []string{filepath.Join(link, "a.md"), filepath.Join(f.Name(), "a.md"), "a.md"} {
		if p, err := f.Resolve(name, nil, Reading); err != nil || p.String() != "a.md" {
			t.Errorf("%s: %q, %v", name, p, err)
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}

// TestDiskFull writes to a small file system until it is full.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := mountSmall(dir); err != nil {
		t.Skipf("cannot mount a small file system here: %v", err)
	}
	t.Cleanup(func() { unmountSmall(dir) })
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Create(MustPath("a.md"), []byte("kept\n"), 0); err != nil {
		t.Fatal(err)
	}
	before := treeState(t, dir)
	s := mustRead(t, f, "a.md")
	_, err = f.WriteAll(context.Background(), []Write{
		{Path: MustPath("new/b.md"), Data: []byte("small\n")},
		{Path: s.Path, Data: make([]byte, 8<<20), Old: s.Hash},
	}, true)
	if !errors.Is(err, NoSpace) {
		t.Errorf("got %v", err)
	}
	if after := treeState(t, dir); after != before {
		t.Errorf("the tree changed:\n%s", after)
	}
}

func TestWithdraw(t *testing.T) {
	f, _ := newTree(t)
	p := MustPath("mine.md")
	if _, err := f.Create(p, []byte("x\n"), 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Withdraw(p, text.Sum([]byte("y\n"))); !errors.Is(err, Conflict) {
		t.Errorf("with another hash: %v", err)
	}
	if err := f.Withdraw(p, text.Sum([]byte("x\n"))); err != nil {
		t.Error(err)
	}
	if err := f.Withdraw(p, text.Sum([]byte("x\n"))); !errors.Is(err, Conflict) {
		t.Errorf("again: %v", err)
	}
	link := MustPath("sub/link")
	if err := f.Symlink("../notes.md", link); err != nil {
		t.Fatal(err)
	}
	if target, err := f.Readlink(link); err != nil || target != "../notes.md" {
		t.Errorf("target %q, %v", target, err)
	}
	if err := f.Withdraw(link, text.Sum([]byte("../notes.md"))); err != nil {
		t.Error(err)
	}
	if got := mustReadData(t, f, "notes.md"); got != tree["folder/notes.md"] {
		t.Errorf("the target became %q", got)
	}
}
