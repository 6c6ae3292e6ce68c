package llm

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"time"
)

// Patience is how often and how long to ask again. Zero values are sensible.
type Patience struct {
	Attempts int           // in all; 0: 4
	Base     time.Duration // before the second attempt, doubled for each further one; 0: 1 s
	Longest  time.Duration // no rest is longer; a server that asks for more is not asked again; 0: 60 s
}

// Retry asks p again when it fails in a way that may pass. The rest between two
// attempts doubles, varies by a fifth, and is at least what the server asked
// for. Each new attempt is told by an EventRestart, whose Reply is that of the
// failed one: what it took is not part of the last event.
func Retry(p Provider, patience Patience) Provider {
	if patience.Attempts == 0 {
		patience.Attempts = 4
	}
	patience.Base = orDefault(patience.Base, time.Second)
	patience.Longest = orDefault(patience.Longest, time.Minute)
	return retrier{p, patience}
}

type retrier struct {
	Provider
	Patience
}

func (r retrier) Stream(ctx context.Context, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for attempt := 1; ; attempt++ {
			var last Event
			for ev, err := range r.Provider.Stream(ctx, req) {
				if ev.Type == EventDone {
					last = ev
					break
				}
				if !yield(ev, err) || err != nil {
					return
				}
			}
			rest, again := r.rest(attempt, last)
			if !again || ctx.Err() != nil {
				yield(last, nil)
				return
			}
			if !yield(Event{Type: EventRestart, Reply: last.Reply, Failure: last.Reply.Failure, Wait: rest}, nil) {
				return
			}
			if !sleep(ctx, rest) {
				Emit(ctx, req, nil)(yield) // says that ctx is over
				return
			}
		}
	}
}

// Observe passes on how a step went, if there is a router behind.
func (r retrier) Observe(o Outcome) (changed bool) {
	observer, ok := r.Provider.(Observer)
	return ok && observer.Observe(o)
}

// rest is how long to wait after a failed attempt, and whether to go on.
func (r retrier) rest(attempt int, done Event) (time.Duration, bool) {
	if done.Reply == nil || done.Reply.Failure == nil || !done.Reply.Failure.Retry || attempt >= r.Attempts {
		return 0, false
	}
	rest := float64(r.Base) * math.Pow(2, float64(attempt-1)) * (0.8 + 0.4*rand.Float64())
	own := time.Duration(min(rest, float64(r.Longest)))
	asked := done.Reply.Failure.RetryAfter
	return max(own, asked), asked <= r.Longest
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
