package session

import (
	"context"
	"errors"
	"slices"

	"redline/internal/ledger"
	"redline/internal/wire"
)

// waitsFor tells whether changes of a job are among those that wait for a decision.
func waitsFor(j *JobRecord, waiting []*ledger.TurnRecord) bool {
	return slices.ContainsFunc(waiting, func(t *ledger.TurnRecord) bool { return of(t, j) })
}

// Note adds events to a job, such as those of an apply or a rollback that somebody else
// carries out, and brings its status up to date with what waits for a decision now. That
// changes were decided about is told by Reviewed, which brings its event with it.
func (h *Host) Note(ctx context.Context, job string, events ...wire.JobEvent) (*JobRecord, error) {
	r, j, err := h.control(ctx, job)
	if err != nil {
		return nil, err
	}
	defer r.leave()
	if err := r.tell(j, events...); err != nil {
		return nil, err
	}
	if err := r.restate(ctx); err != nil {
		return nil, err
	}
	return r.shown(j), nil
}

// Trace adds events to a job that change nothing about where it stands.
func (h *Host) Trace(ctx context.Context, job string, events ...wire.JobEvent) error {
	r, j, err := h.control(ctx, job)
	if err != nil {
		return err
	}
	defer r.leave()
	return r.tell(j, events...)
}

// restate brings the jobs up to date with what waits for a decision now, and lets the
// queue go on.
func (r *room) restate(ctx context.Context) error {
	if err := r.catchUp(ctx); err != nil {
		return err
	}
	r.advance(ctx)
	return nil
}

// Reviewed tells the session, if it is open here, and the job that changes were decided
// about, accepted or taken back: the event review.updated, and where both stand now. A
// job of "" is the one that waits for a review, if there is one.
func (h *Host) Reviewed(ctx context.Context, session, job string, d wire.Decided) error {
	ctx = context.WithoutCancel(ctx) // it has happened
	r, err := h.enter(ctx, session)
	if err != nil {
		return err
	}
	s := r.session
	if s == nil || r.closing { // the session may have told its last
		err = r.decidedElsewhere(ctx, job, d)
		r.leave()
		return err
	}
	err = s.reviewed(ctx, job, d)
	r.leave()
	r.wait(ctx, s)
	return err
}

// decidedElsewhere is a decision in a session that is not open here.
func (r *room) decidedElsewhere(ctx context.Context, job string, d wire.Decided) error {
	if err := r.free(); err != nil {
		return err
	}
	j, err := r.subject(ctx, job)
	if j == nil || err != nil {
		return err
	}
	if err := r.tell(j, event(wire.EventReview, d)); err != nil {
		return err
	}
	return r.restate(ctx)
}

// subject is the job that a decision is about, or nil.
func (r *room) subject(ctx context.Context, job string) (*JobRecord, error) {
	if job != "" {
		if j := r.job(job); j != nil {
			return j, nil
		}
		return r.host.stored(ctx, JobQuery{ID: job})
	}
	for _, j := range slices.Backward(r.jobs) {
		if j.Status == wire.JobAwaitingReview {
			return j, nil
		}
	}
	return nil, nil
}

// decided records a decision that the session has told.
func (r *room) decided(job string, w wire.Event, f wire.JobEvent) {
	ctx := context.Background()
	f.Data = data(struct{}{})
	if w.Decided != nil {
		f.Data = data(w.Decided)
	}
	j, err := r.subject(ctx, job)
	if j == nil || err != nil {
		r.hint("", f)
		return
	}
	r.keep(j, f)
	if err := r.restate(ctx); err != nil {
		r.complain(j, err)
	}
}

// Rerun repeats the request of a job on the fresh files, as a new job. What the old
// one still proposes is rejected.
func (h *Host) Rerun(ctx context.Context, job string) (*JobRecord, error) {
	request, session, err := h.giveUp(ctx, job)
	if err != nil {
		return nil, err
	}
	request.Session, request.Amend = session, false
	again, err := h.start(ctx, request, job)
	if err != nil {
		return nil, err
	}
	err = h.Trace(context.WithoutCancel(ctx), job, event(wire.JobEventRerun, map[string]string{"job_id": again.ID}))
	if code, ok := errors.AsType[*wire.Error](err); ok && code.Code == wire.CodeNotFound {
		err = nil // it has made room for the new one, which tells the same
	}
	return again, err
}

// giveUp rejects what a job still proposes, and ends it, if the session can go on.
func (h *Host) giveUp(ctx context.Context, job string) (wire.RunRequest, string, error) {
	r, j, err := h.control(ctx, job)
	if err != nil {
		return wire.RunRequest{}, "", err
	}
	defer r.leave()
	if j == r.run.job || j.open() || j.Status == wire.JobQueued { // its run may have begun just now
		return wire.RunRequest{}, "", j.wrong("a rerun")
	}
	if err := r.open(ctx); err != nil {
		return wire.RunRequest{}, "", err
	}
	if now := r.job(job); now != nil {
		j = now // it was read anew
	}
	told, err := r.reject(ctx, j)
	if err != nil {
		return wire.RunRequest{}, "", err
	}
	if err := r.freshen(ctx); err != nil {
		return wire.RunRequest{}, "", err
	}
	ends := map[wire.JobStatus]step{wire.JobAwaitingReview: jobDecided, wire.JobWaitingForUser: jobPassed, wire.JobInterrupted: jobStopped}
	if why := ends[j.Status]; why != "" {
		j.Question = nil
		if err := r.pass(j, why, told...); err != nil {
			return wire.RunRequest{}, "", err
		}
		r.release()
	}
	return j.Request, j.Session, nil
}

// freshen takes over what is on the disk now below what other jobs of the session
// propose: the session would show its next job the old files otherwise. Where that does
// not fit, the files stay as the proposals have them, and are in conflict until those
// are decided.
func (r *room) freshen(ctx context.Context) error {
	waiting, err := r.pending(ctx)
	if err != nil {
		return err
	}
	seen := map[ledger.Path]bool{}
	for _, t := range waiting {
		for _, c := range t.Changes {
			if t.Review != ledger.Hunks || seen[c.Path] {
				continue
			}
			seen[c.Path] = true
			if err := r.host.setup.Ledger.Rebase(ctx, r.id, c.Path); err != nil && ledger.CodeOf(err) == "" {
				return err
			}
		}
	}
	return nil
}

// Conflicted notes that changes of a job could not be written because of what is on
// the disk. It returns the rerun, if one was started.
func (h *Host) Conflicted(ctx context.Context, job string, files []string) (*JobRecord, error) {
	r, j, err := h.control(ctx, job)
	if err != nil {
		return nil, err
	}
	rerun := h.setup.RerunOnConflict
	if o := r.record.Options.RerunOnConflict; o != nil {
		rerun = *o
	}
	err = r.tell(j, event(wire.JobEventConflict, map[string]any{"files": append([]string{}, files...), "rerun": rerun}))
	r.leave()
	if err != nil || !rerun {
		return nil, err
	}
	return h.Rerun(ctx, job)
}
