package anthropic

import (
	sdk "github.com/anthropics/anthropic-sdk-go"

	"redline/llm"
)

const (
	defaultTokens = 8192 // of an answer, if neither the request nor the model says
	leastBudget   = 1024 // the service takes no smaller one
)

// budgets is how many tokens a model may think at each level.
var budgets = map[llm.Level]int{
	llm.ThinkMinimal: leastBudget,
	llm.ThinkLow:     2048,
	llm.ThinkMedium:  8192,
	llm.ThinkHigh:    16384,
}

// thinking is how a request asks the model to think, and the limit of its
// tokens, which depends on that.
type thinking struct {
	style     llm.ThinkingStyle
	on        bool
	budget    int    // of ThinkByBudget
	effort    string // of ThinkAdaptively
	maxTokens int
}

func thinkingFor(req llm.Request, turns []turn) thinking {
	t := thinking{style: req.Model.Thinking, on: req.Thinking.On() && !forcesTool(req)}
	level := req.Thinking
	switch t.style {
	case llm.ThinkAdaptively:
		if _, always := req.Model.Efforts[llm.ThinkOff]; !t.on && always {
			t.on, level = true, llm.ThinkOff
		}
		if t.on {
			t.effort = effort(req.Model, level)
		}
	case llm.ThinkByBudget:
		t.on = t.on && !midwayWithoutThought(turns)
	default:
		t.on = false
	}
	room := 0
	if t.on {
		room = max(budgets[level], leastBudget)
	}
	t.maxTokens, t.budget = limits(req.MaxTokens, req.Model.MaxOutput, room)
	if t.style == llm.ThinkByBudget {
		t.on = t.budget > 0
	}
	return t
}

// effort is the service's word for a level; it has none for minimal.
func effort(m llm.Model, level llm.Level) string {
	word := m.Effort(level)
	if word == string(llm.ThinkMinimal) {
		return string(sdk.OutputConfigEffortLow)
	}
	return word
}

// limits divides the tokens of a request into those for everything and, of
// them, those for thinking, given what is wanted for the answer (0: all there
// is), what the model can give in all (0: not known) and the room wanted for
// thinking. The answer keeps what it asked for, or half if there is not enough
// for both. A model that cannot give the least budget gets none.
func limits(answer, most, room int) (all, budget int) {
	switch {
	case answer <= 0 && most > 0:
		answer = most
	case answer <= 0:
		answer = defaultTokens
	}
	all = answer + room
	if most > 0 {
		all = min(all, most)
	}
	if room == 0 || all <= leastBudget {
		return all, 0
	}
	return all, max(leastBudget, min(room, all-min(answer, all/2)))
}

// forcesTool reports whether the model is left no choice but to call a tool;
// the service does not let it think then.
func forcesTool(req llm.Request) bool {
	c := toolChoice(req)
	return c.OfAny != nil || c.OfTool != nil
}

func (t thinking) param() (p sdk.ThinkingConfigParamUnion) {
	switch {
	case t.style == llm.ThinkAdaptively && t.on:
		// Newer models show nothing of their thoughts unless asked.
		p.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{Display: sdk.ThinkingConfigAdaptiveDisplaySummarized}
	case t.style == llm.ThinkAdaptively:
		off := sdk.NewThinkingConfigDisabledParam() // some think if nothing is said
		p.OfDisabled = &off
	case t.on:
		p.OfEnabled = &sdk.ThinkingConfigEnabledParam{BudgetTokens: int64(t.budget)}
	}
	return p
}

// midwayWithoutThought reports whether the model is in a chain of tool calls
// that it began without a thought, or whose first thought is lost. Models that
// think by budget must not begin to think there.
func midwayWithoutThought(turns []turn) bool {
	i := len(turns) - 1
	if len(turns[i].results) == 0 {
		return false
	}
	for i >= 2 && len(turns[i].results) > 0 {
		i -= 2 // over the calls that these results answer
	}
	first := turns[i+1].rest[0]
	return first.OfThinking == nil && first.OfRedactedThinking == nil
}
