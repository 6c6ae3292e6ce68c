package ops_test

import (
	"fmt"
	"strings"
	"testing"

	"redline/internal/ledger"
	"redline/internal/ops"
	"redline/internal/text"
	"redline/internal/workspace"
)

// TestEdits: a text, edits, the text after them or the code of the error. A
// refused edit changes nothing.
func TestEdits(t *testing.T) {
	const notes = "# Notes\n\n## Plan\n- one\n\n## Later\nx\n"
	tests := []struct {
		name   string
		before string
		edits  []ops.Edit
		want   string
	}{
		{"replace lines", "a\nb\nc\n", []ops.Edit{ops.Lines{From: 2, To: 2, Text: "B1\nB2\n"}}, "a\nB1\nB2\nc\n"},
		{"lines keep their ends", "a\r\nb\r\nc", []ops.Edit{ops.Lines{From: 2, To: 3, Text: "B\nC"}}, "a\r\nB\r\nC"},
		{"insert and delete, all by the base", "a\nb\nc\n", []ops.Edit{ops.Lines{From: 1, To: 1}, ops.Lines{From: 3, To: 2, Text: "new\n"}}, "b\nnew\nc\n"},
		{"overlap", "a\nb\nc\n", []ops.Edit{ops.Lines{From: 1, To: 2, Text: "x"}, ops.Lines{From: 2, To: 3, Text: "y"}}, "overlapping_edits"},
		{"beyond the end", "a\n", []ops.Edit{ops.Lines{From: 2, To: 3, Text: "x"}}, "invalid_line_range"},
		{"append by line", "a\n", []ops.Edit{ops.Lines{From: 2, To: 1, Text: "b"}}, "a\nb"},
		{"line 0", "a\n", []ops.Edit{ops.Lines{From: 0, To: 1, Text: "x"}}, "invalid_line_range"},
		{"expected lines", "a\nb\n", []ops.Edit{ops.Lines{From: 2, To: 2, Text: "B\n", Expected: text.Sum([]byte("b\n"))}}, "a\nB\n"},
		{"expected document", "a\nb\n", []ops.Edit{ops.Lines{From: 2, To: 2, Text: "B\n", Expected: text.Sum([]byte("a\nb\n"))}}, "a\nB\n"},
		{"other lines than expected", "a\nb\n", []ops.Edit{ops.Lines{From: 2, To: 2, Text: "B\n", Expected: text.Sum([]byte("x\n"))}}, "stale"},
		{"replace text", "a b c\n", []ops.Edit{ops.Replace{Old: "b", New: "$1"}}, "a $1 c\n"},
		{"several texts, one after the other", "a b\n", []ops.Edit{ops.Replace{Old: "a", New: "b"}, ops.Replace{Old: "b b", New: "c"}}, "c\n"},
		{"one of several fails", "a b\n", []ops.Edit{ops.Replace{Old: "a", New: "x"}, ops.Replace{Old: "nowhere", New: "y"}}, "text_not_found"},
		{"twice there", "a a\n", []ops.Edit{ops.Replace{Old: "a", New: "b"}}, "ambiguous_match"},
		{"all of them", "a a\n", []ops.Edit{ops.Replace{Old: "a", New: "b", All: true}}, "b b\n"},
		{"the same", "a\n", []ops.Edit{ops.Replace{Old: "a", New: "a"}}, "no_change"},
		{"nothing to find", "a\n", []ops.Edit{ops.Replace{New: "a"}}, "content_required"},
		{"append", "a\n", []ops.Edit{ops.Append{Text: "b"}}, "a\n\nb\n"},
		{"append behind an empty line", "a\n\n", []ops.Edit{ops.Append{Text: "b\n"}}, "a\n\nb\n"},
		{"append without a final newline", "a", []ops.Edit{ops.Append{Text: "b"}}, "a\n\nb\n"},
		{"append to nothing", "", []ops.Edit{ops.Append{Text: "b"}}, "b\n"},
		{"append CRLF", "a\r\n", []ops.Edit{ops.Append{Text: "b\nc"}}, "a\r\n\r\nb\r\nc\r\n"},
		{"append nothing", "a\n", []ops.Edit{ops.Append{}}, "content_required"},
		{"prepend", "a\n", []ops.Edit{ops.Prepend{Text: "b"}}, "b\n\na\n"},
		{"prepend behind front matter", "---\ntitle: x\n---\na\n", []ops.Edit{ops.Prepend{Text: "b"}}, "---\ntitle: x\n---\n\nb\n\na\n"},
		{"prepend keeps the byte order mark", "\ufeffa\n", []ops.Edit{ops.Prepend{Text: "b"}}, "\ufeffb\n\na\n"},
		{"under a heading", notes, []ops.Edit{ops.Insert{Heading: "Plan", Text: "- zero"}}, "# Notes\n\n## Plan\n\n- zero\n\n- one\n\n## Later\nx\n"},
		{"under a heading, by other letters", notes, []ops.Edit{ops.Insert{Heading: "## later", Text: "y"}}, "# Notes\n\n## Plan\n- one\n\n## Later\n\ny\n\nx\n"},
		{"under a heading with an empty line", "# A\n\ntext\n", []ops.Edit{ops.Insert{Heading: "A", Text: "new"}}, "# A\n\nnew\n\ntext\n"},
		{"under an underlined heading", "Plan\n====\ntext\n", []ops.Edit{ops.Insert{Heading: "Plan", Text: "new"}}, "Plan\n====\n\nnew\n\ntext\n"},
		{"no such heading", notes, []ops.Edit{ops.Insert{Heading: "Plans", Text: "y"}}, "heading_not_found"},
		{"as a line", "a\nb\n", []ops.Edit{ops.Insert{Line: 2, Text: "x"}}, "a\nx\nb\n"},
		{"as the line after the last", "a\nb\n", []ops.Edit{ops.Insert{Line: 3, Text: "x"}}, "a\nb\nx\n"},
		{"as no line", "a\n", []ops.Edit{ops.Insert{Line: 9, Text: "x"}}, "invalid_line_range"},
		{"nowhere", "a\n", []ops.Edit{ops.Insert{Text: "x"}}, "invalid_line_range"},
		{"two places", "a\n", []ops.Edit{ops.Insert{Heading: "a", Line: 1, Text: "x"}}, "invalid_argument"},
		{"rewrite", "a\r\nb\r\n", []ops.Edit{ops.Rewrite{Text: "c\nd\n"}}, "c\r\nd\r\n"},
		{"rewrite with others", "a\n", []ops.Edit{ops.Append{Text: "b"}, ops.Rewrite{Text: "c"}}, "invalid_argument"},
		{"no edit", "a\n", nil, "invalid_argument"},
		{"binary", "a\x00", []ops.Edit{ops.Append{Text: "b"}}, "unsupported_file_type"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newOffice(t, ledger.Auto, ops.Options{}, "doc.md", test.before)
			if _, err := f.Read(ctx, ops.ReadRequest{Path: "doc.md"}); err != nil && code(err) != ops.UnsupportedFile {
				t.Fatal(err)
			}
			e, err := f.Edit(ctx, "test", ops.EditRequest{Path: "doc.md", Edits: test.edits})
			after := fmt.Sprintf("doc.md %q", test.want)
			if err != nil {
				if got := string(code(err)); got != test.want {
					t.Errorf("error %s (%v)", got, err)
				}
				after = fmt.Sprintf("doc.md %q", test.before)
			} else if string(e.After) != test.want || string(e.Before) != test.before || e.Hash != text.Sum(e.After) {
				t.Errorf("the result says %q, after %q", e.After, e.Before)
			}
			if got := f.tree(); got != after {
				t.Errorf("on the disk: %s, not %s", got, after)
			}
		})
	}
}

