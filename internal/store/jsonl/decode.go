package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"redline/agent"
	"redline/llm"
)

// decodeMessage reads a message as agent.Kinds does, only faster where the
// message is one of a conversation.
func decodeMessage(data []byte, kinds agent.Kinds) (agent.Message, error) {
	if m, ok := fastMessage(data); ok {
		return m, nil
	}
	return kinds.Decode(data)
}

// parts is what a message in JSON may be made of. A field that is not among
// them, or there twice, is for encoding/json.
type parts struct {
	seen        map[string]bool
	role        llm.Role
	content     []llm.Block
	attachments []agent.Attachment
	timestamp   time.Time
	result      llm.ToolResult
	reply       []byte // the fields of an assistant's message that are in none of the others, as an object
}

// whose are the fields that a message of a role has.
var whose = map[string]string{
	"attachments": "user",
	"toolCallId":  "toolResult", "toolName": "toolResult", "output": "toolResult", "isError": "toolResult", "details": "toolResult",
	"provider": "assistant", "api": "assistant", "model": "assistant", "servedBy": "assistant", "responseId": "assistant", "stopReason": "assistant",
	"usage": "assistant", "costUSD": "assistant", "latencyNs": "assistant", "firstTokenNs": "assistant", "failure": "assistant",
}

func fastMessage(data []byte) (agent.Message, bool) {
	s := &scanner{data: data}
	p := parts{seen: make(map[string]bool, 16)}
	s.object(func(name string) {
		if p.seen[name] {
			s.fail()
			return
		}
		p.seen[name] = true
		p.field(s, name)
	})
	if !s.end() {
		return agent.Message{}, false
	}
	return p.message()
}

func (p *parts) field(s *scanner, name string) {
	switch name {
	case "role":
		p.role = llm.Role(s.text())
	case "content":
		p.content = s.content()
	case "timestamp":
		if raw := s.value(); !s.failed && p.timestamp.UnmarshalJSON(raw) != nil {
			s.fail()
		}
	case "attachments":
		p.attachments = s.attachments()
	case "toolCallId":
		p.result.CallID = s.text()
	case "toolName":
		p.result.Name = s.text()
	case "output":
		p.result.Output = s.text()
	case "isError":
		p.result.IsError = s.boolean()
	case "details":
		p.result.Details = s.raw()
	default:
		raw := s.value()
		if whose[name] != string(llm.RoleAssistant) {
			s.fail()
			return
		}
		p.reply = append(p.reply, ","...)
		p.reply = strconv.AppendQuote(p.reply, name)
		p.reply = append(append(p.reply, ':'), raw...)
	}
}

// message puts the parts together as a message of its role.
func (p *parts) message() (agent.Message, bool) {
	for name := range p.seen {
		if role, ok := whose[name]; ok && role != string(p.role) {
			return agent.Message{}, false
		}
	}
	m := agent.Message{Message: llm.Message{Role: p.role, Time: p.timestamp, Content: p.content}}
	switch p.role {
	case llm.RoleUser:
		m.Attachments = p.attachments
	case llm.RoleAssistant:
		var reply struct{ *llm.Reply }
		if len(p.reply) > 0 {
			p.reply[0] = '{'
			if json.Unmarshal(append(p.reply, '}'), &reply) != nil {
				return agent.Message{}, false
			}
		}
		m.Reply = reply.Reply
	case llm.RoleTool:
		if p.result.CallID == "" {
			return agent.Message{}, false
		}
		for _, block := range p.content {
			image, ok := block.(llm.Image)
			if !ok {
				return agent.Message{}, false
			}
			p.result.Images = append(p.result.Images, image)
		}
		m.Content = []llm.Block{p.result}
	default:
		return agent.Message{}, false
	}
	return m, true
}

// raw reads a value that is kept as JSON.
func (s *scanner) raw() json.RawMessage {
	raw := s.value()
	if s.failed || !json.Valid(raw) {
		s.fail()
		return nil
	}
	return bytes.Clone(raw)
}

