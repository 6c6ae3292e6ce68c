package llm_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
)

var able = llm.Model{
	ID: "able-1", Provider: "test", API: llm.APIScripted, Context: 1000,
	Can:   llm.Abilities{Tools: true, Images: true, Documents: true, Temperature: true, Structured: true},
	Price: &llm.Price{Input: 1, Output: 10},
}

func ask(text string) llm.Request {
	return llm.Request{Model: able, Messages: []llm.Message{llm.User(text)}}
}

// line is an event as tests show it.
func line(ev llm.Event) string {
	switch ev.Type {
	case llm.EventStart:
		return "start " + ev.Reply.Model
	case llm.EventRestart:
		return fmt.Sprintf("restart %s, rest %s", ev.Failure.Class, ev.Wait)
	case llm.EventDone:
		s := fmt.Sprintf("done %s", ev.Reply.Stop)
		if f := ev.Reply.Failure; f != nil {
			s += fmt.Sprintf(" %s retry=%t %s", f.Class, f.Retry, f.Message)
		}
		return s
	}
	s := fmt.Sprintf("%s %d", ev.Type, ev.Index)
	for _, part := range []string{ev.ID, ev.Name} {
		if part != "" {
			s += " " + part
		}
	}
	if ev.Delta != "" {
		s += fmt.Sprintf(" %q", ev.Delta)
	}
	if ev.Signature != "" {
		s += " signed " + ev.Signature
	}
	if ev.Redacted {
		s += " redacted"
	}
	return s
}

func lines(t *testing.T, stream iter.Seq2[llm.Event, error]) []string {
	t.Helper()
	var list []string
	for ev, err := range stream {
		if err != nil {
			list = append(list, "misuse: "+err.Error())
			continue
		}
		list = append(list, line(ev))
	}
	return list
}

