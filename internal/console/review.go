package console

import (
	"context"

	"redline/internal/wire"
)

// Review lets the user decide about turns that wait for it.
func (c *Console) Review(ctx context.Context, reviews Reviews, turns []wire.Turn) (wire.Decided, error) {
	return wire.Decided{}, nil
}
