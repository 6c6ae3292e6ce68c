package agent_test

import (
	"context"
	"fmt"
	"testing"

	"redline/agent"
	"redline/llm"
)

// BenchmarkStep is the loop's own time for one step: an answer with a call, a
// trivial tool, and a history of so many messages.
func BenchmarkStep(b *testing.B) {
	for _, messages := range []int{200, 2000} {
		b.Run(fmt.Sprint(messages), func(b *testing.B) {
			w := newWorkbench(b)
			var history []agent.Message
			for i := range messages / 2 {
				history = append(history, agent.UserMessage(fmt.Sprintf("Question %d, about something in the notes.", i)),
					agent.Message{Message: llm.Assistant(llm.Text{Text: "An answer of a sentence or two, as they are."})})
			}
			next := calls("echo", `{"text":"x"}`)
			turns := make([]turn, b.N)
			for i := range turns {
				turns[i] = next
			}
			p := &play{turns: append(turns, says("Done."))}
			a := agent.New(agent.Config{Provider: forget{p}, Model: small(10_000_000), Tools: w.set})
			a.Subscribe(func(agent.Event) {})
			// The history stays as long as it is: each run takes a few steps.
			b.ResetTimer()
			for left := b.N; left > 0; left -= 10 {
				b.StopTimer()
				p.turns = append(turns[:min(left, 10):min(left, 10)], says("Done."))
				if err := a.Replace(history); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if _, err := a.Prompt(context.Background(), "Go."); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// forget does not keep what was asked.
type forget struct{ *play }

func (f forget) Stream(ctx context.Context, req llm.Request) seq {
	f.play.asked = nil
	return f.play.Stream(ctx, req)
}
