package server

import (
	"context"
	"net/http"

	"redline/internal/wire"
)

// byID is what a route takes that is about one thing.
type byID struct {
	ID string `path:"id"`
}

// inFolder is what a route takes that is about a folder.
type inFolder struct {
	Folder string `query:"folder" doc:"one of GET /api/folders; the first, if it is left out"`
}

func (a *api) sessionRoutes() {
	a.group = "sessions"
	add(a, route{at: "POST /api/agent/sessions", summary: "Make a session", status: http.StatusCreated,
		says:    "What is left out is as the server was started. With session_id an earlier session goes on.",
		refuses: []int{http.StatusNotFound, http.StatusConflict, http.StatusTooManyRequests}}, a.createSession)
	add(a, route{at: "GET /api/agent/sessions", summary: "List the sessions of a folder", refuses: []int{http.StatusNotFound}},
		func(ctx context.Context, in *inFolder) (wire.SessionList, error) {
			return here(a, in.Folder, func(f *Folder) (wire.SessionList, error) {
				list, err := f.Sessions.Sessions(ctx)
				return wire.SessionList{Sessions: some(list)}, err
			})
		})
	add(a, route{at: "GET /api/agent/sessions/{id}", summary: "Show a session with all of its state"},
		func(ctx context.Context, in *byID) (wire.Session, error) {
			return of(a.Server, func(f *Folder) (wire.Session, error) { return f.Sessions.Session(ctx, in.ID) })
		})
	add(a, route{at: "POST /api/agent/sessions/{id}/archive", summary: "Put a session away, or take it out again",
		says: "A session with an open job is refused.", refuses: []int{http.StatusConflict}}, a.archive)
}

func (a *api) createSession(ctx context.Context, in *struct{ Body *wire.SessionOptions }) (wire.NewSession, error) {
	o := given(in.Body)
	return here(a, o.Folder, func(f *Folder) (wire.NewSession, error) { return f.Sessions.Create(ctx, o) })
}

func (a *api) archive(ctx context.Context, in *struct {
	ID   string `path:"id"`
	Body wire.ArchiveRequest
}) (wire.NewSession, error) {
	return of(a.Server, func(f *Folder) (wire.NewSession, error) {
		if err := f.Archive.Archive(ctx, in.ID, in.Body.Archived); err != nil {
			return wire.NewSession{}, err
		}
		s, err := f.Sessions.Session(ctx, in.ID)
		return wire.NewSession{ID: s.ID, Status: s.Status, Created: s.Created}, err
	})
}

// some is the list, which JSON never shows as null.
func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
