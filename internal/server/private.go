package server

import (
	"net/http"

	"redline/internal/wire"
)

// privateRoutes are those that a conversation in the same program needs after nearly
// every request. They answer as the routes with types do, which are not made for them:
// that would take longer than the request, and memory.
func (s *Server) privateRoutes() {
	s.mux.HandleFunc("GET /api/turns/{id}", func(w http.ResponseWriter, r *http.Request) {
		t, err := of(s, func(f *Folder) (wire.Turn, error) { return f.Turns.Turn(r.Context(), r.PathValue("id")) })
		s.answer(w, t, err)
	})
	s.mux.HandleFunc("GET /api/turns/{id}/lines", func(w http.ResponseWriter, r *http.Request) {
		l, err := of(s, func(f *Folder) (wire.TurnLines, error) { return f.Turns.Lines(r.Context(), r.PathValue("id")) })
		s.answer(w, l, err)
	})
}

// answer writes what was asked for, or why there is none.
func (s *Server) answer(w http.ResponseWriter, v any, err error) {
	if err != nil {
		s.refuse(err).write(w)
		return
	}
	s.write(w, http.StatusOK, v)
}
