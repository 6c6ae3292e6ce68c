package coding

import (
	"context"
	"encoding/json"
	"errors"

	"redline/internal/ops"
	"redline/tool"
)

// contract gives the arguments that a tool refuses the shape of this contract.
type contract struct {
	tool.Tool
	set *set
}

// Unwrap returns the tool itself, for what else it can.
func (c contract) Unwrap() tool.Tool { return c.Tool }

// Prepare checks and completes the arguments.
func (c contract) Prepare(call tool.Call) (tool.Call, error) {
	ready, err := tool.Prepare(c.Tool, call)
	var invalid *tool.InvalidError
	if !errors.As(err, &invalid) {
		return ready, err
	}
	_, desk := c.set.at(context.Background())
	e := failed(ops.InvalidArgument, "", "%s", invalid.Error())
	e.Suggestions = nil // the message says what is expected
	e.Details = map[string]any{"problems": invalid.Problems}
	return ready, fail(desk, errors.Join(e, invalid))
}

// changing is a tool that changes the file its argument file_path names, and can
// say so beforehand.
type changing struct{ contract }

// Touches lists the one path that a call would change. A path that is closed is
// told as it was given: the call will refuse it and say why.
func (c changing) Touches(ctx context.Context, call tool.Call) ([]string, error) {
	name, err := filePath(call)
	if err != nil {
		return nil, err
	}
	ctx, desk := c.set.at(ctx)
	if info, err := desk.Stat(ctx, name); err == nil {
		name = info.Path
	}
	return []string{name}, nil
}

// Asks tells whether the user has to agree to a change of the path.
func (c changing) Asks(call tool.Call) bool {
	name, err := filePath(call)
	_, desk := c.set.at(context.Background())
	return err == nil && desk.Asks(name)
}

// changes makes a changing tool.
func changes[Args any](s *set, info tool.Info, run func(context.Context, Args, tool.Update) (tool.Result, error)) (tool.Tool, error) {
	t, err := tool.New(info, run)
	if err != nil {
		return nil, err
	}
	return changing{contract{t, s}}, nil
}

// plain makes a tool that changes no file by a name in its arguments.
func plain[Args any](s *set, info tool.Info, run func(context.Context, Args, tool.Update) (tool.Result, error)) (tool.Tool, error) {
	t, err := tool.New(info, run)
	if err != nil {
		return nil, err
	}
	return contract{t, s}, nil
}

func filePath(call tool.Call) (string, error) {
	var args struct {
		FilePath string `json:"file_path"`
	}
	err := json.Unmarshal(call.Arguments, &args)
	return args.FilePath, err
}
