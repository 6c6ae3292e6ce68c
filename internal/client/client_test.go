package client_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline/internal/client"
	"redline/internal/wire"
)

// TestRequests: what is asked of the server, and how, as its API has it.
func TestRequests(t *testing.T) {
	ctx := t.Context()
	tests := []struct {
		want string // method, path and body
		ask  func(*client.Client) error
	}{
		{`GET /healthz`, func(c *client.Client) error { return c.Ping(ctx) }},
		{`GET /api/folders`, func(c *client.Client) error { _, err := c.Folders(ctx); return err }},
		{`POST /api/agent/sessions {"folder":"notes","review":"hunks"}`, func(c *client.Client) error {
			_, err := c.Create(ctx, wire.SessionOptions{Folder: "notes", Review: "hunks"})
			return err
		}},
		{`GET /api/agent/sessions/a%2Fb`, func(c *client.Client) error { _, err := c.Session(ctx, "a/b"); return err }},
		{`GET /api/agent/sessions?folder=my+notes`, func(c *client.Client) error { _, err := c.Sessions(ctx, "my notes"); return err }},
		{`POST /api/agent/sessions/s/archive {"archived":true}`, func(c *client.Client) error { return c.Archive(ctx, "s", true) }},
		{`POST /api/agent/run {"session_id":"s","instruction":"do"}`, func(c *client.Client) error {
			_, err := c.Run(ctx, wire.RunRequest{Session: "s", Instruction: "do"})
			return err
		}},
		{`GET /api/agent/jobs/j`, func(c *client.Client) error { _, err := c.Job(ctx, "j"); return err }},
		{`GET /api/agent/jobs/j/events?cursor=3&limit=2`, func(c *client.Client) error { _, err := c.Events(ctx, "j", 3, 2); return err }},
		{`POST /api/agent/jobs/j/cancel`, func(c *client.Client) error { return c.Cancel(ctx, "j") }},
		{`POST /api/agent/jobs/j/resume`, func(c *client.Client) error { _, err := c.Resume(ctx, "j"); return err }},
		{`POST /api/agent/jobs/j/rerun`, func(c *client.Client) error { _, err := c.Rerun(ctx, "j"); return err }},
		{`POST /api/agent/jobs/j/clarify {"answer":"yes"}`, func(c *client.Client) error { return c.Clarify(ctx, "j", wire.ClarifyRequest{Answer: "yes"}) }},
		{`POST /api/agent/jobs/j/approve {"approve":true}`, func(c *client.Client) error { return c.Approve(ctx, "j", wire.ApproveRequest{Approve: true}) }},
		{`POST /api/agent/jobs/j/messages {"text":"wait"}`, func(c *client.Client) error { return c.Say(ctx, "j", wire.SayRequest{Text: "wait"}) }},
		{`POST /api/agent/apply {"session_id":"s","job_id":"j","accepted_hunk_ids":["h"]}`, func(c *client.Client) error {
			_, err := c.Apply(ctx, wire.ApplyRequest{Session: "s", Job: "j", Accepted: []string{"h"}})
			return err
		}},
		{`GET /api/turns/t`, func(c *client.Client) error { _, err := c.Turn(ctx, "t"); return err }},
	}
	for _, tt := range tests {
		t.Run(tt.want, func(t *testing.T) {
			got := ""
			c, _ := serve(t, "secret", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got = strings.TrimRight(r.Method+" "+r.URL.RequestURI()+" "+readAll(r.Body), " ")
				if r.Header.Get("Authorization") != "Bearer secret" {
					t.Error("it does not show the token")
				}
				if r.Method == http.MethodPost && r.Header.Get("Content-Type") != "application/json" {
					t.Error("it does not say that the body is JSON")
				}
				fmt.Fprint(w, "{}")
			}))
			if err := tt.ask(c); err != nil {
				t.Error(err)
			}
			if got != tt.want {
				t.Errorf("got  %s", got)
			}
		})
	}
}

// TestRefused: what a server refuses comes back as it says it; what is no server of
// ours is called so. The token is sent to nobody else.
func TestRefused(t *testing.T) {
	tests := []struct {
		name   string
		answer func(http.ResponseWriter)
		code   string
		words  string
	}{
		{"an error of the engine", func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusConflict)
			fmt.Fprint(w, `{"error":"conflict","message":"a.md was changed","details":{"files":["a.md"]}}`)
		}, "conflict", "a.md was changed"},
		{"a page", func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusBadGateway)
			fmt.Fprint(w, "<html>")
		}, "internal", "what answers at http://server.test is no server of Redline, or one of another version: 502 Bad Gateway"},
		{"another place", func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://elsewhere.test/")
			w.WriteHeader(http.StatusFound)
		}, "internal", "what answers at http://server.test is no server of Redline, or one of another version: 302 Found"},
		{"an endless error", func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusInternalServerError)
			for range 100 {
				fmt.Fprint(w, strings.Repeat(" ", 64<<10))
			}
		}, "internal", "what answers at http://server.test is no server of Redline, or one of another version: 500 Internal Server Error"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			c, _ := serve(t, "secret", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked++
				tt.answer(w)
			}))
			_, err := c.Converse(t.Context(), "s1", client.ConversationOptions{})
			for _, err := range []error{c.Ping(t.Context()), err} {
				var e *wire.Error
				if !errors.As(err, &e) || e.Code != tt.code || e.Message != tt.words || e.Details == nil {
					t.Errorf("got %#v", err)
				}
			}
			if asked != 2 {
				t.Errorf("it was asked %d times", asked)
			}
		})
	}
}

func TestAddresses(t *testing.T) {
	for _, wrong := range []string{"", "localhost:7333", "ftp://localhost", "http://", "unix:", "http://h:1/api", "http://user:pass@h:1", "http://h:1?token=x", "http://h:1#x", "http://h :1"} {
		if _, err := client.New(wrong, client.Options{}); err == nil {
			t.Errorf("%q is taken for an address", wrong)
		}
	}
	for _, right := range []string{"http://127.0.0.1:7333", "https://[::1]:7333/", "unix:/run/x.sock"} {
		if _, err := client.New(right, client.Options{}); err != nil {
			t.Errorf("%s: %v", right, err)
		}
	}
}

// TestSocket: a server behind a unix socket; and one that is gone, whose socket is
// left.
func TestSocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "s") // that of the test may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Skip(err)
	}
	listener.(*net.UnixListener).SetUnlinkOnClose(false)
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "localhost" {
			t.Errorf("the server is called %s", r.Host)
		}
	})}
	go func() { _ = s.Serve(listener) }()
	c, err := client.New("unix:"+path, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Ping(context.Background()); err != nil {
		t.Error(err)
	}
	_ = s.Close()
	var gone *client.Unreachable
	if err := c.Ping(context.Background()); !errors.As(err, &gone) {
		t.Errorf("got %v", err)
	}
	if _, err := c.Converse(context.Background(), "s", client.ConversationOptions{}); !errors.As(err, &gone) {
		t.Errorf("got %v", err)
	}
}
