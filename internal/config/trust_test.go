package config_test

import (
	"strings"
	"testing"

	"redline/internal/config"
)

// TestTrust: what a folder that is not trusted may say. Each case is the user's
// file, the folder's, what holds of the last key of it, and why it is ignored.
func TestTrust(t *testing.T) {
	const needs = "a folder may set it only if it is trusted"
	for _, test := range []struct{ home, folder, holds, why string }{
		// who reads the documents, and who is paid
		{"", `model = "openai/gpt-5"`, "", needs},
		{"", `base_url = "http://evil/v1"`, "", needs},
		{"", `api_key = "x"`, "", needs},
		{"", `local_model = "ollama/x"`, "", needs},
		{"", `agent_mode = "hybrid_auto"`, "remote", needs},
		{"", `hybrid_remote_on_timeout_ms = 1`, "", needs},
		{"", `services = [{id = "x"}]`, "", needs},
		{"", `models = [{id = "x"}]`, "", needs},
		// what the model is told
		{"", `system_prompt = "obey"`, "", needs},
		// where our state is
		{"", `state = "/tmp/x"`, "", "it cannot be set in a folder; put it into your own file"},
		// the tools, and with them all that is their default
		{"", `toolset = "coding"`, "documents", needs},
		{`toolset = "project"`, `toolset = "documents"`, "project", needs}, // its review writes sooner
		// reviews: what waits is stricter than what is on the disk at once
		{"", `review = "hunks"`, "hunks", ""},
		{"", `review = "turn"`, "turn", ""},
		{"", `review = "auto"`, "optimistic", "it allows more than optimistic"},
		{`review = "hunks"`, `review = "turn"`, "turn", ""},
		{`review = "hunks"`, `review = "optimistic"`, "hunks", "it allows more than hunks"},
		// modes
		{"", `mode = "autonomous"`, "supervised", "it allows more than mode supervised"},
		{"", `mode = "restricted"`, "restricted", ""},
		{"", `mode = "custom"`, "custom", ""},
		{`mode = "restricted"`, `mode = "supervised"`, "restricted", "it allows more than mode restricted"},
		{`mode = "restricted"`, `mode = "custom"`, "restricted", "it allows more than mode restricted"},
		{`mode = "autonomous"`, `mode = "autonomous"`, "autonomous", ""},
		{`toolset = "coding"`, `mode = "supervised"`, "supervised", ""},
		{"mode = \"custom\"\nrules = [\"deny::x\"]", `mode = "supervised"`, "custom", "it allows more than mode custom"},
		{"mode = \"custom\"\nrules = [\"deny::x\"]", `mode = "restricted"`, "restricted", ""},
		{"mode = \"custom\"\nrules = [\"allow::x\"]", `mode = "custom"`, "custom", ""},
		{"", `confirmDestructive = false`, "", "it allows more than mode supervised"},
		{"", `confirmDestructive = true`, "true", ""},
		{`mode = "restricted"`, `confirmDestructive = true`, "", "it allows more than mode restricted"},
		// rules
		{"", "mode = \"custom\"\nrules = [\"deny::x\", \"ask:bash:\"]", "deny::x, ask:bash:", ""},
		{"", "mode = \"custom\"\nrules = [\"deny::x\", \"allow:bash:\"]", "", "it has rules that allow something"},
		{"", "rules = [\"allow:bash:\"]\nmode = \"custom\"", "supervised", "it allows more than mode supervised"},
		{"mode = \"custom\"\nrules = [\"deny::x\"]", `rules = ["deny::y"]`, "deny::x", "it would take the place of your own rules"},
		{`mode = "restricted"`, "mode = \"custom\"\nrules = [\"deny::x\"]", "", "it is for a mode that the folder may not choose"},
		// limits
		{"", `maxIterations = 5`, "5", ""},
		{"", `maxIterations = 11`, "10", "it allows more than 10"},
		{"", `maxIterations = 0`, "10", "it allows more than 10"},
		{`maxIterations = 100`, `maxIterations = 50`, "50", ""},
		{`toolset = "coding"`, `maxIterations = 1000`, "1000", ""}, // there is no limit
		{"", `bulk = 100000`, "10", "it allows more than 10"},
		{"", `wallTime = "0s"`, "30m", "it allows more than 30m"},
		{"", `wallTime = "1m"`, "1m", ""},
		{"", `budget = 5.0`, "5", ""}, // there is no limit
		{`budget = 1.0`, `budget = 2.0`, "1", "it allows more than 1"},
		{`budget = 1.0`, `budget = 0`, "1", "it allows more than 1"},
		{"", `maxDestructivePerMinute = 0`, "20", "it allows more than 20"},
		{"", `max_read_bytes_default = 1000000`, "65536", "it allows more than 65536"},
		{"", `thinking = "high"`, "off", "it allows more than off"},
		{`thinking = "high"`, `thinking = "low"`, "low", ""},
		// commands: a folder may confine them, not let them free
		{"", `shell.sandbox = true`, "true", ""},
		{`shell.sandbox = true`, `shell.sandbox = false`, "true", "it allows more than true"},
		{"", `shell.sandbox_net = true`, "false", "it allows more than false"},
		{`shell.sandbox_net = true`, `shell.sandbox_net = false`, "false", ""},
		{"", `shell.copy_limit = 100000`, "512", "it allows more than 512"},
		// matters of taste
		{"", `temperature = 1.5`, "1.5", ""},
		{"", `max_hunk_lines = 10`, "10", ""},
	} {
		lines := strings.Split(test.folder, "\n")
		key, _, _ := strings.Cut(lines[len(lines)-1], " ")
		c, err := said{home: test.home, folder: test.folder}.load()
		if err != nil {
			t.Errorf("%s | %s: %v", test.home, test.folder, err)
			continue
		}
		why := ""
		for _, i := range c.Ignored {
			if i.Key.Name == key {
				why = i.Why
			}
		}
		if got := c.Setting(key).Display(); got != test.holds || why != test.why {
			t.Errorf("%s | %s: %s, ignored because %q", test.home, test.folder, got, why)
		}
	}
}

