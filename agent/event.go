package agent

import (
	"encoding/json"
	"time"

	"redline/llm"
	"redline/tool"
)

// EventType names what an Event tells. The set is closed; docs/events.md draws
// the order.
type EventType string

const (
	AgentStart      EventType = "agent_start"
	TurnStart       EventType = "turn_start"
	MessageStart    EventType = "message_start"         // Message
	MessageUpdate   EventType = "message_update"        // Message as it is now, Update
	MessageEnd      EventType = "message_end"           // Message
	ToolStart       EventType = "tool_execution_start"  // Call
	ToolUpdate      EventType = "tool_execution_update" // Call, Result so far
	ToolEnd         EventType = "tool_execution_end"    // Call, Result
	CompactionStart EventType = "compaction_start"
	CompactionEnd   EventType = "compaction_end"
	TurnEnd         EventType = "turn_end"     // Message: the assistant's; Results
	AgentEnd        EventType = "agent_end"    // Messages: all that are new; Outcome
	StateUpdate     EventType = "state-update" // State; from an Agent alone, after each of the others
)

// Event is one thing that happens during a run. Every start is followed by its
// end, also when the run is aborted or fails.
type Event struct {
	Type     EventType
	Time     time.Time
	Message  *Message
	Update   *llm.Event
	Call     *llm.Call
	Result   *tool.Result
	Results  []Message
	Messages []Message
	Outcome  *Outcome
	State    *State
}

// MarshalJSON writes the event with the fields that its type has, and no other.
func (e Event) MarshalJSON() ([]byte, error) {
	type head struct {
		Type EventType `json:"type"`
		Time time.Time `json:"timestamp"`
	}
	type callHead struct {
		head
		ID   string `json:"toolCallId"`
		Name string `json:"toolName"`
	}
	h := head{e.Type, e.Time}
	switch e.Type {
	case MessageStart, MessageEnd:
		return json.Marshal(struct {
			head
			Message *Message `json:"message"`
		}{h, e.Message})
	case MessageUpdate:
		return json.Marshal(struct {
			head
			Update  *llm.Event `json:"assistantMessageEvent"`
			Message *Message   `json:"message"`
		}{h, e.Update, e.Message})
	case ToolStart:
		return json.Marshal(struct {
			callHead
			Args json.RawMessage `json:"args"`
		}{callHead{h, e.Call.ID, e.Call.Name}, e.Call.Arguments})
	case ToolUpdate:
		return json.Marshal(struct {
			callHead
			Partial resultJSON `json:"partialResult"`
		}{callHead{h, e.Call.ID, e.Call.Name}, resultOf(e)})
	case ToolEnd:
		return json.Marshal(struct {
			callHead
			Result  resultJSON `json:"result"`
			IsError bool       `json:"isError"`
		}{callHead{h, e.Call.ID, e.Call.Name}, resultOf(e), e.Result.IsError})
	case TurnEnd:
		return json.Marshal(struct {
			head
			Message *Message  `json:"message"`
			Results []Message `json:"toolResults"`
		}{h, e.Message, list(e.Results)})
	case AgentEnd:
		return json.Marshal(struct {
			head
			Messages []Message `json:"messages"`
			Outcome  *Outcome  `json:"outcome"`
		}{h, list(e.Messages), e.Outcome})
	case StateUpdate:
		return json.Marshal(struct {
			head
			State *State `json:"state"`
		}{h, e.State})
	}
	return json.Marshal(h)
}

// resultJSON is a tool's result as screens get it.
type resultJSON struct {
	Output  string          `json:"output"`
	Details json.RawMessage `json:"details,omitempty"`
}

// resultOf has the details as the message of the result has them: a tool whose
// details JSON cannot hold must not break the event.
func resultOf(e Event) resultJSON {
	return resultJSON{e.Result.Output, e.Result.Block(*e.Call).Details}
}

// list is an empty list instead of null.
func list(m []Message) []Message {
	if m == nil {
		return []Message{}
	}
	return m
}
