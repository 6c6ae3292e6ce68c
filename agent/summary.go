package agent

import (
	"strings"
	"time"

	"redline/llm"
)

const summaryRole = "compaction"

// Summary stands for the older part of a conversation. It is appended like any
// message, so that a conversation only ever grows; what it replaces is still
// there, but a model is not sent it any more.
type Summary struct {
	Text    string    `json:"summary"`
	Task    []string  `json:"task"`             // what the user asked, in the user's words
	Pinned  []string  `json:"pinned,omitempty"` // what must not be forgotten, such as open decisions
	Kept    int       `json:"kept"`             // so many messages before this one stay in force
	Dropped int       `json:"dropped"`          // so many messages this one stands for
	Tokens  int       `json:"tokensBefore"`     // about the size of the conversation before
	At      time.Time `json:"timestamp"`
}

// Role is the kind of the message.
func (s *Summary) Role() string { return summaryRole }

// ForModel is the summary as a model reads it.
func (s *Summary) ForModel() llm.Message {
	var b strings.Builder
	b.WriteString("The earlier part of this conversation was summarised to save space.\n")
	section(&b, "What the user asked", s.Task)
	section(&b, "Still open", s.Pinned)
	section(&b, "Summary", []string{s.Text})
	return llm.User(b.String())
}

func section(b *strings.Builder, title string, items []string) {
	if len(items) == 0 {
		return
	}
	b.WriteString("\n## " + title + "\n")
	for _, item := range items {
		b.WriteString(item + "\n")
	}
}

// InForce is the part of a conversation that a model is sent: the newest
// summary, what it kept, and everything after it.
func InForce(messages []Message) []Message {
	for i := len(messages) - 1; i >= 0; i-- {
		s, ok := messages[i].Custom.(*Summary)
		if !ok {
			continue
		}
		from := max(0, i-s.Kept)
		out := make([]Message, 0, 1+len(messages)-from)
		out = append(out, messages[i])
		for _, m := range messages[from:] {
			if _, older := m.Custom.(*Summary); !older {
				out = append(out, m)
			}
		}
		return out
	}
	return messages
}

// Repair returns the results that a conversation lacks: one for every call that
// was never answered, because the process died or the run was cut. Append them,
// and the conversation can go on.
func Repair(messages []Message) []Message {
	plain := make([]llm.Message, len(messages))
	for i, m := range messages {
		plain[i] = m.Message
	}
	var repairs []Message
	for _, call := range llm.Unanswered(plain) {
		repairs = append(repairs, answer(call, toolLost))
	}
	return repairs
}
