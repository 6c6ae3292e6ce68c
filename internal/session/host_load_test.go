package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"redline/internal/session"
	"redline/internal/wire"
)

// TestManyAtOnce has several users do what they like with the same sessions. Whatever they
// do, each job moves by the table, its events are numbered without gaps, each was saved
// before it was told, and all of it ends.
func TestManyAtOnce(t *testing.T) {
	in := newInn(t, parse(`
-- folder/a.md --
a
-- model --
repeat: true
steps:
  - calls: [{name: read_document, arguments: {path: a.md}}]
  - calls: [{name: clarify_user, arguments: {question: "Which one?"}}]
  - text: Shall I?
  - calls: [{name: create_document, arguments: {name: b}}]
  - text: Done.
  - calls: [{name: delete_document, arguments: {path: a.md}}]
`))
	_, moves := session.JobMoves()
	in.moved = func(job, move string) {
		if !moves[move] {
			t.Errorf("%s moved %s", job, move)
		}
	}
	var sessions []string
	for _, review := range []string{"hunks", "turn", "auto", "optimistic"} {
		s, err := in.host.Create(t.Context(), wire.SessionOptions{Review: review})
		in.must(err)
		sessions = append(sessions, s.ID)
	}
	var users sync.WaitGroup
	for n := range 4 {
		users.Go(func() {
			choose := rand.New(rand.NewPCG(1, uint64(n)))
			for range 40 {
				in.anything(t, choose, sessions[choose.IntN(len(sessions))])
			}
		})
	}
	users.Wait()
	for _, id := range sessions {
		in.finish(t, id)
	}
	jobs, err := in.host.Jobs(t.Context(), session.JobQuery{})
	in.must(err)
	for _, j := range jobs {
		list, err := in.host.Events(t.Context(), j.ID, 0, 0)
		in.must(err)
		for i, e := range list.Events {
			if e.Cursor != i+1 {
				t.Fatalf("event %d of %s has cursor %d", i+1, j.ID, e.Cursor)
			}
		}
		if list.Next != j.Cursor || len(list.Events) != j.Cursor {
			t.Errorf("%s has %d events, its cursor is %d, the next is %d", j.ID, len(list.Events), j.Cursor, list.Next)
		}
	}
	in.must(in.host.Close(t.Context()))
	if _, err := in.host.Run(t.Context(), wire.RunRequest{Session: sessions[0], Instruction: "more"}); code(err) != wire.CodeClosed {
		t.Errorf("a closed host says: %v", err)
	}
}

// anything does one thing of many. What is refused is refused with a code.
func (in *inn) anything(t *testing.T, choose *rand.Rand, id string) {
	ctx := t.Context()
	jobs, err := in.host.Jobs(ctx, session.JobQuery{Session: id})
	in.must(err)
	if len(jobs) == 0 || choose.IntN(4) == 0 {
		_, err = in.host.Run(ctx, wire.RunRequest{Session: id, Instruction: "work", Amend: choose.IntN(8) == 0})
	} else {
		j := jobs[choose.IntN(len(jobs))]
		switch choose.IntN(9) {
		case 0:
			err = in.host.Cancel(ctx, j.ID)
		case 1, 2:
			err = in.host.Clarify(ctx, j.ID, wire.ClarifyRequest{Answer: "this"})
		case 3, 4:
			err = in.host.Approve(ctx, j.ID, wire.ApproveRequest{Approve: choose.IntN(2) == 0})
		case 5:
			err = in.host.Say(ctx, j.ID, wire.SayRequest{Text: "hurry"})
		case 6:
			_, err = in.host.Rerun(ctx, j.ID)
		case 7:
			err = in.host.Resume(ctx, j.ID)
		case 8:
			err = in.host.Reviewed(ctx, id, "", wire.Decided{})
		}
	}
	if err != nil && code(err) == "" {
		t.Errorf("refused without a code: %v", err)
	}
}

func code(err error) string {
	var coder interface{ ErrorCode() string }
	if errors.As(err, &coder) {
		return coder.ErrorCode()
	}
	return ""
}

// finish cancels what is not over, until all is.
func (in *inn) finish(t *testing.T, id string) {
	for {
		jobs, err := in.host.Jobs(t.Context(), session.JobQuery{Session: id})
		in.must(err)
		i := slices.IndexFunc(jobs, func(j *session.JobRecord) bool { return !j.Status.Over() })
		if i < 0 {
			return
		}
		after := jobs[i].Cursor
		if err := in.host.Cancel(t.Context(), jobs[i].ID); err != nil && code(err) != wire.CodeState {
			t.Fatal(err)
		}
		for e, err := range in.host.Follow(t.Context(), session.Stream{Job: jobs[i].ID, After: after}) {
			in.must(err)
			if e.Type == wire.JobEventCancelled || e.Type == wire.JobEventFailed || e.Type == wire.JobEventCompleted {
				break
			}
		}
	}
}

