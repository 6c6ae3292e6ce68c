package server

import (
	"context"
	"math"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"redline/internal/wire"
)

// pageOfEvents is how many events one answer has, unless the request says otherwise.
const pageOfEvents = 1000

func (a *api) jobRoutes() {
	a.group = "jobs"
	add(a, route{at: "POST /api/agent/run", summary: "Start a job", status: http.StatusAccepted,
		says:    "The job runs in the background, behind those of its session that are before it.",
		refuses: []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests}},
		func(ctx context.Context, in *runRequest) (wire.NewJob, error) {
			return of(a.Server, func(f *Folder) (wire.NewJob, error) { return f.Jobs.Run(ctx, in.Body.RunRequest) })
		})
	add(a, route{at: "GET /api/agent/jobs/{id}", summary: "Show a job as it is now"},
		func(ctx context.Context, in *byID) (wire.Job, error) {
			return of(a.Server, func(f *Folder) (wire.Job, error) { return f.Jobs.Job(ctx, in.ID) })
		})
	a.eventsRoute()
	a.controlRoutes()
	a.answerRoutes()
}

// runRequest asks for a job.
type runRequest struct {
	Body struct {
		wire.RunRequest
		Prompt string `json:"prompt,omitempty" doc:"another name of instruction"`
	}
}

// Resolve takes the instruction by its other name, and refuses a request without any.
func (r *runRequest) Resolve(huma.Context) []error {
	said := &r.Body.Instruction
	if *said == "" {
		*said = r.Body.Prompt
	} else if r.Body.Prompt != "" {
		return []error{&huma.ErrorDetail{Location: "body.prompt", Message: "instruction says it already"}}
	}
	if strings.TrimSpace(*said) == "" {
		return []error{&huma.ErrorDetail{Location: "body.instruction", Message: "say what you want done"}}
	}
	return nil
}

// eventsRequest asks for events.
type eventsRequest struct {
	ID     string `path:"id"`
	Cursor int64  `query:"cursor" minimum:"0" doc:"of the newest event that is known"`
	Limit  int    `query:"limit" minimum:"0" maximum:"5000" doc:"1000, if it is left out"`
}

// Resolve refuses what only looks like a number, such as +5.
func (r *eventsRequest) Resolve(ctx huma.Context) []error {
	if strings.ContainsFunc(ctx.Query("cursor"), func(c rune) bool { return c < '0' || c > '9' }) {
		return []error{&huma.ErrorDetail{Location: "query.cursor", Message: "a cursor is decimal digits alone"}}
	}
	return nil
}

func (a *api) eventsRoute() {
	add(a, route{at: "GET /api/agent/jobs/{id}/events", summary: "The events of a job behind a cursor", refuses: []int{http.StatusBadRequest},
		says:  "next_cursor is the cursor for the next request, and never beyond the newest event. With \"Accept: text/event-stream\" the events come as they happen, as at …/stream.",
		first: a.streamInstead},
		func(ctx context.Context, in *eventsRequest) (wire.JobEvents, error) {
			limit := in.Limit
			if limit == 0 {
				limit = pageOfEvents
			}
			return of(a.Server, func(f *Folder) (wire.JobEvents, error) {
				page, err := f.Jobs.Events(ctx, in.ID, int(min(in.Cursor, math.MaxInt32)), limit)
				page.Events = some(page.Events)
				return page, err
			})
		})
}

// streamInstead gives those a stream who ask for one.
func (a *api) streamInstead(c huma.Context, next func(huma.Context)) {
	if !strings.Contains(c.Header("Accept"), "text/event-stream") {
		next(c)
		return
	}
	r, w := humago.Unwrap(c)
	a.jobStream(w, r)
}

func (a *api) controlRoutes() {
	add(a, route{at: "POST /api/agent/jobs/{id}/cancel", summary: "End a job", refuses: []int{http.StatusConflict},
		says: "One that runs is interrupted, a queued one never begins, what waits for a review is rejected."},
		func(ctx context.Context, in *byID) (wire.NewJob, error) {
			return a.then(ctx, in.ID, func(f *Folder) error { return f.Control.Cancel(ctx, in.ID) })
		})
	add(a, route{at: "POST /api/agent/jobs/{id}/resume", summary: "Go on with an interrupted job", status: http.StatusAccepted, refuses: []int{http.StatusConflict}},
		func(ctx context.Context, in *byID) (wire.NewJob, error) {
			return of(a.Server, func(f *Folder) (wire.NewJob, error) { return f.Control.Resume(ctx, in.ID) })
		})
	add(a, route{at: "POST /api/agent/jobs/{id}/rerun", summary: "Repeat the request of a job on the fresh files", status: http.StatusAccepted,
		says: "It is a new job. What the old one still proposes is rejected.", refuses: []int{http.StatusConflict, http.StatusTooManyRequests}},
		func(ctx context.Context, in *byID) (wire.NewJob, error) {
			return of(a.Server, func(f *Folder) (wire.NewJob, error) { return f.Control.Rerun(ctx, in.ID) })
		})
}

func (a *api) answerRoutes() {
	add(a, route{at: "POST /api/agent/jobs/{id}/clarify", summary: "Answer the question of a job", refuses: []int{http.StatusConflict}},
		func(ctx context.Context, in *struct {
			ID   string `path:"id"`
			Body wire.ClarifyRequest
		}) (wire.NewJob, error) {
			return a.then(ctx, in.ID, func(f *Folder) error { return f.Answers.Clarify(ctx, in.ID, in.Body) })
		})
	add(a, route{at: "POST /api/agent/jobs/{id}/approve", summary: "Approve or deny calls of a job", refuses: []int{http.StatusConflict}},
		func(ctx context.Context, in *struct {
			ID   string `path:"id"`
			Body wire.ApproveRequest
		}) (wire.NewJob, error) {
			return a.then(ctx, in.ID, func(f *Folder) error { return f.Answers.Approve(ctx, in.ID, in.Body) })
		})
	add(a, route{at: "POST /api/agent/jobs/{id}/messages", summary: "Say something to a job that runs", refuses: []int{http.StatusConflict},
		says: "It is heard after the call that is on."},
		func(ctx context.Context, in *struct {
			ID   string `path:"id"`
			Body wire.SayRequest
		}) (wire.NewJob, error) {
			return a.then(ctx, in.ID, func(f *Folder) error { return f.Answers.Say(ctx, in.ID, in.Body) })
		})
}

// then does something with a job, and answers where the job stands now.
func (a *api) then(ctx context.Context, id string, do func(*Folder) error) (wire.NewJob, error) {
	return of(a.Server, func(f *Folder) (wire.NewJob, error) {
		if err := do(f); err != nil {
			return wire.NewJob{}, err
		}
		j, err := f.Jobs.Job(ctx, id)
		return wire.NewJob{ID: j.ID, Status: j.Status}, err
	})
}
