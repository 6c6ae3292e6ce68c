package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// reply is a line of what the model says: one answer to one request.
type reply struct {
	Status  int    `json:"status"` // of HTTP; 0: 200
	Content string `json:"content"`
	Calls   []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"calls"`
}

// serveModel starts a server that speaks OpenAI's chat completions, and ends it
// with the script.
func serveModel(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, 1)
	var replies []reply
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var r reply
		ts.Check(json.Unmarshal([]byte(line), &r))
		replies = append(replies, r)
	}
	work := beside(ts, "") // ts is not for other goroutines
	var mu sync.Mutex
	n := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(req.Body)
		n++
		record, _ := json.MarshalIndent(map[string]any{
			"path": req.URL.Path, "authorization": req.Header.Get("Authorization"), "body": json.RawMessage(body),
		}, "", "  ")
		if err := os.WriteFile(filepath.Join(work, fmt.Sprintf("request-%d.json", n)), record, 0o644); err != nil || n > len(replies) {
			http.Error(w, `{"error": {"message": "the script has no more replies"}}`, http.StatusBadRequest)
			return
		}
		replies[n-1].write(w, n)
	}))
	ts.Defer(server.Close)
	ts.Setenv("MODEL_URL", server.URL)
}

func (r reply) write(w http.ResponseWriter, n int) {
	if r.Status != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(r.Status)
		fmt.Fprintf(w, `{"error": {"message": %q, "type": "error"}}`, r.Content)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	var calls []any
	for i, c := range r.Calls {
		calls = append(calls, map[string]any{
			"index": i, "id": fmt.Sprintf("call_%d_%d", n, i+1), "type": "function",
			"function": map[string]any{"name": c.Name, "arguments": string(c.Arguments)},
		})
	}
	delta := map[string]any{"role": "assistant", "content": r.Content}
	finish := "stop"
	if len(calls) > 0 {
		delta["tool_calls"], finish = calls, "tool_calls"
	}
	for _, choice := range []any{
		map[string]any{"index": 0, "delta": delta},
		map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": finish},
	} {
		data, _ := json.Marshal(map[string]any{
			"id": "answer", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []any{choice},
		})
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}
