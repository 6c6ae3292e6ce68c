package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"redline/llm"
)

// TestBodyLaws: in every dialect, over random conversations that grow, a request
// says what the SDK would have it say, and what is kept of the request before makes
// no difference to a byte.
func TestBodyLaws(t *testing.T) {
	names := slices.Sorted(maps.Keys(dialects))
	kept := new(offer)
	for seed := range uint64(3000) {
		r := random{rand.New(rand.NewPCG(seed, 1))}
		d := dialects[pick(r, names...)]
		req := r.request()
		for range 3 {
			req.Messages = append(req.Messages, r.messages()...)
			r.meddle(&req)
			got, err := d.body(req, kept)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			anew, err := d.body(req, new(offer))
			if err != nil || !bytes.Equal(got, anew) {
				t.Fatalf("seed %d, %v: with what was kept\n%s\nwithout it\n%s", seed, err, got, anew)
			}
			if diff := cmp.Diff(parsed(t, reference(t, d, req)), parsed(t, got)); diff != "" {
				t.Fatalf("seed %d (-SDK +direct):\n%s", seed, diff)
			}
		}
	}
}

// TestText: every string is written as JSON that reads back as encoding/json's.
func TestText(t *testing.T) {
	for _, s := range []string{"", "plain", "<b>\"quoted\" & \\ \u2028 \x00\x1f\x7f \xff é 🦀\r\n\t", "\xf0\x9f", "a\xffb\xff", "é\n"} {
		var w writer
		w.text(s)
		want, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := parsed(t, w.data), parsed(t, want); got != want {
			t.Errorf("%q became %s", s, w.data)
		}
	}
}

