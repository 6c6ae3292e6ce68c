package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"redline/llm"
	"redline/llm/app"
	"redline/llm/llmtest"
)

// provider is a model made of a function.
type provider func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error]

func (p provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return p(ctx, req)
}

// emits is a model that answers with what produce emits.
func emits(produce func(ctx context.Context, e *llm.Emitter) error) provider {
	return func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		return llm.Emit(ctx, req, produce)
	}
}

func says(text string) provider {
	return emits(func(_ context.Context, e *llm.Emitter) error {
		e.Text(0, text)
		e.Usage(llm.Usage{Input: 10, Output: 5})
		e.Stop(llm.StopEnd)
		return nil
	})
}

// able can do everything.
var able = llm.Abilities{Tools: true, Images: true, Documents: true, Temperature: true, Structured: true}

// large is the model as the server knows it; fast is what clients call it.
var (
	large = llm.Model{ID: "large-3", Provider: "acme", API: llm.APIMessages, Can: able, Price: &llm.Price{Input: 1, Output: 2}}
	fast  = llm.Model{ID: "fast", Provider: "our", API: llm.APIApp, Can: able, BaseURL: "https://claimed.example.com", Price: &llm.Price{}}
)

// records gathers what was tracked.
type records chan app.Record

func (r records) next(t *testing.T) app.Record {
	t.Helper()
	select {
	case got := <-r:
		if got.Took <= 0 || time.Since(got.Began) > time.Hour {
			t.Errorf("it began %s and took %s", got.Began, got.Took)
		}
		got.Began, got.Took = time.Time{}, 0
		return got
	case <-time.After(30 * time.Second):
		t.Fatal("the request was never tracked")
	}
	return app.Record{}
}

func (r records) noMore(t *testing.T) {
	t.Helper()
	select {
	case again := <-r:
		t.Errorf("tracked again: %+v", again)
	default:
	}
}

// serve runs a server whose only model is p. Change may alter its config.
func serve(t *testing.T, p llm.Provider, change func(*app.Config)) (*httptest.Server, records) {
	t.Helper()
	tracked := make(records, 100)
	c := app.Config{
		Authorise: app.FixedTokens(map[llm.Secret]string{"token-of-anna": "anna", "token-of-ben": "ben"}),
		Resolve: func(_ context.Context, _, name string) (llm.Provider, llm.Model, error) {
			if name != fast.Name() {
				return nil, llm.Model{}, errors.New("no row in table models")
			}
			return p, large, nil
		},
		Track: func(r app.Record) { tracked <- r },
	}
	if change != nil {
		change(&c)
	}
	server := httptest.NewServer(app.Handler(c))
	t.Cleanup(server.Close)
	return server, tracked
}

