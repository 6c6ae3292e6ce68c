package ledger_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/internal/ledger"
	"redline/internal/text"
	"redline/internal/workspace"
)

// everyKind makes one change of every kind.
func everyKind(t *testing.T, turn *ledger.Turn) {
	t.Helper()
	for _, name := range []string{"edit.md", "moved and edited.md"} {
		_, err := turn.Read(ctx, path(name))
		must(t, err)
	}
	_, err := turn.Write(ctx, "write", path("edit.md"), []byte("one\nTWO\nthree\n"), text.Hash{})
	must(t, err)
	_, err = turn.Create(ctx, "create", path("new/deep/file.md"), []byte("new\n"), 0)
	must(t, err)
	must(t, turn.Move(ctx, "move", path("move me.md"), path("there/moved.md")))
	must(t, turn.Move(ctx, "move", path("moved and edited.md"), path("there/edited.md")))
	_, err = turn.Read(ctx, path("there/edited.md"))
	must(t, err)
	_, err = turn.Write(ctx, "write", path("there/edited.md"), []byte("a\nB\nc\n"), text.Hash{})
	must(t, err)
	must(t, turn.Delete(ctx, "delete", path("delete me.md")))
	must(t, turn.Delete(ctx, "delete", path("dir")))
	must(t, turn.Move(ctx, "move", path("moved dir"), path("new name")))
	must(t, turn.MakeDir(ctx, "mkdir", path("empty folder")))
	must(t, turn.Chmod(ctx, "chmod", path("script.sh"), 0o755))
	_, err = turn.Read(ctx, path("image.bin"))
	must(t, err)
	_, err = turn.Write(ctx, "write", path("image.bin"), []byte("\x00\x02"), text.Hash{})
	must(t, err)
}

var everyKindFiles = []string{
	"edit.md", "one\ntwo\nthree\n", "move me.md", "moving\n", "moved and edited.md", "a\nb\nc\n", "delete me.md", "bye\n",
	"dir/x.md", "x\n", "dir/sub/y.md", "y\n", "moved dir/1.md", "1\n", "moved dir/in/2.md", "2\n", "script.sh", "#!/bin/sh\n",
	"image.bin", "\x00\x01", "untouched.md", "keep\r\nme",
}

