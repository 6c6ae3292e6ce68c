package session

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"sync"
	"time"

	"redline/internal/wire"
)

// Stream says what a reader wants to hear.
type Stream struct {
	Job     string // of one job, or
	Session string // of all jobs of a session, from now on
	After   int    // of a job: the cursor that it knows
	Lines   bool   // with the line of each event, and frames that are nothing but a line
	// SoFar is what is being written at the moment, as a frame that names its job, or nil.
	// It comes between what is stored and what is told from then on. It is called while nothing can be told,
	// and must not call the log; what it reads is changed in the functions of
	// [EventLog.Hint], and taken back before the event that makes it obsolete is told.
	SoFar func() *wire.JobEvent
}

// What a reader takes at a time.
const (
	followPage  = 128 // of the store
	followBatch = 32  // of what is told
)

// Follow yields what happens until ctx ends or the log is closed. A reader that falls
// too far behind gets a frame of type reload, and the stream ends. The stream of a job
// that is over ends behind its last event. If events behind the cursor are no longer
// kept, a frame of type reload comes in their place.
//
// The stream of a session begins with the call, so that the caller can look at the
// session before it listens and miss nothing; that of a job begins with the loop. Frames
// are shared by all readers: their data are not to be changed.
func (l *EventLog) Follow(ctx context.Context, s Stream) iter.Seq2[wire.JobEvent, error] {
	if s.Job == "" {
		return l.followSession(ctx, s)
	}
	return func(yield func(wire.JobEvent, error) bool) {
		f := &follower{log: l, stream: s, known: max(s.After, 0), yield: yield}
		l.mu.Lock()
		e := l.job(s.Job)
		e.enter()
		l.mu.Unlock()
		defer func() {
			l.mu.Lock()
			e.leave()
			l.forget(e)
			l.mu.Unlock()
		}()
		if f.arrive(ctx, e) {
			f.listen(ctx, &e.tail, func() bool { return e.over && f.known >= e.newest })
		}
	}
}

func (l *EventLog) followSession(ctx context.Context, s Stream) iter.Seq2[wire.JobEvent, error] {
	l.mu.Lock()
	w := l.sessions[s.Session]
	if w == nil {
		w = &tail{}
		l.sessions[s.Session] = w
	}
	f := &follower{log: l, stream: s, at: w.enter()}
	soFar := f.soFar()
	l.mu.Unlock()
	leave := sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if w.leave(); w.readers == 0 {
			delete(l.sessions, s.Session)
		}
	})
	stop := context.AfterFunc(ctx, leave) // there may never be a loop
	return func(yield func(wire.JobEvent, error) bool) {
		defer leave()
		defer stop()
		if f.yield != nil {
			return // it was read before
		}
		f.yield = yield
		if soFar == nil || f.pass(*soFar) {
			f.listen(ctx, w, func() bool { return false })
		}
	}
}

// follower is a reader.
type follower struct {
	log    *EventLog
	stream Stream
	known  int // of a job: the cursor of the last durable event that it has
	at     int // its place in the tail
	yield  func(wire.JobEvent, error) bool
}

// soFar needs the mutex.
func (f *follower) soFar() *wire.JobEvent {
	if f.stream.SoFar == nil {
		return nil
	}
	frame := f.stream.SoFar()
	if frame != nil {
		frame.Cursor, frame.Time = 0, stamp(frame.Time)
	}
	return frame
}

// arrive yields what is stored, until the reader knows all that was told, and then what
// is being written.
func (f *follower) arrive(ctx context.Context, e *jobLog) (more bool) {
	newest, err := f.log.look(ctx, e)
	if err != nil {
		return f.fail(ctx, err)
	}
	for f.known = min(f.known, newest); ; {
		f.log.mu.Lock()
		if newest = e.newest; f.known >= newest {
			f.at = e.end()
			soFar := f.soFar()
			f.log.mu.Unlock()
			return soFar == nil || f.pass(*soFar)
		}
		f.log.mu.Unlock()
		if !f.read(ctx, newest) {
			return false
		}
	}
}

