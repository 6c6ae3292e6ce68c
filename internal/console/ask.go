package console

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"redline/internal/wire"
)

// howToAnswer says how a question is answered when the program has ended.
const howToAnswer = `To answer: redline --continue "…"`

// Ask sends the requests one after the other, shows what happens, answers what is
// asked, and lets the user decide about the changes where there is somebody to
// ask. It stops after one that failed, was denied or aborted, and returns where
// the conversation stands. How a run ended has then been told; an error has not.
func (c *Console) Ask(ctx context.Context, conv Conversation, requests []string) (wire.Status, error) {
	var s wire.Status
	for _, request := range requests {
		if len(requests) > 1 {
			c.screen.line(c.screen.colors.bold("> " + Clean(request)))
		}
		var err error
		if s, err = c.request(ctx, conv, request); err != nil {
			return s, err
		}
		if s.State == wire.Failed || s.State == wire.Cancelled || s.Denied || s.Aborted || ctx.Err() != nil {
			break
		}
	}
	if s.Asks() {
		c.screen.line(c.screen.colors.dim(howToAnswer))
	}
	return s, nil
}

// request is one of them.
func (c *Console) request(ctx context.Context, conv Conversation, text string) (wire.Status, error) {
	c.last = nil
	if err := conv.Do(ctx, wire.Command{Type: wire.CommandMessage, Content: text}); err != nil {
		return conv.Status(), err
	}
	err := c.follow(ctx, conv)
	s := conv.Status()
	if err != nil {
		return s, err
	}
	c.show.over(s)
	if s.Denied && !c.o.Ask {
		c.screen.line(howToAllow)
	}
	if c.last != nil && len(c.last.Files) > 0 {
		if err := c.settle(ctx, c.last, s.Aborted); err != nil {
			return conv.Status(), err
		}
	}
	if p, ok := c.show.(*plain); ok && p.failed != nil {
		return conv.Status(), fmt.Errorf("the answer could not be written: %w", p.failed)
	}
	return conv.Status(), c.screen.err
}

// settle shows what a turn changed and lets the user decide.
func (c *Console) settle(ctx context.Context, t *wire.Turn, aborted bool) error {
	c.screen.line("\n" + banner(t))
	var open []wire.Turn
	if c.o.Ask && c.o.Reviews != nil && !aborted && ctx.Err() == nil && t.Review != "auto" && t.Pending() {
		turns, err := c.o.Reviews.Open(ctx)
		if err != nil {
			return err
		}
		open = slices.DeleteFunc(turns, func(other wire.Turn) bool { return other.ID != t.ID })
	}
	if len(open) == 0 {
		if c.o.Terminal {
			c.diff(t)
		}
		c.screen.line(c.screen.colors.dim(next(t)))
		return nil
	}
	_, err := c.Review(ctx, c.o.Reviews, open)
	if errors.Is(err, errInterrupt) {
		err = nil // it stays open, as was said
	}
	return err
}

// next says what can be done with changes that nobody was asked about.
func next(t *wire.Turn) string {
	switch {
	case t.Staged() && t.Pending():
		return "They wait for a decision: redline diff, redline accept, redline reject."
	case t.Status == "discarded":
		return "They were discarded."
	}
	return "redline undo takes them back."
}

// diff shows a turn, cut where it is long.
func (c *Console) diff(t *wire.Turn) {
	c.screen.erase()
	c.screen.fresh()
	c.screen.write("\n")
	s := Style{Color: bool(c.screen.colors), Lines: 100, More: "redline show " + Clean(t.ID)}
	if err := Diff(c.screen.w, *t, s); err != nil && c.screen.err == nil {
		c.screen.err = err
	}
	c.screen.write("\n")
}
