package session

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"redline/agent"
	"redline/internal/wire"
	"redline/llm"
)

// View is an event as front ends hear it. Step counts the answers of the model in the
// run. What a turn changed is in it if changes is not nil.
func (s *Session) View(e Event, step int, changes *wire.Turn) wire.Event {
	w := wire.Event{Cursor: e.Cursor, Type: e.Type, Time: e.Time, Text: e.Text, Priority: e.Priority, Approve: e.Approve}
	if e.Agent != nil {
		s.fill(&w, e.Agent, step)
		return w
	}
	l := line{"type": e.Type, "timestamp": e.Time.UTC().Format(time.RFC3339Nano)}
	if e.Text != "" {
		l["text"] = e.Text
	}
	if e.Priority != "" {
		l["priority"] = e.Priority
	}
	if e.Status != nil {
		status := s.view(*e.Status)
		w.Status, l["status"] = &status, status
	}
	if e.Question != nil {
		w.Question = e.Question.view()
		l["question_id"], l["question"] = w.Question.ID, w.Question.Text
		if len(w.Question.Options) > 0 {
			l["options"] = w.Question.Options
		}
	}
	if e.Type == wire.EventAnswered {
		delete(l, "text")
		l["answer"] = e.Text
	}
	if e.Type == wire.JobEventPlan {
		delete(l, "text")
		l["plan"] = e.Text
	}
	if e.Approval != nil {
		w.Approval = e.Approval.view()
		l["request"] = w.Approval
	}
	if e.Type == wire.EventApproved {
		l["approve"] = e.Approve
	}
	if decided, ok := e.Details.(wire.Decided); ok {
		w.Decided, l["decided"] = &decided, decided
	}
	if changes != nil {
		w.Turn, l["turn"] = changes, changes
	}
	w.Line = l
	return w
}

// line is an event as programs read it.
type line map[string]any

// MarshalJSON writes type and timestamp first: people read these lines too.
func (l line) MarshalJSON() ([]byte, error) {
	keys := []string{"type", "timestamp"}
	for k := range l {
		if k != "type" && k != "timestamp" {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys[2:])
	out := []byte{'{'}
	for i, k := range keys {
		if i > 0 {
			out = append(out, ',')
		}
		value, err := json.Marshal(l[k])
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", k, err)
		}
		out = append(append(append(append(out, '"'), k...), '"', ':'), value...)
	}
	return append(out, '}'), nil
}

// fill takes over what screens show of an event of the agent.
func (s *Session) fill(w *wire.Event, e *agent.Event, step int) {
	w.Line = *e
	switch e.Type {
	case agent.TurnStart:
		w.Step, w.Steps = step, s.setup.Guard.Limits.Iterations
	case agent.MessageStart, agent.MessageEnd:
		w.Message = message(*e.Message)
	case agent.MessageUpdate:
		w.Delta = delta(*e.Update)
	case agent.ToolStart, agent.ToolUpdate, agent.ToolEnd:
		w.Tool = &wire.Tool{ID: e.Call.ID, Name: e.Call.Name, Label: s.Label(e.Call.Name), Args: e.Call.Arguments, Paths: named(e.Call.Arguments)}
		if e.Result != nil {
			w.Tool.Output, w.Tool.IsError = e.Result.Output, e.Result.IsError
		}
	case agent.AgentEnd:
		o := e.Outcome
		w.Outcome = &wire.Outcome{
			End: string(o.End), Reason: o.Reason, Steps: o.Steps, Calls: len(o.Calls), CostUSD: o.CostUSD, Took: o.Took,
			Input: o.Usage.Prompt(), Output: o.Usage.Output,
		}
	}
}

func message(m agent.Message) *wire.Message {
	if m.Custom != nil {
		return &wire.Message{Role: m.Custom.Role()}
	}
	w := &wire.Message{Role: string(m.Role), Text: m.Text(), Calls: len(m.ToolCalls())}
	if m.Reply != nil && m.Reply.Failure != nil {
		w.Error = m.Reply.Failure.Error()
	}
	return w
}

func delta(e llm.Event) wire.Delta {
	switch e.Type {
	case llm.EventTextDelta:
		return wire.Delta{Text: e.Delta}
	case llm.EventThinkingDelta:
		return wire.Delta{Thinking: e.Delta}
	case llm.EventRestart:
		return wire.Delta{Restart: true}
	}
	return wire.Delta{}
}

// named is what the arguments of a call name, for a line about it: paths, or else
// what is looked for, run or made.
func named(arguments json.RawMessage) []string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(arguments, &fields) != nil {
		return nil
	}
	text := func(key string) (s string) {
		_ = json.Unmarshal(fields[key], &s)
		return s
	}
	var found []string
	add := func(s string) {
		if s != "" && !slices.Contains(found, s) {
			found = append(found, s)
		}
	}
	for _, key := range []string{"path", "file_path", "from_path", "to_path", "query", "command", "question"} {
		add(text(key))
	}
	if len(found) == 0 {
		add(strings.TrimPrefix(path.Join(text("folder"), text("name")), "/"))
	}
	var edits []struct {
		FilePath string `json:"file_path"`
	}
	_ = json.Unmarshal(fields["edits"], &edits)
	for _, e := range edits {
		add(e.FilePath)
	}
	return found
}

// Now is where the session stands, as front ends see it.
func (s *Session) Now() wire.Status { return s.view(s.Status()) }

func (s *Session) view(now Status) wire.Status { return now.View(s.ID()) }

// View is a status as front ends see it.
func (now Status) View(session string) wire.Status {
	w := wire.Status{Session: session, State: wire.State(now.State), Turn: now.Turn, Reason: now.Reason, Denied: now.Denied, Aborted: now.Aborted}
	if now.Question != nil {
		w.Question = now.Question.view()
	}
	if now.Approval != nil {
		w.Approval = now.Approval.view()
	}
	w.Waiting = now.Waiting.view()
	return w
}

func (s *Waiting) view() *wire.Waiting {
	if s == nil {
		return nil
	}
	return &wire.Waiting{Question: s.Question, Message: s.Message, Index: s.Index, Calls: s.Calls, Said: s.Said}
}

func (q *Question) view() *wire.Question {
	return &wire.Question{ID: q.ID, Text: q.Text, Options: q.Options}
}

func (a *Approval) view() *wire.Approval {
	w := &wire.Approval{ID: a.ID, Why: string(a.Why), Text: a.Text(), Files: append([]string{}, a.All()...)}
	for _, r := range append([]Request{a.Request}, a.With...) {
		w.Calls = append(w.Calls, wire.ApprovalCall{ID: r.Call.ID, Name: r.Call.Name, Label: r.Label, Arguments: r.Call.Arguments, Files: append([]string{}, r.Files...)})
	}
	return w
}
