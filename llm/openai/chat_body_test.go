package openai

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"redline/llm"
)

// TestChatBody: a request that is written directly says what the SDK would say.
func TestChatBody(t *testing.T) {
	odd := "<b>\"quoted\" & \\ \u2028 \x00 \xff é 🦀\r\n"
	assistant := func(edit func(a *sdk.ChatCompletionAssistantMessageParam)) sdk.ChatCompletionMessageParamUnion {
		a := sdk.ChatCompletionAssistantMessageParam{}
		edit(&a)
		return sdk.ChatCompletionMessageParamUnion{OfAssistant: &a}
	}
	call := func(id string) sdk.ChatCompletionMessageToolCallUnionParam {
		return sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
			ID: id, Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: "read", Arguments: `{"path": "` + id + `"}`}}}
	}
	pictured := sdk.ToolMessage("", "c1")
	pictured.OfTool.SetExtraFields(map[string]any{"content": []string{odd}})
	named := sdk.UserMessage("hello")
	named.OfUser.Name = param.NewOpt("Ann")
	messages := []sdk.ChatCompletionMessageParamUnion{
		sdk.SystemMessage(odd), sdk.DeveloperMessage("d"), sdk.UserMessage(odd), sdk.UserMessage(""), named, sdk.ToolMessage(odd, "c1"), pictured,
		sdk.UserMessage([]sdk.ChatCompletionContentPartUnionParam{sdk.TextContentPart("part"), imagePart(llm.Image{MIMEType: "image/png", Data: []byte("x")})}),
		assistant(func(a *sdk.ChatCompletionAssistantMessageParam) { a.Content.OfString = param.NewOpt(odd) }),
		assistant(func(a *sdk.ChatCompletionAssistantMessageParam) {
			a.ToolCalls = []sdk.ChatCompletionMessageToolCallUnionParam{call("a"), call(odd)}
		}),
		assistant(func(a *sdk.ChatCompletionAssistantMessageParam) {
			a.Content.OfString, a.ToolCalls = param.NewOpt("x"), []sdk.ChatCompletionMessageToolCallUnionParam{call("a")}
		}),
		assistant(func(a *sdk.ChatCompletionAssistantMessageParam) {
			a.Content.OfString = param.NewOpt("x")
			a.SetExtraFields(map[string]any{"reasoning": odd})
		}),
		assistant(func(a *sdk.ChatCompletionAssistantMessageParam) { a.Refusal = param.NewOpt("no") }),
	}
	p := sdk.ChatCompletionNewParams{Model: "m", Messages: messages, Temperature: param.NewOpt(0.5)}
	p.SetExtraFields(map[string]any{"stream": true})
	want, err := p.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	got, err := chatBody(p)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if err := json.Unmarshal(want, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(got, &b); err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	if d := cmp.Diff(a, b); d != "" {
		t.Errorf("(-SDK +direct):\n%s", d)
	}
}
