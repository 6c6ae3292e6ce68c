package server_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"redline/internal/ledger"
	"redline/internal/server"
	"redline/internal/wire"
)

// attempt is a request and how it is answered.
type attempt struct {
	route  string // as the document has it
	target string // "": the path of the route
	body   string
	header string // "Name: value"
	engine error  // what the engine says; nil: what it always does
	status int
	code   string // of the error; "": it is accepted
}

const (
	foreignPage = "Origin: https://evil.example"
	chunked     = "Transfer-Encoding: chunked"
)

// attempts has for each route what it accepts, and what it refuses besides a request
// without a token.
var attempts = []attempt{
	{route: "POST /api/agent/sessions", status: 201},
	{route: "POST /api/agent/sessions", body: `null`, status: 422, code: "invalid"},
	{route: "POST /api/agent/sessions", body: `{"toolset":"project","review":"hunks","confirm_before_edits":true}`, status: 201},
	{route: "POST /api/agent/sessions", body: `{"review":"never"}`, status: 422, code: "invalid"},
	{route: "POST /api/agent/sessions", body: `{"project_root":"/etc"}`, status: 422, code: "invalid"},
	{route: "POST /api/agent/sessions", body: `{"folder":"elsewhere"}`, status: 404, code: "not_found"},
	{route: "POST /api/agent/sessions", engine: wire.Errorf(wire.CodeSessionLimit, "25 sessions are open"), status: 429, code: "too_many_sessions"},
	{route: "GET /api/agent/sessions", status: 200},
	{route: "GET /api/agent/sessions", target: "/api/agent/sessions?folder=second", status: 200},
	{route: "GET /api/agent/sessions", target: "/api/agent/sessions?folder=elsewhere", status: 404, code: "not_found"},
	{route: "GET /api/agent/sessions/{id}", target: "/api/agent/sessions/sess_123", status: 200},
	{route: "GET /api/agent/sessions/{id}", target: "/api/agent/sessions/nobody", status: 404, code: "not_found"},
	{route: "POST /api/agent/sessions/{id}/archive", target: "/api/agent/sessions/sess_123/archive", body: `{"archived":true}`, status: 200},
	{route: "POST /api/agent/sessions/{id}/archive", target: "/api/agent/sessions/sess_123/archive", status: 400, code: "invalid"},
	{route: "POST /api/agent/sessions/{id}/archive", target: "/api/agent/sessions/sess_123/archive", body: `{"archived":true}`, engine: wire.Errorf(wire.CodeBusy, "a job is on"), status: 409, code: "busy"},

	{route: "POST /api/agent/run", body: `{"session_id":"sess_123","instruction":"Hello"}`, status: 202},
	{route: "POST /api/agent/run", body: `{"session_id":"sess_123","instruction":"Hello","tool_config":null,"context_rows":null}`, status: 202},
	{route: "POST /api/agent/run", body: `{"session_id":"nobody","instruction":"Hello"}`, status: 404, code: "not_found"},
	{route: "POST /api/agent/run", body: `{"session_id":"sess_123"}`, status: 422, code: "invalid"},
	{route: "POST /api/agent/run", body: `{"session_id":"sess_123","prompt":"Hello by another name"}`, status: 202},
	{route: "POST /api/agent/run", body: `{"session_id":"sess_123","prompt":"Hello","instruction":"Bye"}`, status: 422, code: "invalid"},
	{route: "POST /api/agent/run", body: `{"session_id":"sess_123","instruction":"Hello","tool_config":{"max_tool_calls":-1}}`, status: 422, code: "invalid"},
	{route: "POST /api/agent/run", body: `{}{}`, status: 400, code: "malformed_json"},
	{route: "POST /api/agent/run", body: `{"session_id":"sess_123","session_id":"nobody","instruction":"Hello"}`, status: 400, code: "malformed_json"},
	{route: "POST /api/agent/run", body: `{"session_id":"sess_123","instruction":"Hello","context_rows":[{"id":"a","kind":"pinned","content":"x"},{"id":"b","id":"c","kind":"pinned","content":"x"}]}`, status: 400, code: "malformed_json"},
	{route: "POST /api/agent/run", body: `{"session_id":"sess_123","instruction":"Hello","tool_config":{"max_tool_calls":1},"context_rows":[{"id":"a","kind":"pinned","content":"id"},{"id":"b","kind":"pinned","content":"kind"}]}`, status: 202},
	{route: "POST /api/agent/run", body: `{"session_id":"`, status: 400, code: "malformed_json"},
	{route: "POST /api/agent/run", body: `[]`, status: 422, code: "invalid"},
	{route: "POST /api/agent/run", body: strings.Repeat("[", 100000), status: 400, code: "malformed_json"},
	{route: "POST /api/agent/run", body: `{"session_id":"sess_123","instruction":"` + strings.Repeat("a", 1<<20) + `"}`, status: 413, code: "body_too_large"},
	{route: "POST /api/agent/run", body: `{"session_id":"sess_123","instruction":"` + strings.Repeat("a", 1<<20) + `"}`, header: chunked, status: 413, code: "body_too_large"},
	{route: "POST /api/agent/run", body: `{"session_id":"sess_123","instruction":"Hello"}`, header: chunked, status: 202},
	{route: "POST /api/agent/run", body: `{}`, header: "Content-Type: text/plain", status: 415, code: "unsupported_media_type"},
	{route: "POST /api/agent/run", body: `{"session_id":"sess_123","instruction":"Hello"}`, engine: wire.Errorf(wire.CodeReview, "decide first"), status: 409, code: "review_pending"},
	{route: "POST /api/agent/run", body: `{"session_id":"sess_123","instruction":"Hello"}`, engine: wire.Errorf(wire.CodeJobLimit, "40 jobs"), status: 429, code: "too_many_jobs"},
	{route: "POST /api/agent/run", body: `{"session_id":"sess_123","instruction":"Hello"}`, engine: wire.Errorf(wire.CodeClosed, "the server stops"), status: 503, code: "closed"},
	{route: "GET /api/agent/jobs/{id}", target: "/api/agent/jobs/job_456", status: 200},
	{route: "GET /api/agent/jobs/{id}", target: "/api/agent/jobs/none", status: 404, code: "not_found"},
	{route: "GET /api/agent/jobs/{id}", target: "/api/agent/jobs/job_456", engine: errors.New("SECRET of the inside"), status: 500, code: "internal"},
	{route: "GET /api/agent/jobs/{id}", target: "/api/agent/jobs/job_456", engine: fmt.Errorf("save: %w", ledger.ErrFull), status: 500, code: "no_space"},
	{route: "GET /api/agent/jobs/{id}", target: "/api/agent/jobs/job_456", engine: fmt.Errorf("save: %w", ledger.ErrReadOnly), status: 403, code: "read_only"},
	{route: "GET /api/agent/jobs/{id}", target: "/api/agent/jobs/job_456", engine: fmt.Errorf("save: %w", ledger.ErrBusy), status: 503, code: "timeout"},
	{route: "GET /api/agent/jobs/{id}/events", target: "/api/agent/jobs/job_456/events", status: 200},
	{route: "GET /api/agent/jobs/{id}/events", target: "/api/agent/jobs/job_456/events?cursor=&limit=", status: 200},
	{route: "GET /api/agent/jobs/{id}/events", target: "/api/agent/jobs/job_456/events?cursor=9223372036854775807&limit=5000", status: 200},
	{route: "GET /api/agent/jobs/{id}/events", target: "/api/agent/jobs/job_456/events?cursor=1e3", status: 400, code: "invalid"},
	{route: "GET /api/agent/jobs/{id}/events", target: "/api/agent/jobs/job_456/events?limit=-1", status: 400, code: "invalid"},
	{route: "GET /api/agent/jobs/{id}/events", target: "/api/agent/jobs/none/events", status: 404, code: "not_found"},
	{route: "POST /api/agent/jobs/{id}/cancel", target: "/api/agent/jobs/job_456/cancel", status: 200},
	{route: "POST /api/agent/jobs/{id}/cancel", target: "/api/agent/jobs/job_456/cancel", engine: wire.Errorf(wire.CodeState, "the job is over"), status: 409, code: "wrong_state"},
	{route: "POST /api/agent/jobs/{id}/resume", target: "/api/agent/jobs/job_456/resume", status: 202},
	{route: "POST /api/agent/jobs/{id}/resume", target: "/api/agent/jobs/none/resume", status: 404, code: "not_found"},
	{route: "POST /api/agent/jobs/{id}/rerun", target: "/api/agent/jobs/job_456/rerun", status: 202},
	{route: "POST /api/agent/jobs/{id}/rerun", target: "/api/agent/jobs/none/rerun", status: 404, code: "not_found"},
	{route: "POST /api/agent/jobs/{id}/clarify", target: "/api/agent/jobs/job_456/clarify", body: `{"answer":"yes"}`, status: 200},
	{route: "POST /api/agent/jobs/{id}/clarify", target: "/api/agent/jobs/job_456/clarify", body: `{"answer":"yes"}`, engine: wire.Errorf(wire.CodeNotAsked, "nothing was asked"), status: 409, code: "nothing_asked"},
	{route: "POST /api/agent/jobs/{id}/approve", target: "/api/agent/jobs/job_456/approve", body: `{"approve":true,"arguments":{"path":"a.md"}}`, status: 200},
	{route: "POST /api/agent/jobs/{id}/approve", target: "/api/agent/jobs/job_456/approve", body: `{}`, status: 422, code: "invalid"},
	{route: "POST /api/agent/jobs/{id}/messages", target: "/api/agent/jobs/job_456/messages", body: `{"text":"And the others?"}`, status: 200},
	{route: "POST /api/agent/jobs/{id}/messages", target: "/api/agent/jobs/job_456/messages", body: `{"text":""}`, status: 422, code: "invalid"},
	{route: "GET /api/agent/jobs/{id}/stream", target: "/api/agent/jobs/job_456/stream", status: 200},
	{route: "GET /api/agent/jobs/{id}/stream", target: "/api/agent/jobs/none/stream", status: 404, code: "not_found"},
	{route: "GET /api/agent/sessions/{id}/ws", target: "/api/agent/sessions/nobody/ws", header: "Upgrade: websocket", status: 404, code: "not_found"},

	{route: "POST /api/agent/apply", body: `{"session_id":"sess_123","job_id":"job_456","accepted_hunk_ids":[]}`, status: 200},
	{route: "POST /api/agent/apply", body: `{"session_id":"sess_123","job_id":"job_456","accepted_hunk_ids":["h_1"],"accept_as_one":["h_1"]}`, status: 200},
	{route: "POST /api/agent/apply", body: `{"session_id":"sess_123","job_id":"job_456","accepted_hunk_ids":["h_1"]}`, engine: wire.Errorf(wire.CodeOversized, "split h_1 or name it in accept_as_one").With("hunk_id", "h_1"), status: 409, code: "oversized_hunk"},
	{route: "POST /api/agent/apply", body: `{"session_id":"sess_123","job_id":"job_456","accepted_hunk_ids":["h_1"]}`, engine: &ledger.Error{Code: ledger.Conflict, Reason: "the file has changed"}, status: 409, code: "conflict"},
	{route: "GET /api/agent/sessions/{id}/review", target: "/api/agent/sessions/sess_123/review", status: 200},
	{route: "GET /api/agent/sessions/{id}/review", target: "/api/agent/sessions/nobody/review", status: 404, code: "not_found"},
	{route: "GET /api/agent/sessions/{id}/change_log", target: "/api/agent/sessions/sess_123/change_log?file_path=a.md", status: 200},
	{route: "GET /api/agent/sessions/{id}/change_log", target: "/api/agent/sessions/nobody/change_log", status: 404, code: "not_found"},
	{route: "POST /api/agent/sessions/{id}/decide", target: "/api/agent/sessions/sess_123/decide", body: `{"accepted_hunk_ids":["h_1"],"hold":true}`, status: 200},
	{route: "POST /api/agent/sessions/{id}/decide", target: "/api/agent/sessions/sess_123/decide", body: `{"accepted_hunk_ids":"h_1"}`, status: 422, code: "invalid"},
	{route: "POST /api/agent/sessions/{id}/rebase", target: "/api/agent/sessions/sess_123/rebase", status: 200},
	{route: "POST /api/agent/sessions/{id}/rebase", target: "/api/agent/sessions/nobody/rebase", status: 404, code: "not_found"},
	{route: "POST /api/agent/sessions/{id}/undo", target: "/api/agent/sessions/sess_123/undo", body: `{"turn_id":"turn_1"}`, status: 200},
	{route: "POST /api/agent/sessions/{id}/undo", target: "/api/agent/sessions/sess_123/undo", engine: &ledger.Error{Code: ledger.NothingToUndo, Reason: "nothing is left"}, status: 409, code: "nothing_to_undo"},
	{route: "POST /api/agent/sessions/{id}/redo", target: "/api/agent/sessions/sess_123/redo", status: 200},
	{route: "POST /api/agent/sessions/{id}/redo", target: "/api/agent/sessions/sess_123/redo", body: `{"turn_id":"none"}`, status: 404, code: "not_found"},
	{route: "POST /api/agent/sessions/{id}/hunks/{hunk}/split", target: "/api/agent/sessions/sess_123/hunks/h_1/split", body: `{"old_lines":1,"added_lines":2}`, status: 200},
	{route: "POST /api/agent/sessions/{id}/hunks/{hunk}/split", target: "/api/agent/sessions/sess_123/hunks/h_1/split", body: `{"old_lines":-1,"added_lines":2}`, status: 422, code: "invalid"},
	{route: "POST /api/agent/sessions/{id}/hunks/{hunk}/edit", target: "/api/agent/sessions/sess_123/hunks/h_1/edit", body: `{"text":"mine\n"}`, status: 200},
	{route: "POST /api/agent/sessions/{id}/hunks/{hunk}/edit", target: "/api/agent/sessions/sess_123/hunks/h_9/edit", body: `{"text":"mine\n"}`, status: 404, code: "not_found"},

	{route: "GET /api/agent/checkpoints/{id}", target: "/api/agent/checkpoints/cp_1", status: 200},
	{route: "GET /api/agent/checkpoints/{id}", target: "/api/agent/checkpoints/none", status: 404, code: "not_found"},
	{route: "GET /api/agent/checkpoints/{id}/diff3", target: "/api/agent/checkpoints/cp_1/diff3?file_path=notes/meeting.md", status: 200},
	{route: "GET /api/agent/checkpoints/{id}/diff3", target: "/api/agent/checkpoints/cp_1/diff3", status: 400, code: "invalid"},
	{route: "GET /api/agent/checkpoints/{id}/diff3", target: "/api/agent/checkpoints/cp_1/diff3?file_path=../x", engine: wire.Errorf("outside_folder", "../x leads out of the folder"), status: 403, code: "outside_folder"},
	{route: "POST /api/agent/checkpoints/{id}/rollback", target: "/api/agent/checkpoints/cp_1/rollback", body: `{"mode":"scoped_selected","hunk_ids":["h_1"]}`, status: 200},
	{route: "POST /api/agent/checkpoints/{id}/rollback", target: "/api/agent/checkpoints/cp_1/rollback", body: `{"mode":"soft"}`, status: 422, code: "invalid"},

	{route: "GET /api/turns", target: "/api/turns?session_id=sess_123&limit=10", status: 200},
	{route: "GET /api/turns", target: "/api/turns?limit=many", status: 400, code: "invalid"},
	{route: "GET /api/turns/{id}", target: "/api/turns/turn_1", status: 200},
	{route: "GET /api/turns/{id}", target: "/api/turns/none", status: 404, code: "not_found"},
	{route: "GET /api/turns/{id}/lines", target: "/api/turns/turn_1/lines", status: 200},
	{route: "GET /api/turns/{id}/lines", target: "/api/turns/none/lines", status: 404, code: "not_found"},
	{route: "POST /api/turns/{id}/accept", target: "/api/turns/turn_1/accept", status: 200},
	{route: "POST /api/turns/{id}/accept", target: "/api/turns/turn_1/accept", body: `{"accept_as_one":["h_1"]}`, status: 200},
	{route: "POST /api/turns/{id}/accept", target: "/api/turns/none/accept", status: 404, code: "not_found"},
	{route: "POST /api/turns/{id}/reject", target: "/api/turns/turn_1/reject", status: 200},
	{route: "POST /api/turns/{id}/reject", target: "/api/turns/none/reject", status: 404, code: "not_found"},
	{route: "POST /api/turns/{id}/undo", target: "/api/turns/turn_1/undo", status: 200},
	{route: "POST /api/turns/{id}/undo", target: "/api/turns/none/undo", status: 404, code: "not_found"},

	{route: "GET /api/tree", target: "/api/tree?glob=**/*.md&depth=2", status: 200},
	{route: "GET /api/tree", target: "/api/tree?limit=-1", status: 400, code: "invalid"},
	{route: "GET /api/tree", target: "/api/tree?glob=[", engine: wire.Errorf(wire.CodeInvalid, "the glob cannot be understood"), status: 422, code: "invalid"},
	{route: "GET /api/documents", target: "/api/documents?file_path=notes/meeting.md&session_id=sess_123", status: 200},
	{route: "GET /api/documents", target: "/api/documents?file_path=none.md", status: 404, code: "not_found"},
	{route: "GET /api/documents", target: "/api/documents?file_path=photo.png", engine: wire.Errorf("unsupported_file_type", "photo.png is no text"), status: 422, code: "unsupported_file_type"},
	{route: "PUT /api/documents", body: `{"file_path":"notes/meeting.md","content":"","token":"sha256:..."}`, status: 200},
	{route: "PUT /api/documents", body: `{"file_path":"notes/meeting.md","content":""}`, engine: wire.Errorf(wire.CodeStale, "the text has changed").With("token", "sha256:..."), status: 409, code: "stale"},
	{route: "PUT /api/documents", body: `{"file_path":"notes/meeting.md","content":""}`, engine: wire.Errorf(wire.CodeLocked, "the agent works on it"), status: 409, code: "locked"},
	{route: "GET /api/tabs", status: 200},
	{route: "GET /api/tabs", target: "/api/tabs?folder=elsewhere", status: 404, code: "not_found"},
	{route: "POST /api/tabs", body: `{"file_path":"notes/meeting.md"}`, status: 200},
	{route: "POST /api/tabs", body: `{"file_path":""}`, status: 422, code: "invalid"},
	{route: "POST /api/tabs/close", body: `{"file_path":"notes/meeting.md"}`, status: 200},
	{route: "POST /api/tabs/close", body: `{"file_path":"none.md"}`, status: 404, code: "not_found"},
	{route: "GET /api/search", target: "/api/search?query=onboarding+checklist&limit=20", status: 200},
	{route: "GET /api/search", status: 400, code: "invalid"},
	{route: "GET /api/outline", target: "/api/outline?file_path=notes/meeting.md", status: 200},
	{route: "GET /api/outline", target: "/api/outline?file_path=none.md", status: 404, code: "not_found"},
	{route: "GET /api/history", target: "/api/history?file_path=notes/meeting.md", status: 200},
	{route: "GET /api/history", status: 400, code: "invalid"},

	{route: "GET /api/folders", status: 200},
	{route: "GET /api/folders", header: foreignPage, status: 403, code: "foreign_origin"},
	{route: "GET /api/trash", status: 200},
	{route: "GET /api/trash", target: "/api/trash?folder=elsewhere", status: 404, code: "not_found"},
	{route: "POST /api/trash/{id}/restore", target: "/api/trash/20260205_old.md/restore", status: 200},
	{route: "POST /api/trash/{id}/restore", target: "/api/trash/20260205_old.md/restore?folder=second", status: 200},
	{route: "POST /api/trash/{id}/restore", target: "/api/trash/20260205_old.md/restore", engine: wire.Errorf("already_exists", "old.md is there"), status: 409, code: "already_exists"},
	{route: "POST /api/trash/empty", status: 200},
	{route: "POST /api/trash/empty", target: "/api/trash/empty?folder=elsewhere", status: 404, code: "not_found"},
	{route: "GET /api/audit", target: "/api/audit?limit=5", status: 200},
	{route: "GET /api/audit", target: "/api/audit?limit=99999999999999999999", status: 400, code: "invalid"},
	{route: "GET /api/stats", status: 200},
	{route: "GET /api/stats", target: "/api/stats?folder=elsewhere", status: 404, code: "not_found"},
	{route: "GET /api/models", status: 200},
	{route: "GET /api/models", target: "/api/models?folder=elsewhere", status: 404, code: "not_found"},
	{route: "GET /api/config", status: 200},
	{route: "GET /api/config", target: "/api/config?folder=elsewhere", status: 404, code: "not_found"},

	{route: "POST /api/llm/chat-with-tools", body: `{}`, status: 200},
	{route: "POST /api/llm/chat-with-tools", body: `{}`, header: foreignPage, status: 403, code: "foreign_origin"},
	{route: "POST /api/llm/v1/stream", body: `{}`, status: 200},
	{route: "POST /api/llm/v1/stream", body: `{}`, header: foreignPage, status: 403, code: "foreign_origin"},
	{route: "GET /api/llm/usage", status: 200},
	{route: "GET /api/llm/usage", header: foreignPage, status: 403, code: "foreign_origin"},

	{route: "GET /healthz", status: 200},
	{route: "GET /healthz", header: foreignPage, status: 403, code: "foreign_origin"},
	{route: "GET /metrics", status: 200},
	{route: "GET /metrics", header: foreignPage, status: 403, code: "foreign_origin"},
	{route: "GET /", status: 200},
	{route: "GET /", header: foreignPage, status: 403, code: "foreign_origin"},
	{route: "GET /api/openapi.json", status: 200},
	{route: "GET /api/openapi.json", header: foreignPage, status: 403, code: "foreign_origin"},
	{route: "GET /api/docs", status: 200},
	{route: "GET /api/docs", header: foreignPage, status: 403, code: "foreign_origin"},
	{route: "GET /api/docs/style.css", status: 200},
	{route: "GET /api/docs/style.css", header: foreignPage, status: 403, code: "foreign_origin"},

	// The last: a socket asks in its own time.
	{route: "GET /api/agent/sessions/{id}/ws", target: "/api/agent/sessions/sess_123/ws", header: "Upgrade: websocket", status: 101},
}

