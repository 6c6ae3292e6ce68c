package server

import (
	"net/http"
	"time"
)

const (
	bodyWait  = 30 * time.Second // for the whole body of a request
	writeWait = 20 * time.Second // for a client to take what was written
)

// patience makes a handler wait only so long for its client: a body has to arrive, and
// what is written has to be taken. How long the handler itself works is not bounded,
// nor how long a stream lasts.
func patience(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := &patientWriter{w, http.NewResponseController(w)}
		p.extend()
		if r.ContentLength != 0 {
			_ = p.rc.SetReadDeadline(time.Now().Add(bodyWait)) // ends with the body
		}
		h.ServeHTTP(p, r)
		p.extend() // for what is still buffered
	})
}

// patientWriter has a deadline for each piece that is written.
type patientWriter struct {
	http.ResponseWriter
	rc *http.ResponseController
}

// extend fails where the connection has no deadlines, as in tests.
func (p *patientWriter) extend() { _ = p.rc.SetWriteDeadline(time.Now().Add(writeWait)) }

func (p *patientWriter) Write(b []byte) (int, error) {
	p.extend()
	return p.ResponseWriter.Write(b)
}

// Flush is for handlers that know no http.ResponseController.
func (p *patientWriter) Flush() { _ = p.rc.Flush() }

// FlushError is what http.ResponseController asks for.
func (p *patientWriter) FlushError() error { return p.rc.Flush() }

// Unwrap lets a http.ResponseController find the connection.
func (p *patientWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }
