package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
)

func TestCollect(t *testing.T) {
	m, err := llm.Collect(llm.Emit(t.Context(), ask("hi"), talk))
	if err != nil {
		t.Fatal(err)
	}
	want := []llm.Block{
		llm.Thinking{Text: "Hmm", Signature: "s"},
		llm.Text{Text: "Hello"},
		llm.ToolCall{ID: "a", Name: "f", Arguments: json.RawMessage("{}")},
		llm.ToolCall{ID: "b", Name: "g", Arguments: json.RawMessage("{}"), Raw: "{"},
		llm.Thinking{Signature: "r", Redacted: true},
	}
	if d := cmp.Diff(want, m.Content); d != "" {
		t.Error(d)
	}
	if m.Role != llm.RoleAssistant || m.Stop() != llm.StopToolUse || m.Reply.Usage.Output != 1 {
		t.Errorf("role %s, reply %+v", m.Role, m.Reply)
	}
}

func TestCollectMisuse(t *testing.T) {
	wrong := errors.New("misuse")
	var stream iter.Seq2[llm.Event, error] = func(yield func(llm.Event, error) bool) { yield(llm.Event{}, wrong) }
	if _, err := llm.Collect(stream); !errors.Is(err, wrong) {
		t.Errorf("error %v", err)
	}
}

func TestBuilderArguments(t *testing.T) {
	for _, tt := range []struct{ pieces, arguments, raw string }{
		{``, `{}`, ``},
		{`  `, `{}`, ``},
		{`null`, `{}`, ``},
		{`""`, `{}`, ``},
		{`"null"`, `{}`, ``},
		{`{}`, `{}`, ``},
		{`{"a"|: 1,| "b": [ 2 ]|}`, `{"a":1,"b":[2]}`, ``},
		{`{"a": "say \"hi\" <b>"}`, `{"a":"say \"hi\" <b>"}`, ``},
		{`"{\"a\": |1}"`, `{"a":1}`, ``},
		{`{"a": 1`, `{}`, `{"a": 1`},
		{`{"a": 1}}`, `{}`, `{"a": 1}}`},
		{`[1]`, `{}`, `[1]`},
		{`7`, `{}`, `7`},
		{`"words"`, `{}`, `"words"`},
		{`"{\"a\"`, `{}`, `"{\"a\"`},
		{`path=a.md`, `{}`, `path=a.md`},
	} {
		t.Run(tt.pieces, func(t *testing.T) {
			var b llm.Builder
			b.Add(llm.Event{Type: llm.EventCallStart, ID: "1", Name: "f"})
			for piece := range strings.SplitSeq(tt.pieces, "|") {
				b.Add(llm.Event{Type: llm.EventCallDelta, Delta: piece})
			}
			b.Add(llm.Event{Type: llm.EventCallEnd, Signature: "s"})
			want := []llm.ToolCall{{ID: "1", Name: "f", Arguments: json.RawMessage(tt.arguments), Raw: tt.raw, Signature: "s"}}
			if d := cmp.Diff(want, b.Message().ToolCalls()); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestBuilderWhileStreaming: until a call has ended, what came of its arguments
// is in Raw.
func TestBuilderWhileStreaming(t *testing.T) {
	var b llm.Builder
	b.Add(llm.Event{Type: llm.EventCallStart, ID: "1", Name: "f"})
	b.Add(llm.Event{Type: llm.EventCallDelta, Delta: `{"path": "a.`})
	call := b.Message().ToolCalls()[0]
	if string(call.Arguments) != "{}" || string(llm.PartialJSON(call.Raw)) != `{"path": "a."}` {
		t.Errorf("arguments %s, raw %s", call.Arguments, call.Raw)
	}
}

// TestBuilderSnapshots takes the message after every event and looks at all of
// them again at the end: none has changed.
func TestBuilderSnapshots(t *testing.T) {
	stream := llm.Emit(t.Context(), ask("hi"), func(ctx context.Context, e *llm.Emitter) error {
		for i := range 50 {
			e.Text(0, fmt.Sprint("word", i, " "))
			e.Thinking(1, "hm ")
			e.Call(2, "a", "f")
			e.Arguments(2, " ")
		}
		return talk(ctx, e)
	})
	var b llm.Builder
	var taken []llm.Message
	var shown []string
	for ev := range stream {
		b.Add(ev)
		taken = append(taken, b.Message())
		shown = append(shown, plainJSON(t, b.Message()))
	}
	b.Add(llm.Event{Type: llm.EventRestart})
	for i, m := range taken {
		if got := plainJSON(t, m); got != shown[i] {
			t.Fatalf("snapshot %d was %s and is %s", i, shown[i], got)
		}
	}
}

func TestBuilderRestart(t *testing.T) {
	var b llm.Builder
	for _, ev := range []llm.Event{
		{Type: llm.EventStart, Reply: &llm.Reply{ResponseID: "r1"}},
		{Type: llm.EventTextStart}, {Type: llm.EventTextDelta, Delta: "void"},
		{Type: llm.EventRestart, Failure: &llm.Failure{}},
	} {
		b.Add(ev)
	}
	if m := b.Message(); len(m.Content) != 0 || m.Reply != nil {
		t.Errorf("after the restart there is %+v", m)
	}
	b.Add(llm.Event{Type: llm.EventTextStart})
	b.Add(llm.Event{Type: llm.EventTextDelta, Delta: "valid"})
	if got := b.Message().Text(); got != "valid" {
		t.Errorf("text %q", got)
	}
}

// TestBuilderForeignIndexes: events of a broken stream do no harm.
func TestBuilderForeignIndexes(t *testing.T) {
	var b llm.Builder
	for _, ev := range []llm.Event{
		{Type: llm.EventTextDelta, Index: 3, Delta: "x"}, {Type: llm.EventTextEnd, Index: -1}, {Type: "news"}, {Type: llm.EventRoute},
	} {
		b.Add(ev)
	}
	if m := b.Message(); len(m.Content) != 0 {
		t.Errorf("there is %+v", m)
	}
}

// TestBuilderGivesItsOwnBytes: decoding into the arguments of one call must not
// change those of another.
func TestBuilderGivesItsOwnBytes(t *testing.T) {
	empty := func() llm.ToolCall {
		var b llm.Builder
		b.Add(llm.Event{Type: llm.EventCallStart})
		b.Add(llm.Event{Type: llm.EventCallEnd})
		return b.Message().ToolCalls()[0]
	}
	one := empty()
	if err := json.Unmarshal([]byte(`[]`), &one.Arguments); err != nil {
		t.Fatal(err)
	}
	if got := string(empty().Arguments); got != "{}" {
		t.Errorf("no arguments have become %s", got)
	}
}
