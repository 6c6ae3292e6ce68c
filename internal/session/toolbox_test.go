package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/ledger"
	"redline/internal/session"
	"redline/llm"
	"redline/tool"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", file, d)
	}
}

// toolbox is a set of tools over nothing, which notes what ran.
type toolbox struct {
	mu     sync.Mutex
	ran    []string            // name, arguments, and "approved" if the context says so
	files  map[string][]string // of folders
	broken error               // of Touches
	tools  tool.Set
}

type pathArgs struct {
	Path string `json:"path" min:"1"`
}

type commandArgs struct {
	Command string `json:"command"`
}

func (a commandArgs) Destructive() bool { return strings.Contains(a.Command, "rm ") }

// changing is a tool that can tell what it touches. Hidden files are asked about.
type changing struct {
	tool.Tool
	box *toolbox
}

func (c changing) Unwrap() tool.Tool { return c.Tool }

func (c changing) Touches(_ context.Context, call tool.Call) ([]string, error) {
	c.box.mu.Lock()
	defer c.box.mu.Unlock()
	var args pathArgs
	if err := errors.Join(json.Unmarshal(call.Arguments, &args), c.box.broken); err != nil {
		return nil, err
	}
	if files, ok := c.box.files[args.Path]; ok {
		return files, nil
	}
	return []string{args.Path}, nil
}

func (c changing) Asks(call tool.Call) bool {
	files, err := c.Touches(context.Background(), call)
	return err == nil && slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(f, ".") })
}

func (b *toolbox) note(ctx context.Context, name string, args any) {
	text, _ := json.Marshal(args)
	line := name + " " + string(text)
	if tool.Approved(ctx) {
		line += " approved"
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ran = append(b.ran, line)
}

func (b *toolbox) took() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	ran := b.ran
	b.ran = nil
	return ran
}

func (b *toolbox) onPath(info tool.Info) tool.Tool {
	info.Description = "for tests"
	t := tool.Must(tool.New(info, func(ctx context.Context, args pathArgs, _ tool.Update) (tool.Result, error) {
		b.note(ctx, info.Name, args)
		switch args.Path {
		case "panic":
			panic("on purpose")
		case "fail":
			return tool.Result{}, errors.New("disk full")
		case "soft":
			return tool.Result{Output: "it did not work", IsError: true}, nil
		}
		return tool.Result{Output: "done"}, nil
	}))
	if info.ReadOnly {
		return t
	}
	return changing{t, b}
}

// set is the tools of the box. They are made once.
func (b *toolbox) set(t testing.TB) tool.Set {
	t.Helper()
	if b.tools.Len() > 0 {
		return b.tools
	}
	shell := func(name string) tool.Tool {
		return tool.Must(tool.New(tool.Info{Name: name, Label: "Run Command", Description: "for tests"}, func(ctx context.Context, args commandArgs, _ tool.Update) (tool.Result, error) {
			b.note(ctx, name, args)
			return tool.Result{Output: "done"}, nil
		}))
	}
	set, err := tool.NewSet(
		b.onPath(tool.Info{Name: "read_document", ReadOnly: true}),
		b.onPath(tool.Info{Name: "edit_document", Label: "Edit Document"}),
		b.onPath(tool.Info{Name: "delete_document", Label: "Delete Document", Destructive: true}),
		shell("bash"), shell("script"),
	)
	if err != nil {
		t.Fatal(err)
	}
	b.tools = set
	return set
}

// auditLog is an audit log in memory.
type auditLog struct {
	mu      sync.Mutex
	entries []ledger.AuditEntry
	broken  error
}

func (l *auditLog) Audit(ctx context.Context, e ledger.AuditEntry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := errors.Join(l.broken, ctx.Err()); err != nil {
		return err
	}
	l.entries = append(l.entries, e)
	return nil
}

// lines are the entries without what differs from run to run.
func (l *auditLog) lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var lines []string
	for _, e := range l.entries {
		lines = append(lines, strings.TrimSuffix(fmt.Sprintf("%s %s %s: %s", e.Result, e.Action, e.Parameters, e.Error), ": "))
	}
	return lines
}

// person answers every question alike, and notes them.
type person struct {
	answer func(session.Request) (session.Answer, error)
	mu     sync.Mutex
	asked  []session.Request
}

func saying(a session.Answer) *person {
	return &person{answer: func(session.Request) (session.Answer, error) { return a, nil }}
}

func (p *person) Ask(_ context.Context, r session.Request) (session.Answer, error) {
	p.mu.Lock()
	p.asked = append(p.asked, r)
	p.mu.Unlock()
	return p.answer(r)
}

var yes, no = session.Answer{Approve: true}, session.Answer{}

// guard fills in what a test does not care for.
func guard(t testing.TB, set tool.Set, c session.Config) tool.Set {
	t.Helper()
	if c.Mode == "" {
		c.Mode = session.Supervised
	}
	if c.Review == "" {
		c.Review = ledger.Optimistic
	}
	if c.Audit == nil {
		c.Audit = new(auditLog)
	}
	guarded, err := session.Guard(set, c)
	if err != nil {
		t.Fatal(err)
	}
	return guarded
}

func call(ctx context.Context, set tool.Set, name, arguments string) tool.Result {
	return tool.Run(ctx, set, llm.ToolCall{ID: "c1", Name: name, Arguments: json.RawMessage(arguments)}, nil)
}
