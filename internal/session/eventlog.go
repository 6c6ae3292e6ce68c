package session

import (
	"context"
	"fmt"
	"sync"
	"time"

	"redline/internal/wire"
)

// The bounds of what is kept in memory of the events of a job that is on, so that
// asking for the newest ones again and again does not read the store.
const (
	recentEvents = 512
	recentBytes  = 512 << 10
)

// EventLog is the events of the jobs of a folder: kept in a store, and told to readers
// as they come. It never waits for a reader.
type EventLog struct {
	store JobStore
	keep  int

	// mu is held for moments only, never while the store works. What readers see
	// changes under it, and they begin under it. A thousand of them look at the same
	// time, and must not stand in line for it.
	mu       sync.RWMutex
	jobs     map[string]*jobLog
	sessions map[string]*tail
	closed   bool
}

// jobLog is what is known of a job that is on here, or that somebody reads.
type jobLog struct {
	id      string
	telling sync.Mutex // held from the numbering of events until they are told

	// Under the mutex of the log:
	tail
	tellers int // that have telling, or wait for it
	told    int // how often something was told
	newest  int // cursor
	over    bool
	unsaved bool            // its end was told, and could not be saved
	on      bool            // here: recent has all events behind its first
	recent  []wire.JobEvent // as they are stored
	bytes   int             // of recent
}

// NewEventLog makes a log that keeps so many events of a job; 0: all.
func NewEventLog(store JobStore, keep int) *EventLog {
	return &EventLog{store: store, keep: keep, jobs: map[string]*jobLog{}, sessions: map[string]*tail{}}
}

// hinted is the cursor of a frame that is told among events, and not kept.
const hinted = -1

// Tell numbers the events behind j.Cursor, which moves on, saves them with the job in
// one piece and without their lines, and then tells them to the readers of the job and
// of its session. Those of no type are left out: with no others, only the job is saved.
// If it fails, nothing was told and the cursor is as it was. Streams of the job end
// behind the event with which it is over, so that this one is told last.
func (l *EventLog) Tell(ctx context.Context, j *JobRecord, events ...wire.JobEvent) error {
	e := l.hold(j.ID)
	defer l.release(e)
	e.telling.Lock()
	defer e.telling.Unlock()
	l.mu.Lock()
	cursor := max(j.Cursor, e.newest)
	l.mu.Unlock()
	numbered, stored := make([]wire.JobEvent, 0, len(events)), make([]wire.JobEvent, 0, len(events))
	for _, event := range events {
		if event.Cursor == hinted {
			event.Cursor, event.Time = 0, stamp(event.Time)
			numbered = append(numbered, event)
			continue
		}
		if event.Type == "" {
			continue
		}
		cursor++
		event.Cursor, event.Job, event.Time = cursor, "", stamp(event.Time)
		numbered = append(numbered, event)
		event.Line = nil // the session file has what it tells, and secrets may be in it
		stored = append(stored, event)
	}
	before := j.Cursor
	j.Cursor = cursor
	if err := l.store.SaveJob(ctx, j, l.keep, stored...); err != nil {
		j.Cursor = before
		return fmt.Errorf("keep what happens in the job %s: %w", j.ID, err)
	}
	l.publish(e, j, numbered, stored)
	return nil
}

// stamp is a time as the store returns it, or now.
func stamp(t time.Time) time.Time {
	if t.IsZero() {
		t = time.Now()
	}
	return t.UTC().Round(0) // without the monotonic clock
}

// Hint tells a transient frame to those who listen. The functions are called in one
// piece with it: a reader that begins at the same moment either gets the frame, or has
// a [Stream.SoFar] that was called after them; never both, never neither. They do not call the log.
func (l *EventLog) Hint(job, session string, f wire.JobEvent, noted ...func()) {
	f.Cursor, f.Time = 0, stamp(f.Time)
	l.mu.Lock()
	for _, note := range noted {
		note()
	}
	ofJob, ofSession := l.spread(job, session, f)
	l.mu.Unlock()
	stirUp(ofJob, ofSession)
}

// spread adds frames for the readers of a job and of its session, and returns what they
// wait for.
func (l *EventLog) spread(job, session string, frames ...wire.JobEvent) (ofJob, ofSession chan struct{}) {
	if e := l.jobs[job]; e != nil {
		for _, f := range frames {
			f.Job = ""
			e.tell(&f)
		}
		ofJob = e.stir()
	}
	if s := l.sessions[session]; s != nil {
		for _, f := range frames {
			f.Job = job
			s.tell(&f)
		}
		ofSession = s.stir()
	}
	return ofJob, ofSession
}

