package ledger_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/internal/ledger"
	"redline/internal/text"
	"redline/internal/workspace"
)

// TestUndoHunkOfPartialApply: a hunk is taken back in the text that reached the
// disk, which is not the one the turn proposed.
func TestUndoHunkOfPartialApply(t *testing.T) {
	var lines []string
	for i := range 30 {
		lines = append(lines, fmt.Sprintf("line %d\n", i))
	}
	old := strings.Join(lines, "")
	d := newDesk(t, "a.md", old)
	turn := d.begin(ledger.Hunks)
	proposal := strings.Replace(old, "line 2\n", "line 2\nnew\nnew\nnew\n", 1)
	proposal = strings.Replace(proposal, "line 20\n", "LINE 20\n", 1)
	d.write(turn, "a.md", proposal)
	rec := d.end(turn)
	ids := hunkIDs(rec)
	_, err := d.Decide(ctx, "s1", ids[1:], ids[:1])
	must(t, err)
	_, err = d.Apply(ctx, "s1")
	must(t, err)
	d.holds("a.md", strings.Replace(old, "line 20\n", "LINE 20\n", 1))
	_, err = d.Rollback(ctx, rec.Checkpoint, ledger.ScopedSelected, ids[1:])
	must(t, err)
	d.holds("a.md", old)
}

// TestPartSeenStaysPartSeen: an edit after a partial read does not make the rest
// seen.
func TestPartSeenStaysPartSeen(t *testing.T) {
	d := newDesk(t, "a.md", "1\n2\n3\n")
	turn := d.begin(ledger.Auto)
	s, err := turn.Peek(ctx, path("a.md"))
	must(t, err)
	turn.Saw(s, text.Range{Start: 0, End: 1})
	_, err = turn.Edit(ctx, "edit", ledger.EditRequest{Path: path("a.md"), Edit: func(doc *text.Document) (*text.Document, []ledger.EditNote, error) {
		doc, _, err := doc.ReplaceText([]byte("1"), []byte("one"), false)
		return doc, nil, err
	}})
	must(t, err)
	if _, err := turn.Write(ctx, "write", path("a.md"), []byte("one\n"), text.Hash{}); !errors.Is(err, ledger.Stale) {
		t.Errorf("a whole write: %v", err)
	}
	d.holds("a.md", "one\n2\n3\n")
}

// TestPartsAddUp: who was shown all lines of a text, piece by piece, has seen it;
// pieces of different texts do not add up.
func TestPartsAddUp(t *testing.T) {
	for _, test := range []struct {
		name  string
		parts []text.Range
		other bool // the text changes after the first part
		want  bool
	}{
		{"in order", []text.Range{{Start: 0, End: 2}, {Start: 2, End: 4}}, false, true},
		{"backwards, overlapping", []text.Range{{Start: 2, End: 4}, {Start: 0, End: 3}}, false, true},
		{"with the middle last", []text.Range{{Start: 3, End: 4}, {Start: 0, End: 1}, {Start: 1, End: 3}}, false, true},
		{"a line left out", []text.Range{{Start: 0, End: 2}, {Start: 3, End: 4}}, false, false},
		{"the end left out", []text.Range{{Start: 0, End: 3}}, false, false},
		{"nothing", []text.Range{{}}, false, false},
		{"of two texts", []text.Range{{Start: 0, End: 2}, {Start: 2, End: 4}}, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDesk(t, "a.md", "1\n2\n3\n4\n")
			turn := d.begin(ledger.Auto)
			for i, part := range test.parts {
				s, err := turn.Peek(ctx, path("a.md"))
				must(t, err)
				turn.Saw(s, part)
				if test.other && i == 0 {
					d.put("a.md", "1\n2\n3\nfour\n")
				}
			}
			_, err := turn.Write(ctx, "write", path("a.md"), []byte("new\n"), text.Hash{})
			if seen := err == nil; seen != test.want {
				t.Errorf("a whole write: %v", err)
			}
		})
	}
}

// TestSawWhatWasRead: a file that changes between being read and being shown is not
// seen as it is now.
func TestSawWhatWasRead(t *testing.T) {
	d := newDesk(t, "a.md", "1\n")
	turn := d.begin(ledger.Auto)
	s, err := turn.Peek(ctx, path("a.md"))
	must(t, err)
	d.put("a.md", "1\n2\n")
	turn.Saw(s, text.Range{Start: 0, End: 1})
	if _, err := turn.Write(ctx, "write", path("a.md"), []byte("one\n"), text.Hash{}); !errors.Is(err, ledger.Stale) {
		t.Errorf("a whole write: %v", err)
	}
	d.holds("a.md", "1\n2\n")
}

