package tool

import "context"

type approval struct{}

// Approve returns a context for a call that the user, or the mode, has allowed
// already, so that the tool need not ask.
func Approve(ctx context.Context) context.Context { return context.WithValue(ctx, approval{}, true) }

// Approved tells whether the call of this context has been allowed.
func Approved(ctx context.Context) bool { yes, _ := ctx.Value(approval{}).(bool); return yes }

// Unapprove returns a context in which nothing is allowed yet. An approval is for
// one call: the calls of a subagent that runs inside of it begin with this.
func Unapprove(ctx context.Context) context.Context {
	if !Approved(ctx) {
		return ctx
	}
	return context.WithValue(ctx, approval{}, false)
}