// publish tells events that were saved. The readers are woken also without one: the job
// may be over.
func (l *EventLog) publish(e *jobLog, j *JobRecord, events, stored []wire.JobEvent) {
	l.mu.Lock()
	e.told++
	e.newest, e.over, e.unsaved = j.Cursor, j.Status.Over(), false
	e.remember(j.Status, l.keep, stored)
	ofJob, ofSession := l.spread(j.ID, j.Session, events...)
	l.mu.Unlock()
	stirUp(ofJob, ofSession)
}

// remember keeps the newest events of a job that is on. One that waits for a review may
// do so for days, and other programs may go on with it: it is left to the store.
func (e *jobLog) remember(s wire.JobStatus, keep int, events []wire.JobEvent) {
	if e.on = !s.Over() && s != wire.JobAwaitingReview && s != wire.JobInterrupted; !e.on {
		e.recent, e.bytes = nil, 0
		return
	}
	if n := len(e.recent); n > 0 && len(events) > 0 && e.recent[n-1].Cursor+1 != events[0].Cursor {
		e.recent, e.bytes = nil, 0 // somebody else has told the job something
	}
	for _, event := range events {
		e.recent = append(e.recent, event)
		e.bytes += frameSize(&event)
	}
	most := recentEvents
	if keep > 0 {
		most = min(most, keep)
	}
	for len(e.recent) > most || e.bytes > recentBytes && len(e.recent) > 0 {
		e.bytes -= frameSize(&e.recent[0])
		e.recent[0] = wire.JobEvent{}
		e.recent = e.recent[1:]
	}
}

// Read returns durable events of a job behind a cursor, at most limit; 0: all. Their
// data are not to be changed.
func (l *EventLog) Read(ctx context.Context, job string, after, limit int) ([]wire.JobEvent, error) {
	after, limit = max(after, 0), max(limit, 0)
	if events, ok := l.remembered(job, after, limit); ok {
		return events, nil
	}
	return l.store.JobEvents(ctx, job, after, limit)
}

// remembered returns them if all of them are in memory.
func (l *EventLog) remembered(job string, after, limit int) (events []wire.JobEvent, ok bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	e := l.jobs[job]
	if e == nil || !e.on {
		return nil, false
	}
	if after >= e.newest {
		return nil, true
	}
	if len(e.recent) == 0 || after+1 < e.recent[0].Cursor {
		return nil, false
	}
	events = e.recent[after+1-e.recent[0].Cursor:]
	if limit > 0 {
		events = events[:min(limit, len(events))]
	}
	return append([]wire.JobEvent(nil), events...), true
}

// GiveUp tells events of a job that could not be saved, without cursors, and ends its
// streams behind them: nothing more is to come until somebody tells it something again.
func (l *EventLog) GiveUp(j *JobRecord, events ...wire.JobEvent) {
	for i := range events {
		events[i].Cursor, events[i].Time = 0, stamp(events[i].Time)
	}
	l.mu.Lock()
	ofJob, ofSession := l.spread(j.ID, j.Session, events...)
	e := l.job(j.ID)
	e.over, e.unsaved = true, true
	l.leave(e)
	l.mu.Unlock()
	stirUp(ofJob, ofSession)
}

// Rest has the log keep nothing of a job in memory: it is not on here any more.
func (l *EventLog) Rest(job string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.jobs[job]; e != nil {
		l.leave(e)
	}
}

// leave leaves a job to the store.
func (l *EventLog) leave(e *jobLog) {
	e.on, e.recent, e.bytes = false, nil, 0
	l.forget(e)
}

// Close ends all streams, behind what they have been told.
func (l *EventLog) Close() {
	l.mu.Lock()
	l.closed = true
	var news []chan struct{}
	for _, e := range l.jobs {
		news = append(news, e.stir())
	}
	for _, s := range l.sessions {
		news = append(news, s.stir())
	}
	l.mu.Unlock()
	stirUp(news...)
}

// hold returns what is known of the job, for one who tells.
func (l *EventLog) hold(job string) *jobLog {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.job(job)
	e.tellers++
	return e
}

func (l *EventLog) release(e *jobLog) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.tellers--
	l.forget(e)
}

func (l *EventLog) job(id string) *jobLog {
	e := l.jobs[id]
	if e == nil {
		e = &jobLog{id: id}
		l.jobs[id] = e
	}
	return e
}

// forget drops what nobody needs.
func (l *EventLog) forget(e *jobLog) {
	if e.tellers == 0 && e.readers == 0 && !e.on && !e.unsaved {
		delete(l.jobs, e.id)
	}
}
