package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"redline/llm"
)

// talk is a conversation as a server of one dialect wants it.
type talk struct {
	dialect
	out      []sdk.ChatCompletionMessageParamUnion
	pictures []sdk.ChatCompletionContentPartUnionParam // of the results before
	tool     bool                                      // the last message is a tool's
}

func (d dialect) messages(system string, req llm.Request) []sdk.ChatCompletionMessageParamUnion {
	t := talk{dialect: d}
	switch {
	case system == "":
	case d.developer && req.Model.Thinking != "":
		t.add(sdk.DeveloperMessage(system))
	default:
		t.add(sdk.SystemMessage(system))
	}
	for _, m := range llm.Adapt(req.Messages, req.Model, d.ids) {
		switch m.Role {
		case llm.RoleUser:
			t.show()
			t.bridge()
			t.add(userMessage(m))
		case llm.RoleAssistant:
			t.show()
			if said, ok := d.assistantMessage(m); ok {
				t.add(said)
			}
		case llm.RoleTool:
			r, _ := m.ToolResult()
			t.result(r)
		}
	}
	t.show()
	if n := len(t.out); d.userLast && n > 0 && t.out[n-1].OfAssistant != nil {
		t.add(sdk.UserMessage("Continue.")) // the answer before was cut off
	}
	return t.out
}

func (t *talk) add(m sdk.ChatCompletionMessageParamUnion) {
	t.out, t.tool = append(t.out, m), false
}

func (t *talk) bridge() {
	if t.tool && t.dialect.bridge {
		t.add(sdk.AssistantMessage("(interrupted)"))
	}
}

// result adds a tool's. In most dialects the role tool has text alone: then a
// message of the user follows all results with their images.
func (t *talk) result(r llm.ToolResult) {
	text := outcome(r)
	answer := sdk.ToolMessage(text, r.CallID)
	var parts []sdk.ChatCompletionContentPartUnionParam
	for _, i := range r.Images {
		parts = append(parts, imagePart(i))
	}
	switch {
	case len(parts) == 0:
	case t.images:
		if text != "" {
			parts = append([]sdk.ChatCompletionContentPartUnionParam{sdk.TextContentPart(text)}, parts...)
		}
		answer.OfTool.SetExtraFields(map[string]any{"content": parts})
	default:
		t.pictures = append(t.pictures, sdk.TextContentPart(fmt.Sprintf("[images in the result of %s, call %s]", r.Name, r.CallID)))
		t.pictures = append(t.pictures, parts...)
	}
	t.add(answer)
	t.tool = true
}

// show adds the images of the results that went before.
func (t *talk) show() {
	if len(t.pictures) > 0 {
		t.add(sdk.UserMessage(t.pictures))
		t.pictures = nil
	}
}

func userMessage(m llm.Message) sdk.ChatCompletionMessageParamUnion {
	if t, ok := m.Content[0].(llm.Text); ok && len(m.Content) == 1 {
		return sdk.UserMessage(t.Text)
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
	return sdk.UserMessage(parts)
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

// assistantMessage is what the model said, if that is more than thinking.
func (d dialect) assistantMessage(m llm.Message) (sdk.ChatCompletionMessageParamUnion, bool) {
	var said sdk.ChatCompletionAssistantMessageParam
	for _, c := range m.ToolCalls() {
		said.ToolCalls = append(said.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
			ID: c.ID, Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: string(c.Arguments)},
		}})
	}
	text := m.Text()
	if text != "" {
		said.Content.OfString = param.NewOpt(text)
	}
	d.remind(&said, m, text)
	return sdk.ChatCompletionMessageParamUnion{OfAssistant: &said}, text != "" || len(said.ToolCalls) > 0
}

// remind gives the model its own thinking back. Adapt has taken out that of
// others.
func (d dialect) remind(said *sdk.ChatCompletionAssistantMessageParam, m llm.Message, text string) {
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
	needed := thought != "" || d.replayEmpty && len(said.ToolCalls) > 0
	switch {
	case d.replay == replayDetails && len(details) > 0:
		said.SetExtraFields(map[string]any{"reasoning_details": details})
	case d.replay == replayContent && needed:
		said.SetExtraFields(map[string]any{"reasoning_content": thought})
	case d.replay == replayText && needed:
		said.SetExtraFields(map[string]any{"reasoning": thought})
	case d.replay == replayChunks && needed:
		chunks := []contentChunk{{Type: "thinking", Thinking: []contentChunk{{Type: "text", Text: thought}}}}
		if text != "" {
			chunks = append(chunks, contentChunk{Type: "text", Text: text})
		}
		said.Content.OfString = param.Opt[string]{}
		said.SetExtraFields(map[string]any{"content": chunks})
	}
}
