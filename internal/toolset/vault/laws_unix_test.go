//go:build unix

package vault_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/ledger"
	"redline/internal/ops"
	"redline/internal/shell/tree"
	"redline/internal/toolset/toolsettest"
	"redline/internal/toolset/vault"
)

// TestLawLikeBash: random scripts leave the vault as real bash leaves a copy of it,
// under every review. Where changes wait, the turn sees after each script what bash
// has on the disk, the disk has nothing, and has it all when it is accepted; and then
// all of it can be taken back.
func TestLawLikeBash(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not here: ", err)
	}
	stories := 8
	if n, err := strconv.Atoi(os.Getenv("REDLINE_LAWS")); err == nil {
		stories = n
	}
	for _, review := range toolsettest.Reviews {
		t.Run(string(review), func(t *testing.T) {
			t.Parallel()
			for seed := range stories {
				likeBash(t, review, uint64(seed))
			}
		})
	}
}

// twin is a vault and a plain folder that are to be the same.
type twin struct {
	*toolsettest.Bench
	review ledger.Review
	real   string
	said   []string
}

func likeBash(t *testing.T, review ledger.Review, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 7))
	k := kit(vault.Options{Allow: allow(t, "+rm", "+rmdir", "+find -delete")})
	k.Review = review
	start := map[string]string{"a.md": "1\n2\n", "b.md": "b", "d/e.md": "1\n", "d/sub/f.md": "2\n", "my notes/x y.md": "3\n"}
	w := &twin{Bench: toolsettest.NewBench(t, k, start), review: review, real: t.TempDir()}
	for name, content := range start {
		put(t, filepath.Join(w.real, name), content, 0o644)
	}
	before := bare(os.DirFS(w.Dir))
	for i := range 1 + r.IntN(3) {
		if !w.script(t, i, script(r)) {
			t.Fatalf("story %d under review %s: %s", seed, review, strings.Join(w.said, "\n"))
		}
	}
	record := w.EndTurn()
	if record.Status == ledger.Empty {
		return
	}
	switch review {
	case ledger.Hunks:
		w.must(t, w.Ledger.DecideAll(t.Context(), record.Session, ledger.Path{}, true))
		_, err := w.Ledger.Apply(t.Context(), record.Session)
		w.must(t, err)
	case ledger.WholeTurn, ledger.Optimistic:
		w.must(t, w.Ledger.Accept(t.Context(), record.ID))
	}
	w.same(t, "accepted", bare(os.DirFS(w.real)), bare(os.DirFS(w.Dir)))
	_, err := w.Ledger.Undo(t.Context(), ledger.UndoRequest{Turn: record.ID})
	w.must(t, err)
	w.same(t, "taken back", before, bare(os.DirFS(w.Dir)))
}

func (w *twin) must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v after:\n%s", err, strings.Join(w.said, "\n"))
	}
}

func (w *twin) same(t *testing.T, what string, want, got map[string]string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("%s (-want +got):\n%s\nafter:\n%s", what, d, strings.Join(w.said, "\n"))
	}
}

// script runs a script in both, and compares.
func (w *twin) script(t *testing.T, i int, script string) bool {
	t.Helper()
	disk := bare(os.DirFS(w.Dir))
	arguments, _ := json.Marshal(map[string]string{"command": script})
	ours := play(t, w.Bench, strconv.Itoa(i), "bash", arguments)
	cmd := exec.Command("bash", "--norc", "-c", "umask 022\n"+script)
	cmd.Dir, cmd.Env = w.real, []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}
	theirs, err := cmd.CombinedOutput()
	w.said = append(w.said, "$ "+script, "ours:", ours.Output, "bash:", string(theirs)+fmt.Sprint(err))
	view := w.Desk(t.Context()).View(t.Context())
	if d := cmp.Diff(bare(os.DirFS(w.real)), bare(view)); d != "" {
		w.said = append(w.said, "the turn sees (-bash +turn):\n"+d)
		return false
	}
	w.same(t, "a walk", bare(view), walked(t, view))
	if w.review.Staged() {
		w.same(t, "the disk before anything is accepted", disk, bare(os.DirFS(w.Dir)))
	} else {
		w.same(t, "the disk", bare(view), bare(os.DirFS(w.Dir)))
	}
	return true
}

