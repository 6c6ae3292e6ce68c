package ops_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"redline/internal/ledger"
	"redline/internal/ops"
	"redline/internal/store/sqlite"
)

func problems(err error) *ops.ProposalError {
	var p *ops.ProposalError
	errors.As(err, &p)
	return p
}

// TestProposeAllOrNone: a proposal with a problem changes nothing, whatever the
// review, and names all problems in the order of the edits.
func TestProposeAllOrNone(t *testing.T) {
	for _, review := range []ledger.Review{ledger.Optimistic, ledger.Hunks} {
		f := newOffice(t, review, ops.Options{}, "a.md", "a\nb\n", "b.md", "b\n")
		before := f.tree()
		for _, name := range []string{"a.md", "b.md"} {
			if _, err := f.Read(ctx, ops.ReadRequest{Path: name}); err != nil {
				t.Fatal(err)
			}
		}
		_, err := f.Propose(ctx, "propose", []ops.Proposed{
			{ID: "1", Path: "b.md", From: 9, To: 9, Text: "x"},
			{ID: "2", Path: "a.md", From: 1, To: 1, Text: "fine"},
			{ID: "3", Path: "new.md", From: 1, To: 0, Text: "fine"},
			{ID: "4", Path: "a.md", From: 2, To: 2, Text: "b"},
			{ID: "5", Path: "b.md", From: 1, To: 1, Wrong: &ops.Error{Code: ops.Denied}},
			{ID: "6", Path: "new.md/below.md", From: 1, To: 0, Text: "in a document"},
		})
		p := problems(err)
		if p == nil || len(p.Made) > 0 {
			t.Fatalf("%s: %v", review, err)
		}
		var got []string
		for _, problem := range p.Problems {
			got = append(got, strings.Join(problem.IDs, "+")+" "+string(problem.Err.Code))
		}
		if want := "1 invalid_line_range, 4 no_change, 5 denied, 6 not_a_directory"; strings.Join(got, ", ") != want {
			t.Errorf("%s: problems %v, want %s", review, got, want)
		}
		if f.tree() != before {
			t.Errorf("%s: the folder was changed:\n%s", review, f.tree())
		}
		if r, err := f.turn.End(ctx); err != nil || r.Status != ledger.Empty {
			t.Errorf("%s: the turn is %s, %v", review, r.Status, err)
		}
	}
}

