package llm

import (
	"encoding/json"
	"net/url"
)

// API names a wire protocol.
type API string

const (
	APIChat      API = "openai-chat"
	APIResponses API = "openai-responses"
	APIMessages  API = "anthropic-messages"
	APIGemini    API = "google-gemini"
	APIApp       API = "app"
	APIOffline   API = "offline"
	APIScripted  API = "scripted"
)

// Model is what is known of a model.
type Model struct {
	ID        string           `json:"id"` // as its provider knows it
	Provider  string           `json:"provider"`
	API       API              `json:"api,omitempty"`
	BaseURL   string           `json:"baseURL,omitempty"`
	Dialect   string           `json:"dialect,omitempty"` // which server's habits a compatible server has; "": those of Provider
	Local     bool             `json:"local,omitempty"`   // runs on the user's own machine
	Context   int              `json:"context,omitempty"` // tokens; 0: not known
	MaxOutput int              `json:"maxOutput,omitempty"`
	Price     *Price           `json:"price,omitempty"` // nil: not known
	Can       Abilities        `json:"can"`
	Thinking  ThinkingStyle    `json:"thinking,omitempty"`
	Efforts   map[Level]string `json:"efforts,omitempty"` // the model's own words for levels that it names differently
}

// Name is the model's full name, provider/model.
func (m Model) Name() string { return m.Provider + "/" + m.ID }

// MarshalJSON leaves out the name and the password that a BaseURL may have: what
// is known of a model goes into events, traces and files.
func (m Model) MarshalJSON() ([]byte, error) {
	type plain Model // without this method
	if u, err := url.Parse(m.BaseURL); err == nil && u.User != nil {
		u.User = nil
		m.BaseURL = u.String()
	}
	return json.Marshal(plain(m))
}

// Abilities is what a model can do.
type Abilities struct {
	Tools       bool `json:"tools,omitempty"`
	Images      bool `json:"images,omitempty"`
	Documents   bool `json:"documents,omitempty"`
	Temperature bool `json:"temperature,omitempty"` // may be asked for one
	Structured  bool `json:"structured,omitempty"`  // keeps to a schema by itself
}

// ThinkingStyle says how a model is asked to think. "" cannot.
type ThinkingStyle string

const (
	ThinkByEffort   ThinkingStyle = "effort"   // a word (OpenAI)
	ThinkByBudget   ThinkingStyle = "budget"   // a number of tokens (Claude to 4.5, Gemini 2.5)
	ThinkByLevel    ThinkingStyle = "level"    // a word (Gemini 3)
	ThinkAdaptively ThinkingStyle = "adaptive" // the model decides, a word limits it (Claude from 4.6)
)

// Price is in US dollars for a million tokens.
type Price struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead,omitempty"`
	CacheWrite float64 `json:"cacheWrite,omitempty"`
	Over       int     `json:"over,omitempty"` // for a larger prompt than this, everything costs Long; 0: never
	Long       *Price  `json:"long,omitempty"`
}

// Cost is what usage costs in US dollars, or nil if the price is not known.
// Models that run locally cost nothing.
func (m Model) Cost(u Usage) *float64 {
	if m.Price == nil {
		if m.Local {
			return new(float64)
		}
		return nil
	}
	p := *m.Price
	if p.Long != nil && u.Prompt() > p.Over {
		p = *p.Long
	}
	usd := (float64(u.Input)*p.Input + float64(u.Output)*p.Output + float64(u.CacheRead)*p.CacheRead + float64(u.CacheWrite)*p.CacheWrite) / 1e6
	return &usd
}

// Effort is the model's word for a level.
func (m Model) Effort(l Level) string {
	if word, ok := m.Efforts[l]; ok {
		return word
	}
	return string(l)
}
