package openai

import (
	"bytes"
	"encoding/json"

	sdk "github.com/openai/openai-go/v3"
)

// chatBody is the JSON of a request. The SDK encodes a message level by level, and
// compacts what each level returned again: for a long conversation that takes
// longer than everything else that is done for a step. So messages of plain text,
// which most are, are written directly, and only the others by the SDK.
func chatBody(p sdk.ChatCompletionNewParams) ([]byte, error) {
	messages := p.Messages
	p.Messages = nil
	head, err := p.MarshalJSON()
	if err != nil {
		return nil, err
	}
	b := bytes.NewBuffer(make([]byte, 0, len(head)+64<<10))
	b.WriteString(`{"messages":[`)
	w := messageWriter{b, json.NewEncoder(b)}
	w.SetEscapeHTML(false)
	for i := range messages {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := w.message(&messages[i]); err != nil {
			return nil, err
		}
	}
	b.WriteString("],")
	b.Write(head[1:]) // it has a model, so that the comma is right
	return b.Bytes(), nil
}

type messageWriter struct {
	*bytes.Buffer
	*json.Encoder // into the buffer
}

// message writes one, with its fields in the order of the SDK.
func (w messageWriter) message(m *sdk.ChatCompletionMessageParamUnion) error {
	switch {
	case m.OfTool != nil && m.OfTool.Content.OfString.Valid() && len(m.OfTool.ExtraFields()) == 0:
		w.content(m.OfTool.Content.OfString.Value)
		w.WriteString(`,"tool_call_id":`)
		w.text(m.OfTool.ToolCallID)
		w.WriteString(`,"role":"tool"}`)
	case m.OfUser != nil && m.OfUser.Content.OfString.Valid() && len(m.OfUser.ExtraFields()) == 0 && !m.OfUser.Name.Valid():
		w.content(m.OfUser.Content.OfString.Value)
		w.WriteString(`,"role":"user"}`)
	case m.OfAssistant != nil && plainAssistant(m.OfAssistant):
		w.assistant(m.OfAssistant)
	default:
		data, err := m.MarshalJSON()
		w.Write(data)
		return err
	}
	return nil
}

// content begins a message with its text.
func (w messageWriter) content(text string) {
	w.WriteString(`{"content":`)
	w.text(text)
}

// text writes a string. There is none that has no JSON.
func (w messageWriter) text(s string) {
	_ = w.Encode(s)
	w.Truncate(w.Len() - 1) // the line end of the encoder
}

// plainAssistant tells whether a message has text or calls, and nothing else.
func plainAssistant(a *sdk.ChatCompletionAssistantMessageParam) bool {
	if len(a.ExtraFields()) > 0 || a.Refusal.Valid() || a.Name.Valid() || len(a.Content.OfArrayOfContentParts) > 0 {
		return false
	}
	for i := range a.ToolCalls {
		if f := a.ToolCalls[i].OfFunction; f == nil || len(f.ExtraFields()) > 0 {
			return false
		}
	}
	return a.Content.OfString.Valid() || len(a.ToolCalls) > 0
}

func (w messageWriter) assistant(a *sdk.ChatCompletionAssistantMessageParam) {
	before := `{"tool_calls":[`
	if a.Content.OfString.Valid() {
		w.content(a.Content.OfString.Value)
		before = `,"tool_calls":[`
	}
	for i := range a.ToolCalls {
		f := a.ToolCalls[i].OfFunction
		w.WriteString(before)
		w.WriteString(`{"id":`)
		w.text(f.ID)
		w.WriteString(`,"function":{"arguments":`)
		w.text(f.Function.Arguments)
		w.WriteString(`,"name":`)
		w.text(f.Function.Name)
		w.WriteString(`},"type":"function"}`)
		before = ","
	}
	if len(a.ToolCalls) > 0 {
		w.WriteByte(']')
	}
	w.WriteString(`,"role":"assistant"}`)
}
