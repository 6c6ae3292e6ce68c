//go:build unix

package shell_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/internal/ledger"
	"redline/internal/shell"
	"redline/internal/store/sqlite"
	"redline/internal/workspace"
)

// theatre is a folder whose commands are rehearsed.
type theatre struct {
	t       *testing.T
	dir     string
	private string
	limit   workspace.CopyLimit
	ledger  *ledger.Ledger
	way     string
	sandbox *shell.Sandbox
}

// ways are those in which a command finds a double of the folder.
var ways = []string{"overlay", "copy under the same name", "copy"}

// hold tries a scene in one of these ways only.
func (h *theatre) hold(s ledger.Scene) error {
	if s.Upper != "" && h.way != ways[0] || h.way == ways[2] {
		return errors.New("not this way")
	}
	return shell.Mount(s.Dir, stage(s))
}

func stage(s ledger.Scene) shell.Stage {
	return shell.Stage{Copy: s.Copy, Upper: s.Upper, Work: s.Work}
}

// command is a line on a scene. As if nothing could be mounted, a copy has its own
// name on the last way.
func (h *theatre) command(s ledger.Scene, line string) shell.Command {
	c := shell.Command{Line: line, Dir: s.Dir, Stage: stage(s), Sandbox: h.sandbox, Timeout: 10 * time.Minute}
	if h.way == ways[2] {
		c.Dir, c.Stage = s.Copy, shell.Stage{}
	}
	return c
}

// newTheatre opens a folder that is there.
func newTheatre(t *testing.T, way, dir string) *theatre {
	t.Helper()
	h := &theatre{t: t, dir: dir, way: way, private: filepath.Join(t.TempDir(), "private")}
	h.open()
	return h
}

func (h *theatre) open() {
	h.t.Helper()
	folder, err := workspace.Open(h.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	store, err := sqlite.Open(h.t.Context(), filepath.Join(filepath.Dir(h.private), "redline.db"))
	if err != nil {
		h.t.Fatal(err)
	}
	h.ledger, _, err = ledger.Open(h.t.Context(), folder, store, ledger.Options{Private: h.private, MaxCopy: h.limit})
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { h.ledger.Close(); store.Close(); folder.Close() })
}

