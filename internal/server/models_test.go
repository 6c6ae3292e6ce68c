package server_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"redline/internal/server"
	"redline/internal/wire"
)

// kept is a store in memory.
type kept struct {
	data []byte
	err  error
}

func (k *kept) LoadUsage(context.Context) ([]byte, error)       { return k.data, k.err }
func (k *kept) SaveUsage(_ context.Context, usage []byte) error { k.data = usage; return k.err }

const (
	phoneToken = "fedcba9876543210"
	deskToken  = "a-third-token-that-is-long"
)

var clients = []server.Client{{Name: "phone", Token: phoneToken, Quota: 100}, {Name: "desk", Token: deskToken}}

// modelServer is a guard before the routes of the models; each request takes 60
// tokens.
func modelServer(t *testing.T, k *kept, now func() time.Time) http.Handler {
	t.Helper()
	c, err := server.NewClients(t.Context(), clients, k, now)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/api/llm/", server.Models(c, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := server.ClientOf(r.Context())
		if err := c.Allow(name); err != nil {
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, err.(*wire.Error).Code)
			return
		}
		if err := c.Add(r.Context(), name, server.Used{Input: 40, Output: 20, CostUSD: 0.5}); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, name+" at "+r.URL.Path)
	})))
	mux.Handle("/", routes)
	g := newGuard()
	g.Clients = c.Known
	return g.Wrap(mux)
}

func told(h http.Handler, r *http.Request) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, strings.TrimSpace(w.Body.String())
}

func as(token string) []string { return []string{"Authorization", "Bearer " + token} }

// TestClients: the token of a client opens the models, as far as its quota goes, and
// nothing else.
func TestClients(t *testing.T) {
	now := time.Date(2026, 1, 2, 23, 0, 0, 0, time.UTC)
	k := &kept{}
	h := modelServer(t, k, func() time.Time { return now })
	check := func(r *http.Request, status int, want string) {
		t.Helper()
		if got, body := told(h, r); got != status || !strings.Contains(body, want) {
			t.Errorf("%s %s: %d %s; want %d %s", r.Method, r.URL, got, body, status, want)
		}
	}
	const chat = "/api/llm/chat-with-tools"
	check(request("POST", chat, as(phoneToken)...), 200, "phone at /chat-with-tools")
	check(request("POST", "/api/llm/v1/stream", as(phoneToken)...), 200, "phone at /v1/stream")
	check(request("POST", chat, as(phoneToken)...), 429, "quota_exceeded")
	check(request("POST", chat, as(token)...), 200, "(user) at /chat-with-tools")
	check(request("POST", chat, as("nobody's token")...), 401, "unauthorized")
	check(request("POST", chat), 401, "unauthorized")
	check(request("GET", "/api/llm/usage", as(phoneToken)...), 200, `{"clients":[{"client":"phone","quota_tokens_per_day":100,"tokens_today":120,"requests":2,"input_tokens":80,"output_tokens":40,"cost_usd":1}]}`)
	check(request("GET", "/api/llm/usage", as(token)...), 200, `"client":"desk"`)
	check(request("GET", chat, as(phoneToken)...), 405, "use POST")
	check(request("POST", "/api/llm/usage", as(phoneToken)...), 405, "use GET")
	check(request("GET", "/api/llm/other", as(phoneToken)...), 404, "not_found")
	for _, target := range []string{"/api/agent/run", "/metrics", "/api/llm", "/api/llmx"} {
		check(request("GET", target, as(phoneToken)...), 401, "unauthorized")
	}
	for _, target := range []string{"/api/llm/../agent/run", "/api/llm/%2e%2e/agent/run", "/api/llm//../agent/run", "/api/llm/x%2fy"} {
		check(request("GET", target, as(phoneToken)...), 404, "not_found")
	}

	h = modelServer(t, k, func() time.Time { return now }) // the server starts again
	check(request("POST", chat, as(phoneToken)...), 429, "quota_exceeded")
	now = now.Add(time.Hour)
	check(request("POST", chat, as(phoneToken)...), 200, "phone")
	check(request("GET", "/api/llm/usage", as(phoneToken)...), 200, `"tokens_today":60,"requests":3`)
}

// TestBrokenUsage: what cannot be read is told, and not taken for nothing.
func TestBrokenUsage(t *testing.T) {
	for _, k := range []*kept{{err: errors.New("the disk is broken")}, {data: []byte("{")}} {
		if _, err := server.NewClients(t.Context(), clients, k, time.Now); err == nil || !strings.Contains(err.Error(), "read what the clients of the models have used") {
			t.Errorf("got %v", err)
		}
	}
}
