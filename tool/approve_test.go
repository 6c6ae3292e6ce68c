package tool_test

import (
	"context"
	"testing"

	"redline/llm"
	"redline/tool"
)

func TestApproval(t *testing.T) {
	ctx := t.Context()
	approved := tool.Approve(ctx)
	below, cancel := context.WithCancel(approved)
	defer cancel()
	for _, test := range []struct {
		name string
		ctx  context.Context
		want bool
	}{
		{"nobody agreed", ctx, false},
		{"agreed", approved, true},
		{"a context made of it", below, true},
		{"taken back", tool.Unapprove(below), false},
		{"taken back where there was none", tool.Unapprove(ctx), false},
		{"agreed again", tool.Approve(tool.Unapprove(approved)), true},
	} {
		if got := tool.Approved(test.ctx); got != test.want {
			t.Errorf("%s: approved %v, want %v", test.name, got, test.want)
		}
	}
}

// TestApprovalReachesTheTool: Run hands the approval of its context on.
func TestApprovalReachesTheTool(t *testing.T) {
	var saw bool
	set := newSet(t, made(t, "look", func(ctx context.Context, _ tool.Update) (tool.Result, error) {
		saw = tool.Approved(ctx)
		return tool.Result{}, nil
	}))
	for _, want := range []bool{true, false} {
		ctx := t.Context()
		if want {
			ctx = tool.Approve(ctx)
		}
		if tool.Run(ctx, set, llm.ToolCall{Name: "look"}, nil); saw != want {
			t.Errorf("the tool saw approved %v, want %v", saw, want)
		}
	}
}
