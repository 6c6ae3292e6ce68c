package session

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"redline/internal/ledger"
	"redline/internal/wire"
)

// maxOpen is how many sessions a Host has open at a time, if no more are at work.
const maxOpen = 25

// unfinished are the states of jobs that are not over.
var unfinished = []wire.JobStatus{
	wire.JobQueued, wire.JobRunning, wire.JobWaitingForUser, wire.JobAwaitingApproval, wire.JobAwaitingReview, wire.JobInterrupted,
}

// room is a session of a Host with its jobs that are not over. While the session is not
// open here, they are read from the store each time that somebody enters.
type room struct {
	host  *Host
	id    string
	draft draft

	// Under the mutex of the host:
	guests int  // that are in, or wait at the door
	live   bool // the session is open here
	used   int  // when somebody entered last, as Host.uses counts

	mu      sync.Mutex
	record  *SessionRecord
	jobs    []*JobRecord    // in the order in which they came
	held    map[string]bool // queued ones that wait for what is to become of an interrupted one
	session *Session        // nil: it is not open here
	end     func() error
	closing bool
	run     working
	owed    []owed // ends of jobs that could not be saved
	batch   batch

	recorded int           // cursor of the session's event that was recorded last
	news     chan struct{} // closed when that changes
}

// working is the run that is on.
type working struct {
	job       *JobRecord // nil: none is
	after     int        // the session's events up to this cursor are not of the run
	turn      string     // its turn, once that is told
	number    int        // of the model's answer
	proposed  bool       // its changes wait for a decision
	cancelled bool       // by the user
	locked    bool       // the documents are
	limit     string     // that ended it
	broken    error      // what happens could not be kept
}

// enter returns the room of a session, locked. It is left with leave.
func (h *Host) enter(ctx context.Context, session string) (*room, error) {
	h.mu.Lock()
	r := h.rooms[session]
	if r == nil {
		r = &room{host: h, id: session}
		h.rooms[session] = r
	}
	h.uses++
	r.guests, r.used = r.guests+1, h.uses
	h.mu.Unlock()
	r.mu.Lock()
	if r.session == nil {
		if err := r.load(ctx); err != nil {
			r.leave()
			return nil, err
		}
	}
	_ = r.pay() // there is a next time
	return r, nil
}

func (r *room) leave() {
	r.mu.Unlock()
	r.host.mu.Lock()
	defer r.host.mu.Unlock()
	if r.guests--; r.guests == 0 && !r.live {
		delete(r.host.rooms, r.id)
	}
}

// enterJob returns the room of a job, locked, and the job; one that is over as the store
// has it.
func (h *Host) enterJob(ctx context.Context, id string) (*room, *JobRecord, error) {
	h.mu.Lock()
	session := h.homes[id]
	h.mu.Unlock()
	if session == "" {
		j, err := h.stored(ctx, JobQuery{ID: id, Brief: true})
		if err != nil {
			return nil, nil, err
		}
		session = j.Session
	}
	r, err := h.enter(ctx, session)
	if err != nil {
		return nil, nil, err
	}
	if j := r.job(id); j != nil {
		return r, j, nil
	}
	j, err := h.stored(ctx, JobQuery{ID: id})
	if err != nil {
		r.leave()
		return nil, nil, err
	}
	return r, j, nil
}

