package ops

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"redline/internal/workspace"
)

// TestRelink moves what testdata/links/*.txtar say. An archive holds
//
//	moves          a line OLD -> NEW for each file that moves, all at once
//	before/PATH    the files of the folder
//	after/PATH     the documents that differ afterwards, where they are then
func TestRelink(t *testing.T) {
	files, err := filepath.Glob("testdata/links/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			folder, moves, rest := folderOf(t, a)
			changed, err := relink(t.Context(), folder.paths(), folder.read, moves)
			if err != nil {
				t.Fatal(err)
			}
			got := &txtar.Archive{Comment: a.Comment, Files: rest}
			for _, c := range changed {
				at := c.Path
				if to, ok := moves[at]; ok {
					at = to
				}
				got.Files = append(got.Files, txtar.File{Name: "after/" + at.String(), Data: c.After})
				if !bytes.Equal(c.Before, folder[c.Path]) {
					t.Errorf("%s: Before is %q", c.Path, c.Before)
				}
				if n := differences(t, c); n != c.Links {
					t.Errorf("%s: %d links said to differ, %d do", c.Path, c.Links, n)
				}
			}
			if renew() {
				if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(txtar.Format(a)), string(txtar.Format(got))); diff != "" && !renew() {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// renew tells whether golden files shall be written, by the flag that the
// package's other tests define.
func renew() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

// folder is files and their contents.
type folder map[workspace.Path][]byte

func (f folder) read(p workspace.Path) ([]byte, error) {
	data, ok := f[p]
	if !ok {
		return nil, &workspace.Error{Code: workspace.NotFound, Path: p.String()}
	}
	return data, nil
}

func (f folder) paths() []workspace.Path {
	var list []workspace.Path
	for p := range f {
		list = append(list, p)
	}
	slices.SortFunc(list, workspace.Path.Compare)
	return list
}

// moved is the folder after a move that changes links.
func (f folder) moved(moves map[workspace.Path]workspace.Path, changed []relinked) folder {
	after := folder{}
	at := func(p workspace.Path) workspace.Path {
		if q, ok := moves[p]; ok {
			return q
		}
		return p
	}
	for p, data := range f {
		after[at(p)] = data
	}
	for _, c := range changed {
		after[at(c.Path)] = c.After
	}
	return after
}

// folderOf reads an archive, and also returns what of it is not a result.
func folderOf(t *testing.T, a *txtar.Archive) (folder, map[workspace.Path]workspace.Path, []txtar.File) {
	t.Helper()
	f, moves := folder{}, map[workspace.Path]workspace.Path{}
	var rest []txtar.File
	for _, file := range a.Files {
		name, before := strings.CutPrefix(file.Name, "before/")
		switch {
		case before:
			f[workspace.MustPath(name)] = file.Data
		case file.Name == "moves":
			for line := range strings.Lines(string(file.Data)) {
				from, to, ok := strings.Cut(strings.TrimSpace(line), " -> ")
				if !ok {
					t.Fatalf("no move: %q", line)
				}
				moves[workspace.MustPath(from)] = workspace.MustPath(to)
			}
		default:
			continue
		}
		rest = append(rest, file)
	}
	for p := range moves {
		if _, ok := f[p]; !ok {
			t.Fatalf("%s moves and is not there", p)
		}
	}
	return f, moves, rest
}

// A document that cannot be read is passed over if it is gone or closed; any
// other failure ends the work, and so does a cancelled context.
func TestRelinkFailures(t *testing.T) {
	p, q := workspace.MustPath("a.md"), workspace.MustPath("b.md")
	moves := map[workspace.Path]workspace.Path{p: q}
	fail := func(err error) func(workspace.Path) ([]byte, error) {
		return func(workspace.Path) ([]byte, error) { return nil, err }
	}
	for _, code := range []workspace.Code{workspace.NotFound, workspace.Permission, workspace.IsLink} {
		changed, err := relink(t.Context(), []workspace.Path{p}, fail(&workspace.Error{Code: code}), moves)
		if err != nil || changed != nil {
			t.Errorf("%s: %v, %v", code, changed, err)
		}
	}
	broken := errors.New("broken disk")
	if _, err := relink(t.Context(), []workspace.Path{p}, fail(broken), moves); !errors.Is(err, broken) || !strings.Contains(fmt.Sprint(err), "a.md") {
		t.Errorf("broken disk: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	read := func(workspace.Path) ([]byte, error) {
		cancel()
		return []byte("[[a]]"), nil
	}
	if changed, err := relink(ctx, []workspace.Path{p, q}, read, moves); !errors.Is(err, context.Canceled) || changed != nil {
		t.Errorf("cancelled: %v, %v", changed, err)
	}
}

// A file can move that the list does not show, as one that is ignored: links to
// it and its own links follow.
func TestRelinkUnlisted(t *testing.T) {
	p, q := workspace.MustPath("hidden/a.md"), workspace.MustPath("x.md")
	f := folder{p: []byte("[t](../x.md)"), q: []byte("[[a]] [t](hidden/a.md)")}
	changed, err := relink(t.Context(), []workspace.Path{q}, f.read, map[workspace.Path]workspace.Path{p: workspace.MustPath("b.md")})
	var got []string
	for _, c := range changed {
		got = append(got, c.Path.String()+": "+string(c.After))
	}
	if diff := cmp.Diff([]string{"x.md: [[b]] [t](b.md)", "hidden/a.md: [t](x.md)"}, got); diff != "" || err != nil {
		t.Errorf("%v, -want +got\n%s", err, diff)
	}
}

// What is not text, and what is not Markdown, is not changed.
func TestRelinkLeavesAlone(t *testing.T) {
	f := folder{}
	for name, data := range map[string]string{
		"a.md": "", "binary.md": "[[a]]\x00", "latin.md": "[[a]] \xe9", "plain.txt": "[[a]]", "code.go": "// [[a]]", "empty.md": "", "yes.md": "[[a]]",
	} {
		f[workspace.MustPath(name)] = []byte(data)
	}
	moves := map[workspace.Path]workspace.Path{workspace.MustPath("a.md"): workspace.MustPath("b.md")}
	changed, err := relink(t.Context(), f.paths(), f.read, moves)
	if err != nil || len(changed) != 1 || changed[0].Path.String() != "yes.md" || string(changed[0].After) != "[[b]]" {
		t.Errorf("%v, %v", changed, err)
	}
}

// BenchmarkRelink moves one note, and then a folder, of 20,000 notes that link
// to each other.
func BenchmarkRelink(b *testing.B) {
	const notes = 20_000
	f := folder{}
	name := func(i int) string { return fmt.Sprintf("area %d/topic %d/Note %d.md", i%20, i%400, i) }
	for i := range notes {
		var doc strings.Builder
		fmt.Fprintf(&doc, "---\ntags: [x]\nup: \"[[Note %d]]\"\n---\n# Note %d\n\n", i/7, i)
		for j := range 8 {
			other := (i*31 + j*977) % notes
			fmt.Fprintf(&doc, "A line about [[Note %d|this]] and that, see [it](../../%s).\n", other, strings.ReplaceAll(name(other+1), " ", "%20"))
			doc.WriteString("Words that mean nothing to anybody, only to make the note as long as notes are.\n\n")
		}
		f[workspace.MustPath(name(i))] = []byte(doc.String())
	}
	all := f.paths()
	one, tree := map[workspace.Path]workspace.Path{}, map[workspace.Path]workspace.Path{}
	from, to := workspace.MustPath("area 7"), workspace.MustPath("archive/area 7")
	for _, p := range all {
		if p.Within(from) {
			tree[p] = p.Rebase(from, to)
		}
	}
	one[workspace.MustPath(name(1000))] = workspace.MustPath("archive/Another name.md")
	for _, c := range []struct {
		name  string
		moves map[workspace.Path]workspace.Path
	}{{"note", one}, {"folder", tree}} {
		b.Run(c.name, func(b *testing.B) {
			changed := 0
			for b.Loop() {
				list, err := relink(b.Context(), all, f.read, c.moves)
				if err != nil {
					b.Fatal(err)
				}
				changed = len(list)
			}
			b.ReportMetric(float64(changed), "documents")
			b.ReportMetric(float64(len(c.moves)), "moves")
		})
	}
}
