package llm_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
)

// show is a conversation as tests read it: one line for each message.
func show(history []llm.Message) string {
	var b strings.Builder
	for _, m := range history {
		var parts []string
		for _, block := range m.Content {
			parts = append(parts, showBlock(block))
		}
		fmt.Fprintf(&b, "%s: %s\n", m.Role, strings.Join(parts, " + "))
	}
	return b.String()
}

func showBlock(block llm.Block) string {
	signed := func(s string) string {
		if s == "" {
			return ""
		}
		return " signed " + s
	}
	switch b := block.(type) {
	case llm.Text:
		return b.Text + signed(b.Signature)
	case llm.Thinking:
		return "(thinks " + b.Text + ")" + signed(b.Signature)
	case llm.Image:
		return "<" + b.MIMEType + ">"
	case llm.Document:
		return "<" + b.Name + ">"
	case llm.ToolCall:
		s := fmt.Sprintf("%s %s(%s)", b.ID, b.Name, b.Arguments)
		if b.Raw != "" {
			s += " raw " + b.Raw
		}
		return s + signed(b.Signature)
	case llm.ToolResult:
		s := fmt.Sprintf("%s %s = %s", b.CallID, b.Name, b.Output)
		for _, image := range b.Images {
			s += " <" + image.MIMEType + ">"
		}
		if b.IsError {
			s += " (error)"
		}
		if b.Details != nil {
			s += " details"
		}
		return s
	}
	return fmt.Sprintf("%T", block)
}

func call(id, name string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(`{"n":1}`)}
}

func result(id, output string) llm.Message {
	return llm.Answer(llm.ToolResult{CallID: id, Output: output})
}

// by makes a message that a model has made.
func by(m llm.Model, blocks ...llm.Block) llm.Message {
	msg := llm.Assistant(blocks...)
	msg.Reply = &llm.Reply{Provider: m.Provider, API: m.API, Model: m.ID}
	return msg
}

var (
	other = llm.Model{ID: "other-1", Provider: "else", API: llm.APIChat}
	blind = llm.Model{ID: "blind-1", Provider: "test", API: llm.APIScripted}
	nine  = llm.IDRule{Min: 9, Max: 9, Allow: alphanumeric}
	png   = llm.Image{MIMEType: "image/png", Data: []byte{1}}
	scan  = llm.Document{Name: "scan.pdf", MIMEType: "application/pdf", Data: []byte{1}}
	memo  = llm.Document{Name: "memo.pdf", MIMEType: "application/pdf", Data: []byte{1}, Text: "Dear all"}
)

func alphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

