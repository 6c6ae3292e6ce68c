package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"redline/internal/diff"
	"redline/internal/text"
	"redline/internal/workspace"
)

func rows(c corpora) []row {
	return slices.Concat([]row{
		{name: "text: index 10 MB, 200,000 lines (in process)", ours: self("text-index"), limit: 15},
		{name: "text: edit of it (in process)", ours: self("text-edit"), limit: 5},
		{name: "text: range read of it (in process)", ours: self("text-read"), limit: 5},
		{name: "diff: 100,000 lines, 1,000 edits", ours: process(me("diff", c.old, c.new)), anchorName: "git diff --no-index", anchor: process(git("diff", "--no-index", "--no-color", c.old, c.new)), limit: 0.7},
		{name: "diff: the same (the aim, no limit)", ours: process(me("diff", c.old, c.new)), anchorName: "diff -u", anchor: process([]string{"diff", "-u", c.old, c.new}), limit: 2},
		{name: "merge3: 100,000 lines", ours: process(me("merge", c.mine, c.old, c.new)), anchorName: "git merge-file", anchor: process(git("merge-file", "-p", c.mine, c.old, c.new)), limit: 1.0},
		{name: "list 20,000 files", ours: process(me("list", c.notes)), anchorName: "rg --files", anchor: process([]string{"rg", "--no-config", "--files", c.notes}), limit: 1.2},
		{name: "stat 20,000 files again (in process)", ours: self("restat", c.notes), anchorName: "git status", anchor: process(git("-C", c.repo, "status", "--porcelain")), limit: 1.0},
		{name: "read every byte of 20,000 files", ours: process(me("read", c.notes)), anchorName: "plain Go reader", anchor: process(me("plain-read", c.notes)), limit: 1.2},
	}, searchRows(c), shellRows(c), ledgerRows(c), talkingRows(), agentRows(c), serverRows(c))
}

func me(args ...string) []string {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return append([]string{exe, "do"}, args...)
}

func git(args ...string) []string { return append([]string{"git"}, args...) }

func gitEnv() []string {
	return append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C")
}

// process times a whole command. Tools that compare exit with 1 to 127 when
// there is a difference or a conflict.
func process(args []string) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Env = gitEnv()
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &counter{}, &stderr
		start := time.Now()
		err := cmd.Run()
		took := time.Since(start)
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() > 0 && exit.ExitCode() < 128 && stderr.Len() == 0 {
			err = nil
		}
		if err != nil {
			err = fmt.Errorf("%s: %w: %s", args[0], err, stderr.String())
		}
		return took, err
	}
}

// counter takes output through a pipe, as a reader would.
type counter struct{ n int }

func (c *counter) Write(b []byte) (int, error) { c.n += len(b); return len(b), nil }

// self runs a job that prints how many nanoseconds its repetition took.
func self(args ...string) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		args := me(args...)
		out, err := exec.Command(args[0], args[1:]...).Output()
		if err != nil {
			return 0, err
		}
		ns, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
		return time.Duration(ns), err
	}
}

// do is one job in a process of its own.
func do(job string, args []string) error {
	jobs := map[string]func(args []string) error{
		"text-index": textIndex, "text-edit": textEdit, "text-read": textRead,
		"diff": diffFiles, "merge": mergeFiles,
		"list": list, "restat": restat, "read": readAll, "plain-read": plainRead,
		"apply": applyJob, "undo": undoJob, "snapshot": snapshotJob, "snapshot-again": snapshotAgainJob,
		"snapshot-size": sizeJob, "thousand-hunks": thousandHunksJob,
		"search": searchJob, "shell": shellJob, "bare-client": bareClient, "bare-server": func([]string) error { return serveBare() },
	}
	run, ok := jobs[job]
	if !ok {
		return fmt.Errorf("no job %q", job)
	}
	return run(args)
}

