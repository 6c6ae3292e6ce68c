package workspace

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTrashAndRestore(t *testing.T) {
	f, _ := newTree(t)
	os.Chmod(disk(f, "notes.md"), 0o640)
	before := treeState(t, f.Name())
	var trashed []Trashed
	for _, name := range []string{"notes.md", "journal", "empty.md"} {
		item, err := f.Trash(MustPath(name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Stat(MustPath(name)); !errors.Is(err, NotFound) {
			t.Errorf("%s is still there: %v", name, err)
		}
		if !strings.HasSuffix(item.ID, "_"+name) {
			t.Errorf("%s is in the trash as %s", name, item.ID)
		}
		trashed = append(trashed, item)
	}
	list, err := f.Trashes()
	if err != nil || len(list) != 3 {
		t.Fatalf("the trash has %v, %v", list, err)
	}
	for i, item := range list {
		if item.ID != trashed[i].ID || item.Path != trashed[i].Path || item.IsDir != (i == 1) || !item.Deleted.Equal(trashed[i].Deleted) {
			t.Errorf("item %d: %+v, want %+v", i, item, trashed[i])
		}
	}
	for _, item := range list {
		if _, err := f.Restore(item.ID, Path{}); err != nil {
			t.Errorf("restore %s: %v", item.Path, err)
		}
	}
	if list, _ := f.Trashes(); len(list) != 0 {
		t.Errorf("left in the trash: %v", list)
	}
	os.RemoveAll(disk(f, internalDir))
	if after := treeState(t, f.Name()); after != before {
		t.Errorf("the tree changed:\n%s\n%s", before, after)
	}
}

func TestTrashSameNameManyTimes(t *testing.T) {
	f, _ := newTree(t)
	seen := map[string]bool{}
	for range 20 {
		if _, err := f.Create(MustPath("x.md"), []byte("x"), 0); err != nil {
			t.Fatal(err)
		}
		item, err := f.Trash(MustPath("x.md"))
		if err != nil {
			t.Fatal(err)
		}
		seen[item.ID] = true
	}
	if len(seen) != 20 {
		t.Errorf("%d items", len(seen))
	}
}

func TestRestoreNeverOverwrites(t *testing.T) {
	f, _ := newTree(t)
	item, err := f.Trash(MustPath("notes.md"))
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(disk(f, "notes.md"), []byte("newer\n"), 0o644)
	if _, err := f.Restore(item.ID, Path{}); !errors.Is(err, Exists) {
		t.Errorf("restore: %v", err)
	}
	if got := mustReadData(t, f, "notes.md"); got != "newer\n" {
		t.Errorf("the newer file became %q", got)
	}
	if _, err := f.Restore(item.ID, MustPath("back/notes.md")); err != nil {
		t.Errorf("restore elsewhere: %v", err)
	}
	if got := mustReadData(t, f, "back/notes.md"); got != tree["folder/notes.md"] {
		t.Errorf("restored %q", got)
	}
	for _, id := range []string{item.ID, "nosuch", "../x", "", item.ID + originExt} {
		if _, err := f.Restore(id, Path{}); !errors.Is(err, NotFound) {
			t.Errorf("restore %q: %v", id, err)
		}
	}
}

func TestTrashLimits(t *testing.T) {
	f, _ := newTree(t)
	long := strings.Repeat("ü", 126) + ".md"
	if _, err := f.Create(MustPath(long), []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	item, err := f.Trash(MustPath(long))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := f.Restore(item.ID, Path{}); err != nil || p.String() != long {
		t.Errorf("restore: %v", err)
	}
	for name, code := range map[string]Code{".redline/config": Internal, "gone.md": NotFound} {
		if _, err := f.Trash(MustPath(name)); !errors.Is(err, code) {
			t.Errorf("trash %s: %v", name, err)
		}
	}
	if _, err := f.Trash(Path{}); !errors.Is(err, Internal) {
		t.Errorf("trash the folder: %v", err)
	}
}

func TestEmptyTrash(t *testing.T) {
	f, _ := newTree(t)
	if n, _, err := f.EmptyTrash(time.Now()); n != 0 || err != nil {
		t.Errorf("without a trash: %d, %v", n, err)
	}
	for _, name := range []string{"notes.md", "journal"} {
		if _, err := f.Trash(MustPath(name)); err != nil {
			t.Fatal(err)
		}
	}
	if n, _, err := f.EmptyTrash(time.Now().Add(-time.Hour)); n != 0 || err != nil {
		t.Errorf("before an hour ago: %d, %v", n, err)
	}
	size := int64(len(tree["folder/notes.md"] + tree["folder/journal/2024-01-01.md"] + tree["folder/journal/2024-01-02.md"]))
	if n, bytes, err := f.EmptyTrash(time.Now().Add(time.Second)); n != 2 || bytes != size || err != nil {
		t.Errorf("now: %d items of %d bytes, %v; want 2 of %d", n, bytes, err, size)
	}
	left, _ := os.ReadDir(filepath.Join(f.Name(), internalDir, "trash"))
	if len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
