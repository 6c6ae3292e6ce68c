package ledger_test

import (
	"os"
	"path/filepath"
	"testing"

	"redline/internal/ledger"
	"redline/internal/text"
)

// did is what a command did in a copy of the folder of everyKindDesk.
func did() (effects []ledger.Effect, contents [][]byte) {
	file := func(data string) ledger.State {
		contents = append(contents, []byte(data))
		return ledger.State{Kind: ledger.File, Hash: text.Sum([]byte(data))}
	}
	from := func(name string) *ledger.Path { p := path(name); return &p }
	some := ledger.State{Kind: ledger.File}
	folder := ledger.State{Kind: ledger.Dir}
	add := func(name string, from *ledger.Path, before, after ledger.State) {
		effects = append(effects, ledger.Effect{Path: path(name), From: from, Before: before, After: after})
	}
	add("edit.md", nil, ledger.State{Kind: ledger.File, Hash: text.Sum([]byte("one\ntwo\nthree\n"))}, file("one\nTWO\nthree\n"))
	add("new", nil, ledger.State{}, folder)
	add("new/file.md", nil, ledger.State{}, file("new\n"))
	add("new/moved.md", from("move me.md"), some, some)
	add("new/edited.md", from("moved and edited.md"), some, file("a\nB\nc\n"))
	add("delete me.md", nil, some, ledger.State{})
	add("dir", nil, folder, ledger.State{})
	add("dir/x.md", nil, some, ledger.State{})
	add("dir/sub", nil, folder, ledger.State{})
	add("dir/sub/y.md", nil, some, ledger.State{})
	add("script.sh", nil, some, ledger.State{Kind: ledger.File, Mode: 0o755})
	add("moved dir/link", nil, ledger.State{Kind: ledger.Link}, file("a file now\n"))
	return effects, contents
}

// TestEnact: what was done in a copy becomes part of the turn under every review,
// as one commit, and can be undone.
func TestEnact(t *testing.T) {
	for _, review := range []ledger.Review{ledger.Optimistic, ledger.Auto, ledger.WholeTurn, ledger.Hunks} {
		t.Run(string(review), func(t *testing.T) {
			d := everyKindDesk(t)
			before := d.tree()
			turn := d.begin(review)
			effects, contents := did()
			enacted, err := turn.Enact(ctx, "bash", effects, contents...)
			must(t, err)
			if len(enacted) != len(effects) {
				t.Errorf("%d effects of %d were enacted", len(enacted), len(effects))
			}
			s, err := turn.Read(ctx, path("new/edited.md"))
			must(t, err)
			if string(s.Data) != "a\nB\nc\n" {
				t.Errorf("the turn sees %q", s.Data)
			}
			rec := d.end(turn)
			switch review {
			case ledger.WholeTurn:
				d.same(before, "before accept")
				must(t, d.Accept(ctx, rec.ID))
			case ledger.Hunks:
				d.same(before, "before accept")
				must(t, d.DecideAll(ctx, rec.Session, ledger.Path{}, true))
				_, err := d.Apply(ctx, rec.Session)
				must(t, err)
			}
			d.holds("edit.md", "one\nTWO\nthree\n")
			d.holds("new/moved.md", "moving\n")
			d.holds("new/edited.md", "a\nB\nc\n")
			d.holds("moved dir/link", "a file now\n")
			d.gone("dir")
			d.gone("move me.md")
			if info, err := os.Stat(filepath.Join(d.dir, "script.sh")); err != nil || info.Mode().Perm() != 0o755 {
				t.Errorf("script.sh: %v %v", info.Mode(), err)
			}
			after := d.tree()
			r, err := d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
			must(t, err)
			if !r.Clean() {
				t.Fatalf("undo: %+v", r)
			}
			d.same(before, "after undo")
			_, err = d.Redo(ctx, ledger.UndoRequest{Turn: rec.ID})
			must(t, err)
			d.same(after, "after undo of the undo")
		})
	}
}

// TestEnactStale: if something that was changed is no longer what the copy had,
// nothing at all is done.
func TestEnactStale(t *testing.T) {
	d := everyKindDesk(t)
	turn := d.begin(ledger.Auto)
	effects, contents := did()
	d.put("edit.md", "somebody else\n")
	before := d.tree()
	if _, err := turn.Enact(ctx, "bash", effects, contents...); ledger.CodeOf(err) != ledger.Stale {
		t.Errorf("enact: %v", err)
	}
	d.same(before, "after the refusal")
}
