package ops_test

import (
	"fmt"
	"strings"
	"testing"

	"redline/internal/ledger"
	"redline/internal/ops"
)

func TestMove(t *testing.T) {
	files := []string{"a.md", "A", "a.sidecar.json", "{}", "notes/b.md", "B", "notes/deep/c.md", "C", "x.txt", "X"}
	tests := []struct {
		from, to string
		want     string // the names afterwards, or a code
	}{
		{"a.md", "z.md", "notes/b.md notes/deep/c.md x.txt z.md z.sidecar.json"},
		{"a.md", "notes", "notes/a.md notes/a.sidecar.json notes/b.md notes/deep/c.md x.txt"},
		{"a.md", "new/", "new/a.md new/a.sidecar.json notes/b.md notes/deep/c.md x.txt"},
		{"notes/b.md", "/", "a.md a.sidecar.json b.md notes/deep/c.md x.txt"},
		{"notes", "old", "a.md a.sidecar.json old/b.md old/deep/c.md x.txt"},
		{"a.md", "x.txt", "already_exists"},
		{"a.md", "a.md", "no_change"},
		{"none.md", "z.md", "not_found"},
		{"notes", "notes/deep/in", "invalid_argument"},
		{"a.md", "../z.md", "outside_folder"},
		{"a.md", ".hidden.md", "hidden_path"},
	}
	for _, review := range []ledger.Review{ledger.Auto, ledger.Hunks} {
		for _, test := range tests {
			t.Run(fmt.Sprintf("%s/%s to %s", review, strings.ReplaceAll(test.from, "/", "_"), strings.ReplaceAll(test.to, "/", "_")), func(t *testing.T) {
				f := newOffice(t, review, ops.Options{}, files...)
				before := f.tree()
				_, err := f.Move(ctx, "test", test.from, test.to)
				if err != nil {
					if got := string(code(err)); got != test.want || f.tree() != before {
						t.Errorf("error %v; the disk: %s", err, f.tree())
					}
					return
				}
				l, err := f.List(ctx, ops.ListRequest{Recursive: true, FilesOnly: true})
				if err != nil {
					t.Fatal(err)
				}
				var names []string
				for _, item := range l.Items {
					names = append(names, item.Path)
				}
				if got := strings.Join(names, " "); got != test.want {
					t.Errorf("the turn sees %s", got)
				}
				if review == ledger.Hunks && f.tree() != before {
					t.Error("the disk has changed before a decision")
				}
				if _, err := f.turn.Discard(ctx); err != nil {
					t.Fatal(err)
				}
				if f.tree() != before {
					t.Errorf("taken back to %s", f.tree())
				}
			})
		}
	}
}

func TestDelete(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{}, "a.md", "A", "a.sidecar.json", "{}", "notes/b.md", "B", "notes/deep/c.md", "C")
	for name, want := range map[string]ops.Code{"none.md": ops.NotFound, ".": ops.InvalidArgument, "../x": ops.OutsideFolder} {
		if _, err := f.Delete(ctx, "test", name); code(err) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if d, err := f.Delete(ctx, "test", "a.md"); err != nil || strings.Join(d.Files, " ") != "a.md a.sidecar.json" {
		t.Errorf("deleted %v, %v", d, err)
	}
	if d, err := f.Delete(ctx, "test", "notes"); err != nil || strings.Join(d.Files, " ") != "notes/b.md notes/deep/c.md" {
		t.Errorf("deleted %v, %v", d, err)
	}
	if got := f.tree(); got != "" {
		t.Errorf("left: %s", got)
	}
	trash, err := f.folder.Trashes()
	if err != nil || len(trash) == 0 {
		t.Errorf("the trash has %v, %v", trash, err)
	}
}

