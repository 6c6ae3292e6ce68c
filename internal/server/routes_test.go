package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"redline/internal/ledger"
	"redline/internal/ops"
	"redline/internal/server"
	"redline/internal/wire"
)

// TestNothing: what no route is for is told in JSON, and never with what was asked.
func TestNothing(t *testing.T) {
	c := newContract(t)
	for _, a := range []struct {
		request string
		status  int
		allow   string
	}{
		{"GET /api/", 404, ""},
		{"GET /api/nope", 404, ""},
		{"GET /api/agent", 404, ""},
		{"GET /nope", 404, ""},
		{"GET /.git/config", 404, ""},
		{"GET /debug/pprof/", 404, ""},
		{"GET /api/agent/sessions/a/b/c", 404, ""},
		{"GET /api/agent/jobs/%3Cimg%20src=x%3E", 404, ""},
		{"GET /api/agent/run", 405, "POST"},
		{"PATCH /api/agent/run", 405, "POST"},
		{"OPTIONS /api/agent/run", 405, "POST"},
		{"DELETE /api/agent/sessions", 405, "GET, POST"},
		{"POST /api/documents", 405, "GET, PUT"},
		{"POST /api/agent/jobs/job_456/stream", 405, "GET"},
		{"POST /api/openapi.json", 405, "GET"},
		{"POST /healthz", 405, "GET"},
		{"POST /", 405, "GET"},
		{"HEAD /api/folders", 200, ""},
		{"HEAD /healthz", 200, ""},
	} {
		before := len(c.engine.asked())
		got := c.send(t, attempt{route: a.request}, true)
		if asked := c.engine.asked()[before:]; len(asked) > 0 && !strings.Contains(a.request, "img") {
			t.Errorf("%s: the engine was asked %s", a.request, asked)
		}
		if got.status != a.status || got.header.Get("Allow") != a.allow {
			t.Errorf("%s: %d, Allow %q", a.request, got.status, got.header.Get("Allow"))
		}
		if kind := got.header.Get("Content-Type"); kind != "application/json" {
			t.Errorf("%s: %s", a.request, kind)
		}
		if strings.ContainsAny(string(got.body), "<>") || got.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %v %s", a.request, got.header, got.body)
		}
	}
}

// TestIDs: what cannot be an id is no business of the engine, also where no guard stands
// before the routes.
func TestIDs(t *testing.T) {
	engine := newFake()
	s := server.New(server.Options{Folders: []server.Folder{engine.folder("notes")}})
	for _, target := range []string{
		"/api/agent/jobs/%00", "/api/agent/jobs/a%0d%0aSet-Cookie:%20b=c", "/api/agent/jobs/%ff%fe", "/api/agent/jobs/.hidden",
		"/api/agent/jobs/" + strings.Repeat("a", 301), "/api/agent/jobs/%3Cscript%3Ealert(1)%3C%2Fscript%3E/events",
		"/api/agent/sessions/..%5c..%5cx", "/api/agent/sessions/%2fetc%2fpasswd/review", "/api/agent/checkpoints/%2e%2e%2fstate.json/diff3?file_path=a",
		"/api/turns/%2e%2e/lines",
	} {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
		if w.Code != 404 || len(engine.asked()) != 0 || w.Header().Get("Content-Type") != "application/json" || strings.ContainsAny(w.Body.String(), "<>") {
			t.Errorf("%s: %d, the engine was asked %s, %v %s", target, w.Code, engine.asked(), w.Header(), w.Body)
		}
	}
}

// TestCursor: a cursor is decimal digits and nothing else.
func TestCursor(t *testing.T) {
	c := newContract(t)
	for cursor, status := range map[string]int{
		"": 200, "0": 200, "007": 200, "24": 200, "9223372036854775807": 200,
		"abc": 400, "1e3": 400, "-1": 400, "-0": 400, "%2B5": 400, "0x1": 400, "%00": 400, "1.0": 400, "1_000": 400, "%D9%A1": 400, "1%20": 400,
		"9223372036854775808": 400, strings.Repeat("9", 5000): 400,
	} {
		before := len(c.engine.asked())
		got := c.send(t, attempt{route: "GET /api/agent/jobs/job_456/events?cursor=" + cursor}, true)
		if got.status != status {
			t.Errorf("cursor %.20q: %d %s", cursor, got.status, got.body)
		}
		if asked := len(c.engine.asked()) > before; asked != (status == 200) {
			t.Errorf("cursor %.20q: the engine was asked: %v", cursor, asked)
		}
	}
}

