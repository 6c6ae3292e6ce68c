package anthropic_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
)

func user(s string) llm.Message { return llm.User(s) }

// by is a message that model made.
func by(model llm.Model, blocks ...llm.Block) llm.Message {
	m := llm.Assistant(blocks...)
	m.Reply = &llm.Reply{Provider: model.Provider, API: model.API, Model: model.ID, Stop: llm.StopEnd}
	return m
}

func said(s string) llm.Message { return by(sonnet, llm.Text{Text: s}) }

func call(id string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: "read", Arguments: json.RawMessage(`{"path":"a.md"}`)}
}

func result(id, output string) llm.Message {
	return llm.Answer(llm.ToolResult{CallID: id, Name: "read", Output: output})
}

var (
	png   = llm.Image{MIMEType: "image/png", Data: []byte("\x89PNG\x0d\x0a\x1a\x0a")}
	tools = []llm.ToolSpec{
		{Name: "read", Description: "Read.", Schema: json.RawMessage(`{"type":"object"}`)},
		{Name: "write", Description: "Write.", Schema: json.RawMessage(`{"type":"object"}`)},
	}
)

func TestConversation(t *testing.T) {
	thought := llm.Thinking{Text: "hm", Signature: "s1"}
	tests := []struct {
		name     string
		messages []llm.Message
		want     string
	}{
		{"messages of the user become one", []llm.Message{user("a"), user("b")}, `
user "a" "b"*`},
		{"so do those of the assistant", []llm.Message{user("a"), said("b"), said("c"), user("d")}, `
user "a"*
assistant "b" "c"
user "d"*`},
		{"results come first and together, in the order of their calls",
			[]llm.Message{user("a"), by(sonnet, call("1"), call("2")), result("2", "two"), result("1", "one"), user("go on")}, `
user "a"*
assistant call(read) call(read)
user result("one") result("two") "go on"*`},
		{"a failed result holds text only, its images follow the results",
			[]llm.Message{user("a"), by(sonnet, call("1"), call("2")),
				llm.Answer(llm.ToolResult{CallID: "1", Output: "no", IsError: true, Images: []llm.Image{png}}),
				llm.Answer(llm.ToolResult{CallID: "2", Output: "yes", Images: []llm.Image{png}})}, `
user "a"*
assistant call(read) call(read)
user failed-result("no") result("yes" image(image/png)) image(image/png)*`},
		{"a result without output says so",
			[]llm.Message{user("a"), by(sonnet, call("1"), call("2")), result("1", ""), result("2", " \n")}, `
user "a"*
assistant call(read) call(read)
user result("(no output)") result("(no output)")*`},
		{"blank text is not sent", []llm.Message{user("a"), said(" "), user("\n"), user("b")}, `
user "a" "b"*`},
		{"the user begins", []llm.Message{said("a"), user("b")}, `
user "(The conversation began earlier.)"*
assistant "a"
user "b"*`},
		{"the beginning of an answer has no white space at its end", []llm.Message{user("a"), said("b \n")}, `
user "a"*
assistant "b"*`},
		{"and no thought", []llm.Message{user("a"), by(sonnet, thought, llm.Text{Text: "b"})}, `
user "a"*
assistant "b"*`},
		{"signed thoughts go back in their place",
			[]llm.Message{user("a"), by(sonnet, thought, llm.Thinking{Signature: "r1", Redacted: true}, llm.Text{Text: "b"}, llm.Thinking{Signature: "s2"}, call("1")), result("1", "one")}, `
user "a"*
assistant thinking(s1) redacted(r1) "b" thinking(s2) call(read)
user result("one")*`},
		{"thoughts without a signature stay", []llm.Message{user("a"), by(sonnet, llm.Thinking{Text: "h"}, llm.Text{Text: "b"}), user("c")}, `
user "a"*
assistant "b"
user "c"*`},
		{"so do thoughts that led to nothing", []llm.Message{user("a"), by(sonnet, llm.Text{Text: "b"}, thought), by(sonnet, thought), user("c")}, `
user "a"*
assistant "b"
user "c"*`},
		{"and those of another model", []llm.Message{user("a"), by(opus, thought, llm.Text{Text: "b"}), user("c")}, `
user "a"*
assistant "b"
user "c"*`},
		{"a tool's name of another provider is made fit",
			[]llm.Message{user("a"), llm.Assistant(llm.ToolCall{ID: "1", Name: "fs:read.file"}), result("1", "one")}, `
user "a"*
assistant call(fs_read_file)
user result("one")*`},
		{"what cannot be read of an older message becomes a line",
			[]llm.Message{llm.User("a", llm.Image{MIMEType: "image/tiff", Data: []byte("II*")}, llm.Document{Name: "b.doc", MIMEType: "application/msword", Data: []byte("x")}), said("b"), user("c")}, `
user "a" "[an image (image/tiff) that this model cannot see]" "[the document b.doc (application/msword), which this model cannot read]"*
assistant "b"
user "c"*`},
		{"images have the type of their bytes",
			[]llm.Message{llm.User("a", llm.Image{MIMEType: "image/jpeg", Data: png.Data}, llm.Image{MIMEType: "image/jpg", Data: []byte("?")})}, `
user "a" image(image/png) image(image/jpeg)*`},
		{"documents are PDF or text",
			[]llm.Message{llm.User("a",
				llm.Document{Name: "a.pdf", MIMEType: "application/pdf", Data: []byte("%PDF"), Text: "unused"},
				llm.Document{Name: "b.md", MIMEType: "text/markdown; charset=utf-8", Data: []byte("# B")},
				llm.Document{Name: "c.docx", MIMEType: "application/msword", Data: []byte("x"), Text: "C"},
				llm.Document{Name: "d.txt", MIMEType: "text/plain"})}, `
user "a" document(a.pdf application/pdf) document(b.md text/plain) document(c.docx text/plain) "[the document d.txt, which is empty]"*`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := sent(t, llm.Request{Model: sonnet, Messages: test.messages}).outline()
			if d := cmp.Diff(strings.TrimPrefix(test.want, "\n")+"\n", got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestCacheBreakpoints(t *testing.T) {
	loop := []llm.Message{
		user("a"),
		by(sonnet, call("1")), result("1", "one"),
		by(sonnet, call("2"), call("3")), result("2", "two"), result("3", "three"),
	}
	tests := []struct {
		name string
		req  llm.Request
		want string
	}{
		{"all four", llm.Request{System: "Be brief.", Tools: tools, Messages: loop}, `
tool read
tool write*
system "Be brief."*
user "a"
assistant call(read)
user result("one")*
assistant call(read) call(read)
user result("two") result("three")*`},
		{"what the system prompt is told about the output is not marked", llm.Request{
			System: "Be brief.", Messages: loop[:1], Output: &llm.Output{Name: "x"}}, `
system "Be brief."*
system "Answer with one JSON value and nothing else: no introduction, no code fence."
user "a"*`},
		{"an answer that goes on", llm.Request{Messages: []llm.Message{user("a"), said("b"), user("c"), said("d")}}, `
user "a"
assistant "b"
user "c"*
assistant "d"*`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.req.Model = sonnet
			got := sent(t, test.req).outline()
			if d := cmp.Diff(strings.TrimPrefix(test.want, "\n")+"\n", got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if n := strings.Count(got, "*"); n > 4 {
				t.Errorf("%d breakpoints, the service takes 4", n)
			}
		})
	}
}

func TestNothingIsSent(t *testing.T) {
	tests := []struct {
		name string
		req  llm.Request
		want string
	}{
		{"a picture of another type", llm.Request{Messages: []llm.Message{llm.User("a", llm.Image{MIMEType: "image/tiff"})}},
			`images of type "image/tiff" are not taken; convert it to JPEG, PNG, GIF or WebP`},
		{"a document of another type", llm.Request{Messages: []llm.Message{llm.User("a", llm.Document{Name: "a.doc", MIMEType: "application/msword"})}},
			`the document a.doc of type "application/msword" is not taken without its text; convert it to PDF or text`},
		{"nothing but white space", llm.Request{Messages: []llm.Message{user(" ")}},
			"there is nothing to send: every message is empty"},
		{"a schema that is no JSON", llm.Request{Messages: []llm.Message{user("a")}, Tools: []llm.ToolSpec{{Name: "x", Schema: json.RawMessage("{")}}},
			"the request cannot be written as JSON, check the schemas of its tools and output: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.req.Model = sonnet
			w := &wire{}
			m := ask(t, w, test.req)
			if w.req != nil {
				t.Errorf("sent %s", w.body)
			}
			f := m.Reply.Failure
			if f == nil || f.Class != llm.ClassInvalidRequest || f.Retry || !strings.HasPrefix(f.Message, test.want) {
				t.Errorf("failure %+v, want an invalid request: %s", f, test.want)
			}
		})
	}
}

func TestToolChoice(t *testing.T) {
	for choice, want := range map[string]string{"": "", "auto": "", "none": "none ", "required": "any ", "write": "tool write"} {
		b := sent(t, llm.Request{Model: sonnet, Messages: []llm.Message{user("a")}, Tools: tools, ToolChoice: choice})
		got := ""
		if b.ToolChoice != nil {
			got = b.ToolChoice.Type + " " + b.ToolChoice.Name
		}
		if got != want {
			t.Errorf("%q is sent as %q, want %q", choice, got, want)
		}
	}
	if b := sent(t, llm.Request{Model: sonnet, Messages: []llm.Message{user("a")}, ToolChoice: "required"}); b.ToolChoice != nil {
		t.Errorf("a choice of no tools is sent")
	}
}

func TestStructuredOutput(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","minimum":3}},"required":["n"]}`)
	req := llm.Request{Model: sonnet, Messages: []llm.Message{user("a")}, Output: &llm.Output{Name: "count", Schema: schema}}

	b := sent(t, req)
	if b.Output == nil || b.Output.Format == nil || b.Output.Format.Type != "json_schema" || len(b.System) != 0 {
		t.Fatalf("an able model is sent %+v, system %+v", b.Output, b.System)
	}
	// The service insists on closed objects and does not know "minimum".
	want := `{"additionalProperties":false,"properties":{"n":{"description":"{minimum: 3}","type":"integer"}},"required":["n"],"type":"object"}`
	if got := string(b.Output.Format.Schema); got != want {
		t.Errorf("schema %s\nwant   %s", got, want)
	}

	req.Model.Can.Structured = false
	b = sent(t, req)
	if b.Output != nil || len(b.System) != 1 || !strings.HasSuffix(b.System[0].Text, string(schema)) {
		t.Errorf("another model is sent %+v, system %+v", b.Output, b.System)
	}
}

func TestTemperature(t *testing.T) {
	for _, test := range []struct {
		name  string
		model llm.Model
		level llm.Level
		ask   float64
		want  any
	}{
		{"as asked", sonnet, llm.ThinkOff, 0.7, 0.7},
		{"at most one", sonnet, llm.ThinkOff, 1.6, 1.0},
		{"not while it thinks", sonnet, llm.ThinkLow, 0.7, nil},
		{"not if it cannot", opus, llm.ThinkOff, 0.7, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := sent(t, llm.Request{Model: test.model, Messages: []llm.Message{user("a")}, Thinking: test.level, Temperature: &test.ask})
			var got any
			if b.Temperature != nil {
				got = *b.Temperature
			}
			if got != test.want {
				t.Errorf("%v is sent, want %v", got, test.want)
			}
		})
	}
}