func everyKindDesk(t *testing.T) *desk {
	d := newDesk(t, everyKindFiles...)
	if err := os.Symlink("untouched.md", filepath.Join(d.dir, "moved dir/link")); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestUndoOfUndo: law 3, for every kind of change, to a depth of six.
func TestUndoOfUndo(t *testing.T) {
	for _, review := range []ledger.Review{ledger.Optimistic, ledger.Auto, ledger.WholeTurn} {
		t.Run(string(review), func(t *testing.T) {
			d := everyKindDesk(t)
			before := d.tree()
			turn := d.begin(review)
			everyKind(t, turn)
			rec := d.end(turn)
			if review == ledger.WholeTurn {
				d.same(before, "before accept")
				must(t, d.Accept(ctx, rec.ID))
			}
			after := d.tree()
			if show(after) == show(before) {
				t.Fatal("nothing happened")
			}
			for round := range 3 {
				r, err := d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
				must(t, err)
				if !r.Clean() {
					t.Fatalf("round %d: undo: %+v", round, r)
				}
				d.same(before, "after undo")
				if got, _ := d.Turn(ctx, rec.ID); got.Status != ledger.Undone {
					t.Errorf("status %s after undo", got.Status)
				}
				r, err = d.Redo(ctx, ledger.UndoRequest{Turn: rec.ID})
				must(t, err)
				if !r.Clean() {
					t.Fatalf("round %d: redo: %+v", round, r)
				}
				d.same(after, "after redo")
			}
			if _, err := d.Redo(ctx, ledger.UndoRequest{Turn: rec.ID}); !errors.Is(err, ledger.NothingToUndo) {
				t.Errorf("redo of nothing: %v", err)
			}
		})
	}
}

// TestStagedView: the turn sees its changes and the disk does not.
func TestStagedView(t *testing.T) {
	for _, review := range []ledger.Review{ledger.Hunks, ledger.WholeTurn} {
		d := everyKindDesk(t)
		before := d.tree()
		turn := d.begin(review)
		everyKind(t, turn)
		d.same(before, "staged")
		s, err := turn.Read(ctx, path("there/edited.md"))
		must(t, err)
		if string(s.Data) != "a\nB\nc\n" {
			t.Errorf("read %q", s.Data)
		}
		list, err := turn.List(ctx, workspace.WalkOptions{})
		must(t, err)
		var names []string
		for _, l := range list {
			if l.IsFile() {
				names = append(names, l.Path.String())
			}
		}
		const want = "edit.md image.bin new/deep/file.md new name/1.md new name/in/2.md script.sh there/edited.md there/moved.md untouched.md"
		if got := strings.Join(names, " "); got != want {
			t.Errorf("listed\n%s\nwant\n%s", got, want)
		}
		if _, err := turn.Read(ctx, path("dir/x.md")); !errors.Is(err, workspace.NotFound) {
			t.Errorf("deleted file: %v", err)
		}
		if _, err := turn.Discard(ctx); err != nil {
			t.Error(err)
		}
		d.same(before, "discarded")
	}
}

// TestStagedIsTheDifference: the disk with what Staged lists over it is what the
// turn sees, with the turns before it that wait for a decision.
func TestStagedIsTheDifference(t *testing.T) {
	d := everyKindDesk(t)
	first := d.begin(ledger.Hunks)
	everyKind(t, first)
	d.end(first)
	turn := d.begin(ledger.Hunks)
	d.write(turn, "there/edited.md", "again\n")
	must(t, turn.Delete(ctx, "delete", path("new name/1.md")))
	must(t, turn.Move(ctx, "move", path("untouched.md"), path("touched.md")))

	got := map[string]string{}
	for name, content := range d.tree() {
		got[strings.TrimSuffix(name, "/")] = content
	}
	for _, s := range turn.Staged() {
		delete(got, s.Path.String())
		if s.Kind == ledger.Dir || s.Kind == ledger.Link {
			got[s.Path.String()] = ""
		}
		if s.Kind == ledger.File {
			data, err := turn.StagedContent(ctx, s)
			must(t, err)
			got[s.Path.String()] = s.Mode.String() + " " + string(data)
		}
	}
	want := map[string]string{}
	list, err := turn.List(ctx, workspace.WalkOptions{Policy: workspace.Without(".redline")})
	must(t, err)
	for _, l := range list {
		want[l.Path.String()] = ""
		if l.IsFile() {
			s, err := turn.Read(ctx, l.Path)
			must(t, err)
			want[l.Path.String()] = s.Mode.String() + " " + string(s.Data)
		}
	}
	if show(got) != show(want) {
		t.Errorf("the disk with the staged changes is\n%swant\n%s", show(got), show(want))
	}
	// What is on the disk at once is not staged.
	direct := d.begin(ledger.Auto)
	d.write(direct, "edit.md", "direct\n")
	if s := direct.Staged(); len(s) > 0 {
		t.Errorf("staged under auto: %v", s)
	}
}

// TestHunksRejectAllAndAcceptAll: law 3 under review "hunks".
func TestHunksRejectAllAndAcceptAll(t *testing.T) {
	want := func() map[string]string {
		d := everyKindDesk(t)
		turn := d.begin(ledger.Auto)
		everyKind(t, turn)
		d.end(turn)
		return d.tree()
	}()
	d := everyKindDesk(t)
	before := d.tree()
	turn := d.begin(ledger.Hunks)
	everyKind(t, turn)
	rec := d.end(turn)
	must(t, d.DecideAll(ctx, "s1", workspace.Path{}, false))
	if _, err := d.Apply(ctx, "s1"); err != nil {
		t.Error(err)
	}
	d.same(before, "reject all")
	if got, _ := d.Turn(ctx, rec.ID); got.Status != ledger.Rejected {
		t.Errorf("status %s", got.Status)
	}

	d = everyKindDesk(t)
	turn = d.begin(ledger.Hunks)
	everyKind(t, turn)
	rec = d.end(turn)
	must(t, d.DecideAll(ctx, "s1", workspace.Path{}, true))
	d.same(before, "accepted, not applied")
	if _, err := d.Apply(ctx, "s1"); err != nil {
		t.Fatal(err)
	}
	d.same(want, "accept all")
	if got, _ := d.Turn(ctx, rec.ID); got.Status != ledger.Accepted {
		t.Errorf("status %s", got.Status)
	}
	r, err := d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
	must(t, err)
	if !r.Clean() {
		t.Errorf("undo: %+v", r)
	}
	d.same(before, "undone")
}

func hunkIDs(r *ledger.TurnRecord) []string {
	var ids []string
	for _, c := range r.Changes {
		for _, h := range c.Hunks {
			ids = append(ids, h.ID)
		}
	}
	return ids
}

func TestAcceptSomeHunks(t *testing.T) {
	d := newDesk(t, "a.md", "a\nb\nc\nd\n")
	turn := d.begin(ledger.Hunks)
	d.write(turn, "a.md", "A\nb\nc\nD\n")
	rec := d.end(turn)
	ids := hunkIDs(rec)
	if len(ids) != 2 {
		t.Fatalf("hunks %v", ids)
	}
	if _, err := d.Decide(ctx, "s1", []string{"h_999"}, nil); !errors.Is(err, ledger.NotFound) {
		t.Errorf("unknown hunk: %v", err)
	}
	_, err := d.Decide(ctx, "s1", []string{ids[1], ids[1]}, ids[:1])
	must(t, err)
	files, err := d.Apply(ctx, "s1")
	must(t, err)
	if len(files) != 1 || files[0].Applied != 1 || files[0].Rejected != 1 {
		t.Errorf("applied %+v", files)
	}
	d.holds("a.md", "a\nb\nc\nD\n")
	if again, err := d.Apply(ctx, "s1"); err != nil || len(again) != 0 {
		t.Errorf("apply again: %v, %v", again, err)
	}
	if got, _ := d.Turn(ctx, rec.ID); got.Status != ledger.Partial {
		t.Errorf("status %s", got.Status)
	}
	notes, err := d.TakeNotes(ctx, "s1")
	must(t, err)
	if len(notes) != 1 || notes[0].Kind != ledger.NoteRejected || notes[0].Hunk != ids[0] {
		t.Errorf("notes %+v", notes)
	}
	if notes, _ := d.TakeNotes(ctx, "s1"); len(notes) != 0 {
		t.Errorf("told twice: %+v", notes)
	}
}

// TestApplyInSteps: some hunks now, the rest later.
func TestApplyInSteps(t *testing.T) {
	d := newDesk(t, "a.md", "a\nb\nc\nd\ne\n")
	turn := d.begin(ledger.Hunks)
	d.write(turn, "a.md", "A\nb\nC\nd\nE\n")
	ids := hunkIDs(d.end(turn))
	for i, want := range []string{"A\nb\nc\nd\ne\n", "A\nb\nC\nd\ne\n", "A\nb\nC\nd\nE\n"} {
		_, err := d.Decide(ctx, "s1", ids[i:i+1], nil)
		must(t, err)
		_, err = d.Apply(ctx, "s1")
		must(t, err)
		d.holds("a.md", want)
	}
}

func TestConflictAndRebase(t *testing.T) {
	d := newDesk(t, "a.md", "a\nb\nc\nd\ne\n")
	turn := d.begin(ledger.Hunks)
	d.write(turn, "a.md", "A\nb\nc\nd\ne\n")
	d.end(turn)
	d.put("a.md", "a\nb\nc\nd\nUSER\n")
	must(t, d.DecideAll(ctx, "s1", workspace.Path{}, true))
	_, err := d.Apply(ctx, "s1")
	var e *ledger.Error
	if !errors.As(err, &e) || e.Code != ledger.Conflict || len(e.Conflicts) != 1 || !e.Conflicts[0].Rebase {
		t.Fatalf("apply: %v, %+v", err, e)
	}
	d.holds("a.md", "a\nb\nc\nd\nUSER\n")
	must(t, d.Rebase(ctx, "s1", path("a.md")))
	_, err = d.Apply(ctx, "s1")
	must(t, err)
	d.holds("a.md", "A\nb\nc\nd\nUSER\n")

	// At the same place there is nothing to offer.
	turn = d.begin(ledger.Hunks)
	d.write(turn, "a.md", "A\nb\nc\nd\nAGENT\n")
	d.end(turn)
	d.put("a.md", "A\nb\nc\nd\nUSER AGAIN\n")
	must(t, d.DecideAll(ctx, "s1", workspace.Path{}, true))
	_, err = d.Apply(ctx, "s1")
	if !errors.As(err, &e) || e.Conflicts[0].Rebase {
		t.Errorf("apply: %v", err)
	}
	if err := d.Rebase(ctx, "s1", path("a.md")); !errors.Is(err, ledger.Conflict) {
		t.Errorf("rebase: %v", err)
	}
	d.holds("a.md", "A\nb\nc\nd\nUSER AGAIN\n")
}

// TestStackedTurns: the next turn of a session builds on what is pending.
func TestStackedTurns(t *testing.T) {
	d := newDesk(t, "a.md", "a\nb\nc\nd\ne\nf\ng\n")
	turn := d.begin(ledger.Hunks)
	d.write(turn, "a.md", "a\nB1\nB2\nc\nd\ne\nF\ng\n")
	first := hunkIDs(d.end(turn))
	turn = d.begin(ledger.Hunks)
	s, err := turn.Read(ctx, path("a.md"))
	must(t, err)
	if string(s.Data) != "a\nB1\nB2\nc\nd\ne\nF\ng\n" {
		t.Fatalf("the next turn reads %q", s.Data)
	}
	d.write(turn, "a.md", "a\nB1\nb2 again\nc\nd\ne\nF\nG\n")
	rec := d.end(turn)
	second := hunkIDs(rec)
	_, h := rec.Changes[0], rec.Changes[0].Hunks[0]
	if len(h.DependsOn) != 1 || h.DependsOn[0] != first[0] {
		t.Fatalf("depends on %v, want %v", h.DependsOn, first[0])
	}
	if deps := rec.Changes[0].Hunks[1].DependsOn; len(deps) != 0 {
		t.Errorf("the other depends on %v", deps)
	}
	// Rejecting the earlier alone is a conflict that names both.
	_, err = d.Decide(ctx, "s1", nil, first[:1])
	var e *ledger.Error
	if !errors.As(err, &e) || e.Code != ledger.Conflict || len(e.Conflicts) != 1 || len(e.Conflicts[0].Hunks) != 2 {
		t.Fatalf("reject: %v", err)
	}
	// The other session sees the disk.
	other, err := d.Begin(ctx, ledger.TurnRequest{Session: "s2", Review: ledger.Hunks})
	must(t, err)
	if s, err := other.Read(ctx, path("a.md")); err != nil || string(s.Data) != "a\nb\nc\nd\ne\nf\ng\n" {
		t.Errorf("another session reads %q, %v", s.Data, err)
	}
	// Without the first turn's second hunk, the second turn's second still fits.
	_, err = d.Decide(ctx, "s1", second[1:], append(first, second[0]))
	must(t, err)
	_, err = d.Apply(ctx, "s1")
	must(t, err)
	d.holds("a.md", "a\nb\nc\nd\ne\nf\nG\n")
}

// TestUndoOneOfStackedTurns: turns that were applied together are undone one by
// one.
func TestUndoOneOfStackedTurns(t *testing.T) {
	d := newDesk(t, "a.md", "a\nb\nc\nd\ne\n")
	var turns []string
	for _, content := range []string{"A\nb\nc\nd\ne\n", "A\nb\nc\nd\nE\n"} {
		turn := d.begin(ledger.Hunks)
		d.write(turn, "a.md", content)
		turns = append(turns, d.end(turn).ID)
	}
	must(t, d.DecideAll(ctx, "s1", workspace.Path{}, true))
	_, err := d.Apply(ctx, "s1")
	must(t, err)
	d.holds("a.md", "A\nb\nc\nd\nE\n")
	_, err = d.Undo(ctx, ledger.UndoRequest{Turn: turns[0]})
	must(t, err)
	d.holds("a.md", "a\nb\nc\nd\nE\n")
	_, err = d.Undo(ctx, ledger.UndoRequest{Turn: turns[1]})
	must(t, err)
	d.holds("a.md", "a\nb\nc\nd\ne\n")
}

func TestUserEditDuringReview(t *testing.T) {
	d := newDesk(t, "a.md", "a\nb\nc\nd\ne\n")
	turn := d.begin(ledger.Hunks)
	d.write(turn, "a.md", "A\nb\nc\nd\ne\n")
	agent := hunkIDs(d.end(turn))
	user, err := d.UserEdit(ctx, "s1", path("a.md"), []byte("A\nb\nc\nd\nE by user\n"))
	must(t, err)
	if user.Origin != ledger.User || user.Changes[0].Hunks[0].State != ledger.HunkAccepted {
		t.Errorf("recorded %+v", user)
	}
	log, err := d.ChangeLog(ctx, "s1", path("a.md"))
	must(t, err)
	if len(log) != 2 || log[0].Origin != ledger.Agent || log[1].Origin != ledger.User || log[0].Status != ledger.HunkPending || log[1].Status != ledger.HunkAccepted {
		t.Fatalf("change log %+v", log)
	}
	if log[0].Forward != "@@ -1,4 +1,4 @@\n-a\n+A\n b\n c\n d\n" || log[0].Reverse != "@@ -1,4 +1,4 @@\n-A\n+a\n b\n c\n d\n" || log[0].HashBefore != text.Sum([]byte("a\nb\nc\nd\ne\n")) {
		t.Errorf("entry %+v", log[0])
	}
	_, err = d.Decide(ctx, "s1", nil, agent)
	must(t, err)
	s, err := d.Buffer(ctx, "s1", path("a.md"))
	must(t, err)
	if string(s.Data) != "a\nb\nc\nd\nE by user\n" {
		t.Errorf("the buffer is %q", s.Data)
	}
	_, err = d.Apply(ctx, "s1")
	must(t, err)
	d.holds("a.md", "a\nb\nc\nd\nE by user\n")
}

func TestWholeTurnReview(t *testing.T) {
	d := newDesk(t, "a.md", "a\n", "b.md", "b\n")
	before := d.tree()
	turn := d.begin(ledger.WholeTurn)
	d.write(turn, "a.md", "A\n")
	rec := d.end(turn)
	if _, err := d.Begin(ctx, ledger.TurnRequest{Session: "s1", Review: ledger.WholeTurn}); !errors.Is(err, ledger.ReviewPending) {
		t.Fatalf("a new message: %v", err)
	}
	amended, err := d.Begin(ctx, ledger.TurnRequest{Session: "s1", Review: ledger.WholeTurn, Amend: true})
	must(t, err)
	if s, _ := amended.Read(ctx, path("a.md")); string(s.Data) != "A\n" {
		t.Errorf("the amending turn reads %q", s.Data)
	}
	d.write(amended, "b.md", "B\n")
	again := d.end(amended)
	if again.ID != rec.ID || len(again.Changes) != 2 {
		t.Errorf("amended: %+v", again)
	}
	d.same(before, "before accept")
	must(t, d.Accept(ctx, rec.ID))
	d.holds("a.md", "A\n")
	d.holds("b.md", "B\n")
	if _, err := d.Begin(ctx, ledger.TurnRequest{Session: "s1", Review: ledger.WholeTurn, Amend: true}); !errors.Is(err, ledger.NotFound) {
		t.Errorf("nothing to amend: %v", err)
	}
	turn = d.begin(ledger.WholeTurn)
	d.write(turn, "a.md", "never\n")
	rec = d.end(turn)
	if _, err := d.Reject(ctx, rec.ID); err != nil {
		t.Error(err)
	}
	d.holds("a.md", "A\n")
	if err := d.Accept(ctx, rec.ID); !errors.Is(err, ledger.Invalid) {
		t.Errorf("accept after reject: %v", err)
	}
}

// TestUndoKeepsWhatTheUserDid: law 6.
func TestUndoKeepsWhatTheUserDid(t *testing.T) {
	d := newDesk(t, "merge.md", "a\nb\nc\nd\ne\n", "clash.md", "a\nb\n", "del.md", "x\n", "mv.md", "a\nb\nc\nd\ne\n")
	turn := d.begin(ledger.Optimistic)
	d.write(turn, "merge.md", "A\nb\nc\nd\ne\n")
	d.write(turn, "clash.md", "a\nB\n")
	d.write(turn, "new.md", "new\n")
	d.write(turn, "folder/inner.md", "in\n")
	must(t, turn.Delete(ctx, "delete", path("del.md")))
	must(t, turn.Move(ctx, "move", path("mv.md"), path("to/mv.md")))
	rec := d.end(turn)
	d.put("merge.md", "A\nb\nc\nd\nUSER\n")
	d.put("clash.md", "a\nUSER\n")
	d.put("new.md", "new, edited by the user\n")
	d.put("folder/mine.md", "the user's\n")
	d.put("del.md", "another file of that name\n")
	d.put("to/mv.md", "a\nb\nc\nd\nUSER\n")
	r, err := d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
	must(t, err)
	got := map[string]ledger.Outcome{}
	for _, f := range r.Files {
		got[f.Path.String()] = f.Outcome
	}
	for name, want := range map[string]ledger.Outcome{
		"merge.md": ledger.FileRestored, "clash.md": ledger.FileConflicted, "new.md": ledger.FileConflicted, "folder/inner.md": ledger.FileRestored,
		"folder": ledger.FileSkipped, "del.md": ledger.FileConflicted, "mv.md": ledger.FileRestored,
	} {
		if got[name] != want {
			t.Errorf("%s: %s, want %s (%+v)", name, got[name], want, r.Files)
		}
	}
	d.holds("merge.md", "a\nb\nc\nd\nUSER\n")
	d.holds("clash.md", "a\nUSER\n")
	d.holds("new.md", "new, edited by the user\n")
	d.holds("folder/mine.md", "the user's\n")
	d.gone("folder/inner.md")
	d.holds("del.md", "another file of that name\n")
	d.holds("mv.md", "a\nb\nc\nd\nUSER\n")
	d.gone("to")
}

func TestUndoParts(t *testing.T) {
	d := newDesk(t, "a.md", "a\nb\nc\nd\ne\n", "b.md", "b\n")
	turn := d.begin(ledger.Optimistic)
	d.write(turn, "a.md", "A\nb\nc\nd\nE\n")
	d.write(turn, "b.md", "B\n")
	rec := d.end(turn)
	hunks := rec.Changes[0].Hunks
	_, err := d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID, Hunks: []string{hunks[1].ID}})
	must(t, err)
	d.holds("a.md", "A\nb\nc\nd\ne\n")
	d.holds("b.md", "B\n")
	_, err = d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID, Paths: []workspace.Path{path("b.md")}})
	must(t, err)
	d.holds("b.md", "b\n")
	d.holds("a.md", "A\nb\nc\nd\ne\n")
	r, err := d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
	must(t, err)
	if !r.Clean() {
		t.Errorf("%+v", r)
	}
	d.holds("a.md", "a\nb\nc\nd\ne\n")
	if _, err := d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID}); !errors.Is(err, ledger.NothingToUndo) {
		t.Errorf("again: %v", err)
	}
	if _, err := d.Undo(ctx, ledger.UndoRequest{Turn: "turn_none"}); !errors.Is(err, ledger.NotFound) {
		t.Errorf("no such turn: %v", err)
	}
}

