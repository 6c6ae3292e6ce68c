package anthropic_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"redline/llm"
	"redline/llm/anthropic"
	"redline/llm/llmtest"
)

// sonnet is an able model that thinks by budget.
var sonnet = llm.Model{
	ID: "claude-sonnet-4-5-20250929", Provider: "anthropic", API: llm.APIMessages,
	Context: 200_000, MaxOutput: 64_000,
	Price:    &llm.Price{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75},
	Can:      llm.Abilities{Tools: true, Images: true, Documents: true, Temperature: true, Structured: true},
	Thinking: llm.ThinkByBudget,
}

// opus is an able model that thinks adaptively.
var opus = llm.Model{
	ID: "claude-opus-4-8", Provider: "anthropic", API: llm.APIMessages,
	Context: 1_000_000, MaxOutput: 128_000,
	Can:      llm.Abilities{Tools: true, Images: true, Documents: true, Structured: true},
	Thinking: llm.ThinkAdaptively,
}

var protocol = llmtest.Protocol{
	Model:      sonnet,
	Open:       anthropic.New,
	Dir:        "testdata",
	Long:       long,
	LongHeader: http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}},
	Signed:     true,
	CacheWrite: true,
	Reasoning:  true,
}

func long(w io.Writer, deltas int) {
	send := func(event, data string) { fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, data) }
	send("message_start", `{"type":"message_start","message":{"id":"msg_01XFDUDYJgAACzvnptvVoYEL","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":12,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":1,"service_tier":"standard"}}}`)
	send("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
	for range deltas {
		send("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word "}}`)
	}
	send("content_block_stop", `{"type":"content_block_stop","index":0}`)
	send("message_delta", fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":%d}}`, deltas))
	send("message_stop", `{"type":"message_stop"}`)
}

func TestContract(t *testing.T) { llmtest.Run(t, protocol) }
