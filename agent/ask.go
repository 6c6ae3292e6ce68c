package agent

import (
	"context"
	"time"

	"redline/llm"
)

// ask gets the model's next message. A conversation that is too large for the
// model is made smaller, and the model is asked once more.
func (r *run) ask(ctx context.Context) Message {
	if r.Limits.Wall > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, r.began.Add(r.Limits.Wall))
		defer cancel()
	}
	r.compactIfNeeded(ctx)
	reply := r.stream(ctx)
	if f := failure(reply); f != nil && f.Class == llm.ClassContextTooLarge && r.compactAfterRefusal(ctx) {
		reply = r.stream(ctx)
	}
	return reply
}

func failure(m Message) *llm.Failure {
	if m.Reply == nil {
		return nil
	}
	return m.Reply.Failure
}

// stream asks the model once and tells its answer as it comes.
func (r *run) stream(ctx context.Context) Message {
	began := time.Now()
	req, err := r.request()
	if err != nil {
		reply := failed(r.Model, err)
		r.add(reply)
		return reply
	}
	r.out.Steps++
	var b llm.Builder
	started := false
	for ev, broken := range r.Provider.Stream(ctx, req) {
		if err = broken; err != nil {
			break
		}
		b.Add(ev)
		if ev.Type == llm.EventRestart && ev.Reply != nil {
			r.pay(ev.Reply)
		}
		if !started {
			started = true
			r.emit(Event{Type: MessageStart, Message: at(began, b.Message())})
		}
		if ev.Type != llm.EventDone {
			r.emit(Event{Type: MessageUpdate, Message: at(began, b.Message()), Update: &ev})
		}
	}
	reply := *at(began, b.Message())
	switch {
	case err != nil:
		reply = failed(r.Model, err)
	case reply.Stop() == "":
		reply = failed(r.Model, errNoEnd)
	}
	if !started {
		r.emit(Event{Type: MessageStart, Message: &reply})
	}
	r.keep(reply)
	r.account(reply)
	r.debug(began, req, reply.Message)
	return reply
}

func (r *run) debug(began time.Time, req llm.Request, reply llm.Message) {
	if r.Debug != nil {
		r.Debug(Exchange{Time: began, Request: req, Response: reply})
	}
}

func at(t time.Time, m llm.Message) *Message {
	m.Time = t
	return &Message{Message: m}
}

// failed is the answer of a model that could not be asked.
func failed(model llm.Model, err error) Message {
	m := at(time.Now(), llm.Assistant())
	m.Reply = &llm.Reply{
		Provider: model.Provider, API: model.API, Model: model.ID, Stop: llm.StopError,
		Failure: &llm.Failure{Class: llm.ClassInvalidRequest, Message: err.Error()},
	}
	return *m
}

// request is what the model is asked now.
func (r *run) request() (llm.Request, error) {
	messages, err := r.Transform(InForce(r.messages))
	if err != nil {
		return llm.Request{}, err
	}
	return llm.Request{
		Model:       r.Model,
		System:      r.System,
		Messages:    r.fit(messages),
		Tools:       r.Tools.Specs(),
		Thinking:    r.Thinking,
		MaxTokens:   r.Limits.TokensPerIteration,
		Temperature: r.Limits.Temperature,
		Output:      r.Output,
		CacheKey:    r.CacheKey,
	}, nil
}

// account adds up what an answer took. The size of the conversation is as the
// provider counted it, where it did.
func (r *run) account(reply Message) {
	r.pay(reply.Reply)
	if total := reply.Reply.Usage.Total(); total > 0 {
		r.size = total
	}
}

// pay adds up what an attempt took, also one that was void.
func (r *run) pay(reply *llm.Reply) {
	r.out.Usage = r.out.Usage.Add(reply.Usage)
	switch cost := reply.CostUSD; {
	case cost == nil && reply.Usage.Total() > 0:
		r.out.CostUSD = nil
	case cost != nil && r.out.CostUSD != nil:
		sum := *r.out.CostUSD + *cost
		r.out.CostUSD = &sum
	}
}
