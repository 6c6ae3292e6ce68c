package agent

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"redline/llm"
	"redline/tool"
)

// Config is what a run needs. Provider and Model must be given.
type Config struct {
	Provider   llm.Provider
	Model      llm.Model
	System     string
	Thinking   llm.Level
	Tools      tool.Set
	Transform  Transformer // nil: Transform
	Limits     Limits
	Compaction Compaction
	CacheKey   string        // the same for all runs of a conversation
	Grace      time.Duration // how long a tool may take to stop after an abort; 0: 5 s

	// Output asks for a structured answer. It is checked against its schema,
	// and then by Accept, if that is given; what they object to is fed back to
	// the model.
	Output *llm.Output
	Accept func(json.RawMessage) error

	// Steer and FollowUp hand over messages that came in while the run was on:
	// Steer after each tool call, FollowUp when the model is done. Nil: none.
	Steer, FollowUp func() []Message

	// Debug hears every request with its answer. Keys are not in them.
	Debug func(Exchange)
}

// Exchange is one request to a model and its answer.
type Exchange struct {
	Time     time.Time
	Request  llm.Request
	Response llm.Message
}

// Loop asks the model, runs the tools it calls, and asks again with the results,
// until there is nothing more to do, a limit is reached, ctx is cancelled, or the
// model fails. The prompts are what the user says after the history; there may be
// none, to go on from a history that ends with a user's message or a result.
// Events are told to emit one at a time, in order.
func Loop(ctx context.Context, history, prompts []Message, cfg Config, emit func(Event)) Outcome {
	r := &run{Config: cfg, listener: emit, messages: history[:len(history):len(history)], first: len(history), began: time.Now()}
	r.out = Outcome{End: EndDone, Calls: []Ran{}, CostUSD: new(float64)}
	if r.Transform == nil {
		r.Transform = Transform
	}
	r.measure()
	r.emit(Event{Type: AgentStart})
	r.turns(ctx, prompts)
	r.add(r.steering...) // said, though not answered
	r.conclude()
	r.out.Took = time.Since(r.began)
	r.emit(Event{Type: AgentEnd, Messages: r.messages[r.first:], Outcome: &r.out})
	return r.out
}

// run is one run of the loop.
type run struct {
	Config
	out      Outcome
	messages []Message // the whole conversation
	first    int       // index of the first message of this run
	began    time.Time
	size     int       // tokens of the conversation in force, about
	invalid  int       // steps in a row with invalid arguments or output
	calls    int       // tool calls run since the budget began
	steering []Message // handed over by Steer, not yet said

	mu       sync.Mutex // tools that run side by side report one at a time
	listener func(Event)
}

// turns is the loop: one turn is one answer of the model with its tool calls.
func (r *run) turns(ctx context.Context, pending []Message) {
	if err := r.Limits.check(r.Model); err != nil {
		r.add(pending...) // said, though not answered
		r.end(EndFailed, err.Error())
		return
	}
	for more := true; more; {
		r.emit(Event{Type: TurnStart})
		r.add(pending...)
		reply := r.ask(ctx)
		step := r.runCalls(ctx, reply)
		r.emit(Event{Type: TurnEnd, Message: &reply, Results: step.results})
		pending, more = r.next(ctx, reply, step)
	}
}

// next decides after a turn whether there is another one, and what is said at
// its start. It sets the outcome if there is none.
func (r *run) next(ctx context.Context, reply Message, step step) (pending []Message, more bool) {
	switch stop := reply.Stop(); {
	case ctx.Err() != nil:
		return nil, r.end(EndAborted, "the run was aborted")
	case step.endRun != "":
		return nil, r.end(EndStopped, step.endRun)
	case stop == llm.StopError && r.wallOver():
		return nil, r.endLimit(LimitWall)
	case stop == llm.StopError:
		return nil, r.afterFailure(reply.Reply.Failure)
	case stop == llm.StopContentFilter:
		return nil, r.end(EndFailed, "the model's provider withheld the answer (content filter)")
	case step.overBudget && !r.goOn(llm.OutcomeBudget):
		return nil, r.endLimit(LimitToolCalls)
	}
	correction, ok := r.judge(reply, step)
	if !ok {
		return nil, r.endLimit(LimitSchemaRetries)
	}
	asked := correction != nil || len(step.results) > 0
	if pending = append(correction, r.takeSteer()...); len(pending) == 0 && !asked {
		if reply.Stop() == llm.StopLength {
			return nil, r.endLimit(LimitAnswer)
		}
		if pending = take(r.FollowUp); len(pending) == 0 {
			return nil, false
		}
	}
	if limit := r.reached(); limit != "" {
		r.add(pending...) // said, though not answered
		return nil, r.endLimit(limit)
	}
	return pending, true
}