var adaptations = []struct {
	name    string
	history []llm.Message
	to      llm.Model // zero: able
	ids     llm.IDRule
	want    string
}{
	{name: "a plain conversation stays",
		history: []llm.Message{llm.User("Hi"), by(able, llm.Text{Text: "Hello"}), llm.User("Bye")},
		want: `
			user: Hi
			assistant: Hello
			user: Bye`},
	{name: "own thinking and signatures stay",
		history: []llm.Message{by(able, llm.Thinking{Text: "Hmm", Signature: "s"}, llm.Thinking{Signature: "r", Redacted: true}, llm.Text{Text: "Hi", Signature: "t"}, llm.Text{Signature: "u"})},
		want: `
			assistant: (thinks Hmm) signed s + (thinks ) signed r + Hi signed t +  signed u`},
	{name: "foreign thinking and signatures go",
		history: []llm.Message{by(other, llm.Thinking{Text: "Hmm", Signature: "s"}, llm.Text{Text: "Hi", Signature: "t"}, llm.ToolCall{ID: "a", Name: "f", Signature: "c"}), result("a", "x")},
		want: `
			assistant: Hi + a f({})
			toolResult: a f = x`},
	{name: "another model of the same service is foreign",
		history: []llm.Message{by(llm.Model{ID: "able-2", Provider: "test", API: llm.APIScripted}, llm.Thinking{Text: "Hmm", Signature: "s"}, llm.Text{Text: "Hi"})},
		want: `
			assistant: Hi`},
	{name: "the same model of another service or protocol is foreign",
		history: []llm.Message{
			by(llm.Model{ID: able.ID, Provider: "else", API: able.API}, llm.Thinking{Text: "Hmm", Signature: "s"}, llm.Text{Text: "One"}),
			by(llm.Model{ID: able.ID, Provider: able.Provider, API: llm.APIChat}, llm.Thinking{Text: "Hmm", Signature: "s"}, llm.Text{Text: "Two"}),
		},
		want: `
			assistant: One
			assistant: Two`},
	{name: "a message of unknown origin is foreign",
		history: []llm.Message{llm.Assistant(llm.Thinking{Text: "Hmm", Signature: "s"}, llm.Text{Text: "Hi"})},
		want: `
			assistant: Hi`},
	{name: "foreign thinking that is all there is becomes text",
		history: []llm.Message{by(other, llm.Thinking{Text: "One."}, llm.Thinking{Text: "Two."}, llm.Thinking{Signature: "r", Redacted: true})},
		want: `
			assistant: One.

			Two.`},
	{name: "messages and texts without content go",
		history: []llm.Message{llm.User(""), llm.User("  \n"), by(other), by(able, llm.Text{}), by(other, llm.Thinking{Signature: "r", Redacted: true}), llm.User("Hi", llm.Text{Text: "\n"})},
		want: `
			user: Hi`},
	{name: "ids of other providers",
		history: []llm.Message{by(other, call("call|a.b/c", "f"), call("", "f"), call(strings.Repeat("x", 70), "f")), result("call|a.b/c", "1"), result("", "2"), result(strings.Repeat("x", 70), "3")},
		want: `
			assistant: call_a_b_c f({"n":1}) + call f({"n":1}) + c513a36f59147a8dd f({"n":1})
			toolResult: call_a_b_c f = 1
			toolResult: call f = 2
			toolResult: c513a36f59147a8dd f = 3`},
	{name: "ids for Mistral: exactly nine letters and digits",
		ids:     nine,
		history: []llm.Message{by(other, call("call_1", "f"), call("abcDEF123", "f"), call("abc", "f"), call("", "f")), result("call_1", "1"), result("abcDEF123", "2"), result("abc", "3"), result("", "4")},
		want: `
			assistant: c97062499 f({"n":1}) + abcDEF123 f({"n":1}) + ce71fa219 f({"n":1}) + ccbf29ce4 f({"n":1})
			toolResult: c97062499 f = 1
			toolResult: abcDEF123 f = 2
			toolResult: ce71fa219 f = 3
			toolResult: ccbf29ce4 f = 4`},
	{name: "a server that calls everything call_0",
		history: []llm.Message{by(able, call("call_0", "f")), result("call_0", "1"), by(able, call("call_0", "g")), result("call_0", "2"), by(able, call("call_0", "h"))},
		want: `
			assistant: call_0 f({"n":1})
			toolResult: call_0 f = 1
			assistant: call_0_2 g({"n":1})
			toolResult: call_0_2 g = 2
			assistant: call_0_3 h({"n":1})
			toolResult: call_0_3 h = LOST (error)`},
	{name: "one id twice in one message: results in order",
		history: []llm.Message{by(able, call("a", "f"), call("a", "g")), result("a", "1"), result("a", "2")},
		want: `
			assistant: a f({"n":1}) + a_2 g({"n":1})
			toolResult: a f = 1
			toolResult: a_2 g = 2`},
	{name: "results in another order, and late",
		history: []llm.Message{llm.User("Do"), by(able, call("a", "f"), call("b", "g")), result("b", "2"), llm.User("Hurry"), by(able, llm.Text{Text: "Yes"}), result("a", "1")},
		want: `
			user: Do
			assistant: a f({"n":1}) + b g({"n":1})
			toolResult: a f = 1
			toolResult: b g = 2
			user: Hurry
			assistant: Yes`},
	{name: "calls without results, results without calls",
		history: []llm.Message{result("z", "?"), by(able, llm.Text{Text: "Doing"}, call("a", "f")), llm.User("Stop"), result("y", "?"), result("a", "1"), result("a", "again")},
		want: `
			assistant: Doing + a f({"n":1})
			toolResult: a f = 1
			user: Stop`},
	{name: "an aborted call",
		history: []llm.Message{by(able, llm.ToolCall{ID: "a", Name: "f", Arguments: json.RawMessage("{}"), Raw: `{"pa`}), llm.User("Go on")},
		want: `
			assistant: a f({})
			toolResult: a f = LOST (error)
			user: Go on`},
	{name: "results: names, empty output, details",
		history: []llm.Message{by(able, call("a", "f"), call("b", "g")), result("a", ""),
			llm.Answer(llm.ToolResult{CallID: "b", Name: "old", Output: "no", IsError: true, Details: json.RawMessage("{}")})},
		want: `
			assistant: a f({"n":1}) + b g({"n":1})
			toolResult: a f = (no output)
			toolResult: b g = no (error)`},
	{name: "images and documents for a model that takes them",
		history: []llm.Message{llm.User("See", png, scan, memo), by(able, call("a", "f")), llm.Answer(llm.ToolResult{CallID: "a", Images: []llm.Image{png}})},
		want: `
			user: See + <image/png> + <scan.pdf> + <memo.pdf>
			assistant: a f({"n":1})
			toolResult: a f =  <image/png>`},
	{name: "images and documents for a model that does not",
		to: blind,
		history: []llm.Message{llm.User("See", png, scan, memo), by(able, call("a", "f"), call("b", "f")),
			llm.Answer(llm.ToolResult{CallID: "a", Images: []llm.Image{png, png}}), llm.Answer(llm.ToolResult{CallID: "b", Output: "page 1", Images: []llm.Image{png}})},
		want: `
			user: See + [an image (image/png) that this model cannot see] + [the document scan.pdf (application/pdf), which this model cannot read] + <document name="memo.pdf">
			Dear all
			</document>
			assistant: a f({"n":1}) + b f({"n":1})
			toolResult: a f = [2 images that this model cannot see]
			toolResult: b f = page 1
			[an image that this model cannot see]`},
	{name: "blocks that are not the user's go",
		history: []llm.Message{llm.User("Hi", llm.Thinking{Text: "x"}, call("a", "f"), llm.ToolResult{CallID: "a"}), result("a", "x")},
		want: `
			user: Hi`},
}

