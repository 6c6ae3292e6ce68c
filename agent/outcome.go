package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"redline/llm"
)

// End says how a run ended.
type End string

const (
	EndDone    End = "done"    // the model has nothing more to do
	EndStopped End = "stopped" // a tool ended the run, such as a denied call
	EndLimit   End = "limit"
	EndAborted End = "aborted"
	EndFailed  End = "failed"
)

// Outcome is what a run came to, and what it did on the way.
type Outcome struct {
	End        End             `json:"end"`
	Limit      string          `json:"limit,omitempty"`   // of EndLimit: which
	Reason     string          `json:"reason,omitempty"`  // in words, of every end but EndDone
	Failure    *llm.Failure    `json:"failure,omitempty"` // of EndFailed, if the model failed
	Steps      int             `json:"steps"`             // answers of the model
	Calls      []Ran           `json:"calls"`             // in order
	Usage      llm.Usage       `json:"usage"`
	CostUSD    *float64        `json:"costUSD,omitempty"` // nil: a price was not known
	Took       time.Duration   `json:"tookNs"`
	Structured json.RawMessage `json:"structuredOutput,omitempty"`
}

// Ran is a tool call and what became of it.
type Ran struct {
	ID    string  `json:"toolCallId"`
	Name  string  `json:"name"`
	State CallEnd `json:"state"`
}

// CallEnd is what became of a call.
type CallEnd string

const (
	CallDone      CallEnd = "done"
	CallFailed    CallEnd = "failed"
	CallNotRun    CallEnd = "not_run"
	CallAbandoned CallEnd = "abandoned" // it did not stop when it was told to, and may still run
)

// Summary says in a few words how the run ended and what it did.
func (o Outcome) Summary() string {
	var b strings.Builder
	switch {
	case o.Reason != "":
		b.WriteString("Stopped: " + strings.TrimSuffix(o.Reason, ".") + ".") // what a tool says may be a whole sentence
	case o.End == EndDone:
		b.WriteString("Done.")
	default:
		b.WriteString("Stopped.")
	}
	done, states := map[string]int{}, map[CallEnd]int{}
	var names []string
	for _, c := range o.Calls {
		states[c.State]++
		if c.State != CallDone {
			continue
		}
		if done[c.Name]++; done[c.Name] == 1 {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		b.WriteString(" No tool call was completed.")
	} else {
		for i, name := range names {
			names[i] = fmt.Sprintf("%s ×%d", name, done[name])
		}
		fmt.Fprintf(&b, " Done so far: %s.", strings.Join(names, ", "))
	}
	for _, other := range []struct {
		state CallEnd
		words string
	}{{CallFailed, "failed"}, {CallNotRun, "not run"}, {CallAbandoned, "may still be running"}} {
		if n := states[other.state]; n > 0 {
			fmt.Fprintf(&b, " %s: %d.", strings.ToUpper(other.words[:1])+other.words[1:], n)
		}
	}
	return b.String()
}