func TestUndoLastActionAndOlderTurn(t *testing.T) {
	d := newDesk(t, "a.md", "1\n2\n3\n4\n5\n")
	turn := d.begin(ledger.Auto)
	d.write(turn, "a.md", "ONE\n2\n3\n4\n5\n")
	old := d.end(turn)
	turn = d.begin(ledger.Auto)
	d.write(turn, "a.md", "ONE\n2\n3\n4\nFIVE\n")
	d.write(turn, "b.md", "b\n")
	d.end(turn)
	_, err := d.Undo(ctx, ledger.UndoRequest{Session: "s1"}) // the last action
	must(t, err)
	d.gone("b.md")
	d.holds("a.md", "ONE\n2\n3\n4\nFIVE\n")
	_, err = d.Undo(ctx, ledger.UndoRequest{Turn: old.ID}) // an older turn, under a newer one
	must(t, err)
	d.holds("a.md", "1\n2\n3\n4\nFIVE\n")
}

func TestStaleWrites(t *testing.T) {
	d := newDesk(t, "a.md", "a\nb\nc\nd\n", "big.md", "1\n2\n", "other.md", "other\n")
	turn := d.begin(ledger.Auto)
	edit := func(old, new string) func(*text.Document) (*text.Document, []ledger.EditNote, error) {
		return func(doc *text.Document) (*text.Document, []ledger.EditNote, error) {
			doc, _, err := doc.ReplaceText([]byte(old), []byte(new), false)
			return doc, nil, err
		}
	}
	if _, err := turn.Write(ctx, "w", path("a.md"), []byte("x"), text.Hash{}); !errors.Is(err, ledger.Stale) {
		t.Errorf("write without reading: %v", err)
	}
	if _, err := turn.Edit(ctx, "e", ledger.EditRequest{Path: path("a.md"), Edit: edit("b", "B")}); !errors.Is(err, ledger.Stale) {
		t.Errorf("edit without reading: %v", err)
	}
	peeked, err := turn.Peek(ctx, path("big.md"))
	must(t, err)
	turn.Saw(peeked, text.Range{Start: 0, End: 1})
	if _, err := turn.Write(ctx, "w", path("big.md"), []byte("1\n"), text.Hash{}); !errors.Is(err, ledger.Stale) {
		t.Errorf("write after a partial read: %v", err)
	}
	if _, err := turn.Edit(ctx, "e", ledger.EditRequest{Path: path("big.md"), Edit: edit("2", "two")}); err != nil {
		t.Errorf("edit after a partial read: %v", err)
	}
	s, err := turn.Read(ctx, path("a.md"))
	must(t, err)
	// The same size, the same second.
	info, _ := os.Stat(filepath.Join(d.dir, "a.md"))
	d.put("a.md", "a\nb\nc\nX\n")
	os.Chtimes(filepath.Join(d.dir, "a.md"), info.ModTime(), info.ModTime())
	var stale *ledger.StaleError
	_, err = turn.Edit(ctx, "e", ledger.EditRequest{Path: path("a.md"), Token: s.Hash, Edit: edit("b", "B")})
	if !errors.As(err, &stale) || string(stale.Current.Data) != "a\nb\nc\nX\n" {
		t.Fatalf("a stale edit: %v", err)
	}
	if _, err := turn.Write(ctx, "w", path("a.md"), []byte("x"), s.Hash); !errors.Is(err, ledger.Stale) {
		t.Errorf("a stale whole write: %v", err)
	}
	if _, err := turn.Write(ctx, "w", path("a.md"), []byte("x"), text.Hash{}); !errors.Is(err, ledger.Stale) {
		t.Errorf("a whole write of what was read before the change: %v", err)
	}
	d.holds("a.md", "a\nb\nc\nX\n")
	other, err := turn.Read(ctx, path("other.md"))
	must(t, err)
	if _, err := turn.Edit(ctx, "e", ledger.EditRequest{Path: path("a.md"), Token: other.Hash, CarryOver: true, Edit: edit("b", "B")}); !errors.Is(err, ledger.Stale) {
		t.Errorf("the token of another file: %v", err)
	}
	// With the old text, carried over: the ranges do not overlap.
	got, err := turn.Edit(ctx, "e", ledger.EditRequest{Path: path("a.md"), Token: s.Hash, CarryOver: true, Edit: edit("b", "B")})
	if err != nil || string(got.Data) != "a\nB\nc\nX\n" {
		t.Fatalf("carried over: %v", err)
	}
	d.holds("a.md", "a\nB\nc\nX\n")
	if _, err := turn.Edit(ctx, "e", ledger.EditRequest{Path: path("a.md"), Token: s.Hash, CarryOver: true, Edit: edit("b", "beta")}); !errors.Is(err, ledger.Stale) {
		t.Errorf("carried over onto the same place: %v", err)
	}
}