func TestMakeFolder(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{}, "a.md", "A")
	if c, made, err := f.MakeFolder(ctx, "test", "x/y/"); err != nil || !made || c.Path != "x/y" {
		t.Errorf("%v, %v, %v", c, made, err)
	}
	if _, made, err := f.MakeFolder(ctx, "test", "x"); err != nil || made {
		t.Errorf("a second time: %v, %v", made, err)
	}
	if _, _, err := f.MakeFolder(ctx, "test", "a.md"); code(err) != ops.AlreadyExists {
		t.Errorf("over a document: %v", err)
	}
}

// TestSearch: the turn's own changes are found, and what it deleted is not.
func TestSearch(t *testing.T) {
	f := newOffice(t, ledger.Hunks, ops.Options{}, "a.md", "one apple\ntwo\n", "b.md", "Apple pie\n", "c.txt", "apple\n", "notes/d.md", "nothing\n", ".env", "apple\n", "e.bin", "apple\x00")
	if _, err := f.Create(ctx, "test", "notes/new.md", "a new apple\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Delete(ctx, "test", "b.md"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Edit(ctx, "test", ops.EditRequest{Path: "notes/d.md", Edits: []ops.Edit{ops.Append{Text: "APPLE at last"}}}); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		request ops.SearchRequest
		want    string
	}{
		{ops.SearchRequest{Query: "apple"}, "a.md:1 c.txt:1 notes/d.md:3 notes/new.md:1"},
		{ops.SearchRequest{Query: "apple", Sensitive: true}, "a.md:1 c.txt:1 notes/new.md:1"},
		{ops.SearchRequest{Query: "apple", Glob: "*.md"}, "a.md:1 notes/d.md:3 notes/new.md:1"},
		{ops.SearchRequest{Query: "apple", Folder: "notes"}, "notes/d.md:3 notes/new.md:1"},
		{ops.SearchRequest{Query: "a[pn]+", Regexp: true, Folder: "/", Glob: "a.md"}, "a.md:1"},
		{ops.SearchRequest{Query: "app", Word: true}, ""},
		{ops.SearchRequest{Query: "apple", Limit: 2}, "a.md:1 c.txt:1 more"},
		{ops.SearchRequest{Query: "("}, ""},
		{ops.SearchRequest{Query: "(", Regexp: true}, "invalid_regex"},
		{ops.SearchRequest{Query: ""}, "invalid_argument"},
		{ops.SearchRequest{Query: "a", Glob: "["}, "invalid_glob"},
		{ops.SearchRequest{Query: "a", Folder: "none"}, "not_found"},
	}
	for _, test := range tests {
		r, err := f.Search(ctx, test.request)
		var found []string
		for _, file := range r.Files {
			for _, h := range file.Hits {
				found = append(found, fmt.Sprintf("%s:%d", file.Path, h.StartLine))
			}
		}
		if r.More {
			found = append(found, "more")
		}
		got := strings.Join(found, " ")
		if err != nil {
			got = string(code(err))
		}
		if got != test.want {
			t.Errorf("%+v: found %s (%v), not %s", test.request, got, err, test.want)
		}
	}
	names, err := f.FindNames(ctx, "NEW", "", nil)
	if err != nil || len(names) != 1 || names[0].Path != "notes/new.md" {
		t.Errorf("names: %v, %v", names, err)
	}
}

// A document and its sidecar go together or not at all, and links follow.
func TestMoveSidecar(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{}, "a.md", "A", "a.sidecar.json", "{}", "d/a.sidecar.json", "other", "b.md", "[[a]] [x](a.md)")
	before := f.tree()
	_, err := f.Move(ctx, "test", "a.md", "d/")
	if code(err) != ops.AlreadyExists || f.tree() != before {
		t.Errorf("the place of the sidecar is taken: %v; the disk: %s", err, f.tree())
	}
	if _, err := f.Moving(ctx, "a.md", "d/"); code(err) != ops.AlreadyExists {
		t.Errorf("said beforehand: %v", err)
	}
	m, err := f.Move(ctx, "test", "a.md", "a.markdown") // the sidecar keeps its name
	if err != nil || m.Files != 1 || len(m.Links) != 1 {
		t.Errorf("another extension: %+v, %v; the disk: %s", m, err, f.tree())
	}
}