// TestEventsAsStream: who accepts events as a stream gets them so.
func TestEventsAsStream(t *testing.T) {
	c := newContract(t)
	got := c.send(t, attempt{route: "GET /api/agent/jobs/job_456/events?cursor=22", header: "Accept: text/event-stream"}, true)
	if kind, _, _ := strings.Cut(got.header.Get("Content-Type"), ";"); kind != "text/event-stream" || !strings.Contains(string(got.body), "id: 23\n") {
		t.Errorf("%s: %s", kind, got.body)
	}
}

// failing is an engine that breaks down in its own ways.
type failing struct{ *fake }

func (f failing) Job(_ context.Context, id string) (wire.Job, error) { panic("SECRET " + id) }

func (f failing) Events(context.Context, string, int, int) (wire.JobEvents, error) {
	return wire.JobEvents{Events: []wire.JobEvent{{Data: json.RawMessage("SECRET")}}}, nil
}

// TestFault: what is a fault of the server is answered with an id, under which the log
// has it, and with nothing else.
func TestFault(t *testing.T) {
	engine := newFake()
	folder := engine.folder("notes")
	folder.Jobs = failing{engine}
	var log bytes.Buffer
	s := server.New(server.Options{Folders: []server.Folder{folder}, Log: slog.New(slog.NewTextHandler(&log, nil))})
	for _, c := range []struct {
		target string
		err    error
	}{
		{"/api/agent/jobs/job_456", nil},
		{"/api/agent/jobs/job_456/events", nil},
		{"/api/agent/sessions/sess_123", errors.New("SECRET")},
		{"/api/agent/sessions/sess_123", wire.Errorf("unheard_of", "SECRET")},
		{"/api/agent/sessions/sess_123", &fs.PathError{Op: "open", Path: "/home/SECRET", Err: fs.ErrClosed}},
	} {
		log.Reset()
		engine.refuse(c.err)
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, c.target, nil))
		var e wire.Error
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != 500 || e.Code != wire.CodeInternal || strings.Contains(w.Body.String(), "SECRET") {
			t.Errorf("%s: %d %s", c.target, w.Code, w.Body)
		}
		if id, _ := e.Details["id"].(string); id == "" || !strings.Contains(log.String(), id) || !strings.Contains(log.String(), "SECRET") && c.target != "/api/agent/jobs/job_456/events" {
			t.Errorf("%s: id %v, log %s", c.target, e.Details, &log)
		}
	}
}

// TestStatuses: every code that the engine can say has a status, but for those that are
// faults.
func TestStatuses(t *testing.T) {
	faults := []string{"io_error", "crashed", "failed", "internal"}
	codes := slices.Clone(faults)
	for _, f := range ops.Facts {
		codes = append(codes, string(f.Code))
	}
	for _, c := range []ledger.Code{ledger.Conflict, ledger.Stale, ledger.ReviewPending, ledger.NotFound, ledger.Invalid, ledger.NothingToUndo, ledger.TurnOver} {
		codes = append(codes, string(c))
	}
	codes = append(codes, wire.CodeInvalid, wire.CodeNotFound, wire.CodeConflict, wire.CodeStale, wire.CodeBusy, wire.CodeReview, wire.CodeNotAsked, wire.CodeState,
		wire.CodeOversized, wire.CodeLocked, wire.CodeSessionLimit, wire.CodeJobLimit, wire.CodeQuota, wire.CodeForbidden, wire.CodeReload, wire.CodeClosed)
	c := newContract(t)
	for _, code := range codes {
		c.engine.refuse(wire.Errorf(code, "said"))
		got := c.send(t, attempt{route: "GET /api/stats"}, true)
		var e wire.Error
		if err := json.Unmarshal(got.body, &e); err != nil {
			t.Fatal(err)
		}
		if fault := slices.Contains(faults, code); fault != (e.Code == wire.CodeInternal) || !fault && e.Message != "said" {
			t.Errorf("%s: %d %s", code, got.status, got.body)
		}
		if got.status < 400 || got.status == 500 && e.Code != "no_space" && e.Code != wire.CodeInternal {
			t.Errorf("%s: %d", code, got.status)
		}
	}
}

