package client

import (
	"context"
	"errors"

	"redline/internal/wire"
)

// Turn is what a request changed.
func (c *Client) Turn(ctx context.Context, id string) (wire.Turn, error) {
	return get[wire.Turn](ctx, c, "/api/turns/"+part(id))
}

// Reviews is where the decisions about the changes of a conversation are made.
type Reviews struct{ conversation *Conversation }

// Review is the changes of the conversation that wait for a decision.
func (v *Conversation) Review() *Reviews { return &Reviews{v} }

func (r *Reviews) path(rest string) string {
	return "/api/agent/sessions/" + part(r.conversation.id) + rest
}

// Open are the turns that wait for a decision, oldest first.
func (r *Reviews) Open(ctx context.Context) ([]wire.Turn, error) {
	c := r.conversation.client
	review, err := get[wire.Review](ctx, c, r.path("/review"))
	for i := range review.Turns {
		if err == nil {
			err = c.lines(ctx, &review.Turns[i])
		}
	}
	return review.Turns, err
}

// Decide accepts and rejects changes. Who decides here was shown each hunk: a large one
// that is accepted is accepted as one.
func (r *Reviews) Decide(ctx context.Context, d wire.Decision) (wire.Decided, error) {
	decided, err := post[wire.Decided](ctx, r.conversation.client, r.path("/decide"), d)
	if refused := (*wire.Error)(nil); errors.As(err, &refused) && refused.Code == wire.CodeOversized {
		large, _ := refused.Details["hunks"].([]any)
		for _, id := range large {
			if id, ok := id.(string); ok {
				d.AsOne = append(d.AsOne, id)
			}
		}
		decided, err = post[wire.Decided](ctx, r.conversation.client, r.path("/decide"), d)
	}
	return decided, r.after(ctx, err)
}

// Split divides a hunk: the first part gets the first old and the first added lines.
func (r *Reviews) Split(ctx context.Context, hunk string, old, added int) (first, second string, err error) {
	parts, err := post[wire.SplitReply](ctx, r.conversation.client, r.path("/hunks/"+part(hunk)+"/split"), wire.SplitRequest{Old: old, Added: added})
	return parts.First, parts.Second, err
}

// Edit accepts a hunk with the user's own text instead of its new lines.
func (r *Reviews) Edit(ctx context.Context, hunk, text string) error {
	return r.conversation.client.order(ctx, r.path("/hunks/"+part(hunk)+"/edit"), wire.HunkText{Text: text})
}

// Undo takes back a turn; "" is the newest.
func (r *Reviews) Undo(ctx context.Context, turn string) (wire.Report, error) {
	return r.travel(ctx, "/undo", turn)
}

// Redo brings it back.
func (r *Reviews) Redo(ctx context.Context, turn string) (wire.Report, error) {
	return r.travel(ctx, "/redo", turn)
}

func (r *Reviews) travel(ctx context.Context, way, turn string) (wire.Report, error) {
	report, err := post[wire.Report](ctx, r.conversation.client, r.path(way), wire.TurnRequest{Turn: turn})
	return report, r.after(ctx, err)
}

// after looks where the session stands after a decision: its events may still be on
// their way.
func (r *Reviews) after(ctx context.Context, err error) error {
	if err != nil {
		return err
	}
	return r.conversation.look(ctx)
}

// look asks where the session stands, unless a run is on, whose events tell it.
func (v *Conversation) look(ctx context.Context) error {
	s, err := v.client.Session(ctx, v.id)
	if err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.status.Open() && !s.Now.Open() {
		v.status = s.Now
	}
	return nil
}
