package google_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"redline/llm"
	"redline/llm/google"
	"redline/llm/llmtest"
)

// flash stands for Gemini 3.
var flash = llm.Model{
	ID: "gemini-3-flash-preview", Provider: "google", API: llm.APIGemini,
	Context: 1_048_576, MaxOutput: 65_536,
	Price:    &llm.Price{Input: 0.5, Output: 3, CacheRead: 0.05},
	Can:      llm.Abilities{Tools: true, Images: true, Documents: true, Temperature: true, Structured: true},
	Thinking: llm.ThinkByLevel,
	Efforts:  map[llm.Level]string{llm.ThinkOff: "minimal", llm.ThinkMinimal: "minimal"},
}

// pro25 stands for the models before it.
var pro25 = llm.Model{
	ID: "gemini-2.5-pro", Provider: "google", API: llm.APIGemini,
	MaxOutput: 65_536, Can: flash.Can, Thinking: llm.ThinkByBudget,
}

var protocol = llmtest.Protocol{
	Model: flash, Open: google.New, Dir: "testdata",
	Long: long, LongHeader: http.Header{"Content-Type": {"text/event-stream"}},
	Signed: true, Reasoning: true,
	Skip: map[string]string{
		"bad_args": "arguments are a value inside the JSON of an event, so they cannot be cut; a call that the model garbled ends the answer as MALFORMED_FUNCTION_CALL",
	},
}

func long(w io.Writer, deltas int) {
	const chunk = `data: {"candidates": [{"content": {"parts": [{"text": "word "}],"role": "model"},"index": 0%s}],` +
		`"usageMetadata": {"promptTokenCount": 12,"candidatesTokenCount": %d,"totalTokenCount": %d,"promptTokensDetails": [{"modality": "TEXT","tokenCount": 12}]},` +
		`"modelVersion": "gemini-3-flash-preview","responseId": "JPozaonvK7yzvdIPrJ7FyAk"}` + "\r\n\r\n"
	for i := 1; i <= deltas; i++ {
		finish := ""
		if i == deltas {
			finish = `,"finishReason": "STOP"`
		}
		fmt.Fprintf(w, chunk, finish, i, i+12)
	}
}

func TestProtocol(t *testing.T) { llmtest.Run(t, protocol) }

func BenchmarkStream(b *testing.B) { llmtest.Benchmark(b, protocol) }
