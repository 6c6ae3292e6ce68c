package tool

import (
	"context"
	"errors"
	"strings"
)

// Code sorts the failures that this package reports.
type Code string

const (
	CodeUnknownTool Code = "unknown_tool"
	CodeInvalid     Code = "invalid_arguments" // they do not match the schema, or the tool's own check
	CodeDenied      Code = "denied"            // permission was refused
	CodeTimeout     Code = "timeout"           // stopped by a Limit
	CodeAborted     Code = "aborted"           // the context of the call ended
	CodeCrashed     Code = "crashed"           // the tool panicked
	CodeFailed      Code = "failed"            // the tool's own error
)

// Failure is the Details of a failed result that has no others.
type Failure struct {
	Code     Code      `json:"code"`
	Message  string    `json:"message"`
	Problems []Problem `json:"problems,omitempty"` // of CodeInvalid
}

// Code is the kind of failure that the result is, or "" if it is none that
// this package made. A tool that gives a failure details of its own does not
// hide it.
func (r Result) Code() Code {
	if r.code != "" {
		return r.code
	}
	if f, ok := r.Details.(*Failure); ok {
		return f.Code
	}
	return ""
}

const interrupted = "interrupted before it finished; it may or may not have taken effect, so check before you repeat it"

// finish makes the result that the model reads of what Execute returned; ended
// says whether the call's context had ended by then.
func finish(r Result, err error, ended bool) Result {
	if err != nil {
		r = failed(r, err, ended)
	}
	r.Output = strings.ToValidUTF8(r.Output, "\uFFFD")
	return r
}

func failed(r Result, err error, ended bool) Result {
	f := &Failure{Code: codeOf(err, ended), Message: err.Error()}
	if f.Code == CodeAborted && (err == context.Canceled || err == context.DeadlineExceeded) {
		f.Message = interrupted
	}
	var invalid *InvalidError
	if errors.As(err, &invalid) {
		f.Problems = invalid.Problems
	}
	r.IsError = true
	if f.Code != CodeFailed {
		r.code = f.Code
	}
	if r.Output != "" && !strings.HasSuffix(r.Output, "\n") {
		r.Output += "\n"
	}
	r.Output += f.Message
	if own := detailsOf(err); r.Details == nil && own != nil {
		r.Details = own
	}
	if r.Details == nil {
		r.Details = f
	}
	return r
}

func detailsOf(err error) any {
	var d interface{ Details() any }
	if errors.As(err, &d) {
		return d.Details()
	}
	return nil
}

func codeOf(err error, ended bool) Code {
	var (
		unknown *UnknownError
		invalid *InvalidError
		crash   *PanicError
		late    *TimeoutError
	)
	switch {
	case errors.As(err, &unknown):
		return CodeUnknownTool
	case errors.As(err, &invalid):
		return CodeInvalid
	case errors.As(err, &crash):
		return CodeCrashed
	case ended:
		return CodeAborted
	case errors.As(err, &late):
		return CodeTimeout
	}
	return CodeFailed
}
