package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"redline/agent"
	"redline/llm"
)

// TestLimits: each limit ends the run by its name, with what was done as the last
// word, and every call that was asked for has a result.
func TestLimits(t *testing.T) {
	echo := func() turn { return calls("echo", `{"text":"x"}`) }
	two := func() turn { return calls("echo", `{"text":"x"}`, "echo", `{"text":"y"}`) }
	priced := testModel
	priced.Price = &llm.Price{Input: 10_000, Output: 100_000} // 2 dollars a step
	tests := []struct {
		limit  string
		limits agent.Limits
		model  llm.Model
		turns  []turn
		steps  int
		done   int // calls
		said   string
	}{
		{agent.LimitIterations, agent.Limits{Iterations: 2}, testModel, []turn{echo(), echo(), says("never")}, 2, 2,
			"Stopped: the limit of 2 steps is reached. Done so far: echo ×2."},
		{agent.LimitToolCalls, agent.Limits{ToolCalls: 3}, testModel, []turn{two(), two(), says("never")}, 2, 3,
			"Stopped: the limit of 3 tool calls is reached. Done so far: echo ×3. Not run: 1."},
		{agent.LimitTokens, agent.Limits{Tokens: 200}, testModel, []turn{echo(), echo(), says("never")}, 2, 2,
			"Stopped: the limit of 200 tokens is reached. Done so far: echo ×2."},
		{agent.LimitBudget, agent.Limits{BudgetUSD: 3}, priced, []turn{echo(), echo(), says("never")}, 2, 2,
			"Stopped: the budget of $3.00 is used up. Done so far: echo ×2."},
		{agent.LimitSchemaRetries, agent.Limits{SchemaRetries: 2}, testModel,
			[]turn{calls("echo", `{}`), calls("ech", `{}`), calls("echo", `{"text":7`), says("never")}, 3, 0,
			"Stopped: the model sent invalid arguments or output 3 times in a row. No tool call was completed. Failed: 3."},
	}
	for _, test := range tests {
		t.Run(test.limit, func(t *testing.T) {
			a, p := newAgent(t, newWorkbench(t), agent.Config{Limits: test.limits, Model: test.model}, test.turns...)
			out, err := a.Prompt(context.Background(), "Go.")
			if err != nil {
				t.Fatal(err)
			}
			done := 0
			for _, c := range out.Calls {
				if c.State == agent.CallDone {
					done++
				}
			}
			if out.End != agent.EndLimit || out.Limit != test.limit || out.Steps != test.steps || done != test.done {
				t.Errorf("ended %s", outcome(out))
			}
			messages := a.State().Messages
			if last := messages[len(messages)-1]; last.Role != llm.RoleAssistant || last.Text() != test.said {
				t.Errorf("the last word is %s", words(last))
			}
			if len(p.asked) != test.steps {
				t.Errorf("the model was asked %d times", len(p.asked))
			}
			if open := agent.Repair(messages); len(open) > 0 {
				t.Errorf("%d calls have no result", len(open))
			}
		})
	}
}

// TestExactBudgetOfCalls: a run that uses up its tool calls may still be
// concluded by the model.
func TestExactBudgetOfCalls(t *testing.T) {
	a, _ := newAgent(t, newWorkbench(t), agent.Config{Limits: agent.Limits{ToolCalls: 1}}, calls("echo", `{"text":"x"}`), says("Done."))
	if out, _ := a.Prompt(context.Background(), "Go."); out.End != agent.EndDone {
		t.Errorf("ended %s", outcome(out))
	}
}

func TestWallTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorkbench(t)
		limits := agent.Limits{Wall: time.Minute}
		a, _ := newAgent(t, w, agent.Config{Limits: limits}, calls("gate", `{}`), says("never"))
		done := ends(t, a, "Go.")
		<-w.started
		time.Sleep(2 * time.Minute) // the tool takes longer than the run may
		close(w.release)
		if out := <-done; out.Limit != agent.LimitWall || out.Calls[0].State != agent.CallDone {
			t.Errorf("a tool was cut: %s", outcome(out))
		}
		a, _ = newAgent(t, w, agent.Config{Limits: limits}, hangs(w))
		done = ends(t, a, "Go.")
		if out := <-done; out.Limit != agent.LimitWall {
			t.Errorf("the model was not cut: %s", outcome(out))
		}
		began := time.Now()
		a, p := newAgent(t, w, agent.Config{Limits: limits, Model: small(2000)}, says("never"))
		p.sums = []turn{hangs(w)}
		if err := a.Replace([]agent.Message{agent.UserMessage(strings.Repeat("word ", 2000)), {Message: llm.Assistant(llm.Text{Text: "Yes."})}}); err != nil {
			t.Fatal(err)
		}
		if out := <-ends(t, a, "Go."); out.Limit != agent.LimitWall || time.Since(began) != time.Minute {
			t.Errorf("a summary was not cut: %s after %s", outcome(out), time.Since(began))
		}
	})
}

