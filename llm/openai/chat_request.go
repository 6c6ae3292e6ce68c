package openai

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"redline/llm"
)

// request is what a server of this dialect is sent.
func (d dialect) request(req llm.Request) (sdk.ChatCompletionNewParams, error) {
	p := sdk.ChatCompletionNewParams{Model: req.Model.ID}
	extra := map[string]any{"stream": true}
	d.thinking(&p, extra, req)
	if d.usage {
		p.StreamOptions.IncludeUsage = param.NewOpt(true)
	}
	if d.store {
		p.Store = param.NewOpt(false)
	}
	if d.cacheKey && req.CacheKey != "" {
		p.PromptCacheKey = param.NewOpt(req.CacheKey)
	}
	if req.MaxTokens > 0 {
		extra[d.limit] = req.MaxTokens
	}
	if req.Temperature != nil && req.Model.Can.Temperature {
		p.Temperature = param.NewOpt(*req.Temperature)
	}
	system, err := d.format(&p, req)
	if err != nil {
		return p, err
	}
	if err := d.tools(&p, req); err != nil {
		return p, err
	}
	p.Messages = d.messages(system, req)
	p.SetExtraFields(extra)
	return p, nil
}

// thinking asks for as much of it as the request wants.
func (d dialect) thinking(p *sdk.ChatCompletionNewParams, extra map[string]any, req llm.Request) {
	if req.Model.Thinking == "" {
		return
	}
	level := req.Thinking
	if !level.On() {
		level = llm.ThinkOff
	}
	word := d.word(req.Model, level)
	for _, ask := range d.ask {
		switch {
		case ask == askToggle:
			state := "disabled"
			if level.On() {
				state = "enabled"
			}
			extra["thinking"] = map[string]any{"type": state}
		case ask == askTemplate:
			arguments := map[string]any{"enable_thinking": level.On()}
			if word != "" {
				arguments["reasoning_effort"] = word
			}
			extra["chat_template_kwargs"] = arguments
		case word == "":
		case ask == askEffort:
			p.ReasoningEffort = shared.ReasoningEffort(word)
		case ask == askObject:
			extra["reasoning"] = map[string]any{"effort": word}
		}
	}
}

// format asks for structured output and returns the system prompt, which says
// the schema where the server does not enforce it.
func (d dialect) format(p *sdk.ChatCompletionNewParams, req llm.Request) (string, error) {
	o := req.Output
	if o == nil {
		return req.System, nil
	}
	schema, err := object("the output", o.Schema)
	if err != nil {
		return "", err
	}
	switch {
	case d.output == outputSchema && req.Model.Can.Structured:
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: o.Name, Schema: schema, Strict: param.NewOpt(strict(o.Schema))},
		}
		return req.System, nil
	case d.output == outputObject:
		p.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	}
	return telling(req.System, o), nil
}

func (d dialect) tools(p *sdk.ChatCompletionNewParams, req llm.Request) error {
	tools, choice := req.Tools, req.ToolChoice
	if len(tools) == 0 {
		return nil
	}
	named := slices.IndexFunc(tools, func(t llm.ToolSpec) bool { return t.Name == choice })
	if named >= 0 && d.anyChoice {
		tools, choice, named = tools[named:named+1], "required", -1
	}
	for _, t := range tools {
		schema, err := object("tool "+t.Name, t.Schema)
		if err != nil {
			return err
		}
		p.Tools = append(p.Tools, sdk.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: t.Name, Description: param.NewOpt(t.Description), Parameters: schema,
		}))
	}
	switch {
	case named >= 0:
		p.ToolChoice = sdk.ToolChoiceOptionFunctionToolChoice(sdk.ChatCompletionNamedToolChoiceFunctionParam{Name: choice})
	case choice != "":
		p.ToolChoice.OfAuto = param.NewOpt(choice)
	}
	if d.parallel {
		p.ParallelToolCalls = param.NewOpt(true)
	}
	return nil
}

func (d dialect) messages(system string, req llm.Request) []sdk.ChatCompletionMessageParamUnion {
	var out []sdk.ChatCompletionMessageParamUnion
	switch {
	case system == "":
	case d.developer && req.Model.Thinking != "":
		out = append(out, sdk.DeveloperMessage(system))
	default:
		out = append(out, sdk.SystemMessage(system))
	}
	var pictures []sdk.ChatCompletionContentPartUnionParam
	for _, m := range llm.Adapt(req.Messages, req.Model, d.ids) {
		if m.Role != llm.RoleTool && len(pictures) > 0 {
			out, pictures = append(out, sdk.UserMessage(pictures)), nil
		}
		switch m.Role {
		case llm.RoleUser:
			out = append(out, userMessage(m))
		case llm.RoleAssistant:
			if said, ok := d.assistantMessage(m); ok {
				out = append(out, said)
			}
		case llm.RoleTool:
			r, _ := m.ToolResult()
			out = append(out, sdk.ToolMessage(outcome(r), r.CallID))
			pictures = append(pictures, picturesOf(r)...)
		}
	}
	if len(pictures) > 0 {
		out = append(out, sdk.UserMessage(pictures))
	}
	return out
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

// picturesOf are the images of a tool's result. The role tool has text alone, so
// a message of the user follows the results with their images.
func picturesOf(r llm.ToolResult) []sdk.ChatCompletionContentPartUnionParam {
	if len(r.Images) == 0 {
		return nil
	}
	parts := []sdk.ChatCompletionContentPartUnionParam{sdk.TextContentPart(fmt.Sprintf("[images in the result of %s, call %s]", r.Name, r.CallID))}
	for _, i := range r.Images {
		parts = append(parts, imagePart(i))
	}
	return parts
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
