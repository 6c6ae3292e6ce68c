package session_test

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"redline/agent"
	"redline/internal/session"
	"redline/internal/wire"
	"redline/llm"
)

func parse(text string) *txtar.Archive { return txtar.Parse([]byte(text)) }

// TestEachEventIsAFrame: who follows a session with lines hears every event of it, once
// and in order, and all that is kept of the job.
func TestEachEventIsAFrame(t *testing.T) {
	in := newInn(t, parse(`
-- folder/a.md --
a
-- model --
steps:
  - text: I look.
    calls: [{name: read_document, arguments: {path: a.md}}, {name: send_message, arguments: {message: On it.}}]
  - calls: [{name: create_document, arguments: {name: b, content: b}}]
  - text: Done.
`))
	s, err := in.host.Create(t.Context(), wire.SessionOptions{Review: "hunks"})
	in.must(err)
	_, live, err := in.host.Session(t.Context(), s.ID)
	in.must(err)
	frames := in.host.Follow(t.Context(), session.Stream{Session: s.ID, Lines: true})
	told := live.Events(t.Context(), 0)
	j, err := in.host.Run(t.Context(), wire.RunRequest{Session: s.ID, Instruction: "make b"})
	in.must(err)

	var lines []string
	var kept []wire.JobEvent
	for f, err := range frames {
		in.must(err)
		if f.Job != j.ID {
			t.Errorf("the frame %s is of job %q", f.Type, f.Job)
		}
		if f.Line != nil {
			lines = append(lines, string(f.Line))
		}
		if f.Cursor > 0 {
			f.Job, f.Line = "", nil
			kept = append(kept, f)
		}
		if strings.Contains(string(f.Data), `"status":"awaiting_review"`) {
			break
		}
	}
	if d := cmp.Diff(linesOf(t, live, told), lines); d != "" {
		t.Errorf("lines (-told +heard):\n%s", d)
	}
	events, err := in.host.Events(t.Context(), j.ID, 0, 0)
	in.must(err)
	if d := cmp.Diff(kept, events.Events); d != "" {
		t.Errorf("kept (-heard +stored):\n%s", d)
	}
}

// linesOf are the lines of a session's events up to its rest.
func linesOf(t *testing.T, s *session.Session, told iter.Seq2[session.Event, error]) (lines []string) {
	step := 0
	for e, err := range told {
		if err != nil {
			t.Fatal(err)
		}
		if e.Type == string(agent.TurnStart) {
			step++
		}
		line, err := json.Marshal(s.View(e, step, nil))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
		if e.Status != nil && e.Status.State == session.AwaitingReview {
			break
		}
	}
	return lines
}

const again = "(what was said is void)"

// slow is a model that says a few words and waits.
type slow struct {
	words []string
	said  chan struct{} // closed when it has said them
	more  chan struct{}
}

