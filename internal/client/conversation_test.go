package client_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"redline/internal/client"
	"redline/internal/wire"
)

// next is the next events, as short texts.
func next(t *testing.T, conv *client.Conversation, after *int, n int) []string {
	t.Helper()
	var got []string
	for e, err := range conv.Events(t.Context(), *after) {
		if err != nil {
			t.Fatalf("after %q: %v", got, err)
		}
		if e.Cursor != *after+1 {
			t.Fatalf("event %d comes behind %d", e.Cursor, *after)
		}
		*after = e.Cursor
		text := e.Type
		switch {
		case e.Status != nil:
			text += " " + string(e.Status.State)
		case e.Delta.Text != "":
			text += " " + e.Delta.Text
		case e.Text != "":
			text += " " + e.Text
		case e.Message != nil:
			text += " " + e.Message.Role + ": " + e.Message.Text
		}
		if got = append(got, text); len(got) == n {
			break
		}
	}
	return got
}

func TestDo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		conv, server, _ := r.converse(t, client.ConversationOptions{})
		done := make(chan error)
		do := func(c wire.Command) { go func() { done <- conv.Do(t.Context(), c) }() }

		do(wire.Command{Type: wire.CommandMessage, Content: "hello", File: "a.md"})
		q := server.command()
		if want := (wire.Command{Type: wire.CommandMessage, Content: "hello", File: "a.md"}); !cmp.Equal(q.Command, want) {
			t.Errorf("the server heard %+v, want %+v", q.Command, want)
		}
		server.send(wire.Reply{Type: wire.FrameReply, ID: "another"})
		synctest.Wait()
		select {
		case err := <-done:
			t.Errorf("the reply to another command ended it: %v", err)
		default:
		}
		server.send(wire.Reply{Type: wire.FrameReply, ID: q.ID})
		if err := <-done; err != nil {
			t.Error(err)
		}

		do(wire.Command{Type: wire.CommandMessage, Content: "again"})
		refusal := wire.Errorf(wire.CodeReview, "the turn t1 waits for a decision").With("turn", "t1")
		server.send(wire.Reply{Type: wire.FrameReply, ID: server.command().ID, Error: refusal})
		var got *wire.Error
		if err := <-done; !errors.As(err, &got) || !cmp.Equal(got, refusal) {
			t.Errorf("got %#v, want the error of the engine, %#v", err, refusal)
		}

		do(wire.Command{Type: wire.CommandInterrupt})
		server.command()
		server.drop()
		if err := <-done; err == nil || !strings.Contains(err.Error(), "whether it has taken the interrupt is not known") {
			t.Errorf("the connection broke before the reply: got %v", err)
		}
		(<-r.sockets).send(event("", 0, wire.EventNotice, fields{"text": "back"}))
		if err := conv.Do(cancelled(t), wire.Command{Type: wire.CommandInterrupt}); !errors.Is(err, context.Canceled) {
			t.Errorf("a context that has ended: got %v", err)
		}
	})
}

func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// TestStatus: a conversation knows where it stands at the latest when its events are
// heard, and after a decision at once.
func TestStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		r.session.Now.State = wire.AwaitingReview
		conv, server, _ := r.converse(t, client.ConversationOptions{})
		at := 0
		if got := next(t, conv, &at, 1); got[0] != "state awaiting_review" {
			t.Errorf("the first event of a session that is gone on with is %q, not its state", got)
		}
		done := make(chan error)
		go func() {
			done <- conv.Do(t.Context(), wire.Command{Type: wire.CommandDecide, Decision: wire.Decision{All: "accept"}})
		}()
		server.send(wire.Reply{Type: wire.FrameReply, ID: server.command().ID, Status: &wire.Status{State: wire.Done}})
		if err := <-done; err != nil || conv.Status().State != wire.Done {
			t.Errorf("after the decision: %v, %s", err, conv.Status().State)
		}
		server.send(event("", 0, wire.EventState, fields{"state": wire.Done}))
		if got := next(t, conv, &at, 1); got[0] != "state done" {
			t.Errorf("behind a reply that was ahead of it comes %q, not the state", got)
		}
		server.send(state("j2", 1, wire.JobEventStarted, wire.Running))
		synctest.Wait()
		server.send(wire.Reply{Type: wire.FrameReply, ID: "late", Status: &wire.Status{State: wire.Done}})
		synctest.Wait()
		if got := conv.Status().State; got != wire.Running {
			t.Errorf("a late reply ended a run: %s", got)
		}
	})
}

// TestReconnect: what has a cursor is neither lost nor told twice when a connection
// breaks, or the server gives up a slow reader.
func TestReconnect(t *testing.T) {
	for _, how := range []string{"broken", "reload"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testReconnect(t, how == "reload") })
		})
	}
}

