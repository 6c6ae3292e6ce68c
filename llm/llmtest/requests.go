package llmtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
)

// goldenRequests are the requests whose form on the wire is written down.
var goldenRequests = []struct {
	name string
	make func(suite, *testing.T) llm.Request
}{
	{"plain", suite.plainRequest},
	{"tools", suite.toolsRequest},
	{"images", suite.imagesRequest},
	{"thinking_off", thinking(llm.ThinkOff)},
	{"thinking_minimal", thinking(llm.ThinkMinimal)},
	{"thinking_low", thinking(llm.ThinkLow)},
	{"thinking_medium", thinking(llm.ThinkMedium)},
	{"thinking_high", thinking(llm.ThinkHigh)},
	{"thinking_history", suite.thinkingHistory},
	{"foreign", suite.foreignRequest},
	{"structured", suite.structuredRequest},
	{"limits", suite.limitsRequest},
}

func (s suite) requests(t *testing.T) {
	t.Run("requests", func(t *testing.T) {
		for _, g := range goldenRequests {
			s.scenario(t, g.name, func(t *testing.T) { s.golden(t, g.name, g.make(s, t)) })
		}
	})
}

func (s suite) plainRequest(*testing.T) llm.Request {
	return llm.Request{Model: s.Model, System: "Be brief.", Messages: []llm.Message{llm.User("Hello.")}}
}

// reply marks a message as made by the model under test.
func (s suite) reply(stop llm.StopReason) *llm.Reply {
	return &llm.Reply{Provider: s.Model.Provider, API: s.Model.API, Model: s.Model.ID, Stop: stop}
}

func (s suite) toolsRequest(t *testing.T) llm.Request {
	req := s.plainRequest(t)
	req.Tools, req.ToolChoice = tools[:2], "search"
	calls := llm.Assistant(
		llm.Text{Text: "Looking."},
		llm.ToolCall{ID: "call_1", Name: "read_file", Arguments: json.RawMessage(`{"path":"a.md"}`)},
		llm.ToolCall{ID: "call_2", Name: "read_file", Arguments: json.RawMessage(`{"path":"b.md"}`)},
	)
	calls.Reply = s.reply(llm.StopToolUse)
	req.Messages = []llm.Message{
		llm.User("Compare a.md and b.md."), calls,
		llm.Answer(llm.ToolResult{CallID: "call_1", Name: "read_file", Output: "# A", Details: json.RawMessage(`{"lines":1}`)}),
		llm.Answer(llm.ToolResult{CallID: "call_2", Name: "read_file", Output: "no such file: b.md", IsError: true}),
	}
	return req
}

// picture is a PNG of one pixel, scan a PDF of no pages.
var (
	picture = llm.Image{MIMEType: "image/png", Data: mustBase64("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")}
	scan    = llm.Document{Name: "scan.pdf", MIMEType: "application/pdf", Data: []byte("%PDF-1.4\n%%EOF\n")}
)

func mustBase64(s string) []byte {
	data, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return data
}

func (s suite) imagesRequest(t *testing.T) llm.Request {
	req := s.plainRequest(t)
	req.Tools = tools[:1]
	call := llm.Assistant(llm.ToolCall{ID: "call_1", Name: "read_file", Arguments: json.RawMessage(`{"path":"a.png"}`)})
	call.Reply = s.reply(llm.StopToolUse)
	req.Messages = []llm.Message{
		llm.User("Is a.png the same as this one? See the scan.", picture, scan), call,
		llm.Answer(llm.ToolResult{CallID: "call_1", Name: "read_file", Output: "1 x 1 pixels", Images: []llm.Image{picture}}),
	}
	return req
}

func thinking(level llm.Level) func(suite, *testing.T) llm.Request {
	return func(s suite, t *testing.T) llm.Request {
		req := s.plainRequest(t)
		req.Thinking = level
		return req
	}
}

// thinkingHistory sends back what the provider itself made of the recorded
// thinking and the first recorded call, with their signatures.
func (s suite) thinkingHistory(t *testing.T) llm.Request {
	req := s.plainRequest(t)
	req.Tools, req.Thinking = tools[:1], llm.ThinkMedium
	said := llm.Message{Role: llm.RoleAssistant, Reply: s.reply(llm.StopToolUse)}
	var call llm.ToolCall
	for _, name := range []string{"thinking", "tools"} {
		if _, skip := s.Skip[name]; skip {
			continue
		}
		a := s.answer(t, name)
		for _, block := range s.told(t, a, len(a.body), nil).Content {
			switch b := block.(type) {
			case llm.Thinking:
				said.Content = append(said.Content, b)
			case llm.ToolCall:
				if call.ID == "" {
					call = b
					said.Content = append(said.Content, b)
				}
			}
		}
	}
	req.Messages = []llm.Message{
		llm.User("What is in a.md?"), said,
		llm.Answer(llm.ToolResult{CallID: call.ID, Name: call.Name, Output: "# A"}),
	}
	return req
}

