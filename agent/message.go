package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"redline/llm"
)

// Message is one entry of a conversation: something said to or by a model, or a
// message of the application's own kind.
type Message struct {
	llm.Message
	Attachments []Attachment // of a user's message
	Custom      Custom       // if set, the rest is empty but Time
}

// Custom is a message of the application's own kind. Its JSON must be an object;
// its role is added to it. A model does not see it unless it is a Speaker.
type Custom interface {
	Role() string
}

// Speaker is a Custom message that a model shall see.
type Speaker interface {
	Custom
	ForModel() llm.Message
}

// Attachment is a file that goes with a user's message. Reading files and
// extracting their text is the caller's.
type Attachment struct {
	ID            string `json:"id"`
	Type          string `json:"type"` // AttachImage or AttachDocument
	FileName      string `json:"fileName"`
	MIMEType      string `json:"mimeType"`
	Size          int64  `json:"size"`
	Content       []byte `json:"content"` // base64 in JSON
	ExtractedText string `json:"extractedText,omitempty"`
	Preview       []byte `json:"preview,omitempty"` // a small image for screens
}

const (
	AttachImage    = "image"
	AttachDocument = "document"
)

// UserMessage is what a user says, with files.
func UserMessage(text string, attachments ...Attachment) Message {
	m := Message{Message: llm.User(text), Attachments: attachments}
	m.Time = time.Now()
	return m
}

// CustomMessage is a message of the application's own kind.
func CustomMessage(c Custom) Message {
	m := Message{Custom: c}
	m.Time = time.Now()
	return m
}

// MarshalJSON writes the form of the session file.
func (m Message) MarshalJSON() ([]byte, error) {
	if m.Custom != nil {
		data, err := json.Marshal(m.Custom)
		if err != nil {
			return nil, err
		}
		if len(data) == 0 || data[0] != '{' {
			return nil, fmt.Errorf("the message kind %q is not an object in JSON", m.Custom.Role())
		}
		return withRole(data, m.Custom.Role()), nil
	}
	data, err := json.Marshal(m.Message)
	if err != nil || len(m.Attachments) == 0 {
		return data, err
	}
	files, err := json.Marshal(m.Attachments)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(data[:len(data)-1], `,"attachments":%s}`, files), nil
}

// withRole puts the role into a JSON object, as its first field.
func withRole(object []byte, role string) []byte {
	out := fmt.Appendf(nil, `{"role":%q`, role)
	if rest := bytes.TrimSpace(object[1:]); len(rest) > 0 && rest[0] != '}' {
		out = append(out, ',')
	}
	return append(out, object[1:]...)
}

// UnmarshalJSON reads a message of the conversation itself. Kinds.Decode also
// reads the application's own.
func (m *Message) UnmarshalJSON(data []byte) error {
	decoded, err := Kinds(nil).Decode(data)
	*m = decoded
	return err
}

// Kinds makes empty messages of the application's own kinds, by their role, to
// decode into. The values are pointers.
type Kinds map[string]func() Custom

// Decode reads a message. A kind that is not registered is kept as it is, as an
// Unknown, so that nothing is lost by reading and writing it.
func (k Kinds) Decode(data []byte) (Message, error) {
	var head struct {
		Role        string       `json:"role"`
		Attachments []Attachment `json:"attachments"`
		Timestamp   time.Time    `json:"timestamp"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Message{}, fmt.Errorf("decode a message: %w", err)
	}
	switch llm.Role(head.Role) {
	case llm.RoleUser, llm.RoleAssistant, llm.RoleTool:
		m := Message{Attachments: head.Attachments}
		if err := m.Message.UnmarshalJSON(data); err != nil {
			return Message{}, fmt.Errorf("decode a message of %s: %w", head.Role, err)
		}
		return m, nil
	case "":
		return Message{}, fmt.Errorf("decode a message: it has no role")
	}
	m := Message{Message: llm.Message{Time: head.Timestamp}}
	switch make := k.find(head.Role); {
	case make == nil:
		m.Custom = Unknown{role: head.Role, data: bytes.Clone(data)}
	default:
		c := make()
		if err := json.Unmarshal(data, c); err != nil {
			return Message{}, fmt.Errorf("decode a message of kind %s: %w", head.Role, err)
		}
		m.Custom = c
	}
	return m, nil
}

func (k Kinds) find(role string) func() Custom {
	if role == summaryRole {
		return func() Custom { return new(Summary) }
	}
	return k[role]
}

// Unknown is a message of a kind that nobody registered, as it was read.
type Unknown struct {
	role string
	data []byte
}

func (u Unknown) Role() string { return u.role }

// MarshalJSON writes what was read, without the role, which is added again.
func (u Unknown) MarshalJSON() ([]byte, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(u.data, &fields); err != nil {
		return nil, err
	}
	delete(fields, "role")
	return json.Marshal(fields)
}
