package console

import (
	"io"

	"redline/internal/wire"
)

// plain is the face without a terminal: the answer goes to out, the rest to err.
type plain struct {
	out    io.Writer
	err    *screen
	failed error  // of out
	answer string // what will be written, if the run comes to an end
	last   string
}

func (p *plain) event(e wire.Event) {
	if isMessage(e) {
		return
	}
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
	case wire.EventMessage: // is for the user, and does not wait for the end
		p.flush(p.answer)
		p.answer = ""
		p.flush(sent(p.err, e))
	case wire.EventNotice:
		p.err.line(Clean(e.Text))
	case wire.EventError:
		p.err.line("✗ " + Clean(e.Text))
	}
}

// message: what a model says before it calls tools is progress; the answer is
// what it says without calling any.
func (p *plain) message(m *wire.Message) {
	if m.Text != "" {
		p.flush(p.answer)
		p.answer, p.last = "", m.Text
	}
	if m.Calls > 0 || m.Error != "" {
		if m.Text != "" {
			p.err.line(Clean(m.Text))
		}
	} else {
		p.answer = m.Text
	}
	if m.Error != "" {
		p.err.line("✗ " + Clean(m.Error))
		p.last = m.Error
	}
}

// flush writes an answer.
func (p *plain) flush(text string) {
	if text == "" || p.failed != nil {
		return
	}
	if text = Clean(text); text[len(text)-1] != '\n' {
		text += "\n"
	}
	_, p.failed = io.WriteString(p.out, text)
}

// over: the last words of a run that was cancelled are no answer.
func (p *plain) over(s wire.Status) {
	if s.State == wire.Cancelled && p.answer != "" {
		p.err.line("✗ " + Clean(p.answer))
	} else {
		p.flush(p.answer)
	}
	if s.Asks() {
		p.err.line(waits(s))
	}
	if text := ending(s); text != "" && !told(p.last, s.Reason) {
		p.err.line("✗ " + text)
	}
	p.answer, p.last = "", ""
}
