package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"redline/agent"
	"redline/llm"
)

// ends runs a prompt in a goroutine of its own and returns its outcome.
func ends(t *testing.T, a *agent.Agent, prompt string) <-chan agent.Outcome {
	c := make(chan agent.Outcome, 1)
	go func() {
		out, err := a.Prompt(context.Background(), prompt)
		if err != nil {
			t.Errorf("prompt: %v", err)
		}
		c <- out
	}()
	return c
}

func texts(a *agent.Agent) []string {
	var list []string
	for _, m := range a.State().Messages {
		list = append(list, words(m))
	}
	return list
}

func TestAbortWhileTheModelSpeaks(t *testing.T) {
	w := newWorkbench(t)
	a, _ := newAgent(t, w, agent.Config{}, hangs(w), says("Hello again."))
	done := ends(t, a, "Go.")
	<-w.started
	a.Abort()
	out := <-done
	if out.End != agent.EndAborted || len(out.Calls) != 0 {
		t.Errorf("the run ended %s", outcome(out))
	}
	s := a.State()
	if s.Streaming || s.StreamMessage != nil || len(s.Pending) > 0 {
		t.Errorf("something is left of the run: %+v", s)
	}
	if got := texts(a); got[1] != `assistant "I was about to" stop=aborted` {
		t.Errorf("what was said is %s", got[1])
	}
	if out, err := a.Prompt(context.Background(), "And?"); err != nil || out.End != agent.EndDone {
		t.Errorf("the next run: %v, %v", outcome(out), err)
	}
}

// TestAbortATool: a tool that listens ends; the calls behind it are not run, and
// each has its result.
func TestAbortATool(t *testing.T) {
	w := newWorkbench(t)
	a, p := newAgent(t, w, agent.Config{}, calls("write", `{"text":"a"}`, "slow", `{}`, "write", `{"text":"b"}`), says("Fine."))
	done := ends(t, a, "Go.")
	<-w.started
	a.Abort()
	out := <-done
	want := []agent.CallEnd{agent.CallDone, agent.CallFailed, agent.CallNotRun}
	for i, c := range out.Calls {
		if c.State != want[i] {
			t.Errorf("call %s is %s, not %s", c.ID, c.State, want[i])
		}
	}
	if out.End != agent.EndAborted || len(out.Calls) != 3 || !slices.Equal(w.written, []string{"a"}) {
		t.Errorf("the run ended %s; written %q", outcome(out), w.written)
	}
	if got := out.Summary(); got != "Stopped: the run was aborted. Done so far: write ×1. Failed: 1. Not run: 1." {
		t.Errorf("summary: %s", got)
	}
	if _, err := a.Prompt(context.Background(), "And now?"); err != nil {
		t.Fatal(err)
	}
	if n := len(llm.Unanswered(p.asked[1].Messages)); n != 0 {
		t.Errorf("the next request has %d calls without a result", n)
	}
}

// TestAbortADeafTool: a tool that does not listen is left behind after a while,
// and what it says later is not heard.
func TestAbortADeafTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkbench(t)
		a, _ := newAgent(t, w, agent.Config{Grace: 3 * time.Second}, calls("deaf", `{}`))
		done := ends(t, a, "Go.")
		<-w.started
		began := time.Now()
		a.Abort()
		out := <-done
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("the abort took %s", took)
		}
		if len(out.Calls) != 1 || out.Calls[0].State != agent.CallAbandoned || !strings.Contains(out.Summary(), "May still be running: 1.") {
			t.Errorf("the run ended %s: %s", outcome(out), out.Summary())
		}
		heard := 0
		a.Subscribe(func(agent.Event) { heard++ })
		close(w.release)
		synctest.Wait()
		if heard > 0 {
			t.Error("the tool that was left behind was heard")
		}
	})
}

func TestAbortFromAListener(t *testing.T) {
	w := newWorkbench(t)
	a, _ := newAgent(t, w, agent.Config{}, calls("echo", `{"text":"x"}`), says("never"))
	a.Subscribe(func(e agent.Event) {
		if e.Type == agent.ToolEnd {
			a.Abort()
		}
	})
	if out, err := a.Prompt(context.Background(), "Go."); err != nil || out.End != agent.EndAborted {
		t.Errorf("%s, %v", outcome(out), err)
	}
}

