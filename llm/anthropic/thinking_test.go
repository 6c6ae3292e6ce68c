package anthropic_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
)

// asked is how a request asks for thinking.
type asked struct {
	Type   string
	Budget int
	Effort string
	Max    int
}

func askedFor(b body) asked {
	a := asked{Max: b.MaxTokens}
	if b.Thinking != nil {
		a.Type, a.Budget = b.Thinking.Type, b.Thinking.Budget
	}
	if b.Output != nil {
		a.Effort = b.Output.Effort
	}
	return a
}

func TestThinking(t *testing.T) {
	small := sonnet
	small.MaxOutput = 8192
	tiny := sonnet
	tiny.MaxOutput = 1024
	unknown := sonnet
	unknown.MaxOutput = 0
	always := opus
	always.Efforts = map[llm.Level]string{llm.ThinkOff: "low", llm.ThinkHigh: "max"}
	never := sonnet
	never.Thinking = ""
	midway := []llm.Message{user("a"), by(sonnet, call("1")), result("1", "one")}
	thoughtful := []llm.Message{
		user("a"), by(sonnet, llm.Thinking{Text: "hm", Signature: "s"}, call("1")), result("1", "one"),
		by(sonnet, call("2")), result("2", "two"),
	}
	tests := []struct {
		name string
		req  llm.Request
		want asked
	}{
		{"off", llm.Request{Model: sonnet, Thinking: llm.ThinkOff}, asked{Max: 64000}},
		{"minimal", llm.Request{Model: sonnet, Thinking: llm.ThinkMinimal}, asked{Type: "enabled", Budget: 1024, Max: 64000}},
		{"low", llm.Request{Model: sonnet, Thinking: llm.ThinkLow}, asked{Type: "enabled", Budget: 2048, Max: 64000}},
		{"medium", llm.Request{Model: sonnet, Thinking: llm.ThinkMedium}, asked{Type: "enabled", Budget: 8192, Max: 64000}},
		{"high", llm.Request{Model: sonnet, Thinking: llm.ThinkHigh}, asked{Type: "enabled", Budget: 16384, Max: 64000}},
		{"the answer keeps its tokens", llm.Request{Model: sonnet, Thinking: llm.ThinkHigh, MaxTokens: 4000}, asked{Type: "enabled", Budget: 16384, Max: 20384}},
		{"also where there are few", llm.Request{Model: small, Thinking: llm.ThinkHigh, MaxTokens: 4000}, asked{Type: "enabled", Budget: 4192, Max: 8192}},
		{"or half of all", llm.Request{Model: small, Thinking: llm.ThinkHigh}, asked{Type: "enabled", Budget: 4096, Max: 8192}},
		{"too few to think", llm.Request{Model: tiny, Thinking: llm.ThinkHigh}, asked{Max: 1024}},
		{"no more than the model has", llm.Request{Model: small, MaxTokens: 10000}, asked{Max: 8192}},
		{"the model's limit is not known", llm.Request{Model: unknown, Thinking: llm.ThinkLow}, asked{Type: "enabled", Budget: 2048, Max: 10240}},
		{"a model that cannot", llm.Request{Model: never, Thinking: llm.ThinkHigh}, asked{Max: 64000}},
		{"a tool is forced", llm.Request{Model: sonnet, Thinking: llm.ThinkHigh, Tools: tools, ToolChoice: "required"}, asked{Max: 64000}},
		{"midway without a thought", llm.Request{Model: sonnet, Thinking: llm.ThinkHigh, Messages: midway}, asked{Max: 64000}},
		{"midway after a thought", llm.Request{Model: sonnet, Thinking: llm.ThinkHigh, Messages: thoughtful}, asked{Type: "enabled", Budget: 16384, Max: 64000}},
		{"after that", llm.Request{Model: sonnet, Thinking: llm.ThinkHigh, Messages: append(midway, said("b"), user("c"))}, asked{Type: "enabled", Budget: 16384, Max: 64000}},

		{"adaptive, off", llm.Request{Model: opus}, asked{Type: "disabled", Max: 128000}},
		{"adaptive, minimal", llm.Request{Model: opus, Thinking: llm.ThinkMinimal}, asked{Type: "adaptive", Effort: "low", Max: 128000}},
		{"adaptive, medium", llm.Request{Model: opus, Thinking: llm.ThinkMedium, MaxTokens: 4000}, asked{Type: "adaptive", Effort: "medium", Max: 12192}},
		{"adaptive, midway", llm.Request{Model: opus, Thinking: llm.ThinkHigh, Messages: midway}, asked{Type: "adaptive", Effort: "high", Max: 128000}},
		{"adaptive, a tool is forced", llm.Request{Model: opus, Thinking: llm.ThinkHigh, Tools: tools, ToolChoice: "read"}, asked{Type: "disabled", Max: 128000}},
		{"always, off", llm.Request{Model: always, Thinking: llm.ThinkOff}, asked{Type: "adaptive", Effort: "low", Max: 128000}},
		{"its own word", llm.Request{Model: always, Thinking: llm.ThinkHigh}, asked{Type: "adaptive", Effort: "max", Max: 128000}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.req.Messages == nil {
				test.req.Messages = []llm.Message{user("a")}
			}
			if d := cmp.Diff(test.want, askedFor(sent(t, test.req))); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// FuzzBudget: whatever is asked of whatever model, the service accepts it.
func FuzzBudget(f *testing.F) {
	for _, n := range []int{0, 1, 1024, 1025, 2047, 2048, 8192, 64000} {
		for _, most := range []int{0, 1, 1024, 1025, 2048, 4096, 64000} {
			for level := range llm.Levels {
				f.Add(n, most, level)
			}
		}
	}
	f.Fuzz(func(t *testing.T, answer, most, level int) {
		const limit = 1 << 30
		req := llm.Request{Model: sonnet, Messages: []llm.Message{user("a")}, MaxTokens: clamp(answer, limit)}
		req.Model.MaxOutput = clamp(most, limit)
		req.Thinking = llm.Levels[clamp(level, len(llm.Levels))]
		b := sent(t, req)
		a := askedFor(b)
		switch most := req.Model.MaxOutput; {
		case a.Max < 1, most > 0 && a.Max > most:
			t.Errorf("max_tokens %d of %d", a.Max, most)
		case b.Thinking == nil && req.Thinking.On() && (most == 0 || most > 1024) && a.Max > 1024:
			t.Errorf("no thinking, though %d tokens would allow it", a.Max)
		case b.Thinking != nil && (a.Budget < 1024 || a.Budget >= a.Max):
			t.Errorf("budget %d of %d", a.Budget, a.Max)
		}
	})
}

// clamp makes any number one of 0 to n-1.
func clamp(i, n int) int { return int(uint(i) % uint(n)) }

func TestThinkersAreAskedToGoOn(t *testing.T) {
	for _, req := range []llm.Request{{Model: sonnet, Thinking: llm.ThinkLow}, {Model: opus}} {
		req.Messages = []llm.Message{user("a"), said("b ")}
		want := "user \"a\"*\nassistant \"b \"\nuser \"Continue.\"*\n"
		if d := cmp.Diff(want, sent(t, req).outline()); d != "" {
			t.Errorf("%s (-want +got):\n%s", req.Model.ID, d)
		}
	}
}

// TestSignatures: what a model thought in one step goes back to it, byte for
// byte, in the steps that follow.
func TestSignatures(t *testing.T) {
	step := func(thinking, signature, id string) string {
		return events(
			`{"type":"message_start","message":{"id":"msg_1","model":"claude-sonnet-4-5-20250929","usage":{"input_tokens":1}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"`+thinking+`"}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"`+signature+`"}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"`+signature+`-redacted"}}`,
			`{"type":"content_block_stop","index":1}`,
			`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"`+id+`","name":"read","input":{}}}`,
			`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{}"}}`,
			`{"type":"content_block_stop","index":2}`,
			`{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`,
			`{"type":"message_stop"}`,
		)
	}
	req := llm.Request{Model: sonnet, Messages: []llm.Message{user("a")}, Thinking: llm.ThinkLow, Tools: tools}
	for _, answer := range []struct{ thinking, signature, id string }{
		{"Größe: a < b & c\\n", "EqQBCgIYAhIM+/==", "toolu_1"},
		{"", "EqQBhidden", "toolu_2"}, // the model keeps its thoughts to itself
	} {
		m := ask(t, &wire{answer: step(answer.thinking, answer.signature, answer.id)}, req)
		req.Messages = append(req.Messages, m, result(answer.id, "ok"))
	}
	b := sent(t, req)
	want := `tool read
tool write*
user "a"
assistant thinking(EqQBCgIYAhIM+/==) redacted(EqQBCgIYAhIM+/==-redacted) call(read)
user result("ok")*
assistant thinking(EqQBhidden) redacted(EqQBhidden-redacted) call(read)
user result("ok")*
`
	if d := cmp.Diff(want, b.outline()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := b.Messages[1].Content[0].Thinking; got != "Größe: a < b & c\n" {
		t.Errorf("the thought went back as %q", got)
	}
	if b.Thinking == nil || b.Thinking.Type != "enabled" {
		t.Errorf("thinking is %+v", b.Thinking)
	}
}
