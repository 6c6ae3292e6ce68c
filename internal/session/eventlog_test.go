package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"redline/internal/session"
	"redline/internal/wire"

	"github.com/google/go-cmp/cmp"
)

// shelf is a store of jobs in memory.
type shelf struct {
	mu     sync.Mutex
	jobs   map[string]session.JobRecord
	events map[string][]wire.JobEvent
	fails  error
	reads  int    // of events
	saving func() // is called before something is saved
	saved  func() // is called behind that
}

func newShelf() *shelf {
	return &shelf{jobs: map[string]session.JobRecord{}, events: map[string][]wire.JobEvent{}}
}

func (s *shelf) SaveJob(_ context.Context, j *session.JobRecord, keep int, events ...wire.JobEvent) error {
	if s.saved != nil {
		defer s.saved() // without the mutex
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.saving != nil {
		s.saving()
	}
	if s.fails != nil {
		return s.fails
	}
	s.jobs[j.ID] = *j
	all := append(s.events[j.ID], events...)
	if keep > 0 {
		all = all[max(0, len(all)-keep):]
	}
	s.events[j.ID] = all
	return nil
}

func (s *shelf) Jobs(_ context.Context, q session.JobQuery) (jobs []*session.JobRecord, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j, ok := s.jobs[q.ID]; ok {
		jobs = append(jobs, &j)
	}
	return jobs, s.fails
}

func (s *shelf) JobEvents(_ context.Context, job string, after, limit int) ([]wire.JobEvent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	events := slices.DeleteFunc(slices.Clone(s.events[job]), func(e wire.JobEvent) bool { return e.Cursor <= after })
	if limit > 0 {
		events = events[:min(limit, len(events))]
	}
	return events, s.fails
}

// newest is the cursor of the newest event that is stored.
func (s *shelf) newest(job string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.jobs[job].Cursor
}

func newJob(id string) *session.JobRecord {
	return &session.JobRecord{Job: wire.Job{ID: id, Session: "s", Status: wire.JobRunning}}
}

func happens(kind string) wire.JobEvent {
	return wire.JobEvent{Type: kind, Data: json.RawMessage(`{}`)}
}

func tell(t *testing.T, l *session.EventLog, j *session.JobRecord, kinds ...string) {
	t.Helper()
	var events []wire.JobEvent
	for _, kind := range kinds {
		events = append(events, happens(kind))
	}
	if err := l.Tell(t.Context(), j, events...); err != nil {
		t.Fatal(err)
	}
}

// end tells the last event of a job.
func end(t *testing.T, l *session.EventLog, j *session.JobRecord) {
	t.Helper()
	j.Status = wire.JobCompleted
	tell(t, l, j, wire.JobEventCompleted)
}

// frames writes a stream down: cursor and type of each frame.
func frames(t *testing.T, stream iter.Seq2[wire.JobEvent, error]) string {
	t.Helper()
	var all []string
	for f, err := range stream {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, short(f))
	}
	return strings.Join(all, " ")
}

func short(f wire.JobEvent) string {
	out := f.Type
	if f.Cursor > 0 {
		out = fmt.Sprint(f.Cursor, ":", f.Type)
	}
	if f.Job != "" {
		out = f.Job + "/" + out
	}
	return out
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %s\ninstead of %s", what, got, want)
	}
}

func TestTellNumbersAndSaves(t *testing.T) {
	store := newShelf()
	l := session.NewEventLog(store, 0)
	j := newJob("j")
	tell(t, l, j, "a", "b")
	tell(t, l, j)
	tell(t, l, j, "", "c", "")
	at := time.Date(2026, 3, 1, 12, 0, 0, 5, time.FixedZone("east", 7200))
	if err := l.Tell(t.Context(), j, wire.JobEvent{Type: "d", Cursor: 77, Job: "x", Time: at}); err != nil {
		t.Fatal(err)
	}
	events, err := l.Read(t.Context(), "j", 0, 0)
	if err != nil || len(events) != 4 || j.Cursor != 4 || store.newest("j") != 4 {
		t.Fatalf("%v, cursor %d, %v", events, j.Cursor, err)
	}
	if diff := cmp.Diff(store.events["j"], events); diff != "" {
		t.Errorf("what is read is not what is stored:\n%s", diff)
	}
	if last := events[3]; short(last) != "4:d" || last.Time != at.UTC() || events[0].Time.IsZero() {
		t.Errorf("%+v", last)
	}
}

