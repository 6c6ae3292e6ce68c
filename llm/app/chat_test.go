package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
	"redline/llm/app"
)

// chatting is a server with one model and one account, which notes what the model is
// asked.
func chatting(t *testing.T, p llm.Provider, track func(app.Record)) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(app.Handler(app.Config{
		Authorise: app.FixedTokens(map[llm.Secret]string{"t": "phone"}),
		Resolve: func(_ context.Context, _, name string) (llm.Provider, llm.Model, error) {
			if name != "" && name != "acme/large" {
				return nil, llm.Model{}, errors.New("no such model")
			}
			return p, large, nil
		},
		Quota: func(_ context.Context, _ string, m llm.Model) error { return nil },
		Track: track,
	}))
	t.Cleanup(s.Close)
	return s
}

func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer t")
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, strings.TrimSpace(string(data))
}

// TestChat: messages and tools reach the model, its words and calls the client.
func TestChat(t *testing.T) {
	var asked llm.Request
	model := provider(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		asked = req
		return emits(func(_ context.Context, e *llm.Emitter) error {
			e.Text(0, "I look.")
			e.Call(1, "c2", "read_document")
			e.Arguments(1, `{"path":"b.md"}`)
			e.Usage(llm.Usage{Input: 10, CacheRead: 2, Output: 5})
			e.Stop(llm.StopToolUse)
			return nil
		})(ctx, req)
	})
	tracked := make(records, 4)
	s := chatting(t, model, func(r app.Record) { tracked <- r })
	status, got := post(t, s.URL+app.ChatPath, `{
		"provider": "acme", "model": "large", "temperature": 0.7, "requestType": "agent",
		"messages": [
			{"role": "system", "content": "Be brief."},
			{"role": "user", "content": "What is in a.md?"},
			{"role": "assistant", "content": "", "toolCalls": [{"id": "c1", "name": "read_document", "arguments": {"path": "a.md"}}]},
			{"role": "tool_result", "content": "", "toolResults": [{"toolCallId": "c1", "result": {"content": "apples"}}, {"toolCallId": "c1", "error": "gone"}]},
			{"role": "tool", "toolCallId": "c1", "content": "pears"}
		],
		"tools": [{"name": "read_document", "description": "Reads.", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}, {"name": "list"}]
	}`)
	want := `{"content":"I look.","toolCalls":[{"id":"c2","name":"read_document","arguments":{"path":"b.md"}}],"stopReason":"tool_use",` +
		`"model":"acme/large-3","usage":{"inputTokens":12,"outputTokens":5,"totalTokens":17},"costUSD":0.00002}`
	if status != 200 || got != want {
		t.Errorf("status %d: %s", status, got)
	}
	heat := 0.7
	wanted := llm.Request{
		Model: large, System: "Be brief.", Temperature: &heat,
		Messages: []llm.Message{
			llm.User("What is in a.md?"),
			llm.Assistant(llm.ToolCall{ID: "c1", Name: "read_document", Arguments: json.RawMessage(`{"path": "a.md"}`)}),
			llm.Answer(llm.ToolResult{CallID: "c1", Name: "read_document", Output: `{"content": "apples"}`}),
			llm.Answer(llm.ToolResult{CallID: "c1", Name: "read_document", Output: "gone", IsError: true}),
			llm.Answer(llm.ToolResult{CallID: "c1", Name: "read_document", Output: "pears"}),
		},
		Tools: []llm.ToolSpec{
			{Name: "read_document", Description: "Reads.", Schema: json.RawMessage(`{"type": "object", "properties": {"path": {"type": "string"}}}`)},
			{Name: "list", Schema: json.RawMessage(`{"type":"object"}`)},
		},
	}
	if d := cmp.Diff(wanted, asked); d != "" {
		t.Errorf("the model is asked (-want +got):\n%s", d)
	}
	if r := tracked.next(t); r.Account != "phone" || r.Usage.Total() != 17 || r.Stop != llm.StopToolUse {
		t.Errorf("tracked %+v", r)
	}
	tracked.noMore(t)
}

// TestChatRefused: what is refused has one form of error, and a status that fits.
func TestChatRefused(t *testing.T) {
	fails := func(f *llm.Failure) llm.Provider {
		return emits(func(context.Context, *llm.Emitter) error { return f })
	}
	const hello = `{"messages": [{"role": "user", "content": "Hello"}]}`
	for _, test := range []struct {
		name   string
		model  llm.Provider
		body   string
		status int
		want   string
	}{
		{"the usual model", says("Hi."), hello, 200, `"content":"Hi.","toolCalls":[]`},
		{"no JSON", says(""), "{", 400, `"error":"invalid_request"`},
		{"a list", says(""), "[]", 400, "it is an object, not a JSON value of the kind array"},
		{"messages that are none", says(""), `{"messages": "x"}`, 400, "messages cannot be a JSON value of the kind string"},
		{"no messages", says(""), "{}", 400, "the request has no messages"},
		{"only the system", says(""), `{"messages": [{"role": "system", "content": "x"}]}`, 400, "the request has no messages"},
		{"a role", says(""), `{"messages": [{"role": "judge"}]}`, 400, `messages[0]: the role \"judge\" is not known`},
		{"arguments", says(""), `{"messages": [{"role": "assistant", "toolCalls": [{"id": "c", "arguments": 3}]}]}`, 400, `the arguments of the call \"c\" are no object`},
		{"a tool without a name", says(""), `{"tools": [{}]}`, 400, "a tool has no name"},
		{"another model", says(""), `{"model": "x", "messages": [{"role": "user", "content": "x"}]}`, 404, `there is no model \"x\" here`},
		{"the server's key", fails(&llm.Failure{Class: llm.ClassAuth, Status: 401, Message: "bad key sk-1"}), hello, 502, "refused the server's key"},
		{"the service is busy", fails(&llm.Failure{Class: llm.ClassOverloaded, Status: 529, Message: "busy", Retry: true}), hello, 503, `"retry":true`},
		{"too large", fails(&llm.Failure{Class: llm.ClassContextTooLarge, Message: "too large"}), hello, 413, `"error":"context_too_large"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := chatting(t, test.model, nil)
			status, got := post(t, s.URL+app.ChatPath, test.body)
			if status != test.status || !strings.Contains(got, test.want) || strings.Contains(got, "sk-1") {
				t.Errorf("status %d: %s", status, got)
			}
			var e struct {
				Error   string         `json:"error"`
				Message string         `json:"message"`
				Details map[string]any `json:"details"`
			}
			if err := json.Unmarshal([]byte(got), &e); err != nil || status != 200 && (e.Error == "" || e.Message == "" || e.Details == nil) {
				t.Errorf("the body: %s, %v", got, err)
			}
		})
	}
}

// TestChatLeft: a client that goes away ends the request to the model, which is tracked.
func TestChatLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	slow := emits(func(inner context.Context, e *llm.Emitter) error {
		e.Text(0, "x")
		cancel()
		<-inner.Done()
		return inner.Err()
	})
	tracked := make(records, 2)
	s := chatting(t, slow, func(r app.Record) { tracked <- r })
	r, err := http.NewRequestWithContext(ctx, "POST", s.URL+app.ChatPath, strings.NewReader(`{"messages": [{"role": "user", "content": "Hello"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer t")
	r.Header.Set("Content-Type", "application/json")
	if _, err := http.DefaultClient.Do(r); err == nil {
		t.Error("it was answered")
	}
	if r := tracked.next(t); r.Stop != llm.StopAborted {
		t.Errorf("tracked %+v", r)
	}
}
