package google_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
	"redline/llm/google"
)

// Every signature goes back on the part that it came with, over two turns, and
// parts that came without one stay so.
func TestSignatures(t *testing.T) {
	s := &service{answers: []string{
		parts(`{"text":"Let me ","thought":true}`) +
			parts(`{"text":"think.","thought":true}`) +
			parts(`{"text":"Look"}`) + parts(`{"text":"ing.","thoughtSignature":"text-sig"}`) +
			parts(`{"text":"More."}`) +
			parts(`{"functionCall":{"name":"read_file","args":{"path":"a.md"}},"thoughtSignature":"call-sig"},{"functionCall":{"name":"read_file","args":{"path":"b.md"}}}`) +
			finish("STOP"),
		parts(`{"functionCall":{"id":"own-id","name":"read_file"},"thoughtSignature":"second-sig"}`) + finish("STOP"),
		parts(`{"text":"","thought":true,"thoughtSignature":"thought-sig"}`) +
			parts(`{"text":"Done."}`) + parts(`{"text":"","thoughtSignature":"last-sig"}`) +
			parts(`{"text":"","thoughtSignature":"empty-sig"}`) + finish("STOP"),
		ok,
	}}
	req := hello(flash)
	for range 2 {
		m := s.ask(t, req)
		req.Messages = append(req.Messages, m)
		for _, c := range m.ToolCalls() {
			req.Messages = append(req.Messages, llm.Answer(llm.ToolResult{CallID: c.ID, Name: c.Name, Output: "text of " + string(c.Arguments)}))
		}
	}
	req.Messages = append(req.Messages, s.ask(t, req), llm.User("Thanks."))
	s.ask(t, req)
	sameJSON(t, "contents", `[
		{"role":"user","parts":[{"text":"Hello."}]},
		{"role":"model","parts":[
			{"text":"Let me think.","thought":true},
			{"text":"Looking.","thoughtSignature":"text-sig"},
			{"text":"More."},
			{"functionCall":{"name":"read_file","args":{"path":"a.md"}},"thoughtSignature":"call-sig"},
			{"functionCall":{"name":"read_file","args":{"path":"b.md"}}}]},
		{"role":"user","parts":[
			{"functionResponse":{"name":"read_file","response":{"output":"text of {\"path\":\"a.md\"}"}}},
			{"functionResponse":{"name":"read_file","response":{"output":"text of {\"path\":\"b.md\"}"}}}]},
		{"role":"model","parts":[{"functionCall":{"id":"own-id","name":"read_file","args":{}},"thoughtSignature":"second-sig"}]},
		{"role":"user","parts":[{"functionResponse":{"id":"own-id","name":"read_file","response":{"output":"text of {}"}}}]},
		{"role":"model","parts":[
			{"text":"","thought":true,"thoughtSignature":"thought-sig"},
			{"text":"Done.","thoughtSignature":"last-sig"},
			{"text":"","thoughtSignature":"empty-sig"}]},
		{"role":"user","parts":[{"text":"Thanks."}]}]`, s.sent(t, "contents"))
}

// Another model's signatures are of no use to Gemini: 3 gets the documented one
// instead, on the first call of each step, the models before it get none.
func TestForeignSignatures(t *testing.T) {
	call := func(id, signature string) llm.ToolCall {
		return llm.ToolCall{ID: id, Name: "f", Arguments: json.RawMessage(`{}`), Signature: signature}
	}
	said := llm.Assistant(call("c1", "x"), call("c2", ""))
	said.Reply = &llm.Reply{Provider: "google", API: llm.APIGemini, Model: "gemini-1"}
	for _, tt := range []struct {
		model llm.Model
		want  []string
	}{
		{flash, []string{"skip_thought_signature_validator", ""}},
		{pro25, []string{"", ""}},
	} {
		t.Run(tt.model.ID, func(t *testing.T) {
			s := &service{answers: []string{ok}}
			req := hello(tt.model)
			req.Messages = append(req.Messages, said)
			s.ask(t, req)
			var contents []struct {
				Parts []struct{ ThoughtSignature string }
			}
			if err := json.Unmarshal([]byte(s.sent(t, "contents")), &contents); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range contents[1].Parts {
				got = append(got, p.ThoughtSignature)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("signatures (-want +got):\n%s", d)
			}
		})
	}
}

