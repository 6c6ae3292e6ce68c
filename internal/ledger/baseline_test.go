package ledger_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"redline/internal/ledger"
)

// settled is longer than the times of files may be too coarse to tell two changes
// apart.
const settled = 50 * time.Millisecond

// between are the things that somebody does between two commands. The folder is
// the one that TestBetweenCommands makes.
var between = map[string]func(*desk){
	"saves":               func(d *desk) { d.put("a.md", "the user's text\n") },
	"saves the same size": func(d *desk) { d.put("a.md", "B\n") },
	"saves the same size and sets the time back": func(d *desk) {
		info, err := os.Stat(filepath.Join(d.dir, "a.md"))
		must(d.t, err)
		d.put("a.md", "B\n")
		must(d.t, os.Chtimes(filepath.Join(d.dir, "a.md"), info.ModTime(), info.ModTime()))
	},
	"saves as editors do": func(d *desk) {
		d.put("a.md~", "B\n")
		must(d.t, os.Rename(filepath.Join(d.dir, "a.md~"), filepath.Join(d.dir, "a.md")))
	},
	"swaps two files": func(d *desk) {
		for _, names := range [][2]string{{"a.md", "x"}, {"dir/c.md", "a.md"}, {"x", "dir/c.md"}} {
			must(d.t, os.Rename(filepath.Join(d.dir, names[0]), filepath.Join(d.dir, names[1])))
		}
	},
	"makes a file":     func(d *desk) { d.put("dir/new.md", "new\n") },
	"makes a folder":   func(d *desk) { d.put("dir/deep/er/new.md", "new\n") },
	"deletes":          func(d *desk) { must(d.t, os.Remove(filepath.Join(d.dir, "dir/c.md"))) },
	"deletes a folder": func(d *desk) { must(d.t, os.RemoveAll(filepath.Join(d.dir, "dir"))) },
	"a file for a folder": func(d *desk) {
		must(d.t, os.RemoveAll(filepath.Join(d.dir, "dir")))
		d.put("dir", "a file now\n")
	},
	"a folder for a file": func(d *desk) {
		must(d.t, os.Remove(filepath.Join(d.dir, "a.md")))
		d.put("a.md/inside.md", "in a folder now\n")
	},
	"moves a folder": func(d *desk) {
		must(d.t, os.Rename(filepath.Join(d.dir, "dir"), filepath.Join(d.dir, "moved")))
	},
	"changes permissions": func(d *desk) { must(d.t, os.Chmod(filepath.Join(d.dir, "a.md"), 0o600)) },
	"stops hiding files":  func(d *desk) { d.put(".gitignore", "*.tmp\n") },
}

// TestBetweenCommands: whatever is done between two commands is not the second
// one's, and is there again when that is undone, however soon it was done.
func TestBetweenCommands(t *testing.T) {
	for name, does := range between {
		for _, soon := range []bool{false, true} {
			t.Run(name+map[bool]string{true: ", soon", false: ", late"}[soon], func(t *testing.T) {
				t.Parallel()
				d := newDesk(t, "a.md", "A\n", "dir/c.md", "c\n", "dir/sub/d.md", "d\n", "x.log", "hidden\n", "dir/y.log", "hidden\n", ".gitignore", "*.log\n")
				nothing := func(goContext) error { return nil }
				turn := d.begin(ledger.Auto)
				for range 3 { // all is listed, and then known
					if !soon {
						time.Sleep(settled)
					}
					if c, err := turn.Shell(ctx, "bash", nothing); c != nil || err != nil {
						t.Fatalf("nothing changed: %+v, %v", c, err)
					}
				}
				d.end(turn)
				does(d)
				before := d.tree()
				turn = d.begin(ledger.Auto)
				c, err := turn.Shell(ctx, "bash", func(goContext) error { return clobber(d) })
				must(t, err)
				if c == nil {
					t.Fatal("the command is not on record")
				}
				rec := d.end(turn)
				r, err := d.Undo(ctx, ledger.UndoRequest{Turn: rec.ID})
				must(t, err)
				if !r.Clean() {
					t.Errorf("undo %+v", r)
				}
				d.same(before, "undone")
			})
		}
	}
}

// clobber writes over every file that the ledger promised to bring back.
func clobber(d *desk) error {
	tree := d.tree()
	hidden := strings.Contains(tree[".gitignore"], "*.log")
	for name := range tree {
		if hidden && filepath.Ext(name) == ".log" || name == ".gitignore" || name[len(name)-1] == '/' {
			continue
		}
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte("the command's\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}
