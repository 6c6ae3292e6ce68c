package ledger_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"redline/internal/ledger"
	"redline/internal/text"
)

// told is an edit of a call by lines, counted from 0, as propose_edits makes it.
type told struct {
	id         string
	start, end int
	content    string
}

// tell makes the edits in one call.
func (d *desk) tell(turn *ledger.Turn, name string, edits ...told) {
	d.t.Helper()
	s, err := turn.Read(ctx, path(name))
	must(d.t, err)
	_, err = turn.Edit(ctx, "propose_edits", ledger.EditRequest{Path: path(name), Token: s.Hash, Edit: func(doc *text.Document) (*text.Document, []ledger.EditNote, error) {
		var list []text.Edit
		var notes []ledger.EditNote
		shift := 0
		for _, e := range edits {
			n := text.FromString(e.content).Lines()
			list = append(list, text.Edit{Range: text.Range{Start: e.start, End: e.end}, Content: []byte(e.content)})
			notes = append(notes, ledger.EditNote{ID: e.id, A: text.Range{Start: e.start, End: e.end}, B: text.Range{Start: e.start + shift, End: e.start + shift + n}})
			shift += n - (e.end - e.start)
		}
		edited, err := doc.Apply(list...)
		return edited, notes, err
	}})
	must(d.t, err)
}

// hunkEdits are the hunks of the only change of a turn: old lines, new lines,
// edits.
func hunkEdits(rec *ledger.TurnRecord) string {
	var list []string
	for _, c := range rec.Changes {
		for _, h := range c.Hunks {
			list = append(list, fmt.Sprintf("%s %d-%d %d-%d %s", h.Kind, h.A.Start, h.A.End, h.B.Start, h.B.End, strings.Join(h.Edits, "+")))
		}
	}
	return strings.Join(list, "\n")
}