func TestThinking(t *testing.T) {
	with := func(m llm.Model, id string, efforts map[llm.Level]string) llm.Model {
		m.ID, m.Efforts = id, efforts
		return m
	}
	flash25 := with(pro25, "gemini-2.5-flash", nil)
	plain3 := with(flash, "gemini-3.7-flash", nil)
	own25 := with(pro25, "mine", map[llm.Level]string{llm.ThinkHigh: "-1", llm.ThinkOff: "64"})
	without := with(flash, "gemini-2.0-flash", nil)
	without.Thinking = ""
	budget := func(n int) string { return fmt.Sprintf(`{"thinkingBudget":%d}`, n) }
	shown := func(n int) string { return fmt.Sprintf(`{"includeThoughts":true,"thinkingBudget":%d}`, n) }
	for _, tt := range []struct {
		model llm.Model
		level llm.Level
		want  string // thinkingConfig
		limit int    // maxOutputTokens, where 4000 were asked for
	}{
		{flash25, "", budget(0), 4000},
		{flash25, llm.ThinkOff, budget(0), 4000},
		{flash25, llm.ThinkMinimal, shown(512), 4512},
		{flash25, llm.ThinkLow, shown(2048), 6048},
		{flash25, llm.ThinkMedium, shown(8192), 12192},
		{flash25, llm.ThinkHigh, shown(24576), 28576},
		{pro25, llm.ThinkOff, budget(128), 4128},
		{pro25, llm.ThinkMinimal, shown(512), 4512},
		{own25, llm.ThinkOff, budget(64), 4064},
		{own25, llm.ThinkHigh, shown(-1), 4000},
		{plain3, "", `{"thinkingLevel":"LOW"}`, 6048}, // it cannot be switched off
		{plain3, llm.ThinkMinimal, `{"includeThoughts":true,"thinkingLevel":"LOW"}`, 6048},
		{plain3, llm.ThinkLow, `{"includeThoughts":true,"thinkingLevel":"LOW"}`, 6048},
		{plain3, llm.ThinkMedium, `{"includeThoughts":true,"thinkingLevel":"MEDIUM"}`, 12192},
		{plain3, llm.ThinkHigh, `{"includeThoughts":true,"thinkingLevel":"HIGH"}`, 28576},
		{flash, llm.ThinkOff, `{"thinkingLevel":"MINIMAL"}`, 4512},
		{flash, llm.ThinkMinimal, `{"includeThoughts":true,"thinkingLevel":"MINIMAL"}`, 4512},
		{without, llm.ThinkHigh, "", 4000},
	} {
		t.Run(tt.model.ID+"_"+string(tt.level), func(t *testing.T) {
			s := &service{answers: []string{ok}}
			req := hello(tt.model)
			req.Thinking, req.MaxTokens = tt.level, 4000
			s.ask(t, req)
			var got struct {
				MaxOutputTokens int
				ThinkingConfig  json.RawMessage
			}
			if err := json.Unmarshal([]byte(s.sent(t, "generationConfig")), &got); err != nil {
				t.Fatal(err)
			}
			sameJSON(t, "thinkingConfig", tt.want, string(got.ThinkingConfig))
			if got.MaxOutputTokens != tt.limit {
				t.Errorf("maxOutputTokens is %d, want %d", got.MaxOutputTokens, tt.limit)
			}
		})
	}
}

// The room for thoughts ends where the model's limit is.
func TestOutputLimit(t *testing.T) {
	s := &service{answers: []string{ok}}
	req := hello(pro25)
	req.MaxTokens, req.Thinking = 60_000, llm.ThinkHigh
	s.ask(t, req)
	sameJSON(t, "generationConfig", `{"maxOutputTokens":65536,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":24576}}`, s.sent(t, "generationConfig"))
}

