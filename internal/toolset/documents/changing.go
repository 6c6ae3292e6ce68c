package documents

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"redline/internal/ops"
	"redline/tool"
)

// contract gives the arguments that a tool refuses the shape of this contract.
type contract struct{ tool.Tool }

// Unwrap returns the tool itself, for what else it can.
func (c contract) Unwrap() tool.Tool { return c.Tool }

// Prepare checks and completes the arguments.
func (c contract) Prepare(call tool.Call) (tool.Call, error) {
	ready, err := tool.Prepare(c.Tool, call)
	var invalid *tool.InvalidError
	if !errors.As(err, &invalid) {
		return ready, err
	}
	fact := ops.FactOf(ops.InvalidArgument)
	return ready, &failure{words: err.Error(), cause: err, ActionResult: ActionResult{Action: c.Spec().Name, Error: &ActionError{
		Code: fact.Code, Message: err.Error(), Recoverable: fact.Recoverable, Suggestions: []string{fact.Suggestion},
		Category: fact.Category, Details: map[string]any{"problems": invalid.Problems},
	}}}
}

// changing is a tool that changes things, and can say beforehand which.
type changing struct {
	contract
	set *set
	// paths are those that the arguments name, and touches all that change: those
	// of a folder are expanded.
	paths, touches func(ctx context.Context, desk *ops.Desk, arguments json.RawMessage) ([]string, error)
}

// Touches lists the paths that a call would change. Of a call that will fail it
// lists what it can; the call itself says what is wrong.
func (c changing) Touches(ctx context.Context, call tool.Call) ([]string, error) {
	ctx, desk := c.set.at(ctx)
	return c.touches(ctx, desk, call.Arguments)
}

// Asks tells whether the user has to agree to the change of one of the paths.
func (c changing) Asks(call tool.Call) bool {
	ctx, desk := c.set.at(context.Background())
	paths, err := c.paths(ctx, desk, call.Arguments)
	return err == nil && slices.ContainsFunc(paths, desk.Asks)
}

// lister lists paths of a call.
type lister[Args any] func(context.Context, *ops.Desk, Args) []string

func (l lister[Args]) decoded(ctx context.Context, desk *ops.Desk, arguments json.RawMessage) ([]string, error) {
	var args Args
	if err := json.Unmarshal(arguments, &args); err != nil {
		return nil, err
	}
	return l(ctx, desk, args), nil
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
	return changing{contract{t}, s, paths.decoded, touches.decoded}, nil
}

// reads makes a tool that changes nothing.
func reads[Args any](info tool.Info, run func(context.Context, Args, tool.Update) (tool.Result, error)) (tool.Tool, error) {
	info.ReadOnly = true
	t, err := tool.New(info, run)
	if err != nil {
		return nil, err
	}
	return contract{t}, nil
}

// cleaned is a path of a call as results write it, or as it is where that is not
// known.
func cleaned(ctx context.Context, desk *ops.Desk, name string) string {
	name = place(ctx, desk, name)
	if info, err := desk.Stat(ctx, name); err == nil {
		return info.Path
	}
	return name
}
