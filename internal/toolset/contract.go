package toolset

import (
	"context"
	"errors"

	"redline/internal/ops"
	"redline/tool"
)

// Desk finds the desk of the current turn.
type Desk func(context.Context) *ops.Desk

// At is the desk for a call, and the context for what is done there.
func (d Desk) At(ctx context.Context) (context.Context, *ops.Desk) {
	desk := d(ctx)
	if tool.Approved(ctx) {
		ctx = ops.Approved(ctx)
	}
	return ctx, desk
}

// Make makes tools, in their order.
func Make(makers ...func() (tool.Tool, error)) ([]tool.Tool, error) {
	var tools []tool.Tool
	for _, make := range makers {
		t, err := make()
		if err != nil {
			return nil, err
		}
		tools = append(tools, t)
	}
	return tools, nil
}

// Contract is a tool that answers wrong arguments in the shape of its contract.
type Contract struct {
	tool.Tool
	Invalid func(*tool.InvalidError) error // what such a call returns
}

// Unwrap returns the tool itself, for what else it can.
func (c Contract) Unwrap() tool.Tool { return c.Tool }

// Prepare checks and completes the arguments.
func (c Contract) Prepare(call tool.Call) (tool.Call, error) {
	ready, err := tool.Prepare(c.Tool, call)
	var invalid *tool.InvalidError
	if errors.As(err, &invalid) {
		err = c.Invalid(invalid)
	}
	return ready, err
}
