package anthropic_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
)

var hello = events(
	`{"type":"message_start","message":{"id":"msg_1","model":"claude-sonnet-4-5-20250929","usage":{"input_tokens":10,"cache_read_input_tokens":5,"output_tokens":1}}}`,
	`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hello"}}`,
	`{"type":"content_block_stop","index":0}`,
)

var question = llm.Request{Model: sonnet, Messages: []llm.Message{llm.User("a")}}

func TestStopReasons(t *testing.T) {
	for word, want := range map[string]llm.StopReason{
		"end_turn": llm.StopEnd, "stop_sequence": llm.StopEnd, "pause_turn": llm.StopEnd, "something_new": llm.StopEnd,
		"max_tokens": llm.StopLength, "model_context_window_exceeded": llm.StopLength,
		"refusal": llm.StopContentFilter,
	} {
		m := ask(t, &wire{answer: hello + events(`{"type":"message_delta","delta":{"stop_reason":"`+word+`"},"usage":{"output_tokens":7}}`)}, question)
		if m.Stop() != want || m.Text() != "Hello" {
			t.Errorf("%s: stop reason %q, text %q; want %q", word, m.Stop(), m.Text(), want)
		}
		if d := cmp.Diff(llm.Usage{Input: 10, CacheRead: 5, Output: 7}, m.Reply.Usage); d != "" {
			t.Errorf("%s: usage (-want +got):\n%s", word, d)
		}
	}
}

// TestErrorsInTheStream: they are sorted as if they had come before it.
func TestErrorsInTheStream(t *testing.T) {
	for kind, want := range map[string]llm.Failure{
		"overloaded_error":      {Class: llm.ClassOverloaded, Retry: true},
		"api_error":             {Class: llm.ClassOverloaded, Retry: true},
		"something_new":         {Class: llm.ClassOverloaded, Retry: true},
		"rate_limit_error":      {Class: llm.ClassRateLimit, Retry: true},
		"timeout_error":         {Class: llm.ClassTimeout, Retry: true},
		"billing_error":         {Class: llm.ClassRateLimit},
		"authentication_error":  {Class: llm.ClassAuth},
		"permission_error":      {Class: llm.ClassAuth},
		"invalid_request_error": {Class: llm.ClassInvalidRequest},
		"request_too_large":     {Class: llm.ClassContextTooLarge},
	} {
		m := ask(t, &wire{answer: hello + events(`{"type":"error","error":{"type":"`+kind+`","message":"It is so."}}`)}, question)
		want.Code, want.Message = kind, "It is so."
		if m.Stop() != llm.StopError || m.Text() != "Hello" {
			t.Errorf("%s: stop reason %q, text %q", kind, m.Stop(), m.Text())
		}
		if d := cmp.Diff(&want, m.Reply.Failure); d != "" {
			t.Errorf("%s (-want +got):\n%s", kind, d)
		}
	}
}

func TestRefusals(t *testing.T) {
	jsonType := http.Header{"Content-Type": {"application/json"}}
	tests := []struct {
		name string
		wire wire
		want llm.Failure
	}{
		{"the answer would not fit",
			wire{status: 400, header: jsonType, answer: `{"type":"error","error":{"type":"invalid_request_error","message":"input length and max_tokens exceed context limit: 199000 + 8192 > 200000"}}`},
			llm.Failure{Class: llm.ClassContextTooLarge, Status: 400, Code: "invalid_request_error", Message: "input length and max_tokens exceed context limit: 199000 + 8192 > 200000"}},
		{"no credit",
			wire{status: 400, header: jsonType, answer: `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`},
			llm.Failure{Class: llm.ClassRateLimit, Status: 400, Code: "invalid_request_error", Message: "Your credit balance is too low to access the Anthropic API."}},
		{"busy, with a time",
			wire{status: 529, header: http.Header{"Retry-After": {"3"}}, answer: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`},
			llm.Failure{Class: llm.ClassOverloaded, Status: 529, Code: "overloaded_error", Message: "Overloaded", Retry: true, RetryAfter: 3 * time.Second}},
		{"JSON of another kind", wire{status: 500, header: jsonType, answer: `["no"]`},
			llm.Failure{Class: llm.ClassOverloaded, Status: 500, Message: `["no"]`, Retry: true}},
		{"nothing at all", wire{status: 503}, llm.Failure{Class: llm.ClassOverloaded, Status: 503, Message: "Service Unavailable", Retry: true}},
		{"a redirect to elsewhere", wire{status: 302, header: http.Header{"Location": {"https://elsewhere.invalid/"}}},
			llm.Failure{Class: llm.ClassInvalidRequest, Status: 302, Message: "Found"}},
		{"a page", wire{header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, answer: "<h1>Welcome\nto nginx</h1>"},
			llm.Failure{Class: llm.ClassInvalidRequest, Message: "the server answered with text/html instead of a stream of events; check the base URL: <h1>Welcome to nginx</h1>"}},
		{"a long page", wire{status: 404, answer: strings.Repeat("ä", 1000)},
			llm.Failure{Class: llm.ClassInvalidRequest, Status: 404, Message: strings.Repeat("ä", 300) + "…"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := ask(t, &test.wire, question)
			if d := cmp.Diff(&test.want, m.Reply.Failure); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestOddServers: what compatible servers do differently.
func TestOddServers(t *testing.T) {
	t.Run("arguments come with the start of the call", func(t *testing.T) {
		m := ask(t, &wire{answer: events(
			`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"1","name":"read","input":{"path":"a.md"}}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`,
		)}, question)
		calls := m.ToolCalls()
		if len(calls) != 1 || string(calls[0].Arguments) != `{"path":"a.md"}` {
			t.Errorf("calls %+v", calls)
		}
	})
	t.Run("arguments come twice", func(t *testing.T) {
		m := ask(t, &wire{answer: events(
			`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"1","name":"read","input":{"path":"a.md"}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"path\":\"a.md\"}"}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`,
		)}, question)
		calls := m.ToolCalls()
		if len(calls) != 1 || string(calls[0].Arguments) != `{"path":"a.md"}` {
			t.Errorf("calls %+v", calls)
		}
	})
	t.Run("events have no names", func(t *testing.T) {
		m := ask(t, &wire{answer: "data: " + `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}` + "\n\n" +
			"data: " + `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n"}, question)
		if m.Text() != "Hello" || m.Stop() != llm.StopEnd {
			t.Errorf("text %q, stop reason %q", m.Text(), m.Stop())
		}
	})
	t.Run("the connection stays open after the end", func(t *testing.T) {
		m := ask(t, &wire{answer: hello + events(`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, `{"type":"message_stop"}`) +
			"event: error\ndata: {}\n\n"}, question)
		if m.Stop() != llm.StopEnd {
			t.Errorf("stop reason %q", m.Stop())
		}
	})
}
