package server

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// actions is how many calls of tools conversations have made: a histogram in which a
// conversation moves on as it makes more.
type actions struct {
	about *prometheus.Desc

	mu    sync.Mutex
	calls map[string]int // by session
	order []string       // the sessions, as they came
	past  []int          // those that are no longer in calls
}

// mostConversations bounds what is remembered of single conversations.
const mostConversations = 10_000

var actionBuckets = []int{0, 1, 2, 5, 10, 20, 50, 100}

func newActions() *actions {
	return &actions{
		about: prometheus.NewDesc("redline_actions_per_conversation", "Conversations by the calls of tools that they have made since the server started.", nil, nil),
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
	for i < len(actionBuckets) && calls > actionBuckets[i] {
		i++
	}
	into[i]++
	into[len(into)-1] += calls
}

// Describe implements prometheus.Collector.
func (a *actions) Describe(to chan<- *prometheus.Desc) { to <- a.about }

// Collect implements prometheus.Collector.
func (a *actions) Collect(to chan<- prometheus.Metric) {
	a.mu.Lock()
	counts := append([]int(nil), a.past...)
	for _, calls := range a.calls {
		a.settle(calls, counts)
	}
	a.mu.Unlock()
	buckets, all := map[float64]uint64{}, uint64(0)
	for i, bound := range actionBuckets {
		all += uint64(counts[i])
		buckets[float64(bound)] = all
	}
	all += uint64(counts[len(actionBuckets)])
	to <- prometheus.MustNewConstHistogram(a.about, all, float64(counts[len(counts)-1]), buckets)
}