// Before Gemini 3, images of results follow all the responses of their step.
func TestImagesOfResults(t *testing.T) {
	s := &service{answers: []string{ok}}
	call := func(id string) llm.ToolCall {
		return llm.ToolCall{ID: id, Name: "look", Arguments: json.RawMessage(`{}`)}
	}
	image := func(data string) []llm.Image { return []llm.Image{{MIMEType: "image/png", Data: []byte(data)}} }
	req := hello(pro25)
	req.Messages = append(req.Messages, llm.Assistant(call("c1"), call("c2")),
		llm.Answer(llm.ToolResult{CallID: "c1", Name: "look", Output: "1", Images: image("one")}),
		llm.Answer(llm.ToolResult{CallID: "c2", Name: "look", Output: "2", Images: image("two")}),
		llm.User("Well?"))
	s.ask(t, req)
	sameJSON(t, "contents", `[
		{"role":"user","parts":[{"text":"Hello."}]},
		{"role":"model","parts":[
			{"functionCall":{"id":"c1","name":"look","args":{}}},
			{"functionCall":{"id":"c2","name":"look","args":{}}}]},
		{"role":"user","parts":[
			{"functionResponse":{"id":"c1","name":"look","response":{"output":"1"}}},
			{"functionResponse":{"id":"c2","name":"look","response":{"output":"2"}}},
			{"text":"The image that look returned:"},{"inlineData":{"mimeType":"image/png","data":"b25l"}},
			{"text":"The image that look returned:"},{"inlineData":{"mimeType":"image/png","data":"dHdv"}},
			{"text":"Well?"}]}]`, s.sent(t, "contents"))
}

