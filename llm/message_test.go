package llm_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
)

// plainJSON is how a session file is written: < stays <.
func plainJSON(t testing.TB, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func sessionLines(t testing.TB) []string {
	t.Helper()
	f, err := os.Open("testdata/session.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var lines []string
	for s := bufio.NewScanner(f); s.Scan(); {
		lines = append(lines, s.Text())
	}
	return lines
}

// TestSessionLines reads every line of testdata/session.jsonl and writes it
// again: the first four are those of the format's description.
func TestSessionLines(t *testing.T) {
	for i, line := range sessionLines(t) {
		var m llm.Message
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Errorf("line %d: %v", i+1, err)
			continue
		}
		if d := cmp.Diff(line, plainJSON(t, m)); d != "" {
			t.Errorf("line %d is written otherwise: %s", i+1, d)
		}
	}
}

func TestSessionLinesMean(t *testing.T) {
	lines := sessionLines(t)
	read := func(line string) (m llm.Message) {
		t.Helper()
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	cost := 0.0015
	for _, tt := range []struct {
		line int
		want llm.Message
	}{
		{1, llm.User("Fix the bug in server.ts")},
		{2, llm.Assistant(llm.Text{Text: "I'll help..."})},
		{3, llm.Answer(llm.ToolResult{CallID: "call_123", Output: "..."})},
		{8, llm.User("See", llm.Image{MIMEType: "image/png", Data: []byte("\x89PNG")},
			llm.Document{Name: "a.pdf", MIMEType: "application/pdf", Data: []byte("%PDF"), Text: "words"})},
		{9, llm.Message{
			Role: llm.RoleAssistant,
			Time: time.Date(2025, 10, 12, 8, 0, 1, 5e8, time.UTC),
			Content: []llm.Block{
				llm.Thinking{Text: "Hmm", Signature: "sig"},
				llm.Thinking{Signature: "hidden", Redacted: true},
				llm.Text{Text: "Reading.", Signature: "t1"},
				llm.ToolCall{ID: "call_1", Name: "read", Arguments: json.RawMessage(`{"path":"a<b>.md"}`), Signature: "c1"},
				llm.ToolCall{ID: "call_2", Name: "read", Arguments: json.RawMessage(`{}`), Raw: `{"path": `},
			},
			Reply: &llm.Reply{
				Provider: "anthropic", API: llm.APIMessages, Model: "claude-opus-4-6", ServedBy: "claude-opus-4-6-20260205", ResponseID: "msg_1",
				Stop: llm.StopToolUse, Usage: llm.Usage{Input: 12, Output: 50, CacheRead: 100, CacheWrite: 20, Reasoning: 30},
				CostUSD: &cost, Latency: 1500 * time.Millisecond, FirstToken: 300 * time.Millisecond,
			},
		}},
		{10, llm.Answer(llm.ToolResult{CallID: "call_1", Name: "read", Output: "text", IsError: true,
			Images: []llm.Image{{MIMEType: "image/png", Data: []byte("\x89PNG")}}, Details: json.RawMessage(`{"lines":3}`)})},
	} {
		if d := cmp.Diff(tt.want, read(lines[tt.line-1])); d != "" {
			t.Errorf("line %d: %s", tt.line, d)
		}
	}
}

func TestUnmarshalRefuses(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"role":"system","content":"x"}`, `unknown role "system": use "user", "assistant" or "toolResult"`},
		{`{"role":"toolResult","output":"x"}`, `a message of role "toolResult" has no toolCallId`},
		{`{"role":"user","content":[{"type":"video"}]}`, `unknown block type "video"`},
		{`{"role":"user","content":7}`, `cannot unmarshal number`},
		{`[]`, `cannot unmarshal array`},
	} {
		var m llm.Message
		if err := json.Unmarshal([]byte(tt.text), &m); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %s", tt.text, err, tt.want)
		}
	}
}

func TestMarshalRefusesMisplacedBlocks(t *testing.T) {
	m := llm.User("x", llm.ToolResult{CallID: "1"})
	if _, err := json.Marshal(m); err == nil || !strings.Contains(err.Error(), "a llm.ToolResult cannot stand in the content of a message") {
		t.Errorf("error %v", err)
	}
}

// FuzzMessage: what can be read is written in one form, and that form is read as
// the same message.
func FuzzMessage(f *testing.F) {
	for _, line := range sessionLines(f) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var m, again llm.Message
		if json.Unmarshal([]byte(text), &m) != nil {
			return
		}
		first, err := json.Marshal(m)
		if err != nil {
			if m.Time.Year() > 9999 || m.Time.Year() < 0 {
				return
			}
			t.Fatalf("%s was read and cannot be written: %v", text, err)
		}
		if err := json.Unmarshal(first, &again); err != nil {
			t.Fatalf("%s cannot be read again: %v", first, err)
		}
		second, err := json.Marshal(again)
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("written %s, then %s (%v)", first, second, err)
		}
	})
}

func TestMessageParts(t *testing.T) {
	call := llm.ToolCall{ID: "1", Name: "read"}
	m := llm.Assistant(llm.Thinking{Text: "no"}, llm.Text{Text: "one "}, call, llm.Text{Text: "two"})
	if got := m.Text(); got != "one two" {
		t.Errorf("Text %q", got)
	}
	if d := cmp.Diff([]llm.ToolCall{call}, m.ToolCalls()); d != "" {
		t.Error(d)
	}
	if _, ok := m.ToolResult(); ok {
		t.Error("an assistant's message has a tool result")
	}
	if got := m.Stop(); got != "" {
		t.Errorf("Stop %q without a reply", got)
	}
	m.Reply = &llm.Reply{Stop: llm.StopToolUse}
	if got := m.Stop(); got != llm.StopToolUse {
		t.Errorf("Stop %q", got)
	}
	if r, ok := llm.Answer(llm.ToolResult{CallID: "1", Output: "x"}).ToolResult(); !ok || r.Output != "x" {
		t.Errorf("ToolResult %+v %t", r, ok)
	}
}

func TestUsage(t *testing.T) {
	u := llm.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Reasoning: 1}
	sum := u.Add(llm.Usage{Input: 10, Output: 20, CacheRead: 30, CacheWrite: 40, Reasoning: 10})
	if want := (llm.Usage{Input: 11, Output: 22, CacheRead: 33, CacheWrite: 44, Reasoning: 11}); sum != want {
		t.Errorf("Add %+v", sum)
	}
	if sum.Prompt() != 88 || sum.Total() != 110 {
		t.Errorf("Prompt %d Total %d", sum.Prompt(), sum.Total())
	}
}