// TestTellFails: what could not be saved was not told, and its number is free.
func TestTellFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newShelf()
		l := session.NewEventLog(store, 0)
		j := newJob("j")
		tell(t, l, j, "a")
		got := listen(t, l, session.Stream{Job: "j"})
		store.fails = errors.New("no space")
		if err := l.Tell(t.Context(), j, happens("b")); !errors.Is(err, store.fails) || j.Cursor != 1 {
			t.Errorf("cursor %d, %v", j.Cursor, err)
		}
		store.fails = nil
		store.saving = func() {
			synctest.Wait()
			want(t, "before it is saved", got.sofar(), "1:a")
		}
		end(t, l, j)
		synctest.Wait()
		want(t, "after", got.sofar(), "1:a 2:job.completed |")
	})
}

// heard is a reader in a goroutine of its own.
type heard struct {
	mu     sync.Mutex
	frames []string
	done   bool
}

func listen(t *testing.T, l *session.EventLog, s session.Stream) *heard {
	h := &heard{}
	ctx := t.Context()
	go func() {
		for f, err := range l.Follow(ctx, s) {
			if err != nil {
				t.Error(err)
			}
			h.mu.Lock()
			h.frames = append(h.frames, short(f))
			h.mu.Unlock()
		}
		h.mu.Lock()
		h.done = true
		h.mu.Unlock()
	}()
	synctest.Wait()
	return h
}

// sofar is what it has heard, with a mark behind the end. It needs a synctest.Wait before
// it.
func (h *heard) sofar() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := strings.Join(h.frames, " ")
	if h.done {
		out += " |"
	}
	return strings.TrimSpace(out)
}

func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newShelf()
		l := session.NewEventLog(store, 0)
		j, other := newJob("j"), newJob("k")
		other.Session = "s2"
		tell(t, l, j, "a", "b")
		whole := listen(t, l, session.Stream{Job: "j"})
		late := listen(t, l, session.Stream{Job: "j", After: 1})
		future := listen(t, l, session.Stream{Job: "j", After: 99})
		below := listen(t, l, session.Stream{Job: "j", After: -5})
		conversation := listen(t, l, session.Stream{Session: "s"})
		tell(t, l, other, "x")
		l.Hint("j", "s", happens("delta"))
		l.Hint("k", "s2", happens("delta"))
		l.Hint("", "s", happens("of no job"))
		tell(t, l, j, "c", "d")
		synctest.Wait()
		want(t, "from the beginning", whole.sofar(), "1:a 2:b delta 3:c 4:d")
		want(t, "from a cursor", late.sofar(), "2:b delta 3:c 4:d")
		want(t, "from the future", future.sofar(), "delta 3:c 4:d")
		want(t, "from below", below.sofar(), "1:a 2:b delta 3:c 4:d")
		want(t, "of the session", conversation.sofar(), "j/delta of no job j/3:c j/4:d")
		for _, status := range []wire.JobStatus{wire.JobWaitingForUser, wire.JobAwaitingReview, wire.JobInterrupted} {
			j.Status = status
			tell(t, l, j, string(status))
		}
		synctest.Wait()
		want(t, "waits", future.sofar(), "delta 3:c 4:d 5:waiting_for_user 6:awaiting_review 7:interrupted")
		quiet := listen(t, l, session.Stream{Job: "j", After: 6})
		j.Status = wire.JobCancelled
		tell(t, l, j) // over without an event
		synctest.Wait()
		want(t, "is over", quiet.sofar(), "7:interrupted |")
		want(t, "is over", future.sofar(), "delta 3:c 4:d 5:waiting_for_user 6:awaiting_review 7:interrupted |")
		want(t, "read again", frames(t, l.Follow(t.Context(), session.Stream{Job: "j", After: 6})), "7:interrupted")
		tell(t, l, j, "afterwards") // a rollback, say
		want(t, "read again", frames(t, l.Follow(t.Context(), session.Stream{Job: "j", After: 6})), "7:interrupted 8:afterwards")
		l.Close()
		synctest.Wait()
		want(t, "the session", conversation.sofar()[len(conversation.sofar())-14:], "8:afterwards |")
	})
}

// TestFollowBetween: a reader that comes when an event is saved, but not yet told, gets it
// once.
func TestFollowBetween(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newShelf()
		l := session.NewEventLog(store, 0)
		j := newJob("j")
		j.Status = wire.JobAwaitingReview
		tell(t, l, j, "a")
		var early, late *heard
		store.saved = func() {
			early = listen(t, l, session.Stream{Job: "j"})
			store.saved = nil
		}
		tell(t, l, j, "b")
		store.saved = func() { late = listen(t, l, session.Stream{Job: "j"}) }
		end(t, l, j)
		synctest.Wait()
		want(t, "goes on", early.sofar(), "1:a 2:b 3:job.completed |")
		want(t, "at the end", late.sofar(), "1:a 2:b 3:job.completed |")
	})
}

