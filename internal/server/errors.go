package server

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"redline/internal/ledger"
	"redline/internal/ops"
	"redline/internal/wire"
)

// Codes that only a server has.
const (
	codeNotJSON  = "malformed_json"
	codeTooLarge = "body_too_large"
	codeMethod   = "method_not_allowed"
	codeSlow     = "timeout"
)

// statuses says how HTTP calls what an error means. A code that is not here is a fault
// of the server.
var statuses = map[string]int{
	wire.CodeInvalid:             http.StatusUnprocessableEntity,
	codeNotJSON:                  http.StatusBadRequest,
	string(ops.InvalidArgument):  http.StatusBadRequest,
	string(ops.InvalidPath):      http.StatusBadRequest,
	string(ops.PathTooLong):      http.StatusBadRequest,
	string(ops.IsDirectory):      http.StatusBadRequest,
	string(ops.NotDirectory):     http.StatusBadRequest,
	string(ops.InvalidRange):     http.StatusBadRequest,
	string(ops.InvalidRegex):     http.StatusBadRequest,
	string(ops.InvalidGlob):      http.StatusBadRequest,
	string(ops.ContentRequired):  http.StatusBadRequest,
	string(ops.UnknownTemplate):  http.StatusBadRequest,
	string(ops.UnknownTool):      http.StatusBadRequest,
	string(ops.ToolMessage):      http.StatusUnprocessableEntity,
	string(ops.Overlap):          http.StatusUnprocessableEntity,
	string(ops.Ambiguous):        http.StatusUnprocessableEntity,
	string(ops.UnsupportedFile):  http.StatusUnprocessableEntity,
	string(ops.NotRegular):       http.StatusUnprocessableEntity,
	string(ops.TooLarge):         http.StatusRequestEntityTooLarge,
	codeTooLarge:                 http.StatusRequestEntityTooLarge,
	wire.CodeForbidden:           http.StatusForbidden,
	string(ops.OutsideFolder):    http.StatusForbidden,
	string(ops.InternalPath):     http.StatusForbidden,
	string(ops.HiddenPath):       http.StatusForbidden,
	string(ops.SensitivePath):    http.StatusForbidden,
	string(ops.SystemPath):       http.StatusForbidden,
	string(ops.PermissionDenied): http.StatusForbidden,
	string(ops.ReadOnly):         http.StatusForbidden,
	string(ops.IsLink):           http.StatusForbidden,
	string(ops.NeedsApproval):    http.StatusForbidden,
	string(ops.Denied):           http.StatusForbidden,
	string(ops.NobodyToAsk):      http.StatusForbidden,
	wire.CodeNotFound:            http.StatusNotFound,
	string(ops.DanglingLink):     http.StatusNotFound,
	string(ops.TextNotFound):     http.StatusNotFound,
	string(ops.HeadingNotFound):  http.StatusNotFound,
	codeMethod:                   http.StatusMethodNotAllowed,
	wire.CodeConflict:            http.StatusConflict,
	wire.CodeStale:               http.StatusConflict,
	wire.CodeBusy:                http.StatusConflict,
	wire.CodeReview:              http.StatusConflict,
	wire.CodeNotAsked:            http.StatusConflict,
	wire.CodeState:               http.StatusConflict,
	wire.CodeOversized:           http.StatusConflict,
	wire.CodeLocked:              http.StatusConflict,
	wire.CodeReload:              http.StatusConflict,
	string(ledger.NothingToUndo): http.StatusConflict,
	string(ledger.TurnOver):      http.StatusConflict,
	string(ops.AlreadyExists):    http.StatusConflict,
	string(ops.Unseen):           http.StatusConflict,
	string(ops.NotEmpty):         http.StatusConflict,
	string(ops.NoChange):         http.StatusConflict,
	wire.CodeSessionLimit:        http.StatusTooManyRequests,
	wire.CodeJobLimit:            http.StatusTooManyRequests,
	wire.CodeQuota:               http.StatusTooManyRequests,
	string(ops.LimitReached):     http.StatusTooManyRequests,
	string(ops.RateLimited):      http.StatusTooManyRequests,
	wire.CodeClosed:              http.StatusServiceUnavailable,
	string(ops.Aborted):          http.StatusServiceUnavailable,
	string(ops.TimedOut):         http.StatusServiceUnavailable,
	string(ops.NoSpace):          http.StatusInternalServerError,
}

// storage are the codes of what a store can answer when the fault is not the server's:
// whoever runs it can help.
var storage = map[error]string{
	ledger.ErrFull:     string(ops.NoSpace),
	ledger.ErrReadOnly: string(ops.ReadOnly),
	ledger.ErrBusy:     string(ops.TimedOut),
}

