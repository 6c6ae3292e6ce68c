package ledger_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"redline/internal/ledger"
	"redline/internal/workspace"
)

// states is the status of a turn and its hunks, as one reads them: "+" on the
// disk, "-" not.
func (d *desk) states(turn string) string {
	d.t.Helper()
	rec, err := d.Turn(ctx, turn)
	must(d.t, err)
	words := []string{string(rec.Status)}
	for _, c := range rec.Changes {
		for _, h := range c.Hunks {
			sign := "-"
			if h.Applied {
				sign = "+"
			}
			words = append(words, sign+string(h.State))
		}
	}
	return strings.Join(words, " ")
}

func (d *desk) stand(turn, want string) {
	d.t.Helper()
	if got := d.states(turn); got != want {
		d.t.Errorf("turn is %q, want %q", got, want)
	}
}

// TestPartsOnRecord: the record knows which hunks of a turn were taken back, and
// which came back.
func TestPartsOnRecord(t *testing.T) {
	for _, test := range []struct {
		review          ledger.Review
		ended           string
		first, firstTwo string // after undo of the first hunk, of the first file
		redone          string // … and redo of that
	}{
		{ledger.Optimistic, "pending +pending +pending +pending", "pending -rejected +pending +pending", "pending -rejected -rejected +pending", "pending -rejected +pending +pending"},
		{ledger.Auto, "accepted +accepted +accepted +accepted", "partial -rejected +accepted +accepted", "partial -rejected -rejected +accepted", "partial -rejected +accepted +accepted"},
		{ledger.WholeTurn, "accepted +accepted +accepted +accepted", "partial -rejected +accepted +accepted", "partial -rejected -rejected +accepted", "partial -rejected +accepted +accepted"},
		{ledger.Hunks, "accepted +accepted +accepted +accepted", "partial -rejected +accepted +accepted", "partial -rejected -rejected +accepted", "partial -rejected +accepted +accepted"},
	} {
		t.Run(string(test.review), func(t *testing.T) {
			d := newDesk(t, "a.md", "a\nb\nc\nd\ne\n", "b.md", "b\n")
			turn := d.begin(test.review)
			d.write(turn, "a.md", "A\nb\nc\nd\nE\n")
			d.write(turn, "b.md", "B\n")
			rec := d.end(turn)
			switch test.review {
			case ledger.WholeTurn:
				must(t, d.Accept(ctx, rec.ID))
			case ledger.Hunks:
				must(t, d.DecideAll(ctx, "s1", workspace.Path{}, true))
				_, err := d.Apply(ctx, "s1")
				must(t, err)
			}
			d.stand(rec.ID, test.ended)
			undo := func(r ledger.UndoRequest) {
				t.Helper()
				r.Turn = rec.ID
				report, err := d.Undo(ctx, r)
				must(t, err)
				if !report.Clean() {
					t.Errorf("%+v", report)
				}
			}
			undo(ledger.UndoRequest{Hunks: hunkIDs(rec)[:1]})
			d.stand(rec.ID, test.first)
			undo(ledger.UndoRequest{Paths: []workspace.Path{path("a.md")}})
			d.stand(rec.ID, test.firstTwo)
			_, err := d.Redo(ctx, ledger.UndoRequest{Turn: rec.ID})
			must(t, err)
			d.stand(rec.ID, test.redone)
			d.holds("a.md", "a\nb\nc\nd\nE\n")

			// The rest, part by part, leaves nothing: the turn is undone.
			undo(ledger.UndoRequest{Hunks: hunkIDs(rec)[2:]})
			undo(ledger.UndoRequest{Paths: []workspace.Path{path("a.md")}})
			if got := d.states(rec.ID); !strings.HasPrefix(got, "undone -rejected -") || strings.Contains(got, "+") {
				t.Errorf("nothing is left, and the turn is %q", got)
			}
			d.holds("a.md", "a\nb\nc\nd\ne\n")
			if _, _, err := d.LastTurn(ctx, "", nil); !errors.Is(err, ledger.NothingToUndo) {
				t.Errorf("a turn on the disk: %v", err)
			}
			_, err = d.Redo(ctx, ledger.UndoRequest{})
			must(t, err)
			if got := d.states(rec.ID); strings.HasPrefix(got, "undone") {
				t.Errorf("redone, and the turn is %q", got)
			}
			d.holds("a.md", "a\nb\nc\nd\nE\n")
		})
	}
}

