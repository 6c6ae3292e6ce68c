package openai

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"redline/llm"
)

// BenchmarkRequest is what a step costs before anything is sent: the body of a
// request with a few tools and a history of so many messages.
func BenchmarkRequest(b *testing.B) {
	for _, messages := range []int{2, 100, 1000} {
		b.Run(fmt.Sprint(messages), func(b *testing.B) {
			req := longRequest(messages)
			d, o := dialectOf(req.Model), new(offer)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.body(req, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func longRequest(messages int) llm.Request {
	req := llm.Request{
		Model: llm.Model{ID: "m", Provider: "openai", API: llm.APIChat, Can: llm.Abilities{Tools: true}}, System: strings.Repeat("Be brief. ", 200),
		Messages: []llm.Message{llm.User("Read a.md again and again.")}, MaxTokens: 4000, CacheKey: "conversation-1",
	}
	for i := range 7 {
		properties := make([]string, 4)
		for j := range properties {
			properties[j] = fmt.Sprintf(`"field_%d":{"type":"string","description":"What the field is about, in a sentence or so."}`, j)
		}
		req.Tools = append(req.Tools, llm.ToolSpec{Name: fmt.Sprint("tool_", i), Description: strings.Repeat("What it does. ", 10),
			Schema: json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") + `},"additionalProperties":false}`)})
	}
	for i := range messages / 2 {
		id := fmt.Sprint("call_", i)
		said := llm.Assistant(llm.ToolCall{ID: id, Name: "tool_1", Arguments: json.RawMessage(`{"file_path":"a.md"}`)})
		said.Reply = &llm.Reply{Provider: "openai", API: llm.APIChat, Model: "m", Stop: llm.StopToolUse}
		req.Messages = append(req.Messages, said, llm.Answer(llm.ToolResult{CallID: id, Name: "tool_1", Output: strings.Repeat("A line of \"text\".\n", 20)}))
	}
	return req
}
