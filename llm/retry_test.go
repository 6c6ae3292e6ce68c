package llm_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
)

// provider makes a Provider of a function.
type provider func(ctx context.Context, e *llm.Emitter) error

func (p provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return llm.Emit(ctx, req, p)
}

// flaky fails as often as there are failures, each after a second, and then
// answers. It notes when it was asked.
type flaky struct {
	failures []*llm.Failure
	text     string // said before each failure
	asked    []time.Duration
	began    time.Time
}

func (f *flaky) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return llm.Emit(ctx, req, func(_ context.Context, e *llm.Emitter) error {
		if f.began.IsZero() {
			f.began = time.Now()
		}
		f.asked = append(f.asked, time.Since(f.began))
		time.Sleep(time.Second)
		e.Text(0, f.text)
		e.Usage(llm.Usage{Input: 1000})
		if n := len(f.asked); n <= len(f.failures) {
			return f.failures[n-1]
		}
		e.Text(0, "ok")
		e.Stop(llm.StopEnd)
		return nil
	})
}

func busy(after time.Duration) *llm.Failure {
	return &llm.Failure{Class: llm.ClassOverloaded, Message: "busy", Retry: true, RetryAfter: after}
}

func events(t *testing.T, stream iter.Seq2[llm.Event, error]) []llm.Event {
	t.Helper()
	var list []llm.Event
	for ev, err := range stream {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, ev)
	}
	return list
}

func types(list []llm.Event) []llm.EventType {
	var names []llm.EventType
	for _, ev := range list {
		names = append(names, ev.Type)
	}
	return names
}

// rests are the pauses that a stream announced.
func rests(list []llm.Event) []time.Duration {
	var all []time.Duration
	for _, ev := range list {
		if ev.Type == llm.EventRestart {
			all = append(all, ev.Wait)
		}
	}
	return all
}

func TestRetryDoublesItsRests(t *testing.T) {
	for range 20 { // rests vary
		synctest.Test(t, func(t *testing.T) {
			p := &flaky{failures: []*llm.Failure{busy(0), busy(0), busy(0)}}
			list := events(t, llm.Retry(p, llm.Patience{}).Stream(t.Context(), ask("hi")))
			want := []llm.EventType{"restart", "restart", "restart", "start", "text_start", "text_delta", "text_end", "done"}
			if d := cmp.Diff(want, types(list)); d != "" {
				t.Error(d)
			}
			at := time.Duration(0)
			for i, rest := range rests(list) {
				base := time.Second << i
				if rest < base*8/10 || rest > base*12/10 {
					t.Errorf("rest %d is %s, want about %s", i, rest, base)
				}
				if at += time.Second + rest; p.asked[i+1] != at {
					t.Errorf("attempt %d began at %s, want %s", i+2, p.asked[i+1], at)
				}
			}
		})
	}
}

func TestRetryVaries(t *testing.T) {
	seen := map[time.Duration]bool{}
	for range 10 {
		synctest.Test(t, func(t *testing.T) {
			p := &flaky{failures: []*llm.Failure{busy(0)}}
			seen[rests(events(t, llm.Retry(p, llm.Patience{}).Stream(t.Context(), ask("hi"))))[0]] = true
		})
	}
	if len(seen) < 2 {
		t.Errorf("ten clients that failed together all rest for %v", seen)
	}
}

func TestRetryGivesUp(t *testing.T) {
	never := func(class llm.Class) *llm.Failure { return &llm.Failure{Class: class, Message: "no"} }
	for _, tt := range []struct {
		name     string
		patience llm.Patience
		failures []*llm.Failure
		asked    int
		want     string
	}{
		{"after four attempts", llm.Patience{}, []*llm.Failure{busy(0), busy(0), busy(0), busy(0), busy(0)}, 4, "done error overloaded retry=true busy"},
		{"after as many as were given", llm.Patience{Attempts: 2}, []*llm.Failure{busy(0), busy(0)}, 2, "done error overloaded retry=true busy"},
		{"at once if there is one", llm.Patience{Attempts: 1}, []*llm.Failure{busy(0)}, 1, "done error overloaded retry=true busy"},
		{"at once without a key", llm.Patience{}, []*llm.Failure{never(llm.ClassAuth)}, 1, "done error auth retry=false no"},
		{"at once with a wrong request", llm.Patience{}, []*llm.Failure{never(llm.ClassInvalidRequest)}, 1, "done error invalid_request retry=false no"},
		{"at once if the server wants too much time", llm.Patience{}, []*llm.Failure{busy(61 * time.Second)}, 1, "done error overloaded retry=true busy"},
		{"when a later failure cannot pass", llm.Patience{}, []*llm.Failure{busy(0), never(llm.ClassAuth)}, 2, "done error auth retry=false no"},
		{"never before it works", llm.Patience{Attempts: 100}, slices.Repeat([]*llm.Failure{busy(0)}, 80), 81, "done stop"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &flaky{failures: tt.failures}
				list := events(t, llm.Retry(p, tt.patience).Stream(t.Context(), ask("hi")))
				if got := line(list[len(list)-1]); got != tt.want || len(p.asked) != tt.asked {
					t.Errorf("asked %d times, then %q; want %d, %q", len(p.asked), got, tt.asked, tt.want)
				}
				for _, rest := range rests(list) {
					if rest > time.Minute || rest <= 0 {
						t.Errorf("rested %s", rest)
					}
				}
			})
		})
	}
}

