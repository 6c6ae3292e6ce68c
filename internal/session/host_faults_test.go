package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"redline/internal/session"
	"redline/internal/wire"
)

// begun makes a session, and a job of it that hangs.
func (in *inn) begun(text string) (s, job string) {
	in.t.Helper()
	made, err := in.host.Create(in.t.Context(), wire.SessionOptions{})
	in.must(err)
	j, err := in.host.Run(in.t.Context(), wire.RunRequest{Session: made.ID, Instruction: text})
	in.must(err)
	in.introduce(j)
	in.do("hanging j1")
	return made.ID, j.ID
}

// queued runs another job, which has to wait.
func (in *inn) queued(s, text string) string {
	in.t.Helper()
	j, err := in.host.Run(in.t.Context(), wire.RunRequest{Session: s, Instruction: text})
	in.must(err)
	if j.Status != wire.JobQueued {
		in.t.Fatalf("the job is %s", j.Status)
	}
	in.introduce(j)
	return j.ID
}

// status is where a job stands.
func (in *inn) status(job string) wire.JobStatus {
	in.t.Helper()
	j, err := in.host.Job(in.t.Context(), job)
	in.must(err)
	return j.Status
}

// TestQueueOutlivesRequests: the next job begins, whatever becomes of the request that
// has made room for it.
func TestQueueOutlivesRequests(t *testing.T) {
	in := newInn(t, parse(`
-- folder/a.md --
a
-- model --
steps:
  - calls: [{name: clarify_user, arguments: {question: A or B?}}]
  - text: Which one?
  - text: Done.
`))
	in.do("session")
	in.do("run s1 work")
	in.do("await j1 waiting_for_user")
	in.queued("s1", "behind it")
	in.do("clarify j1 A")
	in.do("await j1 waiting_for_user")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	in.must(in.host.Cancel(gone, in.names["j1"]))
	in.do("await j2 completed")
}

// TestTakeOverIsTriedAgain: what an earlier program has left is taken over when that can
// be kept, and nothing stands in the way until then.
func TestTakeOverIsTriedAgain(t *testing.T) {
	in := newInn(t, parse(`
-- folder/a.md --
a
-- model --
steps:
  - calls: [{name: hang, arguments: {}}]
  - text: Done.
`))
	s, first := in.begun("work")
	in.mortal.dead.Store(true)
	in.books = in.books.copy()
	in.open()
	in.mortal.dead.Store(true)
	if _, err := in.host.Run(t.Context(), wire.RunRequest{Session: s, Instruction: "more"}); !errors.Is(err, errKilled) {
		t.Fatalf("error %v", err)
	}
	in.mortal.dead.Store(false)
	j, err := in.host.Run(t.Context(), wire.RunRequest{Session: s, Instruction: "more"})
	in.must(err)
	if j.Status != wire.JobRunning {
		t.Fatalf("the new job is %s", j.Status)
	}
	in.introduce(j)
	in.do("await j2 completed")
	if now := in.status(first); now != wire.JobInterrupted {
		t.Errorf("the job that was left is %s", now)
	}
}

// TestOddOptionsAreNotKept: a session that cannot be opened with other options stays as it
// was.
func TestOddOptionsAreNotKept(t *testing.T) {
	in := newInn(t, parse("-- model --\nsteps: [{text: Done.}]\n"))
	in.do("session")
	if _, err := in.host.Create(t.Context(), wire.SessionOptions{Session: "s1", Toolset: "odd"}); err == nil {
		t.Fatal("the session was opened with options that make no sense")
	}
	j, err := in.host.Run(t.Context(), wire.RunRequest{Session: "s1", Instruction: "work"})
	in.must(err)
	in.introduce(j)
	in.do("await j1 completed")
}

// TestEventsOfAnotherProgram: what another program adds to a job is found here, after its
// session was closed here.
func TestEventsOfAnotherProgram(t *testing.T) {
	in := newInn(t, parse(`max_sessions=-1
-- model --
repeat: true
steps: [{text: Which one?}]
`))
	in.do("session")
	in.do("run s1 work")
	in.do("await j1 waiting_for_user")
	for range 25 {
		in.do("session")
	}
	for id := range in.books.ended {
		if id == "s1" {
			break
		}
	}
	here, job := in.host, in.names["j1"]
	in.open() // another one
	in.must(in.host.Clarify(t.Context(), job, wire.ClarifyRequest{Answer: "That one."}))
	in.do("await j1 waiting_for_user")
	events, err := here.Events(t.Context(), job, 0, 0)
	in.must(err)
	if events.Next != in.cursors[job] {
		t.Errorf("the events end with %d, and those of the other program with %d", events.Next, in.cursors[job])
	}
}

