package agent

import (
	"context"
	"errors"
	"slices"
	"sync"

	"redline/llm"
	"redline/tool"
)

// Agent is a conversation with a model that has tools. Its methods may be called
// from several goroutines, also while a run is on; a change of model, prompt or
// tools takes effect with the next run.
type Agent struct {
	mu       sync.Mutex
	cfg      Config
	state    State
	steer    []Message
	followUp []Message
	abort    context.CancelFunc // of the run that is on
	ended    chan struct{}      // closed when it has ended
	news     news
}

// ErrBusy: a run is on.
var ErrBusy = errors.New("the agent is at work: queue the message with Steer or FollowUp, or abort the run first")

// ErrNothing: there is nothing for the model to answer.
var ErrNothing = errors.New("there is nothing to go on with: the conversation is empty or ends with the model's own message")

// New returns an agent. Of the configuration, Steer and FollowUp are the agent's
// own.
func New(cfg Config) *Agent {
	return &Agent{cfg: cfg, state: State{SystemPrompt: cfg.System, Model: cfg.Model, Thinking: cfg.Thinking, Tools: cfg.Tools}}
}

// State is how things stand now.
func (a *Agent) State() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.state
	s.Messages = s.Messages[:len(s.Messages):len(s.Messages)]
	s.Pending = slices.Clone(s.Pending)
	s.Queued = len(a.steer) + len(a.followUp)
	return s
}

// Prompt says something to the model and runs the loop to its end.
func (a *Agent) Prompt(ctx context.Context, text string, attachments ...Attachment) (Outcome, error) {
	return a.Send(ctx, UserMessage(text, attachments...))
}

// Send adds messages to the conversation and runs the loop to its end. Messages
// that were queued before go first. A message may be the result of a call that the
// conversation has left open; other such calls get one that says they were lost.
func (a *Agent) Send(ctx context.Context, messages ...Message) (Outcome, error) {
	return a.run(ctx, messages)
}

// Continue runs the loop on the conversation as it is: after a failure, or when a
// loaded conversation ends with a user's message or a tool's result.
func (a *Agent) Continue(ctx context.Context) (Outcome, error) {
	return a.run(ctx, nil)
}

func (a *Agent) run(ctx context.Context, prompts []Message) (Outcome, error) {
	a.mu.Lock()
	if a.abort != nil {
		a.mu.Unlock()
		return Outcome{}, ErrBusy
	}
	prompts = append(append(a.steer, a.followUp...), prompts...)
	if len(prompts) == 0 && !answerable(a.state.Messages) {
		a.mu.Unlock()
		return Outcome{}, ErrNothing
	}
	a.steer, a.followUp = nil, nil
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	a.abort, a.ended = cancel, ended
	a.state.Streaming, a.state.Err = true, ""
	cfg := a.cfg
	cfg.System, cfg.Model, cfg.Thinking, cfg.Tools = a.state.SystemPrompt, a.state.Model, a.state.Thinking, a.state.Tools
	cfg.Steer = func() []Message { return a.dequeue(&a.steer) }
	cfg.FollowUp = func() []Message { return a.dequeue(&a.followUp) }
	history := a.state.Messages
	repairs := Repair(slices.Concat(history, prompts))
	a.mu.Unlock()
	defer func() { // also if a provider or a listener panics
		cancel()
		a.mu.Lock()
		defer a.mu.Unlock()
		a.abort = nil
		a.state.Streaming, a.state.StreamMessage, a.state.Pending = false, nil, nil
		close(ended)
	}()
	return Loop(ctx, history, append(repairs, prompts...), cfg, a.hear), nil
}

// answerable reports whether the model has something to answer: the newest thing
// said is not its own, or its own failed.
func answerable(messages []Message) bool {
	for _, m := range slices.Backward(messages) {
		switch {
		case m.Custom != nil:
		case m.Role == llm.RoleAssistant:
			return m.Stop() == llm.StopError || m.Stop() == llm.StopAborted || len(m.ToolCalls()) > 0
		default:
			return true
		}
	}
	return false
}

func (a *Agent) dequeue(queue *[]Message) []Message {
	a.mu.Lock()
	defer a.mu.Unlock()
	messages := *queue
	*queue = nil
	return messages
}

// Abort tells the run that is on to end. It returns at once; Wait, or the Prompt
// that began the run, tells when everything that was started has ended.
func (a *Agent) Abort() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.abort != nil {
		a.abort()
	}
}

// Wait returns when no run is on, or with the error of ctx. A listener must not
// call it.
func (a *Agent) Wait(ctx context.Context) error {
	a.mu.Lock()
	ended := a.ended
	a.mu.Unlock()
	if ended == nil {
		return nil
	}
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Steer queues a message for the run that is on: it is said after the tool call
// that runs, and calls that wait behind it are not run. Without a run it is said
// at the next one.
func (a *Agent) Steer(m Message) {
	a.change(func() { a.steer = append(a.steer, m) })
}

// FollowUp queues a message that is said when the model is done. Without a run it
// is said at the next one, and so is one that comes just as a run ends: State
// tells that it waits, and Continue says it.
func (a *Agent) FollowUp(m Message) {
	a.change(func() { a.followUp = append(a.followUp, m) })
}

// SetSystemPrompt, SetModel, SetThinking and SetTools take effect with the next
// run.
func (a *Agent) SetSystemPrompt(s string) { a.change(func() { a.state.SystemPrompt = s }) }
func (a *Agent) SetModel(m llm.Model)     { a.change(func() { a.state.Model = m }) }
func (a *Agent) SetThinking(l llm.Level)  { a.change(func() { a.state.Thinking = l }) }
func (a *Agent) SetTools(tools tool.Set)  { a.change(func() { a.state.Tools = tools }) }

// SetLimits bounds the runs that follow.
func (a *Agent) SetLimits(l Limits) { a.change(func() { a.cfg.Limits = l }) }

// Replace sets the whole conversation, such as one that was loaded. It is refused
// with ErrBusy while a run is on, as Append and Clear are.
func (a *Agent) Replace(messages []Message) error {
	return a.changeIdle(func() { a.state.Messages = slices.Clone(messages) })
}

// Append adds messages without running the loop.
func (a *Agent) Append(messages ...Message) error {
	return a.changeIdle(func() { a.state.Messages = append(a.state.Messages, messages...) })
}

// Clear empties the conversation and the queue.
func (a *Agent) Clear() error {
	return a.changeIdle(func() { a.state.Messages, a.steer, a.followUp, a.state.Err = nil, nil, nil, "" })
}

func (a *Agent) change(f func()) {
	a.mu.Lock()
	f()
	a.mu.Unlock()
	a.news.tell(false, a.stateUpdate())
}

func (a *Agent) changeIdle(f func()) error {
	a.mu.Lock()
	if a.abort != nil {
		a.mu.Unlock()
		return ErrBusy
	}
	f()
	a.mu.Unlock()
	a.news.tell(false, a.stateUpdate())
	return nil
}
