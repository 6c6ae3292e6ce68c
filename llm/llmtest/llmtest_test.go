package llmtest_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/llm"
	"redline/llm/llmtest"
)

// flawOf names, for a process that TestFlaws starts, what its provider does
// wrong.
const flawOf = "LLMTEST_FLAW"

func TestToy(t *testing.T) {
	p, flaw := toy, os.Getenv(flawOf)
	if flaw != "" {
		*llmtest.Patience = 200 * time.Millisecond
		p.Open = func(e llm.Endpoint) (llm.Provider, error) { return openToy(e, flaw) }
	}
	switch flaw {
	case "has no recording":
		p.Dir = t.TempDir()
	case "misspells what it skips":
		p.Skip = map[string]string{"txet": "no text"}
	}
	llmtest.Run(t, p)
}

func BenchmarkToy(b *testing.B) { llmtest.Benchmark(b, toy) }

// TestFlaws: the suite finds what is wrong with a provider. Each runs in a
// process of its own, because a suite that fails fails its test.
func TestFlaws(t *testing.T) {
	for flaw, finders := range map[string][]string{
		"asks again":                       {"error_overloaded", "error_not_json"},
		"gives up":                         {"error_rate_limit", "mid_error", "refused", "cut_connection", "no_answer", "pause"},
		"goes its own way":                 {"headers", "proxy", "trace", "no_answer", "pause"},
		"goes on after the listener left":  {"leave_anywhere"},
		"sends what the model cannot take": {"unable"},
		"takes misuse for a failure":       {"misuse"},
		"has no recording":                 {"text", "trace", "requests/plain"},
		"ignores cancel":                   {"deadline", "cancel_slow_drip", "leave_early"},
		"joins paths badly":                {"base_url"},
		"keeps what it read":               {"memory"},
		"leaves a goroutine":               {"text", "leave_early", "requests/plain"},
		"misspells what it skips":          {},
		"sends fields at random":           {"same_bytes"},
		"sends no thinking":                {"requests/thinking_history"},
		"shows the key":                    {"secret_key"},
		"shares its state":                 {"concurrent"},
		"takes a cut for the end":          {"cut", "cut_anywhere"},
		"waits for the end":                {"cancel_slow_drip", "leave_early", "pause"},
	} {
		t.Run(flaw, func(t *testing.T) {
			t.Parallel()
			patterns := []string{"^TestToy$/^no scenario$"}
			for _, name := range finders {
				patterns = append(patterns, "^TestToy$/^"+strings.ReplaceAll(name, "/", "$/^")+"$")
			}
			child := exec.Command(os.Args[0], "-test.timeout=1m", "-test.run="+strings.Join(patterns, "|"))
			child.Env = append(os.Environ(), flawOf+"="+flaw)
			out, err := child.CombinedOutput()
			if err == nil {
				t.Fatalf("the suite found nothing:\n%s", out)
			}
			failed := failures(string(out))
			for _, name := range finders {
				if !slices.Contains(failed, name) {
					t.Errorf("%s did not fail; failed: %q\n%s", name, failed, out)
				}
			}
		})
	}
}

// failures lists the scenarios that failed.
func failures(out string) []string {
	var names []string
	for line := range strings.Lines(out) {
		if _, rest, ok := strings.Cut(line, "--- FAIL: TestToy/"); ok {
			name, _, _ := strings.Cut(rest, " ")
			names = append(names, name)
		}
	}
	return names
}
