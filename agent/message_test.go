package agent_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/agent"
	"redline/llm"
	"redline/tool"
)

var update = flag.Bool("update", false, "renew the golden files")

// golden compares with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

// artifact is a kind of message that an application might have.
type artifact struct {
	Action   string    `json:"action"`
	Filename string    `json:"filename"`
	At       time.Time `json:"timestamp"`
}

func (a *artifact) Role() string { return "artifact" }

var kinds = agent.Kinds{"artifact": func() agent.Custom { return new(artifact) }}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func TestMessageJSON(t *testing.T) {
	said := agent.UserMessage("Look.", agent.Attachment{ID: "a1", Type: agent.AttachImage, FileName: "cat.png", MIMEType: "image/png", Size: 3, Content: []byte("cat")},
		agent.Attachment{ID: "a2", Type: agent.AttachDocument, FileName: "b.docx", MIMEType: "application/x", Size: 1, Content: []byte("b"), ExtractedText: "text of b", Preview: []byte("p")})
	said.Time = noon
	made := agent.CustomMessage(&artifact{"create", "test.ts", noon})
	summed := agent.CustomMessage(&agent.Summary{Text: "short", Task: []string{"do it"}, Kept: 2, Dropped: 5, Tokens: 900, At: noon})
	var lines []string
	for _, m := range []agent.Message{said, made, summed} {
		data := marshal(t, m)
		lines = append(lines, data)
		back, err := kinds.Decode([]byte(data))
		if err != nil {
			t.Errorf("decode %s: %v", data, err)
		}
		if again := marshal(t, back); again != data {
			t.Errorf("read as %s, not %s", again, data)
		}
	}
	golden(t, "messages.jsonl", strings.Join(lines, "\n")+"\n")
}

