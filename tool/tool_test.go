package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"redline/llm"
	"redline/tool"
)

// made is a tool of a function without parameters.
func made(t testing.TB, name string, run func(ctx context.Context, update tool.Update) (tool.Result, error)) tool.Tool {
	t.Helper()
	got, err := tool.New(tool.Info{Name: name, Description: "for tests"}, func(ctx context.Context, _ struct{}, update tool.Update) (tool.Result, error) {
		return run(ctx, update)
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func newSet(t testing.TB, tools ...tool.Tool) tool.Set {
	t.Helper()
	set, err := tool.NewSet(tools...)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// seedError is an error in the shape of a toolset, with details of its own.
type seedError struct {
	Code        string   `json:"code"`
	Message     string   `json:"message"`
	Recoverable bool     `json:"recoverable"`
	Suggestions []string `json:"suggestions"`
}

func (e *seedError) Error() string { return e.Message }
func (e *seedError) Details() any  { return e }

func TestRun(t *testing.T) {
	type details struct {
		Exit int `json:"exitCode"`
	}
	stale := &seedError{"FILE_EXISTS", "a.md exists already", true, []string{"choose another name"}}
	set := newSet(t,
		newEcho[readArgs](t, "read"),
		made(t, "error", func(context.Context, tool.Update) (tool.Result, error) { return tool.Result{}, errors.New("disk full") }),
		made(t, "partial", func(context.Context, tool.Update) (tool.Result, error) {
			return tool.Result{Output: "half of it", Details: details{1}}, errors.New("then it broke")
		}),
		made(t, "own_details", func(context.Context, tool.Update) (tool.Result, error) {
			return tool.Result{}, fmt.Errorf("create: %w", stale)
		}),
		made(t, "is_error", func(context.Context, tool.Update) (tool.Result, error) {
			return tool.Result{Output: "exit 1", IsError: true, EndRun: "over"}, nil
		}),
		made(t, "panic", func(context.Context, tool.Update) (tool.Result, error) { panic("index out of range") }),
		made(t, "not_utf8", func(context.Context, tool.Update) (tool.Result, error) { return tool.Result{Output: "a\xffb"}, nil }),
		made(t, "own_cancel", func(context.Context, tool.Update) (tool.Result, error) { return tool.Result{}, context.Canceled }),
	)
	tests := []struct {
		call llm.ToolCall
		want tool.Result
		code tool.Code
	}{
		{
			llm.ToolCall{Name: "read", Arguments: []byte(`{"file_path":"a.md","limit":"5"}`)},
			tool.Result{Output: `{"file_path":"a.md","limit":5}`}, "",
		},
		{
			llm.ToolCall{Name: "raed", Arguments: []byte(`{}`)},
			tool.Result{Output: `unknown tool "raed"; did you mean "read"?`, IsError: true}, tool.CodeUnknownTool,
		},
		{
			llm.ToolCall{Name: "read", Arguments: []byte(`{}`), Raw: `{"file_path": `},
			tool.Result{Output: "invalid arguments for read:\n- not valid JSON at byte 14, after \"{\\\"file_path\\\": \": unexpected end of JSON input\nexpected: {file_path: string of ≥ 1 characters, offset?: integer ≥ 1, limit?: integer 1..5000}", IsError: true}, tool.CodeInvalid,
		},
		{
			llm.ToolCall{Name: "read", Arguments: []byte(`{}`), Raw: `"a.md"`},
			tool.Result{Output: "invalid arguments for read:\n- must be an object, got the string \"a.md\"\nexpected: {file_path: string of ≥ 1 characters, offset?: integer ≥ 1, limit?: integer 1..5000}", IsError: true}, tool.CodeInvalid,
		},
		{llm.ToolCall{Name: "error"}, tool.Result{Output: "disk full", IsError: true}, tool.CodeFailed},
		{llm.ToolCall{Name: "partial"}, tool.Result{Output: "half of it\nthen it broke", IsError: true, Details: details{1}}, ""},
		{llm.ToolCall{Name: "own_details"}, tool.Result{Output: "create: a.md exists already", IsError: true, Details: stale}, ""},
		{llm.ToolCall{Name: "is_error"}, tool.Result{Output: "exit 1", IsError: true, EndRun: "over"}, ""},
		{llm.ToolCall{Name: "panic"}, tool.Result{Output: "the tool panic crashed: index out of range; this is a fault of the tool, not of the arguments, so try another way", IsError: true}, tool.CodeCrashed},
		{llm.ToolCall{Name: "not_utf8"}, tool.Result{Output: "a\uFFFDb"}, ""},
		{llm.ToolCall{Name: "own_cancel"}, tool.Result{Output: "context canceled", IsError: true}, tool.CodeFailed},
	}
	for _, test := range tests {
		t.Run(test.call.Name, func(t *testing.T) {
			got := tool.Run(t.Context(), set, test.call, nil)
			if got.Code() != test.code {
				t.Errorf("code %q, want %q", got.Code(), test.code)
			}
			if test.want.Details == nil {
				got.Details = nil
			}
			if diff := cmp.Diff(test.want, got, cmpopts.IgnoreUnexported(tool.Result{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRunCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	started := 0
	set := newSet(t, made(t, "wait", func(ctx context.Context, _ tool.Update) (tool.Result, error) {
		started++
		cancel()
		<-ctx.Done()
		return tool.Result{Output: "some"}, ctx.Err()
	}), made(t, "killed", func(ctx context.Context, _ tool.Update) (tool.Result, error) {
		started++
		return tool.Result{Output: "done after all"}, nil
	}))
	r := tool.Run(ctx, set, llm.ToolCall{Name: "wait"}, nil)
	if r.Code() != tool.CodeAborted || !strings.HasPrefix(r.Output, "some\ninterrupted before it finished") {
		t.Errorf("%+v", r)
	}
	r = tool.Run(ctx, set, llm.ToolCall{Name: "killed"}, nil)
	if r.Code() != tool.CodeAborted || started != 1 {
		t.Errorf("a call started after the end: %+v", r)
	}
}

// TestUpdates: one at a time, none after the end, and a tool may always call.
func TestUpdates(t *testing.T) {
	var late tool.Update
	chatty := made(t, "chatty", func(_ context.Context, update tool.Update) (tool.Result, error) {
		late = update
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { update(tool.Result{Output: "x\xff"}) })
		}
		all.Wait()
		return tool.Result{}, nil
	})
	var got []string // no lock: Run passes on one at a time
	set := newSet(t, tool.Wrap(chatty, tool.Limit(tool.Limits{Output: 100})))
	tool.Run(t.Context(), set, llm.ToolCall{Name: "chatty"}, func(r tool.Result) { got = append(got, r.Output) })
	late(tool.Result{Output: "too late"})
	if len(got) != 50 || got[0] != "x\uFFFD" {
		t.Errorf("%d updates: %q", len(got), got)
	}
	tool.Run(t.Context(), set, llm.ToolCall{Name: "chatty"}, nil)
	if _, err := chatty.Execute(t.Context(), tool.Call{Arguments: []byte(`{}`)}, nil); err != nil {
		t.Error(err)
	}
}

// TestRunBeside: one set serves many callers; the race detector watches.
func TestRunBeside(t *testing.T) {
	records := make(chan tool.Record, 40)
	set := newSet(t, tool.Wrap(newEcho[editsArgs](t, "edits"), tool.Audit(func(r tool.Record) { records <- r }), tool.Limit(tool.Limits{Output: 1000})))
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			args := fmt.Sprintf(`{"file_path":"%d","expected_hash":"sha256:00ff","edits":[{"start_line":"%d","end_line":2}]}`, i, i+1)
			want := fmt.Sprintf(`"start_line":%d,`, i+1)
			if r := tool.Run(t.Context(), set, llm.ToolCall{Name: "edits", Arguments: []byte(args)}, nil); r.IsError || !strings.Contains(r.Output, want) {
				t.Errorf("%+v", r)
			}
		})
	}
	all.Wait()
	if len(records) != 40 {
		t.Errorf("%d records", len(records))
	}
}

func TestSet(t *testing.T) {
	read, search := newEcho[readArgs](t, "read_file"), newEcho[searchArgs](t, "search_project")
	set := newSet(t, search, read)
	var names []string
	for _, spec := range set.Specs() {
		names = append(names, spec.Name)
	}
	if diff := cmp.Diff([]string{"search_project", "read_file"}, names); diff != "" || set.Len() != 2 || set.Tools()[1] != read {
		t.Errorf("order: %s", diff)
	}
	if found, err := set.Find("read_file"); err != nil || found != read {
		t.Errorf("%v, %v", found, err)
	}
	for name, want := range map[string]string{
		"readFile":                `unknown tool "readFile"; did you mean "read_file"?`,
		"read":                    `unknown tool "read"; did you mean "read_file"?`,
		"bash":                    `unknown tool "bash"; the tools are "search_project", "read_file"`,
		"Read_Flie":               `unknown tool "Read_Flie"; did you mean "read_file"?`,
		strings.Repeat("x", 5000): `unknown tool "` + strings.Repeat("x", 60) + `…"; the tools are "search_project", "read_file"`,
	} {
		_, err := set.Find(name)
		if _, ok := errors.AsType[*tool.UnknownError](err); !ok || err.Error() != want {
			t.Errorf("%.20s: %v, want %s", name, err, want)
		}
	}
	var empty tool.Set
	if _, err := empty.Find("a"); err == nil || err.Error() != `unknown tool "a"; there are no tools` {
		t.Error(err)
	}
}

type specTool struct{ name, schema string }

func (s specTool) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: s.name, Schema: json.RawMessage(s.schema)}
}

func (s specTool) Execute(_ context.Context, call tool.Call, _ tool.Update) (tool.Result, error) {
	return tool.Result{Output: string(call.Arguments)}, nil
}

func TestBadSet(t *testing.T) {
	tests := []struct {
		tools []tool.Tool
		want  string
	}{
		{[]tool.Tool{nil}, "tool 0 of the set is nil"},
		{[]tool.Tool{specTool{"a.b", `{"type":"object"}`}}, `tool "a.b": a name has 1 to 64`},
		{[]tool.Tool{specTool{"a", `{"type":"object"}`}, specTool{"a", `{"type":"object"}`}}, `two tools are called "a"`},
		{[]tool.Tool{specTool{"a", ``}}, "the schema: empty"},
		{[]tool.Tool{specTool{"a", `{"type":"array"}`}}, `must be of type "object"`},
		{[]tool.Tool{specTool{"a", `true`}}, `must be of type "object"`},
	}
	for _, test := range tests {
		if _, err := tool.NewSet(test.tools...); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
	}
	set := newSet(t, specTool{"a", `{"type":"object","properties":{"n":{"type":"integer"}}}`})
	if r := tool.Run(t.Context(), set, llm.ToolCall{Name: "a", Arguments: []byte(`{"n":"7"}`)}, nil); r.Output != `{"n":7}` {
		t.Errorf("%+v", r)
	}
	if r := tool.Run(t.Context(), set, llm.ToolCall{Name: "a", Arguments: []byte(`{"n":"x"}`)}, nil); r.Code() != tool.CodeInvalid {
		t.Errorf("%+v", r)
	}
}

func TestCanonical(t *testing.T) {
	const call = `{"tool_call_id": "tc_1", "name": "search_project", "arguments": {"query": "onboarding checklist", "glob": "**/*", "limit": 20}}`
	var c tool.Call
	if err := json.Unmarshal([]byte(call), &c); err != nil {
		t.Fatal(err)
	}
	stale := &seedError{"FILE_EXISTS", "a.md exists already", true, []string{}}
	type obj = map[string]any
	tests := []struct {
		file   string
		result tool.Result
		err    error
	}{
		{"result", tool.Result{Output: "nothing found", Details: obj{"results": []string{}}}, nil},
		{"result_output", tool.Result{Output: "a < b\n"}, nil},
		{"result_list", tool.Result{Output: "two", Details: []int{1, 2}}, nil},
		{"error", tool.Result{Output: "disk full", IsError: true}, nil},
		{"error_go", tool.Result{}, errors.New("disk full")},
		{"error_details", tool.Result{}, stale},
		{"error_code", tool.Result{Output: "stale version", IsError: true, Details: obj{"error": "version_mismatch", "current_version": "6"}}, nil},
		{"error_empty_details", tool.Result{Output: "no", IsError: true, Details: struct{}{}}, nil},
		{"error_aborted", tool.Result{}, context.Canceled},
		{"error_denied", tool.Run(t.Context(), newSet(t, tool.Wrap(newEcho[struct{}](t, "search_project"), denyAll)), llm.ToolCall{Name: "search_project"}, nil), nil},
		{"details_no_json", tool.Result{Output: "x", Details: func() {}}, nil},
	}
	got, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "canonical/call.json", indent(t, got))
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			r := tool.Canonical(c, test.result, test.err)
			got, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "canonical/"+test.file+".json", indent(t, got))
			if r.OK != (r.Error == nil) || r.OK == (r.Result == nil) {
				t.Error("exactly one of result and error must be null")
			}
		})
	}
}

func TestBlock(t *testing.T) {
	call := tool.Call{ID: "tc_1", Name: "read"}
	image := llm.Image{MIMEType: "image/png", Data: []byte("x")}
	got := tool.Result{Output: "o", Images: []llm.Image{image}, IsError: true, Details: map[string]int{"n": 1}}.Block(call)
	want := llm.ToolResult{CallID: "tc_1", Name: "read", Output: "o", Images: []llm.Image{image}, IsError: true, Details: []byte(`{"n":1}`)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := (tool.Result{}).Block(call); got.Details != nil {
		t.Errorf("details %s", got.Details)
	}
}
