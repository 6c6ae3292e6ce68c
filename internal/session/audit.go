package session

import (
	"context"
	"errors"
	"time"

	"redline/internal/ledger"
	"redline/tool"
)

// Auditor keeps a log of calls; a ledger.Ledger is one.
type Auditor interface {
	Audit(ctx context.Context, e ledger.AuditEntry) error
}

// LateAuditor is an Auditor that can write a line while other things go on.
type LateAuditor interface {
	Auditor
	AuditLater(ctx context.Context, e ledger.AuditEntry)
	// Audited waits until the lines of a turn are written, and returns what went
	// wrong with them since it was last asked.
	Audited(turn string) error
}

// audited writes a line for every call, however it ended. A log that cannot be
// written ends the run: nothing goes on unseen. Where the log can do it, the line of
// a call that only read, and did, is written while the model is asked what comes
// next; no call begins before it is there.
func (g *guard) audited(t tool.Tool) tool.Tool {
	late, _ := g.Audit.(LateAuditor)
	return tool.Around(t, func(ctx context.Context, call tool.Call, update tool.Update) (tool.Result, error) {
		trail := &trail{arguments: call.Arguments}
		var broken error
		if late != nil {
			if err := late.Audited(g.Turn); err != nil {
				return g.unwritten(ctx, call, err), nil
			}
		}
		audit := tool.Audit(func(r tool.Record) {
			if e := g.entry(trail, r); late != nil && e.Result == ledger.AuditSuccess && tool.IsReadOnly(t) {
				late.AuditLater(ctx, e)
			} else {
				broken = g.write(ctx, e)
			}
		})
		r, err := audit(t).Execute(context.WithValue(ctx, trailKey{}, trail), call, update)
		return unlogged(r, broken), err
	})
}

// refused counts and records a call that could not reach its tool. The error says
// why.
func (g *guard) refused(ctx context.Context, call tool.Call, err error) (tool.Result, error) {
	g.mu.Lock()
	g.calls++
	g.mu.Unlock()
	trail := &trail{arguments: call.Arguments}
	record := tool.Record{Call: call, Err: err, Start: time.Now()}
	if unknown := new(tool.UnknownError); errors.As(err, &unknown) && g.withheld(call.Name) {
		trail.refused = true
		record.Result, record.Err = withheld(call), nil
	}
	return unlogged(record.Result, g.write(ctx, g.entry(trail, record))), record.Err
}

// withheld reports whether there is a tool of that name, which the mode does not
// offer.
func (g *guard) withheld(name string) bool {
	_, err := g.all.Find(name)
	return err == nil
}

func withheld(call tool.Call) tool.Result {
	told := "permission refused: " + call.Name + " did not run: the mode is restricted, in which nothing is changed; tell the user what you would do"
	return tool.Result{Output: told, IsError: true, Details: &tool.Failure{Code: tool.CodeDenied, Message: told}}
}

func unlogged(r tool.Result, broken error) tool.Result {
	if broken != nil && r.EndRun == "" {
		r.EndRun = "The audit log cannot be written: " + broken.Error() + "."
	}
	return r
}

// unwritten answers a call that came after one whose line could not be written.
func (g *guard) unwritten(ctx context.Context, call tool.Call, broken error) tool.Result {
	told := call.Name + " did not run: the audit log cannot be written."
	r := tool.Result{Output: told, IsError: true, Details: &tool.Failure{Code: tool.CodeFailed, Message: told}}
	trail := &trail{arguments: call.Arguments, refused: true}
	_ = g.write(ctx, g.entry(trail, tool.Record{Call: call, Result: r, Start: time.Now()})) // the run ends anyway, for the first reason
	return unlogged(r, broken)
}

// write writes a line, even if the call was aborted.
func (g *guard) write(ctx context.Context, e ledger.AuditEntry) error {
	return g.Audit.Audit(context.WithoutCancel(ctx), e)
}

// entry is the line of a call.
func (g *guard) entry(trail *trail, r tool.Record) ledger.AuditEntry {
	e := ledger.AuditEntry{
		Time: r.Start, Session: g.Session, Turn: g.Turn, Action: r.Call.Name, Parameters: trail.arguments,
		Result: ledger.AuditSuccess, Duration: trail.took,
	}
	switch {
	case trail.refused:
		e.Result = ledger.AuditRejected
	case r.Err != nil || r.Result.IsError:
		e.Result = ledger.AuditError
	}
	if e.Result != ledger.AuditSuccess {
		e.Error = words(r)
	}
	return e
}

// words says why a call failed.
func words(r tool.Record) string {
	if r.Err != nil {
		return r.Err.Error()
	}
	if f, ok := r.Result.Details.(*tool.Failure); ok {
		return f.Message
	}
	return r.Result.Output
}

var _ LateAuditor = (*ledger.Ledger)(nil)
