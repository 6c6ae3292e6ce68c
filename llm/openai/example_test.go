package openai_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"redline/llm"
	"redline/llm/openai"
)

// A local server that speaks Chat Completions is asked, and its answer printed
// as it arrives.
func ExampleNewChat() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"reasoning":"A greeting."}}]}

data: {"choices":[{"index":0,"delta":{"content":"Hello, "}}]}

data: {"choices":[{"index":0,"delta":{"content":"world."}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":7}}

data: [DONE]

`)
	}))
	defer server.Close()

	provider, err := openai.NewChat(llm.Endpoint{BaseURL: server.URL + "/v1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	req := llm.Request{
		Model:    llm.Model{ID: "qwen3:8b", Provider: "ollama", API: llm.APIChat, Local: true, Thinking: llm.ThinkByEffort},
		System:   "Be brief.",
		Messages: []llm.Message{llm.User("Greet the world.")},
		Thinking: llm.ThinkLow,
	}
	for ev, err := range provider.Stream(context.Background(), req) {
		switch {
		case err != nil:
			fmt.Println(err)
		case ev.Type == llm.EventThinkingDelta:
			fmt.Printf("(%s)\n", ev.Delta)
		case ev.Type == llm.EventTextDelta:
			fmt.Print(ev.Delta)
		case ev.Type == llm.EventDone:
			fmt.Printf("\n%s, %d tokens read, %d written\n", ev.Reply.Stop, ev.Reply.Usage.Input, ev.Reply.Usage.Output)
		}
	}
	// Output:
	// (A greeting.)
	// Hello, world.
	// stop, 9 tokens read, 7 written
}

// The model calls a tool. What it thought before is opaque, and goes back to it
// with the result.
func ExampleNewResponses() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, `event: response.output_item.done
data: {"output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAAAB"}}

event: response.output_item.done
data: {"output_index":1,"item":{"type":"function_call","call_id":"call_1","name":"read_file","arguments":"{\"path\":\"a.md\"}"}}

event: response.completed
data: {"response":{"id":"resp_1","status":"completed"}}

`)
	}))
	defer server.Close()

	provider, err := openai.NewResponses(llm.Endpoint{BaseURL: server.URL + "/v1", Key: "sk-example"})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := llm.Collect(provider.Stream(context.Background(), llm.Request{
		Model:    llm.Model{ID: "gpt-5.1", Provider: "openai", API: llm.APIResponses, Can: llm.Abilities{Tools: true}, Thinking: llm.ThinkByEffort},
		Messages: []llm.Message{llm.User("What is in a.md?")},
		Tools:    []llm.ToolSpec{{Name: "read_file", Schema: []byte(`{"type":"object","properties":{"path":{"type":"string"}}}`)}},
		Thinking: llm.ThinkMedium,
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, call := range m.ToolCalls() {
		fmt.Println(m.Stop(), call.ID, call.Name, string(call.Arguments))
	}
	// Output: tool_use call_1 read_file {"path":"a.md"}
}
