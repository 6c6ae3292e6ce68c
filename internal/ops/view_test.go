package ops_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/ledger"
	"redline/internal/ops"
	"redline/internal/workspace"
)

// seenBy is what a view shows, as tree writes it: every file by each of the ways to
// read it, which have to agree.
func seenBy(t *testing.T, v *ops.View) string {
	t.Helper()
	var lines []string
	err := fs.WalkDir(v, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := v.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := v.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		again, err := io.ReadAll(f)
		info, statErr := v.Lstat(name)
		if err != nil || statErr != nil || string(again) != string(data) || info.Size() != int64(len(data)) {
			t.Errorf("%s: %q, opened %q (%v), %+v (%v)", name, data, again, err, info, statErr)
		}
		lines = append(lines, fmt.Sprintf("%s %q", name, data))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// TestView: what the turn sees is what the disk has when it is accepted, whichever
// operations have changed it.
func TestView(t *testing.T) {
	for _, review := range []ledger.Review{ledger.Hunks, ledger.WholeTurn, ledger.Auto} {
		f := newOffice(t, review, ops.Options{}, "a.md", "A\n", "b.md", "B\n", "d/c.md", "C\n", "d/sub/e.md", "E\n", "f.md", "F\n")
		if _, err := f.Create(ctx, "t", "new/deep/x.md", "X\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Edit(ctx, "t", ops.EditRequest{Path: "a.md", Edits: []ops.Edit{ops.Replace{Old: "A", New: "AA"}}}); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Delete(ctx, "t", "b.md"); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Move(ctx, "t", "d", "moved"); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Create(ctx, "t", "d", "a file in the place of a folder\n"); err != nil {
			t.Fatal(err)
		}
		saw := seenBy(t, f.View(ctx))
		if changes := f.Changes(); changes < 5 {
			t.Errorf("%d changes", changes)
		}
		record, err := f.turn.End(ctx)
		if err != nil {
			t.Fatal(err)
		}
		switch review {
		case ledger.Hunks:
			if err := f.ledger.DecideAll(ctx, "s", ledger.Path{}, true); err != nil {
				t.Fatal(err)
			}
			if _, err := f.ledger.Apply(ctx, "s"); err != nil {
				t.Fatal(err)
			}
		case ledger.WholeTurn:
			if err := f.ledger.Accept(ctx, record.ID); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff(f.tree(), saw); d != "" {
			t.Errorf("%s (-disk +view):\n%s", review, d)
		}
	}
}

// TestViewClosed: what the policy closes does not exist, whichever way it is asked for,
// and links are not followed.
func TestViewClosed(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{}, "a.md", "A\n", ".env", "x", ".git/config", "x", "d/.hidden", "x", "d/my-secrets.md", "x", "open/b.md", "B\n")
	for link, target := range map[string]string{"out": "/etc", "up": "..", "in.md": "a.md", "env.md": ".env"} {
		if err := os.Symlink(target, filepath.Join(f.dir, link)); err != nil {
			t.Skip("there are no links here: ", err)
		}
	}
	v := f.View(ctx)
	for _, name := range []string{".env", ".git", ".git/config", "d/.hidden", "d/my-secrets.md", "out/hostname", "up/x", "in.md/x", "none", "../x"} {
		_, read := v.ReadFile(name)
		_, opened := v.Open(name)
		_, stat := v.Lstat(name)
		_, list := v.ReadDir(name)
		_, link := v.ReadLink(name)
		for how, err := range map[string]error{"read": read, "opened": opened, "stat": stat, "listed": list, "read as a link": link} {
			if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("%s can be %s: %v", name, how, err)
			}
		}
	}
	for _, name := range []string{"out", "in.md", "env.md"} {
		if info, err := v.Stat(name); err != nil || info.Mode().Type() != fs.ModeSymlink {
			t.Errorf("%s: %v %v", name, info, err)
		}
		if _, err := v.ReadFile(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is followed: %v", name, err)
		}
	}
	var names []string
	list, err := v.ReadDir(".")
	for _, e := range list {
		names = append(names, e.Name())
	}
	if d := cmp.Diff([]string{"a.md", "d", "env.md", "in.md", "open", "out", "up"}, names); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
	for name, ok := range map[string]bool{
		"a.md": true, "new.md": true, "open": true, "open/b.md": true, ".env": false, ".new": false, "x/.git/y": false, "a-secret.md": false,
		"d": false, "../x": false, "": false,
	} {
		if err := v.Writable(name); (err == nil) != ok {
			t.Errorf("%q may be written: %v", name, err)
		}
	}
}

// TestViewAsks: what the policy asks about can be written once the user has agreed.
func TestViewAsks(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{Policy: workspace.ForCode()}, ".config", "x")
	if err := f.View(ctx).Writable(".config"); err == nil || !strings.Contains(err.Error(), "Permission denied") {
		t.Errorf("nobody was asked: %v", err)
	}
	if err := f.View(ops.Approved(ctx)).Writable(".config"); err != nil {
		t.Error(err)
	}
}

// TestEnactRefuses: names that no path can have, and a folder that has changed.
func TestEnactRefuses(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{}, "a.md", "A\n")
	for _, d := range []ops.Deed{
		{Name: "../x", After: "file", Written: true}, {Name: "/x", After: "file", Written: true}, {Name: "x\x00", After: "file", Written: true},
		{Name: "b.md", From: "../a.md", Before: "file", After: "file"},
	} {
		if ran, err := f.Enact(ctx, "t", []ops.Deed{{Name: "ok.md", After: "file", Data: []byte("ok"), Written: true}, d}); err == nil {
			t.Errorf("%+v: %+v", d, ran)
		}
	}
	if _, err := f.Enact(ctx, "t", []ops.Deed{{Name: "new.md", Before: "file", After: ""}}); code(err) != ops.Stale {
		t.Errorf("what is not there was removed: %v", err)
	}
	ran, err := f.Enact(ctx, "t", []ops.Deed{{Name: "b.md", From: "a.md", Before: "file", After: "file", Data: []byte("B\n"), Written: true}, {Name: "d", After: "dir"}})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(ops.Ran{Created: []string{"d/"}, Changed: []string{"b.md"}, Moved: []ops.Rename{{From: "a.md", To: "b.md"}}}, ran); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(`b.md "B\n"`, f.tree()); d != "" {
		t.Error(d)
	}
}

// TestViewNames: what has a name that no path can have is not there, in no list, and
// names that look odd but are good are.
func TestViewNames(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{}, "a.md", "A\n", "-n", "dash\n", "ä ö.md", "umlauts\n", "d/x", "X\n")
	for _, name := range []string{"new\nline.md", "not utf8 \xff.md", `back\slash.md`, "d/tab\t.md"} {
		if err := os.WriteFile(filepath.Join(f.dir, name), []byte("odd\n"), 0o644); err != nil {
			t.Skip(err)
		}
	}
	v := f.View(ctx)
	want := "-n \"dash\\n\"\na.md \"A\\n\"\nd/x \"X\\n\"\nä ö.md \"umlauts\\n\""
	if got := seenBy(t, v); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var visited []string
	err := v.Walk(ctx, ".", func(_ int, dir string, list []fs.DirEntry, _ func(string, []byte) ([]byte, error)) (enter []fs.DirEntry, err error) {
		for _, e := range list {
			if e.IsDir() {
				enter = append(enter, e)
			} else if dir == "d" {
				visited = append(visited, e.Name())
			}
		}
		return enter, nil
	})
	if err != nil || cmp.Diff([]string{"x"}, visited) != "" {
		t.Errorf("%v, %v", visited, err)
	}
}
