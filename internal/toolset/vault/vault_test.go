package vault_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/internal/ledger"
	"redline/internal/session"
	"redline/internal/shell/staged"
	"redline/internal/toolset"
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

func TestCases(t *testing.T) { toolsettest.Run(t, "testdata/cases/*.txtar", kit(vault.Options{})) }

// TestAllowed plays cases with the commands that remove something.
func TestAllowed(t *testing.T) {
	toolsettest.Run(t, "testdata/allowed/*.txtar", kit(vault.Options{Allow: allow(t, "+rm", "+rmdir", "+find -delete")}))
}

func allow(t *testing.T, list ...string) staged.Allow {
	t.Helper()
	a, err := staged.ParseAllow(list)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestBounds plays cases with an output that is soon full and a time that is soon
// over.
func TestBounds(t *testing.T) {
	toolsettest.Run(t, "testdata/bounds/*.txtar", kit(vault.Options{MaxOutput: 64, Timeout: 100 * time.Millisecond}))
}

// TestStory: under every review.
func TestStory(t *testing.T) {
	toolsettest.Story(t, "vault", kit(vault.Options{Allow: allow(t, "+rm")}))
}

// contract is the parameters: name, type, whether they are required.
var contract = map[string]map[string]string{
	"bash":         {"command": "string!"},
	"read_file":    {"path": "string!", "start_line": "integer", "end_line": "integer"},
	"write_file":   {"path": "string!", "content": "string!"},
	"edit_file":    {"path": "string!", "edits": "array!"},
	"list_files":   {"path": "string", "pattern": "string", "recursive": "boolean"},
	"send_message": {"message": "string!", "priority": "string"},
	"clarify_user": {"question": "string!"},
}

// TestSchemas: what the model is told of the tools, and that it is the contract.
func TestSchemas(t *testing.T) {
	b := toolsettest.NewBench(t, kit(vault.Options{Allow: allow(t, "grep", "sort")}), nil)
	specs := b.Set().Specs()
	if len(specs) != len(contract) {
		t.Errorf("%d tools, want %d", len(specs), len(contract))
	}
	for _, spec := range specs {
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, spec.Schema, "", "  "); err != nil {
			t.Fatal(err)
		}
		toolsettest.Golden(t, "testdata/tools/"+spec.Name+".md", spec.Description+"\n\n"+pretty.String()+"\n")
		var schema struct {
			Properties map[string]struct{ Type string }
			Required   []string
		}
		if err := json.Unmarshal(spec.Schema, &schema); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for name, p := range schema.Properties {
			got[name] = p.Type
		}
		for _, name := range schema.Required {
			got[name] += "!"
		}
		if d := cmp.Diff(contract[spec.Name], got); d != "" {
			t.Errorf("%s (-contract +schema):\n%s", spec.Name, d)
		}
		if strings.Contains(spec.Description, "{{") {
			t.Errorf("%s: something is not filled in:\n%s", spec.Name, spec.Description)
		}
	}
}

// TestPrompt: what a prompt says of the world, and what it leaves out.
func TestPrompt(t *testing.T) {
	day := time.Date(2026, time.November, 15, 0, 0, 0, 0, time.UTC)
	toolsettest.Golden(t, "testdata/prompts/plain.md", vault.Prompt(toolset.Facts{Folder: "notes", Date: day}))
	toolsettest.Golden(t, "testdata/prompts/full.md", vault.Prompt(toolset.Facts{Folder: "notes", Date: day, Open: "a.md", Decisions: []string{"You undid x.md.", "You rejected y.md."}}))
}
