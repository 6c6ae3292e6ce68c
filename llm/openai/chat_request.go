package openai

import (
	"slices"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"redline/llm"
)

// request is what a server of this dialect is sent beside the conversation and the
// tools; both are returned as they are to be written.
func (d dialect) request(req llm.Request) (p sdk.ChatCompletionNewParams, system string, tools []llm.ToolSpec, err error) {
	p.Model = req.Model.ID
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
		if d.room {
			extra[d.limit] = roomy(req)
		}
	}
	if req.Temperature != nil && req.Model.Can.Temperature {
		p.Temperature = param.NewOpt(*req.Temperature)
	}
	if system, err = d.format(&p, req); err != nil {
		return p, "", nil, err
	}
	tools = d.tools(&p, req)
	p.SetExtraFields(extra)
	return p, system, tools, nil
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
	kept := d.output == outputSchema && req.Model.Can.Structured
	if d.outputAlone && len(req.Tools) > 0 && req.ToolChoice != "none" {
		kept = false
	}
	switch {
	case kept:
		p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: o.Name, Schema: schema, Strict: param.NewOpt(strict(o.Schema))},
		}
		return req.System, nil
	case d.output == outputObject:
		p.ResponseFormat.OfJSONObject = &shared.ResponseFormatJSONObjectParam{}
	}
	return telling(req.System, o), nil
}

// tools says what is to be done with the tools, and returns those that are
// offered.
func (d dialect) tools(p *sdk.ChatCompletionNewParams, req llm.Request) []llm.ToolSpec {
	tools, choice := req.Tools, req.ToolChoice
	if len(tools) == 0 {
		return nil
	}
	named := slices.IndexFunc(tools, func(t llm.ToolSpec) bool { return t.Name == choice })
	if named >= 0 && d.anyChoice {
		tools, choice, named = tools[named:named+1], "required", -1
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
	return tools
}
