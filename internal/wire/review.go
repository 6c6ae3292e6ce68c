package wire

import "time"

// Turn is what one request changed.
type Turn struct {
	ID         string    `json:"id"`
	Session    string    `json:"session_id"`
	Message    string    `json:"message,omitempty"` // what the user asked for
	Checkpoint string    `json:"checkpoint_id"`
	Review     string    `json:"review"` // optimistic, hunks, turn, auto
	Status     string    `json:"status"` // running, pending, accepted, rejected, partial, undone, discarded, empty
	Began      time.Time `json:"began_at"`
	Ended      time.Time `json:"ended_at,omitzero"`
	Files      []File    `json:"files"`
}

// Staged tells whether the changes wait for a decision before they reach the disk.
func (t *Turn) Staged() bool { return t.Review == "hunks" || t.Review == "turn" }

// Pending tells whether something waits for a decision.
func (t *Turn) Pending() bool { return t.Status == "pending" }

// File is one file that a turn changed.
type File struct {
	Path   string `json:"file_path"`
	From   string `json:"from,omitempty"`           // its name before, if it was moved
	Verb   string `json:"verb"`                     // created, modified, moved, deleted, mode changed; of a folder: folder created, …
	Base   string `json:"base_file_hash,omitempty"` // of the file before the turn
	Hunks  []Hunk `json:"hunks"`
	Added  int    `json:"added"`   // lines
	Gone   int    `json:"removed"` // lines
	Binary bool   `json:"binary,omitempty"`
}

// Hunk is the unit of decision.
type Hunk struct {
	ID        string   `json:"hunk_id"`
	Kind      string   `json:"kind"`  // text, create, delete, move, mkdir, mode, binary
	State     string   `json:"state"` // pending, accepted, rejected
	Applied   bool     `json:"applied"`
	Patch     string   `json:"patch"`          // unified; "" for what is no text
	Lines     []Line   `json:"-"`              // the patch, for screens
	Note      string   `json:"note,omitempty"` // of a hunk without lines: what it does, in words
	Oversized bool     `json:"oversized_hunk,omitempty"`
	DependsOn []string `json:"depends_on,omitempty"`
}

// TurnLines are the lines of the hunks of a turn, by the id of the hunk.
type TurnLines struct {
	Turn  string            `json:"turn_id"`
	Lines map[string][]Line `json:"lines"`
}

// Line is a line of a hunk.
type Line struct {
	Type   string `json:"type"`             // unchanged, added, removed
	Spans  []Span `json:"spans"`            // the line without its terminator, in pieces
	Before int    `json:"before,omitempty"` // its number in the old text, from 1; 0 if it is not there
	After  int    `json:"after,omitempty"`  // … in the new text
	NoEnd  bool   `json:"no_end,omitempty"` // it ends the file without a line end
}

// Span is a piece of a line; Changed marks the words that differ from the line
// that it replaces or was replaced by.
type Span struct {
	Text    string `json:"text"`
	Changed bool   `json:"changed,omitempty"`
}

// Decision is what a user decides about changes. With neither hunks nor All it
// decides nothing and only applies what was accepted before.
type Decision struct {
	Turn   string   `json:"turn,omitempty"` // of All: this turn; "": all that is open in the session
	Accept []string `json:"accepted_hunk_ids,omitempty"`
	Reject []string `json:"rejected_hunk_ids,omitempty"`
	All    string   `json:"all,omitempty"`       // accept or reject: everything that is open
	Path   string   `json:"file_path,omitempty"` // narrows All to a file
	Hold   bool     `json:"hold,omitempty"`      // do not write accepted hunks to the disk yet
	// AsOne names oversized hunks that are accepted without a split. Accepting one that
	// is not named here is refused (CodeOversized).
	AsOne []string `json:"accept_as_one,omitempty"`
}

// Decided is what came of a decision.
type Decided struct {
	Also    []string     `json:"also,omitempty"`          // hunks that were decided with them, because they depend on each other
	Applied []Applied    `json:"applied_files,omitempty"` // what was written
	Files   []FileReport `json:"files,omitempty"`         // what was taken back
	Open    int          `json:"open"`                    // hunks that still wait for a decision
	Hunks   []HunkState  `json:"hunks,omitempty"`         // where those stand that it was about
}

// HunkState is where a hunk stands.
type HunkState struct {
	ID      string `json:"hunk_id"`
	State   string `json:"state"` // pending, accepted, rejected
	Applied bool   `json:"applied"`
}

// Applied is what was written of one file.
type Applied struct {
	Path     string `json:"file_path"`
	Applied  int    `json:"applied_hunks"`
	Rejected int    `json:"rejected_hunks"`
}

// Report is what an undo, a redo or a rollback did, file by file.
type Report struct {
	Turn    string       `json:"turn,omitempty"` // that it is about
	Commit  string       `json:"commit,omitempty"`
	Files   []FileReport `json:"files"`
	Outside []string     `json:"outside,omitempty"` // files that commands changed and that no undo restores
}

// FileReport is what became of one file, measured on the disk afterwards.
type FileReport struct {
	Path    string `json:"path"`
	Outcome string `json:"outcome"` // restored, skipped, conflicted
	Reason  string `json:"reason,omitempty"`
}

// Conflicted counts the files that were left as they are.
func (r Report) Conflicted() int {
	n := 0
	for _, f := range r.Files {
		if f.Outcome == "conflicted" {
			n++
		}
	}
	return n
}