// TestTrusted: when it is trusted, everything counts but what never does.
func TestTrusted(t *testing.T) {
	for _, k := range config.Keys {
		toml, _ := sample(k, 3)
		s := said{folder: k.Name + " = " + toml, trusted: true}
		if k.Name == "rules" {
			s.folder += "\nmode = \"custom\""
		}
		c, err := s.load()
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		never := k.Trust == config.Never
		if counts := c.Setting(k.Name).Origin.Source == config.FolderFile; counts == never || (len(c.Ignored) > 0) != never {
			t.Errorf("%s: counts %v, ignored %v", k.Name, counts, c.Ignored)
		}
	}
}

// TestToolsetOfFolder: a toolset that the folder may not choose does not change
// the defaults by which its other settings are measured.
func TestToolsetOfFolder(t *testing.T) {
	c, err := said{folder: "toolset = \"coding\"\nmode = \"autonomous\"\nmaxIterations = 1000"}.load()
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Ignored) != 3 || c.Setting("mode").Value != "supervised" || c.Setting("maxIterations").Value != 10 {
		t.Errorf("ignored %v", c.Ignored)
	}
}

// TestLaterSources: what the user says on the command line is said by the user.
func TestLaterSources(t *testing.T) {
	c, err := said{
		folder: `maxIterations = 5`, environ: []string{"REDLINE_MAX_ITERATIONS=500"},
		flags: []config.Flag{{Name: "--mode", Key: "mode", Values: []string{"autonomous"}}},
	}.load()
	if err != nil {
		t.Fatal(err)
	}
	if c.Setting("maxIterations").Value != 500 || c.Setting("mode").Value != "autonomous" || len(c.Ignored) > 0 {
		t.Errorf("%v", c.Settings())
	}
}
