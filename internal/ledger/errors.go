package ledger

import (
	"errors"
	"fmt"
	"strings"

	"redline/internal/workspace"
)

// Code says what kept the ledger from doing something.
type Code string

// The codes of this package. Errors of the folder keep their own.
const (
	Conflict      Code = "conflict"        // the disk, or another decision, is in the way; nothing was written
	Stale         Code = "stale"           // the writer has not seen the current text
	ReviewPending Code = "review_pending"  // the session has a turn that waits for a decision
	NotFound      Code = "not_found"       // no such turn, hunk or checkpoint
	Invalid       Code = "invalid"         // the request makes no sense
	NothingToUndo Code = "nothing_to_undo" // it has been taken back already, or never reached the disk
	TurnOver      Code = "turn_over"       // the turn has ended
)

// Error is a failure of this package.
type Error struct {
	Code   Code
	Reason string
	// Conflicts names what is in the way, one by one.
	Conflicts []FileConflict
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Reason)
	for i, c := range e.Conflicts {
		if i == 3 {
			fmt.Fprintf(&b, "; and %d more", len(e.Conflicts)-i)
			break
		}
		fmt.Fprintf(&b, "; %s: %s", workspace.Display(c.Path.String()), c.Reason)
	}
	return b.String()
}

// ErrorCode is the code for front ends, which do not know this package.
func (e *Error) ErrorCode() string { return string(e.Code) }

// Is lets errors.Is(err, ledger.Conflict) work.
func (e *Error) Is(target error) bool {
	c, ok := target.(Code)
	return ok && c == e.Code
}

// Error makes a Code a target for errors.Is.
func (c Code) Error() string { return string(c) }

// CodeOf is the code of err, or "" when it is not from this package.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// FileConflict is one reason why something cannot be done.
type FileConflict struct {
	Path   Path     `json:"path"`
	Reason string   `json:"reason"`
	Hunks  []string `json:"hunks,omitempty"` // the hunks that are in each other's way
	// Rebase says that the change still fits on what is there now, so that
	// asking again with the current text would work.
	Rebase bool `json:"rebase,omitempty"`
}

func errorf(code Code, format string, args ...any) error {
	return &Error{Code: code, Reason: fmt.Sprintf(format, args...)}
}
