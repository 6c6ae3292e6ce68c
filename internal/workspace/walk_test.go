package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func listed(t *testing.T, f *Folder, o WalkOptions) []string {
	t.Helper()
	list, err := f.List(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return names(list)
}

func names(list []Listed) []string {
	out := []string{}
	for _, l := range list {
		name := l.Path.String()
		if l.IsDir() {
			name += "/"
		}
		out = append(out, name)
	}
	return out
}

func TestList(t *testing.T) {
	f, _ := newTree(t)
	want := []string{
		"config/", "crlf.md", "empty.md", "journal/", "journal/2024-01-01.md", "journal/2024-01-02.md",
		"my notes/", "my notes/meeting notes.md", "notes.md", "projects/", "projects/alpha/", "projects/alpha/readme.md",
		"unicode/", "unicode/héllo.md",
	}
	if diff := cmp.Diff(want, listed(t, f, WalkOptions{Policy: ForDocuments()})); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"journal/2024-01-01.md", "journal/2024-01-02.md"}, listed(t, f, WalkOptions{Policy: ForDocuments(), Under: MustPath("journal")})); diff != "" {
		t.Errorf("under journal:\n%s", diff)
	}
	if got := listed(t, f, WalkOptions{Policy: ForDocuments(), Depth: 1}); len(got) != 8 {
		t.Errorf("depth 1: %v", got)
	}
	if got := listed(t, f, WalkOptions{}); !slices.Contains(got, ".git/config") || !slices.Contains(got, ".env") {
		t.Errorf("without policy: %v", got)
	}
	for under, code := range map[string]Code{".git": Internal, "notes.md": NotDirectory, "gone": NotFound} {
		if _, err := f.List(context.Background(), WalkOptions{Policy: ForDocuments(), Under: MustPath(under)}); !errors.Is(err, code) {
			t.Errorf("under %s: %v, want %s", under, err, code)
		}
	}
}

