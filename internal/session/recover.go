package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"redline/internal/wire"
)

// Recover takes over what an earlier program has left: jobs that were running become
// interrupted, unless another program has their session open; queued ones go on
// where nothing stands before them; what is too old is forgotten.
func (h *Host) Recover(ctx context.Context) error {
	if h.isClosed() {
		return errStopping
	}
	left, err := h.setup.Jobs.Jobs(ctx, JobQuery{Statuses: unfinished, Brief: true})
	if err != nil {
		return err
	}
	var errs []error
	var sessions []string
	for _, j := range left {
		if !slices.Contains(sessions, j.Session) {
			sessions = append(sessions, j.Session)
		}
	}
	for _, id := range sessions {
		errs = append(errs, h.recover(ctx, id))
	}
	return errors.Join(append(errs, h.Collect(ctx))...)
}

// recover takes over the jobs of one session, if no other program has it.
func (h *Host) recover(ctx context.Context, session string) error {
	r, err := h.enter(ctx, session)
	if err != nil {
		return err
	}
	defer r.leave()
	if r.session != nil || r.free() != nil {
		return nil // it is being worked on
	}
	if err := r.takeOver(ctx); err != nil {
		return err
	}
	r.advance(ctx)
	return nil
}

// takeOver brings the jobs up to date whose program has ended: nobody works on them.
func (r *room) takeOver(ctx context.Context) error {
	if err := r.catchUp(ctx); err != nil {
		return err
	}
	for _, j := range slices.Clone(r.jobs) {
		if j.Status != wire.JobRunning && j.Status != wire.JobAwaitingApproval {
			continue
		}
		j.Approval, j.Question, j.Midway = nil, nil, false
		closeCalls(j, false)
		if err := r.pass(j, jobCut); err != nil {
			return err
		}
	}
	r.hold()
	return nil
}

// catchUp ends the reviews that have nothing to decide any more.
func (r *room) catchUp(ctx context.Context) error {
	if !slices.ContainsFunc(r.jobs, func(j *JobRecord) bool { return j.Status == wire.JobAwaitingReview }) {
		return nil
	}
	waiting, err := r.pending(ctx)
	if err != nil {
		return err
	}
	for _, j := range slices.Clone(r.jobs) {
		if j.Status != wire.JobAwaitingReview || waitsFor(j, waiting) {
			continue
		}
		why := jobDecided
		if j.Question != nil {
			why = jobUncovered
		}
		if err := r.pass(j, why); err != nil {
			return err
		}
	}
	return nil
}

// Collect forgets jobs that have been over for too long, or that are too many in their
// session, and what is kept of sessions that were not used for as long and say nothing
// that their files do not.
func (h *Host) Collect(ctx context.Context) error {
	records, err := h.setup.Sessions.Sessions(ctx, "")
	if err != nil {
		return err
	}
	for _, s := range records {
		jobs, err := h.setup.Jobs.Jobs(ctx, JobQuery{Session: s.ID, Brief: true})
		if err != nil {
			return err
		}
		gone, err := h.forgettable(ctx, s.ID, jobs, 0)
		if err != nil {
			return err
		}
		var sessions []string
		if len(gone) == len(jobs) && h.obsolete(s) {
			sessions = []string{s.ID}
		}
		if len(gone)+len(sessions) == 0 {
			continue
		}
		if err := h.setup.Sessions.Drop(ctx, gone, sessions); err != nil {
			return err
		}
	}
	return nil
}

// obsolete tells whether a session was not used for long and is as its file says: it
// has no rules, and no context that somebody may want to see again.
func (h *Host) obsolete(s *SessionRecord) bool {
	h.mu.Lock()
	_, open := h.rooms[s.ID]
	h.mu.Unlock()
	kept := len(s.Options.Rules) > 0 || len(s.Context) > 0 && s.Status == wire.SessionActive
	return !open && !kept && s.Updated.Before(time.Now().Add(-h.setup.Limits.CompletedTTL))
}

// forgettable are the jobs of a session that need not be kept, if more come: those that
// have been over for too long, and the oldest of too many. What waits for a decision is
// kept.
func (h *Host) forgettable(ctx context.Context, session string, jobs []*JobRecord, more int) ([]string, error) {
	limits := h.setup.Limits
	old := time.Now().Add(-limits.CompletedTTL)
	many := len(jobs) + more - limits.MaxJobsPerSession
	if many <= 0 && !slices.ContainsFunc(jobs, func(j *JobRecord) bool { return j.aged(old) }) {
		return nil, nil
	}
	waiting, err := (&room{host: h, id: session}).pending(ctx)
	if err != nil {
		return nil, err
	}
	var gone []string
	for _, pass := range []func(*JobRecord) bool{
		func(j *JobRecord) bool { return j.aged(old) },
		func(j *JobRecord) bool { return j.Status.Over() && many > 0 },
	} {
		for _, j := range jobs {
			if pass(j) && !waitsFor(j, waiting) && !slices.Contains(gone, j.ID) {
				gone, many = append(gone, j.ID), many-1
			}
		}
	}
	return gone, nil
}

// aged tells whether a job has been over since before a time.
func (j *JobRecord) aged(old time.Time) bool {
	return j.Status.Over() && j.Finished != nil && j.Finished.Before(old)
}

// spare makes room for another job of the session.
func (r *room) spare(ctx context.Context) error {
	h := r.host
	jobs, err := h.setup.Jobs.Jobs(ctx, JobQuery{Session: r.id, Brief: true})
	if err != nil {
		return err
	}
	gone, err := h.forgettable(ctx, r.id, jobs, 1)
	if err != nil {
		return err
	}
	if most := h.setup.Limits.MaxJobsPerSession; len(jobs)+1-len(gone) > most {
		return wire.Errorf(wire.CodeJobLimit, "the session has %d jobs, which is max_jobs_per_session, and none of them is over: decide about their changes, or cancel some", most)
	}
	if len(gone) == 0 {
		return nil
	}
	return h.setup.Sessions.Drop(ctx, gone, nil)
}
