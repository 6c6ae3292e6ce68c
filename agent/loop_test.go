package agent_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	"redline/agent"
	"redline/llm"
)

// TestToolEndsTheRun: a denied call ends the run with its words; calls behind it
// are not run.
func TestToolEndsTheRun(t *testing.T) {
	w := newWorkbench(t)
	a, _ := newAgent(t, w, agent.Config{}, calls("deny", `{}`, "write", `{"text":"a"}`), says("never"))
	out, _ := a.Prompt(context.Background(), "Go.")
	messages := a.State().Messages
	if out.End != agent.EndStopped || len(w.written) > 0 || messages[len(messages)-1].Text() != "Action cancelled by user." {
		t.Errorf("ended %s, last word %s", outcome(out), words(messages[len(messages)-1]))
	}
}

// TestFailingTools: the model reads what went wrong and goes on.
func TestFailingTools(t *testing.T) {
	a, p := newAgent(t, newWorkbench(t), agent.Config{}, calls("fail", `{}`, "crash", `{}`, "nothing", `{}`, "count", `{"n":"many"}`, "echo", `{"text":`), says("Sorry."))
	out, _ := a.Prompt(context.Background(), "Go.")
	if out.End != agent.EndDone {
		t.Errorf("ended %s", outcome(out))
	}
	for i, told := range []string{"no such note: try list", "crashed: boom", `unknown tool "nothing"`, "n:", "JSON"} {
		r, _ := p.asked[1].Messages[2+i].ToolResult()
		if !r.IsError || !strings.Contains(r.Output, told) {
			t.Errorf("the model was told %q, not %q", r.Output, told)
		}
	}
}

func TestModelFails(t *testing.T) {
	for _, class := range []llm.Class{llm.ClassAuth, llm.ClassRateLimit, llm.ClassNetwork, llm.ClassInvalidRequest} {
		a, _ := newAgent(t, newWorkbench(t), agent.Config{}, fails(class, "no, because"), says("Better now."))
		out, err := a.Prompt(context.Background(), "Go.")
		if err != nil || out.End != agent.EndFailed || out.Failure.Class != class || !strings.Contains(a.State().Err, "no, because") {
			t.Errorf("%s: ended %s, %v", class, outcome(out), err)
		}
		if out, err := a.Continue(context.Background()); err != nil || out.End != agent.EndDone || a.State().Err != "" {
			t.Errorf("%s: continued %s, %v", class, outcome(out), err)
		}
	}
}

func TestContentFilter(t *testing.T) {
	a, _ := newAgent(t, newWorkbench(t), agent.Config{}, func(_ context.Context, _ llm.Request, e *llm.Emitter) error {
		e.Text(0, "I")
		e.Stop(llm.StopContentFilter)
		return nil
	})
	if out, _ := a.Prompt(context.Background(), "Go."); out.End != agent.EndFailed || !strings.Contains(out.Reason, "content filter") {
		t.Errorf("ended %s", outcome(out))
	}
}

// TestSteeringAtTheLimit: what the user says as a limit is reached is kept.
func TestSteeringAtTheLimit(t *testing.T) {
	w := newWorkbench(t)
	a, _ := newAgent(t, w, agent.Config{Limits: agent.Limits{Iterations: 1}}, calls("gate", `{}`))
	done := ends(t, a, "Go.")
	<-w.started
	a.Steer(agent.UserMessage("Wait."))
	close(w.release)
	<-done
	if all := strings.Join(texts(a), "\n"); !strings.Contains(all, `user "Wait."`) {
		t.Errorf("the message is lost:\n%s", all)
	}
}

// TestSchemaFailuresInARow: a good step in between starts the count again.
func TestSchemaFailuresInARow(t *testing.T) {
	bad, good := calls("echo", `{}`), calls("echo", `{"text":"x"}`)
	a, _ := newAgent(t, newWorkbench(t), agent.Config{Limits: agent.Limits{SchemaRetries: 1}}, bad, good, bad, good, says("Done."))
	if out, _ := a.Prompt(context.Background(), "Go."); out.End != agent.EndDone {
		t.Errorf("ended %s", outcome(out))
	}
}

// TestVoidAttemptsAreCounted: a router or a retry says what its void attempts
// took; it is part of what the run took.
func TestVoidAttemptsAreCounted(t *testing.T) {
	p := &play{turns: []turn{
		func(_ context.Context, _ llm.Request, e *llm.Emitter) error {
			e.Text(0, "half an ans")
			e.Usage(llm.Usage{Input: 7, Output: 3})
			return &llm.Failure{Class: llm.ClassNetwork, Message: "cut", Retry: true}
		},
		says("Done."),
	}}
	a := agent.New(agent.Config{Provider: llm.Retry(p, llm.Patience{Base: 1}), Model: testModel})
	out, err := a.Prompt(context.Background(), "Go.")
	if err != nil || out.End != agent.EndDone || out.Usage.Input != 107 || out.Usage.Output != 13 {
		t.Errorf("ended %s with usage %+v, %v", outcome(out), out.Usage, err)
	}
	if got := a.State().Messages[1].Text(); got != "Done." {
		t.Errorf("the void attempt is part of the answer: %q", got)
	}
}

