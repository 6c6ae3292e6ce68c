package llmtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/llm"
)

// short is how long something waits that the test never lets happen.
const short = 30 * time.Millisecond

func (s suite) refused(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close() // nobody listens there now
	m := Check(t, s.open(t, server.URL, nil).Stream(t.Context(), s.asking("Hello?")))
	mustFail(t, m, llm.ClassNetwork)
}

// cutConnection drops the connection in the middle of the answer.
func (s suite) cutConnection(t *testing.T) {
	a := s.answer(t, "cut")
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		a.writeHead(w)
		w.Write(a.body)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	m := Check(t, s.open(t, server.URL, nil).Stream(t.Context(), s.asking("Hello?")))
	mustFail(t, m, llm.ClassNetwork)
	if !strings.HasPrefix("Hello", m.Text()) {
		t.Errorf("text %q", m.Text())
	}
}

// cutAnywhere ends the answer after every number of bytes, once as if it were
// whole and once with a broken connection. What came is kept, and only an
// answer that came to its end is taken for one.
func (s suite) cutAnywhere(t *testing.T) {
	a := s.answer(t, "text")
	whole := s.told(t, a, len(a.body), nil)
	for n := range a.body {
		for _, end := range []error{io.EOF, io.ErrUnexpectedEOF} {
			m := s.told(t, a, n, end)
			switch text := m.Text(); {
			case !strings.HasPrefix(whole.Text(), text):
				t.Errorf("cut after %d bytes (%v): text %q", n, end, text)
			case m.Stop() == llm.StopEnd && text == whole.Text():
			case m.Stop() != llm.StopError || m.Reply.Failure.Class != llm.ClassNetwork || !m.Reply.Failure.Retry:
				t.Errorf("cut after %d bytes (%v): text %q, stop reason %q, failure %+v; want a network failure", n, end, text, m.Stop(), m.Reply.Failure)
			}
			if t.Failed() {
				t.Fatalf("the answer up to there:\n%s", a.body[:n])
			}
		}
	}
}

// told is the message made of the first n bytes of an answer.
func (s suite) told(t *testing.T, a answer, n int, end error) llm.Message {
	t.Helper()
	provider := s.open(t, "http://model.invalid", func(e *llm.Endpoint) {
		e.Through = carry(func(*http.Request) (*http.Response, error) {
			body := io.MultiReader(bytes.NewReader(a.body[:n]), ending{end})
			return &http.Response{StatusCode: a.status, Header: a.header.Clone(), Body: io.NopCloser(body), ContentLength: -1}, nil
		})
	})
	return Check(t, provider.Stream(t.Context(), s.asking("Hello?")))
}

// carry is a way to a server.
type carry func(*http.Request) (*http.Response, error)

func (c carry) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return nil, err
		}
	}
	res, err := c(r)
	if err == nil {
		res.Request = r
	}
	return res, err
}

// ending is the end of a reader; nil is an ordinary one.
type ending struct{ err error }

func (e ending) Read([]byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	return 0, io.EOF
}

// noAnswer: the server takes the request and says nothing.
func (s suite) noAnswer(t *testing.T) {
	gone := make(chan struct{})
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		close(gone)
	})
	provider := s.open(t, server.URL, func(e *llm.Endpoint) { e.Head = short })
	m := s.hear(t, t.Context(), provider, ignore)
	mustFail(t, m, llm.ClassTimeout)
	if len(server.requests()) > 0 { // a slow machine may not have come that far
		await(t, gone, "the end of the request at the server")
	}
}

// longPause: the server stops in the middle of its answer.
func (s suite) longPause(t *testing.T) {
	a, gone := s.answer(t, "cut"), make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		a.writeHead(w)
		w.Write(a.body)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	})
	provider := s.open(t, server.URL, func(e *llm.Endpoint) { e.Idle = short })
	m := s.hear(t, t.Context(), provider, ignore)
	mustFail(t, m, llm.ClassTimeout)
	if !strings.HasPrefix("Hello", m.Text()) {
		t.Errorf("text %q", m.Text())
	}
	await(t, gone, "the end of the request at the server")
}

