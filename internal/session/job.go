package session

import (
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"

	"redline/internal/ledger"
	"redline/internal/wire"
)

// step is what moves a job from one state to another.
type step string

const (
	jobBegan      step = "beginning"                 // its run begins
	jobAsked      step = "question"                  // the model wants to know something
	jobAnswered   step = "answer"                    // … and is told
	jobPassed     step = "end of the question"       // … nobody answers any more: it was skipped, or something else was said
	jobChallenged step = "approval request"          // calls wait for the user
	jobRuled      step = "approval"                  // … who agrees or does not
	jobFinished   step = "end"                       // the run is done
	jobInquired   step = "end with a question"       // … and wants to know something
	jobProposed   step = "end with changes"          // … and its changes wait for a decision
	jobBroke      step = "failure"                   // it could not begin, or ended without being done
	jobStopped    step = "cancellation"              // the user ended it, or did not agree to a call
	jobCut        step = "end of the program"        // in the middle of its run
	jobResumed    step = "resumption"                // it is to go on
	jobDecided    step = "decision"                  // none of its changes waits any more
	jobUncovered  step = "decision before an answer" // … and the question is left with which its run ended
)

// jobTable says what may happen to a job in each state, and where it leads. Nothing else
// changes the status of a job. docs/session.md draws it.
var jobTable = map[wire.JobStatus]map[step]wire.JobStatus{
	wire.JobQueued: {jobBegan: wire.JobRunning, jobBroke: wire.JobFailed, jobStopped: wire.JobCancelled},
	wire.JobRunning: {
		jobAsked: wire.JobWaitingForUser, jobChallenged: wire.JobAwaitingApproval,
		jobFinished: wire.JobCompleted, jobInquired: wire.JobWaitingForUser, jobProposed: wire.JobAwaitingReview,
		jobBroke: wire.JobFailed, jobStopped: wire.JobCancelled, jobCut: wire.JobInterrupted,
	},
	wire.JobWaitingForUser: {
		jobAnswered: wire.JobRunning, jobPassed: wire.JobCompleted,
		jobBroke: wire.JobFailed, jobStopped: wire.JobCancelled, jobCut: wire.JobInterrupted,
	},
	wire.JobAwaitingApproval: {
		jobRuled: wire.JobRunning,
		jobBroke: wire.JobFailed, jobStopped: wire.JobCancelled, jobCut: wire.JobInterrupted,
	},
	wire.JobAwaitingReview: {jobDecided: wire.JobCompleted, jobUncovered: wire.JobWaitingForUser, jobStopped: wire.JobCancelled},
	wire.JobInterrupted:    {jobResumed: wire.JobQueued, jobStopped: wire.JobCancelled},
}

// move changes the status of a job, as the table says.
func (j *JobRecord) move(s step, at time.Time) error {
	to, ok := jobTable[j.Status][s]
	if !ok {
		return j.wrong(string(s))
	}
	j.Status = to
	switch {
	case to.Over():
		j.Finished, j.Question, j.Approval, j.Midway = moment(at), nil, nil, false
	case s == jobBegan && j.Started == nil:
		j.Started = moment(at)
	}
	return nil
}

// wrong is why something cannot be done with a job where it stands.
func (j *JobRecord) wrong(what string) error {
	can := map[wire.JobStatus]string{
		wire.JobQueued:           "wait for its beginning, or cancel it",
		wire.JobRunning:          "wait for its end, tell it something, or cancel it",
		wire.JobWaitingForUser:   "answer its question, or cancel it",
		wire.JobAwaitingApproval: "approve its calls or do not, or cancel it",
		wire.JobAwaitingReview:   "decide about its changes, rerun it, or cancel it",
		wire.JobInterrupted:      "resume it, rerun it, or cancel it",
	}[j.Status]
	if can == "" {
		can = "it is over; rerun it, or send a new request"
	}
	return wire.Errorf(wire.CodeState, "the job %s is %s: there is no place for %s now; %s", j.ID, strings.ReplaceAll(string(j.Status), "_", " "), what, can).With("status", j.Status)
}

// open tells whether a run of the job is on, or was when its program ended.
func (j *JobRecord) open() bool {
	return j.Status == wire.JobRunning || j.Status == wire.JobAwaitingApproval || j.Status == wire.JobWaitingForUser && j.Midway
}

// clone is the job as it is now, for somebody else.
func (j *JobRecord) clone() *JobRecord {
	c := *j
	c.Calls = slices.Clone(j.Calls)
	return &c
}

func moment(t time.Time) *time.Time {
	t = t.UTC().Round(0)
	return &t
}

// newJob is a job that has not begun.
func newJob(r wire.RunRequest, now time.Time) *JobRecord {
	id := "job_" + strings.ToLower(rand.Text())
	return &JobRecord{
		Job: wire.Job{
			ID: id, JobID: id, Session: r.Session, Status: wire.JobQueued, Instruction: r.Instruction, Intent: Intent(r.Instruction),
			Created: *moment(now), Calls: []wire.JobCall{}, Edits: []wire.Edit{},
		},
		Request: r,
	}
}

// coded gives the errors of a session their codes. Others have theirs, or none.
func coded(err error) error {
	var move *MoveError
	switch {
	case errors.Is(err, ErrBusy):
		return wire.Errorf(wire.CodeBusy, "%s", err.Error())
	case errors.Is(err, ErrClosed):
		return wire.Errorf(wire.CodeClosed, "%s", err.Error())
	case errors.As(err, &move):
		return wire.Errorf(wire.CodeState, "%s", err.Error())
	}
	return err
}

// failure is why a job has failed that could not begin.
func failure(err error) *wire.Error {
	var known *wire.Error
	if errors.As(err, &known) {
		return known
	}
	code := "failed"
	var coder interface{ ErrorCode() string }
	if errors.As(err, &coder) {
		code = coder.ErrorCode()
	}
	return wire.Errorf(code, "%s", ledger.RedactText(err.Error()))
}
