package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"redline/llm"
)

// recorded is a scenario with an answer of the service, and what it must amount
// to.
type recorded struct {
	name    string
	content []llm.Block
	stop    llm.StopReason
	usage   *llm.Usage
	deltas  []string // of text; nil: in any pieces
	failure *llm.Failure
}

// signature is that of the recorded thinking.
const signature = "sig-1"

var hello = []llm.Block{llm.Text{Text: "Hello"}}

var recordedAnswers = []recorded{
	{
		name: "text", content: []llm.Block{llm.Text{Text: "Hello, world."}}, stop: llm.StopEnd,
		deltas: []string{"Hello", ", ", "world."}, usage: &llm.Usage{Input: 12, Output: 5},
	},
	{
		name: "thinking", stop: llm.StopEnd,
		content: []llm.Block{llm.Thinking{Text: "Let me think. Done.", Signature: signature}, llm.Text{Text: "42."}},
	},
	{
		name: "tools", stop: llm.StopToolUse,
		content: []llm.Block{
			llm.Text{Text: "Looking."},
			call("read_file", `{"path":"a.md"}`),
			call("search", `{"query":"say \"hi\"","limit":3}`),
		},
	},
	{name: "empty_args", stop: llm.StopToolUse, content: []llm.Block{call("list_files", `{}`)}},
	{
		name: "bad_args", stop: llm.StopToolUse,
		content: []llm.Block{llm.ToolCall{Name: "read_file", Arguments: json.RawMessage(`{}`), Raw: `{"path": "a.md"`}},
	},
	{
		name: "duplicate_ids", stop: llm.StopToolUse,
		content: []llm.Block{call("read_file", `{"path":"a.md"}`), call("read_file", `{"path":"b.md"}`)},
	},
	{
		name: "unknown_events", content: []llm.Block{llm.Text{Text: "Hello, world."}}, stop: llm.StopEnd,
		deltas: []string{"Hello", ", ", "world."}, usage: &llm.Usage{Input: 12, Output: 5},
	},
	{name: "length", content: hello, stop: llm.StopLength},
	{name: "content_filter", content: hello, stop: llm.StopContentFilter},
	{
		name: "usage", content: []llm.Block{llm.Text{Text: "ok"}}, stop: llm.StopEnd,
		usage: &llm.Usage{Input: 12, CacheRead: 100, CacheWrite: 20, Output: 50, Reasoning: 30},
	},
	{name: "cut", content: hello, stop: llm.StopError, failure: &llm.Failure{Class: llm.ClassNetwork, Retry: true}},
	{name: "invalid_json", content: hello, stop: llm.StopError, failure: &llm.Failure{Class: llm.ClassNetwork, Retry: true}},
	{
		name: "mid_error", content: hello, stop: llm.StopError,
		failure: &llm.Failure{Class: llm.ClassOverloaded, Retry: true, Message: "Overloaded"},
	},
	{name: "error_auth", stop: llm.StopError, failure: &llm.Failure{Class: llm.ClassAuth, Status: 401}},
	{
		name: "error_rate_limit", stop: llm.StopError,
		failure: &llm.Failure{Class: llm.ClassRateLimit, Status: 429, Retry: true, RetryAfter: 7 * time.Second},
	},
	{name: "error_overloaded", stop: llm.StopError, failure: &llm.Failure{Class: llm.ClassOverloaded, Retry: true}},
	{name: "error_context", stop: llm.StopError, failure: &llm.Failure{Class: llm.ClassContextTooLarge}},
	{name: "error_invalid", stop: llm.StopError, failure: &llm.Failure{Class: llm.ClassInvalidRequest, Status: 400}},
	{name: "error_not_json", stop: llm.StopError, failure: &llm.Failure{Class: llm.ClassOverloaded, Status: 502, Retry: true}},
}

func call(name, arguments string) llm.ToolCall {
	return llm.ToolCall{Name: name, Arguments: json.RawMessage(arguments)}
}

// deliveries are the ways in which the same bytes may arrive.
var deliveries = []struct {
	name    string
	deliver func(answer) handler
}{
	{"whole", whole},
	{"byte by byte", byteByByte},
	{"other line ends", func(a answer) handler { return whole(a.withCRLF()) }},
}

func (s suite) answers(t *testing.T) {
	for _, want := range recordedAnswers {
		s.scenario(t, want.name, func(t *testing.T) {
			a := s.answer(t, want.name)
			for _, d := range deliveries {
				t.Run(d.name, func(t *testing.T) { s.compare(t, want, a, d.deliver(a)) })
			}
		})
	}
}

