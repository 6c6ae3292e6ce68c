package wire

import "time"

// SplitRequest divides a hunk: the first part gets the first old and the first added
// lines.
type SplitRequest struct {
	Old   int `json:"old_lines" minimum:"0"`
	Added int `json:"added_lines" minimum:"0"`
}

// SplitReply are the parts.
type SplitReply struct {
	First  string `json:"first_hunk_id"`
	Second string `json:"second_hunk_id"`
}

// HunkText is the user's own text in the place of the new lines of a hunk.
type HunkText struct {
	Text string `json:"text"`
}

// RebaseRequest takes over what is on the disk now as the base of the pending hunks.
type RebaseRequest struct {
	Path string `json:"file_path,omitempty" doc:"one file; all, if it is left out"`
}

// RollbackRequest goes back to a checkpoint.
type RollbackRequest struct {
	Mode  string   `json:"mode" enum:"hard_all,scoped_selected"`
	Hunks []string `json:"hunk_ids,omitempty" doc:"of scoped_selected"`
}

// The modes of a rollback.
const (
	RollbackAll      = "hard_all"
	RollbackSelected = "scoped_selected"
)

// ChangeLog is what waits in a session, in the order in which it came: what the agent
// proposes, and what the user has changed meanwhile. Both are decided by their ids.
type ChangeLog struct {
	Entries []LogEntry `json:"change_log"`
}

// LogEntry is a hunk of a change log.
type LogEntry struct {
	ID      string `json:"id" doc:"of the hunk, for a decision"`
	Path    string `json:"file_path"`
	Turn    string `json:"turn_id"`
	Origin  string `json:"origin" enum:"agent,user"`
	Kind    string `json:"kind" doc:"text, create, delete, move, mkdir, mode, binary"`
	Forward string `json:"forward_patch" doc:"unified, of a piece of text; nothing for what happens to a file as a whole"`
	Reverse string `json:"reverse_patch"`
	Status  string `json:"status" enum:"pending,accepted,rejected"`
	Applied bool   `json:"applied" doc:"it is on the disk"`
	Before  string `json:"file_hash_before,omitempty" doc:"of the text that the patch is about"`
}

// Checkpoint is the state of every file that a run touched, before it.
type Checkpoint struct {
	ID      string           `json:"checkpoint_id"`
	Session string           `json:"session_id"`
	Job     string           `json:"job_id"`
	Turn    string           `json:"turn_id"`
	Created time.Time        `json:"created_at"`
	Files   []CheckpointFile `json:"affected_files"`
}

// CheckpointFile is one file of a checkpoint.
type CheckpointFile struct {
	Path  string           `json:"file_path"`
	Base  string           `json:"base_snapshot_hash"` // "" if there was no file
	Hunks []CheckpointHunk `json:"hunks"`
}

// CheckpointHunk is a hunk of the run with the patch that takes it back.
type CheckpointHunk struct {
	ID      string `json:"hunk_id"`
	Reverse string `json:"reverse_patch"`
}

// Diff3 is a file as it is now, as it was before a run, and as the run left it.
type Diff3 struct {
	Path     string  `json:"file_path"`
	Current  *string `json:"current_file"`    // null: there is none
	Base     *string `json:"checkpoint_base"` // null: there was none
	Proposed *string `json:"agent_proposed"`  // null: it is deleted
}

// Tree is what is in a folder.
type Tree struct {
	Entries   []TreeEntry `json:"entries"`
	Truncated bool        `json:"truncated"`
}

// TreeEntry is a file or a folder.
type TreeEntry struct {
	Path     string    `json:"path"`
	Kind     string    `json:"kind"` // file, folder
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified_at"`
}

// TreeQuery narrows a tree.
type TreeQuery struct {
	Under string
	Glob  string
	Depth int // 0: all
	Limit int // 0: 5000
}

// Document is a text and the token of it.
type Document struct {
	Path      string `json:"file_path"`
	Content   string `json:"content"`
	Token     string `json:"token"` // of this text: a save shows it
	Lines     int    `json:"lines"`
	EOL       string `json:"eol"` // lf, crlf, mixed, none
	Truncated bool   `json:"truncated,omitempty"`
	Pending   bool   `json:"pending,omitempty"` // changes of the session that wait for a decision are in the text
	Locked    bool   `json:"locked,omitempty"`  // the agent works on it: it is read-only
}

