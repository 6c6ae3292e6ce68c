package tool

import (
	"context"
	"time"
)

// Wrapper puts something around a tool.
type Wrapper func(Tool) Tool

// Wrap puts wrappers around a tool. The first is the outermost: it sees the
// call first and the result last.
func Wrap(t Tool, wrappers ...Wrapper) Tool {
	for i := len(wrappers) - 1; i >= 0; i-- {
		t = wrappers[i](t)
	}
	return t
}

// Around is t with another Execute, which calls that of t if it wants to.
func Around(t Tool, execute func(ctx context.Context, call Call, update Update) (Result, error)) Tool {
	return around{t, execute}
}

type around struct {
	Tool
	execute func(context.Context, Call, Update) (Result, error)
}

func (a around) Unwrap() Tool { return a.Tool }

func (a around) Execute(ctx context.Context, call Call, update Update) (Result, error) {
	return a.execute(ctx, call, update)
}

// Record is what an audit learns of a call.
type Record struct {
	Call     Call // with the arguments that reached the audit
	Result   Result
	Err      error // as the tool returned it; a *PanicError if it panicked
	Start    time.Time
	Duration time.Duration
}

// Audit reports every call when it has ended, however it ended: done, failed,
// refused, cancelled or crashed. A panic goes on as an error.
func Audit(record func(Record)) Wrapper {
	return func(t Tool) Tool {
		return Around(t, func(ctx context.Context, call Call, update Update) (r Result, err error) {
			start := time.Now()
			defer func() {
				record(Record{Call: call, Result: r, Err: err, Start: start, Duration: time.Since(start)})
			}()
			defer catch(call.Name, &err)
			return t.Execute(ctx, call, update)
		})
	}
}
