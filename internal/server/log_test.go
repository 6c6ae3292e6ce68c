package server_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/internal/server"
	"redline/internal/wire"
)

// logged is a log without times, and what was written to it.
func logged() (*slog.Logger, *bytes.Buffer) {
	var b bytes.Buffer
	return slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "took" {
			return slog.Attr{}
		}
		return a
	}})), &b
}

// TestWatch: requests are told by their route, and what is secret in them is not.
func TestWatch(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/documents/{id}", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "SECRET text") })
	mux.HandleFunc("POST /api/agent/sessions/{id}/undo", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /api/fault", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, `{"error":"internal","message":"SECRET","details":{}}`)
	})
	log, said := logged()
	m := server.NewMetrics()
	handler := server.Watch(newGuard().Wrap(mux), log, m)
	for _, r := range []*http.Request{
		request("GET", "/api/documents/SECRET?path=SECRET", "Authorization", "Bearer "+token),
		request("GET", "/api/documents/SECRET?token="+token),
		request("POST", "/api/agent/sessions/SECRET/undo", "Authorization", "Bearer "+token),
		request("POST", "/api/agent/sessions/SECRET/undo", "Authorization", "Bearer "+token, "Content-Type", "text/plain"),
		request("GET", "/api/fault", "Authorization", "Bearer "+token, "Cookie", "redline=SECRET"),
		request("GET", "/SECRET", "Authorization", "Bearer "+token),
		request("GET", "/api/documents/1", "Host", "SECRET.example"),
		request("SECRET", "/", "Authorization", "Bearer "+token),
	} {
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	want := `level=DEBUG msg=request method=GET route=/api/documents/{id} status=200
level=WARN msg="request refused" method=GET route=none status=401 code=unauthorized
level=DEBUG msg=request method=POST route=/api/agent/sessions/{id}/undo status=200
level=WARN msg="request refused" method=POST route=none status=415 code=unsupported_media_type
level=ERROR msg="request failed" method=GET route=/api/fault status=500 code=internal
level=DEBUG msg=request method=GET route=none status=404
level=WARN msg="request refused" method=GET route=none status=421 code=foreign_host
level=DEBUG msg=request method=other route=none status=405 code=method_not_allowed
`
	if d := cmp.Diff(want, said.String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if regexp.MustCompile("SECRET|" + token).MatchString(said.String()) {
		t.Error("a secret is in the log")
	}
	got := scrape(t, m)
	for _, line := range []string{`redline_http_requests_total{route="/api/documents/{id}",status="200"} 1`, `redline_http_requests_total{route="none",status="401"} 1`, "redline_undos_total 1"} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("%s is missing in\n%s", line, got)
		}
	}
}

// TestWatchedStream: what is behind the watch can flush, and take the connection over.
func TestWatchedStream(t *testing.T) {
	log, _ := logged()
	s := httptest.NewServer(server.Watch(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		if err := c.Flush(); err != nil {
			t.Error(err)
		}
		if err := c.SetWriteDeadline(time.Time{}); err != nil {
			t.Error(err)
		}
		conn, _, err := c.Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		conn.Close()
	}), log, server.NewMetrics()))
	defer s.Close()
	answer, err := http.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
}

// TestLogJob: the log says which job began and how it ended, and not what it was about.
func TestLogJob(t *testing.T) {
	log, said := logged()
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	j := &wire.Job{ID: "job_1", Session: "s", Instruction: "SECRET", Answer: "SECRET", Started: &began}
	for _, kind := range []string{"job.started", "message_end", "tool.call.completed"} {
		server.LogJob(log, j, wire.JobEvent{Type: kind, Data: []byte(`"SECRET"`)})
	}
	j.Status, j.Error = wire.JobFailed, wire.Errorf("limit", "SECRET")
	server.LogJob(log, j, wire.JobEvent{Type: "job.failed", Time: began.Add(time.Second)})
	want := `level=INFO msg="job started" job=job_1 session=s
level=INFO msg="job ended" job=job_1 session=s status=failed code=limit
`
	if d := cmp.Diff(want, said.String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