// look finds out how far a job has come, if it is not on here.
func (l *EventLog) look(ctx context.Context, e *jobLog) (newest int, err error) {
	l.mu.Lock()
	on, told, newest := e.on || e.unsaved, e.told, e.newest
	l.mu.Unlock()
	if on {
		return newest, nil
	}
	jobs, err := l.store.Jobs(ctx, JobQuery{ID: e.id, Brief: true})
	if err != nil {
		return 0, err
	}
	if len(jobs) == 0 {
		return 0, wire.Errorf(wire.CodeNotFound, "there is no job %s", e.id)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.told == told {
		e.newest, e.over = jobs[0].Cursor, jobs[0].Status.Over()
	}
	return e.newest, nil
}

// read yields stored events up to a cursor.
func (f *follower) read(ctx context.Context, until int) (more bool) {
	for f.known < until {
		events, err := f.log.Read(ctx, f.stream.Job, f.known, min(followPage, until-f.known))
		if err != nil {
			return f.fail(ctx, err)
		}
		next := until + 1
		if len(events) > 0 {
			next = min(next, events[0].Cursor)
		}
		if next > f.known+1 {
			if !f.reload(fmt.Sprintf("the events up to %d are no longer kept: read the job anew", next-1)) {
				return false
			}
			f.known = next - 1
		}
		for _, event := range events {
			if ctx.Err() != nil || event.Cursor <= until && !f.pass(event) {
				return false
			}
		}
	}
	return ctx.Err() == nil
}

// listen yields what is told, until over says so.
func (f *follower) listen(ctx context.Context, w *tail, over func() bool) {
	var batch [followBatch]*wire.JobEvent
	for ctx.Err() == nil {
		f.log.mu.RLock()
		n, ok := w.take(f.at, batch[:])
		var news <-chan struct{}
		if ok && n == 0 && !f.log.closed && !over() {
			news = w.news
		}
		f.log.mu.RUnlock()
		switch {
		case !ok && ctx.Err() == nil:
			f.reload("this reader was too slow and has missed something: read the job anew, and go on behind its cursor")
			return
		case n > 0:
			if !f.heard(ctx, batch[:n]) {
				return
			}
			clear(batch[:n])
		case !ok || news == nil:
			return
		default:
			select {
			case <-news:
			case <-ctx.Done():
			}
		}
	}
}

// heard yields frames that were told, and first what another program has added to the
// job before them.
func (f *follower) heard(ctx context.Context, frames []*wire.JobEvent) (more bool) {
	for _, frame := range frames {
		f.at++
		if f.stream.Job != "" && frame.Cursor > f.known+1 && !f.read(ctx, frame.Cursor-1) {
			return false
		}
		if ctx.Err() != nil || !f.pass(*frame) {
			return false
		}
	}
	return true
}

// pass yields one frame, unless the reader has it or does not want it.
func (f *follower) pass(frame wire.JobEvent) (more bool) {
	if f.stream.Job != "" && frame.Cursor > 0 {
		if frame.Cursor <= f.known {
			return true
		}
		f.known = frame.Cursor
	}
	if !f.stream.Lines {
		if frame.Type == "" {
			return true
		}
		frame.Line = nil
	}
	return f.yield(frame, nil)
}

// reload tells the reader that something is missing.
func (f *follower) reload(message string) (more bool) {
	data, err := json.Marshal(map[string]string{"message": message})
	if err != nil {
		panic(err) // a text
	}
	return f.yield(wire.JobEvent{Type: wire.FrameReload, Time: stamp(time.Time{}), Data: data}, nil)
}

// fail ends the stream. That ctx has ended, the reader knows.
func (f *follower) fail(ctx context.Context, err error) (more bool) {
	if ctx.Err() == nil {
		f.yield(wire.JobEvent{}, fmt.Errorf("read the events of the job %s: %w", f.stream.Job, err))
	}
	return false
}
