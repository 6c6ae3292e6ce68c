package session

import (
	"context"
	"errors"
	"strings"
	"time"

	"redline/internal/ledger"
	"redline/internal/wire"
)

// Cancel ends a job: one that runs is interrupted, and is cancelled when its run has
// ended; a queued one never begins; what waits for a review is rejected.
func (h *Host) Cancel(ctx context.Context, job string) error {
	r, j, err := h.control(ctx, job)
	if err != nil {
		return err
	}
	defer r.leave()
	if j == r.run.job {
		r.run.cancelled = true
		r.session.Interrupt()
		return nil
	}
	var told []wire.JobEvent
	if j.Status == wire.JobAwaitingReview {
		if told, err = r.reject(ctx, j); err != nil {
			return err
		}
	}
	before := j.Error
	j.Error = errCancelled()
	if err := r.pass(j, jobStopped, told...); err != nil {
		j.Error = before
		return err
	}
	r.release()
	r.advance(ctx)
	return nil
}

func errCancelled() *wire.Error { return wire.Errorf("cancelled", "the user has cancelled it") }

// reject gives up what a job still proposes. It returns the event that tells so.
func (r *room) reject(ctx context.Context, j *JobRecord) ([]wire.JobEvent, error) {
	waiting, err := r.pending(ctx)
	if err != nil {
		return nil, err
	}
	given := 0
	for _, t := range waiting {
		if !of(t, j) {
			continue
		}
		if err := r.rejectTurn(ctx, t); err != nil {
			return nil, err
		}
		given++
	}
	if given == 0 {
		return nil, nil
	}
	if r.session != nil {
		if err := r.session.settled(ctx); err != nil {
			return nil, err
		}
	}
	return []wire.JobEvent{event(wire.EventReview, wire.Decided{})}, nil
}

// rejectTurn gives up a turn that waits for a decision, as a whole or hunk by hunk.
func (r *room) rejectTurn(ctx context.Context, t *ledger.TurnRecord) error {
	if t.Review != ledger.Hunks {
		_, err := r.host.setup.Ledger.Reject(ctx, t.ID)
		return err
	}
	var open []string
	for _, c := range t.Changes {
		for _, h := range c.Hunks {
			if !h.Applied && h.State != ledger.HunkRejected {
				open = append(open, h.ID)
			}
		}
	}
	_, err := r.host.setup.Ledger.Decide(ctx, t.Session, nil, open)
	return err
}

// pending are the turns of the session that wait for a decision before they reach the
// disk, newest first.
func (r *room) pending(ctx context.Context) ([]*ledger.TurnRecord, error) {
	records, err := r.host.setup.Ledger.Turns(ctx, r.id, 0, ledger.Pending)
	if err != nil {
		return nil, err
	}
	var staged []*ledger.TurnRecord
	for _, t := range records {
		if t.Review.Staged() {
			staged = append(staged, t)
		}
	}
	return staged, nil
}

// of tells whether a turn is of a job: it made it, or amended it.
func of(t *ledger.TurnRecord, j *JobRecord) bool { return t.Job == j.ID || t.ID == j.Turn }

// release lets the queue go on that has waited for what becomes of interrupted jobs, if
// none is left.
func (r *room) release() {
	for _, j := range r.jobs {
		if j.Status == wire.JobInterrupted {
			return
		}
	}
	r.held = nil
}

// Clarify answers the question of a job, also one that an earlier program has asked.
func (h *Host) Clarify(ctx context.Context, job string, request wire.ClarifyRequest) error {
	r, j, err := h.control(ctx, job)
	if err != nil {
		return err
	}
	answer := strings.TrimSpace(request.Answer)
	if answer == "" {
		answer = NoAnswer
	}
	s := r.session
	if j == r.run.job {
		err = r.session.Clarify(request.Question, answer)
	} else {
		err = r.clarify(ctx, j, request.Question, answer)
		s = r.session
	}
	r.leave()
	if err != nil {
		return unasked(err, job)
	}
	if s != nil {
		r.wait(ctx, s)
	}
	return nil
}

func unasked(err error, job string) error {
	if errors.Is(err, ErrNoneOpen) {
		return wire.Errorf(wire.CodeNotAsked, "nothing waits for this answer in the job %s: it has been given, or the run has ended", job)
	}
	return err
}

