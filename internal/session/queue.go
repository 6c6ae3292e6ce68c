package session

import (
	"context"
	"slices"
	"strings"
	"time"

	"redline/internal/ledger"
	"redline/internal/wire"
)

// Run starts a job, or queues it behind the one that is on, also behind one that waits
// for an answer in the middle of its work: what is meant as that answer goes to Clarify.
// A question with which the last job has ended is answered by whatever is said next.
func (h *Host) Run(ctx context.Context, request wire.RunRequest) (*JobRecord, error) {
	return h.start(ctx, request, "")
}

// start makes a job and has it begin, if it may.
func (h *Host) start(ctx context.Context, request wire.RunRequest, rerunOf string) (*JobRecord, error) {
	if err := check(request); err != nil {
		return nil, err
	}
	if err := h.activate(ctx, request.Session); err != nil {
		return nil, err
	}
	r, err := h.enter(ctx, request.Session)
	if err != nil {
		return nil, err
	}
	j, began, err := r.take(ctx, request, rerunOf)
	if err != nil {
		r.leave()
		return nil, err
	}
	shown, s := r.shown(j), r.session
	r.leave()
	if began {
		r.wait(ctx, s) // so that nobody finds it queued any more
		shown.Status, shown.Ahead = wire.JobRunning, 0
	}
	return shown, nil
}

func check(r wire.RunRequest) error {
	if strings.TrimSpace(r.Instruction) == "" {
		return wire.Errorf(wire.CodeInvalid, "the instruction is empty: say what you want done")
	}
	if r.Tools != nil && r.Tools.MaxCalls < 0 {
		return wire.Errorf(wire.CodeInvalid, "max_tool_calls is %d: 0 is as the session has it, and it cannot be less", r.Tools.MaxCalls)
	}
	if err := CheckContext(r.Context); err != nil {
		return err
	}
	return CheckAttachments(r.Attachments)
}

// take makes a job of a request. One that could begin and does not leaves nothing behind.
func (r *room) take(ctx context.Context, request wire.RunRequest, rerunOf string) (j *JobRecord, began bool, err error) {
	if r.closing || r.host.isClosed() {
		return nil, false, errStopping
	}
	if err := r.open(ctx); err != nil {
		return nil, false, err
	}
	if err := r.reviewed(ctx, request.Amend); err != nil {
		return nil, false, err
	}
	if err := r.spare(ctx); err != nil {
		return nil, false, err
	}
	j = newJob(request, time.Now())
	j.RerunOf = rerunOf
	var traced []wire.JobEvent
	if rerunOf != "" {
		traced = append(traced, event(wire.JobEventRerun, map[string]string{"rerun_of": rerunOf}))
	}
	if err := r.tell(j, traced...); err != nil {
		return nil, false, err
	}
	r.jobs = append(r.jobs, j)
	r.host.settle(j)
	last := r.record.LastJob
	r.record.LastJob = j.ID
	asking, free := r.asking(j)
	began = r.next() == j || free
	if began {
		m := r.message(j)
		m.Afresh = last != ""
		err = r.begin(ctx, j, m)
	} else {
		err = r.save(ctx)
	}
	if err != nil {
		r.record.LastJob = last
		r.drop(j)
		return nil, false, err
	}
	if !began {
		r.advance(ctx) // another one may have waited for what was done before
		return j, false, nil
	}
	for _, o := range asking {
		if err := r.pass(o, jobPassed); err != nil {
			r.complain(o, err)
		}
	}
	return j, true, nil
}

// complain tells those who listen that something could not be kept. It is found in the
// next program.
func (r *room) complain(j *JobRecord, err error) {
	r.hint(j.ID, event(wire.EventNotice, map[string]string{"text": "What happens cannot be kept: " + err.Error()}))
}

// reviewed refuses a request that could not begin before a decision about changes: a turn
// that is decided as a whole, whatever the review of the session is by now.
func (r *room) reviewed(ctx context.Context, amend bool) error {
	if amend || r.run.job != nil {
		return nil
	}
	waiting, err := r.pending(ctx)
	if slices.ContainsFunc(waiting, func(t *ledger.TurnRecord) bool { return t.Review == ledger.WholeTurn }) {
		err = wire.Errorf(wire.CodeReview, "changes of the session wait for a decision: accept or reject them first, or amend them")
	}
	return err
}

// settle notes where a job is.
func (h *Host) settle(j *JobRecord) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.homes[j.ID] = j.Session
}

// drop forgets a job that never began.
func (r *room) drop(j *JobRecord) {
	r.remove(j)
	r.host.log.Rest(j.ID)
	_ = r.host.setup.Sessions.Drop(context.Background(), []string{j.ID}, nil) // it is queued, and nobody knows of it: the collector comes
}

// remove takes a job out of those that are not over.
func (r *room) remove(j *JobRecord) {
	r.jobs = slices.DeleteFunc(r.jobs, func(o *JobRecord) bool { return o == j })
	r.host.mu.Lock()
	delete(r.host.homes, j.ID)
	r.host.mu.Unlock()
}

