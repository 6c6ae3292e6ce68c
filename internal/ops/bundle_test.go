package ops_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/diff"
	"redline/internal/ledger"
	"redline/internal/ops"
	"redline/internal/text"
	"redline/internal/wire"
)

// bundle ends the turn and compares what it changed with a golden file.
func (f *office) bundle(file string, decide func(r *ledger.TurnRecord)) wire.DiffBundle {
	f.t.Helper()
	r, err := f.turn.End(ctx)
	if err != nil {
		f.t.Fatal(err)
	}
	if decide != nil {
		decide(r)
		if r, err = f.ledger.Turn(ctx, r.ID); err != nil {
			f.t.Fatal(err)
		}
	}
	r.Job = "job_456"
	b, err := ops.Bundle(ctx, f.ledger, r)
	if err != nil {
		f.t.Fatal(err)
	}
	golden(f.t, "testdata/bundle/"+file, b)
	return b
}

// golden compares a value as JSON, with hashes, names of hunks and long
// lines replaced.
func golden(t *testing.T, file string, v any) {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`sha256:[0-9a-f]{64}`).ReplaceAllString(out.String(), "sha256:...")
	got = regexp.MustCompile(`(word ){9,}`).ReplaceAllString(got, "word word ... ")
	got = regexp.MustCompile(`"h_[0-9a-z]+_(\d+)"`).ReplaceAllString(got, `"h_$1"`)
	if *update {
		if err := os.MkdirAll("testdata/bundle", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got), renew it with -update:\n%s", file, d)
	}
}

// TestBundleShape: a bundle has the keys that the contract shows, and these types.
func TestBundleShape(t *testing.T) {
	shape := func(file string) map[string]string {
		data, err := os.ReadFile("testdata/bundle/" + file)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		out := map[string]string{}
		addShape(out, "", v)
		return out
	}
	ours := shape("edits.json")
	for path, kinds := range shape("seed.json") {
		for kind := range strings.FieldsSeq(kinds) {
			if !strings.Contains(ours[path], kind) {
				t.Errorf("%s is %q, want %s", path, ours[path], kind)
			}
		}
	}
	if got := ours[".files[].hunks[].accepted"]; !strings.Contains(got, "bool") || !strings.Contains(got, "nil") {
		t.Errorf("accepted is %s", got)
	}
}

// addShape notes the types of all values by their paths.
func addShape(out map[string]string, path string, v any) {
	out[path] += fmt.Sprintf("%T ", v)
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			addShape(out, path+"."+key, value)
		}
	case []any:
		for _, value := range v {
			addShape(out, path+"[]", value)
		}
	}
}

// lines are n lines of text, each a sentence with its number.
func lines(n int, word string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "%s %d.\n", word, i)
	}
	return b.String()
}

// TestBundle: the hunks of a proposal name the edits they come from: several
// edits of one file in one call, of which two meet, and a new file.
func TestBundle(t *testing.T) {
	f := newOffice(t, ledger.Hunks, ops.Options{}, "notes/team/onboarding.md", lines(30, "Line"))
	if _, err := f.Read(ctx, ops.ReadRequest{Path: "notes/team/onboarding.md"}); err != nil {
		t.Fatal(err)
	}
	_, err := f.Propose(ctx, "propose_edits", []ops.Proposed{
		{ID: "e_1", Path: "notes/team/onboarding.md", From: 14, To: 22, Text: lines(11, "New")},
		{ID: "e_2", Path: "notes/team/onboarding.md", From: 23, To: 23},
		{ID: "e_3", Path: "notes/team/onboarding.md", From: 2, To: 1, Text: "Inserted."},
		{ID: "e_4", Path: "notes/new.md", From: 1, To: 0, Text: "# New\n"},
		{ID: "e_5", Path: "notes/new.md", From: 1, To: 0, Text: "\nText\n"},
	})
	if err != nil {
		t.Fatal(err)
	}
	f.bundle("edits.json", func(r *ledger.TurnRecord) {
		h := r.Changes[1].Hunks
		if _, err := f.ledger.Decide(ctx, "s", []string{h[0].ID}, []string{h[2].ID}); err != nil {
			t.Fatal(err)
		}
	})
}

