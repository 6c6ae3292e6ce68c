package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"redline/internal/wire"
)

// grace is how long a run that was called off may take to end before it is left
// alone.
const grace = 10 * time.Second

// stream is the events of a conversation as a channel, for those who wait for
// something else besides.
type stream struct {
	events chan heard // closed when there are no more
	stop   func()     // ends it, and waits for that
}

type heard struct {
	wire.Event
	err error
}

func listen(ctx context.Context, conv Conversation, after int) *stream {
	ctx, cancel := context.WithCancel(ctx)
	s := &stream{events: make(chan heard)}
	ended := make(chan struct{})
	s.stop = func() {
		cancel()
		<-ended
	}
	go func() {
		defer close(ended)
		defer close(s.events)
		for e, err := range conv.Events(ctx, after) {
			select {
			case s.events <- heard{e, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return s
}

// progress tells from the events where a run is.
type progress struct{ began, ended bool }

// note takes an event into account. The state of an earlier run, or of the
// conversation before any, ends nothing.
func (p *progress) note(e *wire.Event) {
	switch e.Type {
	case wire.EventState:
		open := e.Status != nil && e.Status.Open()
		p.ended = p.began && !open
		p.began = p.began || open
	case wire.EventAgentStart, wire.EventTurnStart, wire.EventMessageStart:
		p.began = true
	}
}

// run is a request that is being worked on.
type run struct {
	*Console
	conv      Conversation
	stream    *stream
	held      []heard // came while the user was asked
	progress  progress
	order     order
	interrupt int // how often the user has called it off
	giveUp    <-chan time.Time
	signals   <-chan os.Signal
	done      <-chan struct{} // the context's
}

// errLeft: the run was called off and does not end.
var errLeft = errors.New("the run was interrupted and has not ended; what it does further is recorded")

// errAsked: the program ends while the user is being asked.
var errAsked = errors.New("the question stays open")

// follow shows what happens until the run is over. A context that ends calls the
// run off; it is followed until it has. A question that is open then is left so.
func (c *Console) follow(ctx context.Context, conv Conversation) (err error) {
	quiet := context.WithoutCancel(ctx)
	r := &run{Console: c, conv: conv, stream: listen(quiet, conv, c.seen), signals: c.o.Interrupts, done: ctx.Done()}
	defer func() {
		r.stream.stop()
		if err != nil && r.interrupt == 0 && !errors.Is(err, errAsked) { // nobody follows it any more
			_ = conv.Do(quiet, wire.Command{Type: wire.CommandInterrupt})
		}
	}()
	for !r.progress.ended {
		e, err := r.next(quiet)
		if err != nil {
			return err
		}
		if e == nil {
			continue
		}
		c.seen = e.Cursor
		r.progress.note(&e.Event)
		if err := r.take(ctx, &e.Event); err != nil {
			return err
		}
	}
	return nil
}

// next waits for the next event; nil if something else came up and was seen to.
func (r *run) next(ctx context.Context) (*heard, error) {
	if len(r.held) > 0 {
		e := r.held[0]
		r.held = r.held[1:]
		return &e, e.err
	}
	select {
	case e, ok := <-r.stream.events:
		if !ok {
			return nil, errors.New("the conversation was closed before the run was over")
		}
		return &e, e.err
	case <-r.signals:
		return nil, r.callOff(ctx)
	case <-r.done:
		if r.conv.Status().Question != nil {
			r.screen.line(r.screen.colors.dim(`The question stays open. ` + howToAnswer))
			return nil, errAsked
		}
		r.done = nil
		return nil, r.callOff(ctx)
	case <-r.giveUp:
		return nil, errLeft
	}
}

// callOff interrupts the run. The second time it does not wait for its end.
func (r *run) callOff(ctx context.Context) error {
	if r.interrupt++; r.interrupt > 1 {
		return errLeft
	}
	r.giveUp = time.After(grace)
	if err := r.conv.Do(ctx, wire.Command{Type: wire.CommandInterrupt}); err != nil && r.conv.Status().Open() {
		return fmt.Errorf("interrupt: %w", err)
	}
	return nil
}

// take shows an event, and answers it if it is a question.
func (r *run) take(ctx context.Context, e *wire.Event) error {
	for _, e := range r.order.pass(*e) {
		r.show.event(e)
	}
	switch {
	case e.Type == wire.EventChanges && e.Turn != nil:
		r.last = e.Turn
	case e.Type == wire.EventQuestion && e.Question != nil:
		return r.answer(ctx, e.Question)
	case e.Type == wire.EventApproval && e.Approval != nil:
		return r.approve(ctx, e.Approval)
	}
	return nil
}

// attend talks to the user until ask returns. If the question is settled
// meanwhile, by whomever, or the run is called off, the context of ask ends and
// settled is true.
func (r *run) attend(ctx context.Context, ask func(context.Context) (wire.Command, error)) (c wire.Command, settled bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type answer struct {
		c   wire.Command
		err error
	}
	answered := make(chan answer, 1)
	go func() {
		c, err := ask(ctx)
		answered <- answer{c, err}
	}()
	events := r.stream.events
	for {
		select {
		case a := <-answered:
			switch {
			case errors.Is(a.err, errInterrupt):
				return a.c, true, r.callOff(context.WithoutCancel(ctx))
			case settled || ctx.Err() != nil:
				return a.c, true, nil
			}
			return a.c, false, a.err
		case e, ok := <-events:
			if !ok {
				events = nil // next tells it
				cancel()
				continue
			}
			r.held = append(r.held, e)
			if settles(&e.Event) {
				settled = true
				cancel()
			}
		}
	}
}

// settles tells whether after the event a question is no longer open.
func settles(e *wire.Event) bool {
	switch e.Type {
	case wire.EventAnswered, wire.EventApproved, wire.EventInterrupted, wire.EventAgentEnd:
		return true
	case wire.EventState:
		return e.Status != nil && e.Status.Question == nil && e.Status.Approval == nil
	}
	return false
}

// gone tells whether an error of the keyboard means that nobody is there any
// more.
func gone(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) }
