package ops_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/ledger"
	"redline/internal/ops"
	"redline/internal/store/sqlite"
	"redline/internal/workspace"
)

var update = flag.Bool("update", false, "renew the golden files")

var ctx = context.Background()

// office is a folder with a real ledger, and a desk in it.
type office struct {
	t      *testing.T
	dir    string
	folder *workspace.Folder
	ledger *ledger.Ledger
	turn   *ledger.Turn
	*ops.Desk
}

// newOffice makes a folder of files, named in pairs of path and content, and opens
// a turn in it.
func newOffice(t *testing.T, review ledger.Review, o ops.Options, files ...string) *office {
	t.Helper()
	base := t.TempDir()
	f := &office{t: t, dir: filepath.Join(base, "folder")}
	if err := os.Mkdir(f.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(files); i += 2 {
		f.put(files[i], files[i+1])
	}
	var err error
	if f.folder, err = workspace.Open(f.dir); err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(ctx, filepath.Join(base, "state", "redline.db"))
	if err != nil {
		t.Fatal(err)
	}
	if f.ledger, _, err = ledger.Open(ctx, f.folder, store, ledger.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.ledger.Close(); store.Close(); f.folder.Close() })
	f.begin(review, o)
	return f
}

func (f *office) begin(review ledger.Review, o ops.Options) {
	f.t.Helper()
	turn, err := f.ledger.Begin(ctx, ledger.TurnRequest{Session: "s", Review: review})
	if err != nil {
		f.t.Fatal(err)
	}
	f.turn, f.Desk = turn, ops.New(f.folder, turn, o)
}

