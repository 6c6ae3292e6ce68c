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
		p := &patientWriter{ResponseWriter: w, rc: http.NewResponseController(w)}
		p.extend(writeWait)
		if r.ContentLength != 0 {
			_ = p.rc.SetReadDeadline(time.Now().Add(bodyWait)) // ends with the body
		}
		h.ServeHTTP(p, r)
		if p.streams {
			p.extend(lastWords)
		} else {
			p.extend(writeWait) // for what is still buffered
		}
	})
}

// patientWriter has a deadline for each piece that is written.
type patientWriter struct {
	http.ResponseWriter
	rc      *http.ResponseController
	streams bool // what was written is on its way
	since   time.Time
}

// extend does nothing where the connection has no deadlines, as in tests.
func (p *patientWriter) extend(d time.Duration) {
	p.since = time.Now()
	_ = p.rc.SetWriteDeadline(p.since.Add(d))
}

// Write leaves a deadline as it is that is nearly new: to set one for each of a thousand
// readers costs.
func (p *patientWriter) Write(b []byte) (int, error) {
	if time.Since(p.since) > writeWait/4 {
		p.extend(writeWait)
	}
	return p.ResponseWriter.Write(b)
}

// Flush is for handlers that know no http.ResponseController.
func (p *patientWriter) Flush() { _ = p.FlushError() }

// FlushError is what http.ResponseController asks for.
func (p *patientWriter) FlushError() error {
	p.streams = true
	return p.rc.Flush()
}

// Unwrap lets a http.ResponseController find the connection.
func (p *patientWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }
