package ops_test

import (
	"strings"
	"testing"

	"redline/internal/ledger"
	"redline/internal/ops"
)

func TestUnnumber(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		ok             bool
	}{
		{"as read shows it", "     1  func f() {\n     2    return\n     3\n     4  }", "func f() {\n  return\n\n}", true},
		{"with tabs", "     1\tone\n     2\ttwo\n", "one\ntwo\n", true},
		{"cut blanks", "1  one\n2  two", "one\ntwo", true},
		{"line ends stay", "     1  one\r\n     2\r\n", "one\r\n\r\n", true},
		{"one blank is a list, not a number", "1 one\n2 two", "", false},
		{"one line without", "     1  one\ntwo", "", false},
		{"an empty line without", "     1  one\n\n     3  three", "", false},
		{"a number in a table", "1.  one", "", false},
		{"nothing", "", "", false},
		{"a number alone", "     7", "", false},
	} {
		got, ok := ops.Unnumber(c.in)
		if got != c.want || ok != c.ok {
			t.Errorf("%s: %q, %v; want %q, %v", c.name, got, ok, c.want, c.ok)
		}
	}
}

// TestPastedNumbers: an edit that copied line numbers along is refused and told
// why, and nothing is guessed.
func TestPastedNumbers(t *testing.T) {
	const content = "one\r\ntwo\r\nthree\r\n     9  nine\r\n"
	f := newOffice(t, ledger.Auto, ops.Options{}, "a.md", content)
	edit := func(old string) error {
		_, err := f.Edit(ctx, "edit", ops.EditRequest{Path: "a.md", Edits: []ops.Edit{ops.Replace{Old: old, New: "new"}}})
		return err
	}
	e := ops.AsError(edit("     2  two\n     3  three"))
	if e == nil || e.Code != ops.TextNotFound || !strings.Contains(e.Message, "without the line numbers") {
		t.Fatalf("error %v", e)
	}
	if e.Near == nil || e.Near.StartLine != 1 || e.Near.EndLine != 4 {
		t.Errorf("near %+v", e.Near)
	}
	if e := ops.AsError(edit("     2  two\n     3  tree")); e == nil || strings.Contains(e.Message, "line numbers") {
		t.Errorf("a text that is not there without its numbers either: %v", e)
	}
	if f.tree() != `a.md "`+strings.NewReplacer("\r", `\r`, "\n", `\n`).Replace(content)+`"` {
		t.Errorf("a refused edit changed %s", f.tree())
	}
	if err := edit("     9  nine"); err != nil {
		t.Errorf("numbers that are in the document: %v", err)
	}
}

// TestLongLines: a caller who cuts lines has not shown all of the document.
func TestLongLines(t *testing.T) {
	for _, c := range []struct {
		name, content string
		whole         bool
	}{
		{"short", "abcde\r\nabcde", true},
		{"characters count, not bytes", "äöüß€\n", true},
		{"too long", "ab\nabcdef\n", false},
		{"too long at the end", "ab\nabcdef", false},
	} {
		f := newOffice(t, ledger.Auto, ops.Options{}, "a.md", c.content)
		r, err := f.Read(ctx, ops.ReadRequest{Path: "a.md", MaxLine: 5})
		if err != nil || r.Whole != c.whole || r.Text != c.content {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
		_, err = f.Write(ctx, "write", ops.WriteRequest{Path: "a.md", Content: "new\n"})
		if (err == nil) != c.whole {
			t.Errorf("%s: writing it anew: %v", c.name, err)
		}
	}
}

// TestBinaryEdit: no edit makes a document binary.
func TestBinaryEdit(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{}, "a.md", "a\n")
	for _, edit := range []ops.Edit{ops.Replace{Old: "a", New: "\x00"}, ops.Append{Text: "\x00"}} {
		_, err := f.Edit(ctx, "edit", ops.EditRequest{Path: "a.md", Edits: []ops.Edit{edit}})
		if e := ops.AsError(err); e == nil || e.Code != ops.UnsupportedFile {
			t.Errorf("%#v: %v", edit, err)
		}
	}
	if f.tree() != `a.md "a\n"` {
		t.Errorf("a refused edit changed %s", f.tree())
	}
}
