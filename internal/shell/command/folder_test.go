package command_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"redline/internal/shell/command"
	"redline/internal/shell/tree"
)

// folder is a Base in memory. A content that begins with "-> " is a link.
func folder(files map[string]string) fstest.MapFS {
	m := fstest.MapFS{}
	for name, content := range files {
		f := &fstest.MapFile{Data: []byte(content), Mode: 0o644, ModTime: now}
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			f.Data, f.Mode = []byte(strings.TrimSuffix(target, "\n")), fs.ModeSymlink|0o777
		}
		m[name] = f
	}
	return m
}

var now = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)

// result is what a command did.
type result struct {
	stdout, stderr string
	status         int
}

// invocation is a command on a folder.
type invocation struct {
	ctx    context.Context
	base   tree.Base
	in     io.Reader
	allow  []string
	args   []string
	after  func(*tree.Tree)
	output io.Writer // instead of stdout
}

func (i invocation) run(t testing.TB) result {
	t.Helper()
	if i.ctx == nil {
		i.ctx = t.Context()
	}
	if i.in == nil {
		i.in = strings.NewReader("")
	}
	var stdout, stderr bytes.Buffer
	if i.output == nil {
		i.output = &stdout
	}
	tr := tree.New(i.base, "/vault", tree.Options{Now: func() time.Time { return now }})
	c := &command.Call{Context: i.ctx, Command: command.Find(i.args[0]), Args: i.args[1:], Tree: tr, Dir: "/vault",
		Env: func(string) string { return "" }, In: i.in, Out: command.NewOutput(i.output), Err: &stderr,
		Now: func() time.Time { return now }, Others: command.Find,
		Has: func(name string) bool { return strings.Contains(strings.Join(i.allow, "\n"), name) },
	}
	status := c.Run()
	if i.after != nil {
		i.after(tr)
	}
	return result{stdout.String(), stderr.String(), status}
}

// hasty is a Base whose folders are visited by several goroutines at once, the last
// ones first.
type hasty struct{ fstest.MapFS }

func (h hasty) Workers() int { return 4 }

