package session_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"redline/internal/ledger"
	"redline/internal/session"
	"redline/internal/wire"
)

// TestEverythingAtOnce: whatever several users ask of a host at the same time, at whichever
// moment, with requests that are given up and a store that fails now and then, every job
// can be brought to its end, has its events without a gap, and nothing hangs. In some runs
// the host is closed among it, and another one takes over.
func TestEverythingAtOnce(t *testing.T) {
	runs := uint64(6)
	if testing.Short() {
		runs = 2
	}
	for seed := range runs {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := newChaos(t, seed)
			c.rage()
			c.settle()
			c.check()
			c.in.must(c.in.host.Close(t.Context()))
		})
	}
}

// chaos is users who do things at random.
type chaos struct {
	in       *inn
	seed     uint64
	sessions []string

	mu   sync.Mutex
	jobs []string
}

var reviews = []string{"hunks", "optimistic", "turn"}

func newChaos(t *testing.T, seed uint64) *chaos {
	c := &chaos{seed: seed, in: newInn(t, parse(`max_sessions=-1 max_jobs_per_session=30
-- folder/a.md --
a
-- model --
repeat: true
steps:
  - calls: [{name: clarify_user, arguments: {question: A or B?}}]
  - text: Done.
  - calls: [{name: create_document, arguments: {name: b, content: b}}]
  - text: Which one?
  - text: Fine.
  - calls: [{name: delete_document, arguments: {path: a.md}}]
  - text: Gone.
  - calls: [{name: create_document, arguments: {name: c, content: c}}, {name: clarify_user, arguments: {question: C?}}]
  - text: Good.
`))}
	for _, review := range reviews {
		s, err := c.in.host.Create(t.Context(), wire.SessionOptions{Review: review})
		c.in.must(err)
		c.sessions = append(c.sessions, s.ID)
	}
	return c
}

// rage has the users do things, until each has done enough.
func (c *chaos) rage() {
	const users, deeds = 6, 40
	var all sync.WaitGroup
	for user := range users {
		all.Go(func() {
			r := rand.New(rand.NewPCG(c.seed, uint64(user)))
			for i := range deeds {
				ctx, cancel := context.WithCancel(c.in.t.Context())
				if r.IntN(4) == 0 {
					go cancel() // sooner or later
				}
				c.act(ctx, r)
				cancel()
				if c.seed%3 == 2 && user == 0 && i == deeds/2 {
					_ = c.in.host.Close(c.in.t.Context()) // what could not be saved is found by the next
				}
			}
		})
	}
	all.Wait()
	c.in.mortal.dead.Store(false)
	if c.seed%3 == 2 {
		c.in.open()
		c.in.must(c.in.host.Recover(c.in.t.Context()))
	}
}

// act does something. Most of it is refused, which is as well.
func (c *chaos) act(ctx context.Context, r *rand.Rand) {
	host, s, job := c.in.host, c.sessions[r.IntN(len(c.sessions))], c.some(r)
	switch r.IntN(18) {
	case 0, 1, 2:
		c.heard(host.Run(ctx, wire.RunRequest{Session: s, Instruction: "work"}))
	case 3:
		_ = host.Cancel(ctx, job)
	case 4, 5, 6:
		_ = host.Clarify(ctx, job, wire.ClarifyRequest{Answer: "A"})
	case 7, 8:
		_ = host.Approve(ctx, job, wire.ApproveRequest{Approve: r.IntN(2) == 0})
	case 9:
		_ = host.Say(ctx, job, wire.SayRequest{Text: "hurry"})
	case 10:
		_ = host.Resume(ctx, job)
	case 11:
		c.heard(host.Rerun(ctx, job))
	case 12:
		_, _ = host.Note(ctx, job, wire.JobEvent{Type: wire.EventNotice, Data: []byte("{}")})
	case 13:
		_ = host.Archive(ctx, s, r.IntN(2) == 0)
	case 14:
		_, _ = host.Create(ctx, wire.SessionOptions{Session: s, Review: reviews[r.IntN(len(reviews))]})
	case 15:
		_, _ = host.Events(ctx, job, 0, 0)
	case 16:
		c.decide(ctx, s, r.IntN(2) == 0)
	case 17:
		if c.seed%2 == 1 {
			c.in.mortal.dead.Store(true)
			_, _ = host.Job(ctx, job)
			c.in.mortal.dead.Store(false)
		}
	}
}

func (c *chaos) decide(ctx context.Context, s string, accept bool) {
	turns, err := c.in.ledger.Turns(ctx, s, 1, ledger.Pending)
	if err != nil || len(turns) == 0 {
		return
	}
	if accept {
		err = c.in.ledger.Accept(ctx, turns[0].ID)
	} else {
		_, err = c.in.ledger.Reject(ctx, turns[0].ID)
	}
	if err == nil {
		_ = c.in.host.Reviewed(ctx, s, "", wire.Decided{})
	}
}

func (c *chaos) heard(j *session.JobRecord, _ error) {
	if j != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.jobs = append(c.jobs, j.ID)
	}
}

// some is one of the newest jobs.
func (c *chaos) some(r *rand.Rand) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.jobs) == 0 {
		return "none"
	}
	return c.jobs[len(c.jobs)-1-r.IntN(min(6, len(c.jobs)))]
}

// settle brings all jobs to their end.
func (c *chaos) settle() {
	ctx := c.in.t.Context()
	for _, j := range slices.Backward(c.all()) {
		if j.Status.Over() {
			continue
		}
		_ = c.in.host.Cancel(ctx, j.ID) // it may be over by now
		for _, err := range c.in.host.Follow(ctx, session.Stream{Job: j.ID}) {
			c.in.must(err)
		}
	}
}

func (c *chaos) all() (jobs []*session.JobRecord) {
	for _, s := range c.sessions {
		list, err := c.in.host.Jobs(c.in.t.Context(), session.JobQuery{Session: s})
		c.in.must(err)
		jobs = append(jobs, list...)
	}
	return jobs
}

// check looks at what is left.
func (c *chaos) check() {
	t := c.in.t
	for _, j := range c.all() {
		events, err := c.in.store.JobEvents(t.Context(), j.ID, 0, 0)
		c.in.must(err)
		for i, e := range events {
			if e.Cursor != i+1 {
				t.Fatalf("event %d of %s has the cursor %d", i+1, j.ID, e.Cursor)
			}
		}
		if len(events) != j.Cursor || !j.Status.Over() {
			t.Errorf("%s is %s, has %d events and the cursor %d", j.ID, j.Status, len(events), j.Cursor)
		}
		if j.Error != nil && j.Status == wire.JobFailed && c.seed%2 == 0 {
			t.Errorf("%s has failed: %s", j.ID, j.Error.Message)
		}
	}
	for _, s := range c.sessions {
		c.in.must(c.in.host.Archive(t.Context(), s, true))
	}
	if c.in.host.Locked() {
		t.Error("the documents are locked, and nobody works on them")
	}
}
