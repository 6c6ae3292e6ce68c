package route

import (
	"context"
	"errors"
	"iter"

	"redline/llm"
)

// Stream answers a step with the model that its events name. The model of the
// request is not regarded.
func (r *Router) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		if len(req.Messages) == 0 { // told before the first event, as a Provider must
			yield(llm.Event{}, errors.New("the request has no messages"))
			return
		}
		r.mu.Lock()
		j := r.job
		r.mu.Unlock()
		for choice := r.first(j, req); ; {
			if !yield(llm.Event{Type: llm.EventRoute, Route: &choice}, nil) {
				return
			}
			local := choice.Side == string(Local)
			done, slow, ok := r.ask(ctx, local, req, yield)
			if !ok {
				return
			}
			failure := failureOf(done, slow)
			if failure == nil || ctx.Err() != nil {
				yield(done, nil)
				return
			}
			next, failure, again := r.next(j, local, slow, failure)
			if !again {
				yield(failed(done, failure), nil)
				return
			}
			if !yield(llm.Event{Type: llm.EventRestart, Reply: done.Reply, Failure: failure}, nil) {
				return
			}
			choice = next
		}
	}
}

// ask passes on the answer of one side but for its last event, which it
// returns. Slow says that its time was over before it came to its end. It is not
// ok if the listener left or the provider was misused.
func (r *Router) ask(ctx context.Context, local bool, req llm.Request, yield func(llm.Event, error) bool) (done llm.Event, slow, ok bool) {
	side := r.config.Remote
	inner, cancel := ctx, context.CancelFunc(func() {})
	if local {
		side = r.config.Local
		if limit := r.config.limit(); limit > 0 {
			inner, cancel = context.WithTimeout(ctx, limit)
		}
	}
	defer cancel()
	req.Model = side.Model
	for ev, err := range side.Provider.Stream(inner, req) {
		if ev.Type == llm.EventDone {
			return ev, inner.Err() != nil, true
		}
		if !yield(ev, err) || err != nil {
			return llm.Event{}, false, false
		}
	}
	return llm.Event{}, false, false
}

// failureOf is how an attempt failed, or nil if it gave an answer. An answer
// that was complete when its time ran out is one.
func failureOf(done llm.Event, slow bool) *llm.Failure {
	switch done.Reply.Stop {
	case llm.StopError:
		return done.Reply.Failure
	case llm.StopAborted:
		if slow {
			return &llm.Failure{Class: llm.ClassTimeout, Message: "the time given for the answer is over", Retry: true}
		}
	}
	return nil
}

func failed(done llm.Event, f *llm.Failure) llm.Event {
	reply := *done.Reply
	reply.Failure = f
	done.Reply = &reply
	return done
}
