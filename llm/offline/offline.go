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

func (p *Provider) answer(req llm.Request) answer { return p.work(req, req.Messages).run() }

// work is what the newest message of some messages asks for.
func (p *Provider) work(req llm.Request, messages []llm.Message) *work {
	c := readConversation(messages)
	w := &work{conversation: c, today: c.sent}
	switch {
	case p.Now != nil:
		w.today = p.Now()
	case w.today.IsZero():
		w.today = time.Now()
	}
	w.hands, w.replay = handsFor(req, c)
	w.requests = parse(c.text, w.today)
	if len(w.requests) == 0 {
		w.requests = []Request{{}}
	}
	if w.requests[0].Kind == Again {
		w.requests[0] = p.again(w, req)
	}
	if n := len(c.before); n > 0 && len(w.requests) == 1 && isLast(c.before[n-1]) {
		p.resume(w, req)
	}
	return w
}

// again is the last request of the turn before, of the documents that this turn
// names.
func (p *Provider) again(w *work, req llm.Request) Request {
	if len(w.before) > 0 {
		earlier := p.work(req, w.before).requests
		if r, ok := earlier[len(earlier)-1].repeated(w.requests[0]); ok {
			return r
		}
	}
	return Request{Text: w.text}
}

// resume goes on with the turn before, if that is what the message says, or if the
// message answers the question that the turn ended with.
func (p *Provider) resume(w *work, req llm.Request) {
	kind := w.requests[0].Kind
	if kind != Continue && kind != Unknown {
		return
	}
	earlier := p.work(req, w.before)
	earlier.run()
	switch {
	case kind == Continue && len(earlier.left) > 0 && !earlier.asking:
		w.requests = earlier.left
	case kind == Unknown && len(earlier.unclear) == 1 && !destructive[earlier.unclear[0].Kind] && earlier.unclear[0].Kind != Merge &&
		len(strings.Fields(w.text)) < 7 && !strings.Contains(w.text, "?"):
		// The question was skipped, and the answer comes as a message. What would take
		// something away is said again.
		w.requests, w.given = earlier.unclear, append(earlier.given, w.text)
		w.answers = w.given
	case kind == Unknown && earlier.asking && !w.offers(llm.ClarifyTool):
		w.requests, w.given = earlier.left, append(earlier.given, w.text)
		w.answers = w.given
	}
}