// foreignRequest continues a conversation that another provider began, and that
// was interrupted more than once.
func (s suite) foreignRequest(t *testing.T) llm.Request {
	req := s.plainRequest(t)
	req.Tools = tools
	by := func(stop llm.StopReason, blocks ...llm.Block) llm.Message {
		return llm.Message{
			Role: llm.RoleAssistant, Content: blocks,
			Reply: &llm.Reply{Provider: "elsewhere", API: "other", Model: "other-1", Stop: stop},
		}
	}
	odd := "functions.read_file:0|" + strings.Repeat("é", 40)
	req.Messages = []llm.Message{
		llm.User("What is in a.md?"),
		by(llm.StopToolUse,
			llm.Thinking{Text: "I should look.", Signature: "foreign-signature"},
			llm.Text{Text: "Looking.", Signature: "foreign-item"},
			llm.ToolCall{ID: odd, Name: "read_file", Arguments: json.RawMessage(`{"path":"a.md"}`), Signature: "foreign-call"},
			llm.ToolCall{ID: "call 2", Name: "search", Arguments: json.RawMessage(`{"query":"a"}`)}), // never answered
		llm.Answer(llm.ToolResult{CallID: odd, Name: "read_file", Output: "# A"}),
		by(llm.StopEnd, llm.Thinking{Text: "That is a heading.", Signature: "foreign-signature"}), // nothing but thoughts
		llm.Answer(llm.ToolResult{CallID: "nobody-asked", Name: "search", Output: "stray"}),
		llm.User("And?"),
		by(llm.StopAborted), // stopped before it spoke
		llm.User("Go on."),
	}
	return req
}

func (s suite) structuredRequest(t *testing.T) llm.Request {
	req := s.plainRequest(t)
	req.Output = &llm.Output{Name: "verdict", Schema: schema(`"ok":{"type":"boolean"},"why":{"type":"string"}`, `"ok","why"`)}
	return req
}

func (s suite) limitsRequest(t *testing.T) llm.Request {
	req := s.plainRequest(t)
	temperature := 0.7
	req.MaxTokens, req.Temperature, req.CacheKey = 4000, &temperature, "conversation-1"
	return req
}

// golden sends a request, which must be answered, and compares it with its file.
func (s suite) golden(t *testing.T, name string, req llm.Request) {
	server := serve(t, whole(s.answer(t, "text")))
	m := Check(t, s.open(t, server.URL, nil).Stream(t.Context(), req))
	if m.Stop() != llm.StopEnd || m.Text() != "Hello, world." {
		t.Fatalf("the answer is %q, stop reason %q: %+v", m.Text(), m.Stop(), m.Reply.Failure)
	}
	sent := server.requests()
	if len(sent) != 1 {
		t.Fatalf("%d requests were sent", len(sent))
	}
	got := sent[0].shown(t)
	path := filepath.Join(s.Dir, "requests", name+".json")
	if *Update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("the golden request is missing: %v; run the test with -update and read what it wrote", err)
	}
	if d := cmp.Diff(decoded(t, want), decoded(t, got)); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

func decoded(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v in:\n%s", err, data)
	}
	return v
}

// transportHeaders are those that say nothing about the protocol.
var transportHeaders = []string{
	"Accept", "Accept-Encoding", "Connection", "Content-Length", "Idempotency-Key", "User-Agent",
}

// shown is a request as a golden file shows it: fields of the body in the order
// in which they were sent, the key as KEY.
func (r request) shown(t *testing.T) []byte {
	t.Helper()
	headers := map[string]string{}
	for name, values := range r.header {
		if slices.Contains(transportHeaders, name) || strings.HasPrefix(name, "X-Stainless-") {
			continue
		}
		headers[http.CanonicalHeaderKey(name)] = strings.Join(values, ", ")
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(struct {
		Method  string            `json:"method"`
		Path    string            `json:"path"`
		Headers map[string]string `json:"headers"`
		Body    json.RawMessage   `json:"body"`
	}{r.method, r.url, headers, r.body})
	if err != nil {
		t.Fatalf("the body sent is no JSON: %v\n%s", err, r.body)
	}
	return bytes.ReplaceAll(out.Bytes(), []byte(key), []byte("KEY"))
}