// TestProvidersCountDecides: if the provider counts more tokens than it seems,
// the conversation is summed up by its count.
func TestProvidersCountDecides(t *testing.T) {
	full := func(ctx context.Context, req llm.Request, e *llm.Emitter) error {
		defer e.Usage(llm.Usage{Input: 3500, Output: 400})
		return calls("echo", `{"text":"x"}`)(ctx, req, e)
	}
	a, p := newAgent(t, newWorkbench(t), agent.Config{Model: small(4000), Compaction: agent.Compaction{Keep: 10}}, full, says("Done."))
	p.sums = []turn{says("Short.")}
	if _, err := a.Prompt(context.Background(), "One."); err != nil {
		t.Fatal(err)
	}
	if len(p.summed) == 0 {
		t.Error("nothing was summed up")
	}
}

// TestCompactedConversations: whatever was said, a model is sent the newest
// summary and then the end of the conversation as it was, with every call and
// its result together.
func TestCompactedConversations(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 4))
		w := newWorkbench(t)
		var turns []turn
		for range 30 {
			text := strings.Repeat("word ", 1+rng.IntN(200))
			switch next := says(text); rng.IntN(4) {
			case 0:
				turns = append(turns, next)
			case 1:
				turns = append(turns, calls("echo", `{"text":"`+text+`"}`, "echo", `{"text":"x"}`, "write", `{"text":"y"}`))
			default:
				turns = append(turns, calls("echo", `{"text":"`+text+`"}`))
			}
		}
		for i, next := range turns {
			turns[i] = func(ctx context.Context, req llm.Request, e *llm.Emitter) error {
				defer e.Usage(llm.Usage{})
				if open := llm.Unanswered(req.Messages); len(open) > 0 {
					t.Errorf("seed %d: %d calls without a result", seed, len(open))
				}
				if adapted := llm.Adapt(req.Messages, req.Model, llm.PlainIDs); len(adapted) != len(req.Messages) {
					t.Errorf("seed %d: a result was parted from its call", seed)
				}
				return next(ctx, req, e)
			}
		}
		a, p := newAgent(t, w, agent.Config{Model: small(1500 + rng.IntN(1500))}, turns...)
		p.sums = []turn{says("Sum.")}
		for i := range 8 {
			if _, err := a.Prompt(context.Background(), fmt.Sprintf("Request %d.", i)); err != nil {
				t.Fatal(err)
			}
		}
		checkInForce(t, seed, a.State().Messages)
	}
}

func checkInForce(t *testing.T, seed uint64, all []agent.Message) {
	t.Helper()
	var talk []string // without the summaries
	newest := ""
	for _, m := range all {
		if m.Custom == nil {
			talk = append(talk, words(m))
		} else {
			newest = words(m)
		}
	}
	force := agent.InForce(all)
	if newest == "" {
		return
	}
	if got := words(force[0]); got != newest {
		t.Errorf("seed %d: the model is told %s, not %s", seed, got, newest)
	}
	tail := talk[len(talk)-(len(force)-1):]
	for i, m := range force[1:] {
		if got := words(m); got != tail[i] {
			t.Fatalf("seed %d: message %d in force is %s, not %s", seed, i, got, tail[i])
		}
	}
	s := force[0].Custom.(*agent.Summary)
	dropped, kept := 0, 0
	for i, m := range all {
		if m.Custom == agent.Custom(s) {
			kept = i - max(0, i-s.Kept)
			dropped = i - kept
		}
	}
	if dropped == 0 || s.Kept != kept {
		t.Errorf("seed %d: the summary keeps %d and drops %d", seed, s.Kept, dropped)
	}
}

// TestRunWaitsForItsListeners: a run has not ended before its last event was
// told, though another goroutine does the telling.
func TestRunWaitsForItsListeners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := newAgent(t, newWorkbench(t), agent.Config{}, says("Done."))
		hold := make(chan struct{})
		ended := false
		a.Subscribe(func(e agent.Event) {
			if e.Type == agent.StateUpdate && e.State.SystemPrompt == "hold" && !e.State.Streaming {
				<-hold
			}
			ended = ended || e.Type == agent.AgentEnd
		})
		go a.SetSystemPrompt("hold")
		synctest.Wait() // it is telling, and held
		done := ends(t, a, "Go.")
		synctest.Wait()
		select {
		case <-done:
			t.Error("the run ended unheard")
		default:
		}
		close(hold)
		<-done
		if !ended {
			t.Error("the run ended before its last event was told")
		}
	})
}

// TestAbortAfterSteering: what the user said is kept, though the run is aborted
// before the model could hear it.
func TestAbortAfterSteering(t *testing.T) {
	w := newWorkbench(t)
	a, _ := newAgent(t, w, agent.Config{}, calls("gate", `{}`, "write", `{"text":"b"}`))
	a.Subscribe(func(e agent.Event) {
		if e.Type == agent.TurnEnd {
			a.Abort()
		}
	})
	done := ends(t, a, "Go.")
	<-w.started
	a.Steer(agent.UserMessage("Wait."))
	close(w.release)
	if out := <-done; out.End != agent.EndAborted {
		t.Errorf("ended %s", outcome(out))
	}
	if all := strings.Join(texts(a), "\n"); !strings.Contains(all, `user "Wait."`) {
		t.Errorf("the message is lost:\n%s", all)
	}
}
