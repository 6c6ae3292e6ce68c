package google

import (
	"fmt"

	"redline/llm"
)

// requestOf writes a request in the protocol's words.
func requestOf(req llm.Request) (*request, error) {
	history, err := contentsOf(req)
	if err != nil {
		return nil, err
	}
	out := &request{Contents: history, GenerationConfig: generation(req)}
	system := req.System
	if req.Output != nil && !keepsSchema(req) {
		system = joined(system, fmt.Sprintf("Answer with JSON alone, without a word before or after it, that matches this JSON schema:\n%s", req.Output.Schema))
	}
	if system != "" {
		out.SystemInstruction = &content{Parts: []part{textPart(system)}}
	}
	if len(req.Tools) > 0 {
		out.Tools = []toolList{declarations(req.Tools)}
		out.ToolConfig = choice(req.ToolChoice)
	}
	return out, nil
}

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n\n" + b
}

// keepsSchema reports whether the service itself can see to the structure of the
// answer. Before Gemini 3 it refuses to where there are tools.
func keepsSchema(req llm.Request) bool {
	return req.Model.Can.Structured && (len(req.Tools) == 0 || isGemini3(req.Model))
}

// isGemini3 tells Gemini 3 and later, whose protocol differs in more than the
// way to ask for thoughts.
func isGemini3(m llm.Model) bool { return m.Thinking == llm.ThinkByLevel }

func generation(req llm.Request) *generationConfig {
	c := generationConfig{MaxOutputTokens: outputLimit(req), ThinkingConfig: thinking(req.Model, req.Thinking)}
	if req.Model.Can.Temperature {
		c.Temperature = req.Temperature
	}
	if req.Output != nil && keepsSchema(req) {
		c.ResponseMIMEType, c.ResponseJSONSchema = "application/json", req.Output.Schema
	}
	if c.MaxOutputTokens == 0 && c.Temperature == nil && c.ThinkingConfig == nil && c.ResponseMIMEType == "" {
		return nil
	}
	return &c
}

func declarations(tools []llm.ToolSpec) toolList {
	var list toolList
	for _, t := range tools {
		list.FunctionDeclarations = append(list.FunctionDeclarations, functionDeclaration{
			Name: t.Name, Description: t.Description, ParametersJSONSchema: t.Schema,
		})
	}
	return list
}

func choice(tool string) *toolConfig {
	c := functionCallingConfig{Mode: "ANY"}
	switch tool {
	case "":
		return nil
	case "auto":
		c.Mode = "AUTO"
	case "none":
		c.Mode = "NONE"
	case "required":
	default:
		c.AllowedFunctionNames = []string{tool}
	}
	return &toolConfig{c}
}
