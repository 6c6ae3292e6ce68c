package google_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"redline/llm"
	"redline/llm/google"
	"redline/llm/llmtest"
)

func TestFinishReasons(t *testing.T) {
	retried := func(code string) *llm.Failure {
		return &llm.Failure{Class: llm.ClassOverloaded, Code: code, Retry: true}
	}
	final := func(code string) *llm.Failure { return &llm.Failure{Class: llm.ClassInvalidRequest, Code: code} }
	for _, tt := range []struct {
		reason  string
		stop    llm.StopReason
		failure *llm.Failure
	}{
		{"STOP", llm.StopEnd, nil},
		{"MAX_TOKENS", llm.StopLength, nil},
		{"SAFETY", llm.StopContentFilter, nil},
		{"RECITATION", llm.StopContentFilter, nil},
		{"BLOCKLIST", llm.StopContentFilter, nil},
		{"PROHIBITED_CONTENT", llm.StopContentFilter, nil},
		{"SPII", llm.StopContentFilter, nil},
		{"IMAGE_SAFETY", llm.StopContentFilter, nil},
		{"IMAGE_PROHIBITED_CONTENT", llm.StopContentFilter, nil},
		{"IMAGE_RECITATION", llm.StopContentFilter, nil},
		{"MALFORMED_FUNCTION_CALL", llm.StopError, retried("MALFORMED_FUNCTION_CALL")},
		{"UNEXPECTED_TOOL_CALL", llm.StopError, retried("UNEXPECTED_TOOL_CALL")},
		{"OTHER", llm.StopError, retried("OTHER")},
		{"A_REASON_OF_TOMORROW", llm.StopError, retried("A_REASON_OF_TOMORROW")},
		{"LANGUAGE", llm.StopError, final("LANGUAGE")},
		{"TOO_MANY_TOOL_CALLS", llm.StopError, final("TOO_MANY_TOOL_CALLS")},
		{"MISSING_THOUGHT_SIGNATURE", llm.StopError, final("MISSING_THOUGHT_SIGNATURE")},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			s := &service{answers: []string{parts(`{"text":"Hello"}`) + finish(tt.reason)}}
			m := s.ask(t, hello(flash))
			if m.Text() != "Hello" || m.Stop() != tt.stop {
				t.Errorf("got %q, stop %q; want %q, stop %q", m.Text(), m.Stop(), "Hello", tt.stop)
			}
			if d := cmp.Diff(tt.failure, m.Reply.Failure, cmpopts.IgnoreFields(llm.Failure{}, "Message")); d != "" {
				t.Errorf("failure (-want +got):\n%s", d)
			}
			if f := m.Reply.Failure; f != nil && !strings.Contains(f.Message, tt.reason) {
				t.Errorf("the failure says %q, without the reason", f.Message)
			}
		})
	}
}

// The service's own words about a garbled call reach the reader.
func TestMalformedCall(t *testing.T) {
	const words = "Malformed function call: print(default_api.read_file(path="
	s := &service{answers: []string{`data: {"candidates":[{"content":{},"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"` + words + `"}]}` + "\n\n"}}
	m := s.ask(t, hello(flash))
	if f := m.Reply.Failure; f == nil || !f.Retry || !strings.Contains(f.Message, words) {
		t.Errorf("the failure is %+v", f)
	}
}

func TestBlockedPrompt(t *testing.T) {
	for feedback, want := range map[string]string{
		`{"blockReason":"PROHIBITED_CONTENT"}`:                                                "[the service blocked the prompt (PROHIBITED_CONTENT)]",
		`{"blockReason":"MODEL_ARMOR","blockReasonMessage":"Blocked by the company's rules"}`: "[Blocked by the company's rules (MODEL_ARMOR)]",
	} {
		s := &service{answers: []string{`data: {"promptFeedback":` + feedback + `,"usageMetadata":{"promptTokenCount":9}}` + "\n\n"}}
		m := s.ask(t, hello(flash))
		if m.Stop() != llm.StopContentFilter || m.Text() != want || m.Reply.Usage.Input != 9 {
			t.Errorf("got %q, stop %q, usage %+v; want %q", m.Text(), m.Stop(), m.Reply.Usage, want)
		}
	}
}

// A block ends where the kind of the parts changes, and at a signature.
func TestBlocks(t *testing.T) {
	s := &service{answers: []string{
		parts(`{"text":"a","thought":true},{"text":"b","thought":true},{"text":"c"}`) +
			parts(`{"text":"d"},{"text":"e","thought":true},{"functionCall":{"name":"f","args":{"x":[1, 2]}}}`) +
			parts(`{"text":"g","thoughtSignature":"s"},{"text":"h"},{"functionCall":{"name":"f","id":"mine"}}`) +
			finish("STOP"),
	}}
	m := s.ask(t, hello(flash))
	want := []llm.Block{
		llm.Thinking{Text: "ab"},
		llm.Text{Text: "cd"},
		llm.Thinking{Text: "e"},
		llm.ToolCall{ID: "r1_1", Name: "f", Arguments: json.RawMessage(`{"x":[1,2]}`)},
		llm.Text{Text: "g", Signature: "s"},
		llm.Text{Text: "h"},
		llm.ToolCall{ID: "mine", Name: "f", Arguments: json.RawMessage(`{}`)},
	}
	if d := cmp.Diff(want, m.Content); d != "" {
		t.Errorf("blocks (-want +got):\n%s", d)
	}
	if m.Stop() != llm.StopToolUse {
		t.Errorf("stop %q, want %q", m.Stop(), llm.StopToolUse)
	}
}

