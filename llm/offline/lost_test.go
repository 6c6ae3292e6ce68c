package offline_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"redline/llm"
	"redline/llm/offline"
)

// turn is a conversation that is continued by hand.
type turn struct {
	t   *testing.T
	req llm.Request
}

func newTurn(t *testing.T, text string) *turn {
	c := &turn{t: t, req: llm.Request{Model: offline.Model(), Messages: []llm.Message{llm.User(text)}}}
	for _, name := range offers["documents"] {
		c.req.Tools = append(c.req.Tools, llm.ToolSpec{Name: name})
	}
	return c
}

// next is what the model answers: its calls, or its last words.
func (c *turn) next() llm.Message {
	c.t.Helper()
	m, err := llm.Collect(offline.New().Stream(context.Background(), c.req))
	if err != nil {
		c.t.Fatal(err)
	}
	c.req.Messages = append(c.req.Messages, m)
	return m
}

// calls expects one call, and answers it.
func (c *turn) calls(name, output string, failed bool) {
	c.t.Helper()
	list := c.next().ToolCalls()
	if len(list) != 1 || list[0].Name != name {
		c.t.Fatalf("it calls %v, want %s", list, name)
	}
	c.req.Messages = append(c.req.Messages, llm.Answer(llm.ToolResult{CallID: list[0].ID, Name: name, Output: output, IsError: failed}))
}

func (c *turn) says(want string) {
	c.t.Helper()
	if m := c.next(); len(m.ToolCalls()) > 0 || !strings.Contains(m.Text(), want) {
		c.t.Errorf("it says %q and calls %v, want %q", m.Text(), m.ToolCalls(), want)
	}
}

// TestLost: a call that was cut off is made again if it only looks; of a change it is
// said that nobody knows.
func TestLost(t *testing.T) {
	c := newTurn(t, "append \"x\" to Rome")
	c.calls("list_documents", llm.Lost, true)
	c.calls("list_documents", "Rome.md", false)
	c.calls("read_document", llm.Lost, true)
	c.calls("read_document", "# Rome", false)
	c.calls("edit_document", llm.Lost, true)
	c.says("may or may not have been made")

	c = newTurn(t, "append \"x\" to Rome")
	c.calls("list_documents", llm.Lost, true)
	c.calls("list_documents", llm.Lost, true)
	c.says("could not list")
}

// TestOrder: a call is known again whatever the order of its arguments, and its id.
func TestOrder(t *testing.T) {
	c := newTurn(t, "list my notes")
	m := c.next()
	call := m.ToolCalls()[0]
	if string(call.Arguments) == `{"recursive":true,"folder":"/"}` {
		t.Fatal("choose another order")
	}
	call.ID, call.Arguments = "other", json.RawMessage(`{"recursive": true, "folder": "/"}`)
	c.req.Messages = []llm.Message{c.req.Messages[0], llm.Assistant(call), llm.Answer(llm.ToolResult{CallID: "other", Name: call.Name, Output: "Rome.md"})}
	c.says("Rome.md")
}

// TestToday: today is the day on which the message was sent, however long its answer
// takes.
func TestToday(t *testing.T) {
	c := newTurn(t, "create today's daily note")
	c.req.Messages[0].Time = time.Date(2025, 12, 31, 23, 59, 0, 0, time.UTC)
	c.calls("list_documents", "Rome.md", false)
	if call := c.next().ToolCalls()[0]; !strings.Contains(string(call.Arguments), `"2025-12-31"`) {
		t.Errorf("the note is %s", call.Arguments)
	}
}

// TestModel: it costs nothing and takes tools.
func TestModel(t *testing.T) {
	m := offline.Model()
	if cost := m.Cost(llm.Usage{Input: 1000, Output: 1000}); m.Name() != "offline/offline" || m.API != llm.APIOffline || !m.Can.Tools || cost == nil || *cost != 0 {
		t.Errorf("it is %+v", m)
	}
}

// TestStructured: where the caller wants a proposal, the last words are in it.
func TestStructured(t *testing.T) {
	c := newTurn(t, "help")
	c.req.Output = &llm.Output{Name: "proposal", Schema: json.RawMessage(`{"properties":{"assistant_message":{},"proposed_edits":{}}}`)}
	var p struct {
		Message string `json:"assistant_message"`
		Edits   []any  `json:"proposed_edits"`
	}
	if m := c.next(); json.Unmarshal([]byte(m.Text()), &p) != nil || !strings.Contains(p.Message, "built-in model") || p.Edits == nil {
		t.Errorf("it says %q", m.Text())
	}
}
