package anthropic_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"redline/llm"
	"redline/llm/anthropic"
)

// A server stands in for Anthropic here; without a base URL, New asks the real
// one.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","model":"claude-sonnet-4-5","usage":{"input_tokens":9,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" there."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":4}}

event: message_stop
data: {"type":"message_stop"}

`)
	}))
	defer server.Close()

	provider, err := anthropic.New(llm.Endpoint{BaseURL: server.URL, Key: "sk-ant-…"})
	if err != nil {
		fmt.Println(err)
		return
	}
	stream := provider.Stream(context.Background(), llm.Request{
		Model:    llm.Model{ID: "claude-sonnet-4-5", Provider: "anthropic", API: llm.APIMessages},
		Messages: []llm.Message{llm.User("Say hello.")},
	})
	for ev, err := range stream {
		switch {
		case err != nil:
			fmt.Println(err)
		case ev.Type == llm.EventTextDelta:
			fmt.Printf("%q\n", ev.Delta)
		case ev.Type == llm.EventDone:
			fmt.Println(ev.Reply.Stop, ev.Reply.Usage.Total(), "tokens")
		}
	}
	// Output:
	// "Hello"
	// " there."
	// stop 13 tokens
}