// TestWhoMayWrite: what a session must have read before it writes.
func TestWhoMayWrite(t *testing.T) {
	appended := []ops.Edit{ops.Append{Text: "x"}}
	byLine := []ops.Edit{ops.Lines{From: 1, To: 1, Text: "x"}}
	whole := []ops.Edit{ops.Rewrite{Text: "x"}}
	replaced := []ops.Edit{ops.Replace{Old: "a", New: "x"}}
	tests := []struct {
		name  string
		read  ops.ReadRequest
		other string // another program writes this after the reading
		edits []ops.Edit
		want  ops.Code
	}{
		{"append unread", ops.ReadRequest{}, "", appended, ""},
		{"text unread", ops.ReadRequest{}, "", replaced, ""},
		{"lines unread", ops.ReadRequest{}, "", byLine, ops.Stale},
		{"whole unread", ops.ReadRequest{}, "", whole, ops.Unseen},
		{"whole read in part", ops.ReadRequest{Path: "doc.md", To: 1}, "", whole, ops.Unseen},
		{"whole read with a limit", ops.ReadRequest{Path: "doc.md", MaxLines: 1}, "", whole, ops.Unseen},
		{"whole read", ops.ReadRequest{Path: "doc.md"}, "", whole, ""},
		{"lines read in part", ops.ReadRequest{Path: "doc.md", To: 1}, "", byLine, ""},
		{"whole changed since", ops.ReadRequest{Path: "doc.md"}, "z\nb\n", whole, ops.Stale},
		{"lines changed since", ops.ReadRequest{Path: "doc.md"}, "z\nb\n", byLine, ops.Stale},
		{"text changed elsewhere since", ops.ReadRequest{Path: "doc.md"}, "a\nZ\n", replaced, ops.Stale},
		{"append changed since", ops.ReadRequest{Path: "doc.md"}, "z\nb\n", appended, ops.Stale},
		{"written with the same text", ops.ReadRequest{Path: "doc.md"}, "a\nb\n", byLine, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newOffice(t, ledger.Auto, ops.Options{}, "doc.md", "a\nb\n")
			if test.read.Path != "" {
				if _, err := f.Read(ctx, test.read); err != nil {
					t.Fatal(err)
				}
			}
			if test.other != "" {
				f.put("doc.md", test.other)
			}
			before := f.tree()
			_, err := f.Edit(ctx, "test", ops.EditRequest{Path: "doc.md", Edits: test.edits})
			if code(err) != test.want {
				t.Fatalf("error %v, not %q", err, test.want)
			}
			if err != nil && f.tree() != before {
				t.Error("a refused edit changed something")
			}
			if test.want == ops.Stale {
				if e := ops.AsError(err); len(test.edits) == 1 && test.name != "whole changed since" && (e.Near == nil || e.Near.Token.IsZero()) {
					t.Errorf("the error does not show the current text: %+v", e)
				}
			}
		})
	}
}