// repeat does work a few times and prints the median of the later ones.
func repeat(work func() error) error {
	var took []float64
	for i := range 9 {
		start := time.Now()
		if err := work(); err != nil {
			return err
		}
		if i >= 2 {
			took = append(took, float64(time.Since(start)))
		}
	}
	fmt.Println(int64(median(took)))
	return nil
}

func largeText() []byte {
	return bytes.Repeat([]byte("The quick brown fox jumps over the lazy old dogs.\n"), 200_000)
}

func textIndex([]string) error {
	data := largeText()
	return repeat(func() error { text.New(data); return nil })
}

func textEdit([]string) error {
	d := text.New(largeText())
	return repeat(func() error {
		_, err := d.Replace(text.Range{Start: 100_000, End: 100_001}, []byte("a new line\n"))
		return err
	})
}

func textRead([]string) error {
	d := text.New(largeText())
	return repeat(func() error {
		_, err := d.Slice(text.Range{Start: 100_000, End: 100_800})
		return err
	})
}

func readDocument(name string) (*text.Document, error) {
	data, err := os.ReadFile(name)
	return text.New(data), err
}

func diffFiles(args []string) error {
	a, err := readDocument(args[0])
	if err != nil {
		return err
	}
	b, err := readDocument(args[1])
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(diff.NewPatch(args[0], args[1], a, b).Append(nil))
	return err
}

func mergeFiles(args []string) error {
	var docs []*text.Document
	for _, name := range args {
		d, err := readDocument(name)
		if err != nil {
			return err
		}
		docs = append(docs, d)
	}
	m := diff.Merge3(docs[1], docs[0], docs[2])
	_, err := os.Stdout.Write(m.Marked(diff.Labels{}))
	return err
}

func open(args []string) (*workspace.Folder, error) { return workspace.Open(args[0]) }

func list(args []string) error {
	f, err := open(args)
	if err != nil {
		return err
	}
	defer f.Close()
	found, err := f.List(context.Background(), workspace.WalkOptions{Policy: workspace.ForDocuments()})
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, l := range found {
		if l.IsFile() {
			b.WriteString(l.Path.String())
			b.WriteByte('\n')
		}
	}
	_, err = os.Stdout.Write(b.Bytes())
	return err
}

func restat(args []string) error {
	f, err := open(args)
	if err != nil {
		return err
	}
	defer f.Close()
	var c workspace.StatCache
	return repeat(func() error {
		_, err := f.Restat(context.Background(), &c, workspace.WalkOptions{Policy: workspace.ForDocuments()})
		return err
	})
}

func readAll(args []string) error {
	f, err := open(args)
	if err != nil {
		return err
	}
	defer f.Close()
	buffers := make([][]byte, workspace.Workers())
	var total atomic.Int64
	err = f.Walk(context.Background(), workspace.WalkOptions{Policy: workspace.ForDocuments()}, func(worker int, v *workspace.Visited) error {
		for _, e := range v.Entries {
			if !e.IsFile() {
				continue
			}
			data, _, err := v.Read(e, buffers[worker])
			if err != nil {
				return err
			}
			buffers[worker] = data
			total.Add(int64(len(data)))
		}
		return nil
	})
	fmt.Println(total.Load())
	return err
}

// plainRead is what a program does that knows nothing of us: walk, open, read.
func plainRead(args []string) error {
	paths := make(chan string, 1024)
	var total atomic.Int64
	var wg sync.WaitGroup
	for range runtime.NumCPU() {
		wg.Go(func() {
			buf := make([]byte, 1<<20)
			for p := range paths {
				if n, err := readInto(p, buf); err == nil {
					total.Add(n)
				}
			}
		})
	}
	err := filepath.WalkDir(args[0], func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			paths <- p
		}
		return err
	})
	close(paths)
	wg.Wait()
	fmt.Println(total.Load())
	return err
}

func readInto(name string, buf []byte) (int64, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var total int64
	for {
		n, err := f.Read(buf)
		total += int64(n)
		if err == io.EOF {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}
