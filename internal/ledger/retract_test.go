package ledger_test

import (
	"errors"
	"testing"

	"redline/internal/ledger"
)

// TestRetract: a rollback of every kind of change leaves the disk as it is until it is
// applied, and then the disk is what it was before the turn, whatever was done since.
func TestRetract(t *testing.T) {
	d := everyKindDesk(t)
	before := d.tree()
	turn := d.begin(ledger.Hunks)
	everyKind(t, turn)
	rec := d.end(turn)
	_, err := d.Decide(ctx, rec.Session, hunkIDs(rec), nil)
	must(t, err)
	_, err = d.Apply(ctx, rec.Session)
	must(t, err)
	d.put("edit.md", "the user's own\n")
	applied := d.tree()

	r, err := d.Retract(ctx, rec.Checkpoint, ledger.HardAll, nil)
	must(t, err)
	if !r.Clean() || len(r.Files) == 0 {
		t.Errorf("%+v", r)
	}
	d.same(applied, "before it is applied")
	s, err := d.Buffer(ctx, rec.Session, path("edit.md"))
	must(t, err)
	if string(s.Data) != "one\ntwo\nthree\n" {
		t.Errorf("the buffer has %q", s.Data)
	}
	_, err = d.Apply(ctx, rec.Session)
	must(t, err)
	d.same(before, "after it was applied")
}

// TestRetractPending: what only waits is gone at once, and later changes of the same
// files with it.
func TestRetractPending(t *testing.T) {
	d := newDesk(t, "a.md", "a\nb\nc\nd\n", "b.md", "b\n")
	turn := d.begin(ledger.Hunks)
	d.write(turn, "a.md", "A\nb\nc\nD\n")
	rec := d.end(turn)
	ids := hunkIDs(rec)
	_, err := d.Decide(ctx, rec.Session, ids[:1], nil)
	must(t, err)
	_, err = d.Apply(ctx, rec.Session)
	must(t, err)
	later := d.begin(ledger.Hunks)
	d.write(later, "a.md", "A\nb\nC\nD\n")
	d.write(later, "b.md", "B\n")
	d.end(later)

	_, err = d.Retract(ctx, rec.Checkpoint, ledger.HardAll, nil)
	must(t, err)
	for name, want := range map[string]string{"a.md": "a\nb\nc\nd\n", "b.md": "B\n"} {
		s, err := d.Buffer(ctx, rec.Session, path(name))
		must(t, err)
		if string(s.Data) != want {
			t.Errorf("the buffer of %s has %q, want %q", name, s.Data, want)
		}
	}
	d.holds("a.md", "A\nb\nc\nd\n")
	_, err = d.Apply(ctx, rec.Session)
	must(t, err)
	d.holds("a.md", "a\nb\nc\nd\n")
	d.holds("b.md", "b\n")
}

// TestRetractHunks: chosen hunks are taken back, what others did since stays, and where
// both are at one place nothing happens.
func TestRetractHunks(t *testing.T) {
	d := newDesk(t, "a.md", "a\nb\nc\nd\ne\nf\ng\n", "gone.md", "gone\n")
	turn := d.begin(ledger.Hunks)
	d.write(turn, "a.md", "A\nb\nc\nD\ne\nf\nG\n")
	must(t, turn.Delete(ctx, "delete", path("gone.md")))
	must(t, turn.Move(ctx, "move", path("a.md"), path("sub/a.md")))
	rec := d.end(turn)
	ids := map[ledger.HunkKind][]string{}
	for _, c := range rec.Changes {
		for _, h := range c.Hunks {
			ids[h.Kind] = append(ids[h.Kind], h.ID)
		}
	}
	_, err := d.Decide(ctx, rec.Session, hunkIDs(rec), nil)
	must(t, err)
	_, err = d.Apply(ctx, rec.Session)
	must(t, err)
	d.put("sub/a.md", "USER\nb\nc\nD\ne\nf\nG\n")

	for name, chosen := range map[string][]string{"overlap": {ids[ledger.TextHunk][0]}, "with others": {ids[ledger.TextHunk][0], ids[ledger.TextHunk][2]}} {
		if _, err := d.Retract(ctx, rec.Checkpoint, ledger.ScopedSelected, chosen); !errors.Is(err, ledger.Conflict) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := d.Retract(ctx, rec.Checkpoint, ledger.ScopedSelected, []string{"h_none"}); !errors.Is(err, ledger.NotFound) {
		t.Errorf("no such hunk: %v", err)
	}
	if _, err := d.Retract(ctx, rec.Checkpoint, ledger.ScopedSelected, nil); !errors.Is(err, ledger.Invalid) {
		t.Errorf("no hunks: %v", err)
	}
	if pending, err := d.PendingHunks(ctx, rec.Session); err != nil || len(pending) > 0 {
		t.Errorf("what was refused left %v, %v", pending, err)
	}
	_, err = d.Retract(ctx, rec.Checkpoint, ledger.ScopedSelected, []string{ids[ledger.TextHunk][2], ids[ledger.DeleteHunk][0], ids[ledger.MoveHunk][0]})
	must(t, err)
	d.holds("sub/a.md", "USER\nb\nc\nD\ne\nf\nG\n")
	d.gone("gone.md")
	_, err = d.Apply(ctx, rec.Session)
	must(t, err)
	d.holds("a.md", "USER\nb\nc\nD\ne\nf\ng\n")
	d.holds("gone.md", "gone\n")
	d.gone("sub/a.md")
	notes, err := d.TakeNotes(ctx, rec.Session)
	must(t, err)
	if len(notes) == 0 || notes[0].Kind != ledger.NoteRollback {
		t.Errorf("the model is told %+v", notes)
	}
}