func (s *slow) Stream(ctx context.Context, _ llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		events := []llm.Event{{Type: llm.EventStart}, {Type: llm.EventTextStart}}
		for _, w := range s.words {
			if w == again {
				events = append(events, llm.Event{Type: llm.EventRestart}, llm.Event{Type: llm.EventStart}, llm.Event{Type: llm.EventTextStart})
				continue
			}
			events = append(events, llm.Event{Type: llm.EventTextDelta, Delta: w})
		}
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
		close(s.said)
		select {
		case <-s.more:
		case <-ctx.Done():
			return
		}
		for _, e := range []llm.Event{{Type: llm.EventTextDelta, Delta: " Done."}, {Type: llm.EventTextEnd}, {Type: llm.EventDone, Reply: &llm.Reply{Stop: llm.StopEnd}}} {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// TestLateReaderHearsTheMessageSoFar: who comes while the model writes gets what it has
// written, and then the rest, and nothing twice.
func TestLateReaderHearsTheMessageSoFar(t *testing.T) {
	in := newInn(t, parse("-- model --\nsteps: [{text: x}]\n"))
	model := &slow{words: []string{"Never mind.", again, "I think", " about it."}, said: make(chan struct{}), more: make(chan struct{})}
	in.provider.Provider = model
	s, err := in.host.Create(t.Context(), wire.SessionOptions{})
	in.must(err)
	early := in.host.Follow(t.Context(), session.Stream{Session: s.ID})
	j, err := in.host.Run(t.Context(), wire.RunRequest{Session: s.ID, Instruction: "think"})
	in.must(err)
	for f, err := range early { // until both words are told
		in.must(err)
		if f.Type == wire.FrameDelta && strings.Contains(string(f.Data), "about") {
			break
		}
	}
	now, err := in.host.Job(t.Context(), j.ID)
	in.must(err)
	if now.Answer != "I think about it." {
		t.Errorf("the answer so far is %q", now.Answer)
	}
	for _, stream := range []session.Stream{{Job: j.ID}, {Session: s.ID}} {
		next, stop := iter.Pull2(in.host.Follow(t.Context(), stream))
		defer stop()
		for {
			f, err, ok := next()
			if !ok || err != nil {
				t.Fatalf("the stream ended: %v", err)
			}
			if f.Cursor > 0 {
				continue
			}
			if got := string(f.Data); f.Type != wire.FrameDelta || got != `{"so_far":"I think about it."}` {
				t.Errorf("%+v: the first transient frame is %s %s", stream, f.Type, got)
			}
			break
		}
	}
	rest := in.host.Follow(t.Context(), session.Stream{Job: j.ID, After: now.Cursor})
	close(model.more)
	var heard []string
	for f, err := range rest {
		in.must(err)
		if f.Type == wire.FrameDelta {
			heard = append(heard, string(f.Data))
		}
	}
	if last := heard[len(heard)-1]; last != `{"text":" Done."}` && last != `{"so_far":"I think about it. Done."}` {
		t.Errorf("heard %q", heard)
	}
}

// TestWhatCannotBeKeptDoesNotGoOn: a job whose events cannot be saved ends, and the next
// program finds it where it was.
func TestWhatCannotBeKeptDoesNotGoOn(t *testing.T) {
	in := newInn(t, parse(`
-- folder/a.md --
a
-- model --
steps:
  - calls: [{name: hang, arguments: {}}]
  - calls: [{name: create_document, arguments: {name: b, content: b}}]
  - text: Done.
`))
	s, err := in.host.Create(t.Context(), wire.SessionOptions{})
	in.must(err)
	j, err := in.host.Run(t.Context(), wire.RunRequest{Session: s.ID, Instruction: "work"})
	in.must(err)
	in.names["j1"] = j.ID
	in.do("hanging j1")
	frames := in.host.Follow(t.Context(), session.Stream{Session: s.ID})
	in.mortal.dead.Store(true)
	if err := in.host.Say(t.Context(), j.ID, wire.SayRequest{Text: "hurry"}); err == nil {
		t.Error("what cannot be kept was taken")
	}
	in.must(in.host.Cancel(t.Context(), j.ID))
	for f, err := range frames {
		in.must(err)
		if f.Type == wire.EventNotice {
			break
		}
	}
	for now, err := in.host.Job(t.Context(), j.ID); ; now, err = in.host.Job(t.Context(), j.ID) {
		in.must(err)
		if now.Status.Over() {
			if now.Status != wire.JobFailed || !strings.Contains(now.Error.Message, "cannot be kept") {
				t.Errorf("the job is %s: %v", now.Status, now.Error)
			}
			break
		}
	}
	in.books = in.books.copy()
	in.open()
	in.must(in.host.Recover(t.Context()))
	now, err := in.host.Job(t.Context(), j.ID)
	in.must(err)
	if now.Status != wire.JobInterrupted {
		t.Errorf("the next program finds the job %s", now.Status)
	}
}

// TestFewSessionsStayOpen: those that do nothing are closed, and open again when they are
// needed.
func TestFewSessionsStayOpen(t *testing.T) {
	in := newInn(t, parse("max_sessions=-1\n-- model --\nrepeat: true\nsteps: [{text: Done.}]\n"))
	const all, most = 30, 25
	var sessions, jobs []string
	for range all {
		s, err := in.host.Create(t.Context(), wire.SessionOptions{})
		in.must(err)
		sessions = append(sessions, s.ID)
		j, err := in.host.Run(t.Context(), wire.RunRequest{Session: s.ID, Instruction: "work"})
		in.must(err)
		jobs = append(jobs, j.ID)
		for _, err := range in.host.Follow(t.Context(), session.Stream{Job: j.ID}) {
			in.must(err)
		}
	}
	for range all - most {
		<-in.books.ended
	}
	open := 0
	for _, id := range sessions {
		if _, live, err := in.host.Session(t.Context(), id); err != nil {
			t.Fatal(err)
		} else if live != nil {
			open++
		}
	}
	if open > most {
		t.Errorf("%d sessions are open", open)
	}
	again, err := in.host.Run(t.Context(), wire.RunRequest{Session: sessions[0], Instruction: "again"})
	in.must(err)
	for _, err := range in.host.Follow(t.Context(), session.Stream{Job: again.ID}) {
		in.must(err)
	}
	list, err := in.host.Jobs(t.Context(), session.JobQuery{Session: sessions[0]})
	in.must(err)
	if len(list) != 2 || list[0].ID != jobs[0] || slices.ContainsFunc(list, func(j *session.JobRecord) bool { return j.Status != wire.JobCompleted }) {
		t.Errorf("the jobs of the first session are %v", list)
	}
}
