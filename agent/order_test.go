package agent_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"redline/agent"
	"redline/llm"
)

// order checks the events of a run against what docs/events.md draws, one by
// one as they come.
type order struct {
	t       testing.TB
	began   bool
	ended   bool
	turn    bool
	compact bool
	message *agent.Message // between its start and its end
	asked   []string       // calls of the turn's answer, by id
	running []string
	results int // results of the turn told so far
	lastWas agent.EventType
}

func (o *order) hear(e agent.Event) {
	o.t.Helper()
	if e.Type == agent.StateUpdate {
		return
	}
	if o.ended || !o.began && e.Type != agent.AgentStart {
		o.fail(e, "outside of agent_start and agent_end")
	}
	switch e.Type {
	case agent.AgentStart:
		o.check(e, !o.began, "twice")
		o.began = true
	case agent.TurnStart:
		o.check(e, !o.turn && o.idle(), "inside of something")
		o.turn, o.asked, o.results = true, nil, 0
	case agent.MessageStart:
		o.check(e, o.idle(), "inside of something")
		o.message = e.Message
	case agent.MessageUpdate:
		o.check(e, o.message != nil && o.message.Role == llm.RoleAssistant, "outside of an answer")
		o.check(e, e.Update != nil && e.Update.Type != llm.EventDone, "without what is new")
	case agent.MessageEnd:
		o.check(e, o.message != nil && o.message.Role == e.Message.Role, "without its start")
		o.message = nil
		o.ending(e)
	case agent.CompactionStart:
		o.check(e, o.turn && !o.compact && o.idle(), "inside of something")
		o.compact = true
	case agent.CompactionEnd:
		o.check(e, o.compact && o.idle(), "without its start")
		o.compact = false
	case agent.ToolStart:
		o.check(e, o.turn && o.message == nil && slices.Contains(o.asked, e.Call.ID), "not asked for")
		o.running = append(o.running, e.Call.ID)
	case agent.ToolUpdate:
		o.check(e, slices.Contains(o.running, e.Call.ID), "of a call that does not run")
	case agent.ToolEnd:
		i := slices.Index(o.running, e.Call.ID)
		o.check(e, i >= 0 && e.Result != nil, "of a call that does not run")
		if i >= 0 {
			o.running = slices.Delete(o.running, i, i+1)
		}
	case agent.TurnEnd:
		o.check(e, o.turn && o.idle() && !o.compact, "inside of something")
		o.check(e, len(e.Results) == len(o.asked), "with another number of results than calls")
		o.turn = false
	case agent.AgentEnd:
		o.check(e, !o.turn && o.idle() && e.Outcome != nil, "inside of something")
		o.ended = true
	default:
		o.fail(e, "not in the closed set")
	}
	o.lastWas = e.Type
}

// ending checks that results come in the order of the calls.
func (o *order) ending(e agent.Event) {
	switch e.Message.Role {
	case llm.RoleAssistant:
		o.asked, o.results = nil, 0
		for _, c := range e.Message.ToolCalls() {
			o.asked = append(o.asked, c.ID)
		}
	case llm.RoleTool:
		r, _ := e.Message.ToolResult()
		if o.asked == nil { // repairs at the start of a run
			return
		}
		o.check(e, o.results < len(o.asked) && o.asked[o.results] == r.CallID, "not in the order of the calls")
		o.results++
	}
}

func (o *order) idle() bool { return o.message == nil && len(o.running) == 0 }

func (o *order) check(e agent.Event, ok bool, what string) {
	o.t.Helper()
	if !ok {
		o.fail(e, what)
	}
}

func (o *order) fail(e agent.Event, what string) {
	o.t.Helper()
	o.t.Errorf("%s %s (after %s)", e.Type, what, o.lastWas)
}

// finished checks that the run has ended.
func (o *order) finished() {
	o.t.Helper()
	if !o.ended {
		o.t.Errorf("the run never ended; the last event was %s", o.lastWas)
	}
}

// line is an event in a line of a golden file.
func line(e agent.Event) string {
	switch e.Type {
	case agent.MessageStart:
		return fmt.Sprintf("message_start %s", role(e.Message))
	case agent.MessageUpdate:
		return fmt.Sprintf("message_update %s %q", e.Update.Type, e.Update.Delta)
	case agent.MessageEnd:
		return fmt.Sprintf("message_end %s", words(*e.Message))
	case agent.ToolStart:
		return fmt.Sprintf("tool_execution_start %s %s %s", e.Call.ID, e.Call.Name, e.Call.Arguments)
	case agent.ToolUpdate:
		return fmt.Sprintf("tool_execution_update %s %q", e.Call.ID, e.Result.Output)
	case agent.ToolEnd:
		return fmt.Sprintf("tool_execution_end %s error=%v", e.Call.ID, e.Result.IsError)
	case agent.TurnEnd:
		return fmt.Sprintf("turn_end %d results", len(e.Results))
	case agent.AgentEnd:
		return fmt.Sprintf("agent_end %d messages, %s", len(e.Messages), outcome(*e.Outcome))
	}
	return string(e.Type)
}

func role(m *agent.Message) string {
	if m.Custom != nil {
		return m.Custom.Role()
	}
	return string(m.Role)
}

// words is a message in one line.
func words(m agent.Message) string {
	parts := []string{role(&m)}
	if s, ok := m.Custom.(*agent.Summary); ok {
		parts = append(parts, fmt.Sprintf("%q task=%q pinned=%q kept=%d dropped=%d", s.Text, s.Task, s.Pinned, s.Kept, s.Dropped))
	}
	for _, block := range m.Content {
		switch b := block.(type) {
		case llm.Text:
			parts = append(parts, fmt.Sprintf("%q", b.Text))
		case llm.Thinking:
			parts = append(parts, fmt.Sprintf("thinking %q", b.Text))
		case llm.ToolCall:
			parts = append(parts, fmt.Sprintf("call %s %s %s", b.ID, b.Name, b.Arguments))
		case llm.ToolResult:
			parts = append(parts, fmt.Sprintf("%s error=%v %q", b.CallID, b.IsError, b.Output))
		}
	}
	if m.Role == llm.RoleAssistant {
		parts = append(parts, "stop="+string(m.Stop()))
	}
	return strings.Join(parts, " ")
}

func outcome(o agent.Outcome) string {
	s := fmt.Sprintf("%s after %d steps", o.End, o.Steps)
	if o.Limit != "" {
		s += ", limit " + o.Limit
	}
	if o.Reason != "" {
		s += fmt.Sprintf(": %s", o.Reason)
	}
	for _, c := range o.Calls {
		s += fmt.Sprintf("; %s %s", c.ID, c.State)
	}
	if o.Structured != nil {
		s += "; output " + string(o.Structured)
	}
	return s
}

// TestEventsAreDrawn: the page that draws the order names every event, and no
// other.
func TestEventsAreDrawn(t *testing.T) {
	page, err := os.ReadFile("../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| event |")
	for _, e := range []agent.EventType{
		agent.AgentStart, agent.TurnStart, agent.MessageStart, agent.MessageUpdate, agent.MessageEnd, agent.ToolStart, agent.ToolUpdate,
		agent.ToolEnd, agent.CompactionStart, agent.CompactionEnd, agent.TurnEnd, agent.AgentEnd, agent.StateUpdate,
	} {
		if !strings.Contains(table, "`"+string(e)+"`") {
			t.Errorf("docs/events.md has no row for %s", e)
		}
	}
}
