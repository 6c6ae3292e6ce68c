package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline"
	"redline/internal/config"
	"redline/internal/ledger"
	"redline/internal/session"
	"redline/llm"
	"redline/llm/route"
)

// home is a place with a configuration of the user and a folder with one of its own.
func home(t *testing.T, user, folder string) (dir string) {
	t.Helper()
	base := t.TempDir()
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "REDLINE_") || strings.HasSuffix(name, "_API_KEY") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("HOME", base)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(base, "config"))
	t.Setenv("XDG_STATE_HOME", filepath.Join(base, "state"))
	dir = filepath.Join(base, "folder")
	for name, content := range map[string]string{
		filepath.Join(base, "config", "redline", "config.toml"): user,
		filepath.Join(dir, ".redline", "config.toml"):           folder,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// flagged are flags that were given, for the folder.
func flagged(w where, dir string, flags ...string) *where {
	w.dir = dir
	w.changed = func(name string) bool { return slices.Contains(flags, name) }
	return &w
}

func load(t *testing.T, w *where) *settings {
	t.Helper()
	s, err := loadSettings(context.Background(), w)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// effect is everything that settings come to.
type effect struct {
	Open     redline.Options
	Talk     redline.ConversationOptions
	Model    redline.ModelOptions
	Services int
	Colors   bool
	Host     hosting
	Listen   listening
}

func effectOf(t *testing.T, w *where) effect {
	t.Helper()
	s := load(t, w)
	var e effect
	var err error
	e.Open, e.Colors = s.options(), s.colors(true)
	e.Host, e.Listen = s.hosting(), s.listening()
	if e.Talk, err = s.conversation(w); err != nil {
		t.Fatal(err)
	}
	e.Talk.Model = redline.Chosen{}
	if e.Model, err = s.modelOptions(); err != nil {
		t.Fatal(err)
	}
	if c := e.Model.Catalogue; c != nil {
		e.Services = len(c.Services()) + 100*len(c.Models())
	}
	e.Model.Catalogue, e.Model.Getenv = nil, nil
	e.Model.From, e.Model.ModeFrom, e.Model.KeyFrom = "", "", "" // where it stands is no effect
	return e
}

// TestEveryKeyCounts: each key changes something, whichever it is.
func TestEveryKeyCounts(t *testing.T) {
	const before = `model = "ollama/big"
local_model = "ollama/small"
agent_mode = "hybrid_auto"
mode = "custom"
review = "optimistic"
`
	values := map[string]string{
		"model": `"ollama/other"`, "base_url": `"http://127.0.0.1:9/v1"`, "api_key": `"k"`, "thinking": `"high"`, "system_prompt": `"Be brief."`,
		"toolset": `"coding"`, "review": `"turn"`, "mode": `"restricted"`, "rules": `["deny::x"]`, "confirmDestructive": `false`, "budget": `1.5`, "send_message": `true`,
		"shell.sandbox": `true`, "shell.sandbox_net": `true`, "shell.allow": `["+rm"]`,
		"state": `"/elsewhere"`, "color": `"never"`, "agent_mode": `"local"`, "local_model": `"ollama/tiny"`,
		"hybrid_max_local_attempts": `7`, "hybrid_remote_on_schema_fail": `false`, "hybrid_remote_on_context_overflow": `false`, "hybrid_remote_on_timeout_ms": `7`,
		"temperature": `0.1`, "wallTime": `"7m"`, "max_search_results_cap": `70`,
		"confirm_before_edits": `true`, "rerun_on_conflict": `true`, "poll_interval_ms": `500`,
		"listen": `"127.0.0.1:1"`, "token": `"0123456789abcdef"`, "clients": `{phone = {token = "0123456789abcdef"}}`,
		"services": `[{id = "gpu", api = "openai-chat", baseURL = "http://gpu/v1"}]`, "models": `[{provider = "ollama", id = "big", context = 1000}]`,
	}
	plain := effectOf(t, flagged(where{}, home(t, before, "")))
	for _, k := range config.Keys {
		t.Run(k.Name, func(t *testing.T) {
			value := values[k.Name]
			if value == "" {
				value = "7" // of all the limits
			}
			var user []string
			for line := range strings.Lines(before) {
				if !strings.HasPrefix(line, k.Name+" ") && (k.Name != "confirmDestructive" || !strings.HasPrefix(line, "mode ")) {
					user = append(user, line)
				}
			}
			user = append(user, k.Name+" = "+value+"\n")
			got := effectOf(t, flagged(where{}, home(t, strings.Join(user, ""), "")))
			if cmp.Equal(plain, got, cmp.AllowUnexported(redline.ModelOptions{})) {
				t.Errorf("%s has no effect", k.Name)
			}
		})
	}
}

// TestWords: the table of keys knows the words that the parts understand, and no
// others.
func TestWords(t *testing.T) {
	is := func(key string, want []string) {
		t.Helper()
		got := wordsOf(key)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	var levels []string
	for _, l := range llm.Levels {
		levels = append(levels, string(l))
	}
	is("toolset", slices.Clone(redline.Toolsets))
	is("thinking", levels)
	is("review", []string{string(ledger.Optimistic), string(ledger.Hunks), string(ledger.WholeTurn), string(ledger.Auto)})
	is("mode", []string{string(session.Autonomous), string(session.Supervised), string(session.Restricted), string(session.Custom)})
	is("agent_mode", []string{string(route.Local), string(route.Remote), string(route.HybridAuto)})
}

// TestDefaultsHaveKeys: every default is of a key, and of its type; what has no
// default has none on purpose.
func TestDefaultsHaveKeys(t *testing.T) {
	without := []string{"model", "base_url", "api_key", "system_prompt", "toolset", "rules", "confirmDestructive", "state", "shell.allow", "local_model", "token", "clients", "services", "models"}
	for _, toolset := range redline.Toolsets {
		d := redline.Defaults(toolset)
		for _, k := range config.Keys {
			_, has := d[k.Name]
			if has == slices.Contains(without, k.Name) && (k.Name != "temperature" || toolset != "coding") {
				t.Errorf("%s: %s has a default: %v", toolset, k.Name, has)
			}
		}
	}
	s := load(t, flagged(where{}, home(t, "", "")))
	if _, err := s.conversation(flagged(where{}, ".")); err != nil {
		t.Error(err)
	}
	if l := s.limits(); !cmp.Equal(l, redline.Limits{}) {
		t.Errorf("nobody has set limits, but there are %+v", l)
	}
}

// TestTied: a key and an address are for the service that they were given for, and
// are sent to no other.
func TestTied(t *testing.T) {
	const user = "model = \"openai/gpt-5\"\napi_key = \"sk-openai\"\nbase_url = \"http://proxy/v1\"\n"
	for _, test := range []struct {
		name, user string
		env        []string
		w          where
		flags      []string
		want       string // name, key, address
	}{
		{"as it stands", user, nil, where{}, nil, "openai/gpt-5 sk-openai http://proxy/v1"},
		{"another model of the service", user, nil, where{model: "openai/gpt-5-mini"}, []string{"model"}, "openai/gpt-5-mini sk-openai http://proxy/v1"},
		{"another service", user, nil, where{model: "ollama/x"}, []string{"model"}, "ollama/x  "},
		{"another service by the environment", user, []string{"REDLINE_MODEL=ollama/x"}, where{}, nil, "ollama/x  "},
		{"another service, with its own", user, nil, where{model: "groq/x", apiKey: "k", baseURL: "http://g/v1"}, []string{"model", "api-key", "base-url"}, "groq/x k http://g/v1"},
		{"a key alone is for any", "api_key = \"k\"\n", nil, where{model: "groq/x"}, []string{"model"}, "groq/x k "},
		{"and there again", user, []string{"REDLINE_MODEL=ollama/x"}, where{model: "openai/gpt-5"}, []string{"model"}, "openai/gpt-5 sk-openai http://proxy/v1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := home(t, test.user, "")
			for _, e := range test.env {
				name, value, _ := strings.Cut(e, "=")
				t.Setenv(name, value)
			}
			o, err := load(t, flagged(test.w, dir, test.flags...)).modelOptions()
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%s %s %s", o.Name, o.Key.Reveal(), o.BaseURL); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestKeys: a key that is given for Redline goes before that of the service in the
// environment, one in a file behind it.
func TestKeys(t *testing.T) {
	for _, test := range []struct {
		user, env string
		w         where
		flags     []string
		from      string
	}{
		{"api_key = \"k\"", "", where{}, nil, "config.toml:2"},
		{"", "k", where{}, nil, "flag"},
		{"", "", where{apiKey: "k"}, []string{"api-key"}, "flag"},
	} {
		dir := home(t, "model = \"openai/x\"\n"+test.user, "")
		t.Setenv("REDLINE_API_KEY", test.env)
		o, err := load(t, flagged(test.w, dir, test.flags...)).modelOptions()
		if err != nil || o.Key.Reveal() != "k" || !strings.HasSuffix(o.KeyFrom, test.from) {
			t.Errorf("%+v: from %s, %v", test, o.KeyFrom, err)
		}
	}
}

// TestStateOfTrust: trust is looked up where the user keeps Redline's state.
func TestStateOfTrust(t *testing.T) {
	state := t.TempDir()
	dir := home(t, fmt.Sprintf("state = %q\n", state), "mode = \"autonomous\"")
	if out, code := say(t, dir, "trust", "--yes"); code != exitDone {
		t.Fatal(out)
	}
	if s := load(t, flagged(where{}, dir)); !s.trusted || s.word("mode") != "autonomous" {
		t.Error("the trust is not found")
	}
	if s := load(t, flagged(where{state: t.TempDir()}, dir, "state")); s.trusted || s.word("mode") != "supervised" {
		t.Error("another state trusts it as well")
	}
}

// TestOrphans: what is for a model is refused if no model is named.
func TestOrphans(t *testing.T) {
	for user, want := range map[string]string{
		`api_key = "sk-12345"`:        "config.toml:1: api_key is set, but not the model that it is for: name one with --model or in the configuration",
		`base_url = "http://host/v1"`: "config.toml:1: base_url is set, but not the model that it is for: name one with --model or in the configuration",
		`local_model = "ollama/x"`:    "config.toml:1: local_model has no effect by itself: set agent_mode to local or hybrid_auto, or leave it out",
		"[[services]]\nid = 3":        "config.toml: services[0]: service",
	} {
		_, err := load(t, flagged(where{}, home(t, user, ""))).model()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "12345") {
			t.Errorf("%s: %v", user, err)
		}
	}
}

// TestSystemPrompt: a text, or a file beside what names it.
func TestSystemPrompt(t *testing.T) {
	dir := home(t, "system_prompt = \"@prompt.md\"", "")
	config := filepath.Join(filepath.Dir(dir), "config", "redline", "prompt.md")
	s := load(t, flagged(where{}, dir))
	if _, err := s.systemPrompt(); err == nil || !strings.Contains(err.Error(), "read the system prompt ("+filepath.Join(filepath.Dir(config), "config.toml")+":1)") {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(config, []byte("Of the user.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := s.systemPrompt(); got != "Of the user.\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	t.Chdir(dir)
	if err := os.WriteFile("p.md", []byte("Of the flag.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s = load(t, flagged(where{systemPrompt: "@p.md"}, dir, "system-prompt"))
	if got, err := s.systemPrompt(); got != "Of the flag.\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	s = load(t, flagged(where{systemPrompt: "Be brief."}, dir, "system-prompt"))
	if got, err := s.systemPrompt(); got != "Be brief." || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestGoingOn: a session that goes on keeps its toolset and review, unless flags
// say otherwise.
func TestGoingOn(t *testing.T) {
	dir := home(t, "toolset = \"coding\"\nreview = \"turn\"\nmode = \"restricted\"", "")
	for _, test := range []struct {
		w     where
		flags []string
		want  string
	}{
		{where{}, nil, "coding turn restricted"},
		{where{again: true}, nil, "  restricted"},
		{where{session: "x"}, nil, "  restricted"},
		{where{again: true, toolset: "project"}, []string{"toolset"}, "project  restricted"},
	} {
		o, err := load(t, flagged(test.w, dir, test.flags...)).conversation(&test.w)
		if err != nil {
			t.Fatal(err)
		}
		if got := o.Toolset + " " + o.Review + " " + o.Mode; got != test.want {
			t.Errorf("%+v: %s", test.w, got)
		}
	}
}

// TestBrokenFolder: what only looks back does not need the folder's configuration.
func TestBrokenFolder(t *testing.T) {
	dir := home(t, "", "this is no TOML")
	if _, err := loadSettings(context.Background(), flagged(where{}, dir)); err == nil {
		t.Error("it is accepted")
	}
	if _, _, err := userSettings(flagged(where{}, dir)); err != nil {
		t.Error(err)
	}
}

// TestDocs: the table of keys in docs/configuration.md is that of the program.
func TestDocs(t *testing.T) {
	const file, begin, end = "../../docs/configuration.md", "<!-- keys -->\n", "<!-- /keys -->"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(data), begin)
	old, after, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no marks for the table", file)
	}
	if *update {
		if err := os.WriteFile(file, []byte(before+begin+keyTable()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(old, keyTable()); d != "" {
		t.Errorf("renew it with -update (-docs +program):\n%s", d)
	}
}

// keyTable is the keys for people.
func keyTable() string {
	var b strings.Builder
	b.WriteString("| key | value | default | folder | meaning |\n|---|---|---|---|---|\n")
	for _, k := range config.Keys {
		value := k.Type()
		if words := k.Words(); words != nil {
			value = "`" + strings.Join(words, "`, `") + "`"
		}
		name := "`" + k.Name + "`"
		if k.Env != "" {
			name += "<br>`" + k.Env + "`"
		}
		folder := [...]string{config.Free: "anything", config.Stricter: "stricter", config.Needed: "trust", config.Never: "never"}[k.Trust]
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", name, value, defaultText(k), folder, k.Doc)
	}
	return b.String()
}

// defaultText is the default of a key, by toolset if it differs.
func defaultText(k config.Key) string {
	if k.Name == "toolset" {
		return fmt.Sprint(redline.Defaults("")["toolset"])
	}
	var all []string
	for _, toolset := range redline.Toolsets {
		v, ok := redline.Defaults(toolset)[k.Name]
		text := config.Setting{Key: k, Value: v}.Display()
		if !ok {
			text = "–"
		}
		all = append(all, text)
	}
	if !slices.ContainsFunc(all, func(s string) bool { return s != all[0] }) {
		return all[0]
	}
	for i := range all {
		all[i] = redline.Toolsets[i] + " " + all[i]
	}
	return strings.Join(all, ", ")
}
