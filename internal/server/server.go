package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"

	"redline/internal/wire"
)

// Options are what a Server is made of.
type Options struct {
	Folders []Folder // at least one; a request that names none means the first
	Guard   *Guard   // nil: none, for a listener that nobody else can reach
	Log     *slog.Logger
	Version string
	Metrics http.Handler // at /metrics; nil: none
	Models  http.Handler // at /api/llm/; nil: none
	Page    http.Handler // at /; nil: a page that says what this is
	// Private: the program talks to itself. It is told what is wrong with the server in
	// its own words, and may say as much as it wants to.
	Private bool
	// Watch sees every request before the guard does: see the function of that name. nil:
	// nobody does.
	Watch func(http.Handler) http.Handler
}

// Server answers requests about its folders.
type Server struct {
	Options
	mux *http.ServeMux
	api http.Handler // the routes with types, made when the first of them is asked for

	life    context.Context // ends with Close: streams end with it
	end     context.CancelFunc
	streams openStreams
	frames  frames
}

// New makes a server.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{Options: o, mux: http.NewServeMux()}
	s.life, s.end = context.WithCancel(context.Background())
	s.mux.HandleFunc("GET /api/agent/jobs/{id}/stream", s.jobStream)
	s.mux.HandleFunc("GET /api/agent/sessions/{id}/ws", s.sessionSocket)
	s.api = lazy(s.routes)
	s.mux.Handle("/api/", s.api)
	s.plainRoutes()
	if o.Private {
		s.privateRoutes()
	}
	return s
}

// Close ends the streams, and lets none begin: what is asked and answered at once goes
// on.
func (s *Server) Close() {
	s.streams.stop()
	s.end()
}

// Handler is the server behind its guard.
func (s *Server) Handler() http.Handler { return s.behind(s.Guard) }

// behind is the server behind a guard; nil: none.
func (s *Server) behind(g *Guard) http.Handler {
	h := http.Handler(s.mux)
	if g != nil {
		h = g.Wrap(h)
	}
	if s.Watch != nil {
		h = s.Watch(h)
	}
	return patience(h)
}

// lazy is a handler that is made when it is first asked: a conversation at the terminal
// needs few routes, and none at its start.
func lazy(make func() http.Handler) http.Handler {
	h := sync.OnceValue(make)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h().ServeHTTP(w, r) })
}

// folder is the folder of a name.
func (s *Server) folder(name string) (*Folder, error) {
	for i := range s.Folders {
		if name == "" || s.Folders[i].Name == name {
			return &s.Folders[i], nil
		}
	}
	return nil, wire.Errorf(wire.CodeNotFound, "the server does not work on a folder %q: GET /api/folders lists them", name)
}

// of asks one folder after the other for what has an id: ids are of the whole server.
func of[T any](s *Server, ask func(*Folder) (T, error)) (found T, err error) {
	for i := range s.Folders {
		found, err = ask(&s.Folders[i])
		var coder Coder
		if err == nil || !errors.As(err, &coder) || coder.ErrorCode() != wire.CodeNotFound {
			return found, err
		}
	}
	return found, err
}
