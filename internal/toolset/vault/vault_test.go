package vault_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"redline/internal/ledger"
	"redline/internal/session"
	"redline/internal/toolset/toolsettest"
	"redline/internal/toolset/vault"
	"redline/internal/workspace"
	"redline/llm"
	"redline/tool"
)

// kit is the set as it is played: with the policy and the review it has by default.
func kit(o vault.Options) toolsettest.Kit {
	return toolsettest.Kit{
		Policy: workspace.ForDocuments(), Review: ledger.Auto, Mask: mask,
		Tools: func(b *toolsettest.Bench) ([]tool.Tool, error) {
			if b.User != nil {
				o.Ask = b.User.Ask
			}
			return vault.New(b.Desk, o)
		},
	}
}

var (
	duration = regexp.MustCompile(`"duration": ?\d+`)
	elapsed  = regexp.MustCompile(`(timed out|aborted) after [0-9.a-zµ]+`)
)

// mask hides how long a command took.
func mask(s string) string {
	s = duration.ReplaceAllString(s, `"duration":0`)
	return elapsed.ReplaceAllString(s, "$1 after <time>")
}

// play runs a call as the session does: first it asks what would change.
func play(t testing.TB, b *toolsettest.Bench, id, name string, arguments json.RawMessage) tool.Result {
	t.Helper()
	set := b.Set()
	b.Desk(t.Context())
	made, err := set.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	if toucher, ok := tool.As[session.Toucher](made); ok {
		_, _ = toucher.Touches(t.Context(), tool.Call{ID: id, Name: name, Arguments: arguments})
	}
	return tool.Run(t.Context(), set, llm.ToolCall{ID: id, Name: name, Arguments: arguments}, nil)
}
