package ledger_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"redline/internal/ledger"
	"redline/internal/store/sqlite"
	"redline/internal/text"
	"redline/internal/workspace"
)

// desk is a folder with a ledger and a real database.
type desk struct {
	t      *testing.T
	dir    string
	db     string
	folder *workspace.Folder
	store  *sqlite.Store
	*ledger.Ledger
	events []ledger.Event
}

var ctx = context.Background()

// newDesk makes a folder of files, which are named in pairs of path and content.
func newDesk(t *testing.T, files ...string) *desk {
	t.Helper()
	base := t.TempDir()
	d := &desk{t: t, dir: filepath.Join(base, "folder"), db: filepath.Join(base, "state", "redline.db")}
	if err := os.Mkdir(d.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(files); i += 2 {
		d.put(files[i], files[i+1])
	}
	d.open()
	t.Cleanup(d.close)
	return d
}

func (d *desk) open() ledger.Recovery {
	d.t.Helper()
	var err error
	if d.folder, err = workspace.Open(d.dir); err != nil {
		d.t.Fatal(err)
	}
	if d.store, err = sqlite.Open(ctx, d.db); err != nil {
		d.t.Fatal(err)
	}
	var r ledger.Recovery
	d.Ledger, r, err = ledger.Open(ctx, d.folder, d.store, ledger.Options{Event: func(e ledger.Event) { d.events = append(d.events, e) }})
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

func (d *desk) close() {
	if d.Ledger != nil {
		d.Ledger.Close()
		d.store.Close()
		d.folder.Close()
		d.Ledger = nil
	}
}

// put writes to the disk as the user or another program would.
func (d *desk) put(name, content string) {
	d.t.Helper()
	full := filepath.Join(d.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

// tree is the whole folder, without Redline's own.
func (d *desk) tree() map[string]string {
	d.t.Helper()
	return diskTree(d.t, d.dir)
}

func diskTree(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		switch {
		case rel == ".redline":
			return filepath.SkipDir
		case rel == ".":
		case e.IsDir():
			out[rel+"/"] = ""
		case e.Type()&os.ModeSymlink != 0:
			target, _ := os.Readlink(p)
			out[rel] = "-> " + target
		default:
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			out[rel] = info.Mode().Perm().String() + " " + string(data)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func show(tree map[string]string) string {
	var names []string
	for name := range tree {
		names = append(names, name)
	}
	sort.Strings(names)
	var b strings.Builder
	for _, name := range names {
		b.WriteString(name + ": " + tree[name] + "\n")
	}
	return b.String()
}

func (d *desk) same(want map[string]string, what string) {
	d.t.Helper()
	if got := d.tree(); show(got) != show(want) {
		d.t.Errorf("%s: the folder is\n%swant\n%s", what, show(got), show(want))
	}
}

func (d *desk) holds(name, want string) {
	d.t.Helper()
	data, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil {
		d.t.Errorf("%s: %v", name, err)
	} else if string(data) != want {
		d.t.Errorf("%s holds %q, want %q", name, data, want)
	}
}

func (d *desk) gone(name string) {
	d.t.Helper()
	if _, err := os.Lstat(filepath.Join(d.dir, name)); err == nil {
		d.t.Errorf("%s is there", name)
	}
}

func path(s string) workspace.Path { return workspace.MustPath(s) }

func (d *desk) begin(review ledger.Review) *ledger.Turn {
	d.t.Helper()
	t, err := d.Begin(ctx, ledger.TurnRequest{Session: "s1", Job: "job_1", Message: "please", Review: review})
	if err != nil {
		d.t.Fatal(err)
	}
	return t
}

func (d *desk) end(t *ledger.Turn) *ledger.TurnRecord {
	d.t.Helper()
	r, err := t.End(ctx)
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

// write is a read and a whole write, as an agent would do it.
func (d *desk) write(t *ledger.Turn, name, content string) {
	d.t.Helper()
	if _, err := t.Read(ctx, path(name)); err != nil {
		if _, err := t.Create(ctx, "write", path(name), []byte(content), 0); err != nil {
			d.t.Fatal(err)
		}
		return
	}
	if _, err := t.Write(ctx, "write", path(name), []byte(content), text.Hash{}); err != nil {
		d.t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

type goContext = context.Context

var farAway = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

// mixedTurn changes n files in every way by turns.
func mixedTurn(d *desk, turn *ledger.Turn, n int) {
	for i := range n {
		name := fmt.Sprintf("dir%d/file%d.md", i%7, i)
		switch i % 5 {
		case 0, 1:
			d.write(turn, name, fmt.Sprintf("changed %d\nsame\nend %d\n", i, i))
		case 2:
			d.write(turn, fmt.Sprintf("new%d/file%d.md", i%3, i), fmt.Sprintf("new %d\n", i))
		case 3:
			must(d.t, turn.Move(ctx, "move", path(name), path(fmt.Sprintf("moved/file%d.md", i))))
			if i%2 == 0 {
				d.write(turn, fmt.Sprintf("moved/file%d.md", i), "moved and changed\n")
			}
		case 4:
			must(d.t, turn.Delete(ctx, "delete", path(name)))
		}
	}
}

func mixedFiles(n int) []string {
	var files []string
	for i := range n {
		if i%5 != 2 {
			files = append(files, fmt.Sprintf("dir%d/file%d.md", i%7, i), fmt.Sprintf("old %d\nsame\nend\n", i))
		}
	}
	return append(files, "untouched.md", "untouched\n")
}

func contextWithCancel() (goContext, func()) { return context.WithCancel(ctx) }