func TestEmit(t *testing.T) {
	for _, tt := range []struct {
		name    string
		produce func(e *llm.Emitter) error
		want    string
	}{
		{"text", func(e *llm.Emitter) error {
			e.Start("", "r1")
			e.Start("able-1", "r1") // again, with more
			e.Text(0, "Hel")
			e.Text(0, "")
			e.Text(0, "lo")
			e.Stop(llm.StopEnd)
			return nil
		}, `
			start able-1
			text_start 0
			text_delta 0 "Hel"
			text_delta 0 "lo"
			text_end 0
			done stop`},
		{"nobody calls Start", func(e *llm.Emitter) error {
			e.Text(0, "x")
			e.Stop(llm.StopEnd)
			return nil
		}, `
			start able-1
			text_start 0
			text_delta 0 "x"
			text_end 0
			done stop`},
		{"thinking, signed in pieces, then text under the same key", func(e *llm.Emitter) error {
			e.Thinking(0, "Hmm")
			e.Sign(0, "s")
			e.Sign(0, "1")
			e.Text(0, "Yes")
			e.Stop(llm.StopEnd)
			return nil
		}, `
			start able-1
			thinking_start 0
			thinking_delta 0 "Hmm"
			thinking_end 0 signed s1
			text_start 1
			text_delta 1 "Yes"
			text_end 1
			done stop`},
		{"signatures alone", func(e *llm.Emitter) error {
			e.SignThinking(0, "a")
			e.SignText(1, "b")
			e.Redacted(2, "c")
			e.Sign(7, "of nothing")
			e.End(7)
			e.Stop(llm.StopEnd)
			return nil
		}, `
			start able-1
			thinking_start 0
			text_start 1
			thinking_start 2
			thinking_end 0 signed a
			text_end 1 signed b
			thinking_end 2 signed c redacted
			done stop`},
		{"calls interleaved with each other and a text", func(e *llm.Emitter) error {
			e.Text(0, "Look")
			e.Call(1, "a", "read")
			e.Call(2, "b", "find")
			e.Arguments(1, `{"p":`)
			e.Arguments(2, `{`)
			e.Text(0, "ing")
			e.Arguments(1, `1}`)
			e.Arguments(2, `}`)
			e.End(1)
			e.Stop(llm.StopToolUse)
			return nil
		}, `
			start able-1
			text_start 0
			text_delta 0 "Look"
			toolcall_start 1 a read
			toolcall_start 2 b find
			toolcall_delta 1 "{\"p\":"
			toolcall_delta 2 "{"
			text_delta 0 "ing"
			toolcall_delta 1 "1}"
			toolcall_delta 2 "}"
			toolcall_end 1
			text_end 0
			toolcall_end 2
			done tool_use`},
		{"a name that comes late, after another block began", func(e *llm.Emitter) error {
			e.Call(0, "a", "")
			e.Arguments(0, `{"p"`)
			e.Arguments(0, `:1`)
			e.Text(1, "x")
			e.Call(0, "", "read")
			e.Call(0, "other", "again") // repeated by the server: no change
			e.Arguments(0, `}`)
			e.Stop(llm.StopToolUse)
			return nil
		}, `
			start able-1
			text_start 0
			text_delta 0 "x"
			toolcall_start 1 a read
			toolcall_delta 1 "{\"p\":1"
			toolcall_delta 1 "}"
			toolcall_end 1
			text_end 0
			done tool_use`},
		{"a name that never comes", func(e *llm.Emitter) error {
			e.Call(0, "a", "")
			e.Arguments(0, `{}`)
			e.Stop(llm.StopToolUse)
			return nil
		}, `
			start able-1
			toolcall_start 0 a unknown
			toolcall_delta 0 "{}"
			toolcall_end 0
			done tool_use`},
		{"ids that are empty or there already", func(e *llm.Emitter) error {
			e.Call(0, "", "f")
			e.Call(1, "a", "f")
			e.Call(2, "a", "f")
			e.Call(3, "a", "f")
			e.Call(4, "a_2", "f")
			e.Call(5, "", "f")
			e.EndOthers(99)
			e.Stop(llm.StopToolUse)
			return nil
		}, `
			start able-1
			toolcall_start 0 call_1 f
			toolcall_start 1 a f
			toolcall_start 2 a_2 f
			toolcall_start 3 a_3 f
			toolcall_start 4 a_2_2 f
			toolcall_start 5 call_6 f
			toolcall_end 0
			toolcall_end 1
			toolcall_end 2
			toolcall_end 3
			toolcall_end 4
			toolcall_end 5
			done tool_use`},
		{"the same key twice for calls", func(e *llm.Emitter) error {
			e.Call(0, "a", "f")
			e.End(0)
			e.Call(0, "b", "f")
			e.Arguments(0, `{}`)
			e.Stop(llm.StopToolUse)
			return nil
		}, `
			start able-1
			toolcall_start 0 a f
			toolcall_end 0
			toolcall_start 1 b f
			toolcall_delta 1 "{}"
			toolcall_end 1
			done tool_use`},
		{"EndOthers keeps one", func(e *llm.Emitter) error {
			e.Text(0, "x")
			e.Call(1, "a", "f")
			e.EndOthers(1)
			e.Arguments(1, `{}`)
			e.Stop(llm.StopEnd)
			return nil
		}, `
			start able-1
			text_start 0
			text_delta 0 "x"
			toolcall_start 1 a f
			text_end 0
			toolcall_delta 1 "{}"
			toolcall_end 1
			done tool_use`},
		{"tool_use without a call is an ordinary end", func(e *llm.Emitter) error {
			e.Text(0, "x")
			e.Stop(llm.StopToolUse)
			return nil
		}, `
			start able-1
			text_start 0
			text_delta 0 "x"
			text_end 0
			done stop`},
		{"length stays, also with calls", func(e *llm.Emitter) error {
			e.Call(0, "a", "f")
			e.Stop(llm.StopLength)
			return nil
		}, `
			start able-1
			toolcall_start 0 a f
			toolcall_end 0
			done length`},
		{"nothing at all is said", func(e *llm.Emitter) error {
			e.Stop(llm.StopEnd)
			return nil
		}, `
			done stop`},
		{"arguments of no call", func(e *llm.Emitter) error {
			e.Arguments(0, "{}")
			e.Text(0, "x")
			e.Arguments(0, "{}")
			e.Stop(llm.StopEnd)
			return nil
		}, `
			start able-1
			text_start 0
			text_delta 0 "x"
			text_end 0
			done stop`},
		{"cut off", func(e *llm.Emitter) error {
			e.Text(0, "x")
			return nil
		}, `
			start able-1
			text_start 0
			text_delta 0 "x"
			text_end 0
			done error network retry=true the answer was cut off: it ended without saying why`},
		{"a failure in the middle", func(e *llm.Emitter) error {
			e.Call(0, "a", "f")
			e.Stop(llm.StopToolUse)
			return fmt.Errorf("wrapped: %w", &llm.Failure{Class: llm.ClassOverloaded, Message: "Overloaded", Retry: true})
		}, `
			start able-1
			toolcall_start 0 a f
			toolcall_end 0
			done error overloaded retry=true Overloaded`},
		{"an error nobody sorted", func(e *llm.Emitter) error {
			return errors.New("connection reset")
		}, `
			done error network retry=true connection reset`},
		{"a timeout nobody sorted", func(e *llm.Emitter) error {
			return fmt.Errorf("reading: %w", context.DeadlineExceeded)
		}, `
			done error timeout retry=true reading: context deadline exceeded`},
		{"restart of another stream", func(e *llm.Emitter) error {
			e.Call(0, "a", "f")
			e.Restart(nil, &llm.Failure{Class: llm.ClassNetwork}, time.Second)
			e.Call(0, "a", "f")
			e.Stop(llm.StopToolUse)
			return nil
		}, `
			start able-1
			toolcall_start 0 a f
			toolcall_end 0
			restart network, rest 1s
			start able-1
			toolcall_start 0 a f
			toolcall_end 0
			done tool_use`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := lines(t, llm.Emit(t.Context(), ask("hi"), func(_ context.Context, e *llm.Emitter) error { return tt.produce(e) }))
			want := strings.Split(strings.ReplaceAll(strings.TrimSpace(tt.want), "\t", ""), "\n")
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestEmitMisuse(t *testing.T) {
	never := func(context.Context, *llm.Emitter) error { t.Error("produce was called"); return nil }
	for _, tt := range []struct {
		req  llm.Request
		want string
	}{
		{llm.Request{Messages: []llm.Message{llm.User("x")}}, "misuse: the request names no model"},
		{llm.Request{Model: able}, "misuse: the request has no messages"},
	} {
		if d := cmp.Diff([]string{tt.want}, lines(t, llm.Emit(t.Context(), tt.req, never))); d != "" {
			t.Error(d)
		}
	}
}

// TestEmitUnable: what a model cannot do is told before anything is sent.
func TestEmitUnable(t *testing.T) {
	blind := llm.Model{ID: "blind", Provider: "test"}
	image := llm.Image{MIMEType: "image/png"}
	scan := llm.Document{Name: "scan.pdf"}
	never := func(context.Context, *llm.Emitter) error { t.Error("produce was called"); return nil }
	for _, tt := range []struct {
		name string
		req  llm.Request
		want string
	}{
		{"image", llm.Request{Messages: []llm.Message{llm.User("x", image)}},
			"model test/blind does not take images; choose one that does, or set images: true for it in the configuration"},
		{"document", llm.Request{Messages: []llm.Message{llm.User("x", scan)}},
			"model test/blind does not take documents, and scan.pdf came without its text; choose a model that does, or convert the document first"},
		{"tools", llm.Request{Messages: []llm.Message{llm.User("x")}, Tools: []llm.ToolSpec{{Name: "f"}}},
			"model test/blind cannot call tools; choose one that can, or set tools: true for it in the configuration"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.req.Model = blind
			want := []string{"done error invalid_request retry=false " + tt.want}
			if d := cmp.Diff(want, lines(t, llm.Emit(t.Context(), tt.req, never))); d != "" {
				t.Error(d)
			}
		})
	}
	older := llm.Request{Model: blind, Messages: []llm.Message{
		llm.User("x", image, llm.Document{Text: "as text"}), llm.Assistant(llm.Text{Text: "y"}), llm.User("z", llm.Document{Text: "as text"}),
	}}
	if f := older.Unable(); f != nil {
		t.Errorf("an image in an older message is adapted, but: %v", f)
	}
}

// TestEmitReply: the last event knows everything, the first what is known then.
func TestEmitReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var first, last *llm.Reply
		for ev := range llm.Emit(t.Context(), ask("hi"), func(_ context.Context, e *llm.Emitter) error {
			time.Sleep(time.Second)
			e.Start("able-1-20260101", "r1")
			time.Sleep(time.Second)
			e.Text(0, "x")
			time.Sleep(time.Second)
			e.Text(1, "y")
			e.Usage(llm.Usage{Input: 1})
			e.Usage(llm.Usage{Input: 100, Output: 200})
			e.Stop(llm.StopEnd)
			return nil
		}) {
			switch ev.Type {
			case llm.EventStart:
				first = ev.Reply
			case llm.EventDone:
				last = ev.Reply
			}
		}
		cost := 0.0021
		want := llm.Reply{
			Provider: "test", API: llm.APIScripted, Model: "able-1", ServedBy: "able-1-20260101", ResponseID: "r1", Stop: llm.StopEnd,
			Usage: llm.Usage{Input: 100, Output: 200}, CostUSD: &cost, Latency: 3 * time.Second, FirstToken: 2 * time.Second,
		}
		if d := cmp.Diff(&want, last); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(&llm.Reply{Provider: "test", API: llm.APIScripted, Model: "able-1", ServedBy: "able-1-20260101", ResponseID: "r1"}, first); d != "" {
			t.Errorf("the first event: %s", d)
		}
	})
}