func TestAnswerCutAtItsLimit(t *testing.T) {
	cut := func(e *llm.Emitter) error {
		e.Usage(llm.Usage{Input: 5, Output: 5})
		e.Stop(llm.StopLength)
		return nil
	}
	limits := agent.Limits{TokensPerIteration: 4000}
	a, p := newAgent(t, newWorkbench(t), agent.Config{Limits: limits},
		func(_ context.Context, _ llm.Request, e *llm.Emitter) error {
			e.Call(0, "c1", "write")
			e.Arguments(0, `{"text":"half`)
			return cut(e)
		},
		func(_ context.Context, _ llm.Request, e *llm.Emitter) error {
			e.Text(0, "Once upon")
			return cut(e)
		})
	out, _ := a.Prompt(context.Background(), "Go.")
	if out.Limit != agent.LimitAnswer || out.Steps != 2 || out.Calls[0].State != agent.CallNotRun {
		t.Errorf("ended %s", outcome(out))
	}
	if p.asked[0].MaxTokens != 4000 {
		t.Errorf("the request allows %d tokens", p.asked[0].MaxTokens)
	}
	if r, _ := p.asked[1].Messages[2].ToolResult(); !strings.Contains(r.Output, "smaller pieces") {
		t.Errorf("the model was told %q", r.Output)
	}
}

func TestBudgetNeedsAPrice(t *testing.T) {
	remote := testModel
	remote.Local = false
	a, p := newAgent(t, newWorkbench(t), agent.Config{Model: remote, Limits: agent.Limits{BudgetUSD: 1}}, says("never"))
	a.FollowUp(agent.UserMessage("Before that."))
	out, _ := a.Prompt(context.Background(), "Go.")
	if out.End != agent.EndFailed || !strings.Contains(out.Reason, agent.ErrNoPrice.Error()) || len(p.asked) > 0 {
		t.Errorf("ended %s", outcome(out))
	}
	if got := texts(a); len(got) != 2 {
		t.Errorf("of what was said %q is left", got)
	}
}

func TestDefaultLimits(t *testing.T) {
	a, p := newAgent(t, newWorkbench(t), agent.Config{Limits: agent.DefaultLimits(), CacheKey: "talk-1"}, says("Hi."))
	if _, err := a.Prompt(context.Background(), "Go."); err != nil {
		t.Fatal(err)
	}
	req := p.asked[0]
	if req.MaxTokens != 4000 || req.Temperature == nil || *req.Temperature != 0.7 || req.CacheKey != "talk-1" {
		t.Errorf("asked with %d tokens, temperature %v, key %q", req.MaxTokens, req.Temperature, req.CacheKey)
	}
}

var colour = &llm.Output{Name: "colour", Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}`)}

// TestStructuredOutput: what does not match the schema, or what the caller
// objects to, goes back to the model with the reason.
func TestStructuredOutput(t *testing.T) {
	a, p := newAgent(t, newWorkbench(t), agent.Config{Output: colour, Accept: func(out json.RawMessage) error {
		if strings.Contains(string(out), "mauve") {
			return errors.New("there is no mauve in the file")
		}
		return nil
	}}, calls("echo", `{"text":"x"}`), says("blue"), says(`{"nam":"blue"}`), says(`{"name":"mauve"}`), says("```json\n{\"name\":\"blue\"}\n```"))
	out, _ := a.Prompt(context.Background(), "Which?")
	if out.End != agent.EndDone || string(out.Structured) != `{"name":"blue"}` {
		t.Errorf("ended %s", outcome(out))
	}
	for i, told := range []string{"it is not JSON", "name", "there is no mauve in the file"} {
		messages := p.asked[i+2].Messages
		if last := messages[len(messages)-1]; last.Role != llm.RoleUser || !strings.Contains(last.Text(), told) {
			t.Errorf("after attempt %d the model was told %q", i+1, last.Text())
		}
	}
	if p.asked[0].Output != colour {
		t.Error("the request does not ask for the output")
	}
}