func TestRollback(t *testing.T) {
	d := everyKindDesk(t)
	before := d.tree()
	turn := d.begin(ledger.Optimistic)
	everyKind(t, turn)
	rec := d.end(turn)
	d.put("edit.md", "the user's own\n")
	d.put("new/deep/file.md", "the user's too\n")
	dirty := d.tree()
	if _, err := d.Rollback(ctx, rec.Checkpoint, ledger.ScopedSelected, nil); !errors.Is(err, ledger.Invalid) {
		t.Errorf("scoped without hunks: %v", err)
	}
	if _, err := d.Rollback(ctx, "cp_none", ledger.HardAll, nil); !errors.Is(err, ledger.NotFound) {
		t.Errorf("no such checkpoint: %v", err)
	}
	d.events = nil
	r, err := d.Rollback(ctx, rec.Checkpoint, ledger.HardAll, nil)
	must(t, err)
	if !r.Clean() {
		t.Errorf("%+v", r)
	}
	d.same(before, "hard_all")
	if len(d.events) != 2 || d.events[0].Type != ledger.RollbackStarted || d.events[1].Type != ledger.RollbackCompleted {
		t.Errorf("events %+v", d.events)
	}
	if _, err := d.Undo(ctx, ledger.UndoRequest{Commit: r.Commit}); err != nil {
		t.Fatal(err)
	}
	d.same(dirty, "the rollback undone")
}