// TestClosestText: an edit that finds nothing shows what comes closest.
func TestClosestText(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{}, "a.go", "package a\n\nfunc main() {\n\tport := 3000\n\tserve(port)\n}\n\nfunc other() {}\n")
	_, err := f.Edit(ctx, "test", ops.EditRequest{Path: "a.go", Edits: []ops.Edit{ops.Replace{Old: "func main() {\n\tport := 8080\n\tserve(port)\n", New: "x"}}})
	e := ops.AsError(err)
	if e.Code != ops.TextNotFound || e.Near == nil {
		t.Fatalf("error %+v", e)
	}
	want := "     2\t\n     3\tfunc main() {\n     4\t\tport := 3000\n     5\t\tserve(port)\n     6\t}\n"
	if got := e.Near.Numbered(); got != want {
		t.Errorf("shown:\n%s", got)
	}
}

func TestNothingClose(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{}, "a.md", "alpha beta\n")
	_, err := f.Edit(ctx, "test", ops.EditRequest{Path: "a.md", Edits: []ops.Edit{ops.Replace{Old: "something entirely different", New: "x"}}})
	if e := ops.AsError(err); e.Code != ops.TextNotFound || e.Near != nil {
		t.Errorf("error %+v", e)
	}
}

// TestToolMessages: what a tool told is never written as content, in whatever way
// it comes back.
func TestToolMessages(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{}, "doc.md", "a\nb\n")
	refusal := f.Tell("doc.md: only a part of the file was read; read all of it before replacing it")
	for _, edit := range []ops.Edit{
		ops.Append{Text: refusal}, ops.Append{Text: "Result:\n" + refusal + "\n\nmore"}, ops.Replace{Old: "a", New: refusal}, ops.Prepend{Text: refusal},
	} {
		if _, err := f.Edit(ctx, "test", ops.EditRequest{Path: "doc.md", Edits: []ops.Edit{edit}}); code(err) != ops.ToolMessage {
			t.Errorf("%T: %v", edit, err)
		}
	}
	if _, err := f.Create(ctx, "test", "new.md", refusal); code(err) != ops.ToolMessage {
		t.Errorf("create: %v", err)
	}
	if _, err := f.Read(ctx, ops.ReadRequest{Path: "doc.md"}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(ctx, "test", ops.WriteRequest{Path: "doc.md", Content: refusal}); code(err) != ops.ToolMessage {
		t.Errorf("write: %v", err)
	}
	if got := f.tree(); got != `doc.md "a\nb\n"` {
		t.Errorf("on the disk: %s", got)
	}
	// Words that the document has already are the document's.
	f.put("log.md", refusal+"\n")
	if _, err := f.Edit(ctx, "test", ops.EditRequest{Path: "log.md", Edits: []ops.Edit{ops.Append{Text: refusal}}}); err != nil {
		t.Errorf("a document about messages: %v", err)
	}
}

