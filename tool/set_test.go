package tool_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
	"redline/tool"
)

// crashing is a tool whose checking of arguments panics.
type crashing struct{ specTool }

func (crashing) Prepare(tool.Call) (tool.Call, error) { panic("no idea") }

func TestOnRefusal(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context
		call llm.ToolCall
		want tool.Code // "": it reaches the tool
		args string
	}{
		{"right", t.Context(), llm.ToolCall{Name: "read", Arguments: []byte(`{"file_path":"a"}`)}, "", ""},
		{"unknown", t.Context(), llm.ToolCall{Name: "reed", Arguments: []byte(`{"file_path":"a"}`)}, tool.CodeUnknownTool, `{"file_path":"a"}`},
		{"invalid", t.Context(), llm.ToolCall{Name: "read", Arguments: []byte(`{}`)}, tool.CodeInvalid, `{}`},
		{"no JSON", t.Context(), llm.ToolCall{Name: "read", Arguments: []byte(`{}`), Raw: `{"file_path":`}, tool.CodeInvalid, `{"file_path":`},
		{"too late", ended, llm.ToolCall{Name: "read", Arguments: []byte(`{"file_path":"a"}`)}, tool.CodeAborted, `{"file_path":"a"}`},
		{"the check crashes", t.Context(), llm.ToolCall{Name: "crash"}, tool.CodeCrashed, `{}`},
	}
	plain := newSet(t, newEcho[readArgs](t, "read"), crashing{specTool{"crash", `{"type":"object"}`}})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var heard []string
			set := plain.OnRefusal(func(ctx context.Context, call tool.Call, err error) (tool.Result, error) {
				heard = append(heard, fmt.Sprintf("%s %s %s", call.ID, call.Name, call.Arguments))
				return tool.Result{EndRun: "noted"}, err
			})
			test.call.ID = "c1"
			got, without := tool.Run(test.ctx, set, test.call, nil), tool.Run(test.ctx, plain, test.call, nil)
			if got.Code() != test.want || got.Output != without.Output || got.Code() != without.Code() {
				t.Errorf("%q %s, without a listener %q %s, want %s", got.Output, got.Code(), without.Output, without.Code(), test.want)
			}
			var want []string
			if test.want != "" {
				want = []string{"c1 " + test.call.Name + " " + test.args}
			}
			if d := cmp.Diff(want, heard); d != "" {
				t.Errorf("heard (-want +got):\n%s", d)
			}
			if ends := got.EndRun == "noted"; ends != (want != nil) {
				t.Errorf("ends the run: %v", ends)
			}
		})
	}
}

// TestRefusalThatCrashes: a fault of the listener fails the call only.
func TestRefusalThatCrashes(t *testing.T) {
	set := newSet(t).OnRefusal(func(context.Context, tool.Call, error) (tool.Result, error) { panic(errors.New("full")) })
	if r := tool.Run(t.Context(), set, llm.ToolCall{Name: "x"}, nil); r.Code() != tool.CodeCrashed {
		t.Errorf("%q", r.Output)
	}
}

func TestOnly(t *testing.T) {
	heard := 0
	set := newSet(t, newEcho[readArgs](t, "a"), newEcho[readArgs](t, "b"), newEcho[readArgs](t, "c")).
		OnRefusal(func(_ context.Context, _ tool.Call, err error) (tool.Result, error) {
			heard++
			return tool.Result{}, err
		})
	few := set.Only(func(t tool.Tool) bool { return t.Spec().Name != "b" })
	var names []string
	for _, spec := range few.Specs() {
		names = append(names, spec.Name)
	}
	if got := strings.Join(names, " "); got != "a c" || few.Len() != 2 || set.Len() != 3 {
		t.Errorf("%s of %d", got, set.Len())
	}
	if r := tool.Run(t.Context(), few, llm.ToolCall{Name: "c", Arguments: []byte(`{"file_path":"x"}`)}, nil); r.IsError {
		t.Error(r.Output)
	}
	if r := tool.Run(t.Context(), few, llm.ToolCall{Name: "b", Arguments: []byte(`{"file_path":"x"}`)}, nil); r.Code() != tool.CodeUnknownTool || heard != 1 {
		t.Errorf("%s, heard %d times", r.Output, heard)
	}
}
