package documents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"redline/internal/toolset/documents"
	"redline/internal/toolset/toolsettest"
	"redline/internal/workspace"
	"redline/llm"
	"redline/tool"
)

// TestApproval: hidden files, where the policy wants the user asked.
func TestApproval(t *testing.T) {
	k := kit()
	k.Policy = workspace.ForCode()
	toolsettest.Run(t, "testdata/approval/*.txtar", k)
}

// run runs a call with arguments of any type.
func run(t testing.TB, set tool.Set, name string, arguments any) tool.Result {
	t.Helper()
	data, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return tool.Run(context.Background(), set, llm.ToolCall{ID: "call_1", Name: name, Arguments: data}, nil)
}

type object = map[string]any

// asking is the kit with a user who does something before they answer.
func asking(choose func(b *toolsettest.Bench) string) toolsettest.Kit {
	return toolsettest.Kit{Tools: func(b *toolsettest.Bench) ([]tool.Tool, error) {
		return documents.New(b.Desk, documents.Options{Choose: func(ctx context.Context, _ string, _ []string) (string, error) {
			answer := choose(b)
			return answer, ctx.Err()
		}})
	}}
}

// TestOverwriteOfAnotherText: the user agreed to replace the text that was there
// when they were asked, and no other.
func TestOverwriteOfAnotherText(t *testing.T) {
	b := toolsettest.NewBench(t, asking(func(b *toolsettest.Bench) string {
		write(t, b, "a.md", "written while the question was open\n")
		return "overwrite"
	}), map[string]string{"a.md": "old\n"})
	r := run(t, b.Set(), "create_document", object{"name": "a", "content": "new\n"})
	if code := codeOf(t, r); code != "stale" {
		t.Errorf("the result is %q, want stale: %s", code, r.Output)
	}
	if got := read(t, b, "a.md"); got != "written while the question was open\n" {
		t.Errorf("a.md is %q", got)
	}
}

// TestRenameIntoATakenName: the free name is taken while it is being used.
func TestRenameIntoATakenName(t *testing.T) {
	b := toolsettest.NewBench(t, asking(func(b *toolsettest.Bench) string {
		write(t, b, "a 2.md", "taken\n")
		return "rename"
	}), map[string]string{"a.md": "old\n"})
	if r := run(t, b.Set(), "create_document", object{"name": "a", "content": "new\n"}); r.IsError {
		t.Fatal(r.Output)
	}
	for name, want := range map[string]string{"a.md": "old\n", "a 2.md": "taken\n", "a 3.md": "new\n"} {
		if got := read(t, b, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// TestAnswerThatNeverCame: the run is aborted while the user thinks.
func TestAnswerThatNeverCame(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := toolsettest.NewBench(t, asking(func(*toolsettest.Bench) string {
		cancel()
		return "overwrite"
	}), map[string]string{"a.md": "old\n"})
	r := tool.Run(ctx, b.Set(), llm.ToolCall{ID: "call_1", Name: "create_document", Arguments: json.RawMessage(`{"name":"a","content":"new"}`)}, nil)
	if r.Code() != tool.CodeAborted {
		t.Errorf("the result is %q: %s", r.Code(), r.Output)
	}
	if got := read(t, b, "a.md"); got != "old\n" {
		t.Errorf("a.md is %q", got)
	}
}

// TestAtOnce: of many who make the same document one succeeds, and the others are
// told that it is there.
func TestAtOnce(t *testing.T) {
	b := toolsettest.NewBench(t, kit(), nil)
	set := b.Set()
	b.Desk(context.Background())
	var made atomic.Int32
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			r := run(t, set, "create_document", object{"name": "a", "content": fmt.Sprint(i)})
			if !r.IsError {
				made.Add(1)
			} else if code := codeOf(t, r); code != "already_exists" {
				t.Errorf("the result is %q: %s", code, r.Output)
			}
			run(t, set, "list_documents", object{})
			run(t, set, "search_documents", object{"query": "a"})
		})
	}
	all.Wait()
	if made.Load() != 1 {
		t.Errorf("%d calls made the document, want 1", made.Load())
	}
}

