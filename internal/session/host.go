package session

import (
	"context"
	"errors"
	"iter"

	"redline/internal/ledger"
	"redline/internal/wire"
)

// Conversations opens the sessions of a folder for a Host.
type Conversations interface {
	// Open makes a session, or goes on with the one that the options name. End closes
	// what belongs to it, after the session.
	Open(ctx context.Context, o wire.SessionOptions) (s *Session, end func() error, err error)
	// Find is the whole id of a session that is named by its beginning, or "last".
	Find(ctx context.Context, name string) (id string, err error)
	// Taken tells whether a program, this one or another, has the session open.
	Taken(id string) bool
}

// HostSetup is what a Host is made of.
type HostSetup struct {
	Conversations Conversations
	Jobs          JobStore
	Sessions      SessionStore
	Ledger        *ledger.Ledger // of the folder
	Limits        HostLimits
	// RerunOnConflict starts a rerun by itself, for sessions that do not say otherwise.
	RerunOnConflict bool
	Confirm         bool // confirm_before_edits, for sessions that do not say otherwise
	// Changes is what a turn changed, as the line of its event has it.
	Changes func(ctx context.Context, t *ledger.TurnRecord) (wire.Turn, error)
	// Observe is told every durable event, after it was saved, with the job as it is
	// then; both are not to be changed. It must not call the Host.
	Observe func(j *JobRecord, e wire.JobEvent)
}

// Host runs the jobs of a folder's sessions: one at a time in a session, side by side
// in several.
type Host struct{ setup HostSetup }

// NewHost makes a host. Nothing is read yet.
func NewHost(setup HostSetup) *Host { return &Host{setup: setup} }

var errNotYet = errors.New("not yet")

// Recover takes over what an earlier program has left: jobs that were running become
// interrupted, unless another program has their session open; queued ones go on
// where nothing stands before them; what is too old is forgotten.
func (h *Host) Recover(ctx context.Context) error { return errNotYet }

// Create makes a session, or goes on with one.
func (h *Host) Create(ctx context.Context, o wire.SessionOptions) (*SessionRecord, error) {
	return nil, errNotYet
}

// Session is what is kept of a session, and where it stands; live is nil if it is not
// open here.
func (h *Host) Session(ctx context.Context, id string) (r *SessionRecord, live *Session, err error) {
	return nil, nil, errNotYet
}

// SessionRecords lists what is kept of all sessions, oldest first.
func (h *Host) SessionRecords(ctx context.Context) ([]*SessionRecord, error) { return nil, errNotYet }

// Archive puts a session away, or takes it out again. One with an open job is refused.
func (h *Host) Archive(ctx context.Context, id string, away bool) error { return errNotYet }

// Run starts a job, or queues it behind the one that is on, also behind one that waits
// for an answer in the middle of its work: what is meant as that answer goes to Clarify.
func (h *Host) Run(ctx context.Context, r wire.RunRequest) (*JobRecord, error) { return nil, errNotYet }

// Job is a job as it is now.
func (h *Host) Job(ctx context.Context, id string) (*JobRecord, error) { return nil, errNotYet }

// Jobs lists jobs, oldest first.
func (h *Host) Jobs(ctx context.Context, q JobQuery) ([]*JobRecord, error) { return nil, errNotYet }

// Events are durable events of a job behind a cursor.
func (h *Host) Events(ctx context.Context, job string, after, limit int) (wire.JobEvents, error) {
	return wire.JobEvents{}, errNotYet
}

// Follow yields the events of a job, or of a session's jobs, as they come.
func (h *Host) Follow(ctx context.Context, s Stream) iter.Seq2[wire.JobEvent, error] { return nil }

// Cancel ends a job: one that runs is interrupted, a queued one never begins, what
// waits for a review is rejected.
func (h *Host) Cancel(ctx context.Context, job string) error { return errNotYet }

// Clarify answers the question of a job, also one that an earlier program has asked.
func (h *Host) Clarify(ctx context.Context, job string, r wire.ClarifyRequest) error {
	return errNotYet
}

// Approve answers the request for an approval of a job.
func (h *Host) Approve(ctx context.Context, job string, r wire.ApproveRequest) error {
	return errNotYet
}

// Say tells something to a job that runs.
func (h *Host) Say(ctx context.Context, job string, r wire.SayRequest) error { return errNotYet }

// Resume goes on with an interrupted job.
func (h *Host) Resume(ctx context.Context, job string) error { return errNotYet }

// Rerun repeats the request of a job on the fresh files, as a new job. What the old
// one still proposes is rejected.
func (h *Host) Rerun(ctx context.Context, job string) (*JobRecord, error) { return nil, errNotYet }

// Note adds events to a job, such as those of an apply or a rollback that somebody else
// carries out, and brings its status up to date with what waits for a decision now. That
// changes were decided about is told by Reviewed, which brings its event with it.
func (h *Host) Note(ctx context.Context, job string, events ...wire.JobEvent) (*JobRecord, error) {
	return nil, errNotYet
}

// Reviewed tells the session, if it is open here, and the job that changes were decided
// about, accepted or taken back: the event review.updated, and where both stand now. A
// job of "" is the one that waits for a review, if there is one.
func (h *Host) Reviewed(ctx context.Context, session, job string, d wire.Decided) error {
	return errNotYet
}

// Conflicted notes that changes of a job could not be written because of what is on
// the disk. It returns the rerun, if one was started.
func (h *Host) Conflicted(ctx context.Context, job string, files []string) (*JobRecord, error) {
	return nil, errNotYet
}

// Locked tells whether the documents are read-only, because a job under review turn
// works on them.
func (h *Host) Locked() bool { return false }

// Close interrupts the jobs that run, says so in their events, and closes all sessions.
func (h *Host) Close(ctx context.Context) error { return nil }