// contract is a server with two folders behind its guard, and what its document says.
type contract struct {
	*httptest.Server
	engine   *fake
	log      *bytes.Buffer
	document openapi
	shapes   map[string]*jsonschema.Resolved // of the document, by their text
}

// openapi is as much of the document as the tests look at.
type openapi struct {
	Paths map[string]map[string]struct {
		Summary   string                `json:"summary"`
		Security  []map[string][]string `json:"security"`
		Responses map[string]struct {
			Content map[string]struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"content"`
		} `json:"responses"`
	} `json:"paths"`
	Components struct {
		Schemas json.RawMessage `json:"schemas"`
	} `json:"components"`
}

func newContract(t *testing.T) *contract {
	t.Helper()
	engine, other := newFake(), newFake()
	said := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "said") })
	clients, err := server.NewClients(t.Context(), nil, nil, func() time.Time { return day })
	if err != nil {
		t.Fatal(err)
	}
	log := &bytes.Buffer{}
	s := server.New(server.Options{
		Folders: []server.Folder{engine.folder("first"), other.folder("second")}, Version: "1.2.3",
		Guard:   &server.Guard{Token: token, Public: server.Public, MaxBody: 1 << 20},
		Metrics: said, Models: server.Models(clients, said), Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	c := &contract{Server: httptest.NewServer(s.Handler()), engine: engine, log: log, shapes: map[string]*jsonschema.Resolved{}}
	t.Cleanup(func() { s.Close(); c.Close() })
	body := c.send(t, attempt{route: "GET /api/openapi.json"}, true).body
	if err := json.Unmarshal(body, &c.document); err != nil {
		t.Fatal(err)
	}
	return c
}

// reply is what came back.
type reply struct {
	status int
	header http.Header
	body   []byte
}

func (c *contract) send(t *testing.T, a attempt, withToken bool) reply {
	t.Helper()
	method, target, _ := strings.Cut(a.route, " ")
	if a.target != "" {
		target = a.target
	}
	var body io.Reader = strings.NewReader(a.body)
	if a.header == chunked {
		body = struct{ io.Reader }{body} // of a length that nobody knows
	}
	r, err := http.NewRequestWithContext(t.Context(), method, c.URL+target, body)
	if err != nil {
		t.Fatal(err)
	}
	if method != http.MethodGet {
		r.Header.Set("Content-Type", "application/json")
	}
	if withToken {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if name, value, ok := strings.Cut(a.header, ": "); ok && a.header != chunked {
		r.Header.Set(name, value)
		if name == "Upgrade" {
			r.Header.Set("Connection", "Upgrade")
			r.Header.Set("Sec-WebSocket-Version", "13")
			r.Header.Set("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
		}
	}
	answer, err := c.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusSwitchingProtocols {
		return reply{status: answer.StatusCode, header: answer.Header}
	}
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{answer.StatusCode, answer.Header, said}
}

var update = flag.Bool("update", false, "write the golden files anew")

// TestContract: each route of the document accepts what it should and refuses what it
// should, in the shapes and with the statuses that the document has; and it asks the
// engine for what testdata/asked.txt says.
func TestContract(t *testing.T) {
	c := newContract(t)
	var asked strings.Builder
	type tried struct{ accepted, refused bool }
	seen := map[string]tried{}
	for _, a := range attempts {
		name := fmt.Sprintf("%s %d %s", a.route, a.status, a.code)
		c.engine.refuse(a.engine)
		before := len(c.engine.asked())
		got := c.send(t, a, true)
		if got.status != a.status {
			t.Errorf("%s: %d, want %d: %.300s", name, got.status, a.status, got.body)
			continue
		}
		c.checkShape(t, name, a, got)
		s := seen[a.route]
		if a.code == "" {
			s.accepted = true
			if a.status != http.StatusSwitchingProtocols { // a socket asks in its own time
				a.trace(&asked, c.engine.asked()[before:])
				c.checkToken(t, name, a)
			}
		} else {
			s.refused = true
			checkError(t, name, a, got)
		}
		seen[a.route] = s
	}
	golden(t, "testdata/asked.txt", asked.String())
	for path, methods := range c.document.Paths {
		for method, op := range methods {
			route := strings.ToUpper(method) + " " + path
			if s := seen[route]; !s.accepted || !s.refused {
				t.Errorf("%s: accepted %v, refused %v; both have to be tried", route, s.accepted, s.refused)
			}
			if op.Summary == "" {
				t.Errorf("%s has no summary", route)
			}
			delete(seen, route)
		}
	}
	for route := range seen {
		t.Errorf("%s is not in the document", route)
	}
	if strings.Contains(c.log.String(), token) || !strings.Contains(c.log.String(), "SECRET of the inside") {
		t.Errorf("the log: %s", c.log)
	}
}

// trace writes what a request made the engine do.
func (a attempt) trace(w io.Writer, calls []string) {
	if len(calls) == 0 {
		return
	}
	method, target, _ := strings.Cut(a.route, " ")
	if a.target != "" {
		target = a.target
	}
	fmt.Fprintln(w, strings.TrimSpace(method+" "+target+" "+a.body))
	for _, c := range calls {
		fmt.Fprintln(w, "\t"+c)
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: - wanted, + got:\n%s", file, diff)
	}
}

// checkToken: without the token nothing is answered but what is public, and the engine
// is not asked.
func (c *contract) checkToken(t *testing.T, name string, a attempt) {
	t.Helper()
	before := len(c.engine.asked())
	method, path, _ := strings.Cut(a.route, " ")
	public := c.document.Paths[path][strings.ToLower(method)].Security == nil
	got := c.send(t, a, false)
	if public != (got.status == a.status) || !public && got.status != http.StatusUnauthorized {
		t.Errorf("%s: %d without a token", name, got.status)
	}
	if after := c.engine.asked(); !public && len(after) != before {
		t.Errorf("%s: the engine was asked for %s without a token", name, after[before:])
	}
}

func checkError(t *testing.T, name string, a attempt, got reply) {
	t.Helper()
	var e wire.Error
	if err := json.Unmarshal(got.body, &e); err != nil || e.Code != a.code || e.Message == "" || e.Details == nil {
		t.Errorf("%s: body %s", name, got.body)
	}
	if strings.Contains(string(got.body), "SECRET") || strings.ContainsAny(string(got.body), "<>") {
		t.Errorf("%s: the error tells too much: %s", name, got.body)
	}
}

// checkShape holds an answer against the document.
func (c *contract) checkShape(t *testing.T, name string, a attempt, got reply) {
	t.Helper()
	method, path, _ := strings.Cut(a.route, " ")
	op, ok := c.document.Paths[path][strings.ToLower(method)]
	if !ok {
		return
	}
	answer, ok := op.Responses[fmt.Sprint(got.status)]
	if !ok {
		t.Errorf("%s: the document does not know the status", name)
		return
	}
	if link := got.header.Get("Link"); link != "" {
		t.Errorf("%s: header Link: %s", name, link)
	}
	for media, content := range answer.Content {
		if media != "application/json" || !bytes.Contains(content.Schema, []byte("$ref")) {
			continue
		}
		if got.header.Get("Content-Type") != media {
			t.Errorf("%s: type %s", name, got.header.Get("Content-Type"))
		}
		c.validate(t, name, content.Schema, got.body)
	}
}

func (c *contract) validate(t *testing.T, name string, schema, body []byte) {
	t.Helper()
	resolved, ok := c.shapes[string(schema)]
	if !ok {
		resolved = c.resolve(t, name, schema)
		c.shapes[string(schema)] = resolved
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		t.Fatalf("%s: %v: %s", name, err, body)
	}
	if err := resolved.Validate(value); err != nil {
		t.Errorf("%s: not what the document says: %v: %s", name, err, body)
	}
}

func (c *contract) resolve(t *testing.T, name string, schema []byte) *jsonschema.Resolved {
	t.Helper()
	whole := fmt.Sprintf(`{"$defs":%s,"allOf":[%s]}`, c.document.Components.Schemas, schema)
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(strings.ReplaceAll(whole, "#/components/schemas/", "#/$defs/")), &s); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return resolved
}