// talk is a stream with every kind of event. It does not ask whether anybody
// listens.
func talk(ctx context.Context, e *llm.Emitter) error {
	e.Start("m", "r")
	e.Thinking(0, "Hmm")
	e.Sign(0, "s")
	e.Text(1, "Hello")
	e.Call(2, "", "")
	e.Arguments(2, "{")
	e.Call(3, "a", "f")
	e.Call(2, "b", "g")
	e.Arguments(3, "{}")
	e.Redacted(4, "r")
	e.EndOthers(3)
	e.Usage(llm.Usage{Output: 1})
	e.Stop(llm.StopToolUse)
	return ctx.Err()
}

// TestEmitListenerLeaves leaves after every possible event. A yield after that
// would panic.
func TestEmitListenerLeaves(t *testing.T) {
	all := len(lines(t, llm.Emit(t.Context(), ask("hi"), talk)))
	for stay := 1; stay <= all; stay++ {
		heard := 0
		var inner context.Context
		for range llm.Emit(t.Context(), ask("hi"), func(ctx context.Context, e *llm.Emitter) error {
			inner = ctx
			err := talk(ctx, e)
			if gone := heard == stay; gone != e.Left() {
				t.Errorf("after %d of %d events: Left is %t", heard, stay, e.Left())
			}
			return err
		}) {
			if heard++; heard == stay {
				break
			}
		}
		if inner.Err() == nil {
			t.Errorf("after %d events: the context of produce goes on", stay)
		}
	}
}