// requireWay skips where the system cannot go this way.
func (h *theatre) requireWay(turn *ledger.Turn) {
	h.t.Helper()
	if h.way == ways[2] {
		return
	}
	_, err := turn.Rehearse(h.t.Context(), "bash", h.hold, func(_ context.Context, s ledger.Scene) error {
		if (s.Upper != "") != (h.way == ways[0]) || shell.Mount(s.Dir, stage(s)) != nil {
			h.t.Skip("this system cannot")
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// rehearse runs a line.
func (h *theatre) rehearse(turn *ledger.Turn, line string) (shell.Result, ledger.Rehearsed) {
	h.t.Helper()
	var r shell.Result
	done, err := turn.Rehearse(h.t.Context(), "bash", h.hold, func(ctx context.Context, s ledger.Scene) (err error) {
		r, err = shell.Run(ctx, h.command(s, line))
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return r, done
}

func (h *theatre) begin(review ledger.Review) *ledger.Turn {
	h.t.Helper()
	turn, err := h.ledger.Begin(h.t.Context(), ledger.TurnRequest{Session: "s", Review: review})
	if err != nil {
		h.t.Fatal(err)
	}
	return turn
}

// accept ends a turn and takes all of it over.
func (h *theatre) accept(turn *ledger.Turn, review ledger.Review) {
	h.t.Helper()
	record, err := turn.End(h.t.Context())
	switch {
	case err != nil || record.Status == ledger.Empty:
	case review == ledger.WholeTurn:
		err = h.ledger.Accept(h.t.Context(), record.ID)
	default:
		if err = h.ledger.DecideAll(h.t.Context(), "s", workspace.Path{}, true); err == nil {
			_, err = h.ledger.Apply(h.t.Context(), "s")
		}
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// picture is a folder with modes and contents, without what is git's and Redline's.
func picture(t *testing.T, dir string) string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		if d.Name() == ".git" || d.Name() == ".redline" {
			return fs.SkipDir
		}
		name, _ := filepath.Rel(dir, path)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			list = append(list, name+"/")
		case d.Type()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(path)
			list = append(list, name+" -> "+target)
		default:
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			list = append(list, fmt.Sprintf("%s %v %q", name, info.Mode(), data))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(list)
	return strings.Join(list, "\n") + "\n"
}

// props makes a folder to play with.
const props = `umask 022
echo one > a.md; printf 'no newline' > b.md; printf 'crlf\r\n' > c.md; : > empty
mkdir -p d/e/f old "with space" ünï; echo deep > d/e/f/deep.md; echo 1 > old/1; echo 2 > old/2; echo s > "with space/x y.md"; echo u > ünï/☂.md
echo 'echo run' > run.sh; chmod 755 run.sh; ln -s a.md link; ln -s nowhere dangling; ln -s d/e folder-link
printf '\000\001binary' > bin; chmod 600 bin; echo gone > gone
`

// scripts are what commands do to a folder.
var scripts = []struct{ name, line string }{
	{"nothing", `cat a.md; ls -R >/dev/null`},
	{"the usual", `echo x >> a.md; rm b.md; mv c.md moved.md; mkdir e; chmod +x a.md`},
	{"by absolute names", `echo x >> "$PWD/a.md"; rm "$PWD/b.md"; mkdir -p "$PWD/new/deep"; echo n > "$PWD/new/deep/n.md"`},
	{"in place", `sed -i s/one/two/ a.md; perl -pi -e 's/deep/shallow/' d/e/f/deep.md 2>/dev/null || sed -i s/deep/shallow/ d/e/f/deep.md`},
	{"touched only", `touch a.md d/e/f/deep.md; chmod 644 a.md`},
	{"there and back", `mv a.md t; echo x >> t; sed -i '$d' t; mv t a.md; rm b.md; printf 'no newline' > b.md`},
	{"a folder goes", `rm -r d`},
	{"a folder goes and comes back", `rm -r old; mkdir old; echo 2 > old/2; echo 3 > old/3`},
	{"a folder moves", `mv old older; mv d/e/f "with space/"`},
	{"a folder becomes a file", `rm -r old; echo file > old`},
	{"a file becomes a folder", `rm a.md; mkdir a.md; echo in > a.md/in`},
	{"a file becomes a link", `rm a.md; ln -s b.md a.md`},
	{"a link becomes a file", `rm link; echo file > link`},
	{"a link changes", `ln -sfn c.md link; ln -sfn old folder-link; rm dangling`},
	{"through a link", `echo through >> link; echo new > folder-link/new`},
	{"names are exchanged", `mv a.md t; mv b.md a.md; mv t b.md`},
	{"modes", `chmod 600 a.md; chmod 755 b.md; chmod 644 run.sh; chmod 444 c.md`},
	{"binary", `printf '\000\002other' > bin; head -c 100000 /dev/zero > zeros`},
	{"hard links", `ln a.md hard; echo both >> hard`},
	{"odd names", `echo 1 > '-n'; echo 2 > "quote'\"name"; echo 3 > 'tab	name'; mkdir '...'; echo 4 > '.../x'; echo 5 > '*?['; rm "with space/x y.md"`},
	{"empty folders", `mkdir -p x/y/z; rmdir old 2>/dev/null; rm old/*; rmdir old`},
	{"a failing command", `echo half > a.md; false && echo never > b.md; exit 7`},
	{"emptied", `: > a.md; truncate -s 3 b.md`},
	{"everything goes", `rm -rf ./*`},
	{"another file system's tools", `tar cf t.tar old d && rm -r old d && tar xf t.tar && rm t.tar; cp -a "with space" copied`},
	{"git", `command -v git >/dev/null || exit 0; git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm one && echo x > a.md && git stash -q 2>/dev/null; git rm -q gone; git mv b.md renamed.md`},
}

// TestRehearse: a command in a double leaves the folder as it is; taken over, its
// changes make the folder what the command alone would have made of it. Given up,
// they leave nothing.
func TestRehearse(t *testing.T) {
	for w, way := range ways {
		t.Run(way, func(t *testing.T) {
			for i, script := range scripts {
				t.Run(script.name, func(t *testing.T) {
					if testing.Short() && i%len(ways) != w {
						t.Skip("in another way only")
					}
					t.Parallel()
					checkRehearsal(t, way, script.line, []ledger.Review{ledger.Hunks, ledger.WholeTurn}[i%2])
				})
			}
		})
	}
}

func checkRehearsal(t *testing.T, way, line string, review ledger.Review) {
	t.Helper()
	if way == ways[2] {
		line = strings.ReplaceAll(line, `"$PWD/`, `"./`) // they lead past the copy: see TestEscaped
	}
	alone, dir := t.TempDir(), t.TempDir()
	for _, d := range []string{alone, dir} {
		if r := run(t, shell.Command{Line: props, Dir: d}); r.ExitCode != 0 {
			t.Fatal(r.Stderr)
		}
	}
	before := picture(t, dir)
	want := run(t, shell.Command{Line: line, Dir: alone})
	h := newTheatre(t, way, dir)
	turn := h.begin(review)
	h.requireWay(turn)
	got, done := h.rehearse(turn, line)
	if got.ExitCode != want.ExitCode || got.Stdout != want.Stdout {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if done.Escaped != nil {
		t.Errorf("escaped: %+v", done.Escaped)
	}
	if d := cmp.Diff(before, picture(t, dir)); d != "" {
		t.Errorf("before the decision (-want +got):\n%s", d)
	}
	if again, more := h.rehearse(turn, "true"); again.ExitCode != 0 || len(more.Effects) > 0 {
		t.Errorf("doing nothing did %+v, %+v", again, more)
	}
	h.accept(turn, review)
	if d := cmp.Diff(picture(t, alone), picture(t, dir)); d != "" {
		t.Errorf("taken over (-want +got):\n%s", d)
	}
	if entries, _ := os.ReadDir(h.private); len(entries) > 0 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestRehearseRandomly: the same for any sequence of commands, each of which sees what
// those before it did.
func TestRehearseRandomly(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		way := ways[seed%uint64(len(ways))]
		t.Run(fmt.Sprintf("%s %d", way, seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 7))
			alone, dir := t.TempDir(), t.TempDir()
			for _, d := range []string{alone, dir} {
				run(t, shell.Command{Line: props, Dir: d})
			}
			before := picture(t, dir)
			h := newTheatre(t, way, dir)
			turn := h.begin(ledger.WholeTurn)
			h.requireWay(turn)
			for range 5 {
				line := randomLine(random)
				want := run(t, shell.Command{Line: line, Dir: alone})
				if got, _ := h.rehearse(turn, line); got.ExitCode != want.ExitCode || got.Stdout != want.Stdout {
					t.Errorf("%s\ngot %+v, want %+v", line, got, want)
				}
			}
			if d := cmp.Diff(before, picture(t, dir)); d != "" {
				t.Errorf("before the decision (-want +got):\n%s", d)
			}
			h.accept(turn, ledger.WholeTurn)
			if d := cmp.Diff(picture(t, alone), picture(t, dir)); d != "" {
				t.Errorf("taken over (-want +got):\n%s", d)
			}
		})
	}
}

// randomLine is a few things that a command might do.
func randomLine(random *rand.Rand) string {
	names := []string{"a.md", "b.md", "d", "d/e", "d/e/f", "old", "old/1", "link", "n", "n/m", "ünï", "run.sh"}
	name := func() string { return names[random.IntN(len(names))] }
	var b strings.Builder
	for range 1 + random.IntN(6) {
		switch random.IntN(8) {
		case 0:
			fmt.Fprintf(&b, "rm -rf %s\n", name())
		case 1:
			fmt.Fprintf(&b, "mv -n %s %s\n", name(), name())
		case 2:
			fmt.Fprintf(&b, "mkdir -p %s\n", name())
		case 3:
			fmt.Fprintf(&b, "echo %d >> %s\n", random.IntN(10), name())
		case 4:
			fmt.Fprintf(&b, "cp -r %s %s\n", name(), name())
		case 5:
			fmt.Fprintf(&b, "[ -f %[2]s ] && chmod %[1]s %[2]s\n", []string{"644", "755", "600"}[random.IntN(3)], name())
		case 6:
			fmt.Fprintf(&b, "ln -sn %s %s\n", name(), name())
		case 7:
			fmt.Fprintf(&b, "[ -f %[1]s ] && { printf '%[2]d' > %[1]s; cat %[1]s; }\n", name(), random.IntN(10))
		}
	}
	return "exec 2>/dev/null; umask 022\n" + b.String() + "true"
}

// TestEscaped: where a copy does not hold a command, what it does to the folder by an
// absolute name is on record, and can be undone.
func TestEscaped(t *testing.T) {
	dir := t.TempDir()
	run(t, shell.Command{Line: props, Dir: dir})
	before := picture(t, dir)
	h := newTheatre(t, ways[2], dir)
	turn := h.begin(ledger.Hunks)
	_, done := h.rehearse(turn, `echo x >> `+dir+`/a.md; echo y >> b.md`)
	if done.Escaped == nil || len(done.Escaped.Effects) != 1 || done.Escaped.Effects[0].Path.String() != "a.md" || len(done.Effects) != 1 {
		t.Fatalf("got %+v", done)
	}
	if _, err := turn.Discard(t.Context()); err != nil {
		t.Fatal(err)
	}
	report, err := h.ledger.Undo(t.Context(), ledger.UndoRequest{Turn: done.Escaped.Turn})
	if err != nil || !report.Clean() {
		t.Fatalf("%+v, %v", report, err)
	}
	if d := cmp.Diff(before, picture(t, dir)); d != "" {
		t.Errorf("after the undo (-want +got):\n%s", d)
	}
}

// TestRehearseIgnored: what is outside the promise works in the double, is named, and
// stays as it was in the folder.
func TestRehearseIgnored(t *testing.T) {
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			dir := t.TempDir()
			run(t, shell.Command{Line: `printf '*.log\nbuild/\n' > .gitignore; mkdir -p build m; echo l > m/x.log; echo o > build/o; echo a > m/a`, Dir: dir})
			h := newTheatre(t, way, dir)
			turn := h.begin(ledger.WholeTurn)
			h.requireWay(turn)
			r, done := h.rehearse(turn, `cat m/x.log build/o; echo 2 > build/o; echo 3 > new.log; rm -r m`)
			if r.Stdout != "l\no\n" {
				t.Errorf("got %+v", r)
			}
			var outside []string
			for _, p := range done.Outside {
				outside = append(outside, p.String())
			}
			build := "build/o"
			if way == ways[0] {
				build = "build" // a layer is not searched there: it can be large
			}
			if d := cmp.Diff([]string{build, "m/x.log", "new.log"}, outside); d != "" {
				t.Errorf("outside (-want +got):\n%s", d)
			}
			h.accept(turn, ledger.WholeTurn)
			want := ".gitignore -rw-r--r-- \"*.log\\nbuild/\\n\"\nbuild/\nbuild/o -rw-r--r-- \"o\\n\"\nm/\nm/x.log -rw-r--r-- \"l\\n\"\n"
			if d := cmp.Diff(want, picture(t, dir)); d != "" {
				t.Errorf("taken over (-want +got):\n%s", d)
			}
		})
	}
}

// TestRehearseGit: what became of git's own folder is named, and it stays as it was.
func TestRehearseGit(t *testing.T) {
	for _, way := range ways {
		for _, line := range []string{"echo 2 > .git/HEAD", "rm -r .git", "rm -r .git; echo 2 > .git", "rm -r .git; mkdir .git"} {
			t.Run(way+"/"+line, func(t *testing.T) {
				dir := t.TempDir()
				run(t, shell.Command{Line: "mkdir .git; echo 1 > .git/HEAD", Dir: dir})
				h := newTheatre(t, way, dir)
				turn := h.begin(ledger.WholeTurn)
				h.requireWay(turn)
				_, done := h.rehearse(turn, line)
				if len(done.Effects) > 0 || len(done.Outside) != 1 || done.Outside[0].String() != ".git" {
					t.Errorf("got %+v", done)
				}
				if head, err := os.ReadFile(filepath.Join(dir, ".git", "HEAD")); string(head) != "1\n" {
					t.Errorf("got %q, %v", head, err)
				}
			})
		}
	}
}

// TestRehearseStale: what somebody else changed meanwhile is not overwritten.
func TestRehearseStale(t *testing.T) {
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			dir := t.TempDir()
			run(t, shell.Command{Line: props, Dir: dir})
			h := newTheatre(t, way, dir)
			turn := h.begin(ledger.WholeTurn)
			h.requireWay(turn)
			_, err := turn.Rehearse(t.Context(), "bash", h.hold, func(ctx context.Context, s ledger.Scene) error {
				if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("theirs\n"), 0o644); err != nil {
					return err
				}
				_, err := shell.Run(ctx, h.command(s, "echo ours > a.md"))
				return err
			})
			if ledger.CodeOf(err) != ledger.Stale {
				t.Errorf("got %v", err)
			}
			if data, _ := os.ReadFile(filepath.Join(dir, "a.md")); string(data) != "theirs\n" {
				t.Errorf("the file is %q", data)
			}
		})
	}
}

