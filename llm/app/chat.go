package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"redline/llm"
)

// ChatPath is where a server answers in one piece, below its base URL: messages and
// tools in, a text and calls of tools out.
const ChatPath = "/chat-with-tools"

// chat is the form of programs that only have messages, tools and calls.
var chat = form{question: readChat, answer: (*server).chat, refusal: chatRefusal}

// chatRequest is a request in this form. What it does not name is left to the server.
type chatRequest struct {
	Provider    string        `json:"provider"`
	Model       string        `json:"model"` // "": the server's usual one
	System      string        `json:"system"`
	Messages    []chatMessage `json:"messages"`
	Tools       []chatTool    `json:"tools"`
	Temperature *float64      `json:"temperature"`
	MaxTokens   int           `json:"maxTokens"`
}

// chatMessage is a message: of the system, the user, the assistant with its calls, or
// the results of calls.
type chatMessage struct {
	Role    string       `json:"role"`
	Content string       `json:"content"`
	Calls   []chatCall   `json:"toolCalls"`
	Results []chatResult `json:"toolResults"` // of role tool_result
	CallID  string       `json:"toolCallId"`  // of role tool, whose content is the result
}

type chatCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type chatResult struct {
	CallID string          `json:"toolCallId"`
	Result json.RawMessage `json:"result"`
	Error  string          `json:"error"`
}

type chatTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// chatAnswer is what the model said.
type chatAnswer struct {
	Content string         `json:"content"`
	Calls   []chatCall     `json:"toolCalls"` // never nil
	Stop    llm.StopReason `json:"stopReason"`
	Model   string         `json:"model"` // the one that answered, provider/model
	Usage   chatUsage      `json:"usage"`
	CostUSD *float64       `json:"costUSD"` // null: the price is not known
}

type chatUsage struct {
	Input  int `json:"inputTokens"`
	Output int `json:"outputTokens"`
	Total  int `json:"totalTokens"`
}

// chatError is the body of an answer that is no success.
type chatError struct {
	Code    string         `json:"error"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

func chatRefusal(f *llm.Failure) any {
	code := f.Code
	if code == "" {
		code = string(f.Class)
	}
	return chatError{code, f.Message, map[string]any{"class": f.Class, "retry": f.Retry}}
}

func readChat(data []byte) (question, error) {
	var c chatRequest
	if err := json.Unmarshal(data, &c); err != nil {
		return question{}, err
	}
	q := question{Model: c.Model}
	if c.Provider != "" && c.Model != "" && !strings.HasPrefix(c.Model, c.Provider+"/") {
		q.Model = c.Provider + "/" + c.Model
	}
	q.Temperature, q.MaxTokens, q.System = c.Temperature, c.MaxTokens, c.System
	for _, t := range c.Tools {
		if t.Name == "" {
			return question{}, errors.New("a tool has no name")
		}
		if len(t.Parameters) == 0 {
			t.Parameters = json.RawMessage(`{"type":"object"}`)
		}
		q.Tools = append(q.Tools, llm.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Parameters})
	}
	names := map[string]string{} // of tools, by the id of the call
	for i, m := range c.Messages {
		said, err := m.read(names)
		if err != nil {
			return question{}, fmt.Errorf("messages[%d]: %w", i, err)
		}
		if m.Role == "system" {
			q.System = strings.TrimSpace(q.System + "\n\n" + m.Content)
		}
		q.Messages = append(q.Messages, said...)
	}
	return q, nil
}

// read is what a message stands for: nothing, if it is the system's.
func (m chatMessage) read(names map[string]string) ([]llm.Message, error) {
	switch m.Role {
	case "system":
		return nil, nil
	case "user":
		return []llm.Message{llm.User(m.Content)}, nil
	case "assistant":
		said, err := m.assistant(names)
		return []llm.Message{said}, err
	case "tool":
		return []llm.Message{llm.Answer(llm.ToolResult{CallID: m.CallID, Name: names[m.CallID], Output: m.Content})}, nil
	case "tool_result":
		var all []llm.Message
		for _, r := range m.Results {
			all = append(all, llm.Answer(r.read(names)))
		}
		return all, nil
	}
	return nil, fmt.Errorf("the role %q is not known; the roles are system, user, assistant, tool and tool_result", m.Role)
}

func (m chatMessage) assistant(names map[string]string) (llm.Message, error) {
	var blocks []llm.Block
	if m.Content != "" {
		blocks = append(blocks, llm.Text{Text: m.Content})
	}
	for _, c := range m.Calls {
		var object map[string]json.RawMessage
		if len(c.Arguments) > 0 && json.Unmarshal(c.Arguments, &object) != nil {
			return llm.Message{}, fmt.Errorf("the arguments of the call %q are no object", c.ID)
		}
		arguments := c.Arguments
		if object == nil {
			arguments = json.RawMessage("{}")
		}
		names[c.ID] = c.Name
		blocks = append(blocks, llm.ToolCall{ID: c.ID, Name: c.Name, Arguments: arguments})
	}
	return llm.Assistant(blocks...), nil
}

func (r chatResult) read(names map[string]string) llm.ToolResult {
	result := llm.ToolResult{CallID: r.CallID, Name: names[r.CallID], Output: string(r.Result)}
	var text string
	if json.Unmarshal(r.Result, &text) == nil {
		result.Output = text
	}
	if r.Error != "" {
		result.Output, result.IsError = r.Error, true
	}
	return result
}

// chat puts a request to its model and answers when that has said all. When the client
// is gone the request ends.
func (s *server) chat(w http.ResponseWriter, r *http.Request, t task) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	m := meter{track: s.Track, began: time.Now(), record: Record{Account: t.account, Model: t.req.Model.Name(), Stop: llm.StopError}}
	defer m.end() // also if the provider panics
	var b llm.Builder
	for ev, err := range t.provider.Stream(ctx, t.req) {
		if err != nil {
			ev = misused(t.req.Model, err)
		}
		m.add(ev)
		b.Add(ev)
	}
	said := b.Message()
	if said.Reply == nil || said.Reply.Failure != nil {
		refuse(w, upstream(said.Reply), form{refusal: chatRefusal})
		return
	}
	a := chatAnswer{Content: said.Text(), Calls: []chatCall{}, Stop: said.Stop(), Model: m.record.Model, CostUSD: m.record.CostUSD}
	a.Usage = chatUsage{m.record.Usage.Prompt(), m.record.Usage.Output, m.record.Usage.Total()}
	for _, c := range said.ToolCalls() {
		a.Calls = append(a.Calls, chatCall{c.ID, c.Name, c.Arguments})
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(receiving)) // not every connection has deadlines
	json.NewEncoder(w).Encode(a)                                              // a client that is gone needs no answer
}

// upstream is the failure of a model as the client is told it: what the model refused
// is not what this server refuses.
func upstream(r *llm.Reply) error {
	if r == nil {
		return &llm.Failure{Class: llm.ClassNetwork, Message: "the model did not answer", Retry: true}
	}
	f := *r.Failure
	if f.Status = 0; f.Class == llm.ClassAuth {
		f.Status, f.Message = http.StatusBadGateway, "the model's service refused the server's key"
	}
	return &f
}