func TestRetryAfterIsRespected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &flaky{failures: []*llm.Failure{busy(7 * time.Second), busy(60 * time.Second), busy(time.Millisecond)}}
		got := rests(events(t, llm.Retry(p, llm.Patience{}).Stream(t.Context(), ask("hi"))))
		if len(got) != 3 || got[0] != 7*time.Second || got[1] != 60*time.Second || got[2] < 3*time.Second {
			t.Errorf("rests %v", got)
		}
	})
}

// TestRetryInTheMiddle: what was said before the failure is void.
func TestRetryInTheMiddle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &flaky{text: "half ", failures: []*llm.Failure{busy(0)}}
		list := events(t, llm.Retry(p, llm.Patience{}).Stream(t.Context(), ask("hi")))
		want := []llm.EventType{"start", "text_start", "text_delta", "text_end", "restart", "start", "text_start", "text_delta", "text_delta", "text_end", "done"}
		if d := cmp.Diff(want, types(list)); d != "" {
			t.Error(d)
		}
		var b llm.Builder
		for _, ev := range list {
			b.Add(ev)
		}
		if got := b.Message().Text(); got != "half ok" {
			t.Errorf("the message is %q", got)
		}
		void := list[4]
		if void.Failure == nil || void.Failure.Message != "busy" || void.Reply == nil || void.Reply.Usage.Input != 1000 {
			t.Errorf("the restart says %+v, not why and what it took", void)
		}
	})
}

func TestRetryWhileResting(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(context.Context) (context.Context, context.CancelFunc)
		want string
	}{
		{"cancelled", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(1500*time.Millisecond, cancel)
			return ctx, cancel
		}, "done aborted"},
		{"out of time", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 1500*time.Millisecond)
		}, "done error timeout retry=true the time given for the answer is over"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := tt.end(t.Context())
				defer cancel()
				p := &flaky{failures: []*llm.Failure{busy(30 * time.Second)}}
				began := time.Now()
				list := events(t, llm.Retry(p, llm.Patience{}).Stream(ctx, ask("hi")))
				last := list[len(list)-1]
				if got := line(last); got != tt.want || len(p.asked) != 1 {
					t.Errorf("asked %d times, then %q; want %q", len(p.asked), got, tt.want)
				}
				if took := time.Since(began); took != 1500*time.Millisecond {
					t.Errorf("it took %s", took)
				}
				if last.Reply.Usage != (llm.Usage{}) {
					t.Errorf("usage %+v is told a second time", last.Reply.Usage)
				}
			})
		})
	}
}

// TestRetryListenerLeaves leaves after every event, among them the restart.
func TestRetryListenerLeaves(t *testing.T) {
	for stay := 1; stay <= 11; stay++ {
		synctest.Test(t, func(t *testing.T) {
			p := &flaky{text: "half ", failures: []*llm.Failure{busy(0)}}
			heard := 0
			for range llm.Retry(p, llm.Patience{}).Stream(t.Context(), ask("hi")) {
				if heard++; heard == stay {
					break
				}
			}
			if want := 1 + stay/6; len(p.asked) != want {
				t.Errorf("left after %d events: asked %d times, want %d", stay, len(p.asked), want)
			}
		})
	}
}

func TestRetryMisuse(t *testing.T) {
	p := provider(func(context.Context, *llm.Emitter) error { return nil })
	got := lines(t, llm.Retry(p, llm.Patience{}).Stream(t.Context(), llm.Request{}))
	if d := cmp.Diff([]string{"misuse: the request names no model"}, got); d != "" {
		t.Error(d)
	}
}

// TestRetryAtOnceBySeveral uses one provider from several goroutines.
func TestRetryAtOnceBySeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := llm.Retry(provider(func(_ context.Context, e *llm.Emitter) error {
			e.Text(0, "x")
			return fmt.Errorf("cut")
		}), llm.Patience{Attempts: 2})
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if m, err := llm.Collect(p.Stream(t.Context(), ask("hi"))); err != nil || m.Text() != "x" {
					t.Errorf("%v %v", m, err)
				}
			})
		}
		all.Wait()
	})
}

// watching is a provider that wants to know how its steps went.
type watching struct {
	provider
	heard []llm.Outcome
}

func (w *watching) Observe(o llm.Outcome) bool {
	w.heard = append(w.heard, o)
	return true
}

// TestRetryPassesOnOutcomes: a router behind it learns how the steps went.
func TestRetryPassesOnOutcomes(t *testing.T) {
	router := new(watching)
	for p, want := range map[llm.Provider]bool{llm.Retry(router, llm.Patience{}): true, llm.Retry(new(flaky), llm.Patience{}): false} {
		observer, ok := p.(llm.Observer)
		if !ok {
			t.Fatal("it does not listen")
		}
		if got := observer.Observe(llm.OutcomeTimeout); got != want {
			t.Errorf("changed is %v, want %v", got, want)
		}
	}
	if !slices.Equal(router.heard, []llm.Outcome{llm.OutcomeTimeout}) {
		t.Errorf("it heard %q", router.heard)
	}
}