// TestUndoTheRest: what an undo had to leave can be undone once it is possible.
func TestUndoTheRest(t *testing.T) {
	d := newDesk(t, "a.md", "a\n", "b.md", "b\n")
	turn := d.begin(ledger.Optimistic)
	d.write(turn, "a.md", "A\n")
	d.write(turn, "b.md", "B\n")
	rec := d.end(turn)
	d.put("b.md", "USER\n")
	r, err := d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
	must(t, err)
	if r.Clean() {
		t.Fatalf("%+v", r)
	}
	d.put("b.md", "B\n")
	r, err = d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
	must(t, err)
	if !r.Clean() {
		t.Errorf("%+v", r)
	}
	d.holds("a.md", "a\n")
	d.holds("b.md", "b\n")
}

// TestKindsChange: a file becomes a folder, a link a file, and back.
func TestKindsChange(t *testing.T) {
	for _, review := range []ledger.Review{ledger.Optimistic, ledger.WholeTurn} {
		d := newDesk(t, "x", "a file\n", "dir/y.md", "y\n")
		must(t, os.Symlink("x", filepath.Join(d.dir, "link")))
		before := d.tree()
		turn := d.begin(review)
		must(t, turn.Delete(ctx, "delete", path("x")))
		_, err := turn.Create(ctx, "create", path("x/in.md"), []byte("in\n"), 0)
		must(t, err)
		must(t, turn.Delete(ctx, "delete", path("link")))
		_, err = turn.Create(ctx, "create", path("link"), []byte("no link\n"), 0)
		must(t, err)
		must(t, turn.Delete(ctx, "delete", path("dir")))
		_, err = turn.Create(ctx, "create", path("dir"), []byte("no folder\n"), 0)
		must(t, err)
		rec := d.end(turn)
		if review == ledger.WholeTurn {
			must(t, d.Accept(ctx, rec.ID))
		}
		d.holds("x/in.md", "in\n")
		d.holds("link", "no link\n")
		d.holds("dir", "no folder\n")
		r, err := d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
		must(t, err)
		if !r.Clean() {
			t.Errorf("%+v", r)
		}
		d.same(before, "undone")
	}
}

// TestUndoOfReadOnly: a turn that made its file read-only can be undone.
func TestUndoOfReadOnly(t *testing.T) {
	d := newDesk(t, "a.md", "a\n")
	before := d.tree()
	turn := d.begin(ledger.Auto)
	d.write(turn, "a.md", "b\n")
	must(t, turn.Chmod(ctx, "chmod", path("a.md"), 0o444))
	rec := d.end(turn)
	_, err := d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
	must(t, err)
	d.same(before, "undone")
}

// TestUndoReopensHunks: undoing an apply while other hunks are open puts its
// hunks back to be decided.
func TestUndoReopensHunks(t *testing.T) {
	d := newDesk(t, "a.md", "a\nb\nc\nd\n")
	turn := d.begin(ledger.Hunks)
	d.write(turn, "a.md", "A\nb\nc\nD\n")
	ids := hunkIDs(d.end(turn))
	_, err := d.Decide(ctx, "s1", ids[:1], nil)
	must(t, err)
	_, err = d.Apply(ctx, "s1")
	must(t, err)
	_, err = d.Undo(ctx, ledger.UndoRequest{Session: "s1"})
	must(t, err)
	d.holds("a.md", "a\nb\nc\nd\n")
	open, err := d.PendingHunks(ctx, "s1")
	must(t, err)
	if len(open) != 2 {
		t.Errorf("open: %v", open)
	}
}

// TestNoLongerIgnored: a file that an ignore file hid when the baseline was taken
// is kept once it no longer does.
func TestNoLongerIgnored(t *testing.T) {
	d := newDesk(t, ".gitignore", "draft.md\n", "draft.md", "the user's\n")
	must(t, d.Baseline(ctx))
	d.put(".gitignore", "\n")
	turn := d.begin(ledger.Auto)
	_, err := turn.Shell(ctx, "bash", func(goContext) error { d.put("draft.md", "the command's\n"); return nil })
	must(t, err)
	rec := d.end(turn)
	_, err = d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
	must(t, err)
	d.holds("draft.md", "the user's\n")
}

