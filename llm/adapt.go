package llm

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// IDRule is what a protocol demands of the ids of tool calls.
type IDRule struct {
	Max   int             // bytes, at least 8; 0: 64
	Min   int             // bytes; 0: any id that is not empty will do
	Allow func(byte) bool // which bytes; nil: letters, digits, - and _
}

// PlainIDs suits every provider: up to 64 letters, digits, - and _.
var PlainIDs = IDRule{Max: 64}

// Lost is the result given to calls that never got one.
const Lost = "No result: the call was interrupted before it finished. It may or may not have taken effect; check before you repeat it."

// Adapt makes a conversation fit for a model, whoever made its messages:
//
//   - thinking and signatures of other models are dropped; thinking that is all
//     a message has becomes text
//   - ids of calls follow the rule and are unique in the conversation
//   - the results of an assistant's calls follow it at once, in the order of the
//     calls; a call without a result gets [Lost], a result without a call goes
//   - messages and texts without content go
//   - images and documents that the model cannot take become a line of text
//
// The messages given are not changed.
func Adapt(history []Message, to Model, ids IDRule) []Message {
	a := adapter{to: to, ids: ids, taken: map[string]bool{}}
	results := pair(history)
	for i, m := range history {
		switch m.Role {
		case RoleUser:
			a.add(Message{Role: m.Role, Time: m.Time, Content: a.plain(m.Content)})
		case RoleAssistant:
			a.assistant(m, results[i])
		}
	}
	return a.out
}

// pair finds for every assistant's message the results of its calls, by the
// place of the call. An id may have been used before: a result belongs to the
// latest call before it that has none.
func pair(history []Message) map[int]map[int]ToolResult {
	type place struct{ message, call int }
	open := map[string][]place{}
	found := map[int]map[int]ToolResult{}
	for i, m := range history {
		if m.Role == RoleAssistant {
			for n, c := range m.ToolCalls() {
				open[c.ID] = append(open[c.ID], place{i, n})
			}
		}
		r, ok := m.ToolResult()
		if !ok || len(open[r.CallID]) == 0 {
			continue
		}
		waiting := open[r.CallID]
		p := waiting[len(waiting)-1]
		for _, earlier := range waiting { // calls of one message with one id: in order
			if earlier.message == p.message {
				p = earlier
				break
			}
		}
		open[r.CallID] = without(waiting, p)
		if found[p.message] == nil {
			found[p.message] = map[int]ToolResult{}
		}
		found[p.message][p.call] = r
	}
	return found
}

// Unanswered returns the calls of a conversation that have no result.
func Unanswered(history []Message) []ToolCall {
	var open []ToolCall
	results := pair(history)
	for i, m := range history {
		if m.Role != RoleAssistant {
			continue
		}
		for n, c := range m.ToolCalls() {
			if _, ok := results[i][n]; !ok {
				open = append(open, c)
			}
		}
	}
	return open
}

func without[T comparable](list []T, gone T) []T {
	var kept []T
	for _, x := range list {
		if x != gone {
			kept = append(kept, x)
		}
	}
	return kept
}

type adapter struct {
	to    Model
	ids   IDRule
	taken map[string]bool
	out   []Message
}

func (a *adapter) add(m Message) {
	if len(m.Content) > 0 {
		a.out = append(a.out, m)
	}
}

func (a *adapter) assistant(m Message, results map[int]ToolResult) {
	own := m.Reply != nil && m.Reply.API == a.to.API && m.Reply.Provider == a.to.Provider && m.Reply.Model == a.to.ID
	said := Message{Role: m.Role, Time: m.Time, Reply: m.Reply}
	var answers []Message
	var thought []string
	calls := 0
	for _, block := range m.Content {
		switch b := block.(type) {
		case Text:
			if !own {
				b.Signature = ""
			}
			if !blank(b.Text) || b.Signature != "" {
				said.Content = append(said.Content, b)
			}
		case Thinking:
			if own {
				said.Content = append(said.Content, b)
			} else if !blank(b.Text) {
				thought = append(thought, b.Text)
			}
		case ToolCall:
			if !own {
				b.Signature = ""
			}
			r, ok := results[calls]
			if !ok {
				r = ToolResult{Output: Lost, IsError: true}
			}
			calls++
			b.ID, b.Raw = a.id(b.ID), ""
			if len(b.Arguments) == 0 {
				b.Arguments = noArguments()
			}
			r.CallID, r.Name = b.ID, b.Name
			said.Content = append(said.Content, b)
			answers = append(answers, Answer(a.result(r)))
		}
	}
	if len(said.Content) == 0 && len(thought) > 0 {
		said.Content = []Block{Text{Text: strings.Join(thought, "\n\n")}}
	}
	a.add(said)
	a.out = append(a.out, answers...)
}

// plain replaces what the model cannot take.
func (a *adapter) plain(content []Block) []Block {
	var out []Block
	for _, block := range content {
		switch b := block.(type) {
		case Text:
			if b.Signature = ""; blank(b.Text) {
				continue
			}
			block = b
		case Thinking, ToolCall, ToolResult:
			continue // none of the user's
		case Image:
			if !a.to.Can.Images {
				block = Text{Text: fmt.Sprintf("[an image (%s) that this model cannot see]", b.MIMEType)}
			}
		case Document:
			if !a.to.Can.Documents {
				if b.Text == "" {
					block = Text{Text: fmt.Sprintf("[the document %s (%s), which this model cannot read]", b.Name, b.MIMEType)}
				} else {
					block = Text{Text: b.AsText()}
				}
			}
		}
		out = append(out, block)
	}
	return out
}

// blank reports whether a text says nothing: some providers refuse such blocks.
func blank(text string) bool { return strings.TrimSpace(text) == "" }

// AsText is the document's text with its name, for a model that reads no files.
func (d Document) AsText() string {
	return fmt.Sprintf("<document name=%q>\n%s\n</document>", d.Name, d.Text)
}

func (a *adapter) result(r ToolResult) ToolResult {
	if len(r.Images) > 0 && !a.to.Can.Images {
		what := "an image"
		if n := len(r.Images); n > 1 {
			what = fmt.Sprint(n, " images")
		}
		r.Output = strings.TrimPrefix(r.Output+"\n["+what+" that this model cannot see]", "\n")
		r.Images = nil
	}
	if r.Output == "" && len(r.Images) == 0 {
		r.Output = "(no output)"
	}
	r.Details = nil
	return r
}

// id gives a call an id that follows the rule and that no earlier call has.
func (a *adapter) id(id string) string {
	allow := a.ids.Allow
	if allow == nil {
		allow = plainByte
	}
	clean := []byte(id)
	lawful := id != ""
	for i, c := range clean {
		if !allow(c) {
			clean[i], lawful = '_', false
		}
	}
	out := string(clean)
	if out == "" {
		out = "call"
	}
	limit := a.ids.Max
	if limit == 0 {
		limit = PlainIDs.Max
	}
	if len(out) > limit || len(out) < a.ids.Min || !lawful && !allow('_') {
		out = digest(id, limit)
	}
	for base, n := out, 2; a.taken[out]; n++ {
		if out = fmt.Sprintf("%s_%d", base, n); len(out) > limit || !allow('_') {
			out = digest(fmt.Sprint(base, n), limit)
		}
	}
	a.taken[out] = true
	return out
}

// digest is a short id made of letters and digits alone.
func digest(id string, limit int) string {
	h := fnv.New64a()
	h.Write([]byte(id))
	s := fmt.Sprintf("c%016x", h.Sum64())
	return s[:min(limit, len(s))]
}

func plainByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}
