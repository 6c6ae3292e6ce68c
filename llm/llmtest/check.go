package llmtest

import (
	"iter"
	"slices"
	"testing"

	"redline/llm"
)

// Check reads a stream to its end, asserts that its events come in the order
// that package llm draws, and returns the message they make.
func Check(t testing.TB, stream iter.Seq2[llm.Event, error]) llm.Message {
	t.Helper()
	return follow(t, stream, ignore)
}

func ignore(llm.Event) {}

// follow is Check with a listener.
func follow(t testing.TB, stream iter.Seq2[llm.Event, error], heard func(llm.Event)) llm.Message {
	t.Helper()
	var b llm.Builder
	o := order{t: t}
	o.reset()
	for ev, err := range stream {
		if err != nil {
			t.Errorf("event %d is an error, which is for misuse alone: %v", o.count, err)
			return b.Message()
		}
		o.add(ev)
		b.Add(ev)
		heard(ev)
	}
	if !o.done {
		t.Errorf("the stream ended after %d events without %q", o.count, llm.EventDone)
	}
	return b.Message()
}

// order is what has happened in a stream so far.
type order struct {
	t       testing.TB
	count   int // events
	started bool
	done    bool
	open    map[int]llm.EventType // the start event of every open block
	next    int                   // index of the next block
	ids     map[string]bool       // of calls
}

// reset is the state at the beginning, and again after a restart.
func (o *order) reset() {
	o.started, o.open, o.next, o.ids = false, map[int]llm.EventType{}, 0, map[string]bool{}
}

func (o *order) wrong(ev llm.Event, format string, args ...any) {
	o.t.Helper()
	o.t.Errorf("event %d (%s, block %d): "+format, append([]any{o.count, ev.Type, ev.Index}, args...)...)
}

func (o *order) add(ev llm.Event) {
	o.t.Helper()
	if o.done {
		o.wrong(ev, "comes after %q", llm.EventDone)
	}
	switch ev.Type {
	case llm.EventStart:
		if o.started {
			o.wrong(ev, "comes a second time")
		}
		if ev.Reply == nil {
			o.wrong(ev, "has no reply")
		}
		o.started = true
	case llm.EventTextStart, llm.EventThinkingStart, llm.EventCallStart:
		o.begin(ev)
	case llm.EventTextDelta:
		o.within(ev, llm.EventTextStart)
	case llm.EventThinkingDelta:
		o.within(ev, llm.EventThinkingStart)
	case llm.EventCallDelta:
		o.within(ev, llm.EventCallStart)
	case llm.EventTextEnd:
		o.end(ev, llm.EventTextStart)
	case llm.EventThinkingEnd:
		o.end(ev, llm.EventThinkingStart)
	case llm.EventCallEnd:
		o.end(ev, llm.EventCallStart)
	case llm.EventRestart:
		o.reset()
	case llm.EventRoute:
		if ev.Route == nil {
			o.wrong(ev, "has no choice")
		}
	case llm.EventDone:
		o.finish(ev)
	default:
		o.wrong(ev, "is of no known type")
	}
	o.count++
}

func (o *order) begin(ev llm.Event) {
	o.t.Helper()
	if !o.started {
		o.wrong(ev, "comes before %q", llm.EventStart)
	}
	if ev.Index != o.next {
		o.wrong(ev, "has index %d; the next block is %d", ev.Index, o.next)
	}
	o.open[ev.Index] = ev.Type
	o.next++
	if ev.Type != llm.EventCallStart {
		return
	}
	if ev.ID == "" || ev.Name == "" {
		o.wrong(ev, "the call has id %q and name %q; both are needed", ev.ID, ev.Name)
	}
	if o.ids[ev.ID] {
		o.wrong(ev, "another call has the id %q", ev.ID)
	}
	o.ids[ev.ID] = true
}

func (o *order) within(ev llm.Event, start llm.EventType) {
	o.t.Helper()
	if kind, ok := o.open[ev.Index]; !ok {
		o.wrong(ev, "no such block is open")
	} else if kind != start {
		o.wrong(ev, "the block was opened by %q", kind)
	}
}

func (o *order) end(ev llm.Event, start llm.EventType) {
	o.t.Helper()
	o.within(ev, start)
	delete(o.open, ev.Index)
}

var stops = []llm.StopReason{llm.StopEnd, llm.StopLength, llm.StopToolUse, llm.StopAborted, llm.StopError, llm.StopContentFilter}

var classes = []llm.Class{
	llm.ClassAuth, llm.ClassRateLimit, llm.ClassOverloaded, llm.ClassContextTooLarge,
	llm.ClassInvalidRequest, llm.ClassNetwork, llm.ClassTimeout,
}

func (o *order) finish(ev llm.Event) {
	o.t.Helper()
	o.done = true
	for index, kind := range o.open {
		o.wrong(ev, "block %d, opened by %q, has not ended", index, kind)
	}
	if ev.Reply == nil {
		o.wrong(ev, "has no reply")
		return
	}
	stop, failure := ev.Reply.Stop, ev.Reply.Failure
	if !slices.Contains(stops, stop) {
		o.wrong(ev, "the stop reason is %q; it must be one of %q", stop, stops)
	}
	if (stop == llm.StopError) != (failure != nil) {
		o.wrong(ev, "stop reason %q with failure %v: a failure belongs to %q, and to it alone", stop, failure, llm.StopError)
	}
	if failure != nil && (!slices.Contains(classes, failure.Class) || failure.Message == "") {
		o.wrong(ev, "the failure has class %q and message %q; both are needed", failure.Class, failure.Message)
	}
	if stop == llm.StopToolUse && len(o.ids) == 0 {
		o.wrong(ev, "stop reason %q without a call", stop)
	}
}