func open(t *testing.T, server *httptest.Server, token llm.Secret) llm.Provider {
	t.Helper()
	client, err := app.New(llm.Endpoint{BaseURL: server.URL, Key: token, Proxy: "direct"})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func asking(text string) llm.Request {
	return llm.Request{Model: fast, Messages: []llm.Message{llm.User(text)}}
}

// talkative uses all that a stream can have.
func talkative(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return llm.Emit(ctx, req, func(_ context.Context, e *llm.Emitter) error {
		e.Route(llm.Choice{Mode: "hybrid_auto", Side: "local", Provider: "home", Model: "small", Reason: "local first"})
		e.Start("", "")
		e.Text(7, "void")
		took := 0.25
		e.Restart(&llm.Reply{Provider: "home", Model: "small", Stop: llm.StopError, Usage: llm.Usage{Input: 3}, CostUSD: &took},
			&llm.Failure{Class: llm.ClassOverloaded, Message: "busy", Retry: true}, time.Second)
		e.Start("large-3-0601", "resp-1")
		e.Thinking(0, "Let me <think>. ")
		e.SignThinking(0, "sig-1")
		e.End(0)
		e.Redacted(1, "sig-2")
		e.End(1)
		e.Text(2, "Grüße\n")
		e.Text(2, "& more")
		e.SignText(2, "sig-3")
		e.Call(3, "a", "read_file")
		e.Call(4, "b", "search")
		e.Arguments(3, `{"path":`)
		e.Arguments(4, `{"query":"x`)
		e.Arguments(3, `"a.md"}`)
		e.Sign(4, "sig-4")
		e.End(4) // its arguments are cut
		e.Usage(llm.Usage{Input: 12, Output: 50, CacheRead: 100, CacheWrite: 20, Reasoning: 30})
		e.Stop(llm.StopToolUse)
		return nil
	})
}

// ownTimes are measured on each side.
var ownTimes = cmpopts.IgnoreFields(llm.Reply{}, "Latency", "FirstToken")

// TestSameStream: what comes through a server is what its provider said.
func TestSameStream(t *testing.T) {
	server, tracked := serve(t, provider(talkative), nil)
	want := events(t, talkative(t.Context(), llm.Request{Model: large, Messages: []llm.Message{llm.User("Talk.")}}))
	got := events(t, open(t, server, "token-of-anna").Stream(t.Context(), asking("Talk.")))
	if d := cmp.Diff(want, got, ownTimes); d != "" {
		t.Errorf("events (-direct +through the server):\n%s", d)
	}
	cost := *large.Cost(llm.Usage{Input: 12, Output: 50}) + 0.25
	wantRecord := app.Record{
		Account: "anna", Model: "acme/large-3", CostUSD: &cost, Stop: llm.StopToolUse,
		Usage: llm.Usage{Input: 15, Output: 50, CacheRead: 100, CacheWrite: 20, Reasoning: 30},
	}
	if d := cmp.Diff(wantRecord, tracked.next(t)); d != "" {
		t.Errorf("tracked (-want +got):\n%s", d)
	}
	tracked.noMore(t)
}

func events(t *testing.T, stream iter.Seq2[llm.Event, error]) []llm.Event {
	t.Helper()
	var list []llm.Event
	llmtest.Check(t, func(yield func(llm.Event, error) bool) {
		for ev, err := range stream {
			list = append(list, ev)
			if !yield(ev, err) {
				return
			}
		}
	})
	return list
}

// TestSameRequest: the server's provider is asked what the client was asked, but
// with the facts of the server about the model.
func TestSameRequest(t *testing.T) {
	var got llm.Request
	server, _ := serve(t, provider(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		got = req
		return says("ok")(ctx, req)
	}), nil)
	temperature := 0.7
	picture := llm.Image{MIMEType: "image/png", Data: []byte{0, 1, 2, 255}}
	call := llm.Assistant(llm.Text{Text: "Looking <there> & here."}, llm.ToolCall{ID: "1", Name: "look", Arguments: json.RawMessage(`{"at":"<a>"}`)})
	call.Reply = &llm.Reply{Provider: "acme", API: llm.APIMessages, Model: "large-3", Stop: llm.StopToolUse}
	req := llm.Request{
		Model: fast, System: "Be brief.", ToolChoice: "auto", Thinking: llm.ThinkLow, MaxTokens: 4000, Temperature: &temperature, CacheKey: "c",
		Messages: []llm.Message{
			llm.User("What is this?", picture, llm.Document{Name: "a.pdf", MIMEType: "application/pdf", Data: []byte("%PDF"), Text: "text"}),
			call,
			llm.Answer(llm.ToolResult{CallID: "1", Name: "look", Output: "a thing", Images: []llm.Image{picture}, Details: json.RawMessage(`{"private":true}`)}),
		},
		Tools:  []llm.ToolSpec{{Name: "look", Description: "Look.", Schema: json.RawMessage(`{"type":"object"}`)}},
		Output: &llm.Output{Name: "verdict", Schema: json.RawMessage(`{"type":"object"}`)},
	}
	llmtest.Check(t, open(t, server, "token-of-anna").Stream(t.Context(), req))

	want := req
	want.Model = large
	want.Messages = append([]llm.Message(nil), req.Messages...)
	result, _ := req.Messages[2].ToolResult()
	if result.Details == nil {
		t.Error("the caller's own message lost its details")
	}
	result.Details = nil // for screens
	want.Messages[2] = llm.Answer(result)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("request (-want +got):\n%s", d)
	}
}

