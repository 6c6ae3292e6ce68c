package ops_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/ledger"
	"redline/internal/ops"
)

// TestShell: what a command did belongs to the turn and is told by kind.
func TestShell(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{}, "a.md", "a\n", "b.md", "b\n", "c.md", "c\n", "old/x.md", "x\n", ".gitignore", "*.log\n")
	before := f.tree()
	ran, err := f.Shell(ctx, "bash", func(ctx context.Context, dir string) error {
		f.put("a.md", "changed\n")
		f.put("new/deep/n.md", "n\n")
		f.put("out.log", "ignored\n")
		for _, name := range []string{"b.md", "old/x.md", "old"} {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
		return os.Mkdir(filepath.Join(dir, "empty"), 0o755)
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
	ran, err := f.Shell(ctx, "bash", func(ctx context.Context, dir string) error { return os.RemoveAll(dir) })
	if d := cmp.Diff(ops.Ran{Deleted: []string{"a.md", "sub/b.md"}}, ran); d != "" || err != nil {
		t.Errorf("error %v, ran (-want +got):\n%s", err, d)
	}
}

// TestShellFails: the error of the command comes back, and what it did until then
// is on record.
func TestShellFails(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{}, "a.md", "a\n")
	failure := errors.New("no such program")
	ran, err := f.Shell(ctx, "bash", func(ctx context.Context, dir string) error {
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
	ran, err := f.Shell(ctx, "bash", func(context.Context, string) error { return nil })
	if d := cmp.Diff(ops.Ran{}, ran); d != "" || err != nil {
		t.Errorf("error %v, ran (-want +got):\n%s", err, d)
	}
}

// TestShellShared: what somebody else wrote while the command ran is named.
func TestShellShared(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{}, "a.md", "a\n")
	ran, err := f.Shell(ctx, "bash", func(ctx context.Context, dir string) error {
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

// TestShellStaged: under a review that keeps changes back no command runs.
func TestShellStaged(t *testing.T) {
	for _, review := range []ledger.Review{ledger.Hunks, ledger.WholeTurn} {
		f := newOffice(t, review, ops.Options{}, "a.md", "a\n")
		_, err := f.Shell(ctx, "bash", func(context.Context, string) error {
			t.Error("it ran")
			return nil
		})
		var e *ops.Error
		if !errors.As(err, &e) || e.Code != ops.Denied || !strings.Contains(strings.Join(e.Suggestions, " "), "auto or optimistic") {
			t.Errorf("%s: error %#v", review, err)
		}
	}
}

// TestShellOver: a turn that has ended runs nothing.
func TestShellOver(t *testing.T) {
	f := newOffice(t, ledger.Auto, ops.Options{})
	if _, err := f.turn.End(ctx); err != nil {
		t.Fatal(err)
	}
	_, err := f.Shell(ctx, "bash", func(context.Context, string) error { t.Error("it ran"); return nil })
	if e := ops.AsError(err); e == nil || e.Code != ops.TurnOver {
		t.Errorf("error %v", err)
	}
}
