package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"redline/internal/session"
	"redline/internal/wire"
)

// TestFollowRandom: writers of several jobs, and readers that begin at any cursor, stop
// and go on as they like. Each reader gets every durable event behind its cursor once, in
// order, after it was saved, and its stream ends with the job.
func TestFollowRandom(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := &world{T: t, store: newShelf(), jobs: 3}
			w.log = session.NewEventLog(w.store, 0)
			w.play(seed)
		})
	}
}

type world struct {
	*testing.T
	store *shelf
	log   *session.EventLog
	jobs  int
}

func (w *world) play(seed uint64) {
	var all sync.WaitGroup
	ctx, cancel := context.WithCancel(w.Context())
	defer cancel()
	for i := range w.jobs {
		id := fmt.Sprint("job_", i)
		tell(w.T, w.log, newJob(id), "made")
		for n := range 6 {
			rng := rand.New(rand.NewPCG(seed, uint64(100*i+n)))
			all.Go(func() { w.read(ctx, id, rng) })
		}
	}
	conversation := w.log.Follow(ctx, session.Stream{Session: "s"})
	var writers sync.WaitGroup
	for i := range w.jobs {
		id, rng := fmt.Sprint("job_", i), rand.New(rand.NewPCG(seed, uint64(i)))
		writers.Go(func() { w.write(id, rng) })
	}
	all.Go(func() { w.hear(conversation) })
	writers.Wait()
	w.log.Close() // ends the stream of the session
	all.Wait()
	if jobs, sessions := w.log.Held(); jobs+sessions > 0 {
		w.Errorf("%d jobs and %d sessions are held", jobs, sessions)
	}
}

// write is a job from its first event to its last.
func (w *world) write(id string, rng *rand.Rand) {
	j := newJob(id)
	j.Cursor = 1
	statuses := []wire.JobStatus{wire.JobRunning, wire.JobRunning, wire.JobWaitingForUser, wire.JobAwaitingReview}
	for range 60 {
		j.Status = statuses[rng.IntN(len(statuses))]
		tell(w.T, w.log, j, []string{"a", "b", "c", "", "d"}[:rng.IntN(6)]...)
		for range rng.IntN(4) {
			w.log.Hint(id, "s", happens("delta"))
		}
	}
	end(w.T, w.log, j)
}

// read stops and goes on until the job has ended.
func (w *world) read(ctx context.Context, id string, rng *rand.Rand) {
	known := 0
	if rng.IntN(2) == 0 {
		known = rng.IntN(30)
	}
	for {
		until, n, last := rng.IntN(40), 0, ""
		begun := false // a cursor from the future is as good as the newest
		for f, err := range w.log.Follow(ctx, session.Stream{Job: id, After: known}) {
			if err != nil {
				w.Error(err)
				return
			}
			if f.Cursor > 0 {
				if f.Cursor != known+1 && (begun || f.Cursor > known+1) {
					w.Errorf("%s: event %d behind %d", id, f.Cursor, known)
					return
				}
				if w.store.newest(id) < f.Cursor {
					w.Errorf("%s: event %d was told before it was saved", id, f.Cursor)
				}
				known, begun = f.Cursor, true
			}
			if last = f.Type; n == until && last != wire.JobEventCompleted {
				break
			}
			n++
		}
		if last == wire.JobEventCompleted || n < until {
			break
		}
	}
	if newest := w.store.newest(id); known != newest {
		w.Errorf("%s: the stream ended with event %d of %d", id, known, newest)
	}
}

// hear is a reader of the session from the first event on.
func (w *world) hear(stream iter.Seq2[wire.JobEvent, error]) {
	at := map[string]int{}
	for f, err := range stream {
		switch {
		case err != nil:
			w.Error(err)
		case f.Type == wire.FrameReload:
			return // with so much to say, it may be too slow
		case f.Job == "":
			w.Errorf("a frame of no job: %v", f)
		case f.Cursor > 0:
			if before := max(at[f.Job], 1); f.Cursor != before+1 {
				w.Errorf("%s: event %d behind %d", f.Job, f.Cursor, before)
			}
			at[f.Job] = f.Cursor
		}
	}
	for i := range w.jobs {
		if id := fmt.Sprint("job_", i); at[id] != w.store.newest(id) {
			w.Errorf("%s: heard %d of %d", id, at[id], w.store.newest(id))
		}
	}
}

