package route_test

import (
	"context"
	"iter"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"redline/llm"
	"redline/llm/llmtest"
	"redline/llm/route"
)

// provider is a model made of a function.
type provider func(ctx context.Context, e *llm.Emitter) error

func (p provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return llm.Emit(ctx, req, p)
}

func says(text string) provider {
	return func(_ context.Context, e *llm.Emitter) error {
		e.Text(0, text)
		e.Stop(llm.StopEnd)
		return nil
	}
}

var asking = llm.Request{Messages: []llm.Message{llm.User("Do it.")}}

func hybrid(t *testing.T, local, remote llm.Provider) *route.Router {
	t.Helper()
	r, err := route.New(route.Config{
		Mode:     route.HybridAuto,
		Local:    route.Side{Provider: local, Model: llm.Model{ID: "small", Provider: "home"}},
		Remote:   route.Side{Provider: remote, Model: llm.Model{ID: "large", Provider: "cloud"}},
		Controls: route.DefaultControls(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestMisuseIsToldAlone(t *testing.T) {
	r := hybrid(t, says("local"), says("remote"))
	events := 0
	for _, err := range r.Stream(t.Context(), llm.Request{}) {
		events++
		if err == nil {
			t.Error("a request without messages was taken")
		}
	}
	if events != 1 {
		t.Errorf("%d events, want the error alone", events)
	}
}

// TestLeaving leaves the loop after every number of events, among them those of
// the router itself.
func TestLeaving(t *testing.T) {
	busy := provider(func(_ context.Context, e *llm.Emitter) error {
		e.Text(0, "half")
		return &llm.Failure{Class: llm.ClassOverloaded, Message: "busy", Retry: true}
	})
	for n, more := 1, true; more; n++ {
		count := 0
		more = false
		for range hybrid(t, busy, says("remote")).Stream(t.Context(), asking) {
			if count++; count == n {
				more = true
				break
			}
		}
	}
}

// TestNewJobDuringAStep: what a step does after the next job began is no
// business of that job.
func TestNewJobDuringAStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := true
		local := provider(func(ctx context.Context, e *llm.Emitter) error {
			if first {
				first = false
				<-ctx.Done()
				return ctx.Err()
			}
			return says("local")(ctx, e)
		})
		r := hybrid(t, local, says("remote"))
		time.AfterFunc(time.Second, r.NewJob)
		if m := llmtest.Check(t, r.Stream(t.Context(), asking)); m.Text() != "remote" {
			t.Errorf("the step was answered %q, want the remote model after a timeout", m.Text())
		}
		if r.Observe(llm.OutcomeBudget) {
			t.Error("a new job without a step went elsewhere")
		}
		if m := llmtest.Check(t, r.Stream(t.Context(), asking)); m.Text() != "local" {
			t.Errorf("the new job was answered %q, want the local model", m.Text())
		}
	})
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	r := hybrid(t, says("an answer"), says("an answer"))
	var group sync.WaitGroup
	for _, outcome := range []llm.Outcome{llm.OutcomeOK, llm.OutcomeSchemaFailure, llm.OutcomeBudget} {
		group.Go(func() {
			for range 50 {
				if m := llmtest.Check(t, r.Stream(t.Context(), asking)); m.Text() != "an answer" {
					t.Errorf("answered %q", m.Text())
				}
				r.Observe(outcome)
			}
			r.NewJob()
		})
	}
	group.Wait()
}
