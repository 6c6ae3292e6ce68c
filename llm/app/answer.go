package app

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"redline/llm"
)

// answer puts a request to its model and passes on the events. When the client
// is gone the request ends, and is heard to its end for what it took.
func (s *server) answer(w http.ResponseWriter, r *http.Request, t task) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	m := meter{track: s.Track, began: time.Now(), record: Record{Account: t.account, Model: t.req.Model.Name(), Stop: llm.StopError}}
	defer m.end() // also if the provider panics
	out := newStream(w)
	for ev, err := range t.provider.Stream(ctx, t.req) {
		if err != nil {
			ev = misused(t.req.Model, err)
		}
		m.add(ev)
		if !out.send(ev) {
			cancel()
		}
	}
}

// misused tells as data what a provider tells as an error: the one at fault is
// the client.
func misused(m llm.Model, err error) llm.Event {
	f := invalid(0, "the request cannot be put to the model: %v", err)
	return llm.Event{Type: llm.EventDone, Reply: &llm.Reply{Provider: m.Provider, API: m.API, Model: m.ID, Stop: llm.StopError, Failure: f}}
}

// stream writes events, one a line, each as soon as it comes.
type stream struct {
	control *http.ResponseController
	lines   *json.Encoder
	gone    bool // the client
}

func newStream(w http.ResponseWriter) *stream {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Accel-Buffering", "no") // a proxy in between shall not wait for more
	s := &stream{control: http.NewResponseController(w), lines: json.NewEncoder(w)}
	s.lines.SetEscapeHTML(false)
	s.write(func() error { w.WriteHeader(http.StatusOK); return nil })
	return s
}

// send writes an event and reports whether somebody still reads.
func (s *stream) send(ev llm.Event) bool {
	if !s.gone {
		s.write(func() error { return s.lines.Encode(ev) })
	}
	return !s.gone
}

// write gives what is written now some time to arrive, and the silence after it
// all the time it needs: over HTTP/2 a deadline that passes ends the answer even
// if nothing waits to be written. Not every connection has deadlines.
func (s *stream) write(what func() error) {
	s.control.SetWriteDeadline(time.Now().Add(receiving))
	err := what()
	if err == nil {
		err = s.control.Flush()
	}
	s.gone = err != nil && !errors.Is(err, http.ErrNotSupported) // a wrapper may not flush: late is better than never
	s.control.SetWriteDeadline(time.Time{})
}
