package tool

import (
	"context"
	"encoding/json"
	"fmt"

	"redline/llm"
)

// Call is a tool call in the form that is the same for all providers.
type Call = llm.Call

// Tool is something a model can call.
//
// Execute returns soon after ctx ends, and with everything it started ended.
// Its error is a failed result whose Output is the words of the error, after
// whatever Output the Result has; use it freely for what the model should read.
// An error with a method Details() any brings the Details of the result along.
// An error of a call whose ctx has ended is reported as aborted. A panic is
// caught by [Run] and fails the call only.
//
// A Tool may be called by several goroutines at once. It may have more methods,
// which are found through wrappers too:
//
//	Label() string           its name for people
//	ReadOnly() bool          it changes nothing and may run beside others
//	InOrder() bool           it is read-only, and yet not to run beside others, such as a message to the user
//	Destructive() bool       it destroys what cannot easily be brought back
//	Destructive(Call) bool   the same, for tools where it depends on the call
//	Prepare(Call) (Call, error)   checks and completes the arguments, instead of the schema
type Tool interface {
	Spec() llm.ToolSpec
	Execute(ctx context.Context, call Call, update Update) (Result, error)
}

// Update receives what a tool has so far. It may be called while Execute runs,
// from any goroutine; [Run] passes on one at a time, and none after the end.
type Update func(Result)

// Result is what a tool returns.
type Result struct {
	Output  string      // for the model
	Images  []llm.Image // for the model
	Details any         // for screens and the session file, as JSON; best a struct
	IsError bool
	EndRun  string // if set, the run of the agent ends after this step and says this

	code Code // see [Result.Code]
}

// Block is the result as part of a message. Details that JSON cannot hold are
// replaced by the reason.
func (r Result) Block(call Call) llm.ToolResult {
	b := llm.ToolResult{CallID: call.ID, Name: call.Name, Output: r.Output, Images: r.Images, IsError: r.IsError}
	if r.Details != nil {
		details, err := json.Marshal(r.Details)
		if err != nil {
			details, _ = json.Marshal(map[string]string{"error": fmt.Sprintf("the details of %s are no JSON: %v", call.Name, err)})
		}
		b.Details = details
	}
	return b
}

// As finds the outermost of the tool and the tools it wraps that is a T.
func As[T any](t Tool) (T, bool) {
	for t != nil {
		if found, ok := t.(T); ok {
			return found, true
		}
		t = inside(t)
	}
	var none T
	return none, false
}

func inside(t Tool) Tool {
	if w, ok := t.(interface{ Unwrap() Tool }); ok {
		return w.Unwrap()
	}
	return nil
}

// Label is the name of the tool for people.
func Label(t Tool) string {
	if l, ok := As[interface{ Label() string }](t); ok && l.Label() != "" {
		return l.Label()
	}
	return t.Spec().Name
}

// IsReadOnly reports whether the tool changes nothing.
func IsReadOnly(t Tool) bool {
	r, ok := As[interface{ ReadOnly() bool }](t)
	return ok && r.ReadOnly()
}

// RunsBeside reports whether calls of the tool may run side by side with others
// of that kind.
func RunsBeside(t Tool) bool {
	o, ok := As[interface{ InOrder() bool }](t)
	return IsReadOnly(t) && !(ok && o.InOrder())
}

// IsDestructive reports whether this call destroys what cannot easily be
// brought back.
func IsDestructive(t Tool, call Call) bool {
	for ; t != nil; t = inside(t) {
		switch d := t.(type) {
		case interface{ Destructive(Call) bool }:
			return d.Destructive(call)
		case interface{ Destructive() bool }:
			return d.Destructive()
		}
	}
	return false
}

// Prepare repairs and validates the arguments of a call, and returns the call
// with the arguments that Execute shall get.
func Prepare(t Tool, call Call) (Call, error) {
	if p, ok := As[preparer](t); ok {
		return p.Prepare(call)
	}
	s, err := compile(t.Spec().Schema)
	if err != nil {
		return call, fmt.Errorf("the schema of %s: %w", call.Name, err)
	}
	return s.prepare(call)
}

type preparer interface {
	Prepare(Call) (Call, error)
}
