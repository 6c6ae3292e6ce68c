package wire

import (
	"encoding/json"
	"time"
)

// JobStatus is where a job stands.
type JobStatus string

// The states of a job.
const (
	JobQueued           JobStatus = "queued"
	JobRunning          JobStatus = "running"
	JobWaitingForUser   JobStatus = "waiting_for_user"
	JobAwaitingApproval JobStatus = "awaiting_approval"
	JobAwaitingReview   JobStatus = "awaiting_review"
	JobCompleted        JobStatus = "completed"
	JobFailed           JobStatus = "failed"
	JobCancelled        JobStatus = "cancelled"
	JobInterrupted      JobStatus = "interrupted" // its program ended; it can be resumed
)

// Over tells whether nothing happens to the job any more by itself.
func (s JobStatus) Over() bool {
	return s == JobCompleted || s == JobFailed || s == JobCancelled
}

// RunRequest starts a job.
type RunRequest struct {
	Session     string       `json:"session_id" minLength:"1" doc:"the session"`
	Instruction string       `json:"instruction,omitempty" doc:"what the user wants"`
	Context     []ContextRow `json:"context_rows,omitzero" doc:"pieces of documents that the model is shown; they stay for the next requests. Absent: as they are; empty: none"`
	Tools       *ToolConfig  `json:"tool_config,omitempty"`
	File        string       `json:"current_file,omitempty" doc:"the document that the user has open: it is shown to the model, and its folder is where new documents go"`
	Amend       bool         `json:"amend,omitempty" doc:"extends the turn that waits for a decision, under review turn"`
	Attachments []Attachment `json:"attachments,omitempty"`
}

// ToolConfig narrows what a job may do.
type ToolConfig struct {
	MaxCalls           int   `json:"max_tool_calls,omitempty" minimum:"0" doc:"calls of tools; 0: as the session has it"`
	ConfirmBeforeEdits *bool `json:"confirm_before_edits,omitempty" doc:"the agent states its plan and waits before its first change; null: as the session has it"`
}

// Attachment is something that the user shows with a message.
type Attachment struct {
	Name string `json:"name"`
	Type string `json:"media_type" doc:"text/plain, image/png and the like"`
	Data []byte `json:"data" doc:"in base64"`
}

// ContextRow is a piece of a document that the user wants the model to see.
type ContextRow struct {
	ID      string `json:"id" minLength:"1"`
	Kind    string `json:"kind" enum:"selection,file,pinned"`
	Path    string `json:"file_path,omitempty" doc:"of a selection or a file; a pinned row may be a text alone"`
	From    int    `json:"start_line,omitempty" minimum:"0" doc:"counted from 1; 0: from the beginning"`
	To      int    `json:"end_line,omitempty" minimum:"0" doc:"inclusive; 0: to the end"`
	Content string `json:"content,omitempty" doc:"read anew if the file has changed"`
	Hash    string `json:"file_hash,omitempty" doc:"of the file when the content was read; set by the server"`
}

// NewJob is the answer to the request for a job.
type NewJob struct {
	ID     string    `json:"job_id"`
	Status JobStatus `json:"status"`
}

// Job is a job at one moment.
type Job struct {
	ID          string      `json:"id"`
	JobID       string      `json:"job_id" doc:"the same as id"`
	Session     string      `json:"session_id"`
	Folder      string      `json:"folder,omitempty"`
	Status      JobStatus   `json:"status"`
	Instruction string      `json:"instruction"`
	Intent      string      `json:"intent" enum:"action,chat" doc:"what the words look like; a hint, no more"`
	Created     time.Time   `json:"created_at"`
	Started     *time.Time  `json:"started_at"`
	Finished    *time.Time  `json:"finished_at"`
	Cursor      int         `json:"cursor" doc:"of the newest event"`
	Turn        string      `json:"turn_id,omitempty"`
	Checkpoint  string      `json:"checkpoint_id,omitempty"`
	Answer      string      `json:"answer" doc:"what the agent said last, as far as it has"`
	Progress    *Progress   `json:"progress"`
	Calls       []JobCall   `json:"calls" doc:"of tools, in their order"`
	Question    *Question   `json:"question" doc:"that waits for its answer"`
	Approval    *Approval   `json:"approval" doc:"that waits for its answer"`
	Edits       []Edit      `json:"proposed_edits"`
	Bundle      *DiffBundle `json:"diff_bundle" doc:"what the job has changed or proposes; null if nothing"`
	Usage       *Usage      `json:"usage"`
	Error       *Error      `json:"error" doc:"why it failed or was cancelled"`
	RerunOf     string      `json:"rerun_of,omitempty" doc:"the job whose request this one repeats on the fresh files"`
	Ahead       int         `json:"queue_position,omitempty" doc:"of a queued job: how many are before it"`
}

