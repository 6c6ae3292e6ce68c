package llm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// Emitter turns what a protocol decodes into a well-formed stream: it starts
// and ends blocks, gives calls unique ids, and knows when the listener has
// left. Keys are the protocol's own names for blocks; any number that is the
// same for the pieces of one block will do. The zero key is as good as others.
//
// Text, Thinking and calls may share keys: a block of another kind under a key
// in use ends the one before it.
type Emitter struct {
	ctx     context.Context
	cancel  context.CancelFunc // ends what produce waits for
	yield   func(Event, error) bool
	left    bool // the listener has left
	begun   bool // EventStart is sent
	started time.Time
	reply   Reply
	model   Model
	open    []openBlock
	next    int             // index of the next block
	ids     map[string]bool // of calls
	calls   int
	relayed bool // the reply is that of another stream
}

type openBlock struct {
	key       int
	kind      EventType // the start event of its kind
	index     int       // of a pending call: not known yet
	signature string
	redacted  bool
	pending   *Event // the start of a call whose name has not come yet
	early     string // arguments that came before the name
}

// Emit runs a protocol: produce decodes one answer and reports it to the
// Emitter. It returns nil when the answer is complete, and otherwise what went
// wrong; a *Failure says it in full, other errors are sorted here. Produce must
// end soon after its context does.
func Emit(ctx context.Context, req Request, produce func(ctx context.Context, e *Emitter) error) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if err := req.misuse(); err != nil {
			yield(Event{}, err)
			return
		}
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		e := &Emitter{ctx: inner, cancel: cancel, yield: yield, started: time.Now(), model: req.Model, ids: map[string]bool{}}
		e.reply = Reply{Provider: req.Model.Provider, API: req.Model.API, Model: req.Model.ID}
		var err error
		if f := req.Unable(); f != nil {
			err = f
		} else if err = ctx.Err(); err == nil {
			err = produce(inner, e)
		}
		e.finish(ctx, err)
	}
}

// finish ends what is open and says how it went.
func (e *Emitter) finish(ctx context.Context, err error) {
	e.endAll()
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		e.reply.Stop, e.reply.Failure = StopAborted, nil
	case ctx.Err() != nil:
		e.fail(&Failure{Class: ClassTimeout, Message: "the time given for the answer is over", Retry: true})
	case err != nil:
		e.fail(failureOf(err))
	case e.reply.Stop == "":
		e.fail(&Failure{Class: ClassNetwork, Message: "the answer was cut off: it ended without saying why", Retry: true})
	case e.reply.Stop == StopEnd && e.calls > 0:
		e.reply.Stop = StopToolUse // some servers say "stop" after calls
	case e.reply.Stop == StopToolUse && e.calls == 0:
		e.reply.Stop = StopEnd
	}
	e.reply.Latency = time.Since(e.started)
	if !e.relayed {
		e.reply.CostUSD = e.model.Cost(e.reply.Usage)
	}
	e.send(Event{Type: EventDone, Index: e.next, Reply: &e.reply})
}

func (e *Emitter) fail(f *Failure) { e.reply.Stop, e.reply.Failure = StopError, f }

func (e *Emitter) send(ev Event) {
	if !e.left && !e.yield(ev, nil) {
		e.left = true
		e.cancel()
	}
}

// Left reports whether there is nobody to emit to: decoding may end.
func (e *Emitter) Left() bool { return e.left || e.ctx.Err() != nil }

// Start tells that the answer begins. Either argument may be empty, and Start
// may be called again when more is known.
func (e *Emitter) Start(model, responseID string) {
	if model != "" && model != e.reply.Model {
		e.reply.ServedBy = model
	}
	if responseID != "" {
		e.reply.ResponseID = responseID
	}
	e.begin()
}

func (e *Emitter) begin() {
	if !e.begun {
		e.begun = true
		head := e.reply
		e.send(Event{Type: EventStart, Reply: &head})
	}
}

// startBlock sends the start of a block and gives it its index.
func (e *Emitter) startBlock(b *openBlock, start Event) {
	e.begin()
	if e.next == 0 {
		e.reply.FirstToken = time.Since(e.started)
	}
	b.index, start.Index = e.next, e.next
	e.next++
	e.send(start)
}

// Text adds to the text under key.
func (e *Emitter) Text(key int, delta string) { e.add(key, EventTextStart, EventTextDelta, delta) }

// Thinking adds to the thinking under key.
func (e *Emitter) Thinking(key int, delta string) {
	e.add(key, EventThinkingStart, EventThinkingDelta, delta)
}

// Redacted is a piece of thinking of which only the signature is shown.
func (e *Emitter) Redacted(key int, signature string) {
	b := e.block(key, EventThinkingStart)
	b.signature, b.redacted = signature, true
}

// Sign sets the signature of the block under key, which must be open.
func (e *Emitter) Sign(key int, signature string) {
	if i := e.find(key); i >= 0 {
		e.open[i].signature += signature
	}
}

// SignThinking signs the thinking under key, which it begins if none of its
// text was shown.
func (e *Emitter) SignThinking(key int, signature string) {
	b := e.block(key, EventThinkingStart)
	b.signature += signature
}

// SignText sets the signature of the text under key and begins an empty one if
// none is open: Gemini signs texts that say nothing.
func (e *Emitter) SignText(key int, signature string) {
	e.block(key, EventTextStart).signature += signature
}

