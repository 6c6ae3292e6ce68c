package llm_test

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"redline/llm"
)

// parrot is a model that repeats the last message, word by word, and looks up
// how loud it may be.
type parrot struct{}

func (parrot) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return llm.Emit(ctx, req, func(_ context.Context, e *llm.Emitter) error {
		e.Start("", "")
		for word := range strings.FieldsSeq(req.Messages[len(req.Messages)-1].Text()) {
			e.Text(0, word+"! ")
		}
		e.Call(1, "", "volume")
		e.Arguments(1, `{"room": "li`)
		e.Arguments(1, `brary"}`)
		e.Usage(llm.Usage{Input: 2, Output: 9})
		e.Stop(llm.StopEnd)
		return nil
	})
}

// A provider streams events; a Builder makes a message of them, which can be
// looked at while it grows.
func Example() {
	model := llm.Model{ID: "parrot", Provider: "zoo", Local: true, Can: llm.Abilities{Tools: true}}
	req := llm.Request{Model: model, Messages: []llm.Message{llm.User("hello there")}}

	var answer llm.Builder
	for ev, err := range llm.Retry(parrot{}, llm.Patience{}).Stream(context.Background(), req) {
		if err != nil {
			fmt.Println(err) // the request makes no sense
			return
		}
		answer.Add(ev)
		switch ev.Type {
		case llm.EventTextDelta:
			fmt.Printf("text:  %q\n", ev.Delta)
		case llm.EventCallDelta:
			calls := answer.Message().ToolCalls()
			fmt.Printf("call:  %s %s\n", calls[0].Name, llm.PartialJSON(calls[0].Raw))
		}
	}
	m := answer.Message()
	fmt.Println("stop: ", m.Stop(), m.Reply.Usage.Total(), "tokens")
	// Output:
	// text:  "hello! "
	// text:  "there! "
	// call:  volume {"room": "li"}
	// call:  volume {"room": "library"}
	// stop:  tool_use 11 tokens
}

// A conversation that one model began is adapted for another: its own thinking
// goes, and the call that was never answered gets a result.
func ExampleAdapt() {
	history := []llm.Message{
		llm.User("What is in a.md?"),
		llm.Assistant(
			llm.Thinking{Text: "I should read it.", Signature: "opaque"},
			llm.Text{Text: "Let me look."},
			llm.ToolCall{ID: "call|1", Name: "read_file", Arguments: []byte(`{"path":"a.md"}`)},
		),
		llm.User("Are you still there?"),
	}
	to := llm.Model{ID: "other", Provider: "elsewhere", API: llm.APIChat, Can: llm.Abilities{Tools: true}}
	for _, m := range llm.Adapt(history, to, llm.PlainIDs) {
		if r, ok := m.ToolResult(); ok {
			fmt.Println(m.Role, r.CallID, r.Output[:10])
			continue
		}
		fmt.Println(m.Role, m.Text(), len(m.Content))
	}
	// Output:
	// user What is in a.md? 1
	// assistant Let me look. 2
	// toolResult call_1 No result:
	// user Are you still there? 1
}

func ExampleCatalogue() {
	catalogue := llm.Builtin()
	err := catalogue.Load([]byte(`{"models": [{"provider": "ollama", "id": "qwen3:8b", "context": 32768, "can": {"images": true}}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"qwen3:8b", "gpt-5.1", "ollama/not-listed"} {
		m, err := catalogue.Find(name)
		fmt.Println(m.Name(), m.API, m.Context, m.Can.Images, err)
	}
	// Output:
	// ollama/qwen3:8b openai-chat 32768 true <nil>
	// openai/gpt-5.1 openai-responses 400000 true <nil>
	// ollama/not-listed openai-chat 0 false <nil>
}
