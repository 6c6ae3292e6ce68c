package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// The JSON of a message is that of the session file: content is a string if it
// is one plain text, otherwise a list of blocks with a type; a tool's result
// lies flat in its message.

type messageJSON struct {
	Role      Role            `json:"role"`
	Content   json.RawMessage `json:"content,omitempty"`
	Timestamp *time.Time      `json:"timestamp,omitempty"`
	*Reply
	*resultJSON
}

type resultJSON struct {
	CallID  string          `json:"toolCallId"`
	Name    string          `json:"toolName,omitempty"`
	Output  string          `json:"output"`
	IsError bool            `json:"isError,omitempty"`
	Details json.RawMessage `json:"details,omitempty"`
}

type blockJSON struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text,omitempty"`
	Thinking  *string         `json:"thinking,omitempty"`
	Redacted  bool            `json:"redacted,omitempty"`
	Signature string          `json:"signature,omitempty"`
	MIMEType  string          `json:"mimeType,omitempty"`
	FileName  string          `json:"fileName,omitempty"`
	Data      []byte          `json:"data,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Raw       string          `json:"rawArguments,omitempty"`
}

// MarshalJSON writes the form of the session file.
func (m Message) MarshalJSON() ([]byte, error) {
	out := messageJSON{Role: m.Role, Reply: m.Reply}
	if !m.Time.IsZero() {
		out.Timestamp = &m.Time
	}
	content := m.Content
	if r, ok := m.ToolResult(); ok {
		out.resultJSON = &resultJSON{r.CallID, r.Name, r.Output, r.IsError, r.Details}
		content = nil
		for _, image := range r.Images {
			content = append(content, image)
		}
		if content == nil {
			return plainJSON(out)
		}
	}
	var err error
	if t, ok := onlyText(content); ok && m.Role == RoleUser {
		out.Content, err = plainJSON(t)
	} else {
		out.Content, err = marshalBlocks(content)
	}
	if err != nil {
		return nil, err
	}
	return plainJSON(out)
}

// plainJSON leaves <, > and & as they are: whoever writes the message decides.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

func onlyText(content []Block) (string, bool) {
	if len(content) != 1 {
		return "", false
	}
	t, ok := content[0].(Text)
	return t.Text, ok && t.Signature == ""
}

func marshalBlocks(content []Block) ([]byte, error) {
	list := make([]blockJSON, 0, len(content))
	for _, block := range content {
		switch b := block.(type) {
		case Text:
			list = append(list, blockJSON{Type: "text", Text: &b.Text, Signature: b.Signature})
		case Thinking:
			list = append(list, blockJSON{Type: "thinking", Thinking: &b.Text, Redacted: b.Redacted, Signature: b.Signature})
		case Image:
			list = append(list, blockJSON{Type: "image", MIMEType: b.MIMEType, Data: b.Data})
		case Document:
			j := blockJSON{Type: "document", FileName: b.Name, MIMEType: b.MIMEType, Data: b.Data}
			if b.Text != "" {
				j.Text = &b.Text
			}
			list = append(list, j)
		case ToolCall:
			list = append(list, blockJSON{Type: "toolCall", ID: b.ID, Name: b.Name, Arguments: b.Arguments, Raw: b.Raw, Signature: b.Signature})
		default:
			return nil, fmt.Errorf("a %T cannot stand in the content of a message", block)
		}
	}
	return plainJSON(list)
}

// UnmarshalJSON reads the form of the session file.
func (m *Message) UnmarshalJSON(data []byte) error {
	in := messageJSON{resultJSON: new(resultJSON)} // encoding/json cannot make one of an unexported type
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	blocks, err := unmarshalContent(in.Content)
	if err != nil {
		return err
	}
	*m = Message{Role: in.Role, Content: blocks}
	if in.Timestamp != nil {
		m.Time = *in.Timestamp
	}
	switch in.Role {
	case RoleUser:
	case RoleAssistant:
		m.Reply = in.Reply
	case RoleTool:
		if in.CallID == "" {
			return fmt.Errorf("a message of role %q has no toolCallId", RoleTool)
		}
		r := ToolResult{CallID: in.CallID, Name: in.Name, Output: in.Output, IsError: in.IsError, Details: in.Details}
		for _, block := range blocks {
			if image, ok := block.(Image); ok {
				r.Images = append(r.Images, image)
			}
		}
		m.Content = []Block{r}
	default:
		return fmt.Errorf("unknown role %q: use %q, %q or %q", in.Role, RoleUser, RoleAssistant, RoleTool)
	}
	return nil
}

func unmarshalContent(data json.RawMessage) ([]Block, error) {
	if len(data) == 0 || string(data) == "null" {
		return nil, nil
	}
	if data[0] == '"' {
		var t string
		if err := json.Unmarshal(data, &t); err != nil {
			return nil, err
		}
		return []Block{Text{Text: t}}, nil
	}
	var list []blockJSON
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, err
	}
	blocks := make([]Block, 0, len(list))
	for _, b := range list {
		switch b.Type {
		case "text":
			blocks = append(blocks, Text{Text: value(b.Text), Signature: b.Signature})
		case "thinking":
			blocks = append(blocks, Thinking{Text: value(b.Thinking), Signature: b.Signature, Redacted: b.Redacted})
		case "image":
			blocks = append(blocks, Image{MIMEType: b.MIMEType, Data: b.Data})
		case "document":
			blocks = append(blocks, Document{Name: b.FileName, MIMEType: b.MIMEType, Data: b.Data, Text: value(b.Text)})
		case "toolCall":
			blocks = append(blocks, ToolCall{ID: b.ID, Name: b.Name, Arguments: b.Arguments, Raw: b.Raw, Signature: b.Signature})
		default:
			return nil, fmt.Errorf("unknown block type %q", b.Type)
		}
	}
	return blocks, nil
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