// TestHistoryGoesOn: thinking that came through the server is sent back with its
// signature, although the client calls the model by another name.
func TestHistoryGoesOn(t *testing.T) {
	var history []llm.Message
	server, _ := serve(t, provider(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		history = llm.Adapt(req.Messages, req.Model, llm.PlainIDs)
		return talkative(ctx, req)
	}), nil)
	client := open(t, server, "token-of-anna")
	req := asking("Talk.")
	said := llmtest.Check(t, client.Stream(t.Context(), req))
	req.Messages = append(req.Messages, said, llm.User("Go on."))
	llmtest.Check(t, client.Stream(t.Context(), req))
	thought, ok := history[1].Content[0].(llm.Thinking)
	if !ok || thought.Signature != "sig-1" {
		t.Errorf("the thinking went back as %#v", history[1].Content[0])
	}
}

// TestTrackedOnce: whatever a provider does, the request is tracked once.
func TestTrackedOnce(t *testing.T) {
	cost := func(u llm.Usage) *float64 { return large.Cost(u) }
	for name, c := range map[string]struct {
		provider provider
		want     app.Record
		told     llm.Class // what the client learns
	}{
		"answers": {
			says("ok"),
			app.Record{Stop: llm.StopEnd, Usage: llm.Usage{Input: 10, Output: 5}, CostUSD: cost(llm.Usage{Input: 10, Output: 5})}, "",
		},
		"fails": {
			emits(func(_ context.Context, e *llm.Emitter) error {
				e.Text(0, "half")
				e.Usage(llm.Usage{Input: 7})
				return &llm.Failure{Class: llm.ClassOverloaded, Message: "busy", Retry: true}
			}),
			app.Record{Stop: llm.StopError, Class: llm.ClassOverloaded, Usage: llm.Usage{Input: 7}, CostUSD: cost(llm.Usage{Input: 7})}, llm.ClassOverloaded,
		},
		"has an attempt whose price is not known": {
			emits(func(_ context.Context, e *llm.Emitter) error {
				e.Restart(&llm.Reply{Usage: llm.Usage{Input: 3}, CostUSD: new(float64)}, &llm.Failure{Class: llm.ClassOverloaded, Message: "busy"}, 0)
				e.Relay(llm.Reply{Provider: "acme", Model: "large-3"})
				e.Text(0, "ok")
				e.Stop(llm.StopEnd)
				return nil
			}),
			app.Record{Stop: llm.StopEnd, Usage: llm.Usage{Input: 3}}, "",
		},
		"is misused": {
			func(context.Context, llm.Request) iter.Seq2[llm.Event, error] {
				return func(yield func(llm.Event, error) bool) { yield(llm.Event{}, errors.New("no model")) }
			},
			app.Record{Stop: llm.StopError, Class: llm.ClassInvalidRequest}, llm.ClassInvalidRequest,
		},
		"ends without an end": {
			func(context.Context, llm.Request) iter.Seq2[llm.Event, error] {
				return func(yield func(llm.Event, error) bool) { yield(llm.Event{Type: llm.EventStart}, nil) }
			},
			app.Record{Stop: llm.StopError}, llm.ClassNetwork,
		},
		"panics": {
			emits(func(_ context.Context, e *llm.Emitter) error {
				e.Text(0, "half")
				panic(http.ErrAbortHandler) // any other would be logged by net/http
			}),
			app.Record{Stop: llm.StopError}, llm.ClassNetwork,
		},
	} {
		t.Run(name, func(t *testing.T) {
			server, tracked := serve(t, c.provider, nil)
			m := llmtest.Check(t, open(t, server, "token-of-ben").Stream(t.Context(), asking("Do it.")))
			if f := m.Reply.Failure; c.told != "" && (f == nil || f.Class != c.told) || c.told == "" && f != nil {
				t.Errorf("the client learnt %v, want %q", f, c.told)
			}
			c.want.Account, c.want.Model = "ben", "acme/large-3"
			if d := cmp.Diff(c.want, tracked.next(t)); d != "" {
				t.Errorf("tracked (-want +got):\n%s", d)
			}
			server.Close() // when it has, all that could track has ended
			tracked.noMore(t)
		})
	}
}