// TestHiddenFilesAsk: where the policy asks first, only an approved call goes on.
func TestHiddenFilesAsk(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{Policy: workspace.ForCode()}, ".editorconfig", "root = true\n")
	edit := ops.EditRequest{Path: ".editorconfig", Edits: []ops.Edit{ops.Append{Text: "x = 1"}}}
	if _, err := f.Edit(ctx, "test", edit); code(err) != ops.NeedsApproval || !f.Asks(".editorconfig") || f.Asks("a.md") {
		t.Errorf("error %v", err)
	}
	if _, err := f.Edit(ops.Approved(ctx), "test", edit); err != nil {
		t.Errorf("approved: %v", err)
	}
	if _, err := f.Edit(ops.Approved(ctx), "test", ops.EditRequest{Path: ".git/config", Edits: edit.Edits}); code(err) != ops.InternalPath {
		t.Errorf("what is closed stays closed: %v", err)
	}
}

// TestEditIDs: each edit of a proposal is a hunk with its own id.
func TestEditIDs(t *testing.T) {
	f := newOffice(t, ledger.Hunks, ops.Options{}, "doc.md", "a\nb\nc\nd\ne\n")
	if _, err := f.Read(ctx, ops.ReadRequest{Path: "doc.md"}); err != nil {
		t.Fatal(err)
	}
	_, err := f.Edit(ctx, "test", ops.EditRequest{Path: "doc.md", Edits: []ops.Edit{
		ops.Lines{ID: "e_2", From: 4, To: 4, Text: "D1\nD2\n"}, ops.Lines{ID: "e_1", From: 1, To: 1}, ops.Lines{ID: "e_3", From: 6, To: 5, Text: "f\n"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	record, err := f.turn.End(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, h := range record.Changes[0].Hunks {
		ids = append(ids, strings.Join(h.Edits, "+"))
	}
	if got := strings.Join(ids, " "); got != "e_1 e_2 e_3" {
		t.Errorf("hunks of %s", got)
	}
	if got := f.tree(); got != `doc.md "a\nb\nc\nd\ne\n"` {
		t.Errorf("the disk has changed before a decision: %s", got)
	}
}

// TestNeighbours: edits of neighbouring lines are hunks of their own, and any of
// them can be rejected.
func TestNeighbours(t *testing.T) {
	f := newOffice(t, ledger.Hunks, ops.Options{}, "doc.md", "a\nb\nc\nd\n")
	if _, err := f.Read(ctx, ops.ReadRequest{Path: "doc.md"}); err != nil {
		t.Fatal(err)
	}
	_, err := f.Edit(ctx, "test", ops.EditRequest{Path: "doc.md", Edits: []ops.Edit{
		ops.Lines{ID: "e_1", From: 1, To: 1, Text: "A1\nA2\nA3\n"}, ops.Lines{ID: "e_2", From: 2, To: 2, Text: "B\n"}, ops.Lines{ID: "e_3", From: 3, To: 3, Text: "C1\nC2\n"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	record, err := f.turn.End(ctx)
	if err != nil {
		t.Fatal(err)
	}
	hunks := map[string]string{}
	for _, h := range record.Changes[0].Hunks {
		hunks[strings.Join(h.Edits, "+")] = h.ID
	}
	if len(hunks) != 3 {
		t.Fatalf("hunks: %v", hunks)
	}
	if _, err := f.ledger.Decide(ctx, "s", []string{hunks["e_1"], hunks["e_3"]}, []string{hunks["e_2"]}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ledger.Apply(ctx, "s"); err != nil {
		t.Fatal(err)
	}
	if got := f.tree(); got != `doc.md "A1\nA2\nA3\nb\nC1\nC2\nd\n"` {
		t.Errorf("on the disk: %s", got)
	}
}