func TestFollowNothing(t *testing.T) {
	store := newShelf()
	l := session.NewEventLog(store, 0)
	for _, err := range l.Follow(t.Context(), session.Stream{Job: "j"}) {
		var e *wire.Error
		if !errors.As(err, &e) || e.Code != wire.CodeNotFound {
			t.Errorf("no such job: %v", err)
		}
	}
	store.jobs["j"] = *newJob("j")
	store.fails = errors.New("broken")
	n := 0
	for _, err := range l.Follow(t.Context(), session.Stream{Job: "j"}) {
		if n++; !errors.Is(err, store.fails) {
			t.Errorf("a broken store: %v", err)
		}
	}
	if jobs, sessions := l.Held(); n != 1 || jobs+sessions > 0 {
		t.Errorf("%d errors, held %d, %d", n, jobs, sessions)
	}
}

// TestFollowForgotten: events that are no longer kept are not passed over in silence.
func TestFollowForgotten(t *testing.T) {
	store := newShelf()
	l := session.NewEventLog(store, 3)
	j := newJob("j")
	tell(t, l, j, "a", "b", "c", "d")
	tell(t, l, j, "e")
	for name, after := range map[string]int{"reload 3:c 4:d 5:e 6:job.completed": 0, "3:c 4:d 5:e 6:job.completed": 2} {
		next, stop := iter.Pull2(l.Follow(t.Context(), session.Stream{Job: "j", After: after}))
		var got []string
		for !strings.HasSuffix(strings.Join(got, " "), "5:e") {
			f, err, _ := next()
			if got = append(got, short(f)); err != nil {
				t.Fatal(err)
			}
		}
		stop()
		want(t, "while it runs", strings.Join(got, " ")+" 6:job.completed", name)
	}
	if events, err := l.Read(t.Context(), "j", 0, 2); err != nil || len(events) != 2 || events[0].Cursor != 3 {
		t.Errorf("read: %v, %v", events, err)
	}
	end(t, l, j)
	want(t, "over", frames(t, l.Follow(t.Context(), session.Stream{Job: "j", After: 1})), "reload 4:d 5:e 6:job.completed")
	delete(store.events, "j")
	want(t, "all gone", frames(t, l.Follow(t.Context(), session.Stream{Job: "j", After: 1})), "reload")
}

// TestFollowSlow: a reader that does not come along is cut off, by number and by size;
// who tells does not wait.
func TestFollowSlow(t *testing.T) {
	for name, c := range map[string]struct {
		hints, size int
		cut         bool
	}{
		"as many as fit": {1000, 10, false}, "too many": {1100, 10, true},
		"few of some size": {15, 1 << 20, false}, "too large": {40, 1 << 20, true},
	} {
		for _, s := range []session.Stream{{Job: "j", After: 1}, {Session: "s"}} {
			t.Run(fmt.Sprint(name, " ", s.Session), func(t *testing.T) {
				l := session.NewEventLog(newShelf(), 0)
				j := newJob("j")
				tell(t, l, j, "a")
				s.SoFar = func() *wire.JobEvent { return &wire.JobEvent{Type: "first"} }
				next, stop := iter.Pull2(l.Follow(t.Context(), s))
				defer stop()
				if f, err, ok := next(); f.Type != "first" || err != nil || !ok {
					t.Fatal(f, err, ok)
				}
				data := json.RawMessage(`"` + strings.Repeat("x", c.size) + `"`)
				for range c.hints {
					l.Hint("j", "s", wire.JobEvent{Type: "delta", Data: data})
				}
				l.Close()
				n, last := 0, ""
				for f, err, ok := next(); ok; f, err, ok = next() {
					if n++; err != nil {
						t.Fatal(err)
					}
					last = f.Type
				}
				if c.cut != (last == wire.FrameReload) || !c.cut && n < c.hints || c.cut && n > 40 {
					t.Errorf("%d frames, the last is %s", n, last)
				}
			})
		}
	}
}

// TestFollowCatchesUp: who is slow while it reads what is stored is not cut off.
func TestFollowCatchesUp(t *testing.T) {
	l := session.NewEventLog(newShelf(), 0)
	j := newJob("j")
	tell(t, l, j, slices.Repeat([]string{"a"}, 2000)...)
	n := 0
	for f, err := range l.Follow(t.Context(), session.Stream{Job: "j"}) {
		if n++; err != nil || f.Cursor != n {
			t.Fatal(n, short(f), err)
		}
		if n == 10 {
			tell(t, l, j, slices.Repeat([]string{"b"}, 5000)...)
			end(t, l, j)
		}
	}
	if n != 7001 {
		t.Errorf("%d events", n)
	}
}

func TestFollowLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := session.NewEventLog(newShelf(), 0)
		j := newJob("j")
		read := func(lines bool) *[]string {
			got := &[]string{}
			stream := l.Follow(t.Context(), session.Stream{Session: "s", Lines: lines})
			go func() {
				for f := range stream {
					*got = append(*got, f.Type+string(f.Line))
				}
			}()
			return got
		}
		with, without := read(true), read(false)
		l.Hint("j", "s", wire.JobEvent{Line: json.RawMessage(`1`)})
		if err := l.Tell(t.Context(), j, wire.JobEvent{Type: "a", Line: json.RawMessage(`2`)}); err != nil {
			t.Fatal(err)
		}
		l.Close()
		synctest.Wait()
		want(t, "with lines", strings.Join(*with, " "), "1 a2")
		want(t, "without", strings.Join(*without, " "), "a")
	})
}

// TestFollowBeginsWithTheCall: of a session nothing is lost between the call and the loop.
func TestFollowBeginsWithTheCall(t *testing.T) {
	l := session.NewEventLog(newShelf(), 0)
	j := newJob("j")
	stream := l.Follow(t.Context(), session.Stream{Session: "s"})
	tell(t, l, j, "a")
	l.Close()
	want(t, "first loop", frames(t, stream), "j/1:a")
	want(t, "second loop", frames(t, stream), "")
	if _, sessions := l.Held(); sessions > 0 {
		t.Errorf("%d sessions are held", sessions)
	}
}

// TestFollowLeavesNothing: readers that go, by their context, by leaving the loop, or
// without having begun one, leave no goroutine (synctest fails) and no memory behind.
func TestFollowLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := session.NewEventLog(newShelf(), 0)
		j := newJob("j")
		tell(t, l, j, "a", "b")
		ctx, cancel := context.WithCancel(t.Context())
		var readers sync.WaitGroup
		for i := range 50 {
			for _, s := range []session.Stream{{Job: "j"}, {Session: "s"}} {
				stream := l.Follow(ctx, s)
				if i%3 == 0 {
					continue
				}
				readers.Go(func() {
					for _, err := range stream {
						if err != nil {
							t.Error(err)
						}
						if i%3 == 1 {
							break
						}
					}
				})
			}
		}
		synctest.Wait()
		l.Hint("j", "s", happens("delta"))
		synctest.Wait()
		cancel()
		readers.Wait()
		synctest.Wait()
		if jobs, sessions := l.Held(); jobs != 1 || sessions != 0 { // the job is on
			t.Errorf("%d jobs and %d sessions are held", jobs, sessions)
		}
		end(t, l, j)
		if jobs, _ := l.Held(); jobs != 0 {
			t.Errorf("%d jobs are held", jobs)
		}
	})
}

// TestReadRemembers: who asks again and again for the newest events of a job that is on
// does not read the store.
func TestReadRemembers(t *testing.T) {
	store := newShelf()
	l := session.NewEventLog(store, 0)
	j := newJob("j")
	check := func(after, limit, from, n, reads int) {
		t.Helper()
		store.reads = 0
		events, err := l.Read(t.Context(), "j", after, limit)
		if err != nil || len(events) != n || n > 0 && events[0].Cursor != from || store.reads != reads {
			t.Errorf("behind %d, at most %d: %d events, %d reads, %v", after, limit, len(events), store.reads, err)
		}
	}
	tell(t, l, j, slices.Repeat([]string{"a"}, 100)...)
	check(0, 0, 1, 100, 0)
	check(-3, 7, 1, 7, 0)
	check(99, 7, 100, 1, 0)
	check(100, 0, 0, 0, 0)
	check(1000, 0, 0, 0, 0)
	tell(t, l, j, slices.Repeat([]string{"a"}, 1000)...)
	check(0, 0, 1, 1100, 1)
	check(1000, 0, 1001, 100, 0)
	large := happens("large")
	large.Data = json.RawMessage(`"` + strings.Repeat("x", 2<<20) + `"`)
	if err := l.Tell(t.Context(), j, large); err != nil {
		t.Fatal(err)
	}
	check(1100, 0, 1101, 1, 1)
	tell(t, l, j, "a")
	check(1101, 0, 1102, 1, 0)
	j.Status = wire.JobAwaitingReview // others may go on with it
	tell(t, l, j, "a")
	check(1102, 0, 1103, 1, 1)
}

// TestFollowForeign: what another program has told a job comes in its place when this
// one tells it something.
func TestFollowForeign(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newShelf()
		here, there := session.NewEventLog(store, 0), session.NewEventLog(store, 0)
		j := newJob("j")
		j.Status = wire.JobAwaitingReview
		tell(t, here, j, "a")
		got := listen(t, here, session.Stream{Job: "j"})
		tell(t, there, j, "b", "c")
		late := listen(t, here, session.Stream{Job: "j", After: 1})
		end(t, here, j)
		synctest.Wait()
		want(t, "early", got.sofar(), "1:a 2:b 3:c 4:job.completed |")
		want(t, "late", late.sofar(), "2:b 3:c 4:job.completed |")
	})
}
