package session

import (
	"context"
	"time"

	"redline/internal/wire"
)

// JobRecord is what is kept of a job.
type JobRecord struct {
	wire.Job                 // without its bundle and its edits, which the ledger keeps
	Request  wire.RunRequest `json:"request,omitzero"`
	// Asked is how many questions and requests for approval have had a number.
	Asked int `json:"asked,omitempty"`
	// Midway: the question came up in the middle of a run, which goes on with the answer.
	Midway bool `json:"midway,omitempty"`
}

// SessionRecord is what is kept of a session besides what was said in it.
type SessionRecord struct {
	ID      string              `json:"id"`
	Status  wire.SessionState   `json:"status"`
	Created time.Time           `json:"created_at"`
	Updated time.Time           `json:"updated_at"`
	Options wire.SessionOptions `json:"options"` // as it was made
	Context []wire.ContextRow   `json:"context_rows,omitempty"`
	LastJob string              `json:"last_job_id,omitempty"`
}

// JobStore keeps jobs and their events. Several processes may use one at a time; what
// was saved is there also if the process is killed.
type JobStore interface {
	// SaveJob writes the job, and adds the events behind those that it has, in one
	// piece. Of more than keep events the oldest are forgotten; 0: none is.
	// The request is written when the job is saved first, and stays as it is. A job that
	// has come further meanwhile is left alone: the error is ledger.ErrVersion.
	SaveJob(ctx context.Context, j *JobRecord, keep int, events ...wire.JobEvent) error
	// Jobs yields the jobs that the query asks for, oldest first.
	Jobs(ctx context.Context, q JobQuery) ([]*JobRecord, error)
	// JobEvents are the events behind a cursor, at most limit; 0: all.
	JobEvents(ctx context.Context, job string, after, limit int) ([]wire.JobEvent, error)
}

// SessionStore keeps sessions.
type SessionStore interface {
	SaveSession(ctx context.Context, s *SessionRecord) error
	// Sessions are those with the id, or all with ""; oldest first.
	Sessions(ctx context.Context, id string) ([]*SessionRecord, error)
	// Drop forgets jobs with their events, and sessions.
	Drop(ctx context.Context, jobs, sessions []string) error
}

// JobQuery selects jobs. Empty fields select all.
type JobQuery struct {
	ID       string
	Session  string
	Statuses []wire.JobStatus
	Brief    bool // without their requests, which can be large
}

// HostLimits bound what a Host keeps, by the names of the configuration. Zero is the
// default.
type HostLimits struct {
	MaxSessions       int           `json:"max_sessions"`         // 25; below 0: no limit
	MaxJobsPerSession int           `json:"max_jobs_per_session"` // 40
	MaxEventsPerJob   int           `json:"max_events_per_job"`   // 3000, durable ones
	CompletedTTL      time.Duration `json:"completed_ttl_hours"`  // 72 hours
}
