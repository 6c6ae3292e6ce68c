package search_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"redline/internal/ledger"
	"redline/internal/search"
	"redline/internal/store/sqlite"
	"redline/internal/workspace"
)

// changesOf is what a turn sees and the disk does not have, for a search.
func changesOf(turn *ledger.Turn) []search.Change {
	var out []search.Change
	for _, s := range turn.Staged() {
		c := search.Change{Path: s.Path}
		if s.Kind == ledger.File {
			c.Read = func(ctx context.Context) ([]byte, error) { return turn.StagedContent(ctx, s) }
		}
		out = append(out, c)
	}
	return out
}

// TestTurn: a turn finds its own changes and those that wait for a decision,
// whether they are staged or on the disk; another session finds the disk.
func TestTurn(t *testing.T) {
	ctx := t.Context()
	path := workspace.MustPath
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, review := range []ledger.Review{ledger.Hunks, ledger.WholeTurn, ledger.Auto} {
		t.Run(string(review), func(t *testing.T) {
			base := t.TempDir()
			dir := filepath.Join(base, "folder")
			write(t, dir, "kept.md", []byte("a fox\n"))
			write(t, dir, "edited.md", []byte("one fox\ntwo\n"))
			write(t, dir, "deleted.md", []byte("a fox\n"))
			write(t, dir, "folder/a.md", []byte("a fox\n"))
			write(t, dir, "folder/b.md", []byte("b\n"))
			folder := openFolder(t, dir)
			store, err := sqlite.Open(ctx, filepath.Join(base, "redline.db"))
			must(err)
			defer store.Close()
			l, _, err := ledger.Open(ctx, folder, store, ledger.Options{})
			must(err)
			defer l.Close()
			begin := func(session string, amend bool) *ledger.Turn {
				turn, err := l.Begin(ctx, ledger.TurnRequest{Session: session, Review: review, Amend: amend})
				must(err)
				return turn
			}
			found := func(turn *ledger.Turn) string {
				view := search.View{Folder: folder, Policy: workspace.ForDocuments(), Changes: changesOf(turn)}
				return strings.Join(printed(content(t, view, literal("fox"))), " ")
			}

			turn := begin("s1", false)
			s, err := turn.Read(ctx, path("edited.md"))
			must(err)
			_, err = turn.Write(ctx, "write", s.Path, []byte("one\ntwo fox\n"), s.Hash)
			must(err)
			must(turn.Delete(ctx, "delete", path("deleted.md")))
			must(turn.Move(ctx, "move", path("folder"), path("moved/here")))
			_, err = turn.Create(ctx, "create", path("new.md"), []byte("new fox\n"), 0)
			must(err)
			const first = "edited.md:2:two fox kept.md:1:a fox moved/here/a.md:1:a fox new.md:1:new fox"
			if got := found(turn); got != first {
				t.Errorf("found %s\nwant  %s", got, first)
			}
			_, err = turn.End(ctx)
			must(err)

			next := begin("s1", review == ledger.WholeTurn)
			must(next.Delete(ctx, "delete", path("new.md")))
			_, err = next.Create(ctx, "create", path("deleted.md"), []byte("another fox\n"), 0)
			must(err)
			const second = "deleted.md:1:another fox edited.md:2:two fox kept.md:1:a fox moved/here/a.md:1:a fox"
			if got := found(next); got != second {
				t.Errorf("found %s\nwant  %s", got, second)
			}

			other := second // what is written at once is there for everybody
			if review != ledger.Auto {
				other = "deleted.md:1:a fox edited.md:1:one fox folder/a.md:1:a fox kept.md:1:a fox"
			}
			if got := found(begin("s2", false)); got != other {
				t.Errorf("another session found %s\nwant  %s", got, other)
			}
		})
	}
}
