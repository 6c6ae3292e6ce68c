package agent

import (
	"slices"
	"sync"
	"time"
)

// Subscribe has every event of every run told to hear, in order and one at a
// time, while the run waits. After each of them, and after each change from
// outside, comes a state-update. Hear may call the methods of the agent, but it
// must not wait for the run. The returned function ends the subscription.
func (a *Agent) Subscribe(hear func(Event)) (cancel func()) {
	return a.news.subscribe(hear)
}

// hear keeps the state in step with the run, and tells it.
func (a *Agent) hear(e Event) {
	a.mu.Lock()
	switch s := &a.state; e.Type {
	case MessageStart, MessageUpdate:
		s.StreamMessage = e.Message
	case MessageEnd:
		s.Messages, s.StreamMessage = append(s.Messages, *e.Message), nil
	case ToolStart:
		s.Pending = append(s.Pending, e.Call.ID)
	case ToolEnd:
		if i := slices.Index(s.Pending, e.Call.ID); i >= 0 {
			s.Pending = slices.Delete(s.Pending, i, i+1)
		}
	case AgentEnd:
		s.Streaming = false
		if e.Outcome.End == EndFailed {
			s.Err = e.Outcome.Reason
		}
	}
	a.mu.Unlock()
	a.news.tell(true, func() Event { return e }, a.stateUpdate())
}

// stateUpdate makes the event when it is told, so that it is up to date then.
func (a *Agent) stateUpdate() func() Event {
	return func() Event {
		s := a.State()
		return Event{Type: StateUpdate, Time: time.Now(), State: &s}
	}
}

// news brings events to listeners, in order. A listener may cause further events;
// they are told after the one it hears. The zero news is ready.
type news struct {
	mu        sync.Mutex
	told      *sync.Cond
	listeners []*func(Event)
	waiting   []func() Event
	telling   bool
	in, out   int // events taken in and told so far
}

func (n *news) subscribe(hear func(Event)) (cancel func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := &hear
	n.listeners = append(slices.Clone(n.listeners), l)
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.listeners = slices.DeleteFunc(slices.Clone(n.listeners), func(x *func(Event)) bool { return x == l })
	}
}

// tell brings events to the listeners. If another goroutine is telling, it tells
// these too; wait says whether to wait until it has. A listener must not wait. If
// a listener panics, whoever comes next tells the rest.
func (n *news) tell(wait bool, events ...func() Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.told == nil {
		n.told = sync.NewCond(&n.mu)
	}
	if len(n.listeners) == 0 && !n.telling {
		return
	}
	n.waiting = append(n.waiting, events...)
	n.in += len(events)
	for mine := n.in; n.telling; n.told.Wait() {
		if !wait || n.out >= mine {
			return
		}
	}
	n.telling = true
	defer func() { n.telling = false }() // also if a listener panics
	for len(n.waiting) > 0 {
		n.tellNext()
	}
}

func (n *news) tellNext() {
	event, listeners := n.waiting[0], n.listeners
	n.waiting = n.waiting[1:]
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		n.out++
		n.told.Broadcast()
	}()
	e := event()
	for _, l := range listeners {
		(*l)(e)
	}
}
