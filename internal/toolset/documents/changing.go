package documents

import (
	"context"
	"encoding/json"
	"slices"

	"redline/internal/ops"
	"redline/internal/toolset"
	"redline/tool"
)

// contract answers the arguments that a tool refuses in the shape of this contract.
func (s *set) contract(t tool.Tool) toolset.Contract {
	return toolset.Contract{Tool: t, Invalid: func(invalid *tool.InvalidError) error {
		words := invalid.Error()
		if desk := s.desk(context.Background()); desk != nil {
			words = desk.Tell(words)
		}
		fact := ops.FactOf(ops.InvalidArgument)
		return &failure{words: words, cause: invalid, ActionResult: ActionResult{Action: t.Spec().Name, Error: &ActionError{
			Code: fact.Code, Message: words, Recoverable: fact.Recoverable, Suggestions: []string{fact.Suggestion},
			Category: fact.Category, Details: map[string]any{"problems": invalid.Problems},
		}}}
	}}
}

// changing is a tool that changes things, and can say beforehand which.
type changing struct {
	toolset.Contract
	set *set
	// paths are those that the arguments name, and touches all that change: those
	// of a folder are expanded.
	paths, touches func(ctx context.Context, desk *ops.Desk, arguments json.RawMessage) ([]string, error)
}

// Touches lists the paths that a call would change. Its error is that of the call.
func (c changing) Touches(ctx context.Context, call tool.Call) ([]string, error) {
	ctx, desk := c.set.desk.At(ctx)
	// To list what needs the user's agreement needs none.
	paths, err := c.touches(ops.Approved(ctx), desk, call.Arguments)
	if err != nil {
		return nil, action{desk: desk, name: c.Spec().Name}.fail(err, nil)
	}
	return paths, nil
}

// Asks tells whether the user has to agree to the change of one of the paths.
func (c changing) Asks(call tool.Call) bool {
	ctx, desk := c.set.desk.At(context.Background())
	if desk == nil {
		return false
	}
	paths, err := c.paths(ops.Approved(ctx), desk, call.Arguments)
	return err == nil && slices.ContainsFunc(paths, desk.Asks)
}

// lister lists paths of a call.
type lister[Args any] func(context.Context, *ops.Desk, Args) ([]string, error)

func (l lister[Args]) decoded(ctx context.Context, desk *ops.Desk, arguments json.RawMessage) ([]string, error) {
	var args Args
	if err := json.Unmarshal(arguments, &args); err != nil {
		return nil, err
	}
	return l(ctx, desk, args)
}

// changes makes a changing tool. Without touches it changes what its arguments
// name.
func changes[Args any](s *set, info tool.Info, run func(context.Context, Args, tool.Update) (tool.Result, error), paths, touches lister[Args]) (tool.Tool, error) {
	t, err := tool.New(info, run)
	if err != nil {
		return nil, err
	}
	if touches == nil {
		touches = paths
	}
	return changing{s.contract(t), s, paths.decoded, touches.decoded}, nil
}

// reads makes a tool that changes nothing.
func reads[Args any](s *set, info tool.Info, run func(context.Context, Args, tool.Update) (tool.Result, error)) (tool.Tool, error) {
	info.ReadOnly = true
	t, err := tool.New(info, run)
	if err != nil {
		return nil, err
	}
	return s.contract(t), nil
}

// resolved are paths of a call as results write them.
func resolved(ctx context.Context, desk *ops.Desk, names ...string) ([]string, error) {
	var list []string
	for _, name := range names {
		info, err := desk.Stat(ctx, place(ctx, desk, name))
		if err != nil {
			return nil, err
		}
		list = append(list, info.Path)
	}
	return list, nil
}
