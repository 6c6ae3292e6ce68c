package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"redline/internal/wire"
)

const (
	// heartbeat is how often a stream of events says that it is alive, so that neither a
	// browser nor what is between takes it for dead.
	heartbeat = 15 * time.Second
	// lastWords is how long a stream may take to say that it ends.
	lastWords = time.Second
)

// jobStream tells the events of a job as they come (SSE): each is one message whose
// data is the event, whose name is its type and whose id is its cursor. Transient
// frames have no id, so that a browser that connects again goes on behind the last
// event that is kept. The stream of a job that is over ends with a message named end.
// A stream that ends without it was cut off: the reader connects again.
func (s *Server) jobStream(w http.ResponseWriter, r *http.Request) {
	after, bad := knownCursor(r)
	if bad != nil {
		bad.write(w)
		return
	}
	ctx, end, full := s.streams.begin(r.Context(), s.life)
	if full != nil {
		full.write(w)
		return
	}
	defer end()
	followed, err := s.followed(ctx, r.PathValue("id"), after)
	if err != nil {
		s.refuse(err).write(w)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	if r.ProtoMajor == 1 {
		h.Set("Connection", "close") // the last deadline of the stream would be that of the next request
	}
	if r.Method == http.MethodHead {
		return
	}
	out := newEventWriter(ctx, w)
	defer out.close()
	s.tell(ctx, out, followed)
}

// followedJob is a job that a reader follows.
type followedJob struct {
	*Folder
	id    string
	after int
}

// followed finds a job. A cursor beyond its newest event is taken for that.
func (s *Server) followed(ctx context.Context, id string, after int) (followedJob, error) {
	return of(s, func(f *Folder) (followedJob, error) {
		behind, err := f.Jobs.Events(ctx, id, after, 1)
		if err == nil && len(behind.Events) == 0 {
			after = min(after, behind.Next)
		}
		return followedJob{f, id, after}, err
	})
}

// tell writes the events of a job until there are no more, or the reader is gone.
func (s *Server) tell(ctx context.Context, out *eventWriter, j followedJob) {
	if !out.write([]byte(":\n\n")) { // so that the reader knows at once that it is heard
		return
	}
	last := j.after
	for e, err := range j.Streams.FollowJob(ctx, j.id, j.after) {
		if err != nil {
			if ctx.Err() == nil {
				s.Log.Warn("the stream of a job failed", slog.String("job", j.id), slog.Any("error", err))
			}
			return
		}
		if !out.write(s.frames.encode(e).sse) {
			return
		}
		last = max(last, e.Cursor)
	}
	if ctx.Err() != nil {
		return
	}
	// The stream also ends when its reader was too slow or the engine stops.
	if now, err := j.Jobs.Events(ctx, j.id, last, 1); err == nil && now.Status.Over() && len(now.Events) == 0 {
		data, _ := json.Marshal(wire.End{Status: now.Status, Cursor: last})
		out.write(encode(wire.JobEvent{Type: wire.FrameEnd, Time: time.Now().UTC(), Data: data}).sse)
	}
}

// knownCursor is the cursor of the newest event that a reader has. What a browser says
// when it connects again is newer than the address that it was given.
func knownCursor(r *http.Request) (int, *refusal) {
	said := r.URL.Query()["cursor"]
	if id := r.Header.Values("Last-Event-ID"); len(id) > 0 && id[0] != "" {
		said = id
	}
	if len(said) == 0 || len(said) == 1 && said[0] == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(said[0], 10, 63)
	if err != nil || len(said) > 1 || int(n) < 0 {
		return 0, fail(http.StatusBadRequest, wire.CodeInvalid, "a cursor is one decimal number: the id of the last event that was read")
	}
	return int(n), nil
}

// eventWriter writes messages to one reader, and heartbeats between them.
type eventWriter struct {
	mu     sync.Mutex
	w      http.ResponseWriter
	rc     *http.ResponseController
	beat   *time.Timer
	hurry  func() bool // no longer waits for the end of the stream
	closed bool        // by the handler, or because the reader is gone
}

func newEventWriter(ctx context.Context, w http.ResponseWriter) *eventWriter {
	o := &eventWriter{w: w, rc: http.NewResponseController(w)}
	o.hurry = context.AfterFunc(ctx, func() { _ = o.rc.SetWriteDeadline(time.Now().Add(lastWords)) })
	o.beat = time.AfterFunc(time.Hour, o.pulse)
	o.beat.Reset(heartbeat) // not before pulse can see it
	return o
}

// pulse writes a comment, unless something is being written, and will again.
func (o *eventWriter) pulse() {
	alive := true
	if o.mu.TryLock() {
		defer o.mu.Unlock()
		alive = o.send([]byte(":\n\n"))
	}
	if alive {
		o.beat.Reset(heartbeat)
	}
}

// write sends bytes now. It tells whether the reader is still there; one that takes
// nothing for a while is not, see patience.
func (o *eventWriter) write(b []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.send(b)
}

func (o *eventWriter) send(b []byte) bool {
	if o.closed {
		return false
	}
	if _, err := o.w.Write(b); err != nil || o.rc.Flush() != nil {
		o.closed = true
	}
	return !o.closed
}

// close returns when nothing is written any more: a handler that has returned must not.
func (o *eventWriter) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.beat.Stop()
	o.hurry()
}