// TestUnknownKind: what nobody registered is kept.
func TestUnknownKind(t *testing.T) {
	const line = `{"role":"notification","text":"hi","timestamp":"2026-01-02T12:00:00Z"}`
	m, err := agent.Kinds(nil).Decode([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	if got := marshal(t, m); got != line {
		t.Errorf("kept as %s", got)
	}
	if out, err := agent.Transform([]agent.Message{m}); err != nil || len(out) > 0 {
		t.Errorf("a model would see it: %v, %v", out, err)
	}
	for _, bad := range []string{``, `[]`, `{"content":"x"}`, `{"role":"user","content":{}}`, `{"role":"toolResult","output":"x"}`, `{"role":"artifact","timestamp":7}`} {
		if _, err := kinds.Decode([]byte(bad)); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

func TestTransform(t *testing.T) {
	with := func(a agent.Attachment) []agent.Message { return []agent.Message{agent.UserMessage("See:", a)} }
	tests := []struct {
		name string
		file agent.Attachment
		want string // the block, or an error
	}{
		{"image", agent.Attachment{Type: agent.AttachImage, MIMEType: "image/png", Content: []byte("x")}, `llm.Image{MIMEType:"image/png", Data:[]uint8{0x78}}`},
		{"pdf", agent.Attachment{Type: agent.AttachDocument, FileName: "a.pdf", MIMEType: "application/pdf", Content: []byte("x"), ExtractedText: "t"}, `llm.Document{Name:"a.pdf", MIMEType:"application/pdf", Data:[]uint8{0x78}, Text:"t"}`},
		{"text", agent.Attachment{Type: agent.AttachDocument, FileName: "a.docx", MIMEType: "application/x", ExtractedText: "t"}, "llm.Text{Text:\"<document name=\\\"a.docx\\\">\\nt\\n</document>\", Signature:\"\"}"},
		{"no text", agent.Attachment{Type: agent.AttachDocument, FileName: "a.docx", MIMEType: "application/x"}, "extract the text first"},
		{"odd", agent.Attachment{Type: "video", FileName: "a.mp4"}, `unknown type "video"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := with(test.file)
			out, err := agent.Transform(in)
			if err != nil {
				if !strings.Contains(err.Error(), test.want) {
					t.Errorf("error %v", err)
				}
				return
			}
			if got := fmt.Sprintf("%#v", out[0].Content[1]); got != test.want {
				t.Errorf("became %s", got)
			}
			if len(in[0].Content) != 1 {
				t.Error("the message itself was changed")
			}
		})
	}
}

// TestTransformFails: what cannot be sent fails the run with the reason, and the
// conversation can go on without it.
func TestTransformFails(t *testing.T) {
	a, p := newAgent(t, newWorkbench(t), agent.Config{}, says("Hi."))
	out, err := a.Prompt(context.Background(), "See:", agent.Attachment{Type: "video", FileName: "a.mp4"})
	if err != nil || out.End != agent.EndFailed || !strings.Contains(a.State().Err, "a.mp4") {
		t.Errorf("ended %s, %v; error %q", outcome(out), err, a.State().Err)
	}
	out, err = a.Prompt(context.Background(), "Never mind.")
	if err != nil || out.End != agent.EndDone {
		t.Fatalf("the next run ended %s, %v", outcome(out), err)
	}
	if got := p.asked[0].Messages[0].Text(); !strings.Contains(got, "[the attachment a.mp4, which cannot be read]") {
		t.Errorf("the model was told %q", got)
	}
}

// TestOwnTransformer: an application decides what a model sees.
func TestOwnTransformer(t *testing.T) {
	shout := func(messages []agent.Message) ([]llm.Message, error) {
		out, err := agent.Transform(messages)
		for i, m := range out {
			out[i] = llm.User(strings.ToUpper(m.Text()))
		}
		return out, err
	}
	a, p := newAgent(t, newWorkbench(t), agent.Config{Transform: shout}, says("Hi."))
	if err := a.Append(agent.CustomMessage(&artifact{Action: "create"})); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Prompt(context.Background(), "hello"); err != nil {
		t.Fatal(err)
	}
	if m := p.asked[0].Messages; len(m) != 1 || m[0].Text() != "HELLO" {
		t.Errorf("the model was sent %v", m)
	}
}

// TestDanglingCalls: a conversation whose calls never got a result goes on.
func TestDanglingCalls(t *testing.T) {
	a, p := newAgent(t, newWorkbench(t), agent.Config{}, says("I see."))
	call := llm.ToolCall{ID: "c1", Name: "write", Arguments: json.RawMessage(`{"text":"a"}`)}
	other := llm.ToolCall{ID: "c2", Name: "echo", Arguments: json.RawMessage(`{"text":"b"}`)}
	history := []agent.Message{
		agent.UserMessage("Go."),
		{Message: llm.Assistant(call, other)},
		{Message: llm.Answer(llm.ToolResult{CallID: "c2", Name: "echo", Output: "b"})},
	}
	if got := agent.Repair(history); len(got) != 1 {
		t.Fatalf("%d results are missing", len(got))
	}
	if err := a.Replace(history); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Prompt(context.Background(), "What happened?"); err != nil {
		t.Fatal(err)
	}
	if open := agent.Repair(a.State().Messages); len(open) > 0 {
		t.Error("the result was not kept")
	}
	if open := llm.Unanswered(p.asked[0].Messages); len(open) > 0 {
		t.Error("the model was sent a call without a result")
	}
}

// TestEventJSON: every event has the fields that its readers rely on.
func TestEventJSON(t *testing.T) {
	said := agent.Message{Message: llm.User("Go.")}
	call := &llm.Call{ID: "call_1", Name: "bash", Arguments: json.RawMessage(`{"command":"ls"}`)}
	result := &tool.Result{Output: "a.md", Details: map[string]int{"exitCode": 0}}
	events := []agent.Event{
		{Type: agent.AgentStart},
		{Type: agent.TurnStart},
		{Type: agent.MessageStart, Message: &said},
		{Type: agent.MessageUpdate, Message: &said, Update: &llm.Event{Type: llm.EventTextDelta, Delta: "Go"}},
		{Type: agent.MessageEnd, Message: &said},
		{Type: agent.ToolStart, Call: call},
		{Type: agent.ToolUpdate, Call: call, Result: &tool.Result{Output: "a"}},
		{Type: agent.ToolEnd, Call: call, Result: result},
		{Type: agent.CompactionStart},
		{Type: agent.CompactionEnd},
		{Type: agent.TurnEnd, Message: &said},
		{Type: agent.AgentEnd, Messages: []agent.Message{said}, Outcome: &agent.Outcome{End: agent.EndDone, Calls: []agent.Ran{{ID: "call_1", Name: "bash", State: agent.CallDone}}}},
		{Type: agent.StateUpdate, State: &agent.State{SystemPrompt: "Be brief.", Model: testModel, Thinking: llm.ThinkLow, Tools: newWorkbench(t).set}},
	}
	var b strings.Builder
	for _, e := range events {
		e.Time = noon
		b.WriteString(marshal(t, e) + "\n")
	}
	golden(t, "events.jsonl", b.String())
}

// TestEventOfOddDetails: details that JSON cannot hold do not break the event.
func TestEventOfOddDetails(t *testing.T) {
	e := agent.Event{Type: agent.ToolEnd, Call: &llm.Call{ID: "c1", Name: "odd"}, Result: &tool.Result{Output: "x", Details: make(chan int)}}
	if got := marshal(t, e); !strings.Contains(got, `"output":"x"`) || !strings.Contains(got, "the details of odd are no JSON") {
		t.Errorf("written as %s", got)
	}
}

// TestDebug: the listener hears each request with its answer.
func TestDebug(t *testing.T) {
	var heard []agent.Exchange
	a, p := newAgent(t, newWorkbench(t), agent.Config{System: "Be brief.", Debug: func(e agent.Exchange) { heard = append(heard, e) }}, calls("echo", `{"text":"x"}`), says("Done."))
	if _, err := a.Prompt(context.Background(), "Go."); err != nil {
		t.Fatal(err)
	}
	if len(heard) != 2 || heard[1].Response.Text() != "Done." || heard[0].Request.System != "Be brief." || len(heard[1].Request.Messages) != len(p.asked[1].Messages) {
		t.Errorf("heard %+v", heard)
	}
}
