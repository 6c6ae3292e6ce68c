package wire

import "time"

// SessionState is whether a session is in use.
type SessionState string

// The states of a session in a list.
const (
	SessionActive   SessionState = "active"
	SessionArchived SessionState = "archived"
)

// SessionOptions say how a session works. What is left out is as the server was
// started, or as the toolset has it.
type SessionOptions struct {
	Folder             string   `json:"folder,omitempty" doc:"one of those that the server works on, by its name; the first, if it is left out"`
	Session            string   `json:"session_id,omitempty" doc:"goes on with this one, also by the beginning of its id; \"last\": the newest on the folder"`
	Toolset            string   `json:"toolset,omitempty"`
	Review             string   `json:"review,omitempty" enum:"optimistic,hunks,turn,auto"`
	Mode               string   `json:"mode,omitempty" enum:"autonomous,supervised,restricted,custom"`
	Rules              []string `json:"rules,omitempty" doc:"of mode custom: verdict:tool:path"`
	Model              string   `json:"model,omitempty" doc:"provider/name"`
	Thinking           string   `json:"thinking,omitempty" enum:"off,minimal,low,medium,high"`
	SystemPrompt       string   `json:"system_prompt,omitempty"`
	Budget             float64  `json:"budget,omitempty" minimum:"0" doc:"USD of one request"`
	MaxIterations      int      `json:"max_iterations,omitempty" minimum:"0"`
	File               string   `json:"current_file,omitempty" doc:"the document that the user has open"`
	Yes                bool     `json:"yes,omitempty" doc:"every approval is given without asking"`
	Unattended         bool     `json:"unattended,omitempty" doc:"nobody can be asked"`
	ConfirmBeforeEdits *bool    `json:"confirm_before_edits,omitempty"`
	RerunOnConflict    *bool    `json:"rerun_on_conflict,omitempty"`
}

// NewSession is the answer to the request for a session.
type NewSession struct {
	ID      string       `json:"session_id"`
	Status  SessionState `json:"status"`
	Created time.Time    `json:"created_at"`
}

// SessionInfo is what a list shows of a session.
type SessionInfo struct {
	ID       string       `json:"session_id"`
	Folder   string       `json:"folder,omitempty"`
	Status   SessionState `json:"status"`
	State    State        `json:"state"` // where it stands
	Created  time.Time    `json:"created_at"`
	Updated  time.Time    `json:"updated_at"`
	Title    string       `json:"title"` // the beginning of what the user said first
	Messages int          `json:"messages"`
	Model    string       `json:"model,omitempty"`
	Question string       `json:"question,omitempty"` // that waits for an answer
	LastJob  string       `json:"last_job_id,omitempty"`
	Parent   string       `json:"parent,omitempty"`  // the session that it was forked from
	Problem  string       `json:"problem,omitempty"` // what is wrong with its file
}

// Session is a session with all of its state.
type Session struct {
	SessionInfo
	Same    string         `json:"id" doc:"the same as session_id"`
	Toolset string         `json:"toolset"`
	Review  string         `json:"review"`
	Mode    string         `json:"mode"`
	Steps   int            `json:"max_iterations"` // answers of the model for a request; 0: no limit
	Chat    []ChatEntry    `json:"chat"`
	Context []ContextRow   `json:"context_rows"`
	Pending *PendingReview `json:"pending_review"` // null: nothing waits for a decision
	Now     Status         `json:"now"`            // where it stands, with the question or the approval that is open
	Jobs    []JobLine      `json:"jobs"`           // oldest first
	Locked  bool           `json:"locked"`         // the agent works on the documents: they are read-only
}

// ChatEntry is something that was said or done.
type ChatEntry struct {
	Index int       `json:"index"` // in the session, from 0
	Role  string    `json:"role"`  // user, assistant, tool
	Text  string    `json:"text"`
	Tool  string    `json:"tool,omitempty"` // of a result
	OK    *bool     `json:"ok,omitempty"`   // of a result
	Calls []string  `json:"calls,omitempty"`
	Time  time.Time `json:"ts"`
}

// PendingReview is what waits for a decision in a session.
type PendingReview struct {
	Job   string   `json:"job_id,omitempty"` // the newest that has something to decide
	Turns []string `json:"turn_ids"`
	Hunks int      `json:"hunks"`
	Files []string `json:"files"`
}

// JobLine is a job in a list.
type JobLine struct {
	ID          string    `json:"job_id"`
	Status      JobStatus `json:"status"`
	Instruction string    `json:"instruction"`
	Created     time.Time `json:"created_at"`
}
