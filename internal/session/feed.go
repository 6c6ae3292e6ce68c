package session

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"redline/agent"
	"redline/internal/ledger"
)

// Event is something that happens in a session.
type Event struct {
	Cursor int // counts the events of the session from 1
	Type   string
	Time   time.Time

	Agent    *agent.Event // of its events
	Status   *Status
	Question *Question
	Approval *Approval
	Approve  bool
	Turn     *ledger.TurnRecord
	Text     string
	Priority string // of wire.EventMessage: normal or high
	Details  any    // of wire.EventReview: what came of the decision
	Job      string // of wire.EventReview: whose changes were decided about, if that is known
}

// The bounds of a feed: what is kept for those who come late, and how far a
// reader may fall behind before the session waits for it.
const (
	kept   = 3000
	behind = 1000
)

// feed is the events of a session, for any number of readers. It forgets old
// events; a reader that has begun loses none, because those who write wait for it.
type feed struct {
	mu      sync.Mutex
	events  []Event
	first   int // cursor of events[0]
	readers map[*reader]struct{}
	news    chan struct{} // closed when something has changed
	closed  bool
	keep    int // so many events are kept for those who come late
}

type reader struct{ at int } // the cursor of the last event that it took

func newFeed() *feed {
	return &feed{first: 1, keep: kept, readers: map[*reader]struct{}{}, news: make(chan struct{})}
}

// wait returns when no reader is far behind, ctx has ended or the feed is closed.
func (f *feed) wait(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for !f.closed && ctx.Err() == nil && f.slowest() > behind {
		news := f.news
		f.mu.Unlock()
		select {
		case <-news:
		case <-ctx.Done():
		}
		f.mu.Lock()
	}
}

// tell adds an event, unless the feed is closed: nobody would hear it. It does not wait:
// whoever tells many calls wait first.
func (f *feed) tell(e Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	e.Cursor = f.first + len(f.events)
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	f.events = append(f.events, e)
	if drop := min(len(f.events)-f.keep, f.taken()); drop >= f.keep { // not one by one
		f.events = append([]Event(nil), f.events[drop:]...)
		f.first += drop
	}
	f.wake()
}

// taken is how many of the kept events all readers have taken.
func (f *feed) taken() int {
	least := len(f.events)
	for r := range f.readers {
		least = min(least, r.at-f.first+1)
	}
	return least
}

// retain has fewer events kept for those who come late: somebody records them.
func (f *feed) retain(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keep = n
}

// newest is the cursor of the event that was told last.
func (f *feed) newest() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.first + len(f.events) - 1
}

// slowest is how many events the slowest reader has not taken.
func (f *feed) slowest() int {
	most := 0
	for r := range f.readers {
		most = max(most, f.first+len(f.events)-1-r.at)
	}
	return most
}

func (f *feed) wake() {
	close(f.news)
	f.news = make(chan struct{})
}

func (f *feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.wake()
}

// follow yields the events behind a cursor, and waits for more until ctx ends or
// the feed is closed.
func (f *feed) follow(ctx context.Context, after int) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		f.mu.Lock()
		r := &reader{at: max(after, 0)}
		f.readers[r] = struct{}{}
		f.mu.Unlock()
		defer func() {
			f.mu.Lock()
			delete(f.readers, r)
			f.wake()
			f.mu.Unlock()
		}()
		for {
			f.mu.Lock()
			if r.at+1 < f.first {
				f.mu.Unlock()
				yield(Event{}, fmt.Errorf("the events up to %d are no longer kept: begin again", f.first-1))
				return
			}
			news, closed := f.news, f.closed
			var batch []Event
			if have := r.at + 1 - f.first; have < len(f.events) {
				batch = f.events[have:]
			}
			f.mu.Unlock()
			for _, e := range batch {
				if !yield(e, nil) {
					return
				}
				f.mu.Lock()
				r.at = e.Cursor
				if r.at%100 == 0 || r.at == batch[len(batch)-1].Cursor {
					f.wake() // somebody may wait for this reader
				}
				f.mu.Unlock()
			}
			switch {
			case len(batch) > 0:
				continue
			case closed:
				return
			}
			select {
			case <-news:
			case <-ctx.Done():
				yield(Event{}, ctx.Err())
				return
			}
		}
	}
}
