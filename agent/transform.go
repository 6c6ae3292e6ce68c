package agent

import (
	"fmt"
	"slices"

	"redline/llm"
)

// Transformer makes what a model is sent of what the application keeps. It must
// not change the messages.
type Transformer func([]Message) ([]llm.Message, error)

// Transform is the usual Transformer: it leaves out the application's own kinds
// but Speakers, and puts attachments into the content of their message. An image
// becomes an image block; a PDF becomes a document block with its text for models
// that read no PDF; of any other document only the text can be sent. What cannot
// be sent is an error in what the user said since the last answer; in older
// messages it becomes a line of text, so that a conversation goes on.
func Transform(messages []Message) ([]llm.Message, error) {
	out := make([]llm.Message, 0, len(messages))
	answered := lastAnswer(messages)
	for i, m := range messages {
		switch s, speaks := m.Custom.(Speaker); {
		case speaks:
			out = append(out, s.ForModel())
		case m.Custom != nil:
		case len(m.Attachments) == 0:
			out = append(out, m.Message)
		default:
			expanded, err := expand(m)
			if err != nil && i > answered {
				return nil, err
			}
			out = append(out, expanded)
		}
	}
	return out, nil
}

// lastAnswer is the index of the model's last message, or -1.
func lastAnswer(messages []Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == llm.RoleAssistant {
			return i
		}
	}
	return -1
}

// expand puts the attachments of a message into its content. In the place of one
// that cannot be sent is a line of text; the error says why of the first.
func expand(m Message) (said llm.Message, err error) {
	said = m.Message
	said.Content = append([]llm.Block(nil), m.Content...)
	for _, a := range m.Attachments {
		b, wrong := a.block()
		if wrong != nil {
			b = llm.Text{Text: fmt.Sprintf("[the attachment %s, which cannot be read]", a.FileName)}
		}
		if err == nil {
			err = wrong
		}
		said.Content = append(said.Content, b)
	}
	return said, err
}

func (a Attachment) block() (llm.Block, error) {
	switch {
	case a.Type == AttachImage:
		return llm.Image{MIMEType: a.MIMEType, Data: a.Content}, nil
	case a.Type != AttachDocument:
		return nil, fmt.Errorf("the attachment %s is of the unknown type %q: use %q or %q", a.FileName, a.Type, AttachImage, AttachDocument)
	case a.MIMEType == "application/pdf":
		return llm.Document{Name: a.FileName, MIMEType: a.MIMEType, Data: a.Content, Text: a.ExtractedText}, nil
	case a.ExtractedText == "":
		return nil, fmt.Errorf("the attachment %s (%s) came without its text, and models read only PDF and images: extract the text first", a.FileName, a.MIMEType)
	}
	return llm.Text{Text: llm.Document{Name: a.FileName, Text: a.ExtractedText}.AsText()}, nil
}

// fitImages keeps the newest images and documents up to a number of bytes and puts
// text in the place of older ones.
func fitImages(messages []llm.Message, budget int) []llm.Message {
	out, left := messages, budget
	for i := len(messages) - 1; i >= 0; i-- {
		m := messages[i]
		content := m.Content
		for j := len(content) - 1; j >= 0; j-- {
			size := imageBytes(content[j])
			if size == 0 {
				continue
			}
			if left -= size; left >= 0 {
				continue
			}
			if &content[0] == &messages[i].Content[0] { // ours from here on
				content = append([]llm.Block(nil), content...)
			}
			content[j] = withoutImages(content[j])
		}
		if len(content) > 0 && &content[0] != &m.Content[0] {
			if &out[0] == &messages[0] {
				out = append([]llm.Message(nil), messages...)
			}
			out[i].Content = content
		}
	}
	return out
}

func imageBytes(b llm.Block) int {
	n := 0
	switch b := b.(type) {
	case llm.Image:
		n = len(b.Data)
	case llm.Document:
		n = len(b.Data)
	case llm.ToolResult:
		for _, image := range b.Images {
			n += len(image.Data)
		}
	}
	return n
}

func withoutImages(b llm.Block) llm.Block {
	const gone = "[an older image, left out to save space]"
	if r, ok := b.(llm.ToolResult); ok {
		r.Images = nil
		if r.Output != "" {
			r.Output += "\n"
		}
		r.Output += gone
		return r
	}
	if d, ok := b.(llm.Document); ok {
		if d.Text != "" {
			return llm.Text{Text: d.AsText()}
		}
		return llm.Text{Text: fmt.Sprintf("[the document %s, left out to save space]", d.Name)}
	}
	return llm.Text{Text: gone}
}