// TestDetails: errors of the engine bring what helps.
func TestDetails(t *testing.T) {
	c := newContract(t)
	for _, e := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("reading: %w", &ops.Error{Code: ops.SensitivePath, Message: ".env looks like a secret", Path: ".env", Suggestions: []string{"Leave it alone."}}),
			`403 {"error":"sensitive_path","message":".env looks like a secret","details":{"file_path":".env","suggestions":["Leave it alone."]}}`},
		{&ledger.Error{Code: ledger.Conflict, Reason: "not written", Conflicts: []ledger.FileConflict{{Reason: "changed", Hunks: []string{"h_1", "h_2"}}}},
			`409 {"error":"conflict","message":"not written; .: changed","details":{"conflicts":[{"path":".","reason":"changed","hunks":["h_1","h_2"]}]}}`},
		{wire.Errorf(wire.CodeOversized, "h_1 is too large: split it, or accept it as one").With("hunk_id", "h_1"),
			`409 {"error":"oversized_hunk","message":"h_1 is too large: split it, or accept it as one","details":{"hunk_id":"h_1"}}`},
		{&wire.Error{Code: wire.CodeBusy, Message: "without details"}, `409 {"error":"busy","message":"without details","details":{}}`},
		{context.Canceled, `503 {"error":"closed","message":"the request was given up, or the server stops","details":{}}`},
	} {
		c.engine.refuse(e.err)
		got := c.send(t, attempt{route: "GET /api/stats"}, true)
		if s := fmt.Sprint(got.status, " ", strings.TrimSpace(string(got.body))); s != e.want {
			t.Errorf("%s\nwant %s", s, e.want)
		}
	}
}

// TestUnfit: what is wrong with a body is told by field, without what was sent.
func TestUnfit(t *testing.T) {
	c := newContract(t)
	got := c.send(t, attempt{route: "POST /api/agent/run", body: `{"session_id":"","context_rows":[{"id":"c","kind":"SECRET"}],"extra":"SECRET"}`}, true)
	var e wire.Error
	if err := json.Unmarshal(got.body, &e); err != nil {
		t.Fatal(err)
	}
	fields, _ := e.Details["fields"].(map[string]any)
	for _, name := range []string{"body.instruction", "body.session_id", "body.context_rows[0].kind", "body.extra"} {
		if fields[name] == nil {
			t.Errorf("nothing about %s: %s", name, got.body)
		}
	}
	if got.status != 422 || strings.Contains(string(got.body), "SECRET") {
		t.Errorf("%d %s", got.status, got.body)
	}
	got = c.send(t, attempt{route: "POST /api/agent/run", body: `{"session_id":"s","instruction":5}`}, true)
	if !strings.Contains(string(got.body), "expected string") {
		t.Errorf("a number for a text: %s", got.body)
	}
}

// TestSecondFolder: what has an id is found in whichever folder it is; what goes wrong
// in the first is not hidden by the second.
func TestSecondFolder(t *testing.T) {
	first, second := newFake(), newFake()
	s := server.New(server.Options{Folders: []server.Folder{first.folder("first"), second.folder("second")}})
	ask := func() int {
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/agent/jobs/job_456", nil))
		return w.Code
	}
	first.refuse(wire.Errorf(wire.CodeNotFound, "not here"))
	if got := ask(); got != 200 || len(second.asked()) != 1 {
		t.Errorf("%d, %v", got, second.asked())
	}
	first.refuse(errors.New("the disk is gone"))
	if got := ask(); got != 500 || len(second.asked()) != 1 {
		t.Errorf("%d, %v", got, second.asked())
	}
}

// TestPage: a page that was given takes the place of ours, and of nothing else.
func TestPage(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "page ", r.URL.Path) })
	s := server.New(server.Options{Folders: []server.Folder{newFake().folder("notes")}, Page: page, Version: "1.2.3"})
	for request, want := range map[string]string{
		"GET /":             "page /",
		"GET /assets/a.js":  "page /assets/a.js",
		"GET /healthz":      `{"status":"ok","version":"1.2.3"}` + "\n",
		"GET /api/folders":  `{"folders":[{"name":"notes","path":"/notes"}]}` + "\n",
		"POST /assets/a.js": `{"error":"not_found","message":"there is no such route; GET /api/openapi.json lists them","details":{}}` + "\n",
		"GET /api/nope":     `{"error":"not_found","message":"there is no such route; GET /api/openapi.json lists them","details":{}}` + "\n",
	} {
		method, target, _ := strings.Cut(request, " ")
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest(method, target, nil))
		if w.Body.String() != want {
			t.Errorf("%s: %d %s", request, w.Code, w.Body)
		}
	}
}