// DocumentQuery asks for a document.
type DocumentQuery struct {
	Path    string
	Session string // shows its pending changes in place; "": the file on the disk
}

// SaveRequest writes a document.
type SaveRequest struct {
	Path    string `json:"file_path" minLength:"1"`
	Content string `json:"content"`
	Token   string `json:"token,omitempty" doc:"of the text that was changed; nothing for a new document"`
	Session string `json:"session_id,omitempty" doc:"in whose review the edit is made"`
}

// Tab is a document that is open.
type Tab struct {
	Path   string    `json:"file_path"`
	Opened time.Time `json:"opened_at"`
}

// SearchQuery looks for words.
type SearchQuery struct {
	Query string
	Glob  string
	Limit int
}

// SearchReply is what was found.
type SearchReply struct {
	Results   []SearchHit `json:"results"`
	Truncated bool        `json:"truncated"`
}

// SearchHit is a place in a document.
type SearchHit struct {
	Path    string `json:"file_path"`
	From    int    `json:"start_line"`
	To      int    `json:"end_line"`
	Snippet string `json:"snippet"`
}

// Outline is the structure of a document.
type Outline struct {
	Path     string           `json:"file_path"`
	Sections []OutlineSection `json:"sections"`
}

// OutlineSection is a heading and what is below it.
type OutlineSection struct {
	Title string `json:"title"`
	Level int    `json:"level"`
	From  int    `json:"start_line"` // counted from 1
	To    int    `json:"end_line"`   // inclusive
}

// Version is what a document was at one time.
type Version struct {
	Commit  string    `json:"commit"`
	Time    time.Time `json:"ts"`
	Session string    `json:"session_id,omitempty"`
	Turn    string    `json:"turn_id,omitempty"`
	Verb    string    `json:"verb"`
	Path    string    `json:"file_path"` // its name then
	Hash    string    `json:"hash"`
}

// Trashed is something in the trash.
type Trashed struct {
	ID      string    `json:"id"`
	Path    string    `json:"path"` // where it was
	Deleted time.Time `json:"deleted_at"`
	Size    int64     `json:"size"`
}

// Emptied is what emptying the trash removed.
type Emptied struct {
	Items int   `json:"items"`
	Bytes int64 `json:"bytes"`
}

// AuditEntry is one call of a tool, or one decision of the user.
type AuditEntry struct {
	Time    time.Time      `json:"timestamp"`
	Session string         `json:"session_id,omitempty"`
	Turn    string         `json:"turn_id,omitempty"`
	Action  string         `json:"action"`
	Params  map[string]any `json:"parameters"`
	Result  string         `json:"result"` // success, error, rejected
	Message string         `json:"message,omitempty"`
}

// Model is a model that a session can use.
type Model struct {
	Name    string `json:"name"` // provider/model
	Context int    `json:"context_window,omitempty"`
	Output  int    `json:"max_output,omitempty"`
	Current bool   `json:"current"` // what a new session uses
	Ready   bool   `json:"ready"`   // a key for it is known, or it needs none
}

// Setting is a key of the configuration, what it is, and who said so. What is secret
// is not shown.
type Setting struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Origin string `json:"origin"`
}

// Stats is what happened on a folder: the measures of success, and what is kept.
type Stats struct {
	Sessions          int            `json:"sessions"`
	Jobs              map[string]int `json:"jobs"` // by status
	Calls             map[string]int `json:"tool_calls"`
	ActionSuccessRate *float64       `json:"action_success_rate"` // null: none yet; so below
	ApprovalRate      *float64       `json:"approval_rate"`
	UndoRate          *float64       `json:"undo_rate"`
	ActionsPerSession *float64       `json:"actions_per_conversation"`
	SecondsToComplete *float64       `json:"seconds_to_completion"` // the median
	Input             int            `json:"input_tokens"`
	Output            int            `json:"output_tokens"`
	CostUSD           float64        `json:"cost_usd"`
	StateBytes        int64          `json:"state_bytes"`
}