// refuse makes an answer of an error. What is a fault of the server is written to its
// log, and the answer has no more of it than an id.
func (s *Server) refuse(err error) *refusal {
	e := coded(err)
	if e == nil {
		return s.fault(err)
	}
	status := statuses[e.Code]
	if status == 0 {
		return s.fault(err)
	}
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	return &refusal{status, e}
}

// fault is the answer when the server itself has failed.
func (s *Server) fault(err error) *refusal {
	if s.Private {
		return fail(http.StatusInternalServerError, wire.CodeInternal, "%s", err.Error())
	}
	id := NewToken()[:12]
	s.Log.Error("a request failed", slog.String("id", id), slog.Any("error", err))
	r := fail(http.StatusInternalServerError, wire.CodeInternal, "the server failed at this request; its log says why, under the id %s", id)
	r.With("id", id)
	return r
}

// coded is the error with its code and its details, or nil if it has none.
func coded(err error) *wire.Error {
	var ready *wire.Error
	if errors.As(err, &ready) {
		e := *ready
		return &e
	}
	var stale *ledger.StaleError
	if errors.As(err, &stale) {
		e := wire.Errorf(wire.CodeStale, "%s", stale.Error())
		if stale.Current != nil {
			e.With("token", stale.Current.Hash)
		}
		return e
	}
	var refused *ledger.Error
	if errors.As(err, &refused) {
		e := wire.Errorf(string(refused.Code), "%s", refused.Error())
		if len(refused.Conflicts) > 0 {
			e.With("conflicts", refused.Conflicts)
		}
		return e
	}
	if errors.Is(err, context.Canceled) {
		return wire.Errorf(wire.CodeClosed, "the request was given up, or the server stops")
	}
	for kind, code := range storage {
		if errors.Is(err, kind) {
			return wire.Errorf(code, "%s", err.Error())
		}
	}
	var coder Coder
	if errors.As(err, &coder) {
		return wire.Errorf(coder.ErrorCode(), "%s", err.Error())
	}
	return operational(err)
}

// operational is an error of an operation on documents, or of the folder below it.
func operational(err error) *wire.Error {
	failed := ops.AsError(err)
	if failed.Code == ops.IOError {
		return nil
	}
	e := wire.Errorf(string(failed.Code), "%s", failed.Error())
	if failed.Path != "" {
		e.With("file_path", failed.Path)
	}
	if len(failed.Suggestions) > 0 {
		e.With("suggestions", failed.Suggestions)
	}
	if failed.Near != nil {
		e.With("near", failed.Near)
	}
	return e
}

// problem is a refusal for the library that checks requests.
type problem struct{ *refusal }

func (p problem) Error() string                { return p.refusal.Message }
func (p problem) MarshalJSON() ([]byte, error) { return json.Marshal(p.refusal.Error) }

// The library knows one way to change its errors and what it takes a list for, for the
// whole program.
func init() {
	huma.DefaultArrayNullable = false
	huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
		return problem{unfit(status, message, errs...)}
	}
}

// unfit is the answer to a request that is not what its route takes: 404 for an id
// that nothing can have, 400 for a query or a body that cannot be read, 422 for a
// body that says something else than it may. Values are not repeated: they can be
// large, and secret.
func unfit(status int, message string, errs ...error) *refusal {
	fields := map[string]string{}
	for _, err := range errs {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return fail(http.StatusRequestEntityTooLarge, codeTooLarge, "the body may have %d bytes", large.Limit)
		}
		var detail *huma.ErrorDetail
		if !errors.As(err, &detail) {
			continue
		}
		if _, said := fields[detail.Location]; !said { // what the schema says comes first
			fields[detail.Location] = detail.Message
		}
		if strings.HasPrefix(detail.Location, "query.") {
			status = http.StatusBadRequest
		}
	}
	var r *refusal
	switch _, unreadable := fields["body"]; {
	case status == http.StatusBadRequest && unreadable:
		r = fail(status, codeNotJSON, "the body is no JSON that can be read: %s", fields["body"])
	case status == http.StatusRequestTimeout:
		return fail(status, codeSlow, "the body did not arrive in time")
	case message == "cannot read request body":
		return fail(http.StatusBadRequest, codeNotJSON, "the body did not arrive as a whole")
	case status >= http.StatusInternalServerError || status == 0:
		return fail(status, wire.CodeInternal, "the request could not be read to its end")
	case len(fields) == 0:
		return fail(status, wire.CodeInvalid, "%s", message)
	default:
		r = fail(status, wire.CodeInvalid, "the request is not what the route takes: %s", first(fields))
	}
	r.With("fields", fields)
	return r
}

// first is one of the fields in words, and that there are more.
func first(fields map[string]string) string {
	names := slices.Sorted(maps.Keys(fields))
	said := names[0] + ": " + fields[names[0]]
	if len(names) > 1 {
		said += " (and more, in details.fields)"
	}
	return said
}
