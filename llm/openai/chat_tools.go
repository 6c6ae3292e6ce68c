package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync/atomic"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"redline/llm"
)

// offer makes the JSON of the tools of a request. They are the same from step to
// step, and to check their schemas and write them takes longer than a hundred
// messages do: so the last ones are kept. It may be used by several goroutines.
type offer struct{ last atomic.Pointer[offered] }

type offered struct {
	tools []llm.ToolSpec // their schemas are copies: those of a request are its owner's
	json  []byte
}

// of is the list of the tools, or nothing if there are none.
func (o *offer) of(tools []llm.ToolSpec) ([]byte, error) {
	if len(tools) == 0 {
		return nil, nil
	}
	if last := o.last.Load(); last != nil && slices.EqualFunc(last.tools, tools, sameTool) {
		return last.json, nil
	}
	now := offered{tools: slices.Clone(tools)}
	list := make([]sdk.ChatCompletionToolUnionParam, len(tools))
	for i, t := range tools {
		schema, err := object("tool "+t.Name, t.Schema)
		if err != nil {
			return nil, err
		}
		list[i] = sdk.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: t.Name, Description: param.NewOpt(t.Description), Parameters: schema,
		})
		now.tools[i].Schema = slices.Clone(t.Schema)
	}
	var b bytes.Buffer
	w := json.NewEncoder(&b)
	w.SetEscapeHTML(false)
	if err := w.Encode(list); err != nil {
		return nil, err
	}
	now.json = bytes.TrimSpace(b.Bytes())
	o.last.Store(&now)
	return now.json, nil
}

func sameTool(a, b llm.ToolSpec) bool {
	return a.Name == b.Name && a.Description == b.Description && string(a.Schema) == string(b.Schema)
}
