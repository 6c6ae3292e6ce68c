package offline

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"redline/llm"
)

// Provider answers requests from their messages alone: it has no state, and the
// same conversation gets the same answer.
//
// A request is carried out by replay. What the user asked is run as an ordinary
// function each time anew; a tool that it uses has its result in the conversation
// already, and where it has not, the call is the answer. So the conversation is
// the memory of the function:
//
//	user: tick milk      run: list → not there yet          answer: call list
//	result of list       run: list ✓ → read → not there     answer: call read
//	result of read       run: list ✓ → read ✓ → edit → …    answer: call edit
//	result of edit       run: list ✓ → read ✓ → edit ✓      answer: "Ticked milk in …"
type Provider struct {
	// Now is the clock for what "today" is; nil: when the user's message was sent.
	Now func() time.Time
}

// New returns the built-in model.
func New() *Provider { return &Provider{} }

// Model is what is known of it.
func Model() llm.Model {
	return llm.Model{ID: "offline", Provider: "offline", API: llm.APIOffline, Local: true, Price: &llm.Price{}, Can: llm.Abilities{Tools: true}}
}

// Stream answers the newest message of the user.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return llm.Emit(ctx, req, func(ctx context.Context, e *llm.Emitter) error {
		a := p.answer(req)
		e.Start("", fmt.Sprintf("offline-%d", len(req.Messages)))
		if a.text != "" {
			e.Text(0, shaped(a.text, req.Output))
			e.End(0)
		}
		for i, c := range a.calls {
			arguments, err := json.Marshal(c.arguments)
			if err != nil {
				return err
			}
			e.Call(i+1, fmt.Sprintf("call_%d_%d", len(req.Messages), i+1), c.name)
			e.Arguments(i+1, string(arguments))
			e.End(i + 1)
		}
		e.Stop(llm.StopEnd) // after calls, Emit makes tool_use of it
		return ctx.Err()
	})
}

// shaped is an answer in the shape that the caller asked for, if that has a place
// for words.
func shaped(text string, o *llm.Output) string {
	if o == nil || !strings.Contains(string(o.Schema), `"assistant_message"`) {
		return text
	}
	data, err := json.Marshal(map[string]any{"assistant_message": text, "proposed_edits": []any{}})
	if err != nil {
		return text
	}
	return string(data)
}

// answer is what the model says: calls of tools, or its last words.
type answer struct {
	text  string
	calls []call
}

func (p *Provider) answer(req llm.Request) answer {
	c := readConversation(req.Messages)
	today := c.sent
	if p.Now != nil {
		today = p.Now()
	} else if today.IsZero() {
		today = time.Now()
	}
	w := &work{conversation: c, today: today}
	w.hands, w.replay = handsFor(req, c)
	return w.run()
}
