package console

import (
	"fmt"
	"strings"

	"redline/internal/wire"
)

// terminal is the face with a terminal: text as it is written, a line for each
// call when it is over, and what happens at the moment under it.
type terminal struct {
	screen   *screen
	step     string // "step 2 of 10"
	thinking strings.Builder
	said     bool   // the message that is being written has shown text
	last     string // the text of the last message
	took     string // what the run took, once that is known
	row      row    // of calls of the same tool
}

// row is calls of one tool in a row. The first few are shown, the others counted.
type row struct {
	label string
	n     int
}

const rowShown = 3

func (t *terminal) event(e wire.Event) {
	if isMessage(e) {
		return
	}
	switch e.Type {
	case wire.EventToolStart, wire.EventToolUpdate, wire.EventToolEnd:
	case wire.EventMessageStart, wire.EventMessageEnd:
		if e.Message != nil && e.Message.Role == "assistant" {
			t.endRow()
		}
	default:
		t.endRow()
	}
	switch e.Type {
	case wire.EventTurnStart:
		t.step = step(e)
		t.screen.now(t.step)
	case wire.EventMessageStart:
		t.said = false
		t.thinking.Reset()
	case wire.EventMessageUpdate:
		t.delta(e.Delta)
	case wire.EventMessageEnd:
		if e.Message != nil && e.Message.Role == "assistant" {
			t.message(e.Message)
		}
	case wire.EventToolStart:
		t.screen.now(t.step + ": " + what(e.Tool))
	case wire.EventToolUpdate:
		if line := oneLine(lastLine(e.Tool.Output)); line != "" {
			t.screen.now(t.step + ": " + what(e.Tool) + " · " + line)
		}
	case wire.EventToolEnd:
		t.tool(e.Tool)
	case wire.EventMessage:
		t.screen.line(sent(t.screen, e))
		t.screen.now(t.step)
	case wire.EventAgentEnd:
		t.outcome(e.Outcome)
	case wire.EventNotice:
		t.screen.line(t.screen.colors.dim(Clean(e.Text)))
	case wire.EventError:
		t.screen.line(t.screen.colors.red("✗ ") + Clean(e.Text))
	}
}

// tool shows a call that is over.
func (t *terminal) tool(call *wire.Tool) {
	if call.IsError || call.Label != t.row.label {
		t.endRow()
		t.row.label = call.Label
	}
	if !call.IsError {
		t.row.n++
	}
	if t.row.n <= rowShown {
		t.screen.line(toolLine(t.screen, call))
		t.screen.now(t.step)
	} else {
		t.screen.now(fmt.Sprintf("%s: %s · %d done", t.step, what(call), t.row.n))
	}
}

func (t *terminal) endRow() {
	if more := t.row.n - rowShown; more > 0 {
		t.screen.line(fmt.Sprintf("• %s … and %d more %s", oneLine(t.row.label), more, t.screen.colors.green("✓")))
	}
	t.row = row{}
}

func step(e wire.Event) string {
	if e.Steps == 0 {
		return fmt.Sprintf("step %d", e.Step)
	}
	return fmt.Sprintf("step %d of %d", e.Step, e.Steps)
}

func lastLine(s string) string {
	s = strings.TrimRight(s, "\r\n")
	return s[strings.LastIndexByte(s, '\n')+1:]
}

func (t *terminal) delta(d wire.Delta) {
	if d.Restart {
		if t.said || t.thinking.Len() > 0 {
			t.screen.line(t.screen.colors.dim("— starts again —"))
		}
		t.said = false
		t.thinking.Reset()
	}
	if d.Thinking != "" {
		t.thinking.WriteString(d.Thinking)
		t.screen.now(t.step + ": thinking: " + oneLine(lastLine(t.thinking.String())))
	}
	if d.Text == "" {
		return
	}
	t.thought()
	t.screen.text(Clean(d.Text))
	t.said = true
}

// thought leaves one line of what was thought.
func (t *terminal) thought() {
	if t.thinking.Len() == 0 {
		return
	}
	first, _, more := strings.Cut(strings.TrimSpace(t.thinking.String()), "\n")
	first = oneLine(first)
	if more {
		first += " …"
	}
	t.screen.line(t.screen.colors.dim(cut("thinking: "+first, t.screen.width-1)))
	t.thinking.Reset()
}

func (t *terminal) message(m *wire.Message) {
	t.thought()
	if !t.said {
		t.screen.text(Clean(m.Text)) // it did not come in pieces
	}
	if m.Text != "" {
		t.screen.erase()
		t.screen.fresh()
		t.last = m.Text
	}
	if m.Error != "" {
		t.screen.line(t.screen.colors.red("✗ ") + Clean(m.Error))
		t.last = m.Error
	}
	t.said = false
}

func (t *terminal) outcome(o *wire.Outcome) {
	t.step = ""
	t.screen.erase()
	t.screen.fresh()
	if o != nil && (o.Calls > 0 || o.Input+o.Output > 0) {
		t.took = usage(o)
	}
}

func (t *terminal) over(s wire.Status) {
	t.endRow()
	t.screen.erase()
	t.screen.fresh()
	colors := t.screen.colors
	switch {
	case s.State == wire.Done && t.took == "":
		t.screen.line(colors.green("✓") + colors.dim(" Done"))
	case s.State == wire.Done:
		t.screen.line(colors.green("✓") + colors.dim(" Done: "+t.took))
	case t.took != "":
		t.screen.line(colors.dim(t.took))
	}
	if s.Asks() {
		t.screen.line(colors.bold(waits(s)))
	}
	t.took = ""
	if text := ending(s); text != "" && !told(t.last, s.Reason) {
		t.screen.line(t.screen.colors.red("✗ ") + text)
	}
	t.last = ""
}

// told tells whether the last thing that was said gives the reason already.
func told(last, reason string) bool {
	return reason != "" && strings.Contains(oneLine(last), oneLine(reason))
}