// TestUndoPartOfOpenTurn: a hunk that is on the disk while others are open is open
// again when it is taken back, and can be applied again.
func TestUndoPartOfOpenTurn(t *testing.T) {
	d := newDesk(t, "a.md", "a\nb\nc\nd\ne\nf\ng\n")
	turn := d.begin(ledger.Hunks)
	d.write(turn, "a.md", "A\nb\nc\nD\ne\nf\nG\n")
	rec := d.end(turn)
	ids := hunkIDs(rec)
	accept := func(ids ...string) {
		t.Helper()
		_, err := d.Decide(ctx, "s1", ids, nil)
		must(t, err)
		_, err = d.Apply(ctx, "s1")
		must(t, err)
	}
	accept(ids[:2]...)
	d.stand(rec.ID, "pending +accepted +accepted -pending")
	_, err := d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID, Hunks: ids[:1]})
	must(t, err)
	d.stand(rec.ID, "pending -pending +accepted -pending")
	// Undo and redo of the whole turn do not bring back what was not there.
	_, err = d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
	must(t, err)
	d.stand(rec.ID, "pending -pending -pending -pending")
	_, err = d.Redo(ctx, ledger.UndoRequest{Turn: rec.ID})
	must(t, err)
	d.stand(rec.ID, "pending -pending +accepted -pending")
	d.holds("a.md", "a\nb\nc\nD\ne\nf\ng\n")
	accept(ids[0])
	d.holds("a.md", "A\nb\nc\nD\ne\nf\ng\n")
	d.stand(rec.ID, "pending +accepted +accepted -pending")
	accept(ids[2])
	d.stand(rec.ID, "accepted +accepted +accepted +accepted")
	d.holds("a.md", "A\nb\nc\nD\ne\nf\nG\n")
}

// TestUndoPartOfAFile: text, mode and move of one file are taken back by themselves,
// but for the move, on which the rest builds.
func TestUndoPartOfAFile(t *testing.T) {
	for _, test := range []struct {
		name string
		undo []int // hunks: the move, the mode, two of text
		at   string
		want string
	}{
		{"text", []int{2}, "b.md", "-rwxr-xr-x a\nb\nc\nd\nE\n"},
		{"mode", []int{1}, "b.md", "-rw-r--r-- A\nb\nc\nd\nE\n"},
		{"mode and text", []int{1, 3}, "b.md", "-rw-r--r-- A\nb\nc\nd\ne\n"},
		{"move", []int{0}, "a.md", "-rw-r--r-- a\nb\nc\nd\ne\n"},
		{"move and text", []int{0, 2}, "a.md", "-rw-r--r-- a\nb\nc\nd\ne\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t, "a.md", "a\nb\nc\nd\ne\n")
			turn := d.begin(ledger.Optimistic)
			must(t, turn.Move(ctx, "move", path("a.md"), path("b.md")))
			d.write(turn, "b.md", "A\nb\nc\nd\nE\n")
			must(t, turn.Chmod(ctx, "chmod", path("b.md"), 0o755))
			rec := d.end(turn)
			var ids []string
			for _, i := range test.undo {
				ids = append(ids, hunkIDs(rec)[i])
			}
			report, err := d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID, Hunks: ids})
			must(t, err)
			if !report.Clean() || len(report.Files) != 1 || report.Files[0].Path != path(test.at) {
				t.Errorf("%+v", report)
			}
			d.same(map[string]string{test.at: test.want}, test.name)
			_, err = d.Redo(ctx, ledger.UndoRequest{Turn: rec.ID})
			must(t, err)
			d.same(map[string]string{"b.md": "-rwxr-xr-x A\nb\nc\nd\nE\n"}, "redone")
			d.stand(rec.ID, "pending +pending +pending +pending +pending")
		})
	}
}

