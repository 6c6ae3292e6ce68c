package session

import (
	"context"

	"redline/internal/ledger"
	"redline/internal/wire"
)

// moved records where the session stands now.
func (r *room) moved(j *JobRecord, s Status, w wire.Status, f wire.JobEvent) {
	switch {
	case s.State == Running:
		r.goesOn(j, s, w, f)
		return
	case s.State == AwaitingApproval:
		_ = j.move(jobChallenged, f.Time) // the table of the session has been asked
	case s.State == WaitingForUser && s.Question != nil:
		_ = j.move(jobAsked, f.Time)
	default:
		r.ended(j, s, w, f)
		return
	}
	f.Type, f.Data = standing(j, &w)
	r.keep(j, f)
}

// goesOn records that the run of a job begins, or goes on with an answer.
func (r *room) goesOn(j *JobRecord, s Status, w wire.Status, f wire.JobEvent) {
	first := j.Started == nil
	why := map[wire.JobStatus]step{wire.JobQueued: jobBegan, wire.JobWaitingForUser: jobAnswered, wire.JobAwaitingApproval: jobRuled}
	_ = j.move(why[j.Status], f.Time)
	f.Type, f.Data = standing(j, &w)
	if first {
		f.Type = wire.JobEventStarted
	}
	events := []wire.JobEvent{f}
	if r.run.turn != s.Turn {
		r.run.turn, j.Error = s.Turn, nil
		if j.Turn == "" {
			j.Turn, j.Checkpoint = s.Turn, s.Before
		}
		events = append(events, wire.JobEvent{Type: wire.CheckpointCreated, Time: f.Time, Data: data(map[string]string{"checkpoint_id": s.Before, "turn_id": s.Turn})})
		if r.run.locked {
			events = append(events, wire.JobEvent{Type: wire.JobEventLock, Time: f.Time, Data: data(map[string]bool{"locked": true})})
		}
	}
	r.keep(j, events...)
}

// ended records how a run has ended, and begins the next job.
func (r *room) ended(j *JobRecord, s Status, w wire.Status, f wire.JobEvent) {
	var events []wire.JobEvent
	if r.run.locked {
		r.lock(-1)
		events = append(events, wire.JobEvent{Type: wire.JobEventLock, Time: f.Time, Data: data(map[string]bool{"locked": false})})
	}
	why := r.verdict(s)
	if r.run.cancelled && (why == jobInquired || why == jobProposed) { // it came to its end just before
		told, err := r.reject(context.Background(), j)
		if err == nil {
			why, events = jobStopped, append(events, told...)
		}
	}
	if s.Waiting != nil && (why == jobInquired || why == jobProposed) {
		r.ask(j, s.Waiting.Question)
	}
	if why == jobBroke || why == jobStopped {
		j.Error = r.reason(s)
	}
	j.Approval = nil
	if why == jobCut {
		j.Question, j.Midway = nil, false
	}
	closeCalls(j, false)
	r.draft.clear()
	_ = j.move(why, f.Time)
	f.Type, f.Data = standing(j, &w)
	r.over(j, append(events, f)...)
	r.run = working{}
	if err := r.save(context.Background()); err != nil && len(r.owed) == 0 {
		r.complain(j, err)
	}
	r.advance(context.Background())
}

// verdict is what the end of a run is for its job.
func (r *room) verdict(s Status) step {
	switch {
	case r.run.broken != nil, s.State == Failed:
		return jobBroke
	case s.State == Cancelled && s.Aborted && r.closing && !r.run.cancelled:
		return jobCut
	case s.State == Cancelled:
		return jobStopped
	case s.State == AwaitingReview && r.run.proposed:
		return jobProposed
	case s.Waiting != nil:
		return jobInquired
	}
	return jobFinished // what waits for a decision is of earlier jobs
}

// reason is why a job has failed or was cancelled.
func (r *room) reason(s Status) *wire.Error {
	switch {
	case r.run.broken != nil:
		return wire.Errorf(wire.CodeInternal, "what happens cannot be kept: %v", r.run.broken)
	case s.Denied:
		return wire.Errorf("denied", "%s", s.Reason)
	case r.run.cancelled:
		return errCancelled()
	case s.State == Cancelled:
		return wire.Errorf("cancelled", "%s", s.Reason)
	}
	why := ledger.RedactText(s.Reason)
	if r.run.limit != "" {
		return wire.Errorf(wire.CodeLimit, "%s", why).With("limit", r.run.limit)
	}
	return wire.Errorf("failed", "%s", why)
}

// leaveRun records what becomes of the run that was on when the session was closed: a
// question waits for the next program, anything else was cut off.
func (r *room) leaveRun() {
	j := r.run.job
	if j == nil {
		return
	}
	if r.run.locked {
		r.lock(-1)
	}
	r.run = working{}
	if j.Status == wire.JobWaitingForUser {
		return
	}
	j.Approval = nil
	closeCalls(j, false)
	_ = r.pass(j, jobCut) // it is found in the next program, if it cannot be written now
}