// TestDiscardAfterAbort: an abort cancels the context, and the turn is taken
// back all the same.
func TestDiscardAfterAbort(t *testing.T) {
	d := newDesk(t, "a.md", "a\n")
	turn := d.begin(ledger.Optimistic)
	d.write(turn, "a.md", "b\n")
	ended, cancel := contextWithCancel()
	cancel()
	_, err := turn.Discard(ended)
	must(t, err)
	d.holds("a.md", "a\n")
}

// TestLinksDoNotKeepTheLedgerShut: a commit that moved a link can be synced.
func TestLinksDoNotKeepTheLedgerShut(t *testing.T) {
	d := newDesk(t, "a.md", "a\n")
	must(t, os.Symlink("a.md", filepath.Join(d.dir, "l")))
	turn := d.begin(ledger.Auto)
	must(t, turn.Move(ctx, "move", path("l"), path("m")))
	d.end(turn)
	d.rewind("")
	d.open()
	if _, err := d.folder.Readlink(workspace.MustPath("m")); err != nil {
		t.Error(err)
	}
}

// TestUndoEmptiesTheTrash: what an undo brings back leaves the trash; what is no
// longer there comes from the store.
func TestUndoEmptiesTheTrash(t *testing.T) {
	d := newDesk(t, "a.md", "a\n", "dir/b.md", "b\n")
	before := d.tree()
	for _, emptied := range []bool{false, true} {
		turn := d.begin(ledger.Auto)
		must(t, turn.Delete(ctx, "delete", path("a.md")))
		must(t, turn.Delete(ctx, "delete", path("dir")))
		rec := d.end(turn)
		items, err := d.folder.Trashes()
		must(t, err)
		if len(items) != 2 {
			t.Fatalf("in the trash: %+v", items)
		}
		if emptied {
			_, _, err := d.folder.EmptyTrash(farAway)
			must(t, err)
		}
		r, err := d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
		must(t, err)
		if !r.Clean() {
			t.Errorf("%+v", r)
		}
		d.same(before, "undone")
		if items, _ := d.folder.Trashes(); len(items) != 0 {
			t.Errorf("left in the trash: %+v", items)
		}
	}
}

// TestShellLinksAndGit: links are brought back, a file that grew too large is,
// and what happened to git's own folder is named.
func TestShellLinksAndGit(t *testing.T) {
	d := newDesk(t, "a.md", "a\n", "grows.md", "small\n", ".git/HEAD", "ref: refs/heads/main\n")
	must(t, os.Symlink("a.md", filepath.Join(d.dir, "gone")))
	must(t, os.Symlink("a.md", filepath.Join(d.dir, "changed")))
	before := d.tree()
	turn := d.begin(ledger.Auto)
	c, err := turn.Shell(ctx, "bash", func(goContext) error {
		os.Remove(filepath.Join(d.dir, "gone"))
		os.Remove(filepath.Join(d.dir, "changed"))
		os.Symlink("grows.md", filepath.Join(d.dir, "changed"))
		os.Symlink("a.md", filepath.Join(d.dir, "new"))
		d.put("grows.md", strings.Repeat("x", 11<<20))
		d.put(".git/HEAD", "ref: refs/heads/other\n")
		return nil
	})
	must(t, err)
	if len(c.Outside) != 1 || c.Outside[0].String() != ".git" {
		t.Errorf("outside: %v", c.Outside)
	}
	rec := d.end(turn)
	r, err := d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
	must(t, err)
	if !r.Clean() || len(r.Outside) != 1 {
		t.Errorf("%+v", r)
	}
	d.put(".git/HEAD", "ref: refs/heads/main\n")
	d.same(before, "undone")
}