// TestOldJobsAreForgotten: what has been over for completed_ttl_hours is gone after the
// next start, with its events; what waits for a decision is not.
func TestOldJobsAreForgotten(t *testing.T) {
	in := newInn(t, parse(`
-- model --
steps:
  - calls: [{name: create_document, arguments: {name: b}}]
  - text: Proposed.
`))
	s, err := in.host.Create(t.Context(), wire.SessionOptions{Review: "hunks"})
	in.must(err)
	j, err := in.host.Run(t.Context(), wire.RunRequest{Session: s.ID, Instruction: "make b"})
	in.must(err)
	in.names["j1"] = j.ID
	in.await("j1", wire.JobAwaitingReview)
	in.must(in.host.Close(t.Context()))

	old := time.Now().Add(-73 * time.Hour)
	for i, status := range []wire.JobStatus{wire.JobCompleted, wire.JobFailed, wire.JobCancelled} {
		for _, at := range []time.Time{old, time.Now()} {
			id := fmt.Sprintf("job_%s_%v", status, at == old)
			record := &session.JobRecord{Job: wire.Job{ID: id, Session: s.ID, Status: status, Created: old, Finished: &at, Cursor: 1, Instruction: fmt.Sprint(i)}}
			in.must(in.store.SaveJob(t.Context(), record, 0, wire.JobEvent{Cursor: 1, Type: "job.started", Time: at, Data: json.RawMessage(`{}`)}))
		}
	}
	waits, err := in.host.Job(t.Context(), j.ID)
	in.must(err)
	waits.Status, waits.Finished = wire.JobFailed, &old // it failed after it had proposed something
	in.must(in.store.SaveJob(t.Context(), waits, 0))
	in.open()
	in.must(in.host.Recover(t.Context()))
	jobs, err := in.host.Jobs(t.Context(), session.JobQuery{})
	in.must(err)
	var left []string
	for _, j := range jobs {
		left = append(left, j.ID)
	}
	want := []string{j.ID, "job_completed_false", "job_failed_false", "job_cancelled_false"}
	if !slices.Equal(left, want) {
		t.Errorf("left are %v, want %v", left, want)
	}
	if events, err := in.store.JobEvents(t.Context(), "job_completed_true", 0, 0); err != nil || len(events) > 0 {
		t.Errorf("of a forgotten job there are %d events: %v", len(events), err)
	}
}

// TestOldSessionsAreForgotten: what is kept of a session goes with its last job, unless
// it says something that its file does not.
func TestOldSessionsAreForgotten(t *testing.T) {
	in := newInn(t, parse("-- model --\nsteps: [{text: Hello.}]\n"))
	old := time.Now().Add(-73 * time.Hour)
	row := []wire.ContextRow{{ID: "r", Kind: "pinned", Content: "be brief"}}
	for _, s := range []session.SessionRecord{
		{ID: "old", Updated: old},
		{ID: "new", Updated: time.Now()},
		{ID: "rules", Updated: old, Options: wire.SessionOptions{Rules: []string{"deny::drafts/**"}}},
		{ID: "context", Updated: old, Context: row},
		{ID: "away", Updated: old, Context: row, Status: wire.SessionArchived},
		{ID: "busy", Updated: old},
	} {
		s.Created = s.Updated
		if s.Status == "" {
			s.Status = wire.SessionActive
		}
		in.must(in.store.SaveSession(t.Context(), &s))
	}
	for id, status := range map[string]wire.JobStatus{"old": wire.JobCompleted, "busy": wire.JobInterrupted} {
		in.must(in.store.SaveJob(t.Context(), &session.JobRecord{Job: wire.Job{ID: "job_" + id, Session: id, Status: status, Created: old, Finished: &old}}, 0))
	}
	in.must(in.host.Collect(t.Context()))
	records, err := in.host.SessionRecords(t.Context())
	in.must(err)
	var left []string
	for _, s := range records {
		left = append(left, s.ID)
	}
	slices.Sort(left)
	if want := []string{"busy", "context", "new", "rules"}; !slices.Equal(left, want) {
		t.Errorf("left are %v, want %v", left, want)
	}
}

// TestCloseDoesNotWaitForEver: a host whose tool does not stop can be left.
func TestCloseDoesNotWaitForEver(t *testing.T) {
	in := newInn(t, parse("-- model --\nsteps: [{calls: [{name: hang, arguments: {}}]}]\n"))
	s, err := in.host.Create(t.Context(), wire.SessionOptions{})
	in.must(err)
	j, err := in.host.Run(t.Context(), wire.RunRequest{Session: s.ID, Instruction: "work"})
	in.must(err)
	in.names["j1"] = j.ID
	in.do("hanging j1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := in.host.Close(ctx); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("close: %v", err)
	}
	in.await("j1", wire.JobInterrupted) // it goes on without being waited for
}