// drip is a model that says a word and then nothing until it is cancelled.
func drip(ended chan<- struct{}) provider {
	return emits(func(ctx context.Context, e *llm.Emitter) error {
		e.Usage(llm.Usage{Input: 10})
		e.Text(0, "Hello")
		<-ctx.Done()
		close(ended)
		return ctx.Err()
	})
}

// TestClientGone: a client that cancels or leaves ends the request to the model.
func TestClientGone(t *testing.T) {
	for name, leave := range map[string]func(t *testing.T, client llm.Provider){
		"cancels": func(t *testing.T, client llm.Provider) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			m := llmtest.Check(t, func(yield func(llm.Event, error) bool) {
				for ev, err := range client.Stream(ctx, asking("Hello?")) {
					if ev.Type == llm.EventTextDelta {
						cancel()
					}
					if !yield(ev, err) {
						return
					}
				}
			})
			if m.Stop() != llm.StopAborted || m.Text() != "Hello" {
				t.Errorf("%q, stop reason %q", m.Text(), m.Stop())
			}
		},
		"leaves": func(t *testing.T, client llm.Provider) {
			for ev := range client.Stream(t.Context(), asking("Hello?")) {
				if ev.Type == llm.EventTextDelta {
					break
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			ended := make(chan struct{})
			server, tracked := serve(t, drip(ended), nil)
			leave(t, open(t, server, "token-of-anna"))
			<-ended
			want := app.Record{Account: "anna", Model: "acme/large-3", Stop: llm.StopAborted, Usage: llm.Usage{Input: 10}, CostUSD: large.Cost(llm.Usage{Input: 10})}
			if d := cmp.Diff(want, tracked.next(t)); d != "" {
				t.Errorf("tracked (-want +got):\n%s", d)
			}
			server.Close()
			tracked.noMore(t)
		})
	}
}

// writer is what some middleware makes of a connection: it cannot flush, has no
// deadlines and does not say when the client is gone.
type writer struct {
	bytes.Buffer
	full int // it fails behind so many bytes
}

func (w *writer) Header() http.Header { return http.Header{} }
func (w *writer) WriteHeader(int)     {}

func (w *writer) Write(p []byte) (int, error) {
	if w.Len()+len(p) > w.full {
		return 0, io.ErrShortWrite
	}
	return w.Buffer.Write(p)
}

// TestPlainWriter: the handler needs no more of a connection than that it can be
// written to, and notices when it cannot.
func TestPlainWriter(t *testing.T) {
	for full, want := range map[int]llm.StopReason{1 << 20: llm.StopEnd, 400: llm.StopAborted} {
		var stop llm.StopReason
		words := emits(func(ctx context.Context, e *llm.Emitter) error {
			for range 10 {
				e.Text(0, "word ")
			}
			e.Stop(llm.StopEnd)
			return ctx.Err()
		})
		c := only(words)
		c.Track = func(r app.Record) { stop = r.Stop }
		w := &writer{full: full}
		r := httptest.NewRequest(http.MethodPost, app.Path, strings.NewReader(`{"model":"our/fast","messages":[{"role":"user","content":"Talk."}]}`))
		r.Header.Set("Authorization", "Bearer t")
		r.Header.Set("Content-Type", "application/json")
		app.Handler(c).ServeHTTP(w, r)
		if stop != want || (strings.Contains(w.String(), `"done"`) != (want == llm.StopEnd)) {
			t.Errorf("full after %d bytes: stop reason %q, want %q; written:\n%s", full, stop, want, w)
		}
	}
}
