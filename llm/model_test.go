package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
)

func TestCost(t *testing.T) {
	flat := &llm.Price{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75}
	tiered := &llm.Price{Input: 1, Output: 10, CacheRead: 0.1, Over: 200_000, Long: &llm.Price{Input: 2, Output: 15, CacheRead: 0.2}}
	usd := func(v float64) *float64 { return &v }
	for _, tt := range []struct {
		name string
		m    llm.Model
		u    llm.Usage
		want *float64
	}{
		{"every kind of token", llm.Model{Price: flat}, llm.Usage{Input: 1e6, Output: 2e6, CacheRead: 1e6, CacheWrite: 1e6, Reasoning: 1e6}, usd(3 + 30 + 0.3 + 3.75)},
		{"nothing", llm.Model{Price: flat}, llm.Usage{}, usd(0)},
		{"no price", llm.Model{}, llm.Usage{Input: 1}, nil},
		{"local", llm.Model{Local: true}, llm.Usage{Input: 1}, usd(0)},
		{"local, but somebody pays", llm.Model{Local: true, Price: flat}, llm.Usage{Input: 1e6}, usd(3)},
		{"a prompt that is just short", llm.Model{Price: tiered}, llm.Usage{Input: 100_000, CacheRead: 100_000, Output: 1e6}, usd(0.1 + 0.01 + 10)},
		{"a long prompt, most of it cached", llm.Model{Price: tiered}, llm.Usage{Input: 100_000, CacheRead: 100_001, Output: 1e6}, usd(0.2 + 0.0200002 + 15)},
	} {
		got := tt.m.Cost(tt.u)
		if (got == nil) != (tt.want == nil) || got != nil && (*got-*tt.want > 1e-9 || *tt.want-*got > 1e-9) {
			t.Errorf("%s: got %v, want %v", tt.name, deref(got), deref(tt.want))
		}
	}
}

func deref(p *float64) any {
	if p == nil {
		return nil
	}
	return *p
}

func TestLevels(t *testing.T) {
	for _, tt := range []struct {
		text string
		want llm.Level
		on   bool
	}{
		{"", llm.ThinkOff, false}, {"off", llm.ThinkOff, false}, {"minimal", llm.ThinkMinimal, true},
		{"low", llm.ThinkLow, true}, {"medium", llm.ThinkMedium, true}, {"high", llm.ThinkHigh, true},
	} {
		got, err := llm.ParseLevel(tt.text)
		if err != nil || got != tt.want || got.On() != tt.on {
			t.Errorf("ParseLevel(%q) = %q, %v; on %t", tt.text, got, err, got.On())
		}
	}
	if _, err := llm.ParseLevel("extreme"); err == nil || err.Error() != `unknown thinking level "extreme": use off, minimal, low, medium or high` {
		t.Errorf("error %v", err)
	}
	if llm.Level("").On() {
		t.Error("no level is on")
	}
}

func TestEffort(t *testing.T) {
	m := llm.Model{Efforts: map[llm.Level]string{llm.ThinkOff: "none", llm.ThinkMinimal: ""}}
	var got []string
	for _, l := range llm.Levels {
		got = append(got, m.Effort(l))
	}
	if d := cmp.Diff([]string{"none", "", "low", "medium", "high"}, got); d != "" {
		t.Error(d)
	}
}

func TestEstimateTokens(t *testing.T) {
	for text, want := range map[string]int{"": 0, "a": 1, "four": 1, "hello": 2, "äöü": 3, "日本語": 3, strings.Repeat("word ", 100): 125} {
		if got := llm.EstimateTokens(text); got != want {
			t.Errorf("EstimateTokens(%q) = %d, want %d", text, got, want)
		}
	}
	req := llm.Request{Messages: []llm.Message{llm.User("four")}}
	size := req.EstimateTokens()
	grow := func(what string, change func(*llm.Request)) {
		t.Helper()
		change(&req)
		next := req.EstimateTokens()
		if next <= size {
			t.Errorf("with %s the request has %d tokens, before %d", what, next, size)
		}
		size = next
	}
	add := func(m llm.Message) func(*llm.Request) {
		return func(r *llm.Request) { r.Messages = append(r.Messages, m) }
	}
	grow("a system prompt", func(r *llm.Request) { r.System = "Be kind." })
	grow("a tool", func(r *llm.Request) { r.Tools = []llm.ToolSpec{{Name: "f", Description: "does"}} })
	grow("an output", func(r *llm.Request) { r.Output = &llm.Output{Schema: []byte(`{"type":"object"}`)} })
	grow("a message", add(llm.User("")))
	grow("thinking and a call", add(llm.Assistant(llm.Thinking{Text: "Hmm"}, call("a", "f"))))
	grow("a result", add(result("a", "out")))
	if with := llm.User("", png).EstimateTokens(); with < 1000 {
		t.Errorf("an image counts %d", with)
	}
	if text, file := llm.User("", memo).EstimateTokens(), llm.User("", scan).EstimateTokens(); text >= file {
		t.Errorf("a document counts %d by its text and %d by its bytes", text, file)
	}
}

// TestModelTellsNoPassword: what is known of a model is shown to many.
func TestModelTellsNoPassword(t *testing.T) {
	m := llm.Model{ID: "m", Provider: "gpu", BaseURL: "https://anna:hunter2@gpu.example:8000/v1"}
	data, err := json.Marshal(llm.Request{Model: m})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(data); strings.Contains(got, "hunter2") || strings.Contains(got, "anna") || !strings.Contains(got, `"baseURL":"https://gpu.example:8000/v1"`) {
		t.Errorf("written as %s", got)
	}
	if m.BaseURL != "https://anna:hunter2@gpu.example:8000/v1" {
		t.Error("the model itself lost it")
	}
}
