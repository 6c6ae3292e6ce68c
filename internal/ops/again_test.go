package ops_test

import (
	"fmt"
	"strings"
	"testing"

	"redline/internal/ledger"
	"redline/internal/ops"
	"redline/internal/workspace"
)

// TestAgain: what a user has picked is found again by its text; where it is gone, its
// lines are read as they are now.
func TestAgain(t *testing.T) {
	const song = "one\ntwo\nthree\ntwo and a half\nfour\ntwo\n"
	tests := []struct {
		name, file string
		from, to   int
		was        string
		want       string // lines and text, or the error
	}{
		{"in its place", song, 2, 3, "two\nthree\n", `2-3 "two\nthree\n"`},
		{"without its last line end", song, 2, 3, "two\nthree", `2-3 "two\nthree\n"`},
		{"moved down", "zero\n" + song, 2, 3, "two\nthree\n", `3-4 "two\nthree\n"`},
		{"moved up", song, 5, 5, "three\n", `3-3 "three\n"`},
		{"with other line ends", strings.ReplaceAll(song, "\n", "\r\n"), 9, 9, "two\nthree\n", `2-3 "two\r\nthree\r\n"`},
		{"behind a byte order mark", "\ufeff" + song, 3, 3, "one", `1-1 "` + `\ufeff` + `one\n"`},
		{"nearest of several", song, 5, 5, "two", `6-6 "two\n"`},
		{"whole lines before parts", song, 3, 3, "two", `2-2 "two\n"`},
		{"part of a line in its place", song, 4, 4, "two", `4-4 "two"`},
		{"part of a line elsewhere", song, 1, 1, "and a", `4-4 "and a"`},
		{"part of lines", song, 3, 4, "ee\ntwo and", `3-4 "ee\ntwo and"`},
		{"part with other line ends", strings.ReplaceAll(song, "\n", "\r\n"), 1, 2, "ee\ntwo and", `3-4 "ee\r\ntwo and"`},
		{"last line without an end", "a\nb", 1, 1, "b", `2-2 "b"`},
		{"the beginning alone", "zero\n" + song, 2, 4, "two\n", `3-5 "two\nthree\ntwo and a half\n"`},
		{"with empty lines at its end", "zero\na\n\n\nb\n", 1, 3, "a\n\n\n", `2-4 "a\n\n\n"`},
		{"gone", song, 2, 3, "zwei\n", `2-3 "two\nthree\n"`},
		{"blank", song, 2, 2, " \n\n", `2-2 "two\n"`},
		{"gone, and its lines in part", song, 6, 9, "zwei\n", `6-6 "two\n"`},
		{"gone with its lines", song, 8, 9, "zwei\n", "line 8 is beyond the end of a.md, which has 6 lines"},
		{"no lines", song, 0, 0, "three", `3-3 "three\n"`},
		{"all", song, 0, 0, "", fmt.Sprintf("1-6 %q", song)},
		{"empty", "", 0, 0, "three", `1-0 ""`},
		{"binary", "a\x00b", 1, 1, "a", "a.md: binary data, not text; the file is left as it is"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newOffice(t, ledger.Optimistic, ops.Options{}, "a.md", test.file)
			r, err := f.Again(ctx, ops.ReadRequest{Path: "a.md", From: test.from, To: test.to}, test.was)
			got := fmt.Sprintf("%d-%d %q", r.From, r.To, r.Text)
			if err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("read %s, want %s", got, test.want)
			}
		})
	}
}

// TestAgainShows: what was read counts as shown, and nothing else.
func TestAgainShows(t *testing.T) {
	tests := []struct {
		name    string
		was     string
		replace bool // as a whole
	}{
		{"all lines", "one\ntwo\n", true},
		{"one line", "two", false},
		{"part of a line", "tw", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newOffice(t, ledger.Optimistic, ops.Options{}, "a.md", "one\ntwo\n")
			if _, err := f.Again(ctx, ops.ReadRequest{Path: "a.md", From: 1, To: 1}, test.was); err != nil {
				t.Fatal(err)
			}
			_, err := f.Write(ctx, "write", ops.WriteRequest{Path: "a.md", Content: "new\n"})
			if (err == nil) != test.replace {
				t.Errorf("replacing it says: %v", err)
			}
			if test.replace {
				return
			}
			if _, err := f.Edit(ctx, "edit", ops.EditRequest{Path: "a.md", Edits: []ops.Edit{ops.Lines{From: 2, To: 2, Text: "zwei\n"}}}); err != nil {
				t.Errorf("editing it says: %v", err)
			}
		})
	}
}

// TestAgainBounded: of a long piece the beginning is read, also within a line.
func TestAgainBounded(t *testing.T) {
	f := newOffice(t, ledger.Optimistic, ops.Options{}, "a.md", "x\nääää ab\ncd\n")
	for _, test := range []struct{ was, want string }{
		{"ääää ab\ncd\n", `2-2 "ä" true`},
		{"äää ab\nc", `2-2 "ä" true`},
		{"cd\n", `3-3 "cd\n" false`},
	} {
		r, err := f.Again(ctx, ops.ReadRequest{Path: "a.md", From: 1, To: 1, MaxBytes: 3}, test.was)
		if got := fmt.Sprintf("%d-%d %q %v", r.From, r.To, r.Text, r.Truncated); err != nil || got != test.want {
			t.Errorf("%q: read %s, want %s (%v)", test.was, got, test.want, err)
		}
	}
}

// TestAgainClosed: what the policy closes is not looked into.
func TestAgainClosed(t *testing.T) {
	f := newOffice(t, ledger.Optimistic, ops.Options{Policy: workspace.ForDocuments()}, ".redline/a.md", "secret\n")
	if r, err := f.Again(ctx, ops.ReadRequest{Path: ".redline/a.md", From: 1, To: 1}, "secret"); err == nil || r.Text != "" {
		t.Errorf("read %+v, %v", r, err)
	}
}