func TestFailures(t *testing.T) {
	quota := func(id string) string {
		return `{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[` +
			`{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"` + id + `"}]},` +
			`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}`
	}
	for _, tt := range []struct {
		name, answer string
		want         llm.Failure
	}{
		{
			"key not valid", "HTTP 400\n" + `{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}`,
			llm.Failure{Class: llm.ClassAuth, Status: 400, Code: "INVALID_ARGUMENT", Message: "API key not valid. Please pass a valid API key."},
		},
		{
			"rest asked for in the body", "HTTP 429\n" + quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier"),
			llm.Failure{Class: llm.ClassRateLimit, Status: 429, Code: "RESOURCE_EXHAUSTED", Message: "You exceeded your current quota", Retry: true, RetryAfter: 34500 * time.Millisecond},
		},
		{
			"the day's quota", "HTTP 429\n[" + quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier") + "]",
			llm.Failure{Class: llm.ClassRateLimit, Status: 429, Code: "RESOURCE_EXHAUSTED", Message: "You exceeded your current quota", RetryAfter: 34500 * time.Millisecond},
		},
		{
			"plain words", "HTTP 500\nout of luck\n",
			llm.Failure{Class: llm.ClassOverloaded, Status: 500, Message: "out of luck", Retry: true},
		},
		{
			"a page", "HTTP 502\n<html><title>Error 502</title></html>",
			llm.Failure{Class: llm.ClassOverloaded, Status: 502, Message: "Bad Gateway", Retry: true},
		},
		{
			"in the stream, as an event", "data: " + quota("PerMinute") + "\n\n",
			llm.Failure{Class: llm.ClassRateLimit, Code: "RESOURCE_EXHAUSTED", Message: "You exceeded your current quota", Retry: true, RetryAfter: 34500 * time.Millisecond},
		},
		{
			"in the stream, after its end", ok + "{\n \"error\": {\n  \"code\": 503,\n  \"message\": \"Overloaded\",\n  \"status\": \"UNAVAILABLE\"\n }\n}\n",
			llm.Failure{Class: llm.ClassOverloaded, Code: "UNAVAILABLE", Message: "Overloaded", Retry: true},
		},
		{
			"in the stream, in a list", "[{\"error\":\n{\"code\":504,\"message\":\"Deadline expired\",\"status\":\"DEADLINE_EXCEEDED\"}}]",
			llm.Failure{Class: llm.ClassTimeout, Code: "DEADLINE_EXCEEDED", Message: "Deadline expired", Retry: true},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &service{answers: []string{tt.answer}}
			m := s.ask(t, hello(flash))
			if d := cmp.Diff(&tt.want, m.Reply.Failure); d != "" {
				t.Errorf("failure (-want +got):\n%s", d)
			}
		})
	}
}

// A server that does not know of events answers with a list.
func TestList(t *testing.T) {
	s := &service{answers: []string{`[{"candidates":[{"content":{"parts":[{"text":"Hel"}]}}]},` + "\n" + `{"candidates":[{"content":{"parts":[{"text":"lo"}]},"finishReason":"STOP"}]}]`}}
	if m := s.ask(t, hello(flash)); m.Text() != "Hello" || m.Stop() != llm.StopEnd {
		t.Errorf("got %q, %+v", m.Text(), m.Reply)
	}
}

// cutAfter is an answer whose connection breaks after its last byte.
type cutAfter string

func (c cutAfter) RoundTrip(*http.Request) (*http.Response, error) {
	body := io.MultiReader(strings.NewReader(string(c)), broken{})
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(body)}, nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

// A connection that breaks after the end of an answer took nothing from it.
func TestCutAfterEnd(t *testing.T) {
	for answer, want := range map[string]llm.StopReason{ok: llm.StopEnd, parts(`{"text":"ok"}`): llm.StopError} {
		p, err := google.New(llm.Endpoint{Through: cutAfter(answer)})
		if err != nil {
			t.Fatal(err)
		}
		if m := llmtest.Check(t, p.Stream(t.Context(), hello(flash))); m.Stop() != want || m.Text() != "ok" {
			t.Errorf("got %q, stop %q (%v); want stop %q", m.Text(), m.Stop(), m.Reply.Failure, want)
		}
	}
}

// A server may repeat the key; a failure must not.
func TestKeyInFailure(t *testing.T) {
	s := &service{answers: []string{"HTTP 403\n" + `{"error":{"code":403,"message":"Consumer 'api_key:key-1234' has been suspended.","status":"PERMISSION_DENIED"}}`}}
	m := s.ask(t, hello(flash))
	if f := m.Reply.Failure; f.Class != llm.ClassAuth || strings.Contains(f.Message, "key-1234") {
		t.Errorf("the failure is %+v", f)
	}
}

// watched is a body that tells whether it was closed.
type watched struct {
	io.Reader
	closed *bool
}

func (w watched) Close() error { *w.closed = true; return nil }

type watching struct {
	answer string
	closed *bool
}

func (w watching) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: watched{strings.NewReader(w.answer), w.closed}}, nil
}

// The connection is given back when the listener leaves in the middle.
func TestLeaving(t *testing.T) {
	var closed bool
	p, err := google.New(llm.Endpoint{Through: watching{parts(`{"text":"a"}`) + ok, &closed}})
	if err != nil {
		t.Fatal(err)
	}
	for ev := range p.Stream(t.Context(), hello(flash)) {
		if ev.Type == llm.EventTextDelta {
			break
		}
	}
	if !closed {
		t.Error("the body of the answer is still open")
	}
}
