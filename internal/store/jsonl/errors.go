package jsonl

import (
	"errors"
	"fmt"
	"time"
)

// What can be wrong with a session. The errors that wrap them name the file.
var (
	ErrLocked   = errors.New("another process writes to this session")
	ErrNone     = errors.New("no such session")
	ErrSeveral  = errors.New("several sessions have an id that begins so")
	ErrRange    = errors.New("the session has no such message")
	ErrClosed   = errors.New("the session is closed")
	ErrModified = errors.New("another program wrote to the session file; open the session again")
)

// Holder tells who writes to a session.
type Holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Program string    `json:"program"`
	Since   time.Time `json:"since"`
}

func (h Holder) String() string {
	if h.PID == 0 {
		return "another process"
	}
	return fmt.Sprintf("%s (process %d on %s, since %s)", h.Program, h.PID, h.Host, h.Since.Local().Format("2006-01-02 15:04:05"))
}

// LockedError is ErrLocked with the one who writes.
type LockedError struct {
	Path   string
	Holder Holder
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("%s: %s writes to this session; end it there, or fork the session", e.Path, e.Holder)
}

func (e *LockedError) Unwrap() error { return ErrLocked }

// Problem is something in a session file that could not be read. It is left in
// the file as it is.
type Problem struct {
	Line int // from 1; 0: the file as a whole
	Err  error
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.Err.Error()
	}
	return fmt.Sprintf("line %d: %v", p.Line, p.Err)
}