// TestEmitLeavingEndsTheRequest: produce waits for a server that never answers.
func TestEmitLeavingEndsTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range llm.Emit(t.Context(), ask("hi"), func(ctx context.Context, e *llm.Emitter) error {
			e.Text(0, "x")
			<-ctx.Done()
			return ctx.Err()
		}) {
			break
		}
	})
}

func TestEmitContext(t *testing.T) {
	wait := func(ctx context.Context, e *llm.Emitter) error {
		e.Text(0, "x")
		<-ctx.Done()
		return ctx.Err()
	}
	text := []string{"start able-1", "text_start 0", `text_delta 0 "x"`, "text_end 0"}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if d := cmp.Diff(append(text, "done aborted"), lines(t, llm.Emit(ctx, ask("hi"), wait))); d != "" {
			t.Errorf("cancelled: %s", d)
		}
		if d := cmp.Diff([]string{"done aborted"}, lines(t, llm.Emit(ctx, ask("hi"), wait))); d != "" {
			t.Errorf("cancelled beforehand: %s", d)
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		want := append(text, "done error timeout retry=true the time given for the answer is over")
		if d := cmp.Diff(want, lines(t, llm.Emit(ctx, ask("hi"), wait))); d != "" {
			t.Errorf("deadline: %s", d)
		}
	})
}

// TestEmitFailureIsACopy: many streams may fail with one and the same value.
func TestEmitFailureIsACopy(t *testing.T) {
	shared := &llm.Failure{Class: llm.ClassNetwork, Message: "x"}
	for range 2 {
		m, err := llm.Collect(llm.Emit(t.Context(), ask("hi"), func(context.Context, *llm.Emitter) error { return shared }))
		if err != nil || m.Reply.Failure.Message != "x" {
			t.Fatalf("%+v %v", m.Reply, err)
		}
		m.Reply.Failure.Message = "changed"
	}
}
