package openai

import (
	"encoding/json"
	"slices"

	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"redline/llm"
)

// responsesIDs: call_id takes 64 bytes.
var responsesIDs = llm.IDRule{Max: 64}

func responsesRequest(req llm.Request) (responses.ResponseNewParams, error) {
	p := responses.ResponseNewParams{Model: req.Model.ID, Store: param.NewOpt(false)}
	p.SetExtraFields(map[string]any{"stream": true})
	if req.CacheKey != "" {
		p.PromptCacheKey = param.NewOpt(req.CacheKey)
	}
	if req.MaxTokens > 0 {
		p.MaxOutputTokens = param.NewOpt(int64(roomy(req)))
	}
	if req.Temperature != nil && req.Model.Can.Temperature {
		p.Temperature = param.NewOpt(*req.Temperature)
	}
	if req.Model.Thinking != "" {
		p.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
		p.Reasoning = reasoning(req)
	}
	system, err := responsesFormat(&p, req)
	if err != nil {
		return p, err
	}
	if system != "" {
		p.Instructions = param.NewOpt(system)
	}
	if err := responsesTools(&p, req); err != nil {
		return p, err
	}
	p.Input.OfInputItemList = input(req)
	return p, nil
}

// reasoning asks for thinking and for its summary: OpenAI shows no more of it.
// Without thinking nothing is asked for, unless the model has a word for none.
func reasoning(req llm.Request) shared.ReasoningParam {
	if !req.Thinking.On() {
		return shared.ReasoningParam{Effort: shared.ReasoningEffort(req.Model.Efforts[llm.ThinkOff])}
	}
	return shared.ReasoningParam{Effort: shared.ReasoningEffort(req.Model.Effort(req.Thinking)), Summary: shared.ReasoningSummaryAuto}
}

func responsesFormat(p *responses.ResponseNewParams, req llm.Request) (system string, err error) {
	o := req.Output
	if o == nil {
		return req.System, nil
	}
	schema, err := object("the output", o.Schema)
	if err != nil {
		return "", err
	}
	if !req.Model.Can.Structured {
		return telling(req.System, o), nil
	}
	p.Text.Format.OfJSONSchema = &responses.ResponseFormatTextJSONSchemaConfigParam{Name: o.Name, Schema: schema, Strict: param.NewOpt(strict(o.Schema))}
	return req.System, nil
}

func responsesTools(p *responses.ResponseNewParams, req llm.Request) error {
	if len(req.Tools) == 0 {
		return nil
	}
	for _, t := range req.Tools {
		schema, err := object("tool "+t.Name, t.Schema)
		if err != nil {
			return err
		}
		// Strict, the default, would refuse schemas with optional arguments.
		p.Tools = append(p.Tools, responses.ToolUnionParam{OfFunction: &responses.FunctionToolParam{
			Name: t.Name, Description: param.NewOpt(t.Description), Parameters: schema, Strict: param.NewOpt(false),
		}})
	}
	switch choice := req.ToolChoice; {
	case slices.ContainsFunc(req.Tools, func(t llm.ToolSpec) bool { return t.Name == choice }):
		p.ToolChoice.OfFunctionTool = &responses.ToolChoiceFunctionParam{Name: choice}
	case choice != "":
		p.ToolChoice.OfToolChoiceMode = param.NewOpt(responses.ToolChoiceOptions(choice))
	}
	return nil
}

// input is the conversation as items. Items carry no ids but reasoning, which
// must have one: the server keeps none of them, and where it knows ids it asks
// for the items that stood beside them.
func input(req llm.Request) responses.ResponseInputParam {
	var items responses.ResponseInputParam
	for _, m := range llm.Adapt(req.Messages, req.Model, responsesIDs) {
		switch m.Role {
		case llm.RoleUser:
			items = append(items, userItem(m))
		case llm.RoleAssistant:
			items = append(items, assistantItems(m)...)
		case llm.RoleTool:
			r, _ := m.ToolResult()
			items = append(items, resultItem(r))
		}
	}
	return items
}

