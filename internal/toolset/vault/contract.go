package vault

import (
	"context"
	"encoding/json"
	"errors"

	"redline/internal/ops"
	"redline/internal/toolset"
	"redline/tool"
)

// contract gives the arguments that a tool refuses the shape of this contract.
func (s *set) contract(t tool.Tool) toolset.Contract {
	return toolset.Contract{Tool: t, Invalid: func(invalid *tool.InvalidError) error {
		_, desk := s.desk.At(context.Background())
		e := toolset.Refusal(ops.InvalidArgument, "", "%s", invalid.Error())
		e.Suggestions = nil // the message says what is expected
		e.Details = map[string]any{"problems": invalid.Problems}
		return fail(desk, errors.Join(e, invalid))
	}}
}

// changing is a tool that changes the file its argument path names, and can say so
// beforehand.
type changing struct {
	toolset.Contract
	set *set
}

// Touches lists the one path that a call would change. A path that is closed is told
// as it was given: the call will refuse it and say why.
func (c changing) Touches(ctx context.Context, call tool.Call) ([]string, error) {
	name, err := pathOf(call)
	if err != nil {
		return nil, err
	}
	ctx, desk := c.set.desk.At(ctx)
	if info, err := desk.Stat(ctx, name); err == nil {
		name = info.Path
	}
	return []string{name}, nil
}

// Asks tells whether the user has to agree to a change of the path.
func (c changing) Asks(call tool.Call) bool {
	name, err := pathOf(call)
	_, desk := c.set.desk.At(context.Background())
	return err == nil && desk.Asks(name)
}

// changes makes a changing tool.
func changes[Args any](s *set, info tool.Info, run func(context.Context, Args, tool.Update) (tool.Result, error)) (tool.Tool, error) {
	info.Description = s.describe(info.Description)
	t, err := tool.New(info, run)
	if err != nil {
		return nil, err
	}
	return changing{s.contract(t), s}, nil
}

func pathOf(call tool.Call) (string, error) {
	var args struct {
		Path string `json:"path"`
	}
	err := json.Unmarshal(call.Arguments, &args)
	return args.Path, err
}