func testReconnect(t *testing.T, reload bool) {
	r := newRoom(t)
	r.session.Jobs = []wire.JobLine{{ID: "old"}, {ID: "j1"}}
	conv, server, _ := r.converse(t, client.ConversationOptions{})
	at := 0
	kept := []wire.JobEvent{
		state("j1", 1, wire.JobEventStarted, wire.Running),
		event("j1", 2, wire.EventNotice, fields{"text": "two"}),
		event("j1", 3, wire.EventNotice, fields{"text": "three"}),
		event("j1", 4, wire.EventNotice, fields{"text": "four"}),
		event("j1", 5, wire.EventNotice, fields{"text": "five"}),
	}
	server.send(kept[0])
	server.send(kept[1])
	if got, want := next(t, conv, &at, 2), []string{"state running", "notice two"}; !cmp.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	r.kept["old"] = []wire.JobEvent{event("old", 1, wire.EventNotice, fields{"text": "long ago"})}
	r.kept["j1"] = kept
	r.session.Now.State = wire.Running
	if reload {
		server.send(event("", 0, wire.FrameReload, fields{"message": "too slow"}))
	} else {
		server.drop()
	}
	server = <-r.sockets
	server.send(kept[4]) // told before, and by the new connection again
	server.send(event("j1", 0, wire.EventMessageUpdate, fields{"text": "so far"}))
	server.send(state("j1", 6, wire.JobEventCompleted, wire.Done))
	want := []string{"notice three", "notice four", "notice five", "message_update so far", "state done"}
	if got := next(t, conv, &at, len(want)); !cmp.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestReconnectState: a run whose end was missed is over.
func TestReconnectState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		conv, server, _ := r.converse(t, client.ConversationOptions{})
		at := 0
		server.send(state("j1", 1, wire.JobEventStarted, wire.Running))
		next(t, conv, &at, 1)
		r.session.Now.State = wire.Cancelled
		server.drop()
		<-r.sockets
		if got := next(t, conv, &at, 1); got[0] != "state cancelled" {
			t.Errorf("got %q", got)
		}
	})
}

// TestLost: a server that stays away ends the conversation, with a way to go on.
func TestLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		conv, server, stop := r.converse(t, client.ConversationOptions{})
		at := 0
		server.send(event("j1", 1, wire.EventNotice, fields{"text": "heard"}))
		synctest.Wait()
		stop()
		server.drop()
		next(t, conv, &at, 1)
		var lost *client.Lost
		for _, err := range conv.Events(t.Context(), at) {
			if !errors.As(err, &lost) || !strings.Contains(err.Error(), "redline --session s1") {
				t.Errorf("got %v", err)
			}
		}
		if lost == nil {
			t.Error("the events ended without a word")
		}
		if err := conv.Do(t.Context(), wire.Command{Type: wire.CommandInterrupt}); !errors.As(err, &lost) {
			t.Errorf("Do: %v", err)
		}
	})
}

// TestClose: who leaves a conversation hears no more of it, and nothing is left.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conv, _, _ := newRoom(t).converse(t, client.ConversationOptions{})
		ended := make(chan int)
		go func() {
			n := 0
			for range conv.Events(t.Context(), 0) {
				n++
			}
			ended <- n
		}()
		synctest.Wait()
		_ = conv.Close()
		if n := <-ended; n != 0 {
			t.Errorf("%d events", n)
		}
	})
}

// TestAnotherJob: a message that waits for the job of somebody else is not over when
// that is.
func TestAnotherJob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		conv, server, _ := r.converse(t, client.ConversationOptions{})
		at := 0
		server.send(state("theirs", 1, wire.JobEventStarted, wire.Running))
		next(t, conv, &at, 1)
		go func() { _ = conv.Do(t.Context(), wire.Command{Type: wire.CommandMessage, Content: "mine"}) }()
		server.send(wire.Reply{Type: wire.FrameReply, ID: server.command().ID})
		server.send(state("theirs", 2, wire.JobEventCompleted, wire.Done))
		server.send(state("mine", 1, wire.JobEventStarted, wire.Running))
		server.send(state("mine", 2, wire.JobEventFailed, wire.Failed))
		if got, want := next(t, conv, &at, 2), []string{"state running", "state failed"}; !cmp.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// TestManyEvents: what was taken is forgotten, but a reader can go a few events back.
func TestManyEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conv, server, _ := newRoom(t).converse(t, client.ConversationOptions{})
		go func() {
			for i := range 1000 {
				server.send(event("j1", i+1, wire.EventNotice, fields{"text": fmt.Sprint(i + 1)}))
			}
		}()
		at := 0
		got := next(t, conv, &at, 1000)
		if got[0] != "notice 1" || got[999] != "notice 1000" {
			t.Errorf("from %q to %q", got[0], got[999])
		}
		at -= 10
		if again := next(t, conv, &at, 10); !cmp.Equal(again, got[990:]) {
			t.Errorf("the last again: %q", again)
		}
	})
}
