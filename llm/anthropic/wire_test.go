package anthropic_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"redline/llm"
	"redline/llm/anthropic"
	"redline/llm/llmtest"
)

// wire answers requests without a network and remembers the last one.
type wire struct {
	status int
	header http.Header
	answer string
	req    *http.Request
	body   []byte
	open   bool // the answer has not been closed
}

// Read and Close make the wire the body of its answer.
func (w *wire) Read(p []byte) (int, error) {
	n := copy(p, w.answer)
	w.answer = w.answer[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (w *wire) Close() error {
	w.open = false
	return nil
}

func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	w.req = req
	w.body, _ = io.ReadAll(req.Body)
	header := w.header
	if header == nil {
		header = http.Header{"Content-Type": {"text/event-stream"}}
	}
	w.open = true
	return &http.Response{StatusCode: max(w.status, 200), Header: header, Body: w, Request: req}, nil
}

// ask sends a request over the wire and returns the message of the answer.
func ask(t testing.TB, w *wire, req llm.Request) llm.Message {
	t.Helper()
	p, err := anthropic.New(llm.Endpoint{Through: w})
	if err != nil {
		t.Fatal(err)
	}
	m := llmtest.Check(t, p.Stream(t.Context(), req))
	if w.open {
		t.Error("the answer is not closed")
	}
	return m
}

// events is the body of a stream; the name of an event is the type in its data.
func events(data ...string) string {
	var b strings.Builder
	for _, d := range data {
		var ev struct{ Type string }
		if err := json.Unmarshal([]byte(d), &ev); err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", ev.Type, d)
	}
	return b.String()
}

// body is what the tests look at in a request.
type body struct {
	MaxTokens   int `json:"max_tokens"`
	Temperature *float64
	Stream      bool
	Thinking    *struct {
		Type    string
		Budget  int `json:"budget_tokens"`
		Display string
	}
	Output *struct {
		Effort string
		Format *struct {
			Type   string
			Schema json.RawMessage
		}
	} `json:"output_config"`
	ToolChoice *struct{ Type, Name string } `json:"tool_choice"`
	Tools      []struct {
		Name  string
		Cache any `json:"cache_control"`
	}
	System   []block
	Messages []struct {
		Role    string
		Content []block
	}
}

type block struct {
	Type, Text, Thinking, Signature, Data, Name, Title string
	Content                                            []block
	IsError                                            bool `json:"is_error"`
	Source                                             *struct {
		Type, Data string
		MediaType  string `json:"media_type"`
	}
	Cache any `json:"cache_control"`
}

// sent is the request that went out for req.
func sent(t testing.TB, req llm.Request) body {
	t.Helper()
	w := &wire{answer: events(
		`{"type":"message_start","message":{"id":"msg_1","model":"m","usage":{"input_tokens":1}}}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`,
		`{"type":"message_stop"}`,
	)}
	if m := ask(t, w, req); m.Stop() != llm.StopEnd {
		t.Fatalf("nothing was sent: %v", m.Reply.Failure)
	}
	var b body
	if err := json.NewDecoder(bytes.NewReader(w.body)).Decode(&b); err != nil {
		t.Fatalf("%v in %s", err, w.body)
	}
	return b
}

// outline draws a request: a line for each tool, block of the system prompt and
// message, with a star where the cache is marked.
func (b body) outline() string {
	var out strings.Builder
	for _, tool := range b.Tools {
		fmt.Fprintf(&out, "tool %s%s\n", tool.Name, star(tool.Cache))
	}
	for _, s := range b.System {
		fmt.Fprintf(&out, "system %s\n", s.outline())
	}
	for _, m := range b.Messages {
		fmt.Fprint(&out, m.Role)
		for _, c := range m.Content {
			fmt.Fprint(&out, " ", c.outline())
		}
		fmt.Fprintln(&out)
	}
	return out.String()
}

func (b block) outline() string {
	s := b.Type
	switch b.Type {
	case "text":
		s = fmt.Sprintf("%q", b.Text)
	case "thinking":
		s = fmt.Sprintf("thinking(%s)", b.Signature)
	case "redacted_thinking":
		s = fmt.Sprintf("redacted(%s)", b.Data)
	case "tool_use":
		s = fmt.Sprintf("call(%s)", b.Name)
	case "tool_result":
		var inner []string
		for _, c := range b.Content {
			inner = append(inner, c.outline())
		}
		s = fmt.Sprintf("result(%s)", strings.Join(inner, " "))
		if b.IsError {
			s = "failed-" + s
		}
	case "image":
		s = fmt.Sprintf("image(%s)", b.Source.MediaType)
	case "document":
		s = fmt.Sprintf("document(%s %s)", b.Title, b.Source.MediaType)
	}
	return s + star(b.Cache)
}

func star(cache any) string {
	if cache == nil {
		return ""
	}
	return "*"
}
