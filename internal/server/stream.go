package server

import "net/http"

// jobStream tells the events of a job as they come (SSE).
func (s *Server) jobStream(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }

// sessionSocket is a two-way stream: commands in, events out (WebSocket).
func (s *Server) sessionSocket(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }
