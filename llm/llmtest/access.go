package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"redline/llm"
)

// secretKey: the service repeats the key in its errors, and still no event
// shows it; nor does the provider itself, printed.
func (s suite) secretKey(t *testing.T) {
	refusal := s.answer(t, "error_auth")
	middle := s.answer(t, "mid_error")
	for name, a := range map[string]answer{
		"ordinary": s.answer(t, "text"),
		"refusal":  refusal.saying(key),
		"middle":   {middle.status, middle.header, bytes.Replace(middle.body, []byte("Overloaded"), []byte("Overloaded "+key), 1)},
	} {
		if name != "ordinary" && !bytes.Contains(a.body, []byte(key)) {
			t.Fatalf("%s: the suite found no place in the answer for the key:\n%s", name, a.body)
		}
		server := serve(t, whole(a))
		var traces traces
		provider := s.open(t, server.URL, func(e *llm.Endpoint) { e.Trace = traces.add })
		if text := fmt.Sprintf("%v %+v %#v %s", provider, provider, provider, provider); strings.Contains(text, key) {
			t.Errorf("the provider prints the key: give it a method Format")
		}
		m := follow(t, provider.Stream(t.Context(), s.asking("Hello?")), func(ev llm.Event) {
			noKey(t, name+", event", ev)
		})
		if m.Reply != nil && m.Reply.Failure != nil {
			noKey(t, name+", failure", m.Reply.Failure.Error())
		}
		for _, e := range traces.list() {
			noKey(t, name+", trace", e)
			noKey(t, name+", traced bytes", fmt.Sprintf("%s %s", e.Request, e.Answer))
		}
		for _, r := range server.requests() {
			if !strings.Contains(fmt.Sprint(r.url, r.header), key) {
				t.Errorf("%s: the key was not sent", name)
			}
		}
	}
}

func noKey(t *testing.T, where string, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Errorf("%s: %v", where, err)
	}
	if text := fmt.Sprintf("%+v %#v %s", v, v, data); strings.Contains(text, key) {
		t.Errorf("%s shows the key: %s", where, text)
	}
}

// traces gathers exchanges.
type traces struct {
	mu  sync.Mutex
	got []llm.Exchange
}

func (tr *traces) add(e llm.Exchange) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.got = append(tr.got, e)
}

func (tr *traces) list() []llm.Exchange {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.got
}

// trace: every exchange has been told when the stream has ended, however it
// did.
func (s suite) trace(t *testing.T) {
	for _, name := range []string{"text", "cut", "mid_error", "error_overloaded"} {
		a := s.answer(t, name)
		server := serve(t, whole(a))
		var traces traces
		provider := s.open(t, server.URL, func(e *llm.Endpoint) { e.Trace = traces.add })
		Check(t, provider.Stream(t.Context(), s.asking("Hello?")))
		list := traces.list()
		if len(list) != 1 {
			t.Errorf("%s: %d exchanges were told, want 1", name, len(list))
			continue
		}
		sent := server.requests()[0]
		if e := list[0]; e.Status != a.status || !bytes.Equal(e.Request, sent.body) || !bytes.HasPrefix(a.body, e.Answer) {
			t.Errorf("%s: the exchange told is not the one that was:\n%s\n%d\n%s", name, e.Request, e.Status, e.Answer)
		}
	}
}

// headers of the endpoint are sent, also instead of the provider's own.
func (s suite) headers(t *testing.T) {
	server := serve(t, whole(s.answer(t, "text")))
	want := map[string]string{"X-Team": "blue", "User-Agent": "somebody/1.0"}
	provider := s.open(t, server.URL, func(e *llm.Endpoint) { e.Headers = want })
	Check(t, provider.Stream(t.Context(), s.asking("Hello?")))
	for _, r := range server.requests() {
		for name, value := range want {
			if got := r.header.Values(name); len(got) != 1 || got[0] != value {
				t.Errorf("header %s is %q, want %q", name, got, value)
			}
		}
	}
}

// baseURL: a base with a path is kept, with and without a slash at its end.
func (s suite) baseURL(t *testing.T) {
	server := serve(t, whole(s.answer(t, "text")))
	for _, base := range []string{"", "/", "/some/base", "/some/base/"} {
		m := Check(t, s.open(t, server.URL+base, nil).Stream(t.Context(), s.asking("Hello?")))
		if m.Stop() != llm.StopEnd {
			t.Fatalf("base %q: %+v", base, m.Reply.Failure)
		}
	}
	sent := server.requests()
	rest := sent[0].url
	for i, want := range []string{rest, rest, "/some/base" + rest, "/some/base" + rest} {
		if sent[i].url != want {
			t.Errorf("the request went to %s, want %s", sent[i].url, want)
		}
	}
}

// proxy: the request goes to the proxy, with the address of a server that only
// the proxy could reach.
func (s suite) proxy(t *testing.T) {
	through := serve(t, whole(s.answer(t, "text")))
	provider := s.open(t, "http://model.invalid/base", func(e *llm.Endpoint) { e.Proxy = through.URL })
	m := Check(t, provider.Stream(t.Context(), s.asking("Hello?")))
	if m.Stop() != llm.StopEnd {
		t.Errorf("stop reason %q: %+v", m.Stop(), m.Reply.Failure)
	}
	for _, r := range through.requests() {
		if !strings.HasPrefix(r.url, "http://model.invalid/base/") {
			t.Errorf("the proxy was asked for %s", r.url)
		}
	}
	if _, err := s.Open(llm.Endpoint{BaseURL: "http://model.invalid", Key: key, Proxy: "no url"}); err == nil {
		t.Error("a proxy that is no URL was accepted")
	}
}

// sameBytes: the same request is the same bytes, or the service's cache of
// prompts would never match.
func (s suite) sameBytes(t *testing.T) {
	server := serve(t, whole(s.answer(t, "text")))
	provider := s.open(t, server.URL, nil)
	for _, g := range goldenRequests {
		if _, skip := s.Skip[g.name]; skip {
			continue
		}
		before := len(server.requests())
		for range 5 {
			Check(t, provider.Stream(t.Context(), g.make(s, t)))
		}
		sent := server.requests()[before:]
		for _, r := range sent {
			if !bytes.Equal(r.body, sent[0].body) {
				t.Fatalf("%s: the same request was sent as\n%s\nand as\n%s", g.name, sent[0].body, r.body)
			}
		}
	}
}
