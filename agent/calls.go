package agent

import (
	"context"
	"fmt"
	"sync"
	"time"

	"redline/llm"
	"redline/tool"
)

// step is what became of the tool calls of one answer.
type step struct {
	results    []Message // in the order of the calls
	endRun     string    // a tool ended the run, and says this
	invalid    bool      // a call did not match its schema, or was cut off
	overBudget bool      // a call was not run because the budget of calls is used up
}

// What a model reads in the place of a result.
const (
	toolLost    = llm.Lost
	toolAborted = "Not run: the user aborted the run."
	toolSteered = "Not run: the user sent a new message first."
	toolEnded   = "Not run: an earlier call ended the run."
	toolCut     = "Not run: the answer was cut off at its limit of tokens, so the call may be incomplete. Send it again, in smaller pieces."
	toolBroken  = "Not run: the answer broke off."
	toolBudget  = "Not run: the allowed number of tool calls is used up."
)

// runCalls runs the calls of an answer. Neighbouring calls of read-only tools run
// side by side, others one after the other, and every call gets its result, run
// or not, in the order of the calls.
func (r *run) runCalls(ctx context.Context, reply Message) step {
	var s step
	calls := reply.ToolCalls()
	for len(calls) > 0 {
		group := calls[:r.together(calls)]
		if why := r.skip(ctx, reply.Stop(), &s); why != "" {
			for _, call := range calls {
				r.out.Calls = append(r.out.Calls, Ran{call.ID, call.Name, CallNotRun})
				s.keep(r, answer(call, why))
			}
			break
		}
		for i, ended := range r.runGroup(ctx, group) {
			r.record(group[i], ended, &s)
		}
		calls = calls[len(group):]
	}
	return s
}

func (s *step) keep(r *run, result Message) {
	s.results = append(s.results, result)
	r.add(result)
}

// skip says why the next calls are not run, or "".
func (r *run) skip(ctx context.Context, stop llm.StopReason, s *step) string {
	switch {
	case stop == llm.StopLength:
		s.invalid = true // else a call that is always too long would be sent for ever
		return toolCut
	case ctx.Err() != nil || stop == llm.StopAborted:
		return toolAborted
	case stop != llm.StopToolUse:
		return toolBroken
	case s.endRun != "":
		return toolEnded
	case r.Limits.ToolCalls > 0 && r.calls >= r.Limits.ToolCalls:
		s.overBudget = true
		return toolBudget
	case len(s.results) > 0 && r.steered():
		return toolSteered
	}
	return ""
}

// together is how many of the calls, from the first, may run side by side.
func (r *run) together(calls []llm.ToolCall) int {
	n := 0
	for n < len(calls) && r.beside(calls[n].Name) {
		n++
	}
	if left := r.Limits.ToolCalls - r.calls; r.Limits.ToolCalls > 0 {
		n = min(n, left)
	}
	return max(n, 1)
}

func (r *run) beside(name string) bool {
	t, err := r.Tools.Find(name)
	return err == nil && tool.RunsBeside(t)
}

// record keeps the end of a call that was run.
func (r *run) record(call llm.ToolCall, e ended, s *step) {
	r.calls++
	state := CallDone
	switch {
	case e.abandoned:
		state = CallAbandoned
	case e.IsError:
		state = CallFailed
	}
	r.out.Calls = append(r.out.Calls, Ran{call.ID, call.Name, state})
	if e.EndRun != "" && s.endRun == "" {
		s.endRun = e.EndRun
	}
	s.invalid = s.invalid || e.Code() == tool.CodeInvalid || e.Code() == tool.CodeUnknownTool
	s.keep(r, resultMessage(call, e.Result))
}

// ended is a result and how it came about.
type ended struct {
	tool.Result
	abandoned bool
}

func (r *run) runGroup(ctx context.Context, group []llm.ToolCall) []ended {
	results := make([]ended, len(group))
	for _, call := range group {
		r.emit(Event{Type: ToolStart, Call: canonical(call)})
	}
	one := func(i int) {
		results[i] = r.runCall(ctx, group[i])
		r.emit(Event{Type: ToolEnd, Call: canonical(group[i]), Result: &results[i].Result})
	}
	var wg sync.WaitGroup
	for i := range group[1:] {
		wg.Go(func() { one(i + 1) })
	}
	one(0)
	wg.Wait()
	return results
}

// runCall runs one call. After an abort it waits for the tool to stop, but not
// for ever: a tool that does not listen is left behind, and the result says so.
func (r *run) runCall(ctx context.Context, call llm.ToolCall) ended {
	var mu sync.Mutex
	over := false
	update := func(partial tool.Result) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			r.emit(Event{Type: ToolUpdate, Call: canonical(call), Result: &partial})
		}
	}
	defer func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
	}()
	done := make(chan tool.Result, 1)
	go func() { done <- tool.Run(ctx, r.Tools, call, update) }()
	select {
	case result := <-done:
		return ended{Result: result}
	case <-ctx.Done():
	}
	grace := r.Grace
	if grace == 0 {
		grace = 5 * time.Second
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case result := <-done:
		return ended{Result: result}
	case <-timer.C:
		words := fmt.Sprintf("%s did not stop within %s of the abort and may still be running. Check what it did.", call.Name, grace)
		return ended{Result: tool.Result{Output: words, IsError: true}, abandoned: true}
	}
}

func canonical(call llm.ToolCall) *llm.Call {
	return &llm.Call{ID: call.ID, Name: call.Name, Arguments: call.Arguments}
}

// answer is a result for a call that was not run.
func answer(call llm.ToolCall, words string) Message {
	return resultMessage(call, tool.Result{Output: words, IsError: true})
}

func resultMessage(call llm.ToolCall, result tool.Result) Message {
	return *at(time.Now(), llm.Answer(result.Block(*canonical(call))))
}
