package google_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"redline/llm"
	"redline/llm/google"
)

func Example() {
	// Stands in for the service.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Method, r.URL)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"candidates": [{"content": {"parts": [{"text": "A greeting is due.", "thought": true}]}}]}`, "\n\n")
		fmt.Fprint(w, `data: {"candidates": [{"content": {"parts": [{"text": "Good "}]}}]}`, "\n\n")
		fmt.Fprint(w, `data: {"candidates": [{"content": {"parts": [{"text": "morning."}]}, "finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 4, "candidatesTokenCount": 3, "thoughtsTokenCount": 5}}`, "\n\n")
	}))
	defer server.Close()

	provider, err := google.New(llm.Endpoint{BaseURL: server.URL, Key: "the key", Proxy: "direct"})
	if err != nil {
		fmt.Println(err)
		return
	}
	request := llm.Request{
		Model:    llm.Model{ID: "gemini-3-flash-preview", Provider: "google", API: llm.APIGemini, Thinking: llm.ThinkByLevel},
		Messages: []llm.Message{llm.User("Greet me.")},
		Thinking: llm.ThinkLow,
	}
	for event, err := range provider.Stream(context.Background(), request) {
		switch {
		case err != nil:
			fmt.Println(err)
		case event.Type == llm.EventThinkingDelta:
			fmt.Println("thinks:", event.Delta)
		case event.Type == llm.EventTextDelta:
			fmt.Printf("says: %q\n", event.Delta)
		case event.Type == llm.EventDone:
			fmt.Println("ends:", event.Reply.Stop, "after", event.Reply.Usage.Output, "tokens")
		}
	}
	// Output:
	// POST /v1beta/models/gemini-3-flash-preview:streamGenerateContent?alt=sse
	// thinks: A greeting is due.
	// says: "Good "
	// says: "morning."
	// ends: stop after 8 tokens
}