func TestSchemaRetriesOfOutput(t *testing.T) {
	var turns []turn
	for range 10 {
		turns = append(turns, says("blue"))
	}
	a, p := newAgent(t, newWorkbench(t), agent.Config{Output: colour}, turns...)
	out, _ := a.Prompt(context.Background(), "Which?")
	if out.Limit != agent.LimitSchemaRetries || len(p.asked) != 6 {
		t.Errorf("ended %s after %d requests; 5 retries are allowed", outcome(out), len(p.asked))
	}
}

// watcher is a provider that another model stands behind.
type watcher struct {
	*play
	seen    []llm.Outcome
	changes map[llm.Outcome]bool
}

func (w *watcher) Observe(o llm.Outcome) bool {
	w.seen = append(w.seen, o)
	change := w.changes[o]
	delete(w.changes, o) // once
	return change
}

// TestOutcomesAreReported: a router hears how each step went, and a run goes on
// where another model takes over.
func TestOutcomesAreReported(t *testing.T) {
	bench := newWorkbench(t)
	p := &watcher{play: &play{turns: []turn{
		calls("echo", `{}`),
		calls("echo", `{"text":"1"}`),
		calls("echo", `{"text":"2"}`, "echo", `{"text":"3"}`), // over budget
		calls("echo", `{"text":"4"}`, "echo", `{"text":"5"}`, "echo", `{"text":"6"}`), // as many again
		fails(llm.ClassTimeout, "too slow"),
		fails(llm.ClassContextTooLarge, "too large"),
		says("mauve"),
		says(`{"name":"mauve"}`),
		says(`{"name":"blue"}`),
	}}, changes: map[llm.Outcome]bool{llm.OutcomeBudget: true, llm.OutcomeTimeout: true, llm.OutcomeOverflow: true}}
	a := agent.New(agent.Config{Provider: p, Model: testModel, Tools: bench.set, Limits: agent.Limits{ToolCalls: 3}, Output: colour, Accept: func(out json.RawMessage) error {
		if strings.Contains(string(out), "mauve") {
			return errors.New("no mauve")
		}
		return nil
	}})
	out, err := a.Prompt(context.Background(), "Go.")
	if err != nil || out.End != agent.EndDone {
		t.Errorf("ended %s, %v", outcome(out), err)
	}
	want := []llm.Outcome{llm.OutcomeSchemaFailure, llm.OutcomeOK, llm.OutcomeBudget, llm.OutcomeOK, llm.OutcomeOK, llm.OutcomeTimeout, llm.OutcomeOverflow,
		llm.OutcomeSchemaFailure, llm.OutcomeValidationFailure, llm.OutcomeOK}
	if !slices.Equal(p.seen, want) {
		t.Errorf("reported\n%q, not\n%q", p.seen, want)
	}
}

// TestCallThatIsAlwaysTooLong: a call that never fits into an answer is not asked
// for again and again.
func TestCallThatIsAlwaysTooLong(t *testing.T) {
	cut := func(_ context.Context, _ llm.Request, e *llm.Emitter) error {
		e.Call(0, "c1", "write")
		e.Arguments(0, `{"text":"half`)
		e.Stop(llm.StopLength)
		return nil
	}
	a, _ := newAgent(t, newWorkbench(t), agent.Config{Limits: agent.Limits{SchemaRetries: 2}}, cut, cut, cut, says("never"))
	if out, _ := a.Prompt(context.Background(), "Go."); out.Limit != agent.LimitSchemaRetries || out.Steps != 3 {
		t.Errorf("ended %s", outcome(out))
	}
}

// TestBudgetOfAnUnknownAnswer: where another model answers than was asked, and
// nobody knows its price, the budget ends the run.
func TestBudgetOfAnUnknownAnswer(t *testing.T) {
	elsewhere := func(ctx context.Context, req llm.Request, e *llm.Emitter) error {
		err := calls("echo", `{"text":"x"}`)(ctx, req, e)
		e.Relay(llm.Reply{Provider: "elsewhere", Model: "m", Usage: llm.Usage{Input: 100, Output: 10}, Stop: llm.StopToolUse})
		return err
	}
	a, _ := newAgent(t, newWorkbench(t), agent.Config{Limits: agent.Limits{BudgetUSD: 1}}, elsewhere, says("never"))
	out, _ := a.Prompt(context.Background(), "Go.")
	if out.Limit != agent.LimitBudget || !strings.Contains(out.Reason, "not known") || out.Steps != 1 {
		t.Errorf("ended %s", outcome(out))
	}
}
