package tree_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"redline/internal/shell/tree"
)

// mount makes a tree of a folder on the disk.
func mount(t testing.TB, dir string, o tree.Options) *tree.Tree {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return tree.New(root.FS().(tree.Base), filepath.ToSlash(dir), o)
}

// fill makes the files that the tests begin with.
func fill(t testing.TB, dir string) {
	t.Helper()
	for name, content := range map[string]string{"a.md": "alpha\n", "b.md": "beta\n", "d/c.md": "gamma\n", "d/e/f.md": "delta\n", "g/h.md": ""} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"link.md": "d/c.md", "dlink": "d", "d/up": "e/f.md", "dangling": "nothing", "loop": "loop"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// onDisk does on the disk what a Tree does.
type onDisk struct{ dir string }

func (d onDisk) do(op, a, b string, data string) error {
	p, q := filepath.Join(d.dir, a), filepath.Join(d.dir, b)
	switch op {
	case "write":
		return os.WriteFile(p, []byte(data), 0o644)
	case "append":
		f, err := os.OpenFile(p, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		_, err = io.WriteString(f, data)
		return errors.Join(err, f.Close())
	case "mkdir":
		return os.Mkdir(p, 0o755)
	case "mkdirall":
		return os.MkdirAll(p, 0o755)
	case "rename":
		return syscall.Rename(p, q) // os.Rename replaces no empty folder
	case "remove":
		return os.Remove(p)
	case "removeall":
		if _, err := os.Lstat(p); err != nil {
			return err
		}
		return os.RemoveAll(p)
	case "copy":
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		return os.WriteFile(q, data, 0o644)
	case "symlink":
		return os.Symlink(b, p)
	case "chmod":
		if i, err := os.Stat(p); err != nil || !i.Mode().IsRegular() {
			return errors.Join(err, fs.ErrInvalid)
		}
		return os.Chmod(p, 0o755)
	case "touch":
		f, err := os.OpenFile(p, os.O_WRONLY|os.O_CREATE, 0o644)
		if i, e := os.Stat(p); e == nil && i.IsDir() {
			return nil
		}
		return errors.Join(err, f.Close())
	}
	panic(op)
}

func inTree(t *tree.Tree, op, a, b string, data string) error {
	p, q := t.Root()+"/"+a, t.Root()+"/"+b
	switch op {
	case "write":
		return t.WriteFile(p, []byte(data), 0o644)
	case "append":
		f, err := t.OpenFile(p, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		_, err = io.WriteString(f, data)
		return err
	case "mkdir":
		return t.Mkdir(p)
	case "mkdirall":
		return t.MkdirAll(p)
	case "rename":
		return t.Rename(p, q)
	case "remove":
		return t.Remove(p)
	case "removeall":
		return t.RemoveAll(p)
	case "copy":
		return t.Copy(p, q, 0o644)
	case "symlink":
		return t.Symlink(b, p)
	case "chmod":
		return t.Chmod(p, 0o755)
	case "touch":
		return t.Touch(p, true)
	}
	panic(op)
}

var operations = []string{"write", "append", "mkdir", "mkdirall", "rename", "remove", "removeall", "copy", "symlink", "chmod", "touch"}

var names = []string{"a.md", "b.md", "d", "d/c.md", "d/e", "d/e/f.md", "d/up", "g", "g/h.md", "new", "new/x", "new/x/y", "link.md", "dlink", "dlink/c.md", "dlink/z", "dangling", "loop", "loop/x", "a.md/x"}

// TestLikeDisk: whatever is done, in any order, a tree is like a disk on which the same
// was done; and its effects, done to the folder that it was mounted from, make that
// the same.
func TestLikeDisk(t *testing.T) {
	rounds := 400
	if testing.Short() {
		rounds = 100
	}
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		base, disk := t.TempDir(), t.TempDir()
		fill(t, base)
		fill(t, disk)
		tr := mount(t, base, tree.Options{})
		var done []string
		for range 1 + r.IntN(12) {
			op, a, b := operations[r.IntN(len(operations))], names[r.IntN(len(names))], names[r.IntN(len(names))]
			data := fmt.Sprintf("text %d\n", r.IntN(3))
			if op == "copy" && sameFile(disk, a, b) || op == "rename" && a == b {
				continue // os has its own mind there
			}
			done = append(done, fmt.Sprintf("%s %s %s", op, a, b))
			want, got := onDisk{disk}.do(op, a, b, data), inTree(tr, op, a, b, data)
			if (want == nil) != (got == nil) {
				t.Fatalf("seed %d: %s\nthe disk says %v, the tree %v", seed, strings.Join(done, "; "), want, got)
			}
		}
		history := fmt.Sprintf("seed %d: %s", seed, strings.Join(done, "; "))
		if want, got := show(t, os.DirFS(disk), disk), showTree(t, tr); want != got {
			t.Fatalf("%s\n--- disk\n%s--- tree\n%s", history, want, got)
		}
		enact(t, tr, base, history)
		if want, got := show(t, os.DirFS(disk), disk), show(t, os.DirFS(base), base); want != got {
			t.Fatalf("%s\n--- disk\n%s--- after the effects\n%s", history, want, got)
		}
	}
}

func sameFile(dir, a, b string) bool {
	i, err := os.Stat(filepath.Join(dir, a))
	j, err2 := os.Stat(filepath.Join(dir, b))
	return err == nil && err2 == nil && os.SameFile(i, j)
}

// show lists a folder with modes, contents and targets.
func show(t *testing.T, fsys fs.FS, dir string) string {
	t.Helper()
	var b strings.Builder
	err := fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		var content string
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			content, err = os.Readlink(filepath.Join(dir, name))
		case e.Type().IsRegular():
			var data []byte
			data, err = os.ReadFile(filepath.Join(dir, name))
			i, _ := e.Info()
			content = fmt.Sprintf("%o %s", i.Mode().Perm(), data)
		}
		fmt.Fprintf(&b, "%s %v %q\n", name, e.Type(), content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func showTree(t *testing.T, tr *tree.Tree) string {
	t.Helper()
	var b strings.Builder
	var walk func(dir, rel string)
	walk = func(dir, rel string) {
		list, err := tr.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			name := dir + "/" + e.Name()
			short := strings.TrimPrefix(rel+"/"+e.Name(), "/")
			content := ""
			switch {
			case e.Type()&fs.ModeSymlink != 0:
				content, err = tr.ReadLink(name)
			case e.Type().IsRegular():
				var data []byte
				data, err = tr.ReadFile(name)
				i, e := tr.Lstat(name)
				if e != nil {
					t.Fatal(e)
				}
				content = fmt.Sprintf("%o %s", i.Mode().Perm(), data)
			}
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %v %q\n", short, e.Type(), content)
			if e.IsDir() {
				walk(name, short)
			}
		}
	}
	walk(tr.Root(), "")
	return b.String()
}

// enact does the effects of a tree to the folder, in the order in which the ledger
// would: removals, folders, moves, the rest.
func enact(t *testing.T, tr *tree.Tree, dir, history string) {
	t.Helper()
	effects, err := tr.Effects()
	if err != nil {
		t.Fatalf("%s: %v", history, err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		if err != nil {
			t.Fatalf("%s: effects %+v: %v", history, effects, err)
		}
	}
	seen := map[string]bool{}
	for _, e := range effects {
		for _, name := range []string{e.Name, e.From} {
			if name != "" && seen[name] {
				t.Fatalf("%s: %s is in two effects: %+v", history, name, effects)
			}
			seen[name] = true
		}
	}
	for _, e := range effects {
		if e.From == "" && e.Before != tree.None && e.Before != tree.Dir && e.Before != e.After {
			must(os.Remove(at(e.Name)))
		}
	}
	for _, e := range effects {
		if e.After == tree.Dir && e.Before != tree.Dir {
			must(os.MkdirAll(at(e.Name), 0o755))
		}
	}
	var later []tree.Effect
	for _, e := range effects {
		if e.From == "" {
			continue
		}
		if err := os.Rename(at(e.From), at(e.Name)); err != nil {
			later = append(later, e)
		}
	}
	for _, e := range slices.Backward(effects) {
		if e.Before == tree.Dir && e.After != tree.Dir {
			must(os.Remove(at(e.Name)))
		}
	}
	for _, e := range later {
		must(os.Rename(at(e.From), at(e.Name)))
	}
	for _, e := range effects {
		switch {
		case e.After == tree.Link && e.Written:
			os.Remove(at(e.Name))
			must(os.Symlink(string(e.Data), at(e.Name)))
		case e.After == tree.Plain && e.Written:
			must(os.WriteFile(at(e.Name), e.Data, e.Mode))
		}
		if e.After == tree.Plain {
			must(os.Chmod(at(e.Name), e.Mode))
		}
	}
}

// TestOutside: nothing outside of the folder can be named, by any spelling or link.
func TestOutside(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "vault")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(top, "canary"), []byte("CANARY"), 0o644),
		os.Symlink("../canary", filepath.Join(dir, "out")), os.Symlink(top, filepath.Join(dir, "outdir")),
		os.Symlink("/etc", filepath.Join(dir, "etc"))); err != nil {
		t.Fatal(err)
	}
	fill(t, dir)
	tr := mount(t, dir, tree.Options{})
	for _, name := range []string{
		top + "/canary", dir + "/../canary", dir + "/out", dir + "/outdir/canary", dir + "/d/../../canary", "/etc/passwd", "/", "", top,
		dir + "/etc/passwd", "canary", "../canary", dir + "-evil", dir + "/a.md\x00", "/dev/zero", "/dev/fd/9", "/proc/self/environ",
	} {
		if data, err := tr.ReadFile(name); err == nil {
			t.Errorf("read %q: %q", name, data)
		}
		if _, err := tr.Stat(name); err == nil {
			t.Errorf("stat %q works", name)
		}
		if err := tr.WriteFile(name, []byte("x"), 0o644); err == nil {
			t.Errorf("write %q works", name)
		}
		if err := tr.Mkdir(name + "/x"); err == nil {
			t.Errorf("mkdir %q works", name+"/x")
		}
		if err := tr.Rename(dir+"/a.md", name); err == nil && !strings.HasSuffix(name, "/out") {
			t.Errorf("move to %q works", name)
		}
	}
}

// TestLimits: a script cannot write more than it may.
func TestLimits(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir)
	tr := mount(t, dir, tree.Options{Limit: 100, Most: 3})
	if err := tr.WriteFile(dir+"/x", bytes.Repeat([]byte("x"), 101), 0o644); !errors.Is(err, tree.ErrFull) {
		t.Errorf("101 bytes of 100: %v", err)
	}
	if err := tr.WriteFile(dir+"/x", bytes.Repeat([]byte("x"), 100), 0o644); err != nil {
		t.Errorf("100 bytes of 100: %v", err)
	}
	for i := range 2 {
		if err := tr.Mkdir(fmt.Sprintf("%s/new%d", dir, i)); err != nil {
			t.Error(err)
		}
	}
	if err := tr.Mkdir(dir + "/one more"); !errors.Is(err, tree.ErrFull) {
		t.Errorf("a fourth change of three: %v", err)
	}
	if null, err := tr.OpenFile("/dev/null", os.O_WRONLY, 0); err != nil {
		t.Error(err)
	} else if _, err := null.Write(make([]byte, 1000)); err != nil {
		t.Errorf("/dev/null: %v", err)
	}
}
