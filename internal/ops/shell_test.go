package ops_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/ledger"
	"redline/internal/ops"
)

// TestShell: what a command did belongs to the turn and is told by kind.
func TestShell(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{}, "a.md", "a\n", "b.md", "b\n", "c.md", "c\n", "old/x.md", "x\n", ".gitignore", "*.log\n")
	before := f.tree()
	ran, err := f.Shell(ctx, "bash", nil, func(ctx context.Context, scene ops.Scene) error {
		f.put("a.md", "changed\n")
		f.put("new/deep/n.md", "n\n")
		f.put("out.log", "ignored\n")
		for _, name := range []string{"b.md", "old/x.md", "old"} {
			if err := os.Remove(filepath.Join(scene.Dir, name)); err != nil {
				return err
			}
		}
		return os.Mkdir(filepath.Join(scene.Dir, "empty"), 0o755)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := ops.Ran{
		Created: []string{"empty/", "new/deep/n.md"}, Changed: []string{"a.md"}, Deleted: []string{"b.md", "old/x.md"},
		Outside: []string{"out.log"},
	}
	if d := cmp.Diff(want, ran); d != "" {
		t.Errorf("ran (-want +got):\n%s", d)
	}
	if _, err := f.turn.End(ctx); err != nil {
		t.Fatal(err)
	}
	if report, err := f.ledger.Undo(ctx, ledger.UndoRequest{Turn: f.turn.ID()}); err != nil || !report.Clean() {
		t.Fatalf("undo: %+v, %v", report, err)
	}
	if d := cmp.Diff(before+"\n"+`out.log "ignored\n"`, f.tree()); d != "" {
		t.Errorf("after the undo (-want +got):\n%s", d)
	}
}

// TestShellTakesAll: a command that deletes the folder itself is told by what was
// in it.
func TestShellTakesAll(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{}, "a.md", "a\n", "sub/b.md", "b\n")
	ran, err := f.Shell(ctx, "bash", nil, func(ctx context.Context, scene ops.Scene) error { return os.RemoveAll(scene.Dir) })
	if d := cmp.Diff(ops.Ran{Deleted: []string{"a.md", "sub/b.md"}}, ran); d != "" || err != nil {
		t.Errorf("error %v, ran (-want +got):\n%s", err, d)
	}
}

// TestShellFails: the error of the command comes back, and what it did until then
// is on record.
func TestShellFails(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{}, "a.md", "a\n")
	failure := errors.New("no such program")
	ran, err := f.Shell(ctx, "bash", nil, func(ctx context.Context, scene ops.Scene) error {
		f.put("a.md", "half\n")
		return failure
	})
	if !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	if d := cmp.Diff(ops.Ran{Changed: []string{"a.md"}}, ran); d != "" {
		t.Errorf("ran (-want +got):\n%s", d)
	}
}

// TestShellNothing: a command that only looks changes nothing.
func TestShellNothing(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{}, "a.md", "a\n")
	ran, err := f.Shell(ctx, "bash", nil, func(context.Context, ops.Scene) error { return nil })
	if d := cmp.Diff(ops.Ran{}, ran); d != "" || err != nil {
		t.Errorf("error %v, ran (-want +got):\n%s", err, d)
	}
}

// TestShellShared: what somebody else wrote while the command ran is named.
func TestShellShared(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{}, "a.md", "a\n")
	ran, err := f.Shell(ctx, "bash", nil, func(ctx context.Context, scene ops.Scene) error {
		other, err := f.ledger.Begin(ctx, ledger.TurnRequest{Session: "other", Review: ledger.Auto})
		if err != nil {
			return err
		}
		_, err = ops.New(f.folder, other, ops.Options{}).Create(ctx, "write", "theirs.md", "theirs\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(ops.Ran{Created: []string{"theirs.md"}, Shared: []string{"theirs.md"}}, ran); d != "" {
		t.Errorf("ran (-want +got):\n%s", d)
	}
}

// TestShellStaged: under a review that keeps changes back a command runs on a copy,
// with what the turn has changed before, and its changes wait.
func TestShellStaged(t *testing.T) {
	for _, review := range []ledger.Review{ledger.Hunks, ledger.WholeTurn} {
		f := newOffice(t, review, ops.Options{}, "a.md", "a\n", "b.md", "b\n")
		before := f.tree()
		if _, err := f.Create(ctx, "write", "c.md", "c\n"); err != nil {
			t.Fatal(err)
		}
		ran, err := f.Shell(ctx, "bash", nil, func(ctx context.Context, scene ops.Scene) error {
			if data, err := os.ReadFile(filepath.Join(scene.Copy, "c.md")); string(data) != "c\n" {
				t.Errorf("%s: the copy has %q, %v", review, data, err)
			}
			return errors.Join(os.WriteFile(filepath.Join(scene.Copy, "a.md"), []byte("changed\n"), 0o644), os.Remove(filepath.Join(scene.Copy, "b.md")))
		})
		if d := cmp.Diff(ops.Ran{Changed: []string{"a.md"}, Deleted: []string{"b.md"}, Waits: true}, ran); d != "" || err != nil {
			t.Errorf("%s: error %v, ran (-want +got):\n%s", review, err, d)
		}
		if d := cmp.Diff(before, f.tree()); d != "" {
			t.Errorf("%s: on the disk (-want +got):\n%s", review, d)
		}
	}
}

// TestShellEscapes: what happens to the folder itself while the command runs on a copy
// that does not hold it is told, and can be undone.
func TestShellEscapes(t *testing.T) {
	f := newOffice(t, ledger.Hunks, ops.Options{}, "a.md", "a\n")
	before := f.tree()
	ran, err := f.Shell(ctx, "bash", nil, func(ctx context.Context, scene ops.Scene) error {
		return os.WriteFile(filepath.Join(scene.Dir, "a.md"), []byte("past the copy\n"), 0o644)
	})
	if d := cmp.Diff(ops.Ran{Waits: true, Escaped: []string{"a.md"}}, ran); d != "" || err != nil {
		t.Fatalf("error %v, ran (-want +got):\n%s", err, d)
	}
	turns, err := f.ledger.Records(ctx, "")
	if err != nil || len(turns) != 1 {
		t.Fatalf("turns %v, %v", turns, err)
	}
	if report, err := f.ledger.Undo(ctx, ledger.UndoRequest{Turn: turns[0].ID}); err != nil || !report.Clean() {
		t.Fatalf("undo: %+v, %v", report, err)
	}
	if d := cmp.Diff(before, f.tree()); d != "" {
		t.Errorf("after the undo (-want +got):\n%s", d)
	}
}

// TestShellOver: a turn that has ended runs nothing.
func TestShellOver(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{})
	if _, err := f.turn.End(ctx); err != nil {
		t.Fatal(err)
	}
	_, err := f.Shell(ctx, "bash", nil, func(context.Context, ops.Scene) error { t.Error("it ran"); return nil })
	if e := ops.AsError(err); e == nil || e.Code != ops.TurnOver {
		t.Errorf("error %v", err)
	}
}
