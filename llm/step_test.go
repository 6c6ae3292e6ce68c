package llm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
)

var update = flag.Bool("update", false, "renew the want files in testdata")

// golden compares a value, as JSON, with a file.
func golden(t *testing.T, file string, v any) {
	t.Helper()
	var got bytes.Buffer
	e := json.NewEncoder(&got)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got.String()); d != "" {
		t.Errorf("%s: %s", file, d)
	}
}

// TestStep runs one step for each stop reason. testdata/step holds the results.
func TestStep(t *testing.T) {
	shape := &llm.Output{Name: "edits", Schema: json.RawMessage(`{"type":"object"}`)}
	for _, tt := range []struct {
		name    string
		output  *llm.Output
		produce func(e *llm.Emitter) error
	}{
		{"needs_tools", nil, func(e *llm.Emitter) error {
			e.Text(0, "Looking.")
			e.Call(1, "tc_1", "search_project")
			e.Arguments(1, `{"query": "onboarding checklist", "glob": "**/*", "limit": 20}`)
			e.Call(2, "tc_2", llm.ClarifyTool)
			e.Stop(llm.StopToolUse)
			return nil
		}},
		{"needs_clarification", nil, func(e *llm.Emitter) error {
			e.Call(0, "tc_1", llm.ClarifyTool)
			e.Arguments(0, `{"question": "Which file?"}`)
			e.Stop(llm.StopToolUse)
			return nil
		}},
		{"proposed_edits", shape, func(e *llm.Emitter) error {
			e.Text(0, "```json\n{\"edits\": []}\n```")
			e.Stop(llm.StopEnd)
			return nil
		}},
		{"done", nil, func(e *llm.Emitter) error {
			e.Text(0, `{"edits": []}`)
			e.Stop(llm.StopEnd)
			return nil
		}},
		{"error", nil, func(e *llm.Emitter) error {
			e.Call(0, "tc_1", "search_project")
			return &llm.Failure{Class: llm.ClassOverloaded, Message: "Overloaded", Status: 529, Retry: true}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				req := ask("hi")
				req.Output = tt.output
				got, err := llm.Step(t.Context(), provider(func(_ context.Context, e *llm.Emitter) error {
					time.Sleep(1500 * time.Millisecond)
					e.Usage(llm.Usage{Input: 12, Output: 50, CacheRead: 100, CacheWrite: 20, Reasoning: 30})
					return tt.produce(e)
				}), req)
				if err != nil {
					t.Fatal(err)
				}
				if string(got.StopReason) != tt.name {
					t.Errorf("stop reason %s", got.StopReason)
				}
				golden(t, filepath.Join("testdata", "step", tt.name+".json"), got)
			})
		})
	}
}

func TestStepMisuse(t *testing.T) {
	if _, err := llm.Step(t.Context(), provider(talk), llm.Request{}); err == nil {
		t.Error("a request without a model is answered")
	}
}

// TestCanonicalCall is the example of the protocol's description.
func TestCanonicalCall(t *testing.T) {
	m := llm.Assistant(llm.ToolCall{ID: "tc_1", Name: "search_project", Arguments: json.RawMessage(`{"query":"onboarding checklist","glob":"**/*","limit":20}`)})
	got := plainJSON(t, llm.ResultOf(m, false).ToolCalls)
	want := `[{"tool_call_id":"tc_1","name":"search_project","arguments":{"query":"onboarding checklist","glob":"**/*","limit":20}}]`
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestResultOf(t *testing.T) {
	stopped := func(stop llm.StopReason, blocks ...llm.Block) llm.Message {
		m := llm.Assistant(blocks...)
		m.Reply = &llm.Reply{Stop: stop}
		return m
	}
	text := llm.Text{Text: `{"a":1}`}
	for _, tt := range []struct {
		name       string
		m          llm.Message
		structured bool
		want       llm.StepStop
	}{
		{"text", stopped(llm.StopEnd, text), false, llm.StepDone},
		{"text without a reply", llm.Assistant(text), false, llm.StepDone},
		{"cut by its length", stopped(llm.StopLength, text), false, llm.StepDone},
		{"structured", stopped(llm.StopEnd, text), true, llm.ProposedEdits},
		{"structured, and calls", stopped(llm.StopToolUse, text, call("a", "f")), true, llm.NeedsTools},
		{"structured, but no JSON", stopped(llm.StopEnd, llm.Text{Text: "Sorry."}), true, llm.StepDone},
		{"a question", stopped(llm.StopToolUse, call("a", llm.ClarifyTool)), false, llm.NeedsClarification},
		{"a question among calls", stopped(llm.StopToolUse, call("a", llm.ClarifyTool), call("b", "f")), false, llm.NeedsTools},
		{"aborted", stopped(llm.StopAborted, call("a", "f")), false, llm.StepError},
		{"filtered", stopped(llm.StopContentFilter, text), true, llm.StepError},
		{"failed", stopped(llm.StopError), false, llm.StepError},
	} {
		got := llm.ResultOf(tt.m, tt.structured)
		if got.StopReason != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got.StopReason, tt.want)
		}
		if got.StopReason == llm.NeedsTools && got.StructuredOutput != nil {
			t.Errorf("%s: %s is taken for the result, though calls are open", tt.name, got.StructuredOutput)
		}
	}
}

func TestStructuredOutput(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"a": 1}`, `{"a": 1}`},
		{" \n[1]\n", `[1]`},
		{"```json\n{\"a\": 1}\n```", `{"a": 1}`},
		{"```\n{\"a\": 1}\n```", `{"a": 1}`},
		{"Here it is:\n\n```json\n{\"a\": 1}\n```\nIs that right?", `{"a": 1}`},
		{"```json\r\n{\"a\": 1}\r\n```", `{"a": 1}`},
		{"```json\n{\"a\": \"```go\\ncode\\n```\"}\n```", "{\"a\": \"```go\\ncode\\n```\"}"},
		{"```json\n{\"a\": 1}", `{"a": 1}`},
		{"{\"a\": \"```\"}", "{\"a\": \"```\"}"},
		{"```json\n{\"a\": 1\n```", ``},
		{"No ``` JSON", ``},
		{"Sorry.", ``},
		{"", ``},
	} {
		got := llm.ResultOf(llm.Assistant(llm.Text{Text: tt.text}), true).StructuredOutput
		if string(got) != tt.want {
			t.Errorf("%q: got %s, want %s", tt.text, got, tt.want)
		}
	}
}
