// Package wire is the JSON that front ends and the engine exchange.
//
// A front end sends a [Command] and hears an [Event]; what a request changed is a
// [Turn] with its files and hunks, and what became of a decision is a [Decided].
// The JSONL of the command line is these types, one a line.
package wire

import (
	"encoding/json"
	"time"
)

// The types of commands.
const (
	CommandMessage   = "message"   // Content; File, Amend
	CommandInterrupt = "interrupt" // the run ends
	CommandClarify   = "clarify"   // QuestionID, Answer
	CommandApprove   = "approve"   // RequestID, Approve; Arguments or Calls
	CommandDecide    = "decide"    // a Decision
)

// NoAnswer is the answer of a user who skips a question.
const NoAnswer = "no_user_answer"

// Command is what a user says or decides.
type Command struct {
	Type string `json:"type"`

	Content string `json:"content,omitempty"`
	File    string `json:"file,omitempty"`  // the current document; "": as the conversation has it
	Amend   bool   `json:"amend,omitempty"` // extends the turn that waits for a decision, under review turn

	QuestionID string `json:"question_id,omitempty"` // "": the one that is open
	Answer     string `json:"answer,omitempty"`      // "": NoAnswer

	RequestID string                     `json:"request_id,omitempty"` // "": the one that is open
	Approve   bool                       `json:"approve,omitempty"`
	Arguments json.RawMessage            `json:"arguments,omitempty"` // approved with these instead; for a request with one call
	Calls     map[string]json.RawMessage `json:"calls,omitempty"`     // the same by the id of the call

	Decision
}

// State is where a conversation stands.
type State string

// The states.
const (
	Idle             State = "idle"
	Running          State = "running"
	WaitingForUser   State = "waiting_for_user"
	AwaitingApproval State = "awaiting_approval"
	AwaitingReview   State = "awaiting_review"
	Done             State = "done"
	Failed           State = "failed"
	Cancelled        State = "cancelled"
)

// PriorityHigh is that of a message which must not be missed.
const PriorityHigh = "high"

// MessageTool is the tool whose calls are told as messages.
const MessageTool = "send_message"

// Open tells whether a run is on: it works, or waits for an answer in the middle.
// A question with which a run has ended is not part of it.
func (s Status) Open() bool {
	return s.State == Running || s.State == AwaitingApproval || s.State == WaitingForUser && s.Question != nil
}

// Status is a conversation at one moment.
type Status struct {
	Session  string    `json:"session_id"`
	State    State     `json:"state"`
	Turn     string    `json:"turn,omitempty"`   // of the run that is on, or was last
	Reason   string    `json:"reason,omitempty"` // why it failed or was cancelled
	Denied   bool      `json:"denied,omitempty"` // cancelled because a call was not approved
	Aborted  bool      `json:"aborted,omitempty"`
	Question *Question `json:"question,omitempty"` // in the middle of a run
	Approval *Approval `json:"approval,omitempty"`
	Waiting  *Waiting  `json:"waiting,omitempty"` // what was asked, in the middle of a run or with its last words
}

// Asks tells whether the next message is the answer to a question: a run has ended
// with it, or its program has.
func (s Status) Asks() bool { return s.State == WaitingForUser && s.Question == nil }

// Waiting is what a conversation has asked the user, and what for.
type Waiting struct {
	Question string `json:"question"`
	Message  string `json:"original_message"`       // what the user had asked for
	Index    int    `json:"original_message_index"` // in the session, from 0
	Calls    int    `json:"tool_calls_completed"`   // since
	Said     string `json:"last_agent_message"`
}

// Question is what the model wants to know.
type Question struct {
	ID      string   `json:"question_id"`
	Text    string   `json:"question"`
	Options []string `json:"options,omitempty"` // answers to choose from
}

// Approval is calls that run only if the user agrees.
type Approval struct {
	ID    string         `json:"request_id"`
	Why   string         `json:"why"` // destructive, bulk, policy, rule
	Text  string         `json:"text"`
	Files []string       `json:"files"` // all that they would change
	Calls []ApprovalCall `json:"calls"`
}