func TestWalkStops(t *testing.T) {
	f, _ := newTree(t)
	stop := errors.New("stop")
	if err := f.Walk(context.Background(), WalkOptions{}, func(int, *Visited) error { return stop }); err != stop {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := f.Walk(ctx, WalkOptions{}, func(int, *Visited) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestGlob(t *testing.T) {
	f, _ := newTree(t)
	for pattern, want := range map[string]string{
		"*.md":               "crlf.md empty.md notes.md",
		"**/*.md":            "crlf.md empty.md journal/2024-01-01.md journal/2024-01-02.md my notes/meeting notes.md notes.md projects/alpha/readme.md unicode/héllo.md",
		"journal/*-02.md":    "journal/2024-01-02.md",
		"./journal/*":        "journal/2024-01-01.md journal/2024-01-02.md",
		"{notes,empty}.md":   "empty.md notes.md",
		"projects/**":        "projects/alpha/ projects/alpha/readme.md",
		"nosuch/*":           "",
		"**/.env*":           "",
		"notes.md/*":         "",
		"journal":            "journal/",
		"[mn]*":              "my notes/ notes.md",
		"projects/alpha/*.m": "",
	} {
		list, err := f.Glob(context.Background(), pattern, WalkOptions{Policy: ForDocuments()})
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
		if got := strings.Join(names(list), " "); got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
	for pattern, code := range map[string]Code{
		"../outside/*":            OutsideFolder,
		"journal/../../outside/*": OutsideFolder,
		"{..,x}/outside/*":        OutsideFolder,
		"/etc/*":                  OutsideFolder,
		"[":                       InvalidPath,
		"":                        InvalidPath,
		"{a":                      InvalidPath,
		strings.Repeat("{", 40) + "a,b" + strings.Repeat("}", 40): InvalidPath,
		strings.Repeat("*a", 100):                                 InvalidPath,
	} {
		if _, err := f.Glob(context.Background(), pattern, WalkOptions{}); !errors.Is(err, code) {
			t.Errorf("%q: %v, want %s", pattern, err, code)
		}
	}
}

// TestIgnoreLikeGit compares with git on random ignore files and trees.
func TestIgnoreLikeGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	r := rand.New(rand.NewPCG(7, 7))
	atoms := []string{"a", "b", "*.md", "*.txt", "a*", "?", "dir", "**", "[ab]", "*", "x.md", `\#c`, "{a}", "b*c", " "}
	leaf := []string{"a", "b", "x.md", "y.txt", "abc", "#c", "{a}", "bc", "a1"}
	dirs := []string{"", "a/", "b/", "dir/", "a/b/", "dir/a/", "dir/dir/"}
	rounds := 30
	if testing.Short() {
		rounds = 8
	}
	pattern := func() string {
		var b strings.Builder
		if r.IntN(5) == 0 {
			b.WriteString("!")
		}
		if r.IntN(4) == 0 {
			b.WriteString("/")
		}
		for i := range 1 + r.IntN(3) {
			if i > 0 {
				b.WriteString("/")
			}
			b.WriteString(atoms[r.IntN(len(atoms))])
		}
		if r.IntN(4) == 0 {
			b.WriteString("/")
		}
		return b.String()
	}
	for range rounds {
		root := t.TempDir()
		write := func(name, content string) {
			full := filepath.Join(root, name)
			os.MkdirAll(filepath.Dir(full), 0o755)
			os.WriteFile(full, []byte(content), 0o644)
		}
		for _, d := range dirs {
			for _, l := range leaf {
				if !slices.Contains(dirs, d+l+"/") {
					write(d+l, "")
				}
			}
		}
		ignores := ""
		for _, d := range []string{"", "a/", "dir/"} {
			var lines []string
			for range r.IntN(4) {
				lines = append(lines, pattern())
			}
			write(d+".gitignore", strings.Join(lines, "\n")+"\n")
			ignores += fmt.Sprintf("%s.gitignore: %q\n", d, lines)
		}
		run := func(args ...string) string {
			cmd := exec.Command("git", args...)
			cmd.Dir = root
			cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("git %v: %v\n%s", args, err, out)
			}
			return string(out)
		}
		run("init", "-q")
		want := strings.Fields(strings.ReplaceAll(run("-c", "core.quotePath=false", "ls-files", "-z", "--others", "--exclude-standard"), "\x00", "\n"))
		slices.Sort(want)
		f, err := Open(root)
		if err != nil {
			t.Fatal(err)
		}
		all, err := f.List(context.Background(), WalkOptions{Policy: Without(".git"), Unlisted: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range all {
			if f.Ignored(l.Path, l.IsDir()) != l.Ignored {
				t.Errorf("%s%s: the walk says ignored %v", ignores, l.Path, l.Ignored)
			}
		}
		list, err := f.List(context.Background(), WalkOptions{Policy: Without(".git")})
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, l := range list {
			if l.IsFile() {
				got = append(got, l.Path.String())
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s(-git +ours):\n%s", ignores, diff)
		}
	}
}

func TestIgnoreFiles(t *testing.T) {
	f, _ := newTree(t)
	os.WriteFile(disk(f, ".gitignore"), []byte("journal/\r\n*.csv\n"), 0o644)
	os.WriteFile(disk(f, ".redlineignore"), []byte("!journal/\nprojects\n"), 0o644)
	got := listed(t, f, WalkOptions{Policy: ForDocuments()})
	if slices.Contains(got, "projects/") || !slices.Contains(got, "journal/2024-01-01.md") {
		t.Errorf("listed %v", got)
	}
	os.WriteFile(disk(f, ".redlineignore"), []byte("journal/*-01.md\n"), 0o644)
	if got := listed(t, f, WalkOptions{Policy: ForDocuments(), Under: MustPath("projects")}); len(got) != 2 {
		t.Errorf("under projects: %v", got)
	}
	if got := listed(t, f, WalkOptions{Policy: ForDocuments(), Unlisted: true}); !slices.Contains(got, "journal/2024-01-01.md") {
		t.Errorf("unlisted: %v", got)
	}
}

// TestIgnoreAbove: a walk that starts in a folder knows the patterns above it.
func TestIgnoreAbove(t *testing.T) {
	f, _ := newTree(t)
	os.WriteFile(disk(f, ".gitignore"), []byte("journal/*-01.md\n"), 0o644)
	if diff := cmp.Diff([]string{"journal/2024-01-02.md"}, listed(t, f, WalkOptions{Policy: ForDocuments(), Under: MustPath("journal")})); diff != "" {
		t.Error(diff)
	}
}

func TestRestat(t *testing.T) {
	f, _ := newTree(t)
	ctx := context.Background()
	var c StatCache
	o := WalkOptions{Policy: ForDocuments()}
	time.Sleep(2 * racyWindow)
	first, err := f.Restat(ctx, &c, o)
	if err != nil || len(first.Changed) != 8 || first.Files != 8 || len(first.Removed) != 0 {
		t.Fatalf("first: %+v, %v", first, err)
	}
	for _, p := range first.Changed {
		s, err := f.Read(p)
		if err != nil {
			t.Fatal(err)
		}
		c.Refresh(p, s.Info, s.Hash)
	}
	if d, err := f.Restat(ctx, &c, o); err != nil || len(d.Changed)+len(d.Removed) != 0 {
		t.Errorf("nothing changed: %+v, %v", d, err)
	}
	if got, ok := c.Get(MustPath("notes.md")); !ok || got.Hash != mustRead(t, f, "notes.md").Hash {
		t.Errorf("the hash is gone: %+v", got)
	}
	// Same size, same modification time: the inode's own time tells.
	info, _ := os.Stat(disk(f, "crlf.md"))
	os.WriteFile(disk(f, "crlf.md"), []byte("ONE\r\nTWO\r\n"), 0o644)
	os.Chtimes(disk(f, "crlf.md"), info.ModTime(), info.ModTime())
	os.Remove(disk(f, "empty.md"))
	os.RemoveAll(disk(f, "journal"))
	os.WriteFile(disk(f, "new.md"), nil, 0o644)
	d, err := f.Restat(ctx, &c, o)
	if err != nil || fmt.Sprint(d.Changed) != "[crlf.md new.md]" || fmt.Sprint(d.Removed) != "[empty.md journal/2024-01-01.md journal/2024-01-02.md]" {
		t.Errorf("got %+v, %v", d, err)
	}
	if got, _ := c.Get(MustPath("crlf.md")); !got.Hash.IsZero() {
		t.Error("the changed file kept its hash")
	}
	// What was fresh when it was looked at is looked at again.
	if d, _ := f.Restat(ctx, &c, o); fmt.Sprint(d.Changed) != "[crlf.md new.md]" {
		t.Errorf("racy files: %+v", d)
	}
	time.Sleep(2 * racyWindow)
	f.Restat(ctx, &c, o)
	if d, _ := f.Restat(ctx, &c, o); len(d.Changed) != 0 {
		t.Errorf("no longer racy: %+v", d)
	}
	// A partial look keeps the rest.
	d, err = f.Restat(ctx, &c, WalkOptions{Policy: ForDocuments(), Under: MustPath("projects")})
	if err != nil || len(d.Changed)+len(d.Removed) != 0 {
		t.Errorf("under projects: %+v, %v", d, err)
	}
	if _, ok := c.Get(MustPath("notes.md")); !ok {
		t.Error("the rest is forgotten")
	}
}

func TestWatch(t *testing.T) {
	f, _ := newTree(t)
	ctx, cancel := context.WithCancel(context.Background())
	events := make(chan Event, 100)
	var wg sync.WaitGroup
	wg.Go(func() {
		err := f.Watch(ctx, WatchOptions{Policy: ForDocuments(), Quiet: 50 * time.Millisecond}, func(batch []Event) {
			for _, e := range batch {
				events <- e
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
	defer func() { cancel(); wg.Wait() }()
	next := func(want string) {
		t.Helper()
		deadline := time.After(20 * time.Second)
		for {
			select {
			case e := <-events:
				got := fmt.Sprintf("%s exists=%v", e.Path, e.Exists)
				if got == want {
					return
				}
				t.Errorf("event %s, want %s", got, want)
			case <-deadline:
				t.Fatalf("no event %s", want)
			}
		}
	}
	// Wait until the watch is there.
	for ready := false; !ready; {
		os.WriteFile(disk(f, "probe.md"), []byte(time.Now().String()), 0o644)
		select {
		case <-events:
			ready = true
		case <-time.After(200 * time.Millisecond):
		}
	}
	time.Sleep(300 * time.Millisecond)
	for len(events) > 0 {
		<-events
	}

	// Ours are not told; theirs, made later, are. The markers order them.
	s := mustRead(t, f, "notes.md")
	if _, err := f.Replace(s.Path, []byte("ours\n"), s.Hash); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Create(MustPath("fresh/ours.md"), []byte("ours\n"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Move(MustPath("crlf.md"), MustPath("moved.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Trash(MustPath("empty.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Move(MustPath("projects"), MustPath("work")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	os.WriteFile(disk(f, "marker1.md"), []byte("x"), 0o644)
	next("marker1.md exists=true")
	os.WriteFile(disk(f, ".other"), []byte("one\r\nTWO\r\n"), 0o644)
	os.Rename(disk(f, ".other"), disk(f, "moved.md")) // another file of the same size
	next("moved.md exists=true")
	os.WriteFile(disk(f, "work/alpha/readme.md"), []byte("# ALPHA\n"), 0o644) // the same file and size
	next("work/alpha/readme.md exists=true")
	os.WriteFile(disk(f, "notes.md"), []byte("them\n"), 0o644) // the same size as ours
	next("notes.md exists=true")
	os.Remove(disk(f, "journal/2024-01-01.md"))
	next("journal/2024-01-01.md exists=false")
	os.MkdirAll(disk(f, "theirs/deep"), 0o755)
	os.WriteFile(disk(f, "theirs/deep/x.md"), []byte("x"), 0o644)
	next("theirs exists=true")
	next("theirs/deep exists=true")
	next("theirs/deep/x.md exists=true")
	os.WriteFile(disk(f, ".env"), []byte("x"), 0o644)
	os.WriteFile(disk(f, "fresh/ours.md"), []byte("no longer ours\n"), 0o644)
	next("fresh/ours.md exists=true")
}

// TestIgnored: what a walk passes over is what Ignored says, there or not.
func TestIgnored(t *testing.T) {
	f, _ := newTree(t)
	os.WriteFile(disk(f, ".gitignore"), []byte("build/\n*.log\n!kept.log\n"), 0o644)
	os.WriteFile(disk(f, "journal/.gitignore"), []byte("/draft.md\n"), 0o644)
	for name, want := range map[string]bool{
		"a.log": true, "kept.log": false, "journal/a.log": true, "journal/draft.md": true, "journal/deep/draft.md": false,
		"draft.md": false, "build/x.md": true, "new/build/kept.log": true, "build": false, "notes.md": false,
	} {
		if got := f.Ignored(MustPath(name), false); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if !f.Ignored(MustPath("build"), true) {
		t.Error("the folder build is not ignored")
	}
}

// TestWalkReads: a visit reads a file whole, its head, or in parts, and leaves
// out the folders that it takes from the entries.
func TestWalkReads(t *testing.T) {
	f, _ := newTree(t)
	os.WriteFile(disk(f, "journal/long.md"), []byte("0123456789"), 0o644)
	var mu sync.Mutex
	got := map[string]string{}
	err := f.Walk(context.Background(), WalkOptions{Policy: ForDocuments()}, func(_ int, v *Visited) error {
		mu.Lock()
		defer mu.Unlock()
		for _, e := range v.Entries {
			if e.Name != "long.md" && e.Name != "empty.md" {
				continue
			}
			head, info, err := v.ReadHead(e, make([]byte, 4))
			if err != nil {
				return err
			}
			file, _, err := v.Open(e)
			if err != nil {
				return err
			}
			all, err := io.ReadAll(file)
			file.Close()
			got[e.Name] = fmt.Sprintf("%s of %d, %s", head, info.Size, all)
			if err != nil {
				return err
			}
		}
		if v.Path.IsRoot() {
			v.Entries = slices.DeleteFunc(v.Entries, func(e Entry) bool { return e.Name == "projects" })
		}
		got[v.Path.String()] = "visited"
		return nil
	})
	want := map[string]string{
		"long.md": "0123 of 10, 0123456789", "empty.md": " of 0, ",
		".": "visited", "config": "visited", "journal": "visited", "my notes": "visited", "unicode": "visited",
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}