func TestScopedRollback(t *testing.T) {
	d := newDesk(t, "a.md", "a\nb\nc\nd\n")
	turn := d.begin(ledger.Optimistic)
	d.write(turn, "a.md", "A\nb\nc\nD\n")
	rec := d.end(turn)
	ids := hunkIDs(rec)
	d.put("a.md", "USER\nb\nc\nD\n")
	if _, err := d.Rollback(ctx, rec.Checkpoint, ledger.ScopedSelected, ids[:1]); !errors.Is(err, ledger.Conflict) {
		t.Errorf("overlap: %v", err)
	}
	d.holds("a.md", "USER\nb\nc\nD\n")
	_, err := d.Rollback(ctx, rec.Checkpoint, ledger.ScopedSelected, ids[1:])
	must(t, err)
	d.holds("a.md", "USER\nb\nc\nd\n")
	cp, err := d.Checkpoint(ctx, rec.Checkpoint)
	must(t, err)
	if len(cp.Files) != 1 || len(cp.Files[0].Hunks) != 2 || !strings.HasPrefix(cp.Files[0].Hunks[0].Reverse, "@@ -1,4 +1,4 @@") {
		t.Errorf("checkpoint %+v", cp)
	}
	d3, err := d.Diff3(ctx, rec.Checkpoint, path("a.md"))
	must(t, err)
	if string(d3.Base) != "a\nb\nc\nd\n" || string(d3.Proposed) != "A\nb\nc\nD\n" || string(d3.Current) != "USER\nb\nc\nd\n" {
		t.Errorf("diff3 %q", d3)
	}
}