// ApprovalCall is one of the calls that are asked about.
type ApprovalCall struct {
	ID        string          `json:"tool_call_id"`
	Name      string          `json:"name"`
	Label     string          `json:"label"`
	Arguments json.RawMessage `json:"arguments"`
	Files     []string        `json:"files"`
}

// The types of events, besides those of the agent (docs/events.md).
const (
	EventState         = "state"                   // Status
	EventQuestion      = "clarification.requested" // Question
	EventAnswered      = "clarification.received"  // Question
	EventApproval      = "approval.requested"      // Approval
	EventApproved      = "approval.received"       // Approval, Approve
	EventMessage       = "message.sent"            // Text, Priority: what the agent tells while it works
	EventChanges       = "diff.generated"          // Turn
	EventReview        = "review.updated"          // Decided
	EventInterrupted   = "interrupted"
	EventNotice        = "notice" // Text: something that the user should know
	EventError         = "error"  // Text, Code: a command that could not be carried out
	EventAgentStart    = "agent_start"
	EventTurnStart     = "turn_start"
	EventMessageStart  = "message_start"
	EventMessageUpdate = "message_update"
	EventMessageEnd    = "message_end"
	EventToolStart     = "tool_execution_start"
	EventToolUpdate    = "tool_execution_update"
	EventToolEnd       = "tool_execution_end"
	EventTurnEnd       = "turn_end"
	EventAgentEnd      = "agent_end"
)

// Event is something that happens in a conversation. For screens the parts that
// they show are fields; Line is the event as programs read it.
type Event struct {
	Cursor int       `json:"-"` // numbers the events of a conversation from 1
	Type   string    `json:"-"`
	Time   time.Time `json:"-"`

	Step     int       `json:"-"` // of turn_start: which answer of the model this is
	Steps    int       `json:"-"` // of turn_start: how many there may be; 0: no limit
	Delta    Delta     `json:"-"` // of message_update
	Message  *Message  `json:"-"` // of message_start and message_end
	Tool     *Tool     `json:"-"` // of tool_execution_*
	Outcome  *Outcome  `json:"-"` // of agent_end
	Status   *Status   `json:"-"`
	Question *Question `json:"-"`
	Approval *Approval `json:"-"`
	Approve  bool      `json:"-"`
	Turn     *Turn     `json:"-"`
	Decided  *Decided  `json:"-"`
	Text     string    `json:"-"`
	Priority string    `json:"-"` // of message.sent: normal or high
	Code     string    `json:"-"`

	Line json.Marshaler `json:"-"`
}

// MarshalJSON writes the event as programs read it.
func (e Event) MarshalJSON() ([]byte, error) { return e.Line.MarshalJSON() }

// Delta is a piece of a message that is being written.
type Delta struct {
	Text     string `json:"text,omitempty"`
	Thinking string `json:"thinking,omitempty"`
	Restart  bool   `json:"restart,omitempty"` // what was said so far is void
}

// Message is something that was said.
type Message struct {
	Role  string `json:"role"` // user, assistant, toolResult
	Text  string `json:"text"`
	Calls int    `json:"calls,omitempty"` // of tools that it asks for
	Error string `json:"error,omitempty"` // how the model failed
}

// Tool is a call of a tool.
type Tool struct {
	ID      string
	Name    string
	Label   string
	Args    json.RawMessage
	Paths   []string // that it names, for a line about it
	Output  string
	Lines   int // of all of the output, if the beginning of it is all there is here
	IsError bool
}

// Outcome is what a run came to.
type Outcome struct {
	End     string        `json:"end"` // done, stopped, limit, aborted, failed
	Reason  string        `json:"reason,omitempty"`
	Steps   int           `json:"steps"`
	Calls   int           `json:"calls"`
	Input   int           `json:"input_tokens"`
	Output  int           `json:"output_tokens"`
	CostUSD *float64      `json:"cost_usd"` // null: unknown
	Took    time.Duration `json:"took_ns"`
}