// JobCall is a call of a tool, in short.
type JobCall struct {
	ID    string `json:"tool_call_id"`
	Tool  string `json:"tool"`
	Label string `json:"label"`
	OK    *bool  `json:"ok" doc:"null while it runs"`
	About string `json:"about,omitempty" doc:"what its arguments name: paths, words, a command"`
}

// Progress is how far a job has come.
type Progress struct {
	Step        int    `json:"step"`  // which answer of the model this is, from 1
	Total       int    `json:"total"` // how many there may be; 0: no limit
	Description string `json:"description"`
	Done        int    `json:"done"` // calls of tools that have ended
}

// Usage is what a job has used of its models.
type Usage struct {
	Input   int      `json:"input_tokens"`
	Output  int      `json:"output_tokens"`
	CostUSD *float64 `json:"cost_usd"` // null: unknown
}

// The durable events of a job, besides those of a session in this package.
const (
	JobEventStarted    = "job.started"         // {"status", "session"}
	JobEventStatus     = "job.status"          // {"status", "session"}: between the start and the end
	JobEventCompleted  = "job.completed"       // {"status", "session"}
	JobEventFailed     = "job.failed"          // {"status", "session", "error"}
	JobEventCancelled  = "job.cancelled"       // {"status", "session", "error"}
	JobEventStopped    = "job.interrupted"     // {"status"}: its program ended
	JobEventResumed    = "job.resumed"         // {"status"}
	JobEventConflict   = "job.conflict"        // {"files", "rerun"}: what is on the disk is in the way
	JobEventRerun      = "job.rerun"           // {"job_id"}: the new one, or {"rerun_of"} in it
	JobEventProgress   = "progress"            // Progress
	JobEventHeard      = "message.queued"      // {"text"}: what the user tells a job that runs; its message_end follows when the agent takes it up
	JobEventSaid       = "message_end"         // {"message"}: what the user and the agent say
	JobEventRequested  = "tool.call.requested" // {"tool_call_id", "tool", "label", "arguments", "paths"}
	JobEventCalled     = "tool.call.completed" // {"tool_call_id", "tool", "ok", "output", "result_count" …}
	JobEventRoute      = "route"               // {"provider", "model", "reason"}
	JobEventPlan       = "plan.proposed"       // {"plan"}: confirm_before_edits
	JobEventEdits      = "edits.proposed"      // {"edits", "files"}: how many, and in which
	JobEventEnd        = "agent_end"           // {"outcome"}
	JobEventApplying   = "apply.started"       // {"accepted_hunk_ids"}
	JobEventApplied    = "apply.completed"     // {"applied_files"}
	JobEventNotApplied = "apply.failed"        // {"error"}: nothing was written
	JobEventLock       = "lock.changed"        // {"locked"}: the documents, under review turn

	CheckpointCreated     = "checkpoint.created"            // {"checkpoint_id"}
	CheckpointRollback    = "checkpoint.rollback.started"   // {"checkpoint_id", "mode", "hunk_ids"}
	CheckpointRolledBack  = "checkpoint.rollback.completed" // … and the report
	CheckpointNotReturned = "checkpoint.rollback.failed"    // … and {"error"}
)

// The transient frames, which have no cursor and are not kept.
const (
	FrameDelta  = "message_update"        // {"text", "thinking", "restart"}: a piece of a message; {"so_far"}: to a reader that comes late
	FrameOutput = "tool_execution_update" // {"tool_call_id", "output"}
	FrameReload = "reload"                // {"message"}: frames were lost; read the job anew and go on behind its cursor
)

