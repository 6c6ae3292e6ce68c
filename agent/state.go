package agent

import (
	"encoding/json"

	"redline/llm"
	"redline/tool"
)

// State is an agent at one moment. It shares its messages with the agent, which
// only ever adds to them: a State stays as it was.
type State struct {
	SystemPrompt  string
	Model         llm.Model
	Thinking      llm.Level
	Tools         tool.Set
	Messages      []Message
	Streaming     bool     // a run is on
	StreamMessage *Message // the message that is being written
	Pending       []string // ids of the tool calls that run
	Queued        int      // messages that wait
	Err           string   // why the last run failed
}

// MarshalJSON writes the state for screens: of the tools it has the names.
func (s State) MarshalJSON() ([]byte, error) {
	tools := []string{}
	for _, spec := range s.Tools.Specs() {
		tools = append(tools, spec.Name)
	}
	pending := s.Pending
	if pending == nil {
		pending = []string{}
	}
	return json.Marshal(struct {
		SystemPrompt  string    `json:"systemPrompt"`
		Model         llm.Model `json:"model"`
		Thinking      llm.Level `json:"thinkingLevel"`
		Tools         []string  `json:"tools"`
		Messages      []Message `json:"messages"`
		Streaming     bool      `json:"isStreaming"`
		StreamMessage *Message  `json:"streamMessage"`
		Pending       []string  `json:"pendingToolCalls"`
		Queued        int       `json:"queued"`
		Err           string    `json:"error,omitempty"`
	}{s.SystemPrompt, s.Model, s.Thinking, tools, list(s.Messages), s.Streaming, s.StreamMessage, pending, s.Queued, s.Err})
}
