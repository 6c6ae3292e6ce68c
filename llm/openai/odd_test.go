package openai_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
	"redline/llm/llmtest"
	"redline/llm/openai"
)

// TestOddAnswers: what servers also send. Every file in testdata/…/odd has the
// answer, the message that it makes, and how the conversation goes on after it.
// The words above say why; "dialect: x" among them names the server's.
func TestOddAnswers(t *testing.T) {
	for _, protocol := range []llmtest.Protocol{chatProtocol, responsesProtocol} {
		paths, err := filepath.Glob(filepath.Join(protocol.Dir, "odd", "*.txtar"))
		if err != nil || len(paths) == 0 {
			t.Fatalf("no cases in %s: %v", protocol.Dir, err)
		}
		for _, path := range paths {
			name := filepath.Base(protocol.Dir) + "/" + strings.TrimSuffix(filepath.Base(path), ".txtar")
			t.Run(name, func(t *testing.T) { oddAnswer(t, protocol, path) })
		}
	}
}

func oddAnswer(t *testing.T, protocol llmtest.Protocol, path string) {
	a, err := txtar.ParseFile(path)
	if err != nil || len(a.Files) == 0 || a.Files[0].Name != "answer" {
		t.Fatalf("%s does not begin with an answer: %v", path, err)
	}
	model := protocol.Model
	if _, name, ok := strings.Cut(string(a.Comment), "dialect: "); ok {
		model.Dialect = strings.TrimSpace(name)
	}
	answer := a.Files[0]
	req := request(model)
	m, _ := ask(t, protocol.Open, answer.Data, req)
	text := wire(t, filepath.Base(protocol.Dir)+"/answers/text")
	req.Messages = append(req.Messages, m, llm.User("Go on."))
	_, sent := ask(t, protocol.Open, text, req)
	got := txtar.Format(&txtar.Archive{Comment: a.Comment, Files: []txtar.File{
		answer, {Name: "message", Data: shown(m)}, {Name: "next", Data: history(t, sent)},
	}})
	if *llmtest.Update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(string(txtar.Format(a)), string(got)); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

// shown is a message for people, one line for each block and for its end.
func shown(m llm.Message) []byte {
	var b bytes.Buffer
	for _, block := range m.Content {
		switch block := block.(type) {
		case llm.Thinking:
			fmt.Fprintf(&b, "thinking %q%s\n", block.Text, after(block.Signature))
		case llm.Text:
			fmt.Fprintf(&b, "text %q%s\n", block.Text, after(block.Signature))
		case llm.ToolCall:
			fmt.Fprintf(&b, "call %s %s %s%s\n", block.ID, block.Name, block.Arguments, after(block.Raw))
		}
	}
	fmt.Fprintf(&b, "stop %s\n", m.Stop())
	if f := m.Reply.Failure; f != nil {
		fmt.Fprintf(&b, "failure %s status %d code %q retry %t %q\n", f.Class, f.Status, f.Code, f.Retry, f.Message)
	}
	return b.Bytes()
}

func after(rest string) string {
	if rest == "" {
		return ""
	}
	return " " + rest
}

// history is the conversation in a request, one line for each message or item.
func history(t *testing.T, sent []byte) []byte {
	t.Helper()
	var body struct{ Messages, Input []json.RawMessage }
	if err := json.Unmarshal(sent, &body); err != nil {
		t.Fatalf("%v in %s", err, sent)
	}
	var b bytes.Buffer
	for _, m := range append(body.Messages, body.Input...) {
		b.Write(append(m, '\n'))
	}
	return b.Bytes()
}

// TestEnvironment: nothing of it reaches a server that was given neither key nor
// headers.
func TestEnvironment(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_WEBHOOK_SECRET"} {
		t.Setenv(name, "ambient")
	}
	t.Setenv("OPENAI_BASE_URL", "http://ambient.invalid")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Custom: ambient")
	for _, protocol := range []llmtest.Protocol{chatProtocol, responsesProtocol} {
		var head string
		provider, err := protocol.Open(llm.Endpoint{Through: carry(func(r *http.Request) (*http.Response, error) {
			head = fmt.Sprint(r.URL, r.Header)
			return nil, errors.New("no network")
		})})
		if err != nil {
			t.Fatal(err)
		}
		llmtest.Check(t, provider.Stream(t.Context(), request(protocol.Model)))
		for _, word := range []string{"ambient", "Authorization", "Stainless"} {
			if head == "" || strings.Contains(head, word) {
				t.Errorf("%s: %q is in the request: %s", protocol.Dir, word, head)
			}
		}
	}
}

