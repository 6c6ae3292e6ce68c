package openai

import (
	"encoding/json"
	"unicode/utf8"

	"redline/llm"
)

// body is the JSON of a request. The SDK encodes level by level, and compacts what
// each level returned again: for a long conversation that takes longer than
// everything else that is done for a step. So tools are kept from step to step, and
// messages of plain text, which most are, are written directly; the rest is the
// SDK's.
func (d dialect) body(req llm.Request, o *offer) ([]byte, error) {
	p, system, tools, err := d.request(req)
	if err != nil {
		return nil, err
	}
	head, err := p.MarshalJSON()
	if err != nil {
		return nil, err
	}
	offered, err := o.of(tools)
	if err != nil {
		return nil, err
	}
	messages := llm.Adapt(req.Messages, req.Model, d.ids)
	w := writer{make([]byte, 0, len(head)+len(offered)+len(system)+size(messages))}
	w.raw(`{"messages":[`)
	if err := d.messages(&w, system, req.Model, messages); err != nil {
		return nil, err
	}
	if w.raw("],"); offered != nil {
		w.raw(`"tools":`)
		w.data = append(append(w.data, offered...), ',')
	}
	return append(w.data, head[1:]...), nil // the head has a model, so that the comma is right
}

// size is about how many bytes messages take as JSON.
func size(messages []llm.Message) int {
	n := 0
	for _, m := range messages {
		for _, block := range m.Content {
			n += 100
			switch b := block.(type) {
			case llm.Text:
				n += len(b.Text) + len(b.Text)/16
			case llm.ToolCall:
				n += len(b.Arguments) + len(b.Arguments)/4
			case llm.ToolResult:
				n += len(b.Output) + len(b.Output)/16
			}
		}
	}
	return n
}

// writer writes JSON.
type writer struct{ data []byte }

func (w *writer) raw(s string) { w.data = append(w.data, s...) }

// element writes the comma before an element of a list that is not the first.
func (w *writer) element() {
	if w.data[len(w.data)-1] != '[' {
		w.data = append(w.data, ',')
	}
}

// value writes what only the SDK can.
func (w *writer) value(v json.Marshaler) error {
	data, err := v.MarshalJSON()
	w.data = append(w.data, data...)
	return err
}

// text writes a string. What is no UTF-8 is replaced, as encoding/json does.
func (w *writer) text(s string) {
	b := append(w.data, '"')
	from := 0 // where what is not yet written begins
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if i += n; r == utf8.RuneError && n == 1 {
				b = append(append(b, s[from:i-1]...), `\ufffd`...)
				from = i
			}
			continue
		}
		b = append(b, s[from:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			const hex = "0123456789abcdef"
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		from = i
	}
	w.data = append(append(b, s[from:]...), '"')
}

// The messages, with their fields in the order of the SDK.

func (w *writer) said(role, text string) {
	w.raw(`{"content":`)
	w.text(text)
	w.raw(`,"role":"` + role + `"}`)
}

func (w *writer) result(text, call string) {
	w.raw(`{"content":`)
	w.text(text)
	w.raw(`,"tool_call_id":`)
	w.text(call)
	w.raw(`,"role":"tool"}`)
}

// assistant writes a message that has text or calls, and nothing else.
func (w *writer) assistant(text string, content []llm.Block) {
	before := `{"tool_calls":[`
	if text != "" {
		w.raw(`{"content":`)
		w.text(text)
		before = `,"tool_calls":[`
	}
	end := ""
	for _, block := range content {
		c, ok := block.(llm.ToolCall)
		if !ok {
			continue
		}
		w.raw(before)
		w.raw(`{"id":`)
		w.text(c.ID)
		w.raw(`,"function":{"arguments":`)
		w.text(string(c.Arguments))
		w.raw(`,"name":`)
		w.text(c.Name)
		w.raw(`},"type":"function"}`)
		before, end = ",", "]"
	}
	w.raw(end)
	w.raw(`,"role":"assistant"}`)
}
