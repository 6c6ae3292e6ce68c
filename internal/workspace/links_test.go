package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hash of a whole tree: names, types, link targets, modes, contents.
func treeState(t testing.TB, root string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		b.WriteString(rel + " " + info.Mode().String())
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			b.WriteString(" " + string(data))
		case info.Mode()&os.ModeSymlink != 0:
			target, _ := os.Readlink(p)
			b.WriteString(" -> " + target)
		}
		b.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestLinks(t *testing.T) {
	tests := []struct {
		name   string
		links  map[string]string // name → target; $OUT and $FOLDER are replaced
		path   string
		want   string // where it leads, or
		code   Code   // why not
		policy *Policy
	}{
		{name: "file inside", links: map[string]string{"ok.md": "notes.md"}, path: "ok.md", want: "notes.md"},
		{name: "folder inside", links: map[string]string{"j": "journal"}, path: "j/2024-01-01.md", want: "journal/2024-01-01.md"},
		{name: "up and down again", links: map[string]string{"projects/j": "../journal"}, path: "projects/j/new.md", want: "journal/new.md"},
		{name: "chain inside", links: map[string]string{"a": "b", "b": "c", "c": "notes.md"}, path: "a", want: "notes.md"},
		{name: "absolute inside", links: map[string]string{"a.md": "$FOLDER/notes.md"}, path: "a.md", want: "notes.md"},
		{name: "absolute inside, from below", links: map[string]string{"journal/a.md": "$FOLDER/notes.md"}, path: "journal/a.md", want: "notes.md"},
		{name: "file outside", links: map[string]string{"x.md": "../outside/canary.txt"}, path: "x.md", code: OutsideFolder},
		{name: "file outside from below", links: map[string]string{"journal/x.md": "../../outside/canary.txt"}, path: "journal/x.md", code: OutsideFolder},
		{name: "absolute outside", links: map[string]string{"x.md": "$OUT/canary.txt"}, path: "x.md", code: OutsideFolder},
		{name: "sibling with the same beginning", links: map[string]string{"x.md": "$FOLDER-evil/canary.txt"}, path: "x.md", code: OutsideFolder},
		{name: "folder outside", links: map[string]string{"x": "$OUT"}, path: "x/canary.txt", code: OutsideFolder},
		{name: "new file in a folder outside", links: map[string]string{"x": "$OUT/wr"}, path: "x/new.md", code: OutsideFolder},
		{name: "chain outside", links: map[string]string{"x": "y", "y": "journal/../../outside"}, path: "x/canary.txt", code: OutsideFolder},
		{name: "absolute that leaves and comes back", links: map[string]string{"x": "$FOLDER/../folder/notes.md"}, path: "x", want: "notes.md"},
		{name: "relative that leaves and comes back", links: map[string]string{"x": "../folder/notes.md"}, path: "x", code: OutsideFolder},
		{name: "dangling outside", links: map[string]string{"d.md": "$OUT/nosuch"}, path: "d.md", code: OutsideFolder},
		{name: "dangling inside", links: map[string]string{"d.md": "nosuch.md"}, path: "d.md", code: DanglingLink},
		{name: "circle", links: map[string]string{"a": "b", "b": "a"}, path: "a", code: DanglingLink},
		{name: "itself", links: map[string]string{"a": "a"}, path: "a/b", code: DanglingLink},
		{name: "device", links: map[string]string{"t": "/dev/tty"}, path: "t", code: OutsideFolder},
		{name: "proc", links: map[string]string{"p": "/proc/self/environ"}, path: "p", code: OutsideFolder},
		{name: "to a secret", links: map[string]string{"alias.md": ".env"}, path: "alias.md", code: Sensitive},
		{name: "to a secret by a folder", links: map[string]string{"cfg": "config"}, path: "cfg/credentials.json", code: Sensitive},
		{name: "to git", links: map[string]string{"g": ".git"}, path: "g/config", code: Internal},
		{name: "to a secret, without policy", links: map[string]string{"alias.md": ".env"}, path: "alias.md", want: ".env", policy: &Policy{}},
		{name: "through a file", path: "notes.md/child.md", code: NotDirectory},
		{name: "link through a file", links: map[string]string{"x": "notes.md/y"}, path: "x", code: NotDirectory},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, out := newTree(t)
			for name, target := range tt.links {
				target = strings.NewReplacer("$FOLDER", f.Name(), "$OUT", out).Replace(target)
				if err := os.Symlink(target, disk(f, name)); err != nil {
					t.Fatal(err)
				}
			}
			policy := tt.policy
			if policy == nil {
				policy = ForDocuments()
			}
			before := treeState(t, filepath.Dir(f.Name()))
			for _, access := range []Access{Reading, Writing} {
				p, err := f.Resolve(tt.path, policy, access)
				if tt.code != "" {
					if !errors.Is(err, tt.code) {
						t.Errorf("got %q, %v, want %s", p, err, tt.code)
					}
				} else if err != nil || p.String() != tt.want {
					t.Errorf("got %q, %v, want %q", p, err, tt.want)
				}
			}
			// Without Resolve no method goes through a link either.
			if len(tt.links) > 0 {
				p := MustPath(tt.path)
				if s, err := f.Read(p); err == nil {
					t.Errorf("Read went through the link: %q", s.Data)
				}
				if _, err := f.Create(p, []byte("x"), 0); err == nil {
					t.Error("Create went through the link")
				}
				if _, err := f.Replace(p, []byte("x"), mustRead(t, f, "notes.md").Hash); err == nil {
					t.Error("Replace went through the link")
				}
				if _, err := f.MakeDir(p); err == nil {
					t.Error("MakeDir went through the link")
				}
			}
			if after := treeState(t, filepath.Dir(f.Name())); after != before {
				t.Errorf("the tree changed:\n%s\n%s", before, after)
			}
		})
	}
}

