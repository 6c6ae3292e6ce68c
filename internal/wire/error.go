package wire

import "fmt"

// Error is the body of every answer that is no success.
type Error struct {
	Code    string         `json:"error"` // one of the codes below, or of the engine's own
	Message string         `json:"message"`
	Details map[string]any `json:"details"` // never nil
}

// The codes by which the engine refuses something. The statuses of HTTP follow from
// them.
const (
	CodeInvalid      = "invalid"           // the request makes no sense
	CodeNotFound     = "not_found"         // no such session, job, turn, hunk, checkpoint or document
	CodeConflict     = "conflict"          // what is on the disk is in the way; details: files, rerun
	CodeStale        = "stale"             // the token is not that of the current text; details: current, token
	CodeBusy         = "busy"              // a job is on
	CodeReview       = "review_pending"    // a turn waits for its decision first
	CodeNotAsked     = "nothing_asked"     // nothing waits for this answer
	CodeState        = "wrong_state"       // the job is not where this could be done
	CodeOversized    = "oversized_hunk"    // split it, or accept it as one
	CodeLocked       = "locked"            // the agent works on the documents
	CodeSessionLimit = "too_many_sessions" // max_sessions
	CodeJobLimit     = "too_many_jobs"     // max_jobs_per_session
	CodeQuota        = "quota_exceeded"
	CodeLimit        = "limit_reached" // of what a job may do; details: limit
	CodeForbidden    = "forbidden"     // the path policy, or a mode
	CodeReload       = "reload"        // a reader that has missed something: read the job anew
	CodeClosed       = "closed"        // the server is about to stop
	CodeInternal     = "internal"
)

// Errorf makes an Error without details.
func Errorf(code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Details: map[string]any{}}
}

// With adds a detail.
func (e *Error) With(key string, value any) *Error {
	e.Details[key] = value
	return e
}

func (e *Error) Error() string { return e.Message }

// ErrorCode is the code for front ends.
func (e *Error) ErrorCode() string { return e.Code }