func TestBusy(t *testing.T) {
	w := newWorkbench(t)
	a, _ := newAgent(t, w, agent.Config{}, hangs(w))
	done := ends(t, a, "Go.")
	<-w.started
	for name, err := range map[string]error{
		"prompt":  func() error { _, err := a.Prompt(context.Background(), "x"); return err }(),
		"clear":   a.Clear(),
		"append":  a.Append(agent.UserMessage("x")),
		"replace": a.Replace(nil),
	} {
		if !errors.Is(err, agent.ErrBusy) {
			t.Errorf("%s: %v", name, err)
		}
	}
	a.Abort()
	<-done
	if err := a.Wait(context.Background()); err != nil {
		t.Error(err)
	}
	if err := a.Clear(); err != nil || len(a.State().Messages) != 0 {
		t.Errorf("clear: %v, %d messages", err, len(a.State().Messages))
	}
	if _, err := a.Continue(context.Background()); !errors.Is(err, agent.ErrNothing) {
		t.Errorf("continue with nothing: %v", err)
	}
}

// TestSteer: a message sent while a tool runs is said right after it, and the
// calls behind it are not run.
func TestSteer(t *testing.T) {
	w := newWorkbench(t)
	a, p := newAgent(t, w, agent.Config{}, calls("gate", `{}`, "write", `{"text":"b"}`), says("As you wish."))
	done := ends(t, a, "Go.")
	<-w.started
	a.Steer(agent.UserMessage("Stop, do not write."))
	if a.State().Queued != 1 {
		t.Error("the message is not in the queue")
	}
	close(w.release)
	if out := <-done; out.End != agent.EndDone || out.Calls[1].State != agent.CallNotRun || len(w.written) > 0 {
		t.Errorf("%s; written %q", outcome(out), w.written)
	}
	last := p.asked[1].Messages
	if got := last[len(last)-1].Text(); got != "Stop, do not write." {
		t.Errorf("the model was told %q", got)
	}
}

// TestFollowUp: a message for later is said when the model is done, and the run
// goes on.
func TestFollowUp(t *testing.T) {
	w := newWorkbench(t)
	a, _ := newAgent(t, w, agent.Config{}, calls("gate", `{}`, "write", `{"text":"b"}`), says("One."), says("Two."))
	done := ends(t, a, "Go.")
	<-w.started
	a.FollowUp(agent.UserMessage("And two?"))
	close(w.release)
	if out := <-done; out.End != agent.EndDone || out.Steps != 3 || !slices.Equal(w.written, []string{"b"}) {
		t.Errorf("%s; written %q", outcome(out), w.written)
	}
	got := texts(a)
	if want := []string{`assistant "One." stop=stop`, `user "And two?"`, `assistant "Two." stop=stop`}; !slices.Equal(got[len(got)-3:], want) {
		t.Errorf("said: %q", got)
	}
}

// TestQueueIsNeverLost: what is queued while an aborted run ends is said, or
// waits for the next one.
func TestQueueIsNeverLost(t *testing.T) {
	w := newWorkbench(t)
	a, _ := newAgent(t, w, agent.Config{}, calls("slow", `{}`), says("Yes."))
	done := ends(t, a, "Go.")
	<-w.started
	a.Steer(agent.UserMessage("one"))
	a.FollowUp(agent.UserMessage("two"))
	a.Abort()
	<-done
	if _, err := a.Prompt(context.Background(), "three"); err != nil {
		t.Fatal(err)
	}
	all := strings.Join(texts(a), "\n")
	for _, said := range []string{`user "one"`, `user "two"`, `user "three"`} {
		if strings.Count(all, said) != 1 {
			t.Errorf("%s was said %d times:\n%s", said, strings.Count(all, said), all)
		}
	}
}

// TestReadersRunSideBySide: neighbouring read-only calls run at once, a writing
// one alone, and the results are in the order of the calls.
func TestReadersRunSideBySide(t *testing.T) {
	w := newWorkbench(t)
	a, _ := newAgent(t, w, agent.Config{}, calls("meet", `{"text":"1"}`, "meet", `{"text":"2"}`, "meet", `{"text":"3"}`, "write", `{"text":"b"}`, "meet", `{"text":"4"}`), says("Done."))
	done := ends(t, a, "Go.")
	for range 3 {
		<-w.started
	}
	if len(w.written) > 0 {
		t.Error("the writing call ran beside the readers")
	}
	close(w.release)
	if out := <-done; out.End != agent.EndDone {
		t.Errorf("%s", outcome(out))
	}
	if w.most != 3 {
		t.Errorf("%d readers ran at once, not 3", w.most)
	}
	var results []string
	for _, m := range a.State().Messages {
		if r, ok := m.ToolResult(); ok {
			results = append(results, r.Output)
		}
	}
	if want := []string{"1", "2", "3", "written", "4"}; !slices.Equal(results, want) {
		t.Errorf("results: %q", results)
	}
}