// TestWriteThroughLink: the target changes and the link stays.
func TestWriteThroughLink(t *testing.T) {
	f, _ := newTree(t)
	if err := os.Symlink("notes.md", disk(f, "ok.md")); err != nil {
		t.Fatal(err)
	}
	p, err := f.Resolve("ok.md", ForDocuments(), Writing)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Replace(p, []byte("new\n"), mustRead(t, f, "notes.md").Hash); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink(disk(f, "ok.md")); err != nil || target != "notes.md" {
		t.Errorf("the link became %q, %v", target, err)
	}
	if got := string(mustRead(t, f, "notes.md").Data); got != "new\n" {
		t.Errorf("the target holds %q", got)
	}
}

// TestTrashTakesTheLink: to delete a link is to delete the link.
func TestTrashTakesTheLink(t *testing.T) {
	f, out := newTree(t)
	if err := os.Symlink(out, disk(f, "x")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Trash(MustPath("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(out, "canary.txt")); err != nil {
		t.Errorf("the target is gone: %v", err)
	}
}

// TestWalkAndLinks: a walk tells of links and does not follow them.
func TestWalkAndLinks(t *testing.T) {
	f, out := newTree(t)
	for name, target := range map[string]string{"linkdir": out, "l.md": "../outside/canary.txt", "journal/up": ".."} {
		if err := os.Symlink(target, disk(f, name)); err != nil {
			t.Fatal(err)
		}
	}
	list, err := f.List(context.Background(), WalkOptions{Policy: ForDocuments()})
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, l := range list {
		if l.IsLink() {
			links++
		}
		if strings.Contains(l.Path.String(), "canary") || strings.HasPrefix(l.Path.String(), "journal/up/") {
			t.Errorf("listed %s", l.Path)
		}
	}
	if links != 3 {
		t.Errorf("%d links listed, want 3", links)
	}
}

// TestRedlineFolderIsALink: a folder that arrives with .redline leading out is
// not written to there.
func TestRedlineFolderIsALink(t *testing.T) {
	f, out := newTree(t)
	if err := os.Symlink(filepath.Join(out, "wr"), disk(f, ".redline")); err != nil {
		t.Fatal(err)
	}
	before := treeState(t, out)
	if _, err := f.Trash(MustPath("notes.md")); !errors.Is(err, Internal) {
		t.Errorf("Trash: %v", err)
	}
	if after := treeState(t, out); after != before {
		t.Errorf("outside changed:\n%s", after)
	}
	if _, err := f.Read(MustPath("notes.md")); err != nil {
		t.Errorf("the file is gone: %v", err)
	}
	os.Remove(disk(f, ".redline"))
	os.WriteFile(disk(f, ".redline"), []byte("i am a file"), 0o644)
	if _, err := f.Trash(MustPath("notes.md")); !errors.Is(err, Internal) {
		t.Errorf("Trash with a file in the way: %v", err)
	}
}

func TestLookalikes(t *testing.T) {
	f, _ := newTree(t)
	decomposed := "unicode/he\u0301llo.md"
	for _, access := range []Access{Reading, Writing} {
		p, err := f.Resolve(decomposed, ForDocuments(), access)
		if err != nil || p.String() != "unicode/héllo.md" {
			t.Errorf("got %q, %v", p, err)
		}
	}
}