// clarify answers a question whose run has ended, with it or with its program: the job
// goes on with the answer. A last question that is skipped was the end.
func (r *room) clarify(ctx context.Context, j *JobRecord, id, said string) error {
	q := j.Question
	if j.Status != wire.JobWaitingForUser || q == nil || id != "" && id != q.ID {
		return ErrNoneOpen
	}
	if r.run.job != nil {
		return wire.Errorf(wire.CodeBusy, "another job of the session is on: wait for its end, or cancel it")
	}
	if err := r.open(ctx); err != nil {
		return err
	}
	if j = r.job(j.ID); j == nil || j.Status != wire.JobWaitingForUser {
		return ErrNoneOpen
	}
	received := event(wire.EventAnswered, answer{*q, said})
	if !j.Midway && said == NoAnswer {
		if err := r.pass(j, jobPassed, received); err != nil {
			return err
		}
		r.advance(ctx)
		return nil
	}
	m := r.message(j)
	m.Text, m.Attachments, m.Told, m.Amend = said, nil, nil, false
	late := r.session.asksLate()
	switch {
	case j.Midway && late:
		m.Afresh = false
	case j.Midway: // nothing in what was said waits for it
		m.Text = j.Request.Instruction
		m.Told = []string{cutOff(r.review()), "You had asked the user: " + q.Text, "The user has answered: " + said}
	}
	if err := r.begin(ctx, j, m); err != nil {
		return err
	}
	if !j.Midway || !late {
		j.Question, j.Midway = nil, false
		r.keep(j, received)
	}
	return nil
}

// asksLate tells whether an earlier program has left a question open in what was said.
func (s *Session) asksLate() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open != nil
}

// Approve answers the request for an approval of a job.
func (h *Host) Approve(ctx context.Context, job string, request wire.ApproveRequest) error {
	r, j, err := h.control(ctx, job)
	if err != nil {
		return err
	}
	s := r.session
	if err = ErrNoneOpen; j == r.run.job {
		err = s.Approve(request.ID, Answer{Approve: request.Approve, Arguments: request.Arguments, Others: request.Calls})
	}
	r.leave()
	switch {
	case errors.Is(err, ErrNoneOpen):
		return unasked(err, job)
	case err != nil: // the arguments
		return wire.Errorf(wire.CodeInvalid, "%s", err.Error())
	}
	r.wait(ctx, s)
	return nil
}

// Say tells something to a job that runs.
func (h *Host) Say(ctx context.Context, job string, request wire.SayRequest) error {
	if strings.TrimSpace(request.Text) == "" {
		return wire.Errorf(wire.CodeInvalid, "the text is empty: say what the agent should know")
	}
	r, j, err := h.control(ctx, job)
	if err != nil {
		return err
	}
	defer r.leave()
	if r.session == nil || j != r.run.job {
		return j.wrong("a message")
	}
	if err := r.session.Say(request.Text); err != nil {
		return j.wrong("a message")
	}
	return r.tell(j, event(wire.JobEventHeard, map[string]string{"text": request.Text}))
}

// Resume goes on with an interrupted job: it is queued before those that have waited for
// it.
func (h *Host) Resume(ctx context.Context, job string) error {
	r, j, err := h.control(ctx, job)
	if err != nil {
		return err
	}
	err = r.resume(ctx, j)
	s := r.session
	r.leave()
	if err == nil && s != nil {
		r.wait(ctx, s)
	}
	return err
}

func (r *room) resume(ctx context.Context, j *JobRecord) error {
	if j.Status.Over() || j.Status == wire.JobQueued {
		return j.wrong("a resumption")
	}
	if err := r.open(ctx); err != nil { // its program may have been killed just now
		return err
	}
	if j = r.job(j.ID); j == nil {
		return wire.Errorf(wire.CodeState, "the job is over")
	}
	if j.Status != wire.JobInterrupted {
		return j.wrong("a resumption")
	}
	before := *j
	if err := j.move(jobResumed, time.Now()); err != nil {
		return err
	}
	if err := r.tell(j, event(wire.JobEventResumed, map[string]any{"status": j.Status})); err != nil {
		*j = before
		return err
	}
	r.release()
	r.advance(ctx)
	return nil
}
