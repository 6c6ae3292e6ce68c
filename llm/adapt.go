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
	calls := pair(history)
	a := adapter{to: to, ids: ids, taken: make(map[string]bool, len(calls)), out: make([]Message, 0, len(history))}
	for _, m := range history {
		switch m.Role {
		case RoleUser:
			a.add(Message{Role: m.Role, Time: m.Time, Content: a.plain(m.Content)})
		case RoleAssistant:
			calls = a.assistant(m, history, calls)
		}
	}
	return a.out
}

// called is a call of a conversation.
type called struct {
	ToolCall
	message int // its place
	result  int // the place of its result, or -1
}

// pair lists the calls of a conversation, in order, and finds their results. An id
// may have been used before: a result belongs to the latest call before it that has
// none, and if that message has several of the same id, to the first of them.
func pair(history []Message) []called {
	var calls []called
	open := 0 // all calls before this one have their result
	for i, m := range history {
		if m.Role == RoleAssistant {
			for _, block := range m.Content {
				if c, ok := block.(ToolCall); ok {
					calls = append(calls, called{c, i, -1})
				}
			}
		}
		r, ok := m.ToolResult()
		if !ok {
			continue
		}
		found := -1
		for n := len(calls) - 1; n >= open; n-- {
			if found >= 0 && calls[n].message != calls[found].message {
				break
			}
			if calls[n].result < 0 && calls[n].ID == r.CallID {
				found = n
			}
		}
		if found >= 0 {
			calls[found].result = i
		}
		for open < len(calls) && calls[open].result >= 0 {
			open++
		}
	}
	return calls
}

// Unanswered returns the calls of a conversation that have no result.
func Unanswered(history []Message) []ToolCall {
	var open []ToolCall
	for _, c := range pair(history) {
		if c.result < 0 {
			open = append(open, c.ToolCall)
		}
	}
	return open
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

// assistant takes over an answer of the assistant and the results of its calls,
// which are the first of those given. It returns the others.
func (a *adapter) assistant(m Message, history []Message, calls []called) []called {
	own := m.Reply != nil && m.Reply.API == a.to.API && m.Reply.Provider == a.to.Provider && m.Reply.Model == a.to.ID
	said := Message{Role: m.Role, Time: m.Time, Reply: m.Reply, Content: make([]Block, 0, len(m.Content))}
	at := len(a.out)
	a.out = append(a.out, said) // the answer comes before its results
	var thought []string
	for _, block := range m.Content {
		switch b := block.(type) {
		case Text:
			if !own && b.Signature != "" {
				b.Signature = ""
				block = b
			}
			if !blank(b.Text) || b.Signature != "" {
				said.Content = append(said.Content, block)
			}
		case Thinking:
			if own {
				said.Content = append(said.Content, block)
			} else if !blank(b.Text) {
				thought = append(thought, b.Text)
			}
		case ToolCall:
			r := ToolResult{Output: Lost, IsError: true}
			if place := calls[0].result; place >= 0 {
				r, _ = history[place].ToolResult()
			}
			calls = calls[1:]
			block, r.CallID = a.call(block, b, own)
			r.Name = b.Name
			said.Content = append(said.Content, block)
			a.out = append(a.out, Answer(a.result(r)))
		}
	}
	if len(said.Content) == 0 && len(thought) > 0 {
		said.Content = []Block{Text{Text: strings.Join(thought, "\n\n")}}
	}
	if a.out[at] = said; len(said.Content) == 0 {
		a.out = a.out[:at] // without content there are no calls
	}
	return calls
}

// call makes a call fit for the model, and tells its id. The block that it comes in
// is taken as it is if nothing changes: a long conversation has many.
func (a *adapter) call(block Block, c ToolCall, own bool) (Block, string) {
	id := a.id(c.ID)
	if id == c.ID && c.Raw == "" && len(c.Arguments) > 0 && (own || c.Signature == "") {
		return block, id
	}
	c.ID, c.Raw = id, ""
	if !own {
		c.Signature = ""
	}
	if len(c.Arguments) == 0 {
		c.Arguments = noArguments()
	}
	return c, id
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
	out, lawful := id, id != ""
	for i := range len(id) {
		if !allow(id[i]) {
			out, lawful = out[:i]+"_"+out[i+1:], false
		}
	}
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
