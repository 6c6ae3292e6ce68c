package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"redline/llm"
)

// requestBody is the JSON of a request, or why there can be none.
func requestBody(req llm.Request) ([]byte, *llm.Failure) {
	if f := unreadable(req.Messages); f != nil {
		return nil, f
	}
	turns := turnsOf(llm.Adapt(req.Messages, req.Model, llm.PlainIDs))
	if len(turns) == 0 {
		return nil, invalid("there is nothing to send: every message is empty")
	}
	thinking := thinkingFor(req, turns)
	turns = complete(turns, thinking.on || req.Model.Thinking == llm.ThinkAdaptively)
	params := sdk.MessageNewParams{
		Model:        req.Model.ID,
		MaxTokens:    int64(thinking.maxTokens),
		System:       system(req),
		Tools:        tools(req.Tools),
		ToolChoice:   toolChoice(req),
		Thinking:     thinking.param(),
		OutputConfig: sdk.OutputConfigParam{Effort: sdk.OutputConfigEffort(thinking.effort), Format: format(req)},
	}
	for _, t := range turns {
		params.Messages = append(params.Messages, t.param())
	}
	if req.Temperature != nil && req.Model.Can.Temperature && !thinking.on {
		params.Temperature = sdk.Float(min(*req.Temperature, 1)) // others count to 2
	}
	markForCache(&params)
	params.SetExtraFields(map[string]any{"stream": true})
	body, err := json.Marshal(params)
	if err != nil {
		return nil, invalid("the request cannot be written as JSON, check the schemas of its tools and output: %v", err)
	}
	return body, nil
}

func invalid(format string, args ...any) *llm.Failure {
	return &llm.Failure{Class: llm.ClassInvalidRequest, Message: fmt.Sprintf(format, args...)}
}

func tools(specs []llm.ToolSpec) []sdk.ToolUnionParam {
	var list []sdk.ToolUnionParam
	for _, spec := range specs {
		schema := spec.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		tool := sdk.ToolParam{Name: spec.Name, InputSchema: param.Override[sdk.ToolInputSchemaParam](schema)}
		if spec.Description != "" {
			tool.Description = sdk.String(spec.Description)
		}
		list = append(list, sdk.ToolUnionParam{OfTool: &tool})
	}
	return list
}

func toolChoice(req llm.Request) (choice sdk.ToolChoiceUnionParam) {
	if len(req.Tools) == 0 {
		return choice
	}
	switch req.ToolChoice {
	case "", "auto":
	case "none":
		none := sdk.NewToolChoiceNoneParam()
		choice.OfNone = &none
	case "required":
		choice.OfAny = &sdk.ToolChoiceAnyParam{}
	default:
		choice.OfTool = &sdk.ToolChoiceToolParam{Name: req.ToolChoice}
	}
	return choice
}

// system is the system prompt, and after it what the model must be told about
// the shape of its answer if the service does not see to that.
func system(req llm.Request) []sdk.TextBlockParam {
	var blocks []sdk.TextBlockParam
	if !blank(req.System) {
		blocks = append(blocks, sdk.TextBlockParam{Text: req.System})
	}
	if req.Output != nil && format(req).Schema == nil {
		text := "Answer with one JSON value and nothing else: no introduction, no code fence."
		if len(req.Output.Schema) > 0 {
			text += " It must match this JSON schema:\n" + string(req.Output.Schema)
		}
		blocks = append(blocks, sdk.TextBlockParam{Text: text})
	}
	return blocks
}

// format asks for an answer that keeps to a schema. Schemas that the service
// cannot enforce are brought into the form that it can; if even that is not
// possible, nothing is asked for.
func format(req llm.Request) sdk.JSONOutputFormatParam {
	if req.Output == nil || !req.Model.Can.Structured {
		return sdk.JSONOutputFormatParam{}
	}
	var schema map[string]any
	if json.Unmarshal(req.Output.Schema, &schema) != nil || len(schema) == 0 {
		return sdk.JSONOutputFormatParam{}
	}
	enforced, _ := sdk.BetaJSONSchemaOutputFormat(schema).Schema.(map[string]any)
	return sdk.JSONOutputFormatParam{Schema: enforced}
}

// markForCache sets the breakpoints of the prompt cache, at most the four that
// the service takes.
func markForCache(p *sdk.MessageNewParams) {
	if n := len(p.Tools); n > 0 {
		p.Tools[n-1].OfTool.CacheControl = sdk.NewCacheControlEphemeralParam()
	}
	if len(p.System) > 0 { // the prompt itself: what follows it may change between steps
		p.System[0].CacheControl = sdk.NewCacheControlEphemeralParam()
	}
	last := len(p.Messages) - 1
	markMessage(p.Messages[last])
	for i := last - 1; i >= 0; i-- {
		if p.Messages[i].Role == sdk.MessageParamRoleUser {
			markMessage(p.Messages[i])
			return
		}
	}
}

// markMessage marks the last block that can bear it; thoughts cannot.
func markMessage(m sdk.MessageParam) {
	for i := len(m.Content) - 1; i >= 0; i-- {
		if c := m.Content[i].GetCacheControl(); c != nil {
			*c = sdk.NewCacheControlEphemeralParam()
			return
		}
	}
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