// TestEditsOfHunks: every hunk names the edits that it comes from.
func TestEditsOfHunks(t *testing.T) {
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format+"\n", i)
		}
		return b.String()
	}
	tests := []struct {
		name  string
		text  string
		calls [][]told
		want  string
	}{
		{"one edit", "a\nb\nc\n", [][]told{{{"e_1", 1, 2, "B\n"}}}, "text 1-2 1-2 e_1"},
		{"one edit in two places", "a\nb\nc\n", [][]told{{{"e_1", 0, 3, "A\nb\nC\n"}}}, "text 0-1 0-1 e_1\ntext 2-3 2-3 e_1"},
		{"an insertion among equal lines", "x\nx\nx\n", [][]told{{{"e_1", 0, 0, "x\n"}}}, "text 3-3 3-4 e_1"},
		{"behind a last line without terminator", "a\nb", [][]told{{{"e_1", 2, 2, "c\n"}}}, "text 1-2 1-3 e_1"},
		{"the last line without terminator, and behind it", "a\nb", [][]told{{{"e_1", 1, 2, "B"}, {"e_2", 2, 2, "c"}}}, "text 1-2 1-3 e_1+e_2"},
		{"before the last line without terminator, and behind it", "a\nb\nc", [][]told{{{"e_1", 1, 2, "B\n"}, {"e_2", 3, 3, "d"}}}, "text 1-3 1-4 e_1+e_2"},
		{"an edit too large", many(100, "old %d"), [][]told{{{"e_1", 0, 1, "new\n"}, {"e_2", 10, 100, many(40, "line %d.")}}},
			"text 0-1 0-1 e_1\ntext 10-100 10-11 e_2\ntext 100-100 11-50 e_2"},
		{"another call elsewhere", "a\nb\nc\nd\ne\n", [][]told{{{"e_1", 0, 1, "A1\nA2\n"}}, {{"e_2", 4, 5, "D\n"}}}, "text 0-1 0-2 e_1\ntext 3-4 4-5 e_2"},
		{"another call before", "a\nb\nc\nd\ne\n", [][]told{{{"e_1", 3, 4, "D\n"}}, {{"e_2", 0, 1, ""}, {"e_3", 1, 1, "new\n"}}}, "text 0-1 0-0 e_2\ntext 1-1 0-1 e_3\ntext 3-4 3-4 e_1"},
		{"another call on the same lines", "a\nb\nc\n", [][]told{{{"e_1", 0, 1, "A\n"}, {"e_2", 1, 2, "B\n"}}, {{"e_3", 1, 2, "BB\n"}}}, "text 0-1 0-1 e_1\ntext 1-2 1-2 e_2+e_3"},
		{"an insertion taken back", "a\nb\nc\n", [][]told{{{"e_1", 1, 1, "x\n"}, {"e_2", 2, 3, "C\n"}}, {{"e_3", 1, 2, ""}}}, "text 2-3 2-3 e_2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t, "a.md", tt.text)
			turn := d.begin(ledger.Hunks)
			for _, call := range tt.calls {
				d.tell(turn, "a.md", call...)
			}
			if got := hunkEdits(d.end(turn)); got != tt.want {
				t.Errorf("hunks\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestEditsOfNewFile: the creation of a file names the edits that it is made of.
func TestEditsOfNewFile(t *testing.T) {
	d := newDesk(t)
	turn := d.begin(ledger.Hunks)
	_, err := turn.Create(ctx, "propose_edits", path("a.md"), []byte("a\nb\n"), 0, ledger.EditNote{ID: "e_1", B: text.Range{End: 2}})
	must(t, err)
	d.tell(turn, "a.md", told{"e_2", 2, 2, "c\n"})
	if got, want := hunkEdits(d.end(turn)), "create 0-0 0-0 e_1+e_2"; got != want {
		t.Errorf("hunks %s, want %s", got, want)
	}
}

// TestEditsAfterOthers: a call that tells nothing takes no edits away from others,
// and gets none.
func TestEditsAfterOthers(t *testing.T) {
	d := newDesk(t, "a.md", "a\nb\nc\nd\ne\n")
	turn := d.begin(ledger.Hunks)
	d.tell(turn, "a.md", told{"e_1", 0, 1, "A\n"}, told{"e_2", 2, 3, "C\n"})
	d.write(turn, "a.md", "A\nb\nC\nd\nEE\n")
	if got, want := hunkEdits(d.end(turn)), "text 0-1 0-1 e_1\ntext 2-3 2-3 e_2\ntext 4-5 4-5 "; got != want {
		t.Errorf("hunks\n%s\nwant\n%s", got, want)
	}
}

// TestNarrow: who proved to know some lines has not seen the rest of the file.
func TestNarrow(t *testing.T) {
	d := newDesk(t, "a.md", "a\nb\nc\n")
	turn := d.begin(ledger.Hunks)
	upper := func(token text.Hash, narrow bool, line int) error {
		_, err := turn.Edit(ctx, "edit", ledger.EditRequest{Path: path("a.md"), Token: token, Narrow: narrow, Edit: func(doc *text.Document) (*text.Document, []ledger.EditNote, error) {
			edited, err := doc.Replace(text.Range{Start: line, End: line + 1}, []byte(strings.ToUpper(string(doc.Line(line)))))
			return edited, nil, err
		}})
		return err
	}
	must(t, upper(text.Sum([]byte("a\nb\nc\n")), true, 0))
	if err := upper(text.Hash{}, false, 1); err == nil {
		t.Error("the session edits what it has not read")
	}
	_, err := turn.Read(ctx, path("a.md"))
	must(t, err)
	must(t, upper(text.Sum([]byte("A\nb\nc\n")), true, 1))
	must(t, upper(text.Hash{}, false, 2)) // it had read the text before, so it knows this one
}

// TestLawToldEdits: whatever the calls of a turn did, each of its hunks names
// edits, all hunks together make the text behind, and any of them can be decided
// without the others: no line runs into another.
func TestLawToldEdits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range lawRounds() {
		base := randomLines(r, "base", r.IntN(12))
		if r.IntN(3) == 0 {
			base = strings.TrimSuffix(base, "\n")
		}
		d := newDesk(t, "a.md", base)
		turn := d.begin(ledger.Hunks)
		tellAtRandom(r, d, turn)
		s, err := turn.Read(ctx, path("a.md"))
		must(t, err)
		rec := d.end(turn)
		if rec.Status == ledger.Empty {
			continue
		}
		var accept, reject []string
		for _, h := range rec.Changes[0].Hunks {
			if len(h.Edits) == 0 {
				t.Fatalf("round %d: a hunk without edits:\n%s", round, hunkEdits(rec))
			}
			if r.IntN(2) == 0 || round%2 == 0 {
				accept = append(accept, h.ID)
			} else {
				reject = append(reject, h.ID)
			}
		}
		_, err = d.Decide(ctx, "s1", accept, reject)
		must(t, err)
		_, err = d.Apply(ctx, "s1")
		must(t, err)
		if len(reject) == 0 {
			d.holds("a.md", string(s.Data))
			continue
		}
		data, err := os.ReadFile(filepath.Join(d.dir, "a.md"))
		must(t, err)
		known := strings.Split(base+"\n"+string(s.Data), "\n")
		for _, line := range strings.Split(string(data), "\n") {
			if !slices.Contains(known, line) {
				t.Errorf("round %d: the line %q is of neither text\n%s", round, line, hunkEdits(rec))
			}
		}
	}
}

// tellAtRandom makes up to three calls of up to four edits.
func tellAtRandom(r *rand.Rand, d *desk, turn *ledger.Turn) {
	d.t.Helper()
	n := 0
	for range 1 + r.IntN(3) {
		s, err := turn.Read(ctx, path("a.md"))
		must(d.t, err)
		var call []told
		lines := text.New(s.Data).Lines()
		for at := 0; at <= lines && len(call) < 4; {
			start := at + r.IntN(lines-at+1)
			end := min(lines, start+r.IntN(3))
			n++
			content := randomLines(r, fmt.Sprintf("new %d", n), r.IntN(3))
			if end == lines && r.IntN(2) == 0 {
				content = strings.TrimSuffix(content, "\n")
			}
			if content != "" || end > start {
				call = append(call, told{fmt.Sprintf("e_%d", n), start, end, content})
			}
			at = max(end+r.IntN(3), start+1)
		}
		if len(call) > 0 {
			d.tell(turn, "a.md", call...)
		}
	}
}

func randomLines(r *rand.Rand, word string, n int) string {
	var b strings.Builder
	for i := range n {
		if r.IntN(3) == 0 {
			b.WriteString("same\n")
		} else {
			fmt.Fprintf(&b, "%s %d\n", word, i)
		}
	}
	return b.String()
}
