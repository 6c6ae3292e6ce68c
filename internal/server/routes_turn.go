package server

import (
	"context"
	"net/http"

	"redline/internal/wire"
)

// maxTurns is how many turns one answer has at most.
const maxTurns = 1000

func (a *api) turnRoutes() {
	a.group = "turns"
	add(a, route{at: "GET /api/turns", summary: "What requests have changed, newest first", refuses: []int{http.StatusBadRequest, http.StatusNotFound}},
		func(ctx context.Context, in *struct {
			Folder  string `query:"folder" doc:"one of GET /api/folders; the first, if it is left out"`
			Session string `query:"session_id" doc:"of this session alone"`
			Limit   int    `query:"limit" minimum:"0" maximum:"1000" doc:"1000, if it is left out"`
		}) (wire.TurnList, error) {
			limit := in.Limit
			if limit == 0 {
				limit = maxTurns
			}
			return here(a, in.Folder, func(f *Folder) (wire.TurnList, error) {
				turns, err := f.Turns.Turns(ctx, in.Session, limit)
				return wire.TurnList{Turns: some(turns)}, err
			})
		})
	add(a, route{at: "GET /api/turns/{id}", summary: "What one request has changed"},
		func(ctx context.Context, in *byID) (wire.Turn, error) {
			return of(a.Server, func(f *Folder) (wire.Turn, error) { return f.Turns.Turn(ctx, in.ID) })
		})
	add(a, route{at: "GET /api/turns/{id}/lines", summary: "The lines of a turn's hunks, word by word, for screens"},
		func(ctx context.Context, in *byID) (wire.TurnLines, error) {
			return of(a.Server, func(f *Folder) (wire.TurnLines, error) { return f.Turns.Lines(ctx, in.ID) })
		})
	a.wholeTurnRoutes()
}

func (a *api) wholeTurnRoutes() {
	add(a, route{at: "POST /api/turns/{id}/accept", summary: "Accept all of a turn that waits for a decision", refuses: []int{http.StatusConflict}},
		func(ctx context.Context, in *struct {
			ID   string `path:"id"`
			Body *wire.AcceptRequest
		}) (wire.Decided, error) {
			return a.decideTurn(ctx, in.ID, wire.Decision{All: "accept", AsOne: given(in.Body).AsOne})
		})
	add(a, route{at: "POST /api/turns/{id}/reject", summary: "Reject all of a turn that waits for a decision", refuses: []int{http.StatusConflict}},
		func(ctx context.Context, in *byID) (wire.Decided, error) {
			return a.decideTurn(ctx, in.ID, wire.Decision{All: "reject"})
		})
	add(a, route{at: "POST /api/turns/{id}/undo", summary: "Take back what a turn has written", refuses: []int{http.StatusConflict}},
		func(ctx context.Context, in *byID) (wire.Report, error) {
			return of(a.Server, func(f *Folder) (wire.Report, error) {
				t, err := f.Turns.Turn(ctx, in.ID)
				if err != nil {
					return wire.Report{}, err
				}
				return report(f.Undo.Undo(ctx, t.Session, t.ID))
			})
		})
}

func (a *api) decideTurn(ctx context.Context, id string, d wire.Decision) (wire.Decided, error) {
	return of(a.Server, func(f *Folder) (wire.Decided, error) {
		t, err := f.Turns.Turn(ctx, id)
		if err != nil {
			return wire.Decided{}, err
		}
		d.Turn = t.ID
		return f.Reviews.Decide(ctx, t.Session, d)
	})
}
