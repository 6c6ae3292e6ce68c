package ops_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"redline/internal/ledger"
	"redline/internal/ops"
	"redline/internal/store/sqlite"
	"redline/internal/workspace"
)

// TestProposeDiskFull: a full disk takes the turn back, so nothing of a proposal
// is reported as made.
func TestProposeDiskFull(t *testing.T) {
	small := t.TempDir()
	if err := unix.Mount("tmpfs", small, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("cannot mount a small file system here: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(small, 0) })
	if err := os.WriteFile(filepath.Join(small, "a.md"), []byte("a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	folder, err := workspace.Open(small)
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "redline.db"))
	if err != nil {
		t.Fatal(err)
	}
	l, _, err := ledger.Open(ctx, folder, store, ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close(); store.Close(); folder.Close() })
	f := &office{t: t, dir: small, folder: folder, ledger: l}
	f.begin(ledger.Optimistic, ops.Options{})
	if _, err := f.Read(ctx, ops.ReadRequest{Path: "a.md"}); err != nil {
		t.Fatal(err)
	}
	made, err := f.Propose(ctx, "propose", []ops.Proposed{
		{ID: "small", Path: "a.md", From: 1, To: 1, Text: "changed"},
		{ID: "big", Path: "big.md", From: 1, To: 0, Text: strings.Repeat("too much\n", 1<<20)},
	})
	p := problems(err)
	if p == nil || len(made) > 0 || len(p.Made) > 0 || p.Problems[0].Err.Code != ops.NoSpace {
		t.Fatalf("made %v, error %v", made, err)
	}
	if got := f.tree(); got != `a.md "a\n"` {
		t.Errorf("the folder is %s", got)
	}
}