func TestAdapt(t *testing.T) {
	for _, tt := range adaptations {
		t.Run(tt.name, func(t *testing.T) {
			if tt.to.ID == "" {
				tt.to = able
			}
			want := strings.TrimLeft(strings.ReplaceAll(tt.want, "\t", ""), "\n") + "\n"
			want = strings.ReplaceAll(want, "LOST", llm.Lost)
			if d := cmp.Diff(want, show(llm.Adapt(tt.history, tt.to, tt.ids))); d != "" {
				t.Error(d)
			}
		})
	}
}

// conversation makes a history of anything: odd ids, ids used again, results
// that are late, missing, repeated or of nothing.
func conversation(r *rand.Rand) []llm.Message {
	ids := []string{"", "call_0", "a", "a_2", "a|b", "toolu_01ABC", strings.Repeat("long", 20), "abcdef123", "ä"}
	id := func() string { return ids[r.IntN(len(ids))] }
	block := func() llm.Block {
		switch r.IntN(5) {
		case 0:
			return llm.Thinking{Text: "Hmm", Signature: "s"}
		case 1:
			return llm.Text{Text: []string{"", " ", "Hi"}[r.IntN(3)], Signature: []string{"", "t"}[r.IntN(2)]}
		default:
			return call(id(), "f")
		}
	}
	var history []llm.Message
	for range r.IntN(12) {
		switch r.IntN(5) {
		case 0:
			history = append(history, llm.User("Hi", []llm.Block{png, scan, memo, llm.Text{}}[r.IntN(4)]))
		case 1, 2:
			m := by([]llm.Model{able, other}[r.IntN(2)])
			for range r.IntN(4) {
				m.Content = append(m.Content, block())
			}
			history = append(history, m)
		default:
			history = append(history, llm.Answer(llm.ToolResult{CallID: id(), Output: []string{"", "out"}[r.IntN(2)], Images: []llm.Image{png}[:r.IntN(2)]}))
		}
	}
	return history
}

func TestAdaptLaws(t *testing.T) {
	rules := []llm.IDRule{{}, llm.PlainIDs, {Max: 40}, {Max: 9, Allow: alphanumeric}, nine}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		history := conversation(r)
		to := []llm.Model{able, other, blind}[r.IntN(3)]
		rule := rules[r.IntN(len(rules))]
		before := plainJSON(t, history)
		got := llm.Adapt(history, to, rule)
		if after := plainJSON(t, history); after != before {
			t.Fatalf("seed %d: the history was\n%s\nand is\n%s", seed, before, after)
		}
		if wrong := disorder(got, rule); wrong != "" {
			t.Fatalf("seed %d: %s in\n%s\nmade of\n%s", seed, wrong, show(got), show(history))
		}
		if d := cmp.Diff(show(got), show(llm.Adapt(got, to, rule))); d != "" {
			t.Fatalf("seed %d: a second time it changes again: %s", seed, d)
		}
		if open := llm.Unanswered(got); open != nil {
			t.Fatalf("seed %d: unanswered %v", seed, open)
		}
	}
}

// disorder says what a provider would refuse: every call has one result right
// after its message, in the order of the calls, ids are unique and by the rule,
// and no message is empty.
func disorder(history []llm.Message, rule llm.IDRule) string {
	seen := map[string]bool{}
	var owed []string
	for _, m := range history {
		if len(m.Content) == 0 {
			return "an empty message"
		}
		if r, ok := m.ToolResult(); ok {
			if len(owed) == 0 || owed[0] != r.CallID {
				return fmt.Sprintf("result %q out of order", r.CallID)
			}
			owed = owed[1:]
			continue
		}
		if len(owed) > 0 {
			return fmt.Sprintf("call %q without its result", owed[0])
		}
		for _, c := range m.ToolCalls() {
			if seen[c.ID] {
				return fmt.Sprintf("id %q twice", c.ID)
			}
			seen[c.ID] = true
			owed = append(owed, c.ID)
			forbidden := func(r rune) bool {
				return r > 127 || rule.Allow != nil && !rule.Allow(byte(r)) || strings.ContainsRune("|. ", r)
			}
			if len(c.ID) < max(1, rule.Min) || len(c.ID) > 64 || rule.Max > 0 && len(c.ID) > rule.Max || strings.ContainsFunc(c.ID, forbidden) {
				return fmt.Sprintf("id %q against the rule", c.ID)
			}
		}
	}
	if len(owed) > 0 {
		return fmt.Sprintf("call %q without its result", owed[0])
	}
	return ""
}

func TestUnanswered(t *testing.T) {
	history := []llm.Message{
		by(able, call("a", "f"), call("b", "g")), result("b", "2"),
		by(able, call("a", "h")), result("a", "3"),
		llm.User("no call", call("u", "f")),
	}
	if d := cmp.Diff([]llm.ToolCall{call("a", "f")}, llm.Unanswered(history)); d != "" {
		t.Error(d)
	}
}