// TestDocs: the page has every route and every shape, needs no script, and leads nowhere
// but into itself.
func TestDocs(t *testing.T) {
	c := newContract(t)
	got := c.send(t, attempt{route: "GET /api/docs"}, true)
	page := string(got.body)
	if !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
		t.Error(got.header)
	}
	for _, bad := range []string{"<script", "<style", "style=", "onclick", "javascript:", "http://", "https://"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	for path := range c.document.Paths {
		if !strings.Contains(page, ">"+path+"<") && !strings.Contains(page, "</span> "+path+"</a>") {
			t.Errorf("the page does not have %s", path)
		}
	}
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if ids[m[1]] {
			t.Errorf("the id %s is there twice", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if !ids[m[1]] {
			t.Errorf("nothing is at #%s", m[1])
		}
	}
	if css := c.send(t, attempt{route: "GET /api/docs/style.css"}, false); css.status != 200 || !strings.HasPrefix(css.header.Get("Content-Type"), "text/css") {
		t.Errorf("style: %d %v", css.status, css.header)
	}
}

// TestDocument: the document is one of OpenAPI 3.1 that says how to show the token.
func TestDocument(t *testing.T) {
	c := newContract(t)
	var doc struct {
		OpenAPI string
		Info    struct{ Title, Version string }
		Paths   map[string]map[string]struct {
			OperationID string
			Responses   map[string]any
		}
		Components struct {
			SecuritySchemes map[string]struct{ Type, Scheme string }
			Schemas         map[string]any
		}
	}
	body := c.send(t, attempt{route: "GET /api/openapi.json"}, true).body
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.0" || doc.Info.Title != "Redline" || doc.Info.Version != "1.2.3" || doc.Components.SecuritySchemes["token"].Scheme != "bearer" {
		t.Errorf("%s %+v %+v", doc.OpenAPI, doc.Info, doc.Components.SecuritySchemes)
	}
	for _, shape := range []string{"Job", "JobEvent", "Error"} {
		if doc.Components.Schemas[shape] == nil {
			t.Errorf("there is no shape %s", shape)
		}
	}
	if bytes.Contains(body, []byte("$schema")) {
		t.Error("answers have $schema")
	}
	ids := map[string]string{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if other := ids[op.OperationID]; op.OperationID == "" || other != "" {
				t.Errorf("%s %s and %s are both called %q", method, path, other, op.OperationID)
			}
			ids[op.OperationID] = method + " " + path
			if op.Responses["default"] != nil {
				t.Errorf("%s %s has an answer without a status", method, path)
			}
		}
	}
}

// TestRoutesPage: the table of routes in docs/api.md is that of the document.
func TestRoutesPage(t *testing.T) {
	const page, begin, end = "../../docs/api.md", "<!-- routes -->\n", "<!-- /routes -->"
	c := newContract(t)
	var rows []string
	for path, methods := range c.document.Paths {
		for method, op := range methods {
			rows = append(rows, fmt.Sprintf("| `%s` | %s | %s |\n", path, strings.ToUpper(method), op.Summary))
		}
	}
	slices.Sort(rows)
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(data), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatal("docs/api.md has no place for the routes")
	}
	golden(t, page, before+begin+"| path | method | |\n|---|---|---|\n"+strings.Join(rows, "")+end+after)
}

// TestAtOnce: the routes are made once, whoever comes first, and the document while
// requests are checked.
func TestAtOnce(t *testing.T) {
	s := server.New(server.Options{Folders: []server.Folder{newFake().folder("notes")}})
	var wg sync.WaitGroup
	for range 8 {
		for _, request := range []string{"GET /api/openapi.json", "GET /api/docs", "POST /api/agent/run", "GET /api/agent/jobs/job_456", "GET /api/nope"} {
			wg.Go(func() {
				method, target, _ := strings.Cut(request, " ")
				w := httptest.NewRecorder()
				s.Handler().ServeHTTP(w, httptest.NewRequest(method, target, strings.NewReader(`{"session_id":"sess_123","instruction":"Hello"}`)))
				if w.Code >= 500 {
					t.Errorf("%s: %d %s", request, w.Code, w.Body)
				}
			})
		}
	}
	wg.Wait()
}
