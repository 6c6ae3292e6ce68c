package server

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"redline/internal/wire"
)

// Watch logs and counts requests on their way to a handler. Of a request nothing is
// told but its method, the pattern of its route, its status and the code of the error:
// queries, headers and bodies have names, texts and tokens in them.
func Watch(next http.Handler, log *slog.Logger, m *Metrics) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		heard := &answer{ResponseWriter: w, status: http.StatusOK}
		defer func() { // also of a handler that panics, which net/http logs
			route := routeOf(r)
			m.request(route, heard.status)
			level := levelOf(heard.status)
			if !log.Enabled(r.Context(), level) {
				return
			}
			about := []slog.Attr{slog.String("method", methodOf(r)), slog.String("route", route), slog.Int("status", heard.status)}
			if code := heard.code(); code != "" {
				about = append(about, slog.String("code", code))
			}
			log.LogAttrs(r.Context(), level, words(level), append(about, slog.Duration("took", time.Since(began)))...)
		}()
		next.ServeHTTP(heard, r)
	})
}

// routeOf is the pattern that a request has matched. What the guard has refused, or
// nothing matched, has none: its path may be anything.
func routeOf(r *http.Request) string {
	if r.Pattern == "" {
		return "none"
	}
	if _, path, ok := strings.Cut(r.Pattern, " "); ok {
		return path
	}
	return r.Pattern
}

// methodOf is the method, if it is one that there is.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodOptions, http.MethodTrace, http.MethodConnect:
		return r.Method
	}
	return "other"
}

// levelOf: what is refused, or went wrong here, is worth knowing.
func levelOf(status int) slog.Level {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
		http.StatusMisdirectedRequest, http.StatusTooManyRequests, http.StatusRequestHeaderFieldsTooLarge, http.StatusServiceUnavailable:
		return slog.LevelWarn
	case http.StatusInternalServerError:
		return slog.LevelError
	}
	return slog.LevelDebug
}

func words(level slog.Level) string {
	switch level {
	case slog.LevelWarn:
		return "request refused"
	case slog.LevelError:
		return "request failed"
	}
	return "request"
}

// answer notes how a request is answered.
type answer struct {
	http.ResponseWriter
	status int
	begun  bool
	start  []byte // of the body of an error
}

// Unwrap lets streams flush, and sockets take over the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answer) WriteHeader(status int) {
	if !a.begun && status >= 200 || status == http.StatusSwitchingProtocols {
		a.status, a.begun = status, true
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(data []byte) (int, error) {
	a.begun = true
	if a.status >= 400 && len(a.start) < longestStart {
		a.start = append(a.start, data[:min(len(data), longestStart)]...)
	}
	return a.ResponseWriter.Write(data)
}

// longestStart is enough for the code of an error, which comes first in its body.
const longestStart = 80

// code is the code of the error, or "".
func (a *answer) code() string {
	_, rest, ok := bytes.Cut(a.start, []byte(`{"error":"`))
	code, _, end := bytes.Cut(rest, []byte(`"`))
	if !ok || !end {
		return ""
	}
	return string(code)
}

// LogJob tells the start and the end of jobs: ids, times and how it ended, but nothing
// of what was said or done.
func LogJob(log *slog.Logger, j *wire.Job, e wire.JobEvent) {
	about := []any{slog.String("job", j.ID), slog.String("session", j.Session)}
	switch e.Type {
	case wire.JobEventStarted:
		log.Info("job started", about...)
	case wire.JobEventCompleted, wire.JobEventFailed, wire.JobEventCancelled, wire.JobEventStopped:
		about = append(about, slog.String("status", string(j.Status)))
		if j.Error != nil {
			about = append(about, slog.String("code", j.Error.Code))
		}
		if j.Started != nil {
			about = append(about, slog.Duration("took", e.Time.Sub(*j.Started).Round(time.Millisecond)))
		}
		log.Info("job ended", about...)
	}
}