// TestRenamesAtOnce: everybody who gets another name gets a name of their own.
func TestRenamesAtOnce(t *testing.T) {
	var asked sync.WaitGroup // all are asked before one gets an answer
	asked.Add(8)
	b := toolsettest.NewBench(t, asking(func(*toolsettest.Bench) string {
		asked.Done()
		asked.Wait()
		return "rename"
	}), map[string]string{"a.md": "old\n"})
	set := b.Set()
	b.Desk(context.Background())
	var names sync.Map
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			r := run(t, set, "create_document", object{"name": "a", "content": fmt.Sprint(i)})
			if r.IsError {
				t.Error(r.Output)
				return
			}
			name := r.Details.(documents.ActionResult).Path
			if _, taken := names.LoadOrStore(name, i); taken || read(t, b, name) != fmt.Sprint(i) {
				t.Errorf("%s is not what call %d wrote", name, i)
			}
		})
	}
	all.Wait()
}

// TestLimits: long lists and many results are cut, and say how many there are.
func TestLimits(t *testing.T) {
	files := map[string]string{}
	for i := range 620 {
		files[fmt.Sprintf("folder/%03d.md", i)] = "needle\nneedle\nneedle\nneedle\n"
	}
	b := toolsettest.NewBench(t, kit(), files)
	set := b.Set()

	r := run(t, set, "list_documents", object{"folder": "folder"})
	list := resultOf[documents.Listing](t, r)
	if list.Count != 500 || len(list.Documents) != 500 || list.More != 120 || !strings.Contains(r.Output, "120 more are not shown") {
		t.Errorf("count %d, %d documents, %d more; %s", list.Count, len(list.Documents), list.More, r.Output[max(0, len(r.Output)-200):])
	}

	r = run(t, set, "search_documents", object{"query": "NEEDLE"})
	found := resultOf[documents.Found](t, r)
	if found.Count != 620 || len(found.Results) != 50 || len(found.Results[0].Matches) != 3 || !strings.Contains(r.Output, "570 of them are not shown") {
		t.Errorf("count %d, %d results; %s", found.Count, len(found.Results), r.Output[max(0, len(r.Output)-200):])
	}
}

// TestSnippets: wherever the query is in a line, a snippet has it, and is no longer
// than a hundred characters.
func TestSnippets(t *testing.T) {
	var text strings.Builder
	for before := range 130 {
		for _, after := range []int{0, 1, 50, 99, 100, 101, 200} {
			text.WriteString(strings.Repeat("ä", before) + "Needle" + strings.Repeat("ö", after) + "\n\n")
		}
	}
	files := map[string]string{}
	for i, line := range strings.Split(strings.TrimSpace(text.String()), "\n\n") {
		files[fmt.Sprintf("%d/%d.md", i/50, i)] = line
	}
	b := toolsettest.NewBench(t, kit(), files)
	set := b.Set()
	seen := 0
	for i := range (len(files) + 49) / 50 {
		for _, m := range resultOf[documents.Found](t, run(t, set, "search_documents", object{"query": "needle", "folder": fmt.Sprint(i)})).Results {
			seen++
			s := m.Matches[0]
			line := files[m.Path]
			if n := utf8.RuneCountInString(s); n > 100 || !strings.Contains(s, "Needle") || !strings.Contains(line, strings.Trim(s, "…")) {
				t.Errorf("%q (%d characters) is no snippet of %q", s, n, line)
			}
			if utf8.RuneCountInString(line) <= 100 && s != line {
				t.Errorf("the short line %q became %q", line, s)
			}
		}
	}
	if seen != len(files) {
		t.Errorf("%d of %d lines were found", seen, len(files))
	}
}

