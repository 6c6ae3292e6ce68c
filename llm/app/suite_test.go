package app_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"redline/llm"
	"redline/llm/app"
	"redline/llm/llmtest"
)

// protocol is the client, with recorded answers of the server.
var protocol = llmtest.Protocol{
	Model: llm.Model{
		ID: "large", Provider: "acme", API: llm.APIChat, BaseURL: "https://claimed.example.com", Context: 200_000, MaxOutput: 8000,
		Can:      llm.Abilities{Tools: true, Images: true, Documents: true, Temperature: true, Structured: true},
		Thinking: llm.ThinkByEffort, Price: &llm.Price{Input: 1, Output: 2, CacheRead: 0.5, CacheWrite: 2},
	},
	Open: app.New,
	Dir:  "testdata",
	Long: func(w io.Writer, deltas int) {
		fmt.Fprintln(w, `{"type":"start","index":0,"reply":{"provider":"acme","api":"openai-chat","model":"large","usage":{}}}`)
		fmt.Fprintln(w, `{"type":"text_start","index":0}`)
		for range deltas {
			fmt.Fprintln(w, `{"type":"text_delta","index":0,"delta":"word "}`)
		}
		fmt.Fprintln(w, `{"type":"text_end","index":0}`)
		fmt.Fprintln(w, `{"type":"done","index":1,"reply":{"provider":"acme","api":"openai-chat","model":"large","stopReason":"stop","usage":{}}}`)
	},
	LongHeader: http.Header{"Content-Type": {"application/x-ndjson"}},
	Signed:     true, CacheWrite: true, Reasoning: true,
}

func TestContract(t *testing.T) { llmtest.Run(t, protocol) }

func BenchmarkDecode(b *testing.B) { llmtest.Benchmark(b, protocol) }
