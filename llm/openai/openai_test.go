package openai_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"redline/llm"
	"redline/llm/llmtest"
	"redline/llm/openai"
)

func able(api llm.API) llm.Model {
	return llm.Model{
		ID: "gpt-5.1", Provider: "openai", API: api, Context: 400_000, MaxOutput: 128_000,
		Price:    &llm.Price{Input: 1.25, Output: 10, CacheRead: 0.125, CacheWrite: 1.25},
		Can:      llm.Abilities{Tools: true, Images: true, Documents: true, Temperature: true, Structured: true},
		Thinking: llm.ThinkByEffort, Efforts: map[llm.Level]string{llm.ThinkOff: "none", llm.ThinkMinimal: "low"},
	}
}

var eventStream = http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}

var chatProtocol = llmtest.Protocol{
	Model: able(llm.APIChat), Open: openai.NewChat, Dir: "testdata/chat",
	Long: longChat, LongHeader: eventStream, CacheWrite: true, Reasoning: true,
}

var responsesProtocol = llmtest.Protocol{
	Model: able(llm.APIResponses), Open: openai.NewResponses, Dir: "testdata/responses",
	Long: longResponse, LongHeader: eventStream, Signed: true, CacheWrite: true, Reasoning: true,
}

func TestChat(t *testing.T)      { llmtest.Run(t, chatProtocol) }
func TestResponses(t *testing.T) { llmtest.Run(t, responsesProtocol) }

func BenchmarkChat(b *testing.B)      { llmtest.Benchmark(b, chatProtocol) }
func BenchmarkResponses(b *testing.B) { llmtest.Benchmark(b, responsesProtocol) }

func longChat(w io.Writer, deltas int) {
	const head = `data: {"id":"chatcmpl-CaT4Yq1vN0","object":"chat.completion.chunk","created":1763182800,"model":"gpt-5.1-2025-11-13",` +
		`"service_tier":"default","system_fingerprint":null,`
	for range deltas {
		fmt.Fprint(w, head, `"choices":[{"index":0,"delta":{"content":"word "},"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"kX2pQ9"}`, "\n\n")
	}
	fmt.Fprint(w, head, `"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}`, "\n\n")
	fmt.Fprint(w, head, `"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":100000,"total_tokens":100012}}`, "\n\n")
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func longResponse(w io.Writer, deltas int) {
	event := func(kind, rest string) { fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q,%s}\n\n", kind, kind, rest) }
	event("response.created", `"sequence_number":0,"response":{"id":"resp_0f4a7c21d96b","model":"gpt-5.1-2025-11-13","status":"in_progress"}`)
	event("response.output_item.added", `"sequence_number":1,"output_index":0,"item":{"id":"msg_0f4a7c21d96b0","type":"message","content":[],"role":"assistant"}`)
	for n := range deltas {
		event("response.output_text.delta", fmt.Sprintf(
			`"sequence_number":%d,"item_id":"msg_0f4a7c21d96b0","output_index":0,"content_index":0,"delta":"word ","logprobs":[],"obfuscation":"Zq81"`, n+2))
	}
	event("response.output_item.done", `"output_index":0,"item":{"id":"msg_0f4a7c21d96b0","type":"message","content":[],"role":"assistant"}`)
	event("response.completed", `"response":{"id":"resp_0f4a7c21d96b","model":"gpt-5.1-2025-11-13","status":"completed",`+
		`"usage":{"input_tokens":12,"output_tokens":100000,"total_tokens":100012}}`)
}
