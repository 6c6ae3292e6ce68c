package redline

import (
	"context"
	"iter"
	"slices"

	"redline/internal/session"
	"redline/internal/wire"
)

// Run starts a job, or queues it behind the one that is on. Every job is queued first,
// and that is what is answered: when it begins is told by its events.
func (h *Host) Run(ctx context.Context, r wire.RunRequest) (wire.NewJob, error) {
	j, err := h.jobs.Run(ctx, r)
	if err != nil {
		return wire.NewJob{}, err
	}
	return wire.NewJob{ID: j.ID, Status: wire.JobQueued}, nil
}

func started(j *session.JobRecord, err error) (wire.NewJob, error) {
	if err != nil {
		return wire.NewJob{}, err
	}
	return wire.NewJob{ID: j.ID, Status: j.Status}, nil
}

// Job is a job as it is now, with what it has changed or proposes.
func (h *Host) Job(ctx context.Context, id string) (wire.Job, error) {
	r, err := h.jobs.Job(ctx, id)
	if err == nil {
		r, err = h.heed(ctx, r)
	}
	if err != nil {
		return wire.Job{}, err
	}
	j := r.Job
	j.Folder = h.options.Name
	if j.Bundle, err = h.bundles.of(ctx, &j); err != nil {
		return j, err
	}
	if j.Edits, err = h.bundles.edits(ctx, &j); err != nil {
		return j, err
	}
	if j.Calls == nil {
		j.Calls = []wire.JobCall{}
	}
	return j, nil
}

// Events are durable events of a job behind a cursor.
func (h *Host) Events(ctx context.Context, job string, after, limit int) (wire.JobEvents, error) {
	page, err := h.jobs.Events(ctx, job, after, limit)
	if err != nil || page.Status != wire.JobAwaitingReview {
		return page, err
	}
	r, err := h.jobs.Job(ctx, job)
	if err == nil {
		r, err = h.heed(ctx, r)
	}
	if err != nil || r.Status == page.Status {
		return page, err
	}
	return h.jobs.Events(ctx, job, after, limit)
}

// FollowJob yields the events of a job behind a cursor, and transient frames, as they
// come.
func (h *Host) FollowJob(ctx context.Context, job string, after int) iter.Seq2[wire.JobEvent, error] {
	return h.jobs.Follow(ctx, session.Stream{Job: job, After: after})
}

// FollowSession yields the events of all jobs of a session from now on.
func (h *Host) FollowSession(ctx context.Context, id string, lines bool) iter.Seq2[wire.JobEvent, error] {
	return h.jobs.Follow(ctx, session.Stream{Session: id, Lines: lines})
}

// Cancel ends a job.
func (h *Host) Cancel(ctx context.Context, job string) error { return h.jobs.Cancel(ctx, job) }

// Resume goes on with an interrupted job.
func (h *Host) Resume(ctx context.Context, job string) (wire.NewJob, error) {
	if err := h.jobs.Resume(ctx, job); err != nil {
		return wire.NewJob{}, err
	}
	return started(h.jobs.Job(ctx, job))
}

// Rerun repeats the request of a job on the fresh files, as a new job.
func (h *Host) Rerun(ctx context.Context, job string) (wire.NewJob, error) {
	return started(h.jobs.Rerun(ctx, job))
}

// Clarify answers the question of a job.
func (h *Host) Clarify(ctx context.Context, job string, r wire.ClarifyRequest) error {
	return h.jobs.Clarify(ctx, job, r)
}

// Approve answers the request for an approval of a job.
func (h *Host) Approve(ctx context.Context, job string, r wire.ApproveRequest) error {
	return h.jobs.Approve(ctx, job, r)
}

// Say tells something to a job that runs.
func (h *Host) Say(ctx context.Context, job string, r wire.SayRequest) error {
	return h.jobs.Say(ctx, job, r)
}

// Do carries out what a user says in a session, as a [Conversation] does. A message
// starts a job, or is the answer to the question that an earlier program has left open
// in the middle of one.
func (h *Host) Do(ctx context.Context, id string, c wire.Command) error {
	switch c.Type {
	case wire.CommandMessage:
		return h.message(ctx, id, c)
	case wire.CommandInterrupt:
		j, err := h.newest(ctx, id, wire.JobRunning, wire.JobAwaitingApproval, wire.JobWaitingForUser)
		if err != nil || j == nil {
			return err
		}
		return h.jobs.Cancel(ctx, j.ID)
	case wire.CommandClarify:
		j, err := h.asking(ctx, id, wire.JobWaitingForUser)
		if err != nil {
			return err
		}
		return h.jobs.Clarify(ctx, j.ID, wire.ClarifyRequest{Question: c.QuestionID, Answer: c.Answer})
	case wire.CommandApprove:
		j, err := h.asking(ctx, id, wire.JobAwaitingApproval)
		if err != nil {
			return err
		}
		return h.jobs.Approve(ctx, j.ID, wire.ApproveRequest{ID: c.RequestID, Approve: c.Approve, Arguments: c.Arguments, Calls: c.Calls})
	case wire.CommandDecide:
		_, err := h.Decide(ctx, id, c.Decision)
		return err
	}
	return wire.Errorf(wire.CodeInvalid, "there is no command %q; the commands are message, interrupt, clarify, approve and decide", c.Type)
}

func (h *Host) message(ctx context.Context, id string, c wire.Command) error {
	if live := h.conversation(id); live != nil && live.session.Now().Open() {
		return wire.Errorf(wire.CodeBusy, "%s", session.ErrBusy.Error())
	}
	asks, err := h.newest(ctx, id, wire.JobWaitingForUser)
	if err != nil {
		return err
	}
	if asks != nil && asks.Midway && c.Content != "" {
		return h.jobs.Clarify(ctx, asks.ID, wire.ClarifyRequest{Answer: c.Content})
	}
	_, err = h.jobs.Run(ctx, wire.RunRequest{Session: id, Instruction: c.Content, File: c.File, Amend: c.Amend})
	return err
}

// asking is the job that waits for an answer of the user.
func (h *Host) asking(ctx context.Context, id string, status wire.JobStatus) (*session.JobRecord, error) {
	j, err := h.newest(ctx, id, status)
	if err == nil && j == nil {
		err = wire.Errorf(wire.CodeNotAsked, "%s", session.ErrNoneOpen.Error())
	}
	return j, err
}

// newest is the newest job of a session in one of the states, or nil.
func (h *Host) newest(ctx context.Context, id string, states ...wire.JobStatus) (*session.JobRecord, error) {
	jobs, err := h.jobs.Jobs(ctx, session.JobQuery{Session: id, Statuses: states, Brief: true})
	for _, j := range slices.Backward(jobs) {
		return j, err
	}
	return nil, err
}
