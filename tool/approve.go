package tool

import "context"

type approval struct{}

// Approve returns a context for a call that the user, or the mode, has allowed
// already, so that the tool need not ask.
func Approve(ctx context.Context) context.Context { return context.WithValue(ctx, approval{}, true) }

// Approved tells whether the call of this context has been allowed.
func Approved(ctx context.Context) bool { yes, _ := ctx.Value(approval{}).(bool); return yes }
