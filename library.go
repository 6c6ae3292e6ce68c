package redline

import (
	"context"
	"fmt"
	"sync"

	"redline/agent"
	"redline/internal/session"
	"redline/internal/wire"
)

// What programs say and hear besides: things shown with a message, and decisions about
// changes.
type (
	Attachment = wire.Attachment
	Decision   = wire.Decision
	Decided    = wire.Decided
)

// Answer is what a message came to.
type Answer struct {
	Text   string // what the agent said last
	Status Status // where the conversation stands: done, or what it waits for
}

// Prompt says something and waits until the agent has done it, or wants something: an
// answer or an approval, which are given by [Conversation.Reply], or a decision about
// changes, which is made in [Conversation.Review]. When ctx ends, so does the run. What
// is heard by subscribers until then was heard when Prompt returns.
func (c *Conversation) Prompt(ctx context.Context, text string, attachments ...Attachment) (Answer, error) {
	last := c.session.Last()
	if err := c.session.Send(ctx, session.Message{Text: text, Open: c.open, Attachments: attachments}); err != nil {
		return Answer{}, err
	}
	c.warm()
	return c.rest(ctx, last)
}

// Reply answers what the agent wants to know, or agrees to its calls or not, and waits
// as [Conversation.Prompt] does.
func (c *Conversation) Reply(ctx context.Context, answer Command) (Answer, error) {
	if answer.Type != wire.CommandClarify && answer.Type != wire.CommandApprove {
		return Answer{}, &OptionError{fmt.Errorf("a reply is of type clarify or approve, not %q", answer.Type)}
	}
	last := c.session.Last()
	if err := c.Do(ctx, answer); err != nil {
		return Answer{}, err
	}
	return c.rest(ctx, last)
}

// rest waits until the run that goes on behind a cursor has ended, or wants something.
func (c *Conversation) rest(ctx context.Context, last int) (Answer, error) {
	stop := context.AfterFunc(ctx, c.Abort)
	defer stop()
	for e, err := range c.session.Events(context.WithoutCancel(ctx), last) {
		if err != nil {
			return Answer{}, err
		}
		if e.Type == wire.EventState && e.Status.State != session.Running {
			break
		}
	}
	c.heard()
	answer := Answer{Status: c.session.Now()}
	for _, m := range c.session.Messages() {
		if m.Custom == nil && m.Reply != nil {
			answer.Text = m.Text()
		}
	}
	return answer, ctx.Err()
}

// Abort ends the run that is on, if there is one.
func (c *Conversation) Abort() { c.session.Interrupt() }

// Messages is what was said so far, by the user, the agent and the tools.
func (c *Conversation) Messages() []agent.Message { return c.session.Messages() }

// subscriber is somebody who hears what happens.
type subscriber struct {
	mu   sync.Mutex
	at   int           // the cursor of what it heard last
	news chan struct{} // closed when that changes
	gone chan struct{} // closed when it hears no more
}

// Subscribe has somebody hear what happens, one event after the other, first what is
// still kept. The run waits for a listener that is far behind. What comes back ends it,
// after what is being heard.
func (c *Conversation) Subscribe(hear func(Event)) (cancel func()) {
	ctx, end := context.WithCancel(c.background)
	s := &subscriber{news: make(chan struct{}), gone: make(chan struct{})}
	c.mu.Lock()
	if c.listeners == nil {
		c.listeners = map[*subscriber]bool{}
	}
	c.listeners[s] = true
	c.mu.Unlock()
	c.work.Go(func() {
		defer close(s.gone)
		for e, err := range c.Events(ctx, 0) {
			if err != nil {
				return
			}
			hear(e)
			s.took(e.Cursor)
		}
	})
	return func() {
		c.mu.Lock()
		delete(c.listeners, s)
		c.mu.Unlock()
		end()
		<-s.gone
	}
}

func (s *subscriber) took(cursor int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = cursor
	close(s.news)
	s.news = make(chan struct{})
}

// until waits until something was heard, or nothing more is.
func (s *subscriber) until(cursor int) {
	for {
		s.mu.Lock()
		at, news := s.at, s.news
		s.mu.Unlock()
		if at >= cursor {
			return
		}
		select {
		case <-news:
		case <-s.gone:
			return
		}
	}
}

// heard waits until all subscribers have heard what has happened so far.
func (c *Conversation) heard() {
	last := c.session.Last()
	c.mu.Lock()
	var all []*subscriber
	for s := range c.listeners {
		all = append(all, s)
	}
	c.mu.Unlock()
	for _, s := range all {
		s.until(last)
	}
}