// TestUndoWithConflict: what was left in conflict is still on record as being on the
// disk, and the rest as taken back.
func TestUndoWithConflict(t *testing.T) {
	d := newDesk(t, "a.md", "a\n", "b.md", "b\n")
	turn := d.begin(ledger.Auto)
	d.write(turn, "a.md", "A\n")
	d.write(turn, "b.md", "B\n")
	rec := d.end(turn)
	d.put("b.md", "Bee, says the user\n")
	report, err := d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
	must(t, err)
	if report.Clean() {
		t.Errorf("%+v", report)
	}
	d.stand(rec.ID, "partial -rejected +accepted")
	d.put("b.md", "B\n")
	_, err = d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
	must(t, err)
	d.stand(rec.ID, "undone -rejected -accepted")
}

// TestKeep: hunks that are on the disk are accepted one by one, and what was taken
// back is not accepted with the rest.
func TestKeep(t *testing.T) {
	d := newDesk(t, "a.md", "a\nb\nc\nd\ne\n", "b.md", "b\n")
	turn := d.begin(ledger.Optimistic)
	d.write(turn, "a.md", "A\nb\nc\nd\nE\n")
	d.write(turn, "b.md", "B\n")
	rec := d.end(turn)
	ids := hunkIDs(rec)
	must(t, d.Keep(ctx, rec.ID, ids[:1]))
	d.stand(rec.ID, "pending +accepted +pending +pending")
	_, err := d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID, Hunks: ids[1:2]})
	must(t, err)
	if err := d.Keep(ctx, rec.ID, ids[1:2]); !errors.Is(err, ledger.Invalid) {
		t.Errorf("keep what is gone: %v", err)
	}
	if err := d.Keep(ctx, rec.ID, []string{"h_none_1"}); !errors.Is(err, ledger.NotFound) {
		t.Errorf("keep what never was: %v", err)
	}
	must(t, d.Accept(ctx, rec.ID))
	d.stand(rec.ID, "partial +accepted -rejected +accepted")
	if err := d.Keep(ctx, rec.ID, ids[:1]); !errors.Is(err, ledger.Invalid) {
		t.Errorf("keep when all is decided: %v", err)
	}
}

// TestRedoRollback: a rollback is taken back like an undo, and only once.
func TestRedoRollback(t *testing.T) {
	d := newDesk(t, "a.md", "a\n")
	turn := d.begin(ledger.Auto)
	d.write(turn, "a.md", "A\n")
	rec := d.end(turn)
	d.put("a.md", "A\nand the user's\n")
	_, err := d.Rollback(ctx, rec.Checkpoint, ledger.HardAll, nil)
	must(t, err)
	d.holds("a.md", "a\n")
	d.stand(rec.ID, "undone -accepted")
	_, err = d.Redo(ctx, ledger.UndoRequest{})
	must(t, err)
	d.holds("a.md", "A\nand the user's\n")
	d.stand(rec.ID, "accepted +accepted")
	if _, err := d.Redo(ctx, ledger.UndoRequest{}); !errors.Is(err, ledger.NothingToUndo) {
		t.Errorf("again: %v", err)
	}
}

// TestUndoNotes: the session hears of every file, and of a redo as such.
func TestUndoNotes(t *testing.T) {
	d := newDesk(t, "a.md", "a\n", "b.md", "b\n")
	turn := d.begin(ledger.Auto)
	d.write(turn, "a.md", "A\n")
	d.write(turn, "b.md", "B\n")
	rec := d.end(turn)
	told := func() string {
		notes, err := d.TakeNotes(ctx, "s1")
		must(t, err)
		var words []string
		for _, n := range notes {
			words = append(words, fmt.Sprint(n.Kind, " ", n.Path))
		}
		return strings.Join(words, ", ")
	}
	_, err := d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
	must(t, err)
	if got := told(); got != "undone a.md, undone b.md" {
		t.Errorf("told %q", got)
	}
	_, err = d.Redo(ctx, ledger.UndoRequest{Turn: rec.ID})
	must(t, err)
	if got := told(); got != "redone a.md, redone b.md" {
		t.Errorf("told %q", got)
	}
}