// TestShellOtherKinds: a folder that a command makes a link or a file of, and the
// opposite, are undone and redone with what was in them.
func TestShellOtherKinds(t *testing.T) {
	tests := map[string]struct {
		gone string
		make func(at string) error
	}{
		"a folder becomes a link": {"d", func(at string) error { return os.Symlink("other", at) }},
		"a folder becomes a file": {"d", func(at string) error { return os.WriteFile(at, []byte("file\n"), 0o644) }},
		"a file becomes a folder": {"a.md", func(at string) error { return os.CopyFS(at, os.DirFS(filepath.Join(filepath.Dir(at), "d"))) }},
		"a link becomes a folder": {"link", func(at string) error { return os.CopyFS(at, os.DirFS(filepath.Join(filepath.Dir(at), "d"))) }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, "a.md", "a\n", "d/x.md", "x\n", "d/sub/y.md", "y\n", "other/o.md", "o\n")
			must(t, os.Symlink("other", filepath.Join(d.dir, "link")))
			before := d.tree()
			turn := d.begin(ledger.Auto)
			_, err := turn.Shell(ctx, "bash", func(goContext) error {
				at := filepath.Join(d.dir, test.gone)
				return errors.Join(os.RemoveAll(at), test.make(at))
			})
			must(t, err)
			rec, behind := d.end(turn), d.tree()
			for _, want := range []map[string]string{before, behind, before} {
				again := ledger.UndoRequest{Turn: rec.ID}
				r, err := d.Undo(ctx, again)
				if errors.Is(err, ledger.NothingToUndo) {
					r, err = d.Redo(ctx, again)
				}
				must(t, err)
				if !r.Clean() {
					t.Errorf("%+v", r)
				}
				d.same(want, "taken or brought back")
			}
		})
	}
}

// TestKilledCommand: what a command had changed when the process ended is on
// record, marked, and can be undone by name.
func TestKilledCommand(t *testing.T) {
	d := newDesk(t, "a.md", "a\n")
	turn := d.begin(ledger.Auto)
	_, err := turn.Shell(ctx, "bash", func(goContext) error {
		d.put("a.md", "half done\n")
		// As if the process ended here: another one opens the ledger.
		for r, err := range d.store.Load(ctx, ledger.Query{Kind: "turn", ID: turn.ID()}) {
			must(t, err)
			r.Body = bytes.Replace(r.Body, []byte(fmt.Sprintf(`"process":%d`, os.Getpid())), []byte(`"process":99999999`), 1)
			must(t, d.store.Save(ctx, ledger.Batch{Records: []ledger.Record{r}}))
		}
		l, recovery, err := ledger.Open(ctx, d.folder, d.store, ledger.Options{})
		must(t, err)
		if len(recovery.Interrupted) != 1 {
			t.Errorf("recovery %+v", recovery)
		}
		r, err := l.Undo(ctx, ledger.UndoRequest{Turn: turn.ID()})
		must(t, err)
		if len(r.Files) != 1 || r.Files[0].Outcome != ledger.FileSkipped {
			t.Errorf("undo without a name: %+v", r)
		}
		if rec, err := l.Turn(ctx, turn.ID()); err != nil || r.Commit != "" || !rec.Changes[0].Hunks[0].Applied {
			t.Errorf("what was passed over counts as taken back: %+v, %v", rec, err)
		}
		_, err = l.Undo(ctx, ledger.UndoRequest{Turn: turn.ID(), Paths: []workspace.Path{path("a.md")}, Unattributed: true})
		must(t, err)
		d.holds("a.md", "a\n")
		return l.Close()
	})
	must(t, err)
}

// TestUserEditOnRejectedTurn: what the user typed on top of a turn that is then
// rejected stays, on the text as it was before.
func TestUserEditOnRejectedTurn(t *testing.T) {
	d := newDesk(t, "a.md", "1\n2\n3\n")
	turn := d.begin(ledger.WholeTurn)
	d.write(turn, "a.md", "ONE\n2\n3\n")
	rec := d.end(turn)
	_, err := d.UserEdit(ctx, "s1", path("a.md"), []byte("ONE\n2\nuser\n"))
	must(t, err)
	_, err = d.Reject(ctx, rec.ID)
	must(t, err)
	s, err := d.Buffer(ctx, "s1", path("a.md"))
	must(t, err)
	if string(s.Data) != "1\n2\nuser\n" {
		t.Errorf("the buffer is %q", s.Data)
	}
	_, err = d.Apply(ctx, "s1")
	must(t, err)
	d.holds("a.md", "1\n2\nuser\n")
	if got, _ := d.Turn(ctx, rec.ID); got.Status != ledger.Rejected {
		t.Errorf("the turn is %s", got.Status)
	}
}
