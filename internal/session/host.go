package session

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

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
type Host struct {
	setup HostSetup
	log   *EventLog
	work  sync.WaitGroup // recorders, and what closes sessions

	creating sync.Mutex // sessions are counted and made one after the other

	// mu is held for moments only. Who holds it takes no room's mutex.
	mu     sync.Mutex
	rooms  map[string]*room  // by session: those that are open, or that somebody looks at
	homes  map[string]string // sessions of the jobs in open rooms that are not over
	lines  map[string]int    // how many readers want the lines of a session
	uses   int               // counts what was done in rooms, to know the one not used for longest
	locks  int               // runs under review turn
	closed bool
}

// NewHost makes a host. Nothing is read yet.
func NewHost(setup HostSetup) *Host {
	setup.Limits = setup.Limits.or(HostLimits{MaxSessions: 25, MaxJobsPerSession: 40, MaxEventsPerJob: 3000, CompletedTTL: 72 * time.Hour})
	return &Host{
		setup: setup, log: NewEventLog(setup.Jobs, setup.Limits.MaxEventsPerJob),
		rooms: map[string]*room{}, homes: map[string]string{}, lines: map[string]int{},
	}
}

// or puts the defaults where nothing is said.
func (l HostLimits) or(d HostLimits) HostLimits {
	if l.MaxSessions == 0 {
		l.MaxSessions = d.MaxSessions
	}
	if l.MaxJobsPerSession == 0 {
		l.MaxJobsPerSession = d.MaxJobsPerSession
	}
	if l.MaxEventsPerJob == 0 {
		l.MaxEventsPerJob = d.MaxEventsPerJob
	}
	if l.CompletedTTL == 0 {
		l.CompletedTTL = d.CompletedTTL
	}
	return l
}

// Job is a job as it is now. Of one that is not on here the request is left out.
func (h *Host) Job(ctx context.Context, id string) (*JobRecord, error) {
	if r := h.home(id); r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		j := r.job(id)
		_ = r.pay() // it may be what is asked for
		if j != nil {
			return r.shown(j), nil
		}
	}
	j, err := h.stored(ctx, JobQuery{ID: id, Brief: true})
	if err != nil {
		return nil, err
	}
	if at := j.Status; (at == wire.JobRunning || at == wire.JobAwaitingApproval) && !h.isClosed() && !h.setup.Conversations.Taken(j.Session) {
		if err := h.recover(ctx, j.Session); err != nil { // its program was killed beside this one
			return nil, err
		}
		if j, err = h.stored(ctx, JobQuery{ID: id, Brief: true}); err != nil {
			return nil, err
		}
	}
	if j.Status == wire.JobQueued {
		before, err := h.setup.Jobs.Jobs(ctx, JobQuery{Session: j.Session, Statuses: unfinished, Brief: true})
		if err != nil {
			return nil, err
		}
		j.Ahead = ahead(before, id)
	}
	return j, nil
}

// home is the open room of a job, or nil.
func (h *Host) home(job string) *room {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.rooms[h.homes[job]]
}

// stored is the job of a query as the store has it.
func (h *Host) stored(ctx context.Context, q JobQuery) (*JobRecord, error) {
	jobs, err := h.setup.Jobs.Jobs(ctx, q)
	if err != nil {
		return nil, err
	}
	if q.ID == "" || len(jobs) == 0 {
		return nil, wire.Errorf(wire.CodeNotFound, "there is no job %s", q.ID)
	}
	return jobs[0].whole(), nil
}

// Jobs lists jobs, oldest first.
func (h *Host) Jobs(ctx context.Context, q JobQuery) ([]*JobRecord, error) {
	jobs, err := h.setup.Jobs.Jobs(ctx, q)
	if err != nil {
		return nil, err
	}
	for i, j := range jobs {
		jobs[i] = j.whole()
	}
	return jobs, nil
}

// Events are durable events of a job behind a cursor.
func (h *Host) Events(ctx context.Context, job string, after, limit int) (wire.JobEvents, error) {
	j, err := h.Job(ctx, job)
	if err != nil {
		return wire.JobEvents{}, err
	}
	after = max(0, min(after, j.Cursor))
	events, err := h.log.Read(ctx, job, after, limit)
	if err != nil {
		return wire.JobEvents{}, err
	}
	list := wire.JobEvents{Job: job, Status: j.Status, Next: after, Events: make([]wire.JobEvent, len(events))}
	for i, e := range events {
		e.Line, list.Next = nil, e.Cursor
		list.Events[i] = e
	}
	return list, nil
}

// Follow yields the events of a job, or of a session's jobs, as they come.
func (h *Host) Follow(ctx context.Context, s Stream) iter.Seq2[wire.JobEvent, error] {
	if s.SoFar == nil {
		s.SoFar = func() *wire.JobEvent { return h.soFar(s) }
	}
	if !s.Lines || s.Session == "" {
		return h.log.Follow(ctx, s)
	}
	h.wantLines(s.Session, 1)
	leave := sync.OnceFunc(func() { h.wantLines(s.Session, -1) })
	stop := context.AfterFunc(ctx, leave) // there may never be a loop
	events := h.log.Follow(ctx, s)
	return func(yield func(wire.JobEvent, error) bool) {
		defer stop()
		defer leave()
		events(yield)
	}
}

func (h *Host) wantLines(session string, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.lines[session] += n; h.lines[session] == 0 {
		delete(h.lines, session)
	}
}

// soFar is what is being written in the job or the session of a stream. The log calls
// it while nothing can be told.
func (h *Host) soFar(s Stream) *wire.JobEvent {
	h.mu.Lock()
	session := s.Session
	if s.Job != "" {
		session = h.homes[s.Job]
	}
	r := h.rooms[session]
	h.mu.Unlock()
	if r == nil {
		return nil
	}
	return r.draft.frame(s.Job)
}

// Locked tells whether the documents are read-only, because a job under review turn
// works on them.
func (h *Host) Locked() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.locks > 0
}

// Close interrupts the jobs that run, says so in their events, and closes all sessions.
// If ctx ends before that is done, it goes on without being waited for.
func (h *Host) Close(ctx context.Context) error {
	h.mu.Lock()
	first := !h.closed
	h.closed = true
	var open []*room
	for _, r := range h.rooms {
		open = append(open, r)
	}
	h.mu.Unlock()
	if !first {
		return nil
	}
	errs := make([]error, len(open))
	var closing sync.WaitGroup
	for i, r := range open {
		closing.Go(func() { errs[i] = r.close() })
	}
	done := make(chan struct{})
	go func() {
		closing.Wait()
		h.work.Wait()
		h.log.Close()
		close(done)
	}()
	select {
	case <-done:
		return errors.Join(errs...)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *Host) isClosed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closed
}

var errStopping = wire.Errorf(wire.CodeClosed, "the program is about to stop: start it again")
