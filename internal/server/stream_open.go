package server

import (
	"context"
	"net/http"
	"sync"

	"redline/internal/wire"
)

// maxStreams is how many streams, of both kinds, a server has open at a time.
const maxStreams = 2000

// openStreams counts the streams of a server.
type openStreams struct {
	mu      sync.Mutex
	open    int
	stopped bool
	none    chan struct{} // made when the server stops, closed when no stream is left
}

// begin opens a stream: its context ends with the request or with the life of the
// server, and end has to be called then.
func (o *openStreams) begin(request, life context.Context) (ctx context.Context, end func(), full *refusal) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stopped {
		return nil, nil, fail(http.StatusServiceUnavailable, wire.CodeClosed, "the server is about to stop")
	}
	if o.open >= maxStreams {
		return nil, nil, fail(http.StatusServiceUnavailable, "too_many_streams", "%d streams are open, which is as many as there may be: close some, or ask for events by their cursor", o.open)
	}
	o.open++
	ctx, cancel := context.WithCancel(request)
	unbind := context.AfterFunc(life, cancel)
	return ctx, func() {
		unbind()
		cancel()
		o.mu.Lock()
		defer o.mu.Unlock()
		o.open--
		o.settle()
	}, nil
}

// stop lets no more streams begin. The channel is closed when none is left.
func (o *openStreams) stop() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.stopped {
		o.stopped, o.none = true, make(chan struct{})
		o.settle()
	}
	return o.none
}

func (o *openStreams) settle() {
	if o.stopped && o.open == 0 {
		close(o.none)
	}
}