// JobEvents are the events of a job behind a cursor.
type JobEvents struct {
	Job    string     `json:"job_id"`
	Status JobStatus  `json:"status"`
	Next   int        `json:"next_cursor" doc:"the cursor for the next request"`
	Events []JobEvent `json:"events"`
}

// JobEvent is something that happens in a job. One with a cursor is kept; one without
// is told to those who listen at that moment, and no more.
type JobEvent struct {
	Cursor int             `json:"cursor,omitempty"` // from 1, without gaps
	Job    string          `json:"job_id,omitempty"` // in the stream of a session
	Type   string          `json:"type"`
	Time   time.Time       `json:"ts"`
	Data   json.RawMessage `json:"data"`
	// Line is the event as docs/events.md has it, for those who ask for lines. A frame
	// may be nothing but its line.
	Line json.RawMessage `json:"line,omitempty"`
}

// ClarifyRequest answers a question.
type ClarifyRequest struct {
	Question string `json:"question_id,omitempty" doc:"the one that is open, if it is left out"`
	Answer   string `json:"answer,omitempty" doc:"no_user_answer, or nothing, skips it"`
}

// ApproveRequest answers the request for an approval.
type ApproveRequest struct {
	ID        string                     `json:"request_id,omitempty" doc:"the one that is open, if it is left out"`
	Approve   bool                       `json:"approve"`
	Arguments json.RawMessage            `json:"arguments,omitempty" doc:"approved with these instead; for a request with one call"`
	Calls     map[string]json.RawMessage `json:"calls,omitempty" doc:"the same by the id of the call"`
}

// SayRequest says something to a job that runs: it is heard after the call that is on.
type SayRequest struct {
	Text string `json:"text" minLength:"1"`
}

// ApplyRequest writes accepted hunks to the disk, and rejects the others of the job.
type ApplyRequest struct {
	Session  string   `json:"session_id" minLength:"1"`
	Job      string   `json:"job_id" minLength:"1"`
	Accepted []string `json:"accepted_hunk_ids"`
	AsOne    []string `json:"accept_as_one,omitempty" doc:"oversized hunks that are accepted without a split"`
}

// ApplyReply is what came of it.
type ApplyReply struct {
	Status  JobStatus `json:"status"`
	Applied []Applied `json:"applied_files"`
	Also    []string  `json:"also,omitempty" doc:"hunks that were decided otherwise than asked for, because they depend on each other"`
}

// DiffBundle is what a job proposes, or has changed.
type DiffBundle struct {
	Job   string     `json:"job_id"`
	Files []DiffFile `json:"files"`
}

// DiffFile is one file of it.
type DiffFile struct {
	Path  string     `json:"file_path"`
	From  string     `json:"from,omitempty"` // its name before, if it was moved
	Base  string     `json:"base_file_hash"` // of the file before; "" if there was none
	Hunks []DiffHunk `json:"hunks"`
}

// DiffHunk is the unit of decision.
type DiffHunk struct {
	ID       string   `json:"hunk_id"`
	Patch    string   `json:"patch"`    // unified; "" for what is no text
	Accepted *bool    `json:"accepted"` // null until it is decided
	Edits    []string `json:"edit_ids"` // the edits that it comes from, never nil

	Kind      string   `json:"kind,omitempty"` // what happens to the file as a whole; "" for a piece of text
	Oversized bool     `json:"oversized_hunk,omitempty"`
	DependsOn []string `json:"depends_on,omitempty"`
}

// Edit is an edit as the model proposed it.
type Edit struct {
	ID        string `json:"edit_id"`
	Path      string `json:"file_path"`
	Operation string `json:"operation"` // replace, insert, delete
	From      int    `json:"start_line"`
	To        int    `json:"end_line,omitempty"`
	Text      string `json:"new_text"`
	Hash      string `json:"expected_hash,omitempty"`
	Rationale string `json:"rationale,omitempty"`
}
