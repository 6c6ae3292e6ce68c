package toolset

import (
	"context"
	"encoding/json"
	"errors"

	"redline/internal/ops"
	"redline/tool"
)

// Refusing is a tool whose refused arguments are an error of a contract, which fail
// writes.
func Refusing(t tool.Tool, desk Desk, fail func(*ops.Desk, error) error) Contract {
	return Contract{Tool: t, Invalid: func(invalid *tool.InvalidError) error {
		_, desk := desk.At(context.Background())
		e := Refusal(ops.InvalidArgument, "", "%s", invalid.Error())
		e.Suggestions = nil // the message says what is expected
		e.Details = map[string]any{"problems": invalid.Problems}
		return fail(desk, errors.Join(e, invalid))
	}}
}

// Changing is a tool that changes the one file that an argument names, and can say so
// beforehand.
type Changing struct {
	Contract
	Desk     Desk
	Argument string // its name
}

// Touches lists the one path that a call would change. A path that is closed is told
// as it was given: the call will refuse it and say why.
func (c Changing) Touches(ctx context.Context, call tool.Call) ([]string, error) {
	name, err := c.path(call)
	if err != nil {
		return nil, err
	}
	ctx, desk := c.Desk.At(ctx)
	if info, err := desk.Stat(ctx, name); err == nil {
		name = info.Path
	}
	return []string{name}, nil
}

// Asks tells whether the user has to agree to a change of the path.
func (c Changing) Asks(call tool.Call) bool {
	name, err := c.path(call)
	_, desk := c.Desk.At(context.Background())
	return err == nil && desk.Asks(name)
}

func (c Changing) path(call tool.Call) (name string, err error) {
	var args map[string]json.RawMessage
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return "", err
	}
	if given, ok := args[c.Argument]; ok {
		err = json.Unmarshal(given, &name)
	}
	return name, err
}