// TestBundleCalls: over several calls too, and where the text of one is edited by
// the next.
func TestBundleCalls(t *testing.T) {
	f := newOffice(t, ledger.Hunks, ops.Options{}, "a.md", "a\nb\nc\nd\ne\nf\ng")
	if _, err := f.Read(ctx, ops.ReadRequest{Path: "a.md"}); err != nil {
		t.Fatal(err)
	}
	for _, edits := range [][]ops.Proposed{
		{{ID: "e_1", Path: "a.md", From: 2, To: 2, Text: "B1\nB2"}},
		{{ID: "e_2", Path: "a.md", From: 3, To: 3, Text: "B two"}, {ID: "e_3", Path: "a.md", From: 9, To: 8, Text: "h"}},
	} {
		if _, err := f.Propose(ctx, "propose_edits", edits); err != nil {
			t.Fatal(err)
		}
	}
	f.bundle("calls.json", nil)
}

// TestBundleKinds: what happens to files as a whole, and a hunk that is too large.
func TestBundleKinds(t *testing.T) {
	word := strings.Repeat("word ", 2000)
	f := newOffice(t, ledger.Hunks, ops.Options{}, "gone.md", "old\ntext\n", "from.md", "moved\n", "big.md", word+"\n", "image.png", "\x00\x01")
	for _, name := range []string{"gone.md", "image.png"} {
		if _, err := f.Delete(ctx, "delete", name); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Move(ctx, "move", "from.md", "new/to.md"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Read(ctx, ops.ReadRequest{Path: "big.md"}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Propose(ctx, "propose_edits", []ops.Proposed{{ID: "e_1", Path: "big.md", From: 1, To: 1, Text: "short"}}); err != nil {
		t.Fatal(err)
	}
	b := f.bundle("kinds.json", nil)
	if !b.Files[0].Hunks[0].Oversized {
		t.Error("the large hunk is not marked")
	}
}

// TestBundlePatches: the patches of a file, one after the other, make what was
// proposed.
func TestBundlePatches(t *testing.T) {
	before := lines(200, "Line")
	f := newOffice(t, ledger.Hunks, ops.Options{}, "a.md", before)
	if _, err := f.Read(ctx, ops.ReadRequest{Path: "a.md"}); err != nil {
		t.Fatal(err)
	}
	_, err := f.Propose(ctx, "propose_edits", []ops.Proposed{
		{ID: "e_1", Path: "a.md", From: 5, To: 150, Text: lines(20, "First") + "\n" + lines(120, "Second")},
		{ID: "e_2", Path: "a.md", From: 151, To: 150, Text: "between"},
		{ID: "e_3", Path: "a.md", From: 151, To: 152},
	})
	if err != nil {
		t.Fatal(err)
	}
	want, err := f.Read(ctx, ops.ReadRequest{Path: "a.md"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.turn.End(ctx)
	if err != nil {
		t.Fatal(err)
	}
	b, err := ops.Bundle(ctx, f.ledger, r)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var changes []diff.Change
	for i, h := range r.Changes[0].Hunks {
		changes = append(changes, diff.Change{A: h.A, B: h.B})
		if n := h.A.Len() + h.B.Len(); n > 80 && !h.Oversized {
			t.Errorf("hunk %s has %d lines and is not marked", h.ID, n)
		}
		if b.Files[0].Hunks[i].Patch == "" || len(b.Files[0].Hunks[i].Edits) != 1 {
			t.Errorf("hunk %+v", b.Files[0].Hunks[i])
		}
		seen[b.Files[0].Hunks[i].Edits[0]] = true
	}
	got, err := diff.Apply(text.FromString(before), text.FromString(want.Text), changes)
	if err != nil || got.String() != want.Text {
		t.Errorf("the hunks do not make the text: %v", err)
	}
	if len(seen) != 3 || len(changes) < 4 {
		t.Errorf("%d hunks of edits %v", len(changes), seen)
	}
}