// put writes to the disk as another program would.
func (f *office) put(name, content string) {
	f.t.Helper()
	full := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// tree is what is on the disk, without Redline's own.
func (f *office) tree() string {
	f.t.Helper()
	var lines []string
	err := filepath.WalkDir(f.dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || path == f.dir {
			return err
		}
		rel, _ := filepath.Rel(f.dir, path)
		if e.Name() == ".redline" {
			return filepath.SkipDir
		}
		if e.IsDir() {
			return nil
		}
		data, err := os.ReadFile(path)
		lines = append(lines, fmt.Sprintf("%s %q", filepath.ToSlash(rel), data))
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

func code(err error) ops.Code {
	var e *ops.Error
	if errors.As(err, &e) {
		return e.Code
	}
	if err != nil {
		return ops.Code(fmt.Sprintf("not an ops.Error: %v", err))
	}
	return ""
}

// TestErrorsPage: docs/errors.md is the table of codes.
func TestErrorsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Errors of tools\n\nEvery failed call has one of these codes. *Recoverable* means that the model can do\nsomething about it by itself. The table is generated from the code; a test keeps it\nso.\n\n")
	b.WriteString("| code | category | recoverable | meaning | what to do |\n|---|---|---|---|---|\n")
	seen := map[ops.Code]bool{}
	for _, f := range ops.Facts {
		if seen[f.Code] || f.Meaning == "" || f.Suggestion == "" {
			t.Errorf("%s is there twice, or not complete", f.Code)
		}
		seen[f.Code] = true
		recoverable := "no"
		if f.Recoverable {
			recoverable = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", f.Code, f.Category, recoverable, f.Meaning, f.Suggestion)
	}
	const page = "../../docs/errors.md"
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("docs/errors.md is out of date; renew it with -update:\n%s", d)
	}
}

// TestCodesOfOthers: every code of the folder and the ledger is in the table.
func TestCodesOfOthers(t *testing.T) {
	for _, c := range []ops.Code{
		ops.Code(workspace.InvalidPath), ops.Code(workspace.TooLong), ops.Code(workspace.OutsideFolder), ops.Code(workspace.Internal), ops.Code(workspace.Hidden),
		ops.Code(workspace.Sensitive), ops.Code(workspace.SystemFile), ops.Code(workspace.NotFound), ops.Code(workspace.Exists), ops.Code(workspace.IsDirectory),
		ops.Code(workspace.NotDirectory), ops.Code(workspace.NotRegular), ops.Code(workspace.IsLink), ops.Code(workspace.DanglingLink), ops.Code(workspace.Permission),
		ops.Code(workspace.UnsupportedFile), ops.Code(workspace.Conflict), ops.Code(workspace.NotEmpty), ops.Code(workspace.Locked), ops.Code(workspace.NoSpace),
		ops.Code(workspace.ReadOnly), ops.Code(workspace.Failed), ops.Code(ledger.Conflict), ops.Code(ledger.Stale), ops.Code(ledger.ReviewPending), ops.Code(ledger.TurnOver),
	} {
		if ops.FactOf(c).Suggestion == "" {
			t.Errorf("%s is not in the table", c)
		}
	}
}

func TestRead(t *testing.T) {
	long := strings.Repeat("x", 50) + "\n"
	f := newOffice(t, ledger.Optimistic, ops.Options{}, "a.md", "one\ntwo\r\nthree", "empty.md", "", "bom.md", "\ufeffone\ntwo\n", "long.md", long+long, "b.bin", "a\x00b", ".env", "KEY=1", "notes/deep.md", "deep\n")
	tests := []struct {
		request ops.ReadRequest
		want    string // text, range, lines, flags; or a code
	}{
		{ops.ReadRequest{Path: "a.md"}, `"one\ntwo\r\nthree" 1-3 of 3 whole`},
		{ops.ReadRequest{Path: "/a.md"}, "outside_folder"},
		{ops.ReadRequest{Path: "a.md", From: 2}, `"two\r\nthree" 2-3 of 3`},
		{ops.ReadRequest{Path: "a.md", From: 2, To: 2}, `"two\r\n" 2-2 of 3`},
		{ops.ReadRequest{Path: "a.md", To: 99}, `"one\ntwo\r\nthree" 1-3 of 3 whole`},
		{ops.ReadRequest{Path: "a.md", From: 4}, "invalid_line_range"},
		{ops.ReadRequest{Path: "a.md", From: 3, To: 2}, "invalid_line_range"},
		{ops.ReadRequest{Path: "a.md", From: -1}, "invalid_line_range"},
		{ops.ReadRequest{Path: "a.md", MaxLines: 2}, `"one\ntwo\r\n" 1-2 of 3 truncated`},
		{ops.ReadRequest{Path: "a.md", MaxBytes: 5}, `"one\n" 1-1 of 3 truncated`},
		{ops.ReadRequest{Path: "long.md", MaxBytes: 10}, `"xxxxxxxxxx" 1-1 of 2 truncated`},
		{ops.ReadRequest{Path: "empty.md"}, `"" 1-0 of 0 whole`},
		{ops.ReadRequest{Path: "bom.md", To: 1}, `"\ufeffone\n" 1-1 of 2`},
		{ops.ReadRequest{Path: "b.bin"}, "unsupported_file_type"},
		{ops.ReadRequest{Path: ".env"}, "sensitive_path"},
		{ops.ReadRequest{Path: "../x"}, "outside_folder"},
		{ops.ReadRequest{Path: "notes"}, "is_directory"},
		{ops.ReadRequest{Path: "none.md"}, "not_found"},
	}
	for _, test := range tests {
		r, err := f.Read(ctx, test.request)
		got := string(code(err))
		if err == nil {
			got = fmt.Sprintf("%+q %d-%d of %d", r.Text, r.From, r.To, r.Lines)
			if r.Whole {
				got += " whole"
			}
			if r.Truncated {
				got += " truncated"
			}
		}
		if got != test.want {
			t.Errorf("%+v: got %s (%v), not %s", test.request, got, err, test.want)
		}
	}
}

func TestSimilarNames(t *testing.T) {
	f := newOffice(t, ledger.Optimistic, ops.Options{}, "projects/Roadmap.md", "x", "journal/2024-01-01.md", "y", "roadtrip.md", "z")
	for name, want := range map[string]string{"roadmap.md": "projects/Roadmap.md", "projects/Raodmap.md": "projects/Roadmap.md", "road": "roadtrip.md"} {
		_, err := f.Read(ctx, ops.ReadRequest{Path: name})
		if e := ops.AsError(err); e.Code != ops.NotFound || !strings.Contains(strings.Join(e.Suggestions, " "), want) {
			t.Errorf("%s: %v, suggestions %q", name, err, e.Suggestions)
		}
	}
}

func TestList(t *testing.T) {
	f := newOffice(t, ledger.Hunks, ops.Options{}, "a.md", "", "notes/b.md", "", "notes/deep/c.txt", "", ".hidden/d.md", "", "secret.md", "")
	if _, err := f.Create(ctx, "test", "notes/new.md", "x"); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		request ops.ListRequest
		want    string
	}{
		{ops.ListRequest{}, "a.md notes/"},
		{ops.ListRequest{Folder: "/"}, "a.md notes/"},
		{ops.ListRequest{Recursive: true}, "a.md notes/ notes/b.md notes/deep/ notes/deep/c.txt notes/new.md"},
		{ops.ListRequest{Folder: "notes"}, "notes/b.md notes/deep/ notes/new.md"},
		{ops.ListRequest{Recursive: true, FilesOnly: true, Glob: "**/*.md"}, "a.md notes/b.md notes/new.md"},
		{ops.ListRequest{Recursive: true, FilesOnly: true, Limit: 2}, "a.md notes/b.md +2"},
		{ops.ListRequest{Folder: "none"}, "not_found"},
		{ops.ListRequest{Folder: "a.md"}, "not_a_directory"},
		{ops.ListRequest{Glob: "[", Recursive: true}, "invalid_glob"},
	}
	for _, test := range tests {
		l, err := f.List(ctx, test.request)
		var names []string
		for _, item := range l.Items {
			if item.Folder {
				item.Path += "/"
			}
			names = append(names, item.Path)
		}
		if l.More > 0 {
			names = append(names, fmt.Sprintf("+%d", l.More))
		}
		got := strings.Join(names, " ")
		if err != nil {
			got = string(code(err))
		}
		if got != test.want {
			t.Errorf("%+v: got %s, not %s", test.request, got, test.want)
		}
	}
}

// TestClosedPaths: what a rule closes is not read, written, listed, found or
// named.
func TestClosedPaths(t *testing.T) {
	closed := func(path string) bool { return path == "private" }
	f := newOffice(t, ledger.Auto, ops.Options{Policy: workspace.ForDocuments().Closing(closed)}, "private/diary.md", "apple\n", "diary2.md", "apple\n", "a.md", "x\n")
	if _, err := f.Read(ctx, ops.ReadRequest{Path: "private/diary.md"}); code(err) != ops.Denied {
		t.Errorf("read: %v", err)
	}
	if _, err := f.Create(ctx, "test", "private/new.md", "x"); code(err) != ops.Denied {
		t.Errorf("create: %v", err)
	}
	if _, err := f.Move(ctx, "test", "a.md", "private/a.md"); code(err) != ops.Denied {
		t.Errorf("move: %v", err)
	}
	l, err := f.List(ctx, ops.ListRequest{Recursive: true})
	if err != nil || len(l.Items) != 2 {
		t.Errorf("listed %v, %v", l.Items, err)
	}
	found, err := f.Search(ctx, ops.SearchRequest{Query: "apple"})
	if err != nil || len(found.Files) != 1 || found.Files[0].Path != "diary2.md" {
		t.Errorf("found %v, %v", found, err)
	}
	if found, err = f.Search(ctx, ops.SearchRequest{Query: "apple", Limit: 1}); err != nil || found.More {
		t.Errorf("a closed path shows in the count: %v, %v", found, err)
	}
	_, err = f.Read(ctx, ops.ReadRequest{Path: "diary.md"})
	if e := ops.AsError(err); strings.Contains(strings.Join(e.Suggestions, " "), "private") {
		t.Errorf("a closed path is named: %q", e.Suggestions)
	}
}
