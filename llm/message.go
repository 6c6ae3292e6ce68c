package llm

import (
	"encoding/json"
	"strings"
	"time"
)

// Role says who speaks in a message.
type Role string

const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "toolResult"
)

// Message is one entry of a conversation.
type Message struct {
	Role    Role
	Content []Block // of RoleTool: exactly one ToolResult
	Time    time.Time
	Reply   *Reply // of RoleAssistant: who made it and how it ended
}

// Block is a piece of a message: Text, Thinking, Image, Document, ToolCall or
// ToolResult. The set is closed.
type Block interface{ block() }

// Text is plain text. Signature is opaque and belongs to the provider that made
// it (Gemini signs text parts; OpenAI Responses names its items).
type Text struct {
	Text      string
	Signature string
}

// Thinking is what a model thought before it spoke. With its signature it can
// be sent back to the model that made it, and to no other. Of redacted thinking
// there is only the signature.
type Thinking struct {
	Text      string
	Signature string
	Redacted  bool
}

// Image is a picture, as the bytes of its file.
type Image struct {
	MIMEType string
	Data     []byte
}

// Document is a file such as a PDF. Text, if there, is its content as text, for
// models that do not read the file itself.
type Document struct {
	Name     string
	MIMEType string
	Data     []byte
	Text     string
}

// ToolCall asks for a tool to be run. Arguments is always a JSON object. Raw is
// set only while the arguments stream in, and when what came is no JSON object;
// then Arguments is empty and the call cannot be run.
type ToolCall struct {
	ID        string
	Name      string
	Arguments json.RawMessage
	Raw       string
	Signature string
}

// ToolResult answers a ToolCall. Details is for screens and never sent to a
// model.
type ToolResult struct {
	CallID  string
	Name    string
	Output  string
	Images  []Image
	IsError bool
	Details json.RawMessage
}

func (Text) block()       {}
func (Thinking) block()   {}
func (Image) block()      {}
func (Document) block()   {}
func (ToolCall) block()   {}
func (ToolResult) block() {}

// Reply is what is known of an assistant's message besides its content.
type Reply struct {
	Provider   string        `json:"provider,omitempty"`
	API        API           `json:"api,omitempty"`
	Model      string        `json:"model,omitempty"`    // as asked for
	ServedBy   string        `json:"servedBy,omitempty"` // the model id in the answer, if it is another
	ResponseID string        `json:"responseId,omitempty"`
	Stop       StopReason    `json:"stopReason,omitempty"`
	Usage      Usage         `json:"usage"`
	CostUSD    *float64      `json:"costUSD,omitempty"` // nil: the prices of the model are not known
	Latency    time.Duration `json:"latencyNs,omitempty"`
	FirstToken time.Duration `json:"firstTokenNs,omitempty"`
	Failure    *Failure      `json:"failure,omitempty"`
}

// Usage counts tokens. Input is what was read neither from nor into the cache,
// so the whole prompt is Input + CacheRead + CacheWrite. Reasoning is part of
// Output.
type Usage struct {
	Input      int `json:"input"`
	Output     int `json:"output"`
	CacheRead  int `json:"cacheRead"`
	CacheWrite int `json:"cacheWrite"`
	Reasoning  int `json:"reasoning"`
}

// Prompt is the size of everything that was sent.
func (u Usage) Prompt() int { return u.Input + u.CacheRead + u.CacheWrite }

// Total is the size of everything that was sent and received.
func (u Usage) Total() int { return u.Prompt() + u.Output }

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input: u.Input + v.Input, Output: u.Output + v.Output,
		CacheRead: u.CacheRead + v.CacheRead, CacheWrite: u.CacheWrite + v.CacheWrite,
		Reasoning: u.Reasoning + v.Reasoning,
	}
}

// User is a message of the user made of one text and, perhaps, more blocks.
func User(text string, more ...Block) Message {
	return Message{Role: RoleUser, Content: append([]Block{Text{Text: text}}, more...)}
}

// Assistant is a message of the assistant.
func Assistant(blocks ...Block) Message {
	return Message{Role: RoleAssistant, Content: blocks}
}

// Answer is the message that carries a tool's result.
func Answer(r ToolResult) Message {
	return Message{Role: RoleTool, Content: []Block{r}}
}

// Text returns the text blocks of the message, joined.
func (m Message) Text() string {
	var b strings.Builder
	for _, block := range m.Content {
		if t, ok := block.(Text); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// ToolCalls returns the tool calls of the message in order.
func (m Message) ToolCalls() []ToolCall {
	var calls []ToolCall
	for _, block := range m.Content {
		if c, ok := block.(ToolCall); ok {
			calls = append(calls, c)
		}
	}
	return calls
}

// ToolResult returns the result that a message of RoleTool carries.
func (m Message) ToolResult() (ToolResult, bool) {
	if m.Role == RoleTool && len(m.Content) == 1 {
		r, ok := m.Content[0].(ToolResult)
		return r, ok
	}
	return ToolResult{}, false
}

// Stop returns why the assistant's message ended, or "" if that is not known.
func (m Message) Stop() StopReason {
	if m.Reply == nil {
		return ""
	}
	return m.Reply.Stop
}
