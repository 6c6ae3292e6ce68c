package tool

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	"redline/llm"
)

// Run runs a call of a model: it finds the tool, repairs and validates the
// arguments, executes and catches panics. Whatever happens becomes a Result; of
// a failure of its own making, [Result.Code] tells the kind.
//
// Updates are passed on one at a time and never after Run has returned. If ctx
// has ended before the tool could start, it does not start.
func Run(ctx context.Context, set Set, call llm.ToolCall, update Update) Result {
	gate := &gate{update: update}
	defer gate.close()
	r, err := run(ctx, set, call, gate.pass)
	return finish(r, err, ctx.Err() != nil)
}

func run(ctx context.Context, set Set, call llm.ToolCall, update Update) (r Result, err error) {
	defer catch(call.Name, &err)
	t, ready, err := set.ready(ctx, call)
	switch {
	case err == nil:
		return t.Execute(ctx, ready, update)
	case set.refusal == nil:
		return Result{}, err
	}
	return set.refusal(ctx, Call{ID: call.ID, Name: call.Name, Arguments: given(call)}, err)
}

// ready finds the tool of a call and checks the arguments.
func (s Set) ready(ctx context.Context, call llm.ToolCall) (t Tool, ready Call, err error) {
	defer catch(call.Name, &err)
	e, err := s.find(call.Name)
	if err != nil {
		return nil, Call{}, err
	}
	ready, err = e.prepare(Call{ID: call.ID, Name: call.Name, Arguments: given(call)})
	if err == nil && ctx.Err() != nil {
		err = notStarted{ctx.Err()}
	}
	return e.tool, ready, err
}

// given is what the model sent as arguments: if that was no JSON object, the
// text itself, so that the error is about it.
func given(call llm.ToolCall) []byte {
	switch {
	case call.Raw != "":
		return []byte(call.Raw)
	case len(call.Arguments) == 0:
		return []byte("{}")
	}
	return call.Arguments
}

// gate lets updates through one by one until it is closed.
type gate struct {
	mu     sync.Mutex
	update Update
}

func (g *gate) pass(r Result) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.update != nil {
		r.Output = strings.ToValidUTF8(r.Output, "\uFFFD")
		g.update(r)
	}
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.update = nil
}

// notStarted is the error of a call that came too late.
type notStarted struct{ cause error }

func (e notStarted) Error() string { return "not started: the run was interrupted" }
func (e notStarted) Unwrap() error { return e.cause }

// PanicError is a panic of a tool.
type PanicError struct {
	Tool  string
	Value any
	Stack []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("the tool %s crashed: %v; this is a fault of the tool, not of the arguments, so try another way", e.Tool, e.Value)
}

// Unwrap returns the value of the panic, if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// catch, deferred, turns a panic into an error.
func catch(tool string, err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{Tool: tool, Value: v, Stack: debug.Stack()}
	}
}
