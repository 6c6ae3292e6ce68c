package openai_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"redline/llm"
	"redline/llm/llmtest"
	"redline/llm/openai"
)

// TestDialects: of every server there is an answer, recorded in
// testdata/dialects, in which a model thinks and calls a tool; the next request,
// which asks for all that servers do differently, is written down beside it.
func TestDialects(t *testing.T) {
	cached := llm.Usage{Input: 12, CacheRead: 100, Output: 50}
	reasoned := llm.Usage{Input: 12, CacheRead: 100, Output: 50, Reasoning: 30}
	for name, usage := range map[string]llm.Usage{
		"openai":     reasoned,
		"ollama":     {Input: 112, Output: 50},
		"llamacpp":   cached,
		"lmstudio":   {Input: 112, Output: 50, Reasoning: 30},
		"vllm":       cached,
		"openrouter": {Input: 12, CacheRead: 100, CacheWrite: 20, Output: 50, Reasoning: 30},
		"deepseek":   reasoned,
		"groq":       reasoned,
		"mistral":    cached,
		"xai":        reasoned,
		"elsewhere":  {},
	} {
		t.Run(name, func(t *testing.T) {
			model := able(llm.APIChat)
			model.ID, model.Provider, model.Efforts = "model-1", name, nil
			m, _ := ask(t, openai.NewChat, wire(t, "dialects/"+name), request(model))
			content := []llm.Block{
				llm.Thinking{Text: "I should read a.md."},
				llm.ToolCall{Name: "read_file", Arguments: json.RawMessage(`{"path":"a.md"}`)},
			}
			if name == "openai" { // shows none of its thinking here
				content = content[1:]
			}
			ignored := cmp.Options{cmpopts.IgnoreFields(llm.Thinking{}, "Signature"), cmpopts.IgnoreFields(llm.ToolCall{}, "ID")}
			if d := cmp.Diff(content, m.Content, ignored); d != "" {
				t.Errorf("content (-want +got):\n%s", d)
			}
			if m.Stop() != llm.StopToolUse {
				t.Errorf("stop reason %q: %v", m.Stop(), m.Reply.Failure)
			}
			if d := cmp.Diff(usage, m.Reply.Usage); d != "" {
				t.Errorf("usage (-want +got):\n%s", d)
			}
			_, sent := ask(t, openai.NewChat, wire(t, "dialects/"+name), goingOn(model, m))
			golden(t, "testdata/dialects/"+name+".json", sent)
		})
	}
}

func request(model llm.Model) llm.Request {
	return llm.Request{Model: model, System: "Be brief.", Messages: []llm.Message{llm.User("What is in a.md?")}}
}

// goingOn is the request after the model's first answer.
func goingOn(model llm.Model, m llm.Message) llm.Request {
	req := request(model)
	pixel := llm.Image{MIMEType: "image/png", Data: []byte("PNG")}
	req.Messages = append(req.Messages, m,
		llm.Answer(llm.ToolResult{CallID: m.ToolCalls()[0].ID, Name: "read_file", Output: "# A", Images: []llm.Image{pixel}}),
		llm.User("And in this one?", llm.Document{Name: "b.pdf", MIMEType: "application/pdf", Data: []byte("%PDF"), Text: "# B"}))
	closed := `"additionalProperties":false}`
	req.Tools = []llm.ToolSpec{
		{Name: "read_file", Description: "Read a file.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},` + closed)},
		{Name: "list_files", Description: "List all files.", Schema: json.RawMessage(`{"type":"object","properties":{},` + closed)},
	}
	req.Output = &llm.Output{Name: "verdict", Schema: json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],` + closed)}
	req.ToolChoice, req.Thinking, req.MaxTokens, req.CacheKey = "read_file", llm.ThinkHigh, 4000, "conversation-1"
	return req
}

// wire reads a recorded answer.
func wire(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)+".http"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// ask answers a request with what is recorded and returns the message that
// makes, and the body of the request.
func ask(t *testing.T, open func(llm.Endpoint) (llm.Provider, error), answer []byte, req llm.Request) (llm.Message, []byte) {
	t.Helper()
	var sent []byte
	provider, err := open(llm.Endpoint{Through: carry(func(r *http.Request) (*http.Response, error) {
		sent, _ = io.ReadAll(r.Body)
		return http.ReadResponse(bufio.NewReader(bytes.NewReader(answer)), r)
	})})
	if err != nil {
		t.Fatal(err)
	}
	return llmtest.Check(t, provider.Stream(t.Context(), req)), sent
}

// carry takes the place of the network.
type carry func(*http.Request) (*http.Response, error)

func (c carry) RoundTrip(r *http.Request) (*http.Response, error) { return c(r) }

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	var indented bytes.Buffer
	if err := json.Indent(&indented, got, "", "  "); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	indented.WriteByte('\n')
	if *llmtest.Update {
		if err := os.WriteFile(path, indented.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update and read what it wrote", err)
	}
	if d := cmp.Diff(string(want), indented.String()); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}
