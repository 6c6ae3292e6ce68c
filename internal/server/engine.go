package server

import (
	"context"
	"iter"

	"redline/internal/wire"
)

// Folder is a folder that a server works on: what can be done with it, part by part.
// Errors of its parts are [wire.Error]s, or have a code of their own (Coder); what has
// neither is a fault of the server.
type Folder struct {
	Name string // by which requests choose it
	Dir  string

	Sessions    Sessions
	Archive     Archive
	Jobs        Jobs
	Control     Control
	Answers     Answers
	Streams     Streams
	Reviews     Reviews
	Hunks       Hunks
	Changes     Changes
	Undo        Undo
	Turns       Turns
	Checkpoints Checkpoints
	Documents   Documents
	Tabs        Tabs
	Library     Library
	Trash       Trash
	Records     Records
	Settings    Settings
}

// Coder is an error with a code, such as those of the ledger.
type Coder interface{ ErrorCode() string }

// Sessions makes and shows sessions.
type Sessions interface {
	Create(ctx context.Context, o wire.SessionOptions) (wire.NewSession, error)
	Session(ctx context.Context, id string) (wire.Session, error)
	Sessions(ctx context.Context) ([]wire.SessionInfo, error) // the one written to last first
}

// Archive puts sessions away.
type Archive interface {
	Archive(ctx context.Context, session string, away bool) error
}

// Jobs starts and shows jobs.
type Jobs interface {
	Run(ctx context.Context, r wire.RunRequest) (wire.NewJob, error)
	Job(ctx context.Context, id string) (wire.Job, error)
	// Events are those behind a cursor; limit 0: all that are kept. The next cursor is never
	// beyond the newest event, whatever was asked for.
	Events(ctx context.Context, job string, after, limit int) (wire.JobEvents, error)
}

// Control ends jobs, and begins them anew.
type Control interface {
	Cancel(ctx context.Context, job string) error
	Resume(ctx context.Context, job string) (wire.NewJob, error)
	Rerun(ctx context.Context, job string) (wire.NewJob, error)
}

// Answers is what a job is told while it works.
type Answers interface {
	Clarify(ctx context.Context, job string, r wire.ClarifyRequest) error
	Approve(ctx context.Context, job string, r wire.ApproveRequest) error
	Say(ctx context.Context, job string, r wire.SayRequest) error
}

// Streams tells what happens, as it happens.
type Streams interface {
	// FollowJob yields the events of a job behind a cursor, and transient frames, until ctx
	// ends, the job is over, or the reader was too slow (a frame of type reload).
	FollowJob(ctx context.Context, job string, after int) iter.Seq2[wire.JobEvent, error]
	// FollowSession yields the events of all jobs of a session from the moment that it is
	// called, not only when it is ranged over; with lines each with its line. All readers
	// of a frame share its Data and its Line.
	FollowSession(ctx context.Context, session string, lines bool) iter.Seq2[wire.JobEvent, error]
	// Do carries out what a reader says over a two-way stream.
	Do(ctx context.Context, session string, c wire.Command) error
}

// Reviews is where decisions about changes are made.
type Reviews interface {
	Apply(ctx context.Context, r wire.ApplyRequest) (wire.ApplyReply, error)
	Decide(ctx context.Context, session string, d wire.Decision) (wire.Decided, error)
	// Open are the turns that wait for a decision, oldest first.
	Open(ctx context.Context, session string) ([]wire.Turn, error)
}

// Hunks changes what is to be decided.
type Hunks interface {
	Split(ctx context.Context, session, hunk string, r wire.SplitRequest) (wire.SplitReply, error)
	Edit(ctx context.Context, session, hunk string, r wire.HunkText) error
	Rebase(ctx context.Context, session string, r wire.RebaseRequest) error
}

// Changes is the log of what waits in a session: the agent's hunks, and the user's.
type Changes interface {
	ChangeLog(ctx context.Context, session, path string) ([]wire.LogEntry, error) // path "": of all files
}

// Undo takes back what is on the disk, and brings it back.
type Undo interface {
	Undo(ctx context.Context, session, turn string) (wire.Report, error) // turn "": the newest
	Redo(ctx context.Context, session, turn string) (wire.Report, error)
}

// Turns is what requests have changed.
type Turns interface {
	Turns(ctx context.Context, session string, limit int) ([]wire.Turn, error) // newest first
	Turn(ctx context.Context, id string) (wire.Turn, error)
	// Lines are the lines of a turn's hunks, word by word, for screens.
	Lines(ctx context.Context, id string) (wire.TurnLines, error)
}

// Checkpoints is the way back.
type Checkpoints interface {
	Checkpoint(ctx context.Context, id string) (wire.Checkpoint, error)
	Diff3(ctx context.Context, id, path string) (wire.Diff3, error)
	Rollback(ctx context.Context, id string, r wire.RollbackRequest) (wire.Report, error)
}

// Documents is what is in the folder.
type Documents interface {
	Tree(ctx context.Context, q wire.TreeQuery) (wire.Tree, error)
	Read(ctx context.Context, q wire.DocumentQuery) (wire.Document, error)
	Save(ctx context.Context, r wire.SaveRequest) (wire.Document, error)
}

// Tabs is the documents that are open.
type Tabs interface {
	Tabs(ctx context.Context) ([]wire.Tab, error)
	OpenTab(ctx context.Context, path string) ([]wire.Tab, error)
	CloseTab(ctx context.Context, path string) ([]wire.Tab, error)
}

// Library finds things in documents.
type Library interface {
	Search(ctx context.Context, q wire.SearchQuery) (wire.SearchReply, error)
	Outline(ctx context.Context, path string) (wire.Outline, error)
	History(ctx context.Context, path string) ([]wire.Version, error)
}

// Trash is what was deleted.
type Trash interface {
	Trash(ctx context.Context) ([]wire.Trashed, error)
	Restore(ctx context.Context, id string) (wire.Turn, error)
	Empty(ctx context.Context) (wire.Emptied, error)
}

// Records is what is kept about calls and jobs.
type Records interface {
	Audit(ctx context.Context, limit int) ([]wire.AuditEntry, error) // newest first; 0: all
	Stats(ctx context.Context) (wire.Stats, error)
}

// Settings is how sessions work that say nothing else.
type Settings interface {
	Models(ctx context.Context) ([]wire.Model, error)
	Config(ctx context.Context) ([]wire.Setting, error)
}