// TestMessagesDoNotComeBack: what a tool says, sent back as content, is refused.
func TestMessagesDoNotComeBack(t *testing.T) {
	huge := strings.Repeat("line\n", 100_000)
	for _, c := range []struct {
		name      string
		arguments object
	}{
		{"read_document", object{"path": "lost.md"}},
		{"read_document", object{"path": "empty.md"}},
		{"read_document", object{"path": "huge.md"}},
		{"read_document", object{}},
		{"edit_document", object{"path": "a.md", "operation": "replace", "content": "x"}},
		{"edit_document", object{"path": "a.md", "operation": "append", "content": "x"}},
		{"list_documents", object{"folder": "none"}},
		{"search_documents", object{"query": "nothing"}},
		{"search_documents", object{"query": "text"}},
		{"move_document", object{"from_path": "a.md", "to_path": "b/"}},
		{"delete_document", object{"path": "a.md"}},
		{"create_folder", object{"path": "new folder"}},
		{"create_document", object{"name": "a"}},
	} {
		b := toolsettest.NewBench(t, kit(), map[string]string{"a.md": "text\n", "empty.md": "", "huge.md": huge, "none/x.txt": ""})
		set := b.Set()
		said := run(t, set, c.name, c.arguments).Output
		r := run(t, set, "create_document", object{"name": "echo", "content": "Here it is:\n" + said + "\nAnd more.\n"})
		if code := codeOf(t, r); code != "tool_message" {
			t.Errorf("%s %v said %.300q, and that became a document (%s)", c.name, c.arguments, said[max(0, len(said)-300):], code)
		}
	}
}

// TestOwnTemplate: a template of the user's takes the place of a built-in one, and
// one that came later is found.
func TestOwnTemplate(t *testing.T) {
	own := map[string]string{"journal": "Dear diary,\n\n{{content:nothing happened.}}\n\n{{date}} {{unknown}}\n"}
	b := toolsettest.NewBench(t, toolsettest.Kit{Tools: func(b *toolsettest.Bench) ([]tool.Tool, error) {
		return documents.New(b.Desk, documents.Options{Templates: func() map[string]string { return own }, Now: now})
	}}, nil)
	set := b.Set()
	own["later"] = "later\n"
	for _, c := range []struct {
		template, content, want string
	}{
		{"journal", "", "Dear diary,\n\nnothing happened.\n\n2026-03-14 {{unknown}}\n"},
		{"journal", "{{date}}\n\n", "Dear diary,\n\n{{date}}\n\n2026-03-14 {{unknown}}\n"},
		{"later", "", "later\n"},
	} {
		r := run(t, set, "create_document", object{"name": c.template + c.content[:min(len(c.content), 3)], "template": c.template, "content": c.content})
		if r.IsError {
			t.Fatal(r.Output)
		}
		if got := read(t, b, resultOf[documents.Created](t, r).Path); got != c.want {
			t.Errorf("%s with %q is %q, want %q", c.template, c.content, got, c.want)
		}
	}
}

func write(t testing.TB, b *toolsettest.Bench, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(b.Dir, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, b *toolsettest.Bench, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(b.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func codeOf(t testing.TB, r tool.Result) string {
	t.Helper()
	a, ok := r.Details.(documents.ActionResult)
	if !ok {
		t.Errorf("the details are %T, want an ActionResult: %s", r.Details, r.Output)
		return ""
	}
	if a.Error == nil {
		return ""
	}
	return string(a.Error.Code)
}

func resultOf[T any](t testing.TB, r tool.Result) T {
	t.Helper()
	a, ok := r.Details.(documents.ActionResult)
	if !ok || !a.Success {
		t.Fatalf("the call failed: %s", r.Output)
	}
	return a.Result.(T)
}

// TestElsewhere: a slash stands for the root; a path of another place is not
// rebuilt inside of the folder.
func TestElsewhere(t *testing.T) {
	b := toolsettest.NewBench(t, kit(), map[string]string{"in/a.md": "a\n"})
	for _, folder := range []string{"//etc", "//server/share", b.Dir + "/../elsewhere", "/in/../../elsewhere"} {
		if r := run(t, b.Set(), "create_document", object{"name": "x", "folder": folder}); codeOf(t, r) != "outside_folder" {
			t.Errorf("%s: %s", folder, r.Output)
		}
	}
	for _, folder := range []string{"/", "/in", "/new", b.Dir + "/in/deep"} {
		if r := run(t, b.Set(), "create_document", object{"name": "x", "folder": folder}); r.IsError {
			t.Errorf("%s: %s", folder, r.Output)
		}
	}
}