// TestEditHunk: the user's text stands in the place of a hunk's, with the line ends
// of the document, and no other byte is different.
func TestEditHunk(t *testing.T) {
	for _, test := range []struct {
		name, before, proposed string
		hunk                   int
		text, want             string
	}{
		{"other words", "a\nb\nc\nd\n", "A\nb\nc\nD\n", 1, "delta\n", "a\nb\nc\ndelta\n"},
		{"more lines", "a\nb\nc\n", "a\nB\nc\n", 0, "B1\nB2", "a\nB1\nB2\nc\n"},
		{"no lines", "a\nb\nc\n", "a\nB\nc\n", 0, "", "a\nc\n"},
		{"a deletion", "a\nb\nc\n", "a\nc\n", 0, "instead\n", "a\ninstead\nc\n"},
		{"a deletion as it is", "a\nb\nc\n", "a\nc\n", 0, "", "a\nc\n"},
		{"as proposed", "a\nb\nc\n", "a\nB\nc\n", 0, "B\n", "a\nB\nc\n"},
		{"carriage returns", "a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n", 0, "B1\nB2\n", "a\r\nB1\r\nB2\r\nc\r\n"},
		{"the last line", "a\nb\n", "a\nB\n", 0, "Bee", "a\nBee\n"},
		{"no final newline", "a\nb", "a\nB", 0, "Bee", "a\nBee"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t, "a.md", test.before)
			turn := d.begin(ledger.Hunks)
			d.write(turn, "a.md", test.proposed)
			rec := d.end(turn)
			must(t, d.EditHunk(ctx, "s1", hunkIDs(rec)[test.hunk], []byte(test.text)))
			_, err := d.Apply(ctx, "s1")
			must(t, err)
			d.holds("a.md", test.want)
		})
	}
	d := newDesk(t, "b.md", "b\n")
	turn := d.begin(ledger.Hunks)
	d.write(turn, "new.md", "the agent's\n")
	must(t, turn.Move(ctx, "move", path("b.md"), path("c.md")))
	rec := d.end(turn)
	ids := hunkIDs(rec) // c.md, new.md
	must(t, d.EditHunk(ctx, "s1", ids[1], []byte("the user's\n")))
	if err := d.EditHunk(ctx, "s1", ids[0], []byte("text\n")); !errors.Is(err, ledger.Invalid) {
		t.Errorf("edit of a move: %v", err)
	}
	if err := d.EditHunk(ctx, "s1", "h_none_1", nil); !errors.Is(err, ledger.NotFound) {
		t.Errorf("edit of nothing: %v", err)
	}
	_, err := d.Apply(ctx, "s1")
	must(t, err)
	d.holds("new.md", "the user's\n")
	d.holds("b.md", "b\n")
	if err := d.EditHunk(ctx, "s1", ids[1], nil); !errors.Is(err, ledger.Invalid) {
		t.Errorf("edit of what is on the disk: %v", err)
	}
}

// TestRestoreTrash: what was deleted comes back with its folders, overwrites
// nothing, and can be undone.
func TestRestoreTrash(t *testing.T) {
	d := newDesk(t, "notes/old.md", "old\n")
	turn := d.begin(ledger.Auto)
	must(t, turn.Delete(ctx, "delete", path("notes")))
	d.end(turn)
	d.gone("notes")
	items, err := d.folder.Trashes()
	must(t, err)
	if len(items) != 1 {
		t.Fatalf("trash: %+v", items)
	}
	d.put("notes/old.md", "another\n")
	if _, err := d.RestoreTrash(ctx, "s2", items[0].ID); workspace.CodeOf(err) != workspace.Exists {
		t.Errorf("over another file: %v", err)
	}
	d.holds("notes/old.md", "another\n")
	turn = d.begin(ledger.Auto)
	must(t, turn.Delete(ctx, "delete", path("notes")))
	d.end(turn)
	rec, err := d.RestoreTrash(ctx, "s2", items[0].ID)
	must(t, err)
	d.holds("notes/old.md", "old\n")
	if left, _ := d.folder.Trashes(); len(left) != 1 || left[0].ID == items[0].ID {
		t.Errorf("in the trash: %+v", left)
	}
	if _, err := d.RestoreTrash(ctx, "s2", items[0].ID); !errors.Is(err, ledger.NotFound) {
		t.Errorf("again: %v", err)
	}
	_, err = d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
	must(t, err)
	d.gone("notes")
}
