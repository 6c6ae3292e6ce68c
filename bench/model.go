package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// model is a server on the loopback that speaks Chat Completions and hardly thinks:
// it asks for a number of tool calls, then it says that it is done.
type model struct {
	url string

	mu    sync.Mutex
	tool  string
	calls int
	asked int
	first time.Time
}

// thinks is how long an answer takes. Real models take a thousand times as long; with
// none at all the rows would compare with the time of a system call.
const thinks = time.Millisecond

func startModel() (*model, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &model{url: "http://" + l.Addr().String() + "/v1"}
	go http.Serve(l, m) // until the bench ends
	return m, nil
}

// begin says what the next agent is to be asked for.
func (m *model) begin(tool string, calls int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tool, m.calls, m.asked, m.first = tool, calls, 0, time.Time{}
}

// end tells when the first request came, and how many there were.
func (m *model) end() (time.Time, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.first, m.asked
}

// chat is what the model reads of a request.
type chat struct {
	Messages []struct {
		Role string `json:"role"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name       string `json:"name"`
			Parameters struct {
				Properties map[string]any `json:"properties"`
			} `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	came := time.Now()
	var c chat
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	results := 0
	for _, msg := range c.Messages {
		if msg.Role == "tool" {
			results++
		}
	}
	m.mu.Lock()
	if m.asked++; m.asked == 1 {
		m.first = came
	}
	tool, calls := m.tool, m.calls
	m.mu.Unlock()
	delta, reason := map[string]any{"content": "Done."}, "stop"
	if results < calls {
		delta, reason = map[string]any{"tool_calls": []any{map[string]any{
			"index": 0, "id": fmt.Sprintf("call_%d", results), "type": "function",
			"function": map[string]any{"name": tool, "arguments": c.arguments(tool)},
		}}}, "tool_calls"
	}
	time.Sleep(thinks)
	answer(w, delta, reason)
}

// answer streams one answer of a model.
func answer(w http.ResponseWriter, delta map[string]any, reason string) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(choices ...any) {
		data, _ := json.Marshal(map[string]any{"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "mock", "choices": choices})
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
	choice := func(delta map[string]any, reason any) map[string]any {
		return map[string]any{"index": 0, "delta": delta, "finish_reason": reason}
	}
	send(choice(map[string]any{"role": "assistant", "content": ""}, nil))
	send(choice(delta, nil))
	send(choice(map[string]any{}, reason))
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// arguments are those of a tool, whatever it calls the file to read.
func (c chat) arguments(name string) string {
	if name == "bash" {
		return `{"command":"true"}`
	}
	for _, t := range c.Tools {
		if _, ok := t.Function.Parameters.Properties["file_path"]; ok && t.Function.Name == name {
			return `{"file_path":"a.md"}`
		}
	}
	return `{"path":"a.md"}`
}
