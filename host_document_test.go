package redline_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/wire"
)

// TestSaveDocument: a document is saved by who has seen its current text, with its own
// line ends, and nothing else is ever overwritten.
func TestSaveDocument(t *testing.T) {
	d := newBureau(t, "- text: Hello.\n",
		"a.md", "one\ntwo\n", "crlf.md", "one\r\ntwo\r\n", "bom.md", "\ufeffone\n", "binary.bin", "\x00\x01", ".env", "SECRET=1\n", "sub/b.md", "b\n")
	token := func(path string) string {
		t.Helper()
		doc, err := d.Read(t.Context(), wire.DocumentQuery{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		return doc.Token
	}
	for _, c := range []struct {
		name, path, content, token string
		code                       string // of the error
		want                       string // the file, if there is none
	}{
		{"with its token", "a.md", "ONE\ntwo\n", token("a.md"), "", "ONE\ntwo\n"},
		{"with an old token", "a.md", "eins\n", token("sub/b.md"), wire.CodeStale, ""},
		{"without a token", "a.md", "eins\n", "", wire.CodeStale, ""},
		{"with something else for a token", "a.md", "eins\n", "7", wire.CodeInvalid, ""},
		{"CRLF stays", "crlf.md", "one\nTWO\n", token("crlf.md"), "", "one\r\nTWO\r\n"},
		{"a byte order mark stays", "bom.md", "ONE\n", token("bom.md"), "", "\ufeffONE\n"},
		{"a new one in a new folder", "new/c.md", "c\n", "", "", "c\n"},
		{"a new one with a token", "none.md", "c\n", token("sub/b.md"), wire.CodeStale, ""},
		{"no text", "c.md", "a\x00b", "", "unsupported_file_type", ""},
		{"over a binary file", "binary.bin", "a\n", "", wire.CodeStale, ""},
		{"a secret", ".env", "SECRET=2\n", "", "sensitive_path", ""},
		{"outside", "../x.md", "x\n", "", "outside_folder", ""},
		{"a folder", "sub", "x\n", "", "is_directory", ""},
	} {
		saved, err := d.Save(t.Context(), wire.SaveRequest{Path: c.path, Content: c.content, Token: c.token})
		switch {
		case c.code != "" && code(err) != c.code:
			t.Errorf("%s: %v, want %s", c.name, err, c.code)
		case c.code == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.code == "" && (d.file(c.path) != c.want || saved.Content != c.want || saved.Token != token(c.path)):
			t.Errorf("%s: the file is %q, the answer %+v", c.name, d.file(c.path), saved)
		}
	}
	if got := d.file(".env"); got != "SECRET=1\n" {
		t.Errorf(".env is %q", got)
	}
	var told *wire.Error
	if _, err := d.Save(t.Context(), wire.SaveRequest{Path: "a.md", Content: "x", Token: token("sub/b.md")}); !errors.As(err, &told) {
		t.Fatal(err)
	}
	if told.Details["current"] != "ONE\ntwo\n" || told.Details["token"] != token("a.md") {
		t.Errorf("the refusal brings %v", told.Details)
	}
	report, err := d.Undo(t.Context(), "", "")
	if err != nil || len(report.Files) == 0 {
		t.Fatalf("a save cannot be undone: %+v, %v", report, err)
	}
	if _, err := os.Stat(d.path("new/c.md")); !os.IsNotExist(err) {
		t.Errorf("the last save was not undone: %v", err)
	}
}

// TestSaveDuringReview: what the user writes into a document with pending hunks stays
// among them, and is on the disk with the last decision.
func TestSaveDuringReview(t *testing.T) {
	d := newBureau(t, twoEdits, "a.md", sevenLines, "other.md", "x\n")
	s := d.session(wire.SessionOptions{})
	job := d.work(s, "Make it louder", wire.JobAwaitingReview)
	h := hunksOf(d.job(job))
	doc, err := d.Read(t.Context(), wire.DocumentQuery{Path: "a.md", Session: s})
	if err != nil || !doc.Pending {
		t.Fatalf("the document of the session: %+v, %v", doc, err)
	}
	if _, err := d.Save(t.Context(), wire.SaveRequest{Path: "a.md", Session: s, Token: doc.Token, Content: strings.Replace(doc.Content, "four", "vier", 1)}); err != nil {
		t.Fatal(err)
	}
	if got := d.file("a.md"); got != sevenLines {
		t.Errorf("the disk has %q while hunks wait", got)
	}
	other, err := d.Read(t.Context(), wire.DocumentQuery{Path: "other.md", Session: s})
	if err != nil || other.Pending {
		t.Fatalf("a document that no hunk is about: %+v, %v", other, err)
	}
	if _, err := d.Save(t.Context(), wire.SaveRequest{Path: "other.md", Session: s, Token: other.Token, Content: "y\n"}); err != nil || d.file("other.md") != "y\n" {
		t.Errorf("it is %q, %v", d.file("other.md"), err)
	}
	if _, err := d.Apply(t.Context(), wire.ApplyRequest{Session: s, Job: job, Accepted: h[1:2]}); err != nil {
		t.Fatal(err)
	}
	if got, want := d.file("a.md"), "one\ntwo\nthree\nvier\nfive\nsix\nSEVEN\n"; got != want {
		t.Errorf("a.md is %q, want %q", got, want)
	}
}

// TestLockedDocuments: while a turn that is decided as a whole is at work, nobody else
// writes.
func TestLockedDocuments(t *testing.T) {
	d := newBureau(t, `
- calls: [{id: c1, name: clarify_user, arguments: {question: "Which?"}}]
- text: Done.
`, "a.md", "a\n")
	s := d.session(wire.SessionOptions{Review: "turn"})
	job := d.work(s, "Change it", wire.JobWaitingForUser)
	doc, err := d.Read(t.Context(), wire.DocumentQuery{Path: "a.md"})
	if err != nil || !doc.Locked {
		t.Errorf("the document: %+v, %v", doc, err)
	}
	if _, err := d.Save(t.Context(), wire.SaveRequest{Path: "a.md", Content: "b\n", Token: doc.Token}); code(err) != wire.CodeLocked {
		t.Errorf("saved all the same: %v", err)
	}
	if err := d.Clarify(t.Context(), job, wire.ClarifyRequest{Answer: "none"}); err != nil {
		t.Fatal(err)
	}
	d.await(job, wire.JobCompleted)
	if _, err := d.Save(t.Context(), wire.SaveRequest{Path: "a.md", Content: "b\n", Token: doc.Token}); err != nil {
		t.Error(err)
	}
}

// TestLibrary: what is in the folder is listed, found and outlined, as far as tools may
// see it.
func TestLibrary(t *testing.T) {
	d := newBureau(t, "- text: Hello.\n",
		"a.md", "# Top\nWinter is here.\n## Below\nwinter again\n", "sub/b.md", "summer\n", ".env", "winter=1\n", "c.bin", "\x00winter")
	ctx := t.Context()
	tree, err := d.Tree(ctx, wire.TreeQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, e := range tree.Entries {
		paths = append(paths, e.Kind+" "+e.Path)
	}
	if diff := cmp.Diff([]string{"file a.md", "file c.bin", "folder sub", "file sub/b.md"}, paths); diff != "" {
		t.Errorf("the tree (-want +got):\n%s", diff)
	}
	if tree, err = d.Tree(ctx, wire.TreeQuery{Under: "sub", Limit: 1}); err != nil || len(tree.Entries) != 1 || tree.Entries[0].Path != "sub/b.md" {
		t.Errorf("a part of the tree: %+v, %v", tree, err)
	}
	found, err := d.Search(ctx, wire.SearchQuery{Query: "winter"})
	if err != nil || len(found.Results) == 0 {
		t.Fatalf("search: %+v, %v", found, err)
	}
	for _, r := range found.Results {
		if r.Path != "a.md" {
			t.Errorf("found in %s", r.Path)
		}
	}
	outline, err := d.Outline(ctx, "a.md")
	if diff := cmp.Diff(wire.Outline{Path: "a.md", Sections: []wire.OutlineSection{{Title: "Top", Level: 1, From: 1, To: 4}, {Title: "Below", Level: 2, From: 3, To: 4}}}, outline); diff != "" || err != nil {
		t.Errorf("the outline: %v\n%s", err, diff)
	}
	for name, err := range map[string]error{
		"a secret":      second(d.Read(ctx, wire.DocumentQuery{Path: ".env"})),
		"outside":       second(d.Read(ctx, wire.DocumentQuery{Path: "../state"})),
		"binary":        second(d.Read(ctx, wire.DocumentQuery{Path: "c.bin"})),
		"nothing":       second(d.Read(ctx, wire.DocumentQuery{Path: "none.md"})),
		"a folder":      second(d.Read(ctx, wire.DocumentQuery{Path: "sub"})),
		"of no session": second(d.Read(ctx, wire.DocumentQuery{Path: "a.md", Session: "none"})),
		"no query":      second(d.Search(ctx, wire.SearchQuery{Query: " "})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestTabs: tabs are kept for the next program; one whose document is gone is not.
func TestTabs(t *testing.T) {
	d := newBureau(t, "- text: Hello.\n", "a.md", "a\n", "b.md", "b\n")
	names := func(tabs []wire.Tab, err error) string {
		t.Helper()
		if err != nil {
			return code(err)
		}
		var list []string
		for _, tab := range tabs {
			list = append(list, tab.Path)
		}
		return strings.Join(list, " ")
	}
	ctx := t.Context()
	steps := []struct{ got, want string }{
		{names(d.Tabs(ctx)), ""},
		{names(d.OpenTab(ctx, "b.md")), "b.md"},
		{names(d.OpenTab(ctx, "a.md")), "b.md a.md"},
		{names(d.OpenTab(ctx, "./b.md")), "b.md a.md"},
		{names(d.CloseTab(ctx, "c.md")), wire.CodeNotFound},
	}
	for i, s := range steps {
		if s.got != s.want {
			t.Errorf("step %d: %q, want %q", i, s.got, s.want)
		}
	}
	d.stop()
	d.start(d.options)
	if err := os.Remove(d.path("b.md")); err != nil {
		t.Fatal(err)
	}
	if got := names(d.Tabs(ctx)); got != "a.md" {
		t.Errorf("in the next program: %q", got)
	}
	if got := names(d.CloseTab(ctx, "a.md")); got != "" {
		t.Errorf("after the last was closed: %q", got)
	}
}

// TestSaveAtOnce: of several who save with the same token one succeeds, and the others
// are told so.
func TestSaveAtOnce(t *testing.T) {
	d := newBureau(t, "- text: Hello.\n", "a.md", "a\n")
	doc, err := d.Read(t.Context(), wire.DocumentQuery{Path: "a.md"})
	if err != nil {
		t.Fatal(err)
	}
	const writers = 8
	results := make(chan error, writers)
	for i := range writers {
		go func() {
			_, err := d.Save(t.Context(), wire.SaveRequest{Path: "a.md", Content: strings.Repeat("b", i+1) + "\n", Token: doc.Token})
			results <- err
		}()
	}
	saved := 0
	for range writers {
		switch err := <-results; code(err) {
		case "":
			saved++
		case wire.CodeStale:
		default:
			t.Error(err)
		}
	}
	if saved != 1 {
		t.Errorf("%d were saved", saved)
	}
}