// TestProposeRace: another program writes between two files of a proposal. What
// was done is told, and the file that changed is left alone.
func TestProposeRace(t *testing.T) {
	f := newOffice(t, ledger.Optimistic, ops.Options{}, "a.md", "a\n", "b.md", "b\n", "c.md", "c\n")
	store, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "other.db"))
	if err != nil {
		t.Fatal(err)
	}
	meddled := false
	l, _, err := ledger.Open(ctx, f.folder, store, ledger.Options{Fault: func(string) {
		if !meddled {
			meddled = true
			f.put("b.md", "the user's\n")
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close(); store.Close() })
	f.ledger = l
	f.begin(ledger.Optimistic, ops.Options{})
	meddled = true // not yet
	var edits []ops.Proposed
	for _, name := range []string{"a", "b", "c"} {
		if _, err := f.Read(ctx, ops.ReadRequest{Path: name + ".md"}); err != nil {
			t.Fatal(err)
		}
		edits = append(edits, ops.Proposed{ID: "e_" + name, Path: name + ".md", From: 1, To: 1, Text: strings.ToUpper(name)})
	}
	meddled = false
	made, err := f.Propose(ctx, "propose", edits)
	p := problems(err)
	if p == nil || len(made) != 1 || len(p.Made) != 1 || p.Made[0].Path != "a.md" {
		t.Fatalf("made %+v, %v", made, err)
	}
	if len(p.Problems) != 2 || p.Problems[0].IDs[0] != "e_b" || p.Problems[0].Err.Code != ops.Stale || p.Problems[1].IDs[0] != "e_c" {
		t.Errorf("problems %v", err)
	}
	if got, want := f.tree(), "a.md \"A\\n\"\nb.md \"the user's\\n\"\nc.md \"c\\n\""; got != want {
		t.Errorf("the folder is\n%s\nwant\n%s", got, want)
	}
}

// TestProposeKnown: what counts as knowing the lines that an edit changes.
func TestProposeKnown(t *testing.T) {
	const now = "one\ntwo\nthree\n"
	tests := []struct {
		name string
		read *ops.ReadRequest // before another program wrote
		old  string           // the text then; "" if it has not changed
		want ops.Code
		edit func(hash func(from, to int) string) ops.Proposed
	}{
		{"never read", nil, "", ops.Stale, func(func(int, int) string) ops.Proposed { return ops.Proposed{From: 2, To: 2} }},
		{"never read, by the hash of the document", nil, "", "", func(h func(int, int) string) ops.Proposed { return ops.Proposed{From: 2, To: 2, Expected: h(1, 3)} }},
		{"never read, by the hash of the lines", nil, "", "", func(h func(int, int) string) ops.Proposed { return ops.Proposed{From: 2, To: 3, Expected: h(2, 3)} }},
		{"by the hash of other lines", nil, "", ops.Stale, func(h func(int, int) string) ops.Proposed { return ops.Proposed{From: 2, To: 2, Expected: h(1, 1)} }},
		{"read", &ops.ReadRequest{}, "", "", func(func(int, int) string) ops.Proposed { return ops.Proposed{From: 2, To: 2} }},
		{"other lines read", &ops.ReadRequest{From: 1, To: 1}, "", "", func(func(int, int) string) ops.Proposed { return ops.Proposed{From: 2, To: 2} }},
		{"a piece of a line read", &ops.ReadRequest{MaxBytes: 2}, "", ops.Stale, func(func(int, int) string) ops.Proposed { return ops.Proposed{From: 1, To: 1} }},
		{"a range that is not there read", &ops.ReadRequest{From: 7}, "", ops.Stale, func(func(int, int) string) ops.Proposed { return ops.Proposed{From: 1, To: 1} }},
		{"read, and changed since", &ops.ReadRequest{}, "one\ntwo\n3\n", ops.Stale, func(func(int, int) string) ops.Proposed { return ops.Proposed{From: 2, To: 2} }},
		{"changed elsewhere, by the hash of the lines", &ops.ReadRequest{}, "one\ntwo\n3\n", "", func(h func(int, int) string) ops.Proposed { return ops.Proposed{From: 2, To: 2, Expected: h(2, 2)} }},
		{"an insertion, by the hash of the line behind it", nil, "", "", func(h func(int, int) string) ops.Proposed {
			return ops.Proposed{From: 2, To: 1, Text: "x", Expected: h(2, 2)}
		}},
		{"at the end, by the hash of the last line", nil, "", ops.Stale, func(h func(int, int) string) ops.Proposed {
			return ops.Proposed{From: 4, To: 3, Text: "x", Expected: h(3, 3)}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newOffice(t, ledger.Hunks, ops.Options{}, "a.md", now)
			if tt.old != "" {
				f.put("a.md", tt.old)
			}
			if tt.read != nil {
				tt.read.Path = "a.md"
				f.Read(ctx, *tt.read) // a reading that fails is none
			}
			f.put("a.md", now)
			e := tt.edit(func(from, to int) string {
				other := newOffice(t, ledger.Hunks, ops.Options{}, "a.md", now)
				r, err := other.Read(ctx, ops.ReadRequest{Path: "a.md", From: from, To: to})
				if err != nil {
					t.Fatal(err)
				}
				return r.PartHash.String()
			})
			e.ID, e.Path = "e_1", "a.md"
			_, err := f.Propose(ctx, "propose", []ops.Proposed{e})
			got := ops.Code("")
			if p := problems(err); p != nil {
				got = p.Problems[0].Err.Code
				if p.Problems[0].Err.Near == nil {
					t.Error("the current lines are not shown")
				}
			} else if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("code %q, want %q: %v", got, tt.want, err)
			}
		})
	}
}

// TestProposeNear: what an error shows is bounded.
func TestProposeNear(t *testing.T) {
	f := newOffice(t, ledger.Hunks, ops.Options{}, "many.md", strings.Repeat("line\n", 5000), "wide.md", strings.Repeat("x", 1<<20)+"\n")
	_, err := f.Propose(ctx, "propose", []ops.Proposed{
		{ID: "many", Path: "many.md", From: 1, To: 5000, Text: "x"},
		{ID: "wide", Path: "wide.md", From: 1, To: 1, Text: "x"},
	})
	p := problems(err)
	if p == nil || len(p.Problems) != 2 {
		t.Fatal(err)
	}
	if n := p.Problems[0].Err.Near; n == nil || n.EndLine > 100 || strings.Count(n.Text, "\n") != n.EndLine-n.StartLine+1 {
		t.Errorf("of many lines it shows %+v", n)
	}
	if n := p.Problems[1].Err.Near; n != nil {
		t.Errorf("of a line that is too long it shows %d bytes", len(n.Text))
	}
}
