package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"redline/internal/ledger"
	"redline/internal/store/sqlite"
	"redline/internal/text"
	"redline/internal/workspace"
)

// ledgerRows compare checkpoints and undo with git on the same files.
func ledgerRows(c corpora) []row {
	return []row{
		{name: "ledger: checkpoint and apply 100 of 20,000 files", ours: self("apply", c.work), anchorName: "git add -A && git commit", anchor: gitCommit100(c), limit: 0.5},
		{name: "ledger: undo of it", ours: self("undo", c.work), anchorName: "git checkout of 100 files", anchor: gitCheckout100(c), limit: 1.0},
		{name: "ledger: snapshot of 20,000 files again", ours: self("snapshot-again", c.notes), anchorName: "git status", anchor: process(git("-C", c.repo, "status", "--porcelain")), limit: 1.5},
		{name: "ledger: first snapshot of 20,000 files", ours: self("snapshot", c.notes), anchorName: "first git add -A && git commit", anchor: gitFirst(c), limit: 0.3, runs: 2},
		{name: "ledger: its size", ours: self("snapshot-size", c.notes), anchorName: "git's object folder", anchor: gitSize(c), limit: 1.0, unit: "MB", runs: 1},
		{name: "ledger: buffer of 1,000 hunks after a rejection (in process)", ours: self("thousand-hunks"), limit: 20},
	}
}

// openLedger opens a folder with a new database. done removes the database.
func openLedger(dir string) (l *ledger.Ledger, db string, done func(), err error) {
	state, err := os.MkdirTemp(filepath.Dir(dir), "state")
	if err != nil {
		return nil, "", nil, err
	}
	ctx := context.Background()
	f, err := workspace.Open(dir)
	if err != nil {
		return nil, "", nil, err
	}
	db = filepath.Join(state, "redline.db")
	s, err := sqlite.Open(ctx, db)
	if err != nil {
		return nil, "", nil, err
	}
	l, _, err = ledger.Open(ctx, f, s, ledger.Options{})
	return l, db, func() { l.Close(); s.Close(); f.Close(); os.RemoveAll(state) }, err
}

// hundred are every 200th file of a folder.
func hundred(dir string) ([]string, error) {
	var all, out []string
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && (e.Name() == ".git" || e.Name() == ".redline") {
			return filepath.SkipDir
		}
		if err == nil && e.Type().IsRegular() {
			rel, _ := filepath.Rel(dir, p)
			all = append(all, rel)
		}
		return err
	})
	for i := 0; i < len(all) && len(out) < 100; i += len(all) / 100 {
		out = append(out, all[i])
	}
	return out, err
}

// hundredEdits stages an edit of a hundred files, and returns how long it takes
// to check, record and write them, and how long to undo that.
func hundredEdits(dir string) (apply, undo time.Duration, err error) {
	l, _, done, err := openLedger(dir)
	if err != nil {
		return 0, 0, err
	}
	defer done()
	ctx := context.Background()
	files, err := hundred(dir)
	if err != nil {
		return 0, 0, err
	}
	t, err := l.Begin(ctx, ledger.TurnRequest{Session: "s", Review: ledger.WholeTurn})
	if err != nil {
		return 0, 0, err
	}
	for _, name := range files {
		s, err := t.Read(ctx, workspace.MustPath(name))
		if err != nil {
			return 0, 0, err
		}
		if _, err := t.Write(ctx, "bench", s.Path, append(s.Data, "changed\n"...), text.Hash{}); err != nil {
			return 0, 0, err
		}
	}
	start := time.Now()
	rec, err := t.End(ctx)
	if err != nil {
		return 0, 0, err
	}
	if err := l.Accept(ctx, rec.ID); err != nil {
		return 0, 0, err
	}
	apply = time.Since(start)
	l.Close() // what is synced behind is not part of the undo
	start = time.Now()
	report, err := l.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
	if err == nil && (!report.Clean() || len(report.Files) != len(files)) {
		err = fmt.Errorf("undo: %+v", report)
	}
	return apply, time.Since(start), err
}

func applyJob(args []string) error {
	apply, _, err := hundredEdits(args[0])
	fmt.Println(int64(apply))
	return err
}

func undoJob(args []string) error {
	_, undo, err := hundredEdits(args[0])
	fmt.Println(int64(undo))
	return err
}