// TestRehearseLimits: a folder over the limits is not copied.
func TestRehearseLimits(t *testing.T) {
	for _, test := range []struct {
		limit workspace.CopyLimit
		want  string
	}{{workspace.CopyLimit{Files: 5}, "more than 5 files"}, {workspace.CopyLimit{Bytes: 1}, "more than 0 MB"}} {
		dir := t.TempDir()
		run(t, shell.Command{Line: props, Dir: dir})
		h := &theatre{t: t, dir: dir, way: ways[2], private: filepath.Join(t.TempDir(), "private"), limit: test.limit}
		h.open()
		_, err := h.begin(ledger.Hunks).Rehearse(t.Context(), "bash", h.hold, func(context.Context, ledger.Scene) error {
			t.Error("it ran")
			return nil
		})
		if workspace.CodeOf(err) != workspace.TooLarge || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %q", err, test.want)
		}
		if entries, _ := os.ReadDir(h.private); len(entries) > 0 {
			t.Errorf("left behind: %v", entries)
		}
	}
}

// TestRehearseAborted: what a command did until it was aborted waits as well.
func TestRehearseAborted(t *testing.T) {
	dir := t.TempDir()
	run(t, shell.Command{Line: props, Dir: dir})
	h := newTheatre(t, ways[0], dir)
	turn := h.begin(ledger.Hunks)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var r shell.Result
	done, err := turn.Rehearse(ctx, "bash", h.hold, func(ctx context.Context, s ledger.Scene) (err error) {
		r, err = shell.Run(ctx, shell.Command{Line: "echo x > a.md; echo ready; sleep 1000000", Dir: s.Dir, Stage: stage(s), Output: func(string, []byte) { cancel() }})
		return err
	})
	if err != nil || !r.Aborted || len(done.Effects) != 1 {
		t.Errorf("got %+v, %+v, %v", r, done, err)
	}
}

