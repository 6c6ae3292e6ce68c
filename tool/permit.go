package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// Cancelled is what a run says that ends because the user refused a call.
const Cancelled = "Action cancelled by user."

// Decision is the answer to the question whether a call may run. The zero
// Decision refuses.
type Decision struct {
	Allow     bool
	Arguments json.RawMessage // if allowed: run with these instead; nil: as they are
	Reason    string          // if refused: what the model is told
	EndRun    bool            // if refused: the run of the agent ends with Cancelled
}

// Allow lets the call run.
func Allow() Decision { return Decision{Allow: true} }

// AllowWith lets the call run with other arguments.
func AllowWith(arguments json.RawMessage) Decision {
	return Decision{Allow: true, Arguments: arguments}
}

// Refuse tells the model that, and why, the call may not run; the run goes on.
func Refuse(reason string) Decision { return Decision{Reason: reason} }

// Cancel refuses the call and ends the run.
func Cancel() Decision { return Decision{EndRun: true} }

// Decider decides about a call whose arguments are valid. It may ask a person
// and wait for the answer, as long as ctx lasts. Its error keeps the call from
// running.
type Decider func(ctx context.Context, t Tool, call Call) (Decision, error)

// Permit runs only the calls that decide allows. Arguments that it changed are
// validated like those of the model, and the model is told of the change.
func Permit(decide Decider) Wrapper {
	return func(t Tool) Tool {
		return Around(t, func(ctx context.Context, call Call, update Update) (Result, error) {
			d, err := decide(ctx, t, call)
			switch {
			case err != nil:
				return Result{}, fmt.Errorf("%s did not run, because its permission could not be decided: %w", call.Name, err)
			case !d.Allow:
				return refusal(call, d), nil
			case d.Arguments == nil:
				return t.Execute(ctx, call, update)
			}
			changed := call
			changed.Arguments = d.Arguments
			if changed, err = Prepare(t, changed); err != nil {
				return Result{}, fmt.Errorf("%s did not run, because its arguments were changed and are wrong now: %v", call.Name, err) // not the model's fault
			}
			r, err := t.Execute(ctx, changed, update)
			r.Output = strings.TrimPrefix(r.Output+difference(call.Arguments, changed.Arguments), "\n")
			return r, err
		})
	}
}

func refusal(call Call, d Decision) Result {
	words := "permission refused: " + call.Name + " did not run"
	if d.Reason != "" {
		words += ": " + d.Reason
	}
	r := Result{Output: words, IsError: true}
	if d.EndRun {
		r.Output, r.EndRun = Cancelled, Cancelled
	}
	r.Details = &Failure{Code: CodeDenied, Message: r.Output}
	return r
}

// difference tells the model which parameters are not what it sent.
func difference(before, after json.RawMessage) string {
	old, err1 := parse(before)
	now, err2 := parse(after)
	if err1 != nil || err2 != nil || bytes.Equal(before, after) {
		return ""
	}
	var list []string
	for i, name := range now.names {
		was := old.get(name)
		is := now.items[i].appendJSON(nil)
		if was == nil || !bytes.Equal(was.appendJSON(nil), is) {
			list = append(list, name+" = "+quoteJSON(is))
		}
	}
	for _, name := range old.names {
		if now.get(name) == nil {
			list = append(list, name+" removed")
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "\n[before it ran, the arguments were changed: " + strings.Join(list, ", ") + "]"
}

func quoteJSON(text []byte) string {
	const limit = 200
	if len(text) > limit {
		return strings.ToValidUTF8(string(text[:limit]), "") + "…"
	}
	return string(text)
}
