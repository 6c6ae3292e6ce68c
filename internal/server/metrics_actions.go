package server

import (
	"io"
	"slices"
	"sync"
)

// actions is how many calls of tools conversations have made: a histogram in which a
// conversation moves on as it makes more.
type actions struct {
	about

	mu    sync.Mutex
	calls map[string]int // by session
	order []string       // the sessions, as they came
	past  []int          // those that are no longer in calls
}

// mostConversations bounds what is remembered of single conversations.
const mostConversations = 10_000

var actionBuckets = []float64{0, 1, 2, 5, 10, 20, 50, 100}

func newActions() *actions {
	return &actions{
		about: about{"redline_actions_per_conversation", "Conversations by the calls of tools that they have made since the server started.", "histogram"},
		calls: map[string]int{}, past: make([]int, len(actionBuckets)+2),
	}
}

// add adds calls to a conversation.
func (a *actions) add(session string, calls int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.calls[session]; !ok {
		a.order = append(a.order, session)
	}
	a.calls[session] += calls
	if len(a.order) > mostConversations {
		a.settle(a.calls[a.order[0]], a.past)
		delete(a.calls, a.order[0])
		a.order = a.order[1:]
	}
}

// settle counts a conversation in its bucket; the last two numbers are for those beyond
// all buckets, and the sum.
func (a *actions) settle(calls int, into []int) {
	i := 0
	for i < len(actionBuckets) && float64(calls) > actionBuckets[i] {
		i++
	}
	into[i]++
	into[len(into)-1] += calls
}

func (a *actions) write(w io.Writer) {
	a.mu.Lock()
	counts := slices.Clone(a.past)
	for _, calls := range a.calls {
		a.settle(calls, counts)
	}
	a.mu.Unlock()
	writeBuckets(w, a.about, actionBuckets, counts, float64(counts[len(counts)-1]))
}
