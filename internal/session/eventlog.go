package session

import (
	"context"
	"errors"
	"iter"

	"redline/internal/wire"
)

// EventLog is the events of the jobs of a folder: kept in a store, and told to readers
// as they come. It never waits for a reader.
type EventLog struct {
	store JobStore
	keep  int
}

// NewEventLog makes a log that keeps so many events of a job.
func NewEventLog(store JobStore, keep int) *EventLog { return &EventLog{store: store, keep: keep} }

// Tell numbers the events behind j.Cursor, which moves on, saves them with the job in
// one piece, and then tells them to the readers of the job and of its session. An
// event of no type is only saved with the job: none is told.
func (l *EventLog) Tell(ctx context.Context, j *JobRecord, events ...wire.JobEvent) error {
	return errors.New("not yet")
}

// Hint tells a transient frame to those who listen.
func (l *EventLog) Hint(job, session string, f wire.JobEvent) {}

// Read returns durable events of a job behind a cursor, at most limit; 0: all.
func (l *EventLog) Read(ctx context.Context, job string, after, limit int) ([]wire.JobEvent, error) {
	return nil, errors.New("not yet")
}

// Stream says what a reader wants to hear.
type Stream struct {
	Job     string // of one job, or
	Session string // of all jobs of a session, from now on
	After   int    // of a job: the cursor that it knows
	Lines   bool   // with the line of each event, and frames that are nothing but a line
	// SoFar is what is being written at the moment, as a frame, or nil.
	SoFar func() *wire.JobEvent
}

// Follow yields what happens until ctx ends or the log is closed. It listens from the
// moment that Follow is called, not only when it is ranged over: who then looks at the
// session misses nothing in between. It has to be ranged over, or ctx to end. A reader
// that falls too far behind gets a frame of type reload, and the stream ends. The stream
// of a job that is over ends behind its last event. The readers of a frame share its
// Data and its Line: neither is changed.
func (l *EventLog) Follow(ctx context.Context, s Stream) iter.Seq2[wire.JobEvent, error] {
	return func(yield func(wire.JobEvent, error) bool) {}
}

// Close ends all streams.
func (l *EventLog) Close() {}