// TestPrinting: a provider that is printed does not show its key.
func TestPrinting(t *testing.T) {
	for _, open := range []func(llm.Endpoint) (llm.Provider, error){openai.NewChat, openai.NewResponses} {
		p, err := open(llm.Endpoint{Key: "sk-secret", Headers: map[string]string{"X-Token": "tk-secret"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
			if shown := fmt.Sprintf(verb, p); strings.Contains(shown, "secret") {
				t.Errorf("%s shows %s", verb, shown)
			}
		}
	}
}

// TestBaseURL: one that cannot be reached is told at once, not with every
// request.
func TestBaseURL(t *testing.T) {
	for _, url := range []string{"localhost:11434", "ftp://host/v1", "http://", "::"} {
		if _, err := openai.NewChat(llm.Endpoint{BaseURL: url}); err == nil || !strings.Contains(err.Error(), "base URL") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// TestThinkingOff: how servers are told that a model shall not think.
func TestThinkingOff(t *testing.T) {
	for name, want := range map[string]string{
		"openai":     `{}`, // its older models have no word for it
		"ollama":     `{"reasoning_effort":"none"}`,
		"llamacpp":   `{"chat_template_kwargs":{"enable_thinking":false}}`,
		"lmstudio":   `{"reasoning_effort":"none"}`,
		"vllm":       `{"chat_template_kwargs":{"enable_thinking":false}}`,
		"openrouter": `{"reasoning":{"effort":"none"}}`,
		"deepseek":   `{"thinking":{"type":"disabled"}}`,
		"groq":       `{}`,
		"mistral":    `{"reasoning_effort":"none"}`,
		"xai":        `{}`,
		"elsewhere":  `{}`,
	} {
		model := able(llm.APIChat)
		model.Provider, model.Efforts = name, nil
		_, sent := ask(t, openai.NewChat, wire(t, "chat/answers/text"), request(model))
		got := map[string]json.RawMessage{}
		if err := json.Unmarshal(sent, &got); err != nil {
			t.Fatal(err)
		}
		for field := range got {
			switch field {
			case "reasoning_effort", "reasoning", "thinking", "chat_template_kwargs":
			default:
				delete(got, field)
			}
		}
		if about, _ := json.Marshal(got); string(about) != want {
			t.Errorf("%s is sent %s, want %s", name, about, want)
		}
	}
}

// TestStrictSchemas: only what OpenAI can keep to is asked for as strict, or it
// would refuse the request.
func TestStrictSchemas(t *testing.T) {
	for schema, want := range map[string]bool{
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`:                                    true,
		`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`:                                                     false,
		`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`:                                                                 false,
		`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object"}}},"required":["a"],"additionalProperties":false}`:           false,
		`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["a"],"additionalProperties":false}`:        true,
		`{"type":"object","properties":{"a":{"allOf":[{"type":"string"}]}},"required":["a"],"additionalProperties":false}`:                        false,
		`{"anyOf":[{"type":"object","properties":{},"additionalProperties":false}],"type":"object","properties":{},"additionalProperties":false}`: false,
	} {
		req := request(able(llm.APIResponses))
		req.Output = &llm.Output{Name: "out", Schema: json.RawMessage(schema)}
		_, sent := ask(t, openai.NewResponses, wire(t, "responses/answers/text"), req)
		var body struct {
			Text struct {
				Format struct{ Strict bool }
			}
		}
		if err := json.Unmarshal(sent, &body); err != nil || body.Text.Format.Strict != want {
			t.Errorf("%s: strict %t, want %t (%v)", schema, body.Text.Format.Strict, want, err)
		}
	}
}

// TestBrokenSchema: it is told before anything is sent, with the name of the
// tool.
func TestBrokenSchema(t *testing.T) {
	for _, protocol := range []llmtest.Protocol{chatProtocol, responsesProtocol} {
		req := request(protocol.Model)
		req.Tools = []llm.ToolSpec{{Name: "search", Schema: json.RawMessage(`["no","object"]`)}}
		m, sent := ask(t, protocol.Open, wire(t, filepath.Base(protocol.Dir)+"/answers/text"), req)
		f := m.Reply.Failure
		if sent != nil || f == nil || f.Class != llm.ClassInvalidRequest || f.Retry || !strings.Contains(f.Message, "tool search") {
			t.Errorf("%s: sent %s, failure %v", protocol.Dir, sent, f)
		}
	}
}

// TestRoomForThoughts: the limit of an answer is for the answer. OpenAI counts
// thoughts in it, so it is raised by what may be thought; other servers have
// windows too small for that.
func TestRoomForThoughts(t *testing.T) {
	tests := []struct {
		provider string
		level    llm.Level
		off      string // the model's word for no thinking
		most     int
		want     int
	}{
		{"openai", llm.ThinkOff, "none", 128_000, 4000},
		{"openai", llm.ThinkOff, "minimal", 128_000, 5024},
		{"openai", llm.ThinkOff, "", 128_000, 4000},
		{"openai", llm.ThinkLow, "none", 128_000, 8096},
		{"openai", llm.ThinkHigh, "none", 128_000, 28_576},
		{"openai", llm.ThinkHigh, "none", 0, 28_576},
		{"openai", llm.ThinkHigh, "none", 10_000, 10_000},
		{"openai", llm.ThinkHigh, "none", 2000, 4000},
		{"vllm", llm.ThinkHigh, "none", 128_000, 4000},
	}
	for _, test := range tests {
		req := request(able(llm.APIChat))
		req.Model.Provider, req.Model.MaxOutput = test.provider, test.most
		req.Model.Efforts = map[llm.Level]string{llm.ThinkOff: test.off}
		req.Thinking, req.MaxTokens = test.level, 4000
		var got struct {
			Chat      int `json:"max_completion_tokens"`
			Others    int `json:"max_tokens"`
			Responses int `json:"max_output_tokens"`
		}
		_, sent := ask(t, openai.NewChat, wire(t, "chat/answers/text"), req)
		if err := json.Unmarshal(sent, &got); err != nil {
			t.Fatal(err)
		}
		if n := got.Chat + got.Others; n != test.want {
			t.Errorf("%+v: chat allows %d", test, n)
		}
		if test.provider != "openai" {
			continue
		}
		req.Model.API = llm.APIResponses
		_, sent = ask(t, openai.NewResponses, wire(t, "responses/answers/text"), req)
		if err := json.Unmarshal(sent, &got); err != nil {
			t.Fatal(err)
		}
		if got.Responses != test.want {
			t.Errorf("%+v: responses allow %d", test, got.Responses)
		}
	}
}

// TestAnswerCutOff: servers that insist on the user's word at the end are asked
// to go on after an answer that was cut off.
func TestAnswerCutOff(t *testing.T) {
	for name, want := range map[string]string{"mistral": "user", "llamacpp": "user", "openai": "assistant", "elsewhere": "assistant"} {
		model := able(llm.APIChat)
		model.Provider = name
		req := request(model)
		req.Messages = append(req.Messages, llm.Assistant(llm.Text{Text: "I was about"}))
		_, sent := ask(t, openai.NewChat, wire(t, "chat/answers/text"), req)
		var got struct {
			Messages []struct{ Role string }
		}
		if err := json.Unmarshal(sent, &got); err != nil {
			t.Fatal(err)
		}
		if last := got.Messages[len(got.Messages)-1].Role; last != want {
			t.Errorf("%s: the last word is the %s's", name, last)
		}
	}
}
