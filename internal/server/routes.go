package server

import "net/http"

// routes are the routes with types.
func (s *Server) routes() http.Handler { return http.NotFoundHandler() }
