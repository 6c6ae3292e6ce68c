package google

import (
	"strconv"
	"strings"

	"redline/llm"
)

// thoughts is how many tokens each level may think.
var thoughts = map[llm.Level]int{
	llm.ThinkOff: 0, llm.ThinkMinimal: 512, llm.ThinkLow: 2048, llm.ThinkMedium: 8192, llm.ThinkHigh: 24576,
}

// leastThoughts is for models that cannot stop thinking, by a part of their id.
var leastThoughts = map[string]int{"gemini-2.5-pro": 128}

// words are the levels that every model of Gemini 3 and later takes. Some take
// "minimal" as well, none can be switched off; those that have another word say
// so in Model.Efforts.
var words = map[llm.Level]string{
	llm.ThinkOff: "low", llm.ThinkMinimal: "low", llm.ThinkLow: "low", llm.ThinkMedium: "medium", llm.ThinkHigh: "high",
}

type thinkingConfig struct {
	IncludeThoughts bool   `json:"includeThoughts,omitempty"`
	ThinkingBudget  *int   `json:"thinkingBudget,omitempty"`
	ThinkingLevel   string `json:"thinkingLevel,omitempty"`
}

// thinking is how a model is told to think, or nil if it cannot. Efforts of the
// model go first: words for Gemini 3, numbers of tokens for those before it.
func thinking(m llm.Model, level llm.Level) *thinkingConfig {
	c := &thinkingConfig{IncludeThoughts: level.On()}
	switch m.Thinking {
	case llm.ThinkByBudget:
		n := budget(m, level)
		c.ThinkingBudget = &n
	case llm.ThinkByLevel:
		c.ThinkingLevel = strings.ToUpper(word(m, level))
	default:
		return nil
	}
	return c
}

// word is what a model of Gemini 3 is told for a level.
func word(m llm.Model, level llm.Level) string {
	if own, ok := m.Efforts[orOff(level)]; ok {
		return own
	}
	return words[orOff(level)]
}

func budget(m llm.Model, level llm.Level) int {
	if n, err := strconv.Atoi(m.Efforts[orOff(level)]); err == nil {
		return n
	}
	n := thoughts[orOff(level)]
	for id, least := range leastThoughts {
		if strings.Contains(m.ID, id) {
			n = max(n, least)
		}
	}
	return n
}

func orOff(l llm.Level) llm.Level {
	if l == "" {
		return llm.ThinkOff
	}
	return l
}

// outputLimit is maxOutputTokens. Gemini counts thoughts as output, so they get
// room beside the answer that was asked for.
func outputLimit(req llm.Request) int {
	if req.MaxTokens == 0 {
		return 0
	}
	n := req.MaxTokens
	switch req.Model.Thinking {
	case llm.ThinkByBudget:
		n += max(0, budget(req.Model, req.Thinking))
	case llm.ThinkByLevel:
		// It thinks by the word, also where thinking is off; a word of the
		// model's own may be no level at all.
		n += max(thoughts[orOff(req.Thinking)], thoughts[llm.Level(word(req.Model, req.Thinking))])
	}
	if most := req.Model.MaxOutput; most > 0 {
		n = min(n, most)
	}
	return n
}
