package coding_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/internal/ledger"
	"redline/internal/shell"
	"redline/internal/toolset/coding"
	"redline/internal/toolset/toolsettest"
	"redline/internal/workspace"
	"redline/tool"
)

// kit is the set as it is played: with the policy and the review it has by
// default.
func kit(o coding.Options) toolsettest.Kit {
	return toolsettest.Kit{
		Policy: workspace.ForCode(), Review: ledger.Auto, Mask: mask,
		Tools: func(b *toolsettest.Bench) ([]tool.Tool, error) { return coding.New(b.Desk, o) },
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

func TestCases(t *testing.T) { toolsettest.Run(t, "testdata/cases/*.txtar", kit(coding.Options{})) }

// TestBounds plays cases with an output that is soon full.
func TestBounds(t *testing.T) {
	toolsettest.Run(t, "testdata/bounds/*.txtar", kit(coding.Options{MaxOutput: 64}))
}

// TestSlow plays cases with commands that take longer than they may.
func TestSlow(t *testing.T) {
	toolsettest.Run(t, "testdata/slow/*.txtar", kit(coding.Options{Timeout: 100 * time.Millisecond}))
}

// TestStory: the same work comes to the same under every review.
func TestStory(t *testing.T) {
	toolsettest.Story(t, "coding", kit(coding.Options{}), ledger.Optimistic, ledger.Auto, ledger.Hunks, ledger.WholeTurn)
}

// TestSandboxTold: the model knows what its commands cannot do.
func TestSandboxTold(t *testing.T) {
	for _, test := range []struct {
		sandbox          *shell.Sandbox
		confined, online bool
	}{{nil, false, true}, {&shell.Sandbox{}, true, false}, {&shell.Sandbox{Net: true}, true, true}} {
		set := toolsettest.NewBench(t, kit(coding.Options{Sandbox: test.sandbox}), nil).Set()
		for _, spec := range set.Specs() {
			if spec.Name != "bash" {
				continue
			}
			if got := strings.Contains(spec.Description, "Commands are confined"); got != test.confined {
				t.Errorf("%+v: confined %v in\n%s", test.sandbox, got, spec.Description)
			}
			if got := !strings.Contains(spec.Description, "no network"); got != test.online {
				t.Errorf("%+v: online %v in\n%s", test.sandbox, got, spec.Description)
			}
			if strings.Contains(spec.Description, "{{") {
				t.Errorf("not filled in:\n%s", spec.Description)
			}
		}
	}
}

// seed is the parameters of the contract: name, type, whether they are required.
var seed = map[string]map[string]string{
	"read":  {"file_path": "string!", "offset": "integer", "limit": "integer"},
	"bash":  {"command": "string!"},
	"edit":  {"file_path": "string!", "old_string": "string!", "new_string": "string!", "replace_all": "boolean"},
	"write": {"file_path": "string!", "content": "string!"},
}

// TestSchemas: what the model is told of the tools, and that it is the contract.
func TestSchemas(t *testing.T) {
	b := toolsettest.NewBench(t, kit(coding.Options{}), nil)
	for _, spec := range b.Set().Specs() {
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, spec.Schema, "", "  "); err != nil {
			t.Fatal(err)
		}
		toolsettest.Golden(t, "testdata/schemas/"+spec.Name+".json", pretty.String()+"\n")
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
		if d := cmp.Diff(seed[spec.Name], got); d != "" {
			t.Errorf("%s (-contract +schema):\n%s", spec.Name, d)
		}
	}
}