func (s *scanner) content() []llm.Block {
	if s.peek() == '"' {
		return []llm.Block{llm.Text{Text: s.text()}}
	}
	blocks := []llm.Block{}
	s.array(func() {
		if b := s.block(); b != nil {
			blocks = append(blocks, b)
		} else {
			s.fail()
		}
	})
	return blocks
}

// block reads a piece of a message; nil is for encoding/json.
func (s *scanner) block() llm.Block {
	var kind, text, thinking, signature, mimeType, fileName, id, name, raw string
	var redacted bool
	var data []byte
	var arguments json.RawMessage
	s.object(func(field string) {
		switch field {
		case "type":
			kind = s.text()
		case "text":
			text = s.text()
		case "thinking":
			thinking = s.text()
		case "signature":
			signature = s.text()
		case "mimeType":
			mimeType = s.text()
		case "fileName":
			fileName = s.text()
		case "id":
			id = s.text()
		case "name":
			name = s.text()
		case "rawArguments":
			raw = s.text()
		case "redacted":
			redacted = s.boolean()
		case "data":
			data = s.bytes()
		case "arguments":
			arguments = s.raw()
		default:
			s.fail()
		}
	})
	if s.failed {
		return nil
	}
	switch kind {
	case "text":
		return llm.Text{Text: text, Signature: signature}
	case "thinking":
		return llm.Thinking{Text: thinking, Signature: signature, Redacted: redacted}
	case "image":
		return llm.Image{MIMEType: mimeType, Data: data}
	case "document":
		return llm.Document{Name: fileName, MIMEType: mimeType, Data: data, Text: text}
	case "toolCall":
		return llm.ToolCall{ID: id, Name: name, Arguments: arguments, Raw: raw, Signature: signature}
	}
	return nil
}

func (s *scanner) attachments() []agent.Attachment {
	list := []agent.Attachment{}
	s.array(func() {
		var a agent.Attachment
		s.object(func(field string) {
			switch field {
			case "id":
				a.ID = s.text()
			case "type":
				a.Type = s.text()
			case "fileName":
				a.FileName = s.text()
			case "mimeType":
				a.MIMEType = s.text()
			case "size":
				if raw := s.value(); s.failed || json.Unmarshal(raw, &a.Size) != nil {
					s.fail()
				}
			case "content":
				a.Content = s.bytes()
			case "extractedText":
				a.ExtractedText = s.text()
			case "preview":
				a.Preview = s.bytes()
			default:
				s.fail()
			}
		})
		list = append(list, a)
	})
	return list
}

// What a line of a session file is.
type lineKind int

const (
	lineBlank   lineKind = iota
	lineMessage          // also one that cannot be read
	lineMetadata
	lineOther // of a type that is not known here
)

var (
	messagePrefix = []byte(`{"type":"message","message":`)
	errNoMessage  = errors.New("the line has no message")
)

// decodeLine reads a line. A line that is no JSON at all counts as a message: it
// was one, as everything but the first line is.
func decodeLine(line []byte, kinds agent.Kinds) (lineKind, agent.Message, error) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return lineBlank, agent.Message{}, nil
	}
	if inner, ok := bytes.CutPrefix(line, messagePrefix); ok {
		if m, ok := fastMessage(bytes.TrimSuffix(inner, []byte("}"))); ok {
			return lineMessage, m, nil
		}
	}
	var head struct {
		Type    string          `json:"type"`
		Message json.RawMessage `json:"message"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return lineMessage, agent.Message{}, fmt.Errorf("not a line of JSON: %w", err)
	}
	switch head.Type {
	case typeMetadata:
		return lineMetadata, agent.Message{}, nil
	case typeMessage:
		if len(head.Message) == 0 {
			return lineMessage, agent.Message{}, errNoMessage
		}
		m, err := decodeMessage(head.Message, kinds)
		return lineMessage, m, err
	}
	return lineOther, agent.Message{}, nil
}
