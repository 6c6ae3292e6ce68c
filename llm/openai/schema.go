package openai

import (
	"encoding/json"
	"fmt"
	"slices"

	"redline/llm"
)

// object takes a JSON schema apart at its first level, as the SDK wants it. What
// is below stays as it was written: the order of properties means something to
// models.
func object(what string, schema json.RawMessage) (map[string]any, error) {
	if len(schema) == 0 {
		return map[string]any{"type": "object", "properties": map[string]any{}}, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(schema, &fields); err != nil || fields == nil {
		return nil, &llm.Failure{Class: llm.ClassInvalidRequest, Message: fmt.Sprintf("the schema of %s is not a JSON object; mend it and ask again", what)}
	}
	out := make(map[string]any, len(fields))
	for name, value := range fields {
		out[name] = value
	}
	return out, nil
}

// loose are keywords that OpenAI does not take in strict schemas.
var loose = []string{"allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties"}

// strict reports whether OpenAI can promise to keep to a schema: all objects in
// it are closed and all their properties required.
func strict(schema json.RawMessage) bool {
	var root map[string]any
	if json.Unmarshal(schema, &root) != nil {
		return false
	}
	_, choice := root["anyOf"]
	return !choice && root["type"] == "object" && strictIn(root)
}

func strictIn(v any) bool {
	switch v := v.(type) {
	case []any:
		return !slices.ContainsFunc(v, func(inner any) bool { return !strictIn(inner) })
	case map[string]any:
		if v["type"] == "object" && !closed(v) {
			return false
		}
		for name, inner := range v {
			if slices.Contains(loose, name) || !strictIn(inner) {
				return false
			}
		}
	}
	return true
}

func closed(object map[string]any) bool {
	properties, _ := object["properties"].(map[string]any)
	required, _ := object["required"].([]any)
	for name := range properties {
		if !slices.Contains(required, any(name)) {
			return false
		}
	}
	return object["additionalProperties"] == false
}

// telling adds to a system prompt the schema of an answer that nobody enforces.
func telling(system string, o *llm.Output) string {
	if system != "" {
		system += "\n\n"
	}
	return system + "Answer with one JSON object and nothing else. It must match this JSON schema:\n" + string(o.Schema)
}