// next is the queued job that may begin, or nil. One that was said before a question of
// the agent waits for its answer, and one from before an interruption for what becomes of
// the interrupted job.
func (r *room) next() *JobRecord {
	if r.run.job != nil || r.closing || len(r.owed) > 0 {
		return nil
	}
	for _, j := range r.jobs {
		switch {
		case j.open(), j.Status == wire.JobWaitingForUser:
			return nil
		case j.Status == wire.JobQueued && !r.held[j.ID]:
			return j
		}
	}
	return nil
}

// asking are the jobs that have ended with a question, and whether a new job may begin all
// the same: what is said then, and with nothing else in the queue, is what the user says
// to it.
func (r *room) asking(j *JobRecord) (asking []*JobRecord, free bool) {
	if r.run.job != nil || r.closing || len(r.owed) > 0 {
		return nil, false
	}
	for _, o := range r.jobs {
		switch {
		case o == j, r.held[o.ID]:
		case o.Status == wire.JobQueued, o.open():
			return nil, false
		case o.Status == wire.JobWaitingForUser:
			asking = append(asking, o)
		}
	}
	return asking, true
}

// advance begins the next job that may begin, if there is one. What cannot begin has
// failed, unless the program is about to stop: then the next one tries. It goes on when
// ctx ends, which is that of a request of another job.
func (r *room) advance(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	for r.next() != nil {
		err := r.open(ctx)
		j := r.next() // what was left by an earlier program is known now
		if j == nil || r.host.isClosed() {
			return
		}
		if err == nil && r.reviewed(ctx, j.Request.Amend) != nil {
			return // it begins when that is decided
		}
		if err == nil {
			err = r.begin(ctx, j, r.message(j))
		}
		if err == nil {
			return
		}
		j.Error = failure(err)
		if r.pass(j, jobBroke) != nil {
			return
		}
	}
}

// begin says the message of a job. What then happens is recorded.
func (r *room) begin(ctx context.Context, j *JobRecord, m Message) error {
	rows := m.Context
	m.Refreshed = func(now []wire.ContextRow) { rows = now }
	r.run = working{job: j, after: r.session.feed.newest()}
	if err := r.session.Send(ctx, m); err != nil {
		r.run = working{}
		return coded(err)
	}
	r.record.Context = rows
	if err := r.save(context.WithoutCancel(ctx)); err != nil { // it has begun
		r.complain(j, err)
	}
	if r.review() == ledger.WholeTurn {
		r.lock(1)
	}
	for _, o := range r.jobs {
		if o == j || o.Status != wire.JobAwaitingReview || o.Question == nil {
			continue
		}
		o.Question = nil // whatever it wanted to know, something else was said
		if err := r.tell(o); err != nil {
			r.complain(o, err)
		}
	}
	return nil
}

// lock counts the runs that lock the documents.
func (r *room) lock(n int) {
	r.run.locked = n > 0
	r.host.mu.Lock()
	r.host.locks += n
	r.host.mu.Unlock()
}

// message is what a job says.
func (r *room) message(j *JobRecord) Message {
	request := j.Request
	m := Message{
		Text: request.Instruction, Open: request.File, Amend: request.Amend, Job: j.ID, Attachments: request.Attachments,
		Context: r.record.Context, Confirm: r.confirms(request), Asked: j.Asked,
		Afresh: true, // what is open was asked by another job
	}
	if m.Open == "" {
		m.Open = r.record.Options.File
	}
	if request.Context != nil {
		m.Context = request.Context
	}
	if request.Tools != nil {
		m.MaxCalls = request.Tools.MaxCalls
	}
	if j.Started != nil { // it goes on after its program has ended
		m.Told = []string{cutOff(r.review())}
	}
	return m
}

// cutOff tells the model what happened to a request that it gets again.
func cutOff(review ledger.Review) string {
	words := "The program ended before this request was done, and you get it again."
	if review.Staged() {
		return words + " What you had changed for it is gone: look before you go on."
	}
	return words + " What you had changed for it may be in place: look before you go on."
}

// confirms tells whether the agent states its plan before its first change.
func (r *room) confirms(request wire.RunRequest) bool {
	if request.Tools != nil && request.Tools.ConfirmBeforeEdits != nil {
		return *request.Tools.ConfirmBeforeEdits
	}
	if c := r.record.Options.ConfirmBeforeEdits; c != nil {
		return *c
	}
	return r.host.setup.Confirm
}

// pass moves a job that is not at work, and tells it.
func (r *room) pass(j *JobRecord, s step, events ...wire.JobEvent) error {
	before := *j
	if err := j.move(s, time.Now()); err != nil {
		return err
	}
	kind, state := standing(j, nil)
	if err := r.tell(j, append(events, wire.JobEvent{Type: kind, Data: state})...); err != nil {
		*j = before
		return err
	}
	return nil
}