func TestDocuments(t *testing.T) {
	word := llm.Document{Name: "a.docx", MIMEType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document", Data: []byte("PK")}
	withText := word
	withText.Text = "Dear all"
	for _, tt := range []struct {
		name string
		doc  llm.Document
		want string
	}{
		{"pdf", llm.Document{Name: "a.pdf", MIMEType: "application/pdf", Data: []byte("%PDF"), Text: "unused"}, `{"inlineData":{"mimeType":"application/pdf","data":"JVBERg=="}}`},
		{"markdown", llm.Document{Name: "a.md", MIMEType: "text/markdown; charset=utf-8", Data: []byte("# A")}, `{"text":"<document name=\"a.md\">\n# A\n</document>"}`},
		{"word with its text", withText, `{"text":"<document name=\"a.docx\">\nDear all\n</document>"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &service{answers: []string{ok}}
			s.ask(t, llm.Request{Model: flash, Messages: []llm.Message{llm.User("Read.", tt.doc)}})
			sameJSON(t, "contents", `[{"role":"user","parts":[{"text":"Read."},`+tt.want+`]}]`, s.sent(t, "contents"))
		})
	}
	t.Run("word", func(t *testing.T) {
		s := &service{answers: []string{ok}}
		req := llm.Request{Model: flash, Messages: []llm.Message{llm.User("Read.", word)}}
		m := s.ask(t, req)
		if f := m.Reply.Failure; f == nil || f.Class != llm.ClassInvalidRequest || !strings.Contains(f.Message, "a.docx") {
			t.Errorf("the failure is %v; it must name the document", f)
		}
		if len(s.asked) != 0 {
			t.Error("the request was sent")
		}
		req.Messages = append(req.Messages, llm.Assistant(llm.Text{Text: "I cannot."}), llm.User("Then not."))
		if m := s.ask(t, req); m.Text() != "ok" {
			t.Errorf("a document in the past ends the conversation: %v", m.Reply.Failure)
		}
	})
}

// Where the service cannot keep to a schema, it stands in the instructions.
func TestStructuredByWords(t *testing.T) {
	weak := flash
	weak.Can.Structured = false
	tools := []llm.ToolSpec{{Name: "f", Schema: json.RawMessage(`{"type":"object"}`)}}
	for _, tt := range []struct {
		name  string
		model llm.Model
		tools []llm.ToolSpec
		words bool
	}{
		{"Gemini 3 with tools", flash, tools, false},
		{"2.5 alone", pro25, nil, false},
		{"2.5 with tools", pro25, tools, true},
		{"not able", weak, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &service{answers: []string{ok}}
			req := hello(tt.model)
			req.System, req.Tools, req.Output = "Be brief.", tt.tools, &llm.Output{Name: "o", Schema: json.RawMessage(`{"type":"object"}`)}
			s.ask(t, req)
			if got := strings.Contains(s.sent(t, "systemInstruction"), "JSON schema"); got != tt.words {
				t.Errorf("schema in the instructions: %v, want %v", got, tt.words)
			}
			if got := strings.Contains(s.sent(t, "generationConfig"), "responseJsonSchema"); got == tt.words {
				t.Errorf("schema in the configuration: %v, want %v", got, !tt.words)
			}
		})
	}
}

func TestToolChoice(t *testing.T) {
	for choice, want := range map[string]string{
		"":         "",
		"auto":     `{"functionCallingConfig":{"mode":"AUTO"}}`,
		"none":     `{"functionCallingConfig":{"mode":"NONE"}}`,
		"required": `{"functionCallingConfig":{"mode":"ANY"}}`,
		"f":        `{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}}`,
	} {
		t.Run(choice, func(t *testing.T) {
			s := &service{answers: []string{ok}}
			req := hello(flash)
			req.Tools, req.ToolChoice = []llm.ToolSpec{{Name: "f", Schema: json.RawMessage(`{"type":"object"}`)}}, choice
			s.ask(t, req)
			sameJSON(t, "toolConfig", want, s.sent(t, "toolConfig"))
		})
	}
}

func TestBaseURL(t *testing.T) {
	const path = "/models/gemini-3-flash-preview:streamGenerateContent?alt=sse"
	for base, want := range map[string]string{
		"":                              "https://generativelanguage.googleapis.com/v1beta" + path,
		"https://example.com":           "https://example.com/v1beta" + path,
		"https://example.com/":          "https://example.com/v1beta" + path,
		"https://example.com/v1beta":    "https://example.com/v1beta" + path,
		"https://example.com/v1beta/":   "https://example.com/v1beta" + path,
		"https://example.com/v1":        "https://example.com/v1" + path,
		"http://localhost:8080/gemini":  "http://localhost:8080/gemini/v1beta" + path,
		"https://example.com/gemini/v1": "https://example.com/gemini/v1" + path,
	} {
		s := &service{answers: []string{ok}}
		p, err := google.New(llm.Endpoint{BaseURL: base, Key: "key-1234", Through: s})
		if err != nil {
			t.Errorf("%q: %v", base, err)
			continue
		}
		for _, err := range p.Stream(t.Context(), hello(flash)) {
			if err != nil {
				t.Error(err)
			}
		}
		if d := cmp.Diff([]string{want}, s.urls); d != "" {
			t.Errorf("%q (-want +got):\n%s", base, d)
		}
	}
	for _, base := range []string{"example.com", "ftp://example.com", "://", "https://"} {
		if _, err := google.New(llm.Endpoint{BaseURL: base}); err == nil {
			t.Errorf("%q is taken for a URL", base)
		}
	}
}

// The id of a model is one piece of the path, whatever is in it.
func TestModelID(t *testing.T) {
	for id, want := range map[string]string{
		"models/gemini-3":  "/v1beta/models/gemini-3:",
		"../../evil?x=1#y": "/v1beta/models/..%2F..%2Fevil%3Fx=1%23y:",
	} {
		s := &service{answers: []string{ok}}
		m := flash
		m.ID = id
		s.ask(t, hello(m))
		if !strings.Contains(s.urls[0], want) {
			t.Errorf("%q is asked for at %s, want %s", id, s.urls[0], want)
		}
	}
}
