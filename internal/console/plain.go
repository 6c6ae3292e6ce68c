package console

import (
	"io"

	"redline/internal/wire"
)

// plain is the face without a terminal: the answer goes to out, the rest to err.
type plain struct {
	out    io.Writer
	err    *screen
	failed error // of out
	last   string
}

func (p *plain) event(e wire.Event) {
	switch e.Type {
	case wire.EventMessageEnd:
		if e.Message != nil && e.Message.Role == "assistant" {
			p.message(e.Message)
		}
	case wire.EventToolEnd:
		p.err.line(toolLine(p.err, e.Tool))
	case wire.EventAgentEnd:
		if o := e.Outcome; o != nil && (o.Calls > 0 || o.Input+o.Output > 0) {
			p.err.line(usage(o))
		}
	case wire.EventNotice:
		p.err.line(Clean(e.Text))
	case wire.EventError:
		p.err.line("✗ " + Clean(e.Text))
	}
}

// message: what a model says before it calls tools is progress; the answer is
// what it says without calling any.
func (p *plain) message(m *wire.Message) {
	switch {
	case m.Text == "":
	case m.Calls > 0 || m.Error != "":
		p.err.line(Clean(m.Text))
	default:
		text := Clean(m.Text)
		if text[len(text)-1] != '\n' {
			text += "\n"
		}
		if p.failed == nil {
			_, p.failed = io.WriteString(p.out, text)
		}
	}
	if m.Text != "" {
		p.last = m.Text
	}
	if m.Error != "" {
		p.err.line("✗ " + Clean(m.Error))
		p.last = m.Error
	}
}

func (p *plain) over(s wire.Status) {
	if text := ending(s); text != "" && !told(p.last, s.Reason) {
		p.err.line("✗ " + text)
	}
	p.last = ""
}
