package toolsettest

import (
	"context"
	"testing"

	"redline/internal/ops"
	"redline/tool"
)

// toys are tools that are just enough for the harness to show all it can.
func toys(b *Bench) ([]tool.Tool, error) {
	type pathArgs struct {
		Path string `json:"path"`
	}
	type putArgs struct {
		Path string `json:"path"`
		Text string `json:"text"`
		Hash string `json:"hash,omitempty"`
	}
	get, err := tool.New(tool.Info{Name: "get", Description: "reads", ReadOnly: true}, func(ctx context.Context, a pathArgs, _ tool.Update) (tool.Result, error) {
		r, err := b.Desk(ctx).Read(ctx, ops.ReadRequest{Path: a.Path})
		return tool.Result{Output: r.Text, Details: map[string]any{"hash": r.Hash, "folder": b.Dir}}, err
	})
	if err != nil {
		return nil, err
	}
	put, err := tool.New(tool.Info{Name: "put", Description: "writes"}, func(ctx context.Context, a putArgs, _ tool.Update) (tool.Result, error) {
		if _, err := b.Desk(ctx).Create(ctx, "put", a.Path, a.Text); ops.AsError(err) == nil || ops.AsError(err).Code != ops.AlreadyExists {
			return tool.Result{Output: "made"}, err
		}
		r, err := b.Desk(ctx).Write(ctx, "put", ops.WriteRequest{Path: a.Path, Content: a.Text})
		return tool.Result{Output: "approved: " + map[bool]string{true: "yes", false: "no"}[tool.Approved(ctx)], Details: map[string]any{"was": a.Hash, "is": r.Hash}}, err
	})
	if err != nil {
		return nil, err
	}
	remove, err := tool.New(tool.Info{Name: "remove", Description: "deletes", Destructive: true}, func(ctx context.Context, a pathArgs, _ tool.Update) (tool.Result, error) {
		if b.User != nil {
			if answer, err := b.User.Choose(ctx, "Really?", []string{"yes", "no"}); err != nil || answer != "yes" {
				return tool.Result{Output: "kept", EndRun: "Stopped."}, err
			}
		}
		_, err := b.Desk(ctx).Delete(ctx, "remove", a.Path)
		return tool.Result{Output: "gone"}, err
	})
	if err != nil {
		return nil, err
	}
	return []tool.Tool{get, put, touching{remove}}, nil
}

type touching struct{ tool.Tool }

func (t touching) Unwrap() tool.Tool { return t.Tool }

func (t touching) Asks(tool.Call) bool { return true }

func (t touching) Touches(context.Context, tool.Call) ([]string, error) {
	return []string{"a.md", "b.md"}, nil
}

func TestCases(t *testing.T) { Run(t, "testdata/*.txtar", Kit{Tools: toys}) }
