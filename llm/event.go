package llm

import "time"

// EventType names what an Event tells. The set is closed.
type EventType string

const (
	EventStart         EventType = "start" // Reply: model and response id
	EventTextStart     EventType = "text_start"
	EventTextDelta     EventType = "text_delta" // Delta
	EventTextEnd       EventType = "text_end"   // Signature
	EventThinkingStart EventType = "thinking_start"
	EventThinkingDelta EventType = "thinking_delta" // Delta
	EventThinkingEnd   EventType = "thinking_end"   // Signature, Redacted
	EventCallStart     EventType = "toolcall_start" // ID, Name
	EventCallDelta     EventType = "toolcall_delta" // Delta: the next piece of the arguments' JSON
	EventCallEnd       EventType = "toolcall_end"   // Signature
	EventRoute         EventType = "route"          // Route: which model answers, and why
	EventRestart       EventType = "restart"        // what this step said so far is void; Failure says why, Wait how long it rests, Reply (if known) what it took
	EventDone          EventType = "done"           // Reply: everything; the last event
)

// Event is one thing that happens while a model answers. Index numbers the
// blocks of the message in the order of their start; blocks may overlap.
type Event struct {
	Type      EventType     `json:"type"`
	Index     int           `json:"index"`
	Delta     string        `json:"delta,omitempty"`
	ID        string        `json:"id,omitempty"`
	Name      string        `json:"name,omitempty"`
	Signature string        `json:"signature,omitempty"`
	Redacted  bool          `json:"redacted,omitempty"`
	Reply     *Reply        `json:"reply,omitempty"`
	Failure   *Failure      `json:"failure,omitempty"`
	Wait      time.Duration `json:"waitNs,omitempty"`
	Route     *Choice       `json:"route,omitempty"`
}

// Choice is a decision of which model answers a step.
type Choice struct {
	Mode     string `json:"mode"` // local, remote, hybrid_auto
	Side     string `json:"side"` // local or remote
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Reason   string `json:"reason"`
}

// StopReason says why a message ended.
type StopReason string

const (
	StopEnd           StopReason = "stop"
	StopLength        StopReason = "length"
	StopToolUse       StopReason = "tool_use"
	StopAborted       StopReason = "aborted"
	StopError         StopReason = "error"
	StopContentFilter StopReason = "content_filter"
)