// compare asks for the answer and compares what came with what it amounts to.
func (s suite) compare(t *testing.T, want recorded, a answer, deliver handler) {
	server := serve(t, deliver)
	provider := s.open(t, server.URL, nil)
	req := s.asking("Do it.")
	req.Thinking = llm.ThinkMedium
	var deltas []string
	m := follow(t, provider.Stream(t.Context(), req), func(ev llm.Event) {
		if ev.Type == llm.EventTextDelta {
			deltas = append(deltas, ev.Delta)
		}
	})
	if n := len(server.requests()); n != 1 {
		t.Errorf("%d requests were sent; asking again is for llm.Retry", n)
	}
	if d := cmp.Diff(want.content, m.Content, s.sameContent()); d != "" {
		t.Errorf("content (-want +got):\n%s", d)
	}
	if want.deltas != nil {
		if d := cmp.Diff(want.deltas, deltas); d != "" {
			t.Errorf("text deltas (-want +got):\n%s", d)
		}
	}
	s.compareReply(t, want, a, m.Reply)
}

// sameContent compares blocks. Ids and the signatures of text and calls are the
// provider's own; the signature of thinking may be wrapped in more.
func (s suite) sameContent() cmp.Option {
	return cmp.Options{
		cmpopts.EquateEmpty(),
		cmpopts.IgnoreFields(llm.Text{}, "Signature"),
		cmpopts.IgnoreFields(llm.ToolCall{}, "ID", "Signature"),
		cmp.Transformer("thinking", func(th llm.Thinking) any {
			return struct {
				Text             string
				Redacted, Signed bool
			}{th.Text, th.Redacted, !s.Signed || strings.Contains(th.Signature, signature)}
		}),
		cmp.Transformer("json", func(raw json.RawMessage) any {
			var v any
			if json.Unmarshal(raw, &v) != nil {
				return "not JSON: " + string(raw)
			}
			return v
		}),
	}
}

func (s suite) compareReply(t *testing.T, want recorded, a answer, got *llm.Reply) {
	t.Helper()
	if got == nil {
		return // Check has said so
	}
	if got.Stop != want.stop {
		t.Errorf("stop reason %q (%v), want %q", got.Stop, got.Failure, want.stop)
	}
	if got.Provider != s.Model.Provider || got.API != s.Model.API || got.Model != s.Model.ID {
		t.Errorf("the reply is by %s/%s (%s), want %s (%s)", got.Provider, got.Model, got.API, s.Model.Name(), s.Model.API)
	}
	if got.Latency <= 0 || got.Latency < got.FirstToken {
		t.Errorf("latency %s, first token after %s", got.Latency, got.FirstToken)
	}
	if want.usage != nil {
		usage := *want.usage
		if !s.CacheWrite {
			usage.CacheWrite = 0
		}
		if !s.Reasoning {
			usage.Reasoning = 0
		}
		if d := cmp.Diff(usage, got.Usage); d != "" {
			t.Errorf("usage (-want +got):\n%s", d)
		}
		if d := cmp.Diff(s.Model.Cost(usage), got.CostUSD); d != "" {
			t.Errorf("cost (-want +got):\n%s", d)
		}
	}
	if want.failure != nil && got.Failure != nil {
		compareFailure(t, *want.failure, a, *got.Failure)
	}
}

func compareFailure(t *testing.T, want llm.Failure, a answer, got llm.Failure) {
	t.Helper()
	if a.status != 200 {
		want.Status = a.status
	}
	words := want.Message
	if words == "" {
		words = a.message()
	}
	if !strings.Contains(got.Message, words) {
		t.Errorf("the failure says %q, without the service's words %q", got.Message, words)
	}
	want.Message, want.Code = got.Message, got.Code
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("failure (-want +got):\n%s", d)
	}
}

// message is what the service says in the body of an error, or "".
func (a answer) message() string {
	var v any
	if a.status == 200 || json.Unmarshal(a.body, &v) != nil {
		return ""
	}
	found, _ := findMessage(v)
	return found
}

func findMessage(v any) (string, bool) {
	switch v := v.(type) {
	case []any:
		for _, inner := range v {
			if s, ok := findMessage(inner); ok {
				return s, true
			}
		}
	case map[string]any:
		if s, ok := v["message"].(string); ok {
			return s, true
		}
		for _, inner := range v {
			if s, ok := findMessage(inner); ok {
				return s, true
			}
		}
	}
	return "", false
}

// saying is an error's answer whose words have more added to them.
func (a answer) saying(more string) answer {
	words, _ := json.Marshal(a.message())
	longer, _ := json.Marshal(fmt.Sprintf("%s %s", a.message(), more))
	a.body = bytes.ReplaceAll(a.body, words, longer)
	return a
}
