package llmtest_test

import (
	"fmt"
	"testing"

	"redline/llm"
	"redline/llm/llmtest"
)

// printer stands in for a *testing.T.
type printer struct{ testing.TB }

func (printer) Helper()                           {}
func (printer) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func ExampleCheck() {
	broken := func(yield func(llm.Event, error) bool) {
		for _, ev := range []llm.Event{
			{Type: llm.EventStart, Reply: &llm.Reply{}},
			{Type: llm.EventTextStart},
			{Type: llm.EventTextDelta, Delta: "Hello"},
			{Type: llm.EventDone, Reply: &llm.Reply{Stop: llm.StopEnd}},
		} {
			if !yield(ev, nil) {
				return
			}
		}
	}
	m := llmtest.Check(printer{}, broken)
	fmt.Println(m.Text())
	// Output:
	// event 3 (done, block 0): block 0, opened by "text_start", has not ended
	// Hello
}
