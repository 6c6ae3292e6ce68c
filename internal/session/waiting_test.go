package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"golang.org/x/tools/txtar"

	"redline/agent"
	"redline/internal/session"
	"redline/internal/wire"
)

// stage is a play whose model does what a script says.
func stage(t *testing.T, model string) *play {
	t.Helper()
	return newPlay(t, txtar.Parse([]byte("-- folder/a.md --\none\n-- model --\n"+model)))
}

// bubble runs a test in a bubble. What the store makes once for all is made before,
// as it could not be used by others otherwise.
func bubble(t *testing.T, test func(*testing.T)) {
	t.Helper()
	p := stage(t, asks)
	p.do("say do it")
	p.close()
	synctest.Test(t, test)
}

const asks = `steps:
  - calls: [{id: c1, name: clarify_user, arguments: {question: "Which one?"}}, {id: c2, name: delete_document, arguments: {path: a.md}}]
  - calls: [{name: hang, arguments: {}}]
  - text: Done.
`

// results are the outputs of a call, as they were written down.
func (p *play) results(call string) []string {
	var list []string
	for _, m := range p.log.messages {
		if r, ok := m.ToolResult(); ok && r.CallID == call {
			list = append(list, r.Output)
		}
	}
	return list
}

// TestAnswerOnce: of several who answer a question after a restart at once, one is
// heard.
func TestAnswerOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := stage(t, asks)
		p.do("say do it")
		p.do("kill")
		const users = 8
		var taken []string
		var mu sync.Mutex
		var all sync.WaitGroup
		for i := range users {
			all.Go(func() {
				text := fmt.Sprintf("answer %d", i)
				err := p.session.Send(context.Background(), session.Message{Text: text})
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					taken = append(taken, text)
				case !errors.Is(err, session.ErrBusy):
					t.Error(err)
				}
			})
		}
		all.Wait()
		p.close()
		if got := p.results("c1"); len(taken) != 1 || len(got) != 1 || got[0] != taken[0] {
			t.Errorf("taken: %q, written down: %q", taken, got)
		}
	})
}

// TestAnswerIsTaken: who has answered finds the question answered, whatever the run does
// with it, and nobody can answer it again.
func TestAnswerIsTaken(t *testing.T) {
	for range 20 {
		p := stage(t, asks)
		p.do("say do it")
		if err := p.session.Clarify("", "yes"); err != nil {
			t.Fatal(err)
		}
		if now := p.session.Now(); now.State == wire.WaitingForUser || now.Question != nil {
			t.Errorf("answered, and still %s: %v", now.State, now.Question)
		}
		if err := p.session.Clarify("", "no"); !errors.Is(err, session.ErrNoneOpen) {
			t.Errorf("answered twice: %v", err)
		}
		p.close()
	}
}

// TestCloseWhileAnswered: a session that is closed just as its question is answered
// has the answer, or the question is still open; it is never lost.
func TestCloseWhileAnswered(t *testing.T) {
	for range 10 {
		p := stage(t, asks)
		p.do("say do it")
		var both sync.WaitGroup
		both.Go(func() { _ = p.session.Clarify("", "the first") })
		both.Go(func() { _ = p.session.Close() })
		both.Wait()
		_, open := session.OpenQuestion(p.log.messages)
		if got := strings.Join(p.results("c1"), ", "); open != (got == "") || got != "" && got != "the first" {
			t.Fatalf("open is %v, written down: %q", open, got)
		}
	}
}

// TestMessagesWait: a reader that falls behind holds up the agent's messages, and
// is not left out; one that has gone does not.
func TestMessagesWait(t *testing.T) {
	const many = 300 // a reader may fall 1000 events behind, and each is several
	var calls strings.Builder
	for i := range many {
		fmt.Fprintf(&calls, "      - {name: send_message, arguments: {message: \"%d\"}}\n", i)
	}
	bubble(t, func(t *testing.T) {
		p := stage(t, "steps:\n  - calls:\n"+calls.String()+"  - text: Done.\n")
		ctx, leave := context.WithCancel(t.Context())
		heard := make(chan struct{})
		go func() { // reads one event, and no more
			defer close(heard)
			for range p.session.Events(ctx, 0) {
				<-ctx.Done()
				return
			}
		}()
		synctest.Wait()
		if err := p.session.Send(t.Context(), session.Message{Text: "go"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if s := p.session.Status().State; s != session.Running {
			t.Errorf("nobody waits for the reader: the run is %s", s)
		}
		leave()
		<-heard
		n := 0
		for e, err := range p.session.Events(t.Context(), 0) {
			if err != nil {
				break // the oldest are forgotten by then
			}
			if e.Type == wire.EventMessage {
				if e.Text != fmt.Sprint(n) {
					t.Fatalf("message %q, want %d", e.Text, n)
				}
				n++
			}
			if e.Type == string(agent.AgentEnd) {
				break
			}
		}
		if n != many {
			t.Errorf("%d messages, want %d", n, many)
		}
		p.close()
	})
}