// A view goes through folders side by side.
var _ tree.Walker = (*ops.View)(nil)

// bare is what is in a file system: content and mode of files, folders, links.
func bare(f fs.FS) map[string]string {
	all := map[string]string{}
	err := fs.WalkDir(f, ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
		case name == ".redline":
			return fs.SkipDir // the trash
		case e.IsDir():
			all[name] = "folder"
		default:
			data, err := fs.ReadFile(f, name)
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			all[name] = info.Mode().String() + " " + string(data)
		}
		return nil
	})
	if err != nil {
		all["error"] = err.Error()
	}
	return all
}

// walked is what a walk over a view finds.
func walked(t *testing.T, v *ops.View) map[string]string {
	t.Helper()
	all := map[string]string{}
	var mu sync.Mutex
	err := v.Walk(t.Context(), ".", func(_ int, dir string, entries []fs.DirEntry, read func(string, []byte) ([]byte, error)) (enter []fs.DirEntry, err error) {
		mu.Lock()
		defer mu.Unlock()
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			if e.IsDir() {
				all[name] = "folder"
				enter = append(enter, e)
				continue
			}
			data, err := read(e.Name(), nil)
			if err != nil {
				return nil, err
			}
			info, err := e.Info()
			if err != nil {
				return nil, err
			}
			all[name] = info.Mode().String() + " " + string(data)
		}
		return enter, nil
	})
	if err != nil {
		all["error"] = err.Error()
	}
	return all
}

// script is a few random commands.
func script(r *rand.Rand) string {
	names := []string{"a.md", "b.md", "c.md", "d", "d/e.md", "d/sub", "d/sub/f.md", "'my notes'", "'my notes/x y.md'", "new", "new/a.md", "d/new"}
	name := func() string { return names[r.IntN(len(names))] }
	commands := []func() string{
		func() string { return fmt.Sprintf("echo %d > %s", r.IntN(9), name()) },
		func() string { return fmt.Sprintf("echo %d >> %s", r.IntN(9), name()) },
		func() string { return fmt.Sprintf("printf %d > %s", r.IntN(9), name()) },
		func() string { return fmt.Sprintf("mv %s %s", name(), name()) },
		func() string { return fmt.Sprintf("mv -n %s %s", name(), name()) },
		func() string { return fmt.Sprintf("cp %s %s", name(), name()) },
		func() string {
			from, to := name(), name()
			for strings.HasPrefix(to, strings.TrimSuffix(from, "'")) { // there cp makes as much as it finds first
				to = name()
			}
			return fmt.Sprintf("cp -r %s %s", from, to)
		},
		func() string { return fmt.Sprintf("mkdir %s", name()) },
		func() string { return fmt.Sprintf("mkdir -p %s", name()) },
		func() string { return fmt.Sprintf("touch %s", name()) },
		func() string { return fmt.Sprintf("rm %s", name()) },
		func() string { return fmt.Sprintf("rm -rf %s", name()) },
		func() string { return fmt.Sprintf("rmdir %s", name()) },
		func() string { return fmt.Sprintf("sed -i 's/1/one/; $!N' %s", name()) },
		func() string { return fmt.Sprintf("tac %s > t.md; mv t.md %s", name(), name()) },
		func() string { return fmt.Sprintf("sort %s > s.md && cp s.md %s", name(), name()) },
		func() string {
			return fmt.Sprintf("test -f %s && cat %s | tee -a log.md > /dev/null", name(), name())
		},
		func() string { return "for f in */; do echo in > \"$f/index.md\"; done" },
		func() string { return "find . -name '*.md' -type f -exec sed -i s/2/two/ {} +" },
		func() string { return "find . -type d -empty -delete" },
	}
	var list []string
	for range 1 + r.IntN(6) {
		list = append(list, commands[r.IntN(len(commands))]())
	}
	return strings.Join(list, "\n")
}
