package llmtest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
)

func (s suite) cancelBefore(t *testing.T) {
	server := serve(t, whole(s.answer(t, "text")))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := Check(t, s.open(t, server.URL, nil).Stream(ctx, s.asking("Hello?")))
	if m.Stop() != llm.StopAborted || len(m.Content) != 0 {
		t.Errorf("stop reason %q with %d blocks, want %q with none", m.Stop(), len(m.Content), llm.StopAborted)
	}
	if n := len(server.requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// cancelSlowDrip: the answer comes byte by byte, and is cancelled at the first
// piece of text while the server still has more to say. What was said until
// then is kept, and the server learns of it.
func (s suite) cancelSlowDrip(t *testing.T) {
	server, gone := s.drip(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m := s.hear(t, ctx, s.open(t, server.URL, nil), func(ev llm.Event) {
		if ev.Type == llm.EventTextDelta {
			cancel()
		}
	})
	await(t, gone, "the end of the request at the server")
	if m.Stop() != llm.StopAborted {
		t.Errorf("stop reason %q, want %q", m.Stop(), llm.StopAborted)
	}
	if m.Text() != "Hello" && m.Text() != "Hello, " {
		t.Errorf("text %q, want what came before it was cancelled", m.Text())
	}
}

// hear is Check for a stream that might never end.
func (s suite) hear(t *testing.T, ctx context.Context, p llm.Provider, heard func(llm.Event)) llm.Message {
	t.Helper()
	ended := make(chan llm.Message, 1)
	go func() { ended <- follow(t, p.Stream(ctx, s.asking("Hello?")), heard) }()
	select {
	case m := <-ended:
		return m
	case <-time.After(patience):
		t.Fatal("the stream never ended")
		return llm.Message{}
	}
}

// leaveEarly leaves the loop at the first piece of text; that ends the request.
func (s suite) leaveEarly(t *testing.T) {
	server, gone := s.drip(t)
	left := make(chan struct{})
	go func() {
		defer close(left)
		for ev, err := range s.open(t, server.URL, nil).Stream(t.Context(), s.asking("Hello?")) {
			if err != nil || ev.Type == llm.EventTextDelta {
				return
			}
		}
	}()
	await(t, left, "the way out of the loop")
	await(t, gone, "the end of the request at the server")
}

// drip is a server that sends the recorded text byte by byte up to its third
// piece, and then waits for the client to go. Gone is closed when it has.
func (s suite) drip(t *testing.T) (_ *server, gone chan struct{}) {
	a := s.answer(t, "text")
	n := bytes.Index(a.body, []byte("world."))
	if n < 0 {
		t.Fatal(`the recorded text has no piece "world."`)
	}
	a.body = a.body[:n]
	gone = make(chan struct{})
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		byteByByte(a)(w, r)
		<-r.Context().Done()
		close(gone)
	}), gone
}

// leaveAnywhere leaves the loop after every number of events. Going on after
// that would be a panic of the language.
func (s suite) leaveAnywhere(t *testing.T) {
	server := serve(t, whole(s.answer(t, "tools")))
	provider := s.open(t, server.URL, nil)
	for n, more := 1, true; more; n++ {
		count := 0
		more = false
		for range provider.Stream(t.Context(), s.asking("Look.")) {
			if count++; count == n {
				more = true
				break
			}
		}
	}
}

// concurrent asks one provider for two different answers at once, many times.
func (s suite) concurrent(t *testing.T) {
	words := map[string]string{"text": "Say hello.", "tools": "Look around."}
	text, calls := s.answer(t, "text"), s.answer(t, "tools")
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked, _ := io.ReadAll(r.Body)
		if bytes.Contains(asked, []byte(words["tools"])) {
			byteByByte(calls)(w, r)
		} else {
			byteByByte(text)(w, r)
		}
	})
	provider := s.open(t, server.URL, nil)
	var group sync.WaitGroup
	for _, want := range recordedAnswers {
		word, ok := words[want.name]
		for n := 0; ok && n < 8; n++ {
			group.Go(func() {
				m := Check(t, provider.Stream(t.Context(), s.asking(word)))
				if d := cmp.Diff(want.content, m.Content, s.sameContent()); d != "" || m.Stop() != want.stop {
					t.Errorf("%s: stop reason %q, content (-want +got):\n%s", want.name, m.Stop(), d)
				}
			})
		}
	}
	group.Wait()
}