func TestHistory(t *testing.T) {
	d := newDesk(t, "a.md", "1\n")
	for _, content := range []string{"2\n", "3\n"} {
		turn := d.begin(ledger.Auto)
		d.write(turn, "a.md", content)
		d.end(turn)
	}
	turn := d.begin(ledger.Auto)
	must(t, turn.Move(ctx, "move", path("a.md"), path("b.md")))
	d.end(turn)
	versions, err := d.History(ctx, path("b.md"))
	must(t, err)
	if len(versions) != 3 || versions[2].Path.String() != "a.md" {
		t.Fatalf("versions %+v", versions)
	}
	rec, err := d.RestoreVersion(ctx, "s1", path("b.md"), versions[2].Commit)
	must(t, err)
	d.holds("b.md", "2\n")
	_, err = d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
	must(t, err)
	d.holds("b.md", "3\n")
}

func TestShell(t *testing.T) {
	d := newDesk(t, "a.md", "a\n", "b.md", "b\n", "dir/c.md", "c\n", ".gitignore", "*.log\n", "x.log", "log\n", ".git/HEAD", "ref\n", "script.sh", "#!/bin/sh\n")
	before := d.tree()
	turn := d.begin(ledger.Auto)
	c, err := turn.Shell(ctx, "bash", func(c goContext) error {
		d.put("a.md", "changed\n")
		os.Remove(filepath.Join(d.dir, "b.md"))
		os.RemoveAll(filepath.Join(d.dir, "dir"))
		d.put("made/by/shell.md", "new\n")
		d.put("x.log", "more log\n")
		os.Chmod(filepath.Join(d.dir, "script.sh"), 0o755)
		os.Chtimes(filepath.Join(d.dir, ".gitignore"), farAway, farAway) // touched, not changed
		return errors.New("exit status 1")
	})
	if err == nil || err.Error() != "exit status 1" {
		t.Errorf("the command's error: %v", err)
	}
	if c == nil || len(c.Outside) != 1 || c.Outside[0].String() != "x.log" {
		t.Fatalf("commit %+v", c)
	}
	rec := d.end(turn)
	r, err := d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
	must(t, err)
	if !r.Clean() || len(r.Outside) != 1 {
		t.Errorf("undo %+v", r)
	}
	d.holds("x.log", "more log\n")
	d.put("x.log", "log\n")
	d.same(before, "undone")
	// Nothing changed, no commit.
	turn = d.begin(ledger.Auto)
	if c, err := turn.Shell(ctx, "bash", func(goContext) error { return nil }); c != nil || err != nil {
		t.Errorf("nothing changed: %+v, %v", c, err)
	}
	// A change by somebody else meanwhile is marked, and not undone unless named.
	other, err := d.Begin(ctx, ledger.TurnRequest{Session: "s2", Review: ledger.Auto})
	must(t, err)
	_, err = turn.Shell(ctx, "bash", func(goContext) error {
		d.write(other, "a.md", "somebody else's\n")
		d.put("b.md", "the command's\n")
		return nil
	})
	must(t, err)
	rec = d.end(turn)
	r, err = d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
	must(t, err)
	d.holds("a.md", "somebody else's\n")
	d.holds("b.md", "b\n")
	if !strings.Contains(r.Files[0].Reason, "may not have done") {
		t.Errorf("report %+v", r)
	}
}

// TestBaselineAcrossProcesses: another ledger takes the baseline over.
func TestBaselineAcrossProcesses(t *testing.T) {
	d := newDesk(t, "a.md", "a\n")
	must(t, d.Baseline(ctx))
	d.close()
	d.open()
	turn := d.begin(ledger.Auto)
	_, err := turn.Shell(ctx, "bash", func(goContext) error { return os.Remove(filepath.Join(d.dir, "a.md")) })
	must(t, err)
	rec := d.end(turn)
	_, err = d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
	must(t, err)
	d.holds("a.md", "a\n")
}