func (h hasty) Walk(ctx context.Context, dir string, visit func(int, string, []fs.DirEntry, tree.ReadFunc) ([]fs.DirEntry, error)) error {
	workers := make(chan int, h.Workers())
	for w := range h.Workers() {
		workers <- w
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failed error
	var walk func(dir string)
	walk = func(dir string) {
		entries, err := h.ReadDir(dir)
		worker := <-workers
		var enter []fs.DirEntry
		if err == nil {
			enter, err = visit(worker, dir, entries, func(name string, buf []byte) ([]byte, error) {
				data, err := h.ReadFile(path.Join(dir, name))
				return append(buf[:0], data...), err
			})
		}
		workers <- worker
		mu.Lock()
		failed = errors.Join(failed, err)
		mu.Unlock()
		for i := len(enter) - 1; i >= 0 && err == nil && ctx.Err() == nil; i-- {
			wg.Go(func() { walk(path.Join(dir, enter[i].Name())) })
		}
	}
	walk(dir)
	wg.Wait()
	return failed
}

// TestOrder: several workers write the same, in the same order, as one.
func TestOrder(t *testing.T) {
	files := map[string]string{"README": "the root\n", ".ignore": "*.log\n/b/2.md\n"}
	for _, dir := range strings.Split("a b c a/x a/x/y b/x c/z c/z/z c/z/z/z", " ") {
		for _, name := range []string{"1.md", "2.md", "3.txt", "k.log"} {
			files[dir+"/"+name] = "one " + dir + "\ntwo words\nthree\n" + name + " word\n"
		}
		files[dir+"/bin"] = "a\x00 word\n"
	}
	for _, line := range []string{
		"grep -rn word .", "grep -rn word", "grep -rc word .", "grep -rl one", "grep -rL two .", "grep -rh -A1 two .", "grep -rnC1 two a c b", "grep -rvn o --include=*.md .",
		"grep -r word . nofile", "grep -roi WORD .", "grep -rq word .",
		"rg word", "rg -nC1 two", "rg --heading -n two", "rg -c word", "rg -l word b", "rg --files", "rg --files -g *.md", "rg -g !a word", "rg -u -o w..d", "rg --files-without-match two",
		"find", "find . -name *.md", "find a b -type d", "find . -depth", "find . -name x -prune -o -print", "find . -mindepth 2 -maxdepth 3", "find . -size +0 -printf %d%p\\n", "find . -empty", "find a nofile c -name 1*",
	} {
		args := strings.Fields(line)
		one := invocation{base: folder(files), args: args}.run(t)
		if one.stdout == "" && !strings.Contains(line, " -rq ") && !strings.Contains(line, "without") && !strings.Contains(line, "-empty") && !strings.Contains(line, "-rL") {
			t.Errorf("%s: nothing was found", line)
		}
		for range 20 {
			if many := (invocation{base: hasty{folder(files)}, args: args}).run(t); many != one {
				t.Fatalf("%s: one worker:\n%s%s%d\nseveral:\n%s%s%d", line, one.stdout, one.stderr, one.status, many.stdout, many.stderr, many.status)
			}
		}
	}
}

// endless is a Base in which each folder holds a file and a folder. It cancels after
// some were listed.
type endless struct {
	fstest.MapFS
	listed int
	cancel func()
}

func (e *endless) ReadDir(string) ([]fs.DirEntry, error) {
	if e.listed++; e.listed == 100 {
		e.cancel()
	}
	return folder(map[string]string{"a.md": "word\n", "d/x": ""}).ReadDir(".")
}

func (e *endless) Lstat(name string) (fs.FileInfo, error) {
	list, err := folder(map[string]string{"a.md": "word\n", "d/x": ""}).ReadDir(".")
	if err != nil {
		return nil, err
	}
	if path.Base(name) == "a.md" {
		return list[0].Info()
	}
	return list[1].Info()
}

func (e *endless) ReadFile(string) ([]byte, error) { return []byte("word\n"), nil }

// TestAbort: a walk ends as soon as the call does.
func TestAbort(t *testing.T) {
	for _, line := range []string{"grep -r word .", "grep -rL word", "rg word", "rg --files", "find", "find . -name nothing", "find . -exec true ;", "find . -quit -o -false", "ls -R", "tree"} {
		ctx, cancel := context.WithCancel(t.Context())
		base := &endless{cancel: cancel}
		invocation{ctx: ctx, base: base, args: strings.Fields(line)}.run(t)
		if base.listed > 102 {
			t.Errorf("%s: went on for %d folders after the end", line, base.listed-100)
		}
		cancel()
	}
}

// wide is a Base with many files in one folder. It cancels after some were read.
type wide struct {
	fstest.MapFS
	read   int
	cancel func()
}

func (w *wide) ReadFile(name string) ([]byte, error) {
	if w.read++; w.read == 100 {
		w.cancel()
	}
	return w.MapFS.ReadFile(name)
}

// TestAbortFolder: nor does a search read the rest of a folder.
func TestAbortFolder(t *testing.T) {
	files := map[string]string{}
	for i := range 1000 {
		files[fmt.Sprint(i)] = "word\n"
	}
	for _, line := range []string{"grep -r word .", "rg word"} {
		ctx, cancel := context.WithCancel(t.Context())
		base := &wide{MapFS: folder(files), cancel: cancel}
		invocation{ctx: ctx, base: base, args: strings.Fields(line)}.run(t)
		if base.read > 102 {
			t.Errorf("%s: read %d files after the end", line, base.read-100)
		}
		cancel()
	}
}

// closing is a pipe that nobody reads after the first bytes.
type closing struct{ n int }

func (c *closing) Write(p []byte) (int, error) {
	if c.n++; c.n > 1 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

// TestClosedPipe: what nobody reads is not looked for.
func TestClosedPipe(t *testing.T) {
	for _, line := range []string{"grep -r word .", "rg word", "find", "find . -exec echo {} ;"} {
		base := &endless{cancel: func() {}}
		args := strings.Fields(line)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		r := invocation{ctx: ctx, base: base, args: args, output: &closing{}}.run(t)
		if ctx.Err() != nil {
			t.Errorf("%s: goes on", line)
		}
		if r.status != 141 {
			t.Errorf("%s: status %d", line, r.status)
		}
		cancel()
	}
}

// forever is an input without an end. It cancels after some pieces were read.
type forever struct {
	text   string
	reads  int
	cancel func()
}

func (f *forever) Read(p []byte) (int, error) {
	if f.reads++; f.reads == 100 {
		f.cancel()
	}
	n := 0
	for n < len(p) {
		n += copy(p[n:], f.text)
	}
	return n, nil
}

// TestAbortInput: so does a command that reads.
func TestAbortInput(t *testing.T) {
	for _, line := range []string{"grep nothing", "grep -c word", "grep -vn word", "grep -z nothing", "rg word", "rg nothing", "xargs", "xargs -n1 true", "xargs -I{} true {}"} {
		ctx, cancel := context.WithCancel(t.Context())
		in := &forever{text: "some word\n", cancel: cancel}
		invocation{ctx: ctx, base: folder(nil), in: in, args: strings.Fields(line)}.run(t)
		if in.reads > 110 {
			t.Errorf("%s: read %d times after the end", line, in.reads-100)
		}
		cancel()
	}
}

// TestDelete: find -delete removes only where it is allowed, and looks at the whole
// expression before it does anything.
func TestDelete(t *testing.T) {
	files := map[string]string{"a.md": "a\n", "b.txt": "b\n", "d/c.md": "c\n", "d/e/f.md": "f\n"}
	var left []string
	names := func(tr *tree.Tree) {
		left = nil
		var walk func(dir string)
		walk = func(dir string) {
			list, err := tr.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range list {
				left = append(left, strings.TrimPrefix(path.Join(dir, e.Name()), "/vault/"))
				if e.IsDir() {
					walk(path.Join(dir, e.Name()))
				}
			}
		}
		walk("/vault")
	}
	for _, c := range []struct {
		line, left, stderr string
		allow              []string
		status             int
	}{
		{line: "find . -name *.md -delete", left: "a.md b.txt d d/c.md d/e d/e/f.md", stderr: "find: -delete is not available here\n", status: 1},
		{line: "find . -name *.md -print -delete -foo", allow: []string{"find -delete"}, left: "a.md b.txt d d/c.md d/e d/e/f.md", stderr: "find: unknown predicate `-foo'\n", status: 2},
		{line: "find . -name *.md -delete", allow: []string{"find -delete"}, left: "b.txt d d/e"},
		{line: "find d -delete", allow: []string{"find -delete"}, left: "a.md b.txt"},
		{line: "find . -delete", allow: []string{"find -delete"}, left: ""},
		{line: "find . -type d -delete", allow: []string{"find -delete"}, left: "a.md b.txt d d/c.md d/e d/e/f.md", status: 1,
			stderr: "find: cannot delete ‘./d/e’: Directory not empty\nfind: cannot delete ‘./d’: Directory not empty\n"},
	} {
		r := invocation{base: folder(files), args: strings.Fields(c.line), allow: c.allow, after: names}.run(t)
		if got := strings.Join(left, " "); got != c.left || r.stderr != c.stderr || r.status != c.status {
			t.Errorf("%s: left %q, said %q, status %d; want %q, %q, %d", c.line, got, r.stderr, r.status, c.left, c.stderr, c.status)
		}
	}
}
