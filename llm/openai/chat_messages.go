package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"redline/llm"
)

// talk writes a conversation as a server of one dialect wants it.
type talk struct {
	dialect
	*writer
	pictures []sdk.ChatCompletionContentPartUnionParam // of the results before
	last     llm.Role                                  // of the last message
	err      error                                     // the first of the SDK's
}

// messages writes the system prompt and the messages, which have been adapted.
func (d dialect) messages(w *writer, system string, model llm.Model, messages []llm.Message) error {
	t := talk{dialect: d, writer: w}
	switch {
	case system == "":
	case d.developer && model.Thinking != "":
		t.said("developer", system)
	default:
		t.said("system", system)
	}
	for _, m := range messages {
		switch m.Role {
		case llm.RoleUser:
			t.show()
			t.bridge()
			t.user(m)
		case llm.RoleAssistant:
			t.show()
			t.reply(m)
		case llm.RoleTool:
			r, _ := m.ToolResult()
			t.answer(r)
		}
	}
	t.show()
	if d.userLast && t.last == llm.RoleAssistant {
		t.begin(llm.RoleUser)
		t.said("user", "Continue.") // the answer before was cut off
	}
	return t.err
}

// begin begins a message.
func (t *talk) begin(role llm.Role) {
	t.element()
	t.last = role
}

// add writes a message that is not plain.
func (t *talk) add(role llm.Role, m sdk.ChatCompletionMessageParamUnion) {
	t.begin(role)
	if err := t.value(m); err != nil && t.err == nil {
		t.err = err
	}
}

func (t *talk) bridge() {
	if t.last == llm.RoleTool && t.dialect.bridge {
		t.begin(llm.RoleAssistant)
		t.said("assistant", "(interrupted)")
	}
}

// answer adds a tool's. In most dialects the role tool has text alone: then a
// message of the user follows all results with their images.
func (t *talk) answer(r llm.ToolResult) {
	text := outcome(r)
	var parts []sdk.ChatCompletionContentPartUnionParam
	for _, i := range r.Images {
		parts = append(parts, imagePart(i))
	}
	if len(parts) > 0 && t.images {
		if text != "" {
			parts = append([]sdk.ChatCompletionContentPartUnionParam{sdk.TextContentPart(text)}, parts...)
		}
		answer := sdk.ToolMessage(text, r.CallID)
		answer.OfTool.SetExtraFields(map[string]any{"content": parts})
		t.add(llm.RoleTool, answer)
		return
	}
	if len(parts) > 0 {
		t.pictures = append(t.pictures, sdk.TextContentPart(fmt.Sprintf("[images in the result of %s, call %s]", r.Name, r.CallID)))
		t.pictures = append(t.pictures, parts...)
	}
	t.begin(llm.RoleTool)
	t.result(text, r.CallID)
}

// show adds the images of the results that went before.
func (t *talk) show() {
	if len(t.pictures) > 0 {
		t.add(llm.RoleUser, sdk.UserMessage(t.pictures))
		t.pictures = nil
	}
}

func (t *talk) user(m llm.Message) {
	if text, ok := m.Content[0].(llm.Text); ok && len(m.Content) == 1 {
		t.begin(llm.RoleUser)
		t.said("user", text.Text)
		return
	}
	var parts []sdk.ChatCompletionContentPartUnionParam
	for _, block := range m.Content {
		switch b := block.(type) {
		case llm.Text:
			parts = append(parts, sdk.TextContentPart(b.Text))
		case llm.Image:
			parts = append(parts, imagePart(b))
		case llm.Document:
			parts = append(parts, documentPart(b))
		}
	}
	t.add(llm.RoleUser, sdk.UserMessage(parts))
}

func imagePart(i llm.Image) sdk.ChatCompletionContentPartUnionParam {
	return sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{URL: dataURL(i.MIMEType, i.Data)})
}

func documentPart(d llm.Document) sdk.ChatCompletionContentPartUnionParam {
	if text, ok := asText(d); ok {
		return sdk.TextContentPart(text)
	}
	return sdk.FileContentPart(sdk.ChatCompletionContentPartFileFileParam{
		Filename: param.NewOpt(fileName(d)), FileData: param.NewOpt(dataURL(d.MIMEType, d.Data)),
	})
}

// reply adds what the model said, if that is more than thinking.
func (t *talk) reply(m llm.Message) {
	text, calls := m.Text(), 0
	for _, block := range m.Content {
		if _, ok := block.(llm.ToolCall); ok {
			calls++
		}
	}
	if text == "" && calls == 0 {
		return
	}
	field, thinking := t.remind(m, text, calls > 0)
	if field == "" {
		t.begin(llm.RoleAssistant)
		t.assistant(text, m.Content)
		return
	}
	var said sdk.ChatCompletionAssistantMessageParam
	for _, c := range m.ToolCalls() {
		said.ToolCalls = append(said.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
			ID: c.ID, Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: string(c.Arguments)},
		}})
	}
	if text != "" && field != "content" {
		said.Content.OfString = param.NewOpt(text)
	}
	said.SetExtraFields(map[string]any{field: thinking})
	t.add(llm.RoleAssistant, sdk.ChatCompletionMessageParamUnion{OfAssistant: &said})
}

// remind gives the model its own thinking back, in a field of the message. Adapt
// has taken out that of others.
func (d dialect) remind(m llm.Message, text string, calls bool) (field string, thinking any) {
	var thoughts []string
	var details []json.RawMessage
	for _, block := range m.Content {
		th, ok := block.(llm.Thinking)
		if !ok {
			continue
		}
		if th.Text != "" {
			thoughts = append(thoughts, th.Text)
		}
		var list []json.RawMessage
		if json.Unmarshal([]byte(th.Signature), &list) == nil {
			details = append(details, list...)
		}
	}
	thought := strings.Join(thoughts, "\n\n")
	needed := thought != "" || d.replayEmpty && calls
	switch {
	case d.replay == replayDetails && len(details) > 0:
		return "reasoning_details", details
	case d.replay == replayContent && needed:
		return "reasoning_content", thought
	case d.replay == replayText && needed:
		return "reasoning", thought
	case d.replay == replayChunks && needed:
		chunks := []contentChunk{{Type: "thinking", Thinking: []contentChunk{{Type: "text", Text: thought}}}}
		if text != "" {
			chunks = append(chunks, contentChunk{Type: "text", Text: text})
		}
		return "content", chunks
	}
	return "", nil
}
