package llm

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
)

// Builder puts the events of a stream together into a message. Looking at the
// message while it grows is cheap: it shares its text with the builder, which
// never changes what it has given out. The zero Builder is ready.
type Builder struct {
	blocks []growing
	reply  *Reply
}

type growing struct {
	kind      EventType // its start event
	text      *strings.Builder
	id, name  string
	signature string
	redacted  bool
	arguments json.RawMessage // of a call that has ended
	raw       string          // of such a call, if it has no usable arguments
	ended     bool
}

// Add takes the next event.
func (b *Builder) Add(ev Event) {
	switch ev.Type {
	case EventStart, EventDone:
		b.reply = ev.Reply
	case EventRestart:
		b.blocks, b.reply = nil, nil
	case EventTextStart, EventThinkingStart, EventCallStart:
		b.blocks = append(b.blocks, growing{kind: ev.Type, text: new(strings.Builder), id: ev.ID, name: ev.Name})
	case EventTextDelta, EventThinkingDelta, EventCallDelta:
		if g := b.at(ev.Index); g != nil {
			g.text.WriteString(ev.Delta)
		}
	case EventTextEnd, EventThinkingEnd, EventCallEnd:
		if g := b.at(ev.Index); g != nil {
			g.signature, g.redacted, g.ended = ev.Signature, ev.Redacted, true
			if g.kind == EventCallStart {
				g.arguments, g.raw = arguments(g.text.String())
			}
		}
	}
}

func (b *Builder) at(index int) *growing {
	if index < 0 || index >= len(b.blocks) {
		return nil
	}
	return &b.blocks[index]
}

// Message is the message so far.
func (b *Builder) Message() Message {
	m := Message{Role: RoleAssistant, Reply: b.reply, Content: make([]Block, 0, len(b.blocks))}
	for _, g := range b.blocks {
		switch g.kind {
		case EventTextStart:
			m.Content = append(m.Content, Text{Text: g.text.String(), Signature: g.signature})
		case EventThinkingStart:
			m.Content = append(m.Content, Thinking{Text: g.text.String(), Signature: g.signature, Redacted: g.redacted})
		case EventCallStart:
			call := ToolCall{ID: g.id, Name: g.name, Arguments: g.arguments, Raw: g.raw, Signature: g.signature}
			if !g.ended {
				call.Arguments, call.Raw = noArguments(), g.text.String()
			}
			m.Content = append(m.Content, call)
		}
	}
	return m
}

// Collect reads a stream to its end and returns the message it made.
func Collect(stream iter.Seq2[Event, error]) (Message, error) {
	var b Builder
	for ev, err := range stream {
		if err != nil {
			return Message{}, err
		}
		b.Add(ev)
	}
	return b.Message(), nil
}

// noArguments is a new one each time: decoding into a RawMessage writes into the
// bytes that it holds.
func noArguments() json.RawMessage { return json.RawMessage("{}") }

// arguments makes a JSON object of what a model sent as arguments. No arguments
// at all are an empty object, and an object inside a JSON string is taken out
// of it: both are common. The rest stays as it is, for the error message.
func arguments(raw string) (object json.RawMessage, rest string) {
	trimmed := strings.TrimSpace(raw)
	var inner string
	if strings.HasPrefix(trimmed, `"`) && json.Unmarshal([]byte(trimmed), &inner) == nil {
		trimmed = strings.TrimSpace(inner)
	}
	if trimmed == "" || trimmed == "null" {
		return noArguments(), ""
	}
	if !strings.HasPrefix(trimmed, "{") {
		return noArguments(), raw
	}
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(trimmed)) != nil {
		return noArguments(), raw
	}
	return compact.Bytes(), ""
}