// judge looks at what the model sent: arguments that did not match their schema,
// or a structured answer that is not right. It returns what the model is told,
// and whether it may try again.
func (r *run) judge(reply Message, step step) ([]Message, bool) {
	outcome, objection := llm.OutcomeOK, ""
	if step.invalid {
		outcome = llm.OutcomeSchemaFailure
	} else if r.Output != nil && len(reply.ToolCalls()) == 0 {
		outcome, objection = r.checkOutput(reply)
	}
	if outcome == llm.OutcomeOK {
		r.invalid = 0
		r.observe(outcome)
		return nil, true
	}
	if r.invalid++; r.observe(outcome) {
		r.invalid = 0
	}
	if r.invalid > r.Limits.schemaRetries() {
		return nil, false
	}
	if objection == "" {
		return nil, true // the results of the calls say it
	}
	return []Message{UserMessage(objection)}, true
}

func (r *run) checkOutput(reply Message) (llm.Outcome, string) {
	const again = "\nAnswer again, with the JSON alone."
	out := llm.ResultOf(reply.Message, true).StructuredOutput
	if out == nil {
		return llm.OutcomeSchemaFailure, "The answer must be JSON that matches the schema " + r.Output.Name + ", and it is not JSON." + again
	}
	if err := tool.Validate(r.Output.Schema, out); err != nil {
		return llm.OutcomeSchemaFailure, "The answer does not match the schema " + r.Output.Name + ": " + err.Error() + again
	}
	if r.Accept != nil {
		if err := r.Accept(out); err != nil {
			return llm.OutcomeValidationFailure, "The answer cannot be used: " + err.Error() + again
		}
	}
	r.out.Structured = out
	return llm.OutcomeOK, ""
}

// afterFailure ends the run, unless a router says that another model answers
// the next step.
func (r *run) afterFailure(f *llm.Failure) (more bool) {
	switch {
	case f.Class == llm.ClassContextTooLarge && r.goOn(llm.OutcomeOverflow):
		return true
	case f.Class == llm.ClassTimeout && r.goOn(llm.OutcomeTimeout):
		return true
	}
	r.out.Failure = f
	return r.end(EndFailed, f.Error())
}

// goOn reports a step that would end the run. If another model takes over it
// gets a fresh budget, and the run goes on.
func (r *run) goOn(o llm.Outcome) bool {
	if !r.observe(o) || r.reached() != "" {
		return false
	}
	r.calls = 0
	return true
}

func (r *run) observe(o llm.Outcome) (changed bool) {
	observer, ok := r.Provider.(llm.Observer)
	return ok && observer.Observe(o)
}

func (r *run) end(how End, reason string) (more bool) {
	r.out.End, r.out.Reason = how, reason
	return false
}

func (r *run) endLimit(limit string) (more bool) {
	r.out.Limit = limit
	return r.end(EndLimit, r.limitWords(limit))
}

// conclude leaves a last word in the conversation where the model could not:
// what was done when a limit was reached, or why a tool ended the run.
func (r *run) conclude() {
	switch r.out.End {
	case EndLimit:
		r.say(r.out.Summary())
	case EndStopped:
		r.say(r.out.Reason)
	}
}

// Self is the provider of what the agent says itself, where the model could not.
const Self = "agent"

func (r *run) say(words string) {
	m := Message{Message: llm.Assistant(llm.Text{Text: words})}
	m.Time = time.Now()
	m.Reply = &llm.Reply{Provider: Self, Stop: llm.StopEnd}
	r.add(m)
}

// add appends messages to the conversation, and tells it.
func (r *run) add(messages ...Message) {
	for _, m := range messages {
		r.emit(Event{Type: MessageStart, Message: &m})
		r.keep(m)
	}
}

// keep appends a message whose start was told.
func (r *run) keep(m Message) {
	r.messages = append(r.messages, m)
	r.size += estimate(m)
	r.emit(Event{Type: MessageEnd, Message: &m})
}

func (r *run) emit(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.Time = time.Now()
	if r.listener != nil {
		r.listener(e)
	}
}

// steered reports whether the user has sent something to say at once.
func (r *run) steered() bool {
	r.steering = append(r.steering, take(r.Steer)...)
	return len(r.steering) > 0
}

func (r *run) takeSteer() []Message {
	r.steered()
	messages := r.steering
	r.steering = nil
	return messages
}

func take(queue func() []Message) []Message {
	if queue == nil {
		return nil
	}
	return queue()
}

var errNoEnd = errors.New("the provider ended its stream without a last event")