// TestInOrder: read-only calls that have to keep their order run one by one, and
// not beside others.
func TestInOrder(t *testing.T) {
	w := newWorkbench(t)
	close(w.release)
	var step []string
	var want []string
	for i := range 20 {
		step = append(step, "tell", fmt.Sprintf(`{"text":"%d"}`, i), "meet", `{"text":"-"}`)
		want = append(want, fmt.Sprint(i))
	}
	a, _ := newAgent(t, w, agent.Config{}, calls(step...), says("Done."))
	if out := <-ends(t, a, "Go."); out.End != agent.EndDone {
		t.Errorf("%s", outcome(out))
	}
	if !slices.Equal(w.written, want) || w.most != 1 {
		t.Errorf("told %q, %d at once", w.written, w.most)
	}
}

// TestStateKeepsStep: the state that a listener is given agrees with the events
// before it, and an old one does not change.
func TestStateKeepsStep(t *testing.T) {
	w := newWorkbench(t)
	a, _ := newAgent(t, w, agent.Config{System: "Be brief."}, calls("count", `{"n":2}`), says("Done."))
	var states []agent.State
	var frozen []string
	messages, pending := 0, 0
	a.Subscribe(func(e agent.Event) {
		switch e.Type {
		case agent.MessageEnd:
			messages++
		case agent.ToolStart:
			pending++
		case agent.ToolEnd:
			pending--
		case agent.StateUpdate:
			if len(e.State.Messages) != messages || len(e.State.Pending) != pending {
				t.Errorf("the state has %d messages and %d calls, the events had %d and %d", len(e.State.Messages), len(e.State.Pending), messages, pending)
			}
			states = append(states, *e.State)
			frozen = append(frozen, marshal(t, e.State))
		}
	})
	a.SetThinking(llm.ThinkLow)
	if _, err := a.Prompt(context.Background(), "Go."); err != nil {
		t.Fatal(err)
	}
	if states[0].Thinking != llm.ThinkLow {
		t.Error("a change from outside was not told")
	}
	for i, s := range states {
		if marshal(t, s) != frozen[i] {
			t.Errorf("state %d has changed", i)
		}
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestManyAtOnce: every method from many goroutines while runs come and go. The
// race detector judges.
func TestManyAtOnce(t *testing.T) {
	w := newWorkbench(t)
	close(w.release)
	var turns []turn
	for range 200 {
		turns = append(turns, calls("meet", `{"text":"1"}`, "meet", `{"text":"2"}`, "write", `{"text":"x"}`))
	}
	p := &play{turns: turns}
	go func() { // nobody reads it otherwise
		for range w.started {
		}
	}()
	a := agent.New(agent.Config{Provider: p, Model: testModel, Tools: w.set, Limits: agent.Limits{Iterations: 5}})
	cancel := a.Subscribe(func(agent.Event) { _ = a.State() })
	defer cancel()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 10 {
				if _, err := a.Prompt(context.Background(), "Go."); err != nil && !errors.Is(err, agent.ErrBusy) {
					t.Error(err)
				}
				a.Steer(agent.UserMessage("steer"))
				a.FollowUp(agent.UserMessage("follow"))
				a.SetModel(testModel)
				a.SetSystemPrompt("x")
				_ = a.State()
				a.Abort()
				a.Subscribe(func(agent.Event) {})()
				_ = a.Append(agent.UserMessage("more"))
			}
		})
	}
	wg.Wait()
	if err := a.Wait(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestPanics: a provider or a listener that panics ends its run only; the agent
// can be used again.
func TestPanics(t *testing.T) {
	boom := func(context.Context, llm.Request, *llm.Emitter) error { panic("provider") }
	p := &play{turns: []turn{boom, says("never"), says("Hello.")}}
	a := agent.New(agent.Config{Provider: p, Model: testModel})
	listens := true
	a.Subscribe(func(e agent.Event) {
		if listens && e.Type == agent.TurnEnd {
			panic("listener")
		}
	})
	for _, who := range []string{"provider", "listener"} {
		func() {
			defer func() {
				if got := recover(); got != who {
					t.Errorf("the panic of the %s came as %v", who, got)
				}
			}()
			_, err := a.Prompt(context.Background(), "Go.")
			t.Errorf("the %s did not panic: %v", who, err)
		}()
		if s := a.State(); s.Streaming || s.StreamMessage != nil || len(s.Pending) > 0 {
			t.Errorf("something is left of the run: %+v", s)
		}
	}
	listens = false
	if out, err := a.Prompt(context.Background(), "And now?"); err != nil || out.End != agent.EndDone {
		t.Errorf("the next run: %s, %v", outcome(out), err)
	}
}
