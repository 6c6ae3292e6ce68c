package agent

import (
	"fmt"

	"redline/llm"
)

// Transformer makes what a model is sent of what the application keeps. It must
// not change the messages.
type Transformer func([]Message) ([]llm.Message, error)

// Transform is the usual Transformer: it leaves out the application's own kinds
// but Speakers, and puts attachments into the content of their message. An image
// becomes an image block; a PDF becomes a document block with its text for models
// that read no PDF; of any other document only the text can be sent.
func Transform(messages []Message) ([]llm.Message, error) {
	out := make([]llm.Message, 0, len(messages))
	for _, m := range messages {
		switch s, speaks := m.Custom.(Speaker); {
		case speaks:
			out = append(out, s.ForModel())
		case m.Custom != nil:
		case len(m.Attachments) == 0:
			out = append(out, m.Message)
		default:
			expanded, err := expand(m)
			if err != nil {
				return nil, err
			}
			out = append(out, expanded)
		}
	}
	return out, nil
}

func expand(m Message) (llm.Message, error) {
	said := m.Message
	said.Content = append([]llm.Block(nil), m.Content...)
	for _, a := range m.Attachments {
		switch {
		case a.Type == AttachImage:
			said.Content = append(said.Content, llm.Image{MIMEType: a.MIMEType, Data: a.Content})
		case a.Type != AttachDocument:
			return said, fmt.Errorf("the attachment %s is of the unknown type %q: use %q or %q", a.FileName, a.Type, AttachImage, AttachDocument)
		case a.MIMEType == "application/pdf":
			said.Content = append(said.Content, llm.Document{Name: a.FileName, MIMEType: a.MIMEType, Data: a.Content, Text: a.ExtractedText})
		case a.ExtractedText == "":
			return said, fmt.Errorf("the attachment %s (%s) came without its text, and models read only PDF and images: extract the text first", a.FileName, a.MIMEType)
		default:
			said.Content = append(said.Content, llm.Text{Text: llm.Document{Name: a.FileName, Text: a.ExtractedText}.AsText()})
		}
	}
	return said, nil
}

// fitImages keeps the newest images up to a number of bytes and puts a line of
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
	return llm.Text{Text: gone}
}