func userItem(m llm.Message) responses.ResponseInputItemUnionParam {
	if t, ok := m.Content[0].(llm.Text); ok && len(m.Content) == 1 {
		return responses.ResponseInputItemParamOfMessage(t.Text, responses.EasyInputMessageRoleUser)
	}
	var parts responses.ResponseInputMessageContentListParam
	for _, block := range m.Content {
		switch b := block.(type) {
		case llm.Text:
			parts = append(parts, responses.ResponseInputContentParamOfInputText(b.Text))
		case llm.Image:
			parts = append(parts, responses.ResponseInputContentUnionParam{OfInputImage: &responses.ResponseInputImageParam{
				Detail: responses.ResponseInputImageDetailAuto, ImageURL: param.NewOpt(dataURL(b.MIMEType, b.Data)),
			}})
		case llm.Document:
			parts = append(parts, documentContent(b))
		}
	}
	return responses.ResponseInputItemParamOfMessage(parts, responses.EasyInputMessageRoleUser)
}

func documentContent(d llm.Document) responses.ResponseInputContentUnionParam {
	if text, ok := asText(d); ok {
		return responses.ResponseInputContentParamOfInputText(text)
	}
	return responses.ResponseInputContentUnionParam{OfInputFile: &responses.ResponseInputFileParam{
		Filename: param.NewOpt(fileName(d)), FileData: param.NewOpt(dataURL(d.MIMEType, d.Data)),
	}}
}

// assistantItems is what the model said, in its order. Reasoning must be
// followed by what it led to, so that of an interrupted answer stays out.
func assistantItems(m llm.Message) responses.ResponseInputParam {
	var items, thoughts responses.ResponseInputParam
	for _, block := range m.Content {
		switch b := block.(type) {
		case llm.Thinking:
			if thought, ok := reasoningItem(b); ok {
				thoughts = append(thoughts, thought)
			}
			continue
		case llm.Text:
			if b.Text == "" {
				continue
			}
			said := responses.ResponseInputItemParamOfMessage(b.Text, responses.EasyInputMessageRoleAssistant)
			said.OfMessage.Phase = responses.EasyInputMessagePhase(b.Signature)
			thoughts = append(thoughts, said)
		case llm.ToolCall:
			thoughts = append(thoughts, responses.ResponseInputItemParamOfFunctionCall(string(b.Arguments), b.ID, b.Name))
		}
		items, thoughts = append(items, thoughts...), nil
	}
	return items
}

// reasoningItem is the item that thinking was. Without its encrypted content
// the server, which has kept nothing, would look for it in vain.
func reasoningItem(th llm.Thinking) (responses.ResponseInputItemUnionParam, bool) {
	var kept struct {
		ID        string `json:"id"`
		Encrypted string `json:"encrypted_content"`
		Summary   []struct {
			Text string `json:"text"`
		} `json:"summary"`
	}
	if json.Unmarshal([]byte(th.Signature), &kept) != nil || kept.Encrypted == "" {
		return responses.ResponseInputItemUnionParam{}, false
	}
	summary := []responses.ResponseReasoningItemSummaryParam{}
	for _, part := range kept.Summary {
		summary = append(summary, responses.ResponseReasoningItemSummaryParam{Text: part.Text})
	}
	thought := responses.ResponseInputItemParamOfReasoning(kept.ID, summary)
	thought.OfReasoning.EncryptedContent = param.NewOpt(kept.Encrypted)
	return thought, true
}

func resultItem(r llm.ToolResult) responses.ResponseInputItemUnionParam {
	text := outcome(r)
	answer := responses.ResponseInputItemFunctionCallOutputParam{CallID: param.NewOpt(r.CallID)}
	if len(r.Images) == 0 {
		answer.Output.OfString = param.NewOpt(text)
		return responses.ResponseInputItemUnionParam{OfFunctionCallOutput: &answer}
	}
	var parts responses.ResponseFunctionCallOutputItemListParam
	if text != "" {
		parts = append(parts, responses.ResponseFunctionCallOutputItemParamOfInputText(text))
	}
	for _, i := range r.Images {
		parts = append(parts, responses.ResponseFunctionCallOutputItemUnionParam{OfInputImage: &responses.ResponseInputImageContentParam{
			Detail: responses.ResponseInputImageContentDetailAuto, ImageURL: param.NewOpt(dataURL(i.MIMEType, i.Data)),
		}})
	}
	answer.Output.OfResponseFunctionCallOutputItemArray = parts
	return responses.ResponseInputItemUnionParam{OfFunctionCallOutput: &answer}
}
