package server

import (
	"context"
	"net/http"

	"redline/internal/wire"
)

func (a *api) reviewRoutes() {
	a.group = "review"
	oversized := "An accepted hunk that is oversized has to be split first (POST …/hunks/{hunk}/split), or named in accept_as_one; otherwise it is refused as oversized_hunk."
	add(a, route{at: "POST /api/agent/apply", summary: "Write accepted hunks to the disk, and reject the others of the job",
		says:    "If the files are not what the hunks are about any more, nothing is written: conflict, with the files and the way to a rerun. " + oversized,
		refuses: []int{http.StatusNotFound, http.StatusConflict}},
		func(ctx context.Context, in *struct{ Body wire.ApplyRequest }) (wire.ApplyReply, error) {
			return of(a.Server, func(f *Folder) (wire.ApplyReply, error) {
				reply, err := f.Reviews.Apply(ctx, in.Body)
				reply.Applied = some(reply.Applied)
				return reply, err
			})
		})
	add(a, route{at: "GET /api/agent/sessions/{id}/review", summary: "What waits for a decision in a session"},
		func(ctx context.Context, in *byID) (wire.Review, error) {
			return of(a.Server, func(f *Folder) (wire.Review, error) { return review(ctx, f, in.ID) })
		})
	add(a, route{at: "POST /api/agent/sessions/{id}/decide", summary: "Accept or reject hunks one by one, or all of them",
		says: "Accepted hunks are written at once, unless the request says hold. " + oversized, refuses: []int{http.StatusConflict}},
		func(ctx context.Context, in *struct {
			ID   string `path:"id"`
			Body wire.Decision
		}) (wire.Decided, error) {
			return of(a.Server, func(f *Folder) (wire.Decided, error) { return f.Reviews.Decide(ctx, in.ID, in.Body) })
		})
	add(a, route{at: "GET /api/agent/sessions/{id}/change_log", summary: "The hunks that wait in a session, the agent's and the user's",
		says: "What the user has changed in the buffers of a review has the origin user: it is accepted, and can be rejected like any other hunk.", refuses: []int{http.StatusBadRequest}},
		func(ctx context.Context, in *struct {
			ID   string `path:"id"`
			Path string `query:"file_path" doc:"one file; all, if it is left out"`
		}) (wire.ChangeLog, error) {
			return of(a.Server, func(f *Folder) (wire.ChangeLog, error) {
				log, err := f.Changes.ChangeLog(ctx, in.ID, in.Path)
				return wire.ChangeLog{Entries: some(log)}, err
			})
		})
	a.hunkRoutes()
	a.undoRoutes()
	a.checkpointRoutes()
}

func review(ctx context.Context, f *Folder, session string) (wire.Review, error) {
	turns, err := f.Reviews.Open(ctx, session)
	return wire.Review{Turns: some(turns)}, err
}

func (a *api) hunkRoutes() {
	add(a, route{at: "POST /api/agent/sessions/{id}/hunks/{hunk}/split", summary: "Divide a hunk in two", refuses: []int{http.StatusConflict}},
		func(ctx context.Context, in *struct {
			ID   string `path:"id"`
			Hunk string `path:"hunk"`
			Body wire.SplitRequest
		}) (wire.SplitReply, error) {
			return of(a.Server, func(f *Folder) (wire.SplitReply, error) { return f.Hunks.Split(ctx, in.ID, in.Hunk, in.Body) })
		})
	add(a, route{at: "POST /api/agent/sessions/{id}/hunks/{hunk}/edit", summary: "Put the user's own text in the place of a hunk's new lines", refuses: []int{http.StatusConflict}},
		func(ctx context.Context, in *struct {
			ID   string `path:"id"`
			Hunk string `path:"hunk"`
			Body wire.HunkText
		}) (wire.Review, error) {
			return a.reviewAfter(ctx, in.ID, func(f *Folder) error { return f.Hunks.Edit(ctx, in.ID, in.Hunk, in.Body) })
		})
	add(a, route{at: "POST /api/agent/sessions/{id}/rebase", summary: "Take what is on the disk now as the base of the pending hunks", refuses: []int{http.StatusConflict}},
		func(ctx context.Context, in *struct {
			ID   string `path:"id"`
			Body *wire.RebaseRequest
		}) (wire.Review, error) {
			return a.reviewAfter(ctx, in.ID, func(f *Folder) error { return f.Hunks.Rebase(ctx, in.ID, given(in.Body)) })
		})
}

// reviewAfter does something with a review, and answers what waits for a decision then.
func (a *api) reviewAfter(ctx context.Context, session string, do func(*Folder) error) (wire.Review, error) {
	return of(a.Server, func(f *Folder) (wire.Review, error) {
		if err := do(f); err != nil {
			return wire.Review{}, err
		}
		return review(ctx, f, session)
	})
}

// given is a body that may be left out.
func given[T any](body *T) (t T) {
	if body != nil {
		t = *body
	}
	return t
}

// ofTurn is what an undo or a redo takes.
type ofTurn struct {
	ID   string `path:"id"`
	Body *wire.TurnRequest
}

func (a *api) undoRoutes() {
	add(a, route{at: "POST /api/agent/sessions/{id}/undo", summary: "Take back what a turn has written", refuses: []int{http.StatusConflict}},
		func(ctx context.Context, in *ofTurn) (wire.Report, error) {
			return of(a.Server, func(f *Folder) (wire.Report, error) {
				return report(f.Undo.Undo(ctx, in.ID, given(in.Body).Turn))
			})
		})
	add(a, route{at: "POST /api/agent/sessions/{id}/redo", summary: "Bring back what an undo took", refuses: []int{http.StatusConflict}},
		func(ctx context.Context, in *ofTurn) (wire.Report, error) {
			return of(a.Server, func(f *Folder) (wire.Report, error) {
				return report(f.Undo.Redo(ctx, in.ID, given(in.Body).Turn))
			})
		})
}

func report(r wire.Report, err error) (wire.Report, error) {
	r.Files = some(r.Files)
	return r, err
}

func (a *api) checkpointRoutes() {
	a.group = "checkpoints"
	add(a, route{at: "GET /api/agent/checkpoints/{id}", summary: "The state of every file that a run touched, before it"},
		func(ctx context.Context, in *byID) (wire.Checkpoint, error) {
			return of(a.Server, func(f *Folder) (wire.Checkpoint, error) { return f.Checkpoints.Checkpoint(ctx, in.ID) })
		})
	add(a, route{at: "GET /api/agent/checkpoints/{id}/diff3", summary: "A file now, before a run, and as the run left it", refuses: []int{http.StatusBadRequest, http.StatusUnprocessableEntity}},
		func(ctx context.Context, in *struct {
			ID   string `path:"id"`
			Path string `query:"file_path" required:"true" minLength:"1" doc:"in the folder"`
		}) (wire.Diff3, error) {
			return of(a.Server, func(f *Folder) (wire.Diff3, error) { return f.Checkpoints.Diff3(ctx, in.ID, in.Path) })
		})
	add(a, route{at: "POST /api/agent/checkpoints/{id}/rollback", summary: "Go back to a checkpoint", refuses: []int{http.StatusConflict},
		says: "hard_all returns every file of the run to what it was, whatever came after; scoped_selected takes back the listed hunks alone and keeps everything else. The report is what was measured afterwards, file by file."},
		func(ctx context.Context, in *struct {
			ID   string `path:"id"`
			Body wire.RollbackRequest
		}) (wire.Report, error) {
			return of(a.Server, func(f *Folder) (wire.Report, error) {
				return report(f.Checkpoints.Rollback(ctx, in.ID, in.Body))
			})
		})
}