// deadline: the time that the caller gave is over.
func (s suite) deadline(t *testing.T) {
	gone := make(chan struct{})
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		close(gone)
	})
	ctx, cancel := context.WithTimeout(t.Context(), short)
	defer cancel()
	m := s.hear(t, ctx, s.open(t, server.URL, nil), ignore)
	mustFail(t, m, llm.ClassTimeout)
	if len(server.requests()) > 0 { // a slow machine may not have come that far
		await(t, gone, "the end of the request at the server")
	}
}

// misuse is told by an error, and by nothing else.
func (s suite) misuse(t *testing.T) {
	server := serve(t, whole(s.answer(t, "text")))
	provider := s.open(t, server.URL, nil)
	for name, req := range map[string]llm.Request{
		"no model":    {Messages: []llm.Message{llm.User("Hello?")}},
		"no messages": {Model: s.Model},
	} {
		var events int
		var fault error
		for _, err := range provider.Stream(t.Context(), req) {
			events++
			fault = errors.Join(fault, err)
		}
		if events != 1 || fault == nil {
			t.Errorf("%s: %d events, error %v; want the error alone", name, events, fault)
		}
	}
	if n := len(server.requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// unable: the model cannot take what the user attached. It is not asked.
func (s suite) unable(t *testing.T) {
	server := serve(t, whole(s.answer(t, "text")))
	req := s.asking("What is this?")
	req.Messages[0].Content = append(req.Messages[0].Content, picture)
	req.Model.Can.Images = false
	m := Check(t, s.open(t, server.URL, nil).Stream(t.Context(), req))
	if m.Stop() != llm.StopError || m.Reply.Failure.Class != llm.ClassInvalidRequest || m.Reply.Failure.Retry {
		t.Errorf("stop reason %q, failure %+v; want an invalid request that is not retried", m.Stop(), m.Reply.Failure)
	}
	if n := len(server.requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// mustFail asserts a failure that may pass.
func mustFail(t *testing.T, m llm.Message, class llm.Class) {
	t.Helper()
	if m.Stop() != llm.StopError {
		t.Fatalf("stop reason %q, want %q", m.Stop(), llm.StopError)
	}
	if f := m.Reply.Failure; f == nil || f.Class != class || !f.Retry || f.Status != 0 {
		t.Errorf("failure %+v, want class %q, to be retried, without a status", f, class)
	}
}

// await waits for what must happen.
func await(t *testing.T, happened <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-happened:
	case <-time.After(patience):
		t.Errorf("%s never came", what)
	}
}

// generated are the scenarios that need no recording of their own.
var generated = []struct {
	name string
	run  func(suite, *testing.T)
}{
	{"refused", suite.refused},
	{"cut_connection", suite.cutConnection},
	{"cut_anywhere", suite.cutAnywhere},
	{"no_answer", suite.noAnswer},
	{"pause", suite.longPause},
	{"deadline", suite.deadline},
	{"misuse", suite.misuse},
	{"unable", suite.unable},
	{"cancel_before", suite.cancelBefore},
	{"cancel_slow_drip", suite.cancelSlowDrip},
	{"leave_early", suite.leaveEarly},
	{"leave_anywhere", suite.leaveAnywhere},
	{"concurrent", suite.concurrent},
	{"secret_key", suite.secretKey},
	{"trace", suite.trace},
	{"headers", suite.headers},
	{"base_url", suite.baseURL},
	{"proxy", suite.proxy},
	{"same_bytes", suite.sameBytes},
	{"memory", suite.memory},
}

func (s suite) generated(t *testing.T) {
	for _, g := range generated {
		s.scenario(t, g.name, func(t *testing.T) { g.run(s, t) })
	}
}

// scenarioNames lists what Skip may name.
func scenarioNames() []string {
	var names []string
	for _, r := range recordedAnswers {
		names = append(names, r.name)
	}
	for _, g := range generated {
		names = append(names, g.name)
	}
	for _, g := range goldenRequests {
		names = append(names, g.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
