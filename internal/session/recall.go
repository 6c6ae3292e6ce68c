package session

import (
	"encoding/json"
	"slices"
	"strings"

	"redline/agent"
	"redline/llm"
	"redline/tool"
)

// Waiting is what a session has asked the user, and what for.
type Waiting struct {
	Question string // what the agent wants to know
	Message  string // what the user had asked for
	Index    int    // of that message in the session, from 0
	Calls    int    // tool calls that were completed since
	Said     string // the agent's newest message
}

// CutOff is the reason of a request that nobody finished.
const CutOff = "the request was interrupted before it was done"

// Recall is where a conversation stands of which there is nothing but what was
// said: after a restart, or in a list.
//
// A request that a question answers belongs to the one in which it was asked, so
// that a conversation which goes back and forth waits for what its first message
// wanted.
func Recall(messages []agent.Message) Status {
	s := recall(messages)
	if s.State == WaitingForUser {
		s.Waiting = waitingFor(s.Waiting.Question, messages)
	}
	return s
}

func recall(messages []agent.Message) Status {
	last := newest(messages, llm.RoleAssistant)
	switch asked := newest(messages, llm.RoleUser); {
	case last < 0 && asked < 0:
		return Status{State: Idle}
	case last < asked:
		return Status{State: Cancelled, Aborted: true, Reason: CutOff}
	}
	if call, ok := OpenQuestion(messages); ok {
		return Status{State: WaitingForUser, Waiting: &Waiting{Question: questionOf(call)}}
	}
	m := messages[last]
	switch text := m.Text(); {
	case m.Stop() == llm.StopError && m.Reply.Failure != nil:
		return Status{State: Failed, Reason: m.Reply.Failure.Error()}
	case m.Stop() == llm.StopContentFilter:
		return Status{State: Failed, Reason: "the answer was withheld"}
	case m.Stop() == llm.StopAborted, len(m.ToolCalls()) > 0:
		return Status{State: Cancelled, Aborted: true, Reason: CutOff}
	case m.Reply != nil && m.Reply.Provider == agent.Self && (text == tool.Cancelled || text == Unattended):
		return Status{State: Cancelled, Denied: true, Reason: text}
	case m.Reply != nil && m.Reply.Provider == agent.Self:
		return Status{State: Failed, Reason: text}
	}
	if question := finalQuestion(messages); question != "" {
		return Status{State: WaitingForUser, Waiting: &Waiting{Question: question}}
	}
	return Status{State: Done}
}

// OpenQuestion is the call by which the model asked the user, if a conversation
// ends with it because its program ended before there was an answer. Calls run in
// their order around a question: one without a result before it means that it was
// never asked.
func OpenQuestion(messages []agent.Message) (call llm.ToolCall, ok bool) {
	last := newest(messages, llm.RoleAssistant)
	if last < 0 || messages[last].Stop() != llm.StopToolUse || newest(messages[last:], llm.RoleUser) >= 0 {
		return call, false
	}
	plain := make([]llm.Message, 0, len(messages)-last)
	for _, m := range messages[last:] {
		plain = append(plain, m.Message)
	}
	open := llm.Unanswered(plain)
	if len(open) == 0 || open[0].Name != llm.ClarifyTool || questionOf(open[0]) == "" {
		return call, false
	}
	return open[0], true
}

func questionOf(call llm.ToolCall) string {
	var arguments struct {
		Question string `json:"question"`
	}
	_ = json.Unmarshal(call.Arguments, &arguments) // no question, if it is none
	return strings.TrimSpace(arguments.Question)
}

// finalQuestion is the question with which the agent's last words end, or else the
// last message that it sent, if it did nothing after it.
func finalQuestion(messages []agent.Message) string {
	if question := AsksFor(messages[newest(messages, llm.RoleAssistant)].Text()); question != "" {
		return question
	}
	for _, m := range slices.Backward(messages) {
		if m.Custom == nil && m.Role == llm.RoleUser {
			break
		}
		if r, ok := m.ToolResult(); ok && r.Name == llm.MessageTool {
			return AsksFor(sentBy(r))
		} else if ok {
			break
		}
	}
	return ""
}

// sentBy is the message that a call sent, or "".
func sentBy(r llm.ToolResult) string {
	var details struct {
		Message string `json:"message"`
	}
	if r.Name != llm.MessageTool || r.IsError || json.Unmarshal(r.Details, &details) != nil {
		return ""
	}
	return details.Message
}

// waitingFor is what a question is about with which the messages end.
func waitingFor(question string, messages []agent.Message) *Waiting {
	at := newest(messages, llm.RoleUser)
	for at > 0 && recall(messages[:at]).State == WaitingForUser {
		before := newest(messages[:at], llm.RoleUser)
		if before < 0 {
			break
		}
		at = before
	}
	w := &Waiting{Question: question, Index: max(at, 0)}
	if at >= 0 {
		w.Message = Requested(messages[at].Text())
	}
	for _, m := range messages[w.Index:] {
		if m.Custom == nil && m.Role == llm.RoleAssistant && m.Text() != "" {
			w.Said = m.Text()
		}
		if r, ok := m.ToolResult(); ok && !r.IsError {
			w.Calls++
			if sent := sentBy(r); sent != "" {
				w.Said = sent
			}
		}
	}
	return w
}

// spoke tells whether there is an answer to the newest request: last words, or
// messages that were sent.
func spoke(messages []agent.Message) bool {
	if last := newest(messages, llm.RoleAssistant); last >= 0 && messages[last].Text() != "" {
		return true
	}
	return slices.ContainsFunc(messages[newest(messages, llm.RoleUser)+1:], func(m agent.Message) bool {
		r, ok := m.ToolResult()
		return ok && sentBy(r) != ""
	})
}

// newest is the index of the newest message of a role, or -1.
func newest(messages []agent.Message, role llm.Role) int {
	for i, m := range slices.Backward(messages) {
		if m.Custom == nil && m.Role == role {
			return i
		}
	}
	return -1
}