func snapshotJob(args []string) error {
	l, _, done, err := openLedger(args[0])
	if err != nil {
		return err
	}
	defer done()
	start := time.Now()
	err = l.Baseline(context.Background())
	fmt.Println(int64(time.Since(start)))
	return err
}

// sizeJob prints the size of a first snapshot, a megabyte as a millisecond.
func sizeJob(args []string) error {
	l, db, done, err := openLedger(args[0])
	if err != nil {
		return err
	}
	defer done()
	if err := l.Baseline(context.Background()); err != nil {
		return err
	}
	size, err := folderSize(filepath.Dir(db))
	fmt.Println(int64(size))
	return err
}

func folderSize(dir string) (time.Duration, error) {
	out, err := exec.Command("du", "-sk", dir).Output()
	if err != nil {
		return 0, err
	}
	var kb int64
	_, err = fmt.Sscan(string(out), &kb)
	return time.Duration(kb) * time.Millisecond / 1024, err
}

func snapshotAgainJob(args []string) error {
	l, _, done, err := openLedger(args[0])
	if err != nil {
		return err
	}
	defer done()
	return repeat(func() error { return l.Baseline(context.Background()) })
}

func thousandHunksJob([]string) error {
	dir, err := os.MkdirTemp("", "redline-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	folder := filepath.Join(dir, "folder")
	var old, new strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&old, "This is line number %d of the document.\n", i)
		if i%20 == 0 {
			fmt.Fprintf(&new, "This was line number %d of the document.\n", i)
		} else {
			fmt.Fprintf(&new, "This is line number %d of the document.\n", i)
		}
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "a.md"), []byte(old.String()), 0o644); err != nil {
		return err
	}
	l, _, done, err := openLedger(folder)
	if err != nil {
		return err
	}
	defer done()
	ctx := context.Background()
	t, err := l.Begin(ctx, ledger.TurnRequest{Session: "s", Review: ledger.Hunks})
	if err != nil {
		return err
	}
	p := workspace.MustPath("a.md")
	if _, err := t.Read(ctx, p); err != nil {
		return err
	}
	if _, err := t.Write(ctx, "bench", p, []byte(new.String()), text.Hash{}); err != nil {
		return err
	}
	if _, err := t.End(ctx); err != nil {
		return err
	}
	ids, err := l.PendingHunks(ctx, "s")
	if err != nil || len(ids) != 1000 {
		return fmt.Errorf("%d hunks, %v", len(ids), err)
	}
	next := 0
	return repeat(func() error {
		if _, err := l.Decide(ctx, "s", nil, ids[next:next+1]); err != nil {
			return err
		}
		next += 100
		_, err := l.Buffer(ctx, "s", p)
		return err
	})
}

// The anchors.

func gitCommit100(c corpora) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		if _, err := touch100(c.repo); err != nil {
			return 0, err
		}
		start := time.Now()
		err := runGit(c.repo, []string{"add", "-A"}, commitArgs("more"))
		return time.Since(start), err
	}
}

func gitCheckout100(c corpora) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		files, err := touch100(c.repo)
		if err != nil {
			return 0, err
		}
		start := time.Now()
		err = runGit(c.repo, append([]string{"checkout", "-q", "HEAD", "--"}, files...))
		return time.Since(start), err
	}
}

func gitFirst(c corpora) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		dir := c.repo + "-first"
		defer os.RemoveAll(dir)
		if err := exec.Command("cp", "-r", c.notes, dir).Run(); err != nil {
			return 0, err
		}
		if err := runGit(dir, []string{"init", "-q"}); err != nil {
			return 0, err
		}
		start := time.Now()
		err := runGit(dir, []string{"add", "-A"}, commitArgs("first"))
		return time.Since(start), err
	}
}

func gitSize(c corpora) func() (time.Duration, error) {
	return func() (time.Duration, error) { return folderSize(filepath.Join(c.repo, ".git", "objects")) }
}

func commitArgs(message string) []string {
	return []string{"-c", "user.name=b", "-c", "user.email=b@example.com", "-c", "gc.auto=0", "commit", "-q", "-m", message}
}

func touch100(dir string) ([]string, error) {
	files, err := hundred(dir)
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		_, err = fmt.Fprintf(f, "changed %d\n", time.Now().UnixNano())
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

func runGit(dir string, calls ...[]string) error {
	for _, args := range calls {
		cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
		cmd.Env = gitEnv()
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
		}
	}
	return nil
}