// TestEndThatCannotBeKept: readers of a job hear of its end also if it cannot be saved;
// it is saved when that is possible again, and the queue waits until then.
func TestEndThatCannotBeKept(t *testing.T) {
	in := newInn(t, parse(`
-- folder/a.md --
a
-- model --
steps:
  - calls: [{name: hang, arguments: {}}]
  - text: Done.
`))
	s, first := in.begun("work")
	second := in.queued(s, "behind it")
	frames := in.host.Follow(t.Context(), session.Stream{Session: s})
	in.mortal.dead.Store(true)
	in.must(in.host.Cancel(t.Context(), first))
	last := wire.JobEvent{}
	for f, err := range frames {
		in.must(err)
		if last = f; f.Type == wire.JobEventFailed {
			break
		}
	}
	if last.Cursor != 0 || last.Type != wire.JobEventFailed || !strings.Contains(string(last.Data), "cannot be kept") {
		t.Errorf("the readers hear %d %s %s", last.Cursor, last.Type, last.Data)
	}
	for f, err := range in.host.Follow(t.Context(), session.Stream{Job: first, After: in.cursors[first]}) {
		in.must(err)
		t.Errorf("a reader that comes late hears %d %s", f.Cursor, f.Type)
	}
	if now := in.status(second); now != wire.JobQueued {
		t.Errorf("the next job is %s", now)
	}
	in.mortal.dead.Store(false)
	if now := in.status(first); now != wire.JobFailed {
		t.Errorf("the job is %s", now)
	}
	in.do("await j1 failed")
	in.do("await j2 completed")
	in.must(in.host.Archive(t.Context(), s, true))
}

// TestQueueAtTheEnd: a job that cannot begin because the program is about to stop begins
// in the next one.
func TestQueueAtTheEnd(t *testing.T) {
	in := newInn(t, parse("-- model --\nsteps: [{text: Done.}]\n"))
	in.do("session")
	in.must(in.host.Close(t.Context()))
	request := wire.RunRequest{Session: "s1", Instruction: "work"}
	left := &session.JobRecord{Job: wire.Job{ID: "job_left", Session: "s1", Status: wire.JobQueued, Instruction: "work"}, Request: request}
	in.must(in.store.SaveJob(t.Context(), left, 0))
	in.open()
	at, stop := context.WithCancel(t.Context())
	stop()
	in.books.opening = func() { _ = in.host.Close(at) } // it is not waited for
	_ = in.host.Recover(t.Context())
	if now := in.status(left.ID); now != wire.JobQueued {
		t.Errorf("the job is %s", now)
	}
	in.books.opening = nil
	in.open()
	in.must(in.host.Recover(t.Context()))
	in.names["j1"], in.names[left.ID] = left.ID, "j1"
	in.do("await j1 completed")
}

// TestUnusedSessionsMakeRoom: a session in which nothing was said for long makes room for
// a new one, and comes back when something is.
func TestUnusedSessionsMakeRoom(t *testing.T) {
	in := newInn(t, parse("max_sessions=2\n-- model --\nsteps: [{text: Done.}]\n"))
	in.do("session")
	in.do("session")
	if _, err := in.host.Create(t.Context(), wire.SessionOptions{}); err == nil {
		t.Error("a session that is about to be used made room")
	}
	in.must(in.host.Close(t.Context()))
	old, err := in.store.Sessions(t.Context(), "s2")
	in.must(err)
	old[0].Updated = old[0].Updated.Add(-2 * time.Hour)
	in.must(in.store.SaveSession(t.Context(), old[0]))
	in.open()
	_, err = in.host.Create(t.Context(), wire.SessionOptions{})
	in.must(err)
	if old, err = in.store.Sessions(t.Context(), "s2"); err != nil || old[0].Status != wire.SessionArchived {
		t.Errorf("the old one is %s, %v", old[0].Status, err)
	}
}

// TestResumeWithoutRecovery: one that has been there all the time sees that the program of
// a job was killed, and can resume it.
func TestResumeWithoutRecovery(t *testing.T) {
	in := newInn(t, parse(`
-- folder/a.md --
a
-- model --
steps:
  - calls: [{name: hang, arguments: {}}]
  - text: Done.
`))
	_, first := in.begun("work")
	in.mortal.dead.Store(true)
	in.books = in.books.copy()
	in.open()
	j, err := in.host.Job(t.Context(), first)
	in.must(err)
	if j.Status != wire.JobInterrupted {
		t.Errorf("the job is %s", j.Status)
	}
	in.must(in.host.Resume(t.Context(), first))
	in.do("await j1 completed")
}