// Call begins a tool call under key, or completes what is known of it: ids and
// names may come late, and come again.
func (e *Emitter) Call(key int, id, name string) {
	if i := e.find(key); i >= 0 && e.open[i].kind == EventCallStart {
		b := &e.open[i]
		if b.pending != nil {
			if b.pending.ID == "" {
				b.pending.ID = id
			}
			b.pending.Name = name
			e.announce(b)
		}
		return
	}
	e.End(key)
	e.open = append(e.open, openBlock{key: key, kind: EventCallStart, pending: &Event{Type: EventCallStart, ID: id, Name: name}})
	e.calls++
	e.announce(&e.open[len(e.open)-1])
}

// announce sends the start of a call as soon as its name is known: only then
// has it a place among the blocks.
func (e *Emitter) announce(b *openBlock) {
	if b.pending == nil || b.pending.Name == "" {
		return
	}
	b.pending.ID = e.unique(b.pending.ID)
	e.startBlock(b, *b.pending)
	b.pending = nil
	if b.early != "" {
		e.send(Event{Type: EventCallDelta, Index: b.index, Delta: b.early})
		b.early = ""
	}
}

// unique makes an id that no other call of the answer has. Where the server gives
// none, the id of the answer tells the calls of different answers apart.
func (e *Emitter) unique(id string) string {
	if id == "" {
		answer := e.reply.ResponseID
		if answer == "" {
			answer = "call"
		}
		id = fmt.Sprintf("%s_%d", answer, e.calls)
	}
	for base, n := id, 2; e.ids[id]; n++ {
		id = fmt.Sprintf("%s_%d", base, n)
	}
	e.ids[id] = true
	return id
}

// Arguments adds to the arguments of the call under key.
func (e *Emitter) Arguments(key int, delta string) {
	i := e.find(key)
	if i < 0 || e.open[i].kind != EventCallStart || delta == "" {
		return
	}
	if b := &e.open[i]; b.pending != nil {
		b.early += delta
	} else {
		e.send(Event{Type: EventCallDelta, Index: b.index, Delta: delta})
	}
}

// End ends the block under key, if one is open.
func (e *Emitter) End(key int) {
	i := e.find(key)
	if i < 0 {
		return
	}
	b := e.open[i]
	e.open = append(e.open[:i], e.open[i+1:]...)
	if b.pending != nil { // its name never came
		b.pending.Name = "unknown"
		e.announce(&b)
	}
	end := Event{Index: b.index, Signature: b.signature, Redacted: b.redacted}
	switch b.kind {
	case EventTextStart:
		end.Type = EventTextEnd
	case EventThinkingStart:
		end.Type = EventThinkingEnd
	case EventCallStart:
		end.Type = EventCallEnd
	}
	e.send(end)
}

func (e *Emitter) endAll() {
	for len(e.open) > 0 {
		e.End(e.open[0].key)
	}
}

// EndOthers ends every block but the one under key: for protocols that do not
// say when a block ends.
func (e *Emitter) EndOthers(key int) {
	for i := 0; i < len(e.open); {
		if e.open[i].key == key {
			i++
			continue
		}
		e.End(e.open[i].key)
	}
}

// Usage sets the count of tokens, which providers repeat as it grows.
func (e *Emitter) Usage(u Usage) { e.reply.Usage = u }

// Stop sets why the answer ends. It may come before the last block.
func (e *Emitter) Stop(reason StopReason) { e.reply.Stop = reason }

// Relay takes over what the reply of another stream says: who answered, what it
// took and cost, how it ended. The times stay those measured here. It is for a
// protocol that passes on the answer of another one.
func (e *Emitter) Relay(r Reply) {
	r.Latency, r.FirstToken = 0, e.reply.FirstToken
	e.reply, e.relayed = r, true
}

// Restart passes on that another stream began anew: what the attempt took, if
// that is known, why it failed and how long it rests.
func (e *Emitter) Restart(took *Reply, why *Failure, rest time.Duration) {
	e.endAll()
	e.send(Event{Type: EventRestart, Reply: took, Failure: why, Wait: rest})
	e.reply = Reply{Provider: e.model.Provider, API: e.model.API, Model: e.model.ID}
	e.begun, e.next, e.calls, e.ids, e.relayed = false, 0, 0, map[string]bool{}, false
}

// Route passes on the choice of another stream.
func (e *Emitter) Route(c Choice) { e.send(Event{Type: EventRoute, Route: &c}) }

func (e *Emitter) add(key int, start, delta EventType, s string) {
	if s == "" {
		return
	}
	b := e.block(key, start)
	e.send(Event{Type: delta, Index: b.index, Delta: s})
}

// block returns the open block of a kind under key, starting it if need be.
func (e *Emitter) block(key int, kind EventType) *openBlock {
	if i := e.find(key); i >= 0 {
		if e.open[i].kind == kind {
			return &e.open[i]
		}
		e.End(key)
	}
	e.open = append(e.open, openBlock{key: key, kind: kind})
	b := &e.open[len(e.open)-1]
	e.startBlock(b, Event{Type: kind})
	return b
}

func (e *Emitter) find(key int) int {
	for i := range e.open {
		if e.open[i].key == key {
			return i
		}
	}
	return -1
}