// TestRehearseConfined: a sandbox and a stage go together.
func TestRehearseConfined(t *testing.T) {
	if _, err := shell.Confinement(); err != nil {
		t.Skip(err)
	}
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			outside, dir := t.TempDir(), t.TempDir()
			run(t, shell.Command{Line: props, Dir: dir})
			before := picture(t, dir)
			h := newTheatre(t, way, dir)
			h.sandbox = &shell.Sandbox{Private: h.private, Hidden: []string{filepath.Dir(h.private)}}
			turn := h.begin(ledger.WholeTurn)
			h.requireWay(turn)
			if r, done := h.rehearse(turn, `echo past >> `+dir+`/b.md`); way == ways[2] && r.ExitCode == 0 || done.Escaped != nil {
				t.Errorf("by an absolute name: %+v, %+v", r, done)
			}
			r, done := h.rehearse(turn, `echo x >> a.md && mkdir new && echo n > new/n && mv new/n d/ && echo t > "$TMPDIR/t" && cat "$TMPDIR/t" && ! echo out > `+outside+`/out`)
			if r.ExitCode != 0 || r.Stdout != "t\n" {
				t.Errorf("got %+v", r)
			}
			if len(done.Effects) != 3 || done.Escaped != nil { // a.md, new, d/n
				t.Errorf("got %+v", done)
			}
			if d := cmp.Diff(before, picture(t, dir)); d != "" {
				t.Errorf("before the decision (-want +got):\n%s", d)
			}
			if entries, err := os.ReadDir(outside); len(entries) > 0 || err != nil {
				t.Errorf("outside: %v, %v", entries, err)
			}
		})
	}
}
