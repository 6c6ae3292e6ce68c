package google

import (
	"fmt"
	"mime"
	"slices"
	"strings"

	"redline/llm"
)

// unsigned is the documented signature of calls that Gemini 3 did not make. It
// wants one on the first call of every step, at least since the user spoke last.
// All steps get it, so that the beginning of a conversation stays the same from
// turn to turn and is found in the cache.
const unsigned = "skip_thought_signature_validator"

// conversation is a history on its way into the protocol's words.
type conversation struct {
	model    llm.Model
	contents []content
	given    map[string]string // the id of each call as the service knows it
	images   []part            // of results, to follow the last of them
}

func contentsOf(req llm.Request) ([]content, error) {
	messages := llm.Adapt(req.Messages, req.Model, llm.PlainIDs)
	newest := 1 + lastAssistant(messages)
	c := conversation{model: req.Model, given: map[string]string{}}
	for i, m := range messages {
		if r, ok := m.ToolResult(); ok {
			c.result(r)
			continue
		}
		c.flush()
		if m.Role == llm.RoleAssistant {
			c.assistant(m)
		} else if err := c.user(m, i >= newest); err != nil {
			return nil, err
		}
	}
	c.flush()
	return c.contents, nil
}

func lastAssistant(messages []llm.Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == llm.RoleAssistant {
			return i
		}
	}
	return -1
}

// add puts parts at the end of the conversation. Turns of one role are one.
func (c *conversation) add(role string, parts ...part) {
	if n := len(c.contents); n > 0 && c.contents[n-1].Role == role {
		c.contents[n-1].Parts = append(c.contents[n-1].Parts, parts...)
	} else if len(parts) > 0 {
		c.contents = append(c.contents, content{role, parts})
	}
}

// flush adds the images of the results before it: responses to calls of one
// step must not be parted.
func (c *conversation) flush() {
	c.add("user", c.images...)
	c.images = nil
}

func textPart(s string) part { return part{Text: &s} }

func dataPart(mimeType string, data []byte) part {
	return part{InlineData: &blob{mimeType, data}}
}

func (c *conversation) user(m llm.Message, newest bool) error {
	for _, block := range m.Content {
		switch b := block.(type) {
		case llm.Text:
			c.add("user", textPart(b.Text))
		case llm.Image:
			c.add("user", dataPart(b.MIMEType, b.Data))
		case llm.Document:
			p, ok := documentPart(b)
			if !ok && newest {
				return &llm.Failure{
					Class:   llm.ClassInvalidRequest,
					Message: fmt.Sprintf("Gemini reads PDF and text, but %s is %s; convert it first", b.Name, b.MIMEType),
				}
			}
			c.add("user", p)
		}
	}
	return nil
}

// documentPart is a PDF as it is, and any other document as text. One that has
// no text is only mentioned, and ok is false.
func documentPart(d llm.Document) (p part, ok bool) {
	kind, _, _ := mime.ParseMediaType(d.MIMEType)
	switch {
	case kind == "application/pdf" && len(d.Data) > 0:
		return dataPart(kind, d.Data), true
	case d.Text != "":
		return textPart(d.AsText()), true
	case strings.HasPrefix(kind, "text/") || kind == "application/json":
		d.Text = string(d.Data)
		return textPart(d.AsText()), true
	}
	return textPart(fmt.Sprintf("[the document %s (%s), which this model cannot read]", d.Name, d.MIMEType)), false
}

func (c *conversation) assistant(m llm.Message) {
	calls := 0
	for _, block := range m.Content {
		switch b := block.(type) {
		case llm.Text:
			p := textPart(b.Text)
			p.ThoughtSignature = b.Signature
			c.add("model", p)
		case llm.Thinking:
			p := textPart(b.Text)
			p.Thought, p.ThoughtSignature = true, b.Signature
			c.add("model", p)
		case llm.ToolCall:
			if calls++; calls == 1 && b.Signature == "" && isGemini3(c.model) {
				b.Signature = unsigned
			}
			c.given[b.ID] = givenID(m.Reply, b.ID)
			c.add("model", part{
				FunctionCall:     &functionCall{ID: c.given[b.ID], Name: b.Name, Args: b.Arguments},
				ThoughtSignature: b.Signature,
			})
		}
	}
}

// givenID is a call's id, or "" if it was made here because the service gave
// none.
func givenID(r *llm.Reply, id string) string {
	if r != nil && r.ResponseID != "" && strings.HasPrefix(id, madePrefix(r.ResponseID)) {
		return ""
	}
	return id
}

// result adds the response to a call. Gemini 3 takes images inside of it; for
// models before it they follow as parts of their own.
func (c *conversation) result(r llm.ToolResult) {
	response := functionResponse{ID: c.given[r.CallID], Name: r.Name}
	for _, image := range r.Images {
		p := dataPart(image.MIMEType, image.Data)
		if isGemini3(c.model) {
			response.Parts = append(response.Parts, p)
		} else {
			c.images = append(c.images, textPart(fmt.Sprintf("The image that %s returned:", r.Name)), p)
		}
	}
	word := "output"
	if r.IsError {
		word = "error"
	}
	response.Response = map[string]string{word: r.Output}
	c.add("user", part{FunctionResponse: &response})
}