func parsed(t *testing.T, data []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

// random makes requests.
type random struct{ *rand.Rand }

func pick[T any](r random, list ...T) T { return list[r.IntN(len(list))] }

func (r random) words() string {
	return pick(r, "Read it.", "<b>\"quoted\" & \\ \u2028 \x00 \xff é 🦀\r\n", "line\n\tline\n", "error: no", "x")
}

func (r random) request() llm.Request {
	req := llm.Request{
		Model:    llm.Model{ID: "m", Provider: "p", API: llm.APIChat, Thinking: pick(r, "", llm.ThinkByEffort)},
		System:   pick(r, "", r.words()),
		Messages: []llm.Message{llm.User(r.words())}, MaxTokens: pick(r, 0, 4000), CacheKey: "c",
	}
	req.Model.Can = llm.Abilities{Images: pick(r, true, false), Documents: pick(r, true, false), Tools: true}
	for i := range r.IntN(3) {
		req.Tools = append(req.Tools, llm.ToolSpec{Name: fmt.Sprint("tool", i), Description: r.words(),
			Schema: json.RawMessage(pick(r, "", `{}`, `{"type":"object", "properties":{"b":{"enum":["<"]},"a":{}}}`))})
	}
	req.ToolChoice = pick(r, "", "auto", "tool0")
	return req
}

// meddle changes what was sent before, as the owner of a request may.
func (r random) meddle(req *llm.Request) {
	if len(req.Tools) == 0 || r.IntN(2) == 0 {
		return
	}
	t := &req.Tools[r.IntN(len(req.Tools))]
	if at := bytes.Index(t.Schema, []byte(`"b"`)); at >= 0 {
		copy(t.Schema[at:], `"c"`) // in the same bytes
		return
	}
	t.Description += "!"
}

// messages are a few of every kind, some of them out of place.
func (r random) messages() []llm.Message {
	picture := llm.Image{MIMEType: "image/png", Data: []byte("PNG")}
	file := llm.Document{Name: "b.pdf", MIMEType: "application/pdf", Data: []byte("%PDF"), Text: pick(r, "", "# B")}
	var list []llm.Message
	for range 1 + r.IntN(4) {
		switch r.IntN(4) {
		case 0:
			list = append(list, llm.User(r.words(), pick(r, nil, []llm.Block{picture}, []llm.Block{file})...))
		case 1:
			list = append(list, llm.Answer(llm.ToolResult{CallID: r.id(), Output: r.words(), IsError: pick(r, true, false), Images: pick(r, nil, []llm.Image{picture})}))
		default:
			m := llm.Assistant()
			m.Reply = &llm.Reply{Provider: pick(r, "p", "q"), API: llm.APIChat, Model: "m"}
			for range r.IntN(4) {
				m.Content = append(m.Content, pick[llm.Block](r, llm.Text{Text: r.words()}, llm.Thinking{Text: r.words(), Signature: pick(r, "", `[{"type":"x"}]`)},
					llm.ToolCall{ID: r.id(), Name: "tool0", Arguments: json.RawMessage(pick(r, "", `{"a":"<"}`))}))
			}
			list = append(list, m)
		}
	}
	return list
}

func (r random) id() string { return pick(r, "call_1", "call_2", "call 3", "") }

// reference writes a request with the SDK alone.
func reference(t *testing.T, d dialect, req llm.Request) []byte {
	t.Helper()
	p, system, tools, err := d.request(req)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools {
		schema, err := object(tool.Name, tool.Schema)
		if err != nil {
			t.Fatal(err)
		}
		p.Tools = append(p.Tools, sdk.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: tool.Name, Description: param.NewOpt(tool.Description), Parameters: schema,
		}))
	}
	switch {
	case system == "":
	case d.developer && req.Model.Thinking != "":
		p.Messages = append(p.Messages, sdk.DeveloperMessage(system))
	default:
		p.Messages = append(p.Messages, sdk.SystemMessage(system))
	}
	p.Messages = append(p.Messages, referenceMessages(d, llm.Adapt(req.Messages, req.Model, d.ids))...)
	data, err := p.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func referenceMessages(d dialect, messages []llm.Message) []sdk.ChatCompletionMessageParamUnion {
	var out []sdk.ChatCompletionMessageParamUnion
	var pictures []sdk.ChatCompletionContentPartUnionParam
	show := func() {
		if len(pictures) > 0 {
			out, pictures = append(out, sdk.UserMessage(pictures)), nil
		}
	}
	for _, m := range messages {
		if m.Role != llm.RoleTool {
			show()
		}
		switch m.Role {
		case llm.RoleUser:
			if d.bridge && len(out) > 0 && out[len(out)-1].OfTool != nil {
				out = append(out, sdk.AssistantMessage("(interrupted)"))
			}
			out = append(out, referenceUser(m))
		case llm.RoleAssistant:
			if said := referenceAssistant(d, m); said != nil {
				out = append(out, sdk.ChatCompletionMessageParamUnion{OfAssistant: said})
			}
		case llm.RoleTool:
			r, _ := m.ToolResult()
			answer := sdk.ToolMessage(outcome(r), r.CallID)
			var parts []sdk.ChatCompletionContentPartUnionParam
			for _, i := range r.Images {
				parts = append(parts, imagePart(i))
			}
			if d.images && len(parts) > 0 {
				answer.OfTool.Content.OfString = param.Opt[string]{}
				answer.OfTool.SetExtraFields(map[string]any{"content": append([]sdk.ChatCompletionContentPartUnionParam{sdk.TextContentPart(outcome(r))}, parts...)})
			} else if len(parts) > 0 {
				pictures = append(append(pictures, sdk.TextContentPart(fmt.Sprintf("[images in the result of %s, call %s]", r.Name, r.CallID))), parts...)
			}
			out = append(out, answer)
		}
	}
	show()
	if d.userLast && len(out) > 0 && out[len(out)-1].OfAssistant != nil {
		out = append(out, sdk.UserMessage("Continue."))
	}
	return out
}

func referenceUser(m llm.Message) sdk.ChatCompletionMessageParamUnion {
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

func referenceAssistant(d dialect, m llm.Message) *sdk.ChatCompletionAssistantMessageParam {
	var said sdk.ChatCompletionAssistantMessageParam
	for _, c := range m.ToolCalls() {
		said.ToolCalls = append(said.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
			ID: c.ID, Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: string(c.Arguments)},
		}})
	}
	text := m.Text()
	if text == "" && len(said.ToolCalls) == 0 {
		return nil
	}
	field, thinking := d.remind(m, text, len(said.ToolCalls) > 0)
	if text != "" && field != "content" {
		said.Content.OfString = param.NewOpt(text)
	}
	if field != "" {
		said.SetExtraFields(map[string]any{field: thinking})
	}
	return &said
}
