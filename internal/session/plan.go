package session

import (
	"context"
	"fmt"
	"strings"

	"redline/agent"
	"redline/internal/wire"
	"redline/llm"
	"redline/tool"
)

// The bounds of a plan as the user is shown it.
const (
	maxPlan      = 4000 // bytes of what the agent has said; the end stays
	maxPlanCalls = 20
)

// consent is whether the user has agreed to what a run is about to change.
type consent struct {
	given   bool
	refusal map[string]string // what the model is told, by the ids of the calls that were refused
}

// planned has a call that may change something wait until the plan is agreed to. A
// call that a rule denies is no part of it: the next layer says so.
func (g *guard) planned(t tool.Tool) tool.Tool {
	if g.Plan == nil || tool.IsReadOnly(t) {
		return t
	}
	return tool.Permit(func(ctx context.Context, t tool.Tool, call tool.Call) (tool.Decision, error) {
		if j, err := g.judge(ctx, t, call); err != nil || j.verdict == Deny {
			return tool.Allow(), nil
		}
		refusal, err := g.Plan(ctx, call)
		switch {
		case err != nil:
			return tool.Decision{}, err
		case refusal == "":
			return tool.Allow(), nil
		}
		trailOf(ctx).refused = true
		return tool.Refuse(refusal), nil
	})(t)
}

// plan shows the user what the agent is about to do, and waits for the answer. A yes
// is for the rest of the run; anything else refuses the calls of the same answer of
// the model, which hears why, and the next change is asked about again. Where nobody
// is asked, the plan is told and the run goes on.
func (r *run) plan(ctx context.Context, call tool.Call) (refusal string, err error) {
	r.mu.Lock()
	given, refusal := r.consent.given, r.consent.refusal[call.ID]
	r.mu.Unlock()
	if given || refusal != "" {
		return refusal, nil
	}
	plan := r.stated(call)
	r.feed.tell(Event{Type: wire.JobEventPlan, Text: plan})
	answer := "yes"
	if r.setup.Attended && !r.setup.Agree {
		if answer, err = r.Ask(ctx, plan+"\n\nShall I go on?", "yes", "no"); err != nil {
			return "", err
		}
	}
	calls := append(r.rest(), call)
	r.mu.Lock()
	defer r.mu.Unlock()
	if agrees(answer) {
		r.consent.given = true
		return "", nil
	}
	refusal = declined(answer)
	r.consent.refusal = map[string]string{}
	for _, c := range calls {
		r.consent.refusal[c.ID] = refusal
	}
	return refusal, nil
}

// agrees tells whether an answer is a yes and nothing else.
func agrees(answer string) bool {
	answer = strings.Trim(answer, " \t\r\n.!")
	return strings.EqualFold(answer, "yes") || strings.EqualFold(answer, "y")
}

// declined is what the model is told of an answer that is no yes.
func declined(answer string) string {
	const shown, unchanged = "the user was shown what you are about to do and ", ". Nothing was changed. "
	if answer == NoAnswer {
		return shown + "did not answer" + unchanged + "Ask what they want, or end without a change"
	}
	return fmt.Sprintf("%sanswered %q%sDo as they say: state a new plan before you change anything, or end without a change", shown, answer, unchanged)
}

// stated is the plan: what the agent has said in this run, and the calls that may
// change something and wait now.
func (r *run) stated(call tool.Call) string {
	now := r.agent.State()
	said := strings.Join(wordsSince(now.Messages), "\n\n")
	if cut := len(said) - maxPlan; cut > 0 {
		said = "…" + strings.ToValidUTF8(said[cut:], "")
	}
	var next []string
	for _, c := range r.rest() {
		if t, err := now.Tools.Find(c.Name); err == nil && !tool.IsReadOnly(t) {
			next = append(next, about(tool.Label(t), c))
		}
	}
	if len(next) == 0 { // a call inside of another one
		next = append(next, about(r.Label(call.Name), call))
	}
	if more := len(next) - maxPlanCalls; more > 0 {
		next = append(next[:maxPlanCalls], fmt.Sprintf("... and %d more", more))
	}
	return strings.TrimPrefix(said+"\n\nNext:\n• "+strings.Join(next, "\n• "), "\n\n")
}

// about is a call in a line.
func about(label string, call tool.Call) string {
	names := named(call.Arguments)
	if len(names) == 0 {
		return display(label)
	}
	return display(label + ": " + strings.Join(names, ", "))
}

// wordsSince is what the agent has said and sent since the newest message of the user.
func wordsSince(messages []agent.Message) []string {
	var words []string
	for _, m := range messages[newest(messages, llm.RoleUser)+1:] {
		text := ""
		if result, ok := m.ToolResult(); ok {
			text = sentBy(result)
		} else if m.Custom == nil && m.Role == llm.RoleAssistant {
			text = m.Text()
		}
		if text = strings.TrimSpace(text); text != "" {
			words = append(words, text)
		}
	}
	return words
}