// TestSoFarRandom: whenever a reader comes, what was written so far and the pieces that it
// hears make up the whole message, without a gap and without repetition.
func TestSoFarRandom(t *testing.T) {
	l := session.NewEventLog(newShelf(), 0)
	j := newJob("j")
	tell(t, l, j, "made")
	var mu sync.Mutex
	var written strings.Builder
	soFar := func() *wire.JobEvent {
		mu.Lock()
		defer mu.Unlock()
		return &wire.JobEvent{Job: "j", Type: wire.FrameDelta, Data: quoted(written.String())}
	}
	const pieces = 600
	var whole strings.Builder
	for i := range pieces {
		fmt.Fprint(&whole, i, " ")
	}
	var readers sync.WaitGroup
	begin := func(s session.Stream) {
		s.SoFar = soFar
		readers.Go(func() {
			var text strings.Builder
			for f, err := range l.Follow(t.Context(), s) {
				if err != nil {
					t.Error(err)
				}
				if f.Type == wire.FrameDelta {
					text.WriteString(unquoted(f.Data))
				}
				if f.Type == wire.JobEventCompleted {
					break
				}
			}
			if text.Len() > 0 && text.String() != whole.String() { // else it came when all was over
				t.Errorf("%+v heard %q", s, text.String())
			}
		})
	}
	for i := range pieces {
		if i%50 == 0 { // some come at once, some later
			begin(session.Stream{Job: "j"})
			begin(session.Stream{Session: "s"})
		}
		piece := fmt.Sprint(i, " ")
		l.Hint("j", "s", wire.JobEvent{Type: wire.FrameDelta, Data: quoted(piece)}, func() {
			mu.Lock()
			defer mu.Unlock()
			written.WriteString(piece)
		})
	}
	end(t, l, j)
	l.Close()
	readers.Wait()
}

// TestSoFarInOnePiece: nothing can be told between what is written so far and what a
// reader hears behind it.
func TestSoFarInOnePiece(t *testing.T) {
	for _, s := range []session.Stream{{Job: "j", After: 1}, {Session: "s"}} {
		l := session.NewEventLog(newShelf(), 0)
		tell(t, l, newJob("j"), "made")
		told := make(chan struct{})
		s.SoFar = func() *wire.JobEvent {
			go func() {
				l.Hint("j", "s", happens("told"))
				close(told)
			}()
			select {
			case <-told:
				t.Error("something was told meanwhile")
			case <-time.After(20 * time.Millisecond): // cannot be too short, only too kind
			}
			return &wire.JobEvent{Type: "so far"}
		}
		got := ""
		for f := range l.Follow(t.Context(), s) {
			if got += f.Type + " "; f.Type == "told" {
				break
			}
		}
		want(t, "a reader", got, "so far told ")
	}
}

func quoted(s string) json.RawMessage {
	data, _ := json.Marshal(s) // cannot fail
	return data
}

func unquoted(data json.RawMessage) (s string) {
	_ = json.Unmarshal(data, &s) // it was quoted
	return s
}

// BenchmarkTell tells one event to so many readers, until each has it.
func BenchmarkTell(b *testing.B) {
	for _, readers := range []int{0, 1, 1000} {
		b.Run(fmt.Sprint("readers=", readers), func(b *testing.B) {
			l := session.NewEventLog(newShelf(), 100)
			j := newJob("j")
			var all, heard sync.WaitGroup
			heard.Add(readers)
			if err := l.Tell(b.Context(), j, happens("made")); err != nil {
				b.Fatal(err)
			}
			for range readers {
				all.Go(func() {
					for range l.Follow(b.Context(), session.Stream{Job: "j"}) {
						heard.Done()
					}
				})
			}
			heard.Wait()
			for b.Loop() {
				heard.Add(readers)
				if err := l.Tell(b.Context(), j, happens("progress")); err != nil {
					b.Fatal(err)
				}
				heard.Wait()
			}
			l.Close()
			all.Wait()
		})
	}
}