// control is enterJob for who wants to change something about the job: not while another
// program has its session, and would not know.
func (h *Host) control(ctx context.Context, id string) (*room, *JobRecord, error) {
	r, j, err := h.enterJob(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	if err := r.free(); err != nil {
		r.leave()
		return nil, nil, err
	}
	return r, j, nil
}

// load reads what is kept of the session.
func (r *room) load(ctx context.Context) error {
	records, err := r.host.setup.Sessions.Sessions(ctx, r.id)
	switch {
	case err != nil:
		return err
	case r.id == "":
		return wire.Errorf(wire.CodeInvalid, "the request names no session")
	case len(records) > 0:
		r.record = records[0]
	default:
		id, err := r.host.setup.Conversations.Find(ctx, r.id)
		if err != nil {
			return err
		}
		if id != r.id {
			return wire.Errorf(wire.CodeNotFound, "there is no session %s", r.id)
		}
		now := *moment(time.Now())
		r.record = &SessionRecord{ID: r.id, Status: wire.SessionActive, Created: now, Updated: now}
	}
	jobs, err := r.host.setup.Jobs.Jobs(ctx, JobQuery{Session: r.id, Statuses: unfinished})
	if err != nil {
		return err
	}
	for i, j := range jobs {
		jobs[i] = j.whole()
	}
	r.jobs = jobs
	r.hold()
	return nil
}

// hold has the jobs wait that were queued behind one that was interrupted.
func (r *room) hold() {
	r.held = map[string]bool{}
	cut := false
	for _, j := range r.jobs {
		if j.Status == wire.JobInterrupted {
			cut = true
		}
		if cut && j.Status == wire.JobQueued {
			r.held[j.ID] = true
		}
	}
}

// whole fills in the lists that the store has not.
func (j *JobRecord) whole() *JobRecord {
	if j.Calls == nil {
		j.Calls = []wire.JobCall{}
	}
	if j.Edits == nil {
		j.Edits = []wire.Edit{}
	}
	return j
}

// job is one of the jobs that are not over, or nil.
func (r *room) job(id string) *JobRecord {
	for _, j := range r.jobs {
		if j.ID == id {
			return j
		}
	}
	return nil
}

// shown is a job for somebody else.
func (r *room) shown(j *JobRecord) *JobRecord {
	c := j.clone()
	c.Ahead = ahead(r.jobs, j.ID)
	return c
}

// ahead is how many jobs are before a queued one.
func ahead(jobs []*JobRecord, id string) int {
	n := 0
	for _, j := range jobs {
		if j.ID == id {
			if j.Status == wire.JobQueued {
				return n
			}
			return 0
		}
		if j.Status == wire.JobQueued || j.open() {
			n++
		}
	}
	return 0
}

// free refuses to touch the jobs of a session that another program has open: it would
// not know.
func (r *room) free() error {
	if r.session == nil && r.host.setup.Conversations.Taken(r.id) {
		return wire.Errorf(wire.CodeBusy, "another program has the session %s open: attach to it, or wait for its end", r.id)
	}
	return nil
}

// open opens the session, if it is not, and takes over what an earlier program has left.
func (r *room) open(ctx context.Context) error {
	if r.session != nil {
		return nil
	}
	o := r.record.Options
	o.Session = r.id
	s, end, err := r.host.setup.Conversations.Open(ctx, o)
	if err != nil {
		return err
	}
	err = r.load(ctx)
	if err = errors.Join(err, r.inhabit(s, end)); err != nil {
		return errors.Join(err, r.shut())
	}
	if err := r.takeOver(ctx); err != nil {
		return errors.Join(err, r.shut()) // the next who opens it tries again
	}
	return nil
}

// inhabit makes an open session that of the room.
func (r *room) inhabit(s *Session, end func() error) error {
	h := r.host
	h.mu.Lock()
	defer h.mu.Unlock()
	r.session, r.end, r.recorded, r.news, r.run = s, end, 0, make(chan struct{}), working{}
	if h.closed {
		return errStopping
	}
	r.live = true
	for _, j := range r.jobs {
		h.homes[j.ID] = r.id
	}
	h.work.Go(func() { r.listen(s) })
	h.work.Go(h.closeIdle)
	return nil
}

// shut closes a session that does nothing. What is known of its jobs is left to the
// store: other programs may go on with them.
func (r *room) shut() error {
	s, end := r.session, r.end
	if s == nil {
		return nil
	}
	for _, j := range r.jobs {
		r.host.log.Rest(j.ID)
	}
	r.session, r.end = nil, nil
	r.wake()
	r.host.mu.Lock()
	r.live = false
	for _, j := range r.jobs {
		delete(r.host.homes, j.ID)
	}
	r.host.mu.Unlock()
	return errors.Join(s.Close(), end())
}

// idle tells whether the session is open and does nothing.
func (r *room) idle() bool {
	return r.session != nil && r.run.job == nil && len(r.owed) == 0 && r.next() == nil && r.recorded == r.session.feed.newest()
}

// closeIdle closes the sessions that were not used for longest, if there are many.
func (h *Host) closeIdle() {
	h.mu.Lock()
	var open []*room
	for _, r := range h.rooms {
		if r.live {
			open = append(open, r)
		}
	}
	slices.SortFunc(open, func(a, b *room) int { return a.used - b.used })
	h.mu.Unlock()
	for _, r := range open[:max(0, len(open)-maxOpen)] {
		r, err := h.enter(context.Background(), r.id)
		if err != nil {
			continue // it is closed already
		}
		if r.idle() {
			_ = r.shut() // nothing was going on
		}
		r.leave()
	}
}

// close ends the run that is on, and the session.
func (r *room) close() error {
	r.mu.Lock()
	r.closing = true
	s, end := r.session, r.end
	r.mu.Unlock()
	if s == nil {
		return nil
	}
	err := s.Close() // the recorder hears how the run ends
	r.wait(context.Background(), s)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session != s {
		return err
	}
	r.leaveRun()
	err = errors.Join(err, r.pay())
	r.session, r.end = nil, nil
	r.wake()
	r.host.mu.Lock()
	r.live = false
	r.host.mu.Unlock()
	return errors.Join(err, end())
}

// wait returns when all that the session has told up to now is recorded, it is no longer
// that of the room, or ctx has ended. The caller does not hold the lock.
func (r *room) wait(ctx context.Context, s *Session) {
	until := s.feed.newest()
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.session == s && r.recorded < until && ctx.Err() == nil {
		news := r.news
		r.mu.Unlock()
		select {
		case <-news:
		case <-ctx.Done():
		}
		r.mu.Lock()
	}
}

// wake tells those who wait that something has changed.
func (r *room) wake() {
	close(r.news)
	r.news = make(chan struct{})
}

// review is the review policy of the session, which is open.
func (r *room) review() ledger.Review { return r.session.setup.Guard.Review }

// save writes down what is kept of the session.
func (r *room) save(ctx context.Context) error {
	r.record.Updated = *moment(time.Now())
	return r.host.setup.Sessions.SaveSession(ctx, r.record)
}
