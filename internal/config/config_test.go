package config_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"redline/internal/config"
	"redline/internal/text"
)

// defaults are those of two toolsets of a test.
func defaults(toolset string) map[string]any {
	if toolset == "" {
		return map[string]any{"toolset": "documents"}
	}
	d := map[string]any{
		"review": "optimistic", "mode": "supervised", "thinking": "off", "budget": 0.0, "color": "auto", "agent_mode": "remote",
		"maxIterations": 10, "bulk": 10, "maxActionsPerRequest": 20, "maxDestructivePerMinute": 20, "wallTime": 30 * time.Minute, "max_schema_retries": 5,
		"max_search_results_default": 20, "max_search_results_cap": 50, "max_read_bytes_default": 65536,
		"shell.sandbox": false, "shell.sandbox_net": false, "shell.copy_limit": 512,
	}
	if toolset == "coding" {
		d["review"], d["mode"], d["maxIterations"], d["maxActionsPerRequest"] = "auto", "autonomous", 0, 0
	}
	return d
}

// said are the sources of a test, as texts.
type said struct {
	home, folder string
	trusted      bool
	environ      []string
	flags        []config.Flag
}

func (s said) load() (*config.Config, error) {
	sources := config.Sources{Environ: s.environ, Flags: s.flags, Defaults: defaults, Near: text.Nearest}
	if s.home != "" {
		sources.Home = &config.File{Name: "home.toml", Data: []byte(s.home)}
	}
	if s.folder != "" {
		sources.Folder = &config.File{Name: ".redline/config.toml", Data: []byte(s.folder), Trusted: s.trusted}
	}
	return config.Load(sources)
}

// sample is the nth value of a key, in TOML and in the environment.
func sample(k config.Key, n int) (toml, env string) {
	switch {
	case k.Name == "base_url":
		env = fmt.Sprintf("http://host%d/v1", n)
	case k.Name == "listen":
		env = fmt.Sprintf("127.0.0.1:%d", 7000+n)
	case k.Name == "token":
		env = fmt.Sprintf("a token that is long enough %d", n)
		env = strings.ReplaceAll(env, " ", "-")
	case k.Name == "poll_interval_ms":
		env = fmt.Sprint(200 + n)
		return env, env
	case k.Name == "clients":
		return fmt.Sprintf(`{x%d = {token = "0123456789abcdef"}}`, n), ""
	case k.Type() == "text" || k.Type() == "secret":
		env = fmt.Sprintf("value%d", n)
	case len(k.Words()) > 0:
		env = k.Words()[n%len(k.Words())]
	case k.Type() == "number":
		env = fmt.Sprint(21 + n)
		return env, env
	case k.Type() == "amount":
		env = fmt.Sprint(0.5 + float64(n)/4)
		return env, env
	case k.Type() == "true or false":
		env = fmt.Sprint(n%2 == 0)
		return env, env
	case k.Type() == "time":
		env = fmt.Sprintf("%dm", 1+n)
	case k.Type() == "list":
		env = fmt.Sprintf("deny::a%d/**;ask:tool%d:", n, n)
		return fmt.Sprintf(`["deny::a%d/**", "ask:tool%d:"]`, n, n), env
	case k.Type() == "tables":
		return fmt.Sprintf(`[{id = "x%d"}]`, n), ""
	}
	return fmt.Sprintf("%q", env), env
}

// shown is how the nth value of a key is displayed.
func shown(k config.Key, n int) string {
	_, env := sample(k, n)
	switch k.Type() {
	case "secret":
		return "set"
	case "list":
		return strings.ReplaceAll(env, ";", ", ")
	case "tables":
		return fmt.Sprintf("x%d", n)
	}
	return env
}

// TestOrder: for every key and every choice of sources the last one wins, and the
// value tells where it comes from.
func TestOrder(t *testing.T) {
	for _, k := range config.Keys {
		t.Run(k.Name, func(t *testing.T) {
			for choice := range 16 {
				s := said{trusted: true, home: "\n", folder: "\n"}
				if k.Name == "rules" {
					s.home = "mode = \"custom\"\n"
				}
				want, from := "", ""
				for n, source := range []string{"home.toml:2", ".redline/config.toml:2", k.Env, "--flag"} {
					toml, env := sample(k, n)
					if choice&(1<<n) == 0 || env == "" && n > 1 || k.Trust == config.Never && n == 1 {
						continue
					}
					switch n {
					case 0:
						s.home += k.Name + " = " + toml
					case 1:
						s.folder += k.Name + " = " + toml
					case 2:
						s.environ = append(s.environ, k.Env+"="+env)
					case 3:
						s.flags = append(s.flags, config.Flag{Name: "--flag", Key: k.Name, Values: strings.Split(env, ";")})
					}
					want, from = shown(k, n), source
				}
				if want == "" {
					continue
				}
				c, err := s.load()
				if err != nil {
					t.Fatalf("sources %04b: %v", choice, err)
				}
				if got := c.Setting(k.Name); got.Display() != want || got.Origin.String() != from {
					t.Errorf("sources %04b: %s from %s, want %s from %s", choice, got.Display(), got.Origin, want, from)
				}
			}
		})
	}
}

// TestDefaults: without sources the toolset's defaults hold, those of the toolset
// that the sources come to.
func TestDefaults(t *testing.T) {
	for _, test := range []struct{ home, flag, key, want, from string }{
		{"", "", "mode", "supervised", "default of documents"},
		{"", "", "toolset", "documents", "default"},
		{`toolset = "coding"`, "", "mode", "autonomous", "default of coding"},
		{`toolset = "coding"`, "", "bulk", "10", "default of coding"},
		{`toolset = "coding"`, "documents", "mode", "supervised", "default of documents"},
		{`toolset = "coding"`, "", "color", "auto", "default"},
		{`toolset = "coding"`, "", "model", "", "default"},
	} {
		s := said{home: test.home}
		if test.flag != "" {
			s.flags = []config.Flag{{Name: "--toolset", Key: "toolset", Values: []string{test.flag}}}
		}
		c, err := s.load()
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Setting(test.key); got.Display() != test.want || got.Origin.String() != test.from {
			t.Errorf("%+v: %s from %s", test, got.Display(), got.Origin)
		}
	}
}

// TestProblems: what is wrong is told, with the place and what is right.
func TestProblems(t *testing.T) {
	big := "# " + strings.Repeat("x", 1<<20)
	for _, test := range []struct {
		name string
		said said
		want string
	}{
		{"a key that is not there", said{home: "\nmaxIteration = 3"}, "home.toml:2: unknown key maxIteration; did you mean maxIterations?"},
		{"one that is like none", said{home: "zebra = 3"}, "home.toml:1: unknown key zebra; redline config lists the keys"},
		{"a key with a space", said{home: "\"max Iterations\" = 3"}, `home.toml:1: unknown key "max Iterations"; did you mean maxIterations?`},
		{"another case", said{home: "Mode = 3"}, "home.toml:1: unknown key Mode; did you mean mode?"},
		{"a table", said{home: "a = 1\n[limits]\nmaxIterations = 3"}, "home.toml:1: unknown key a; redline config lists the keys\nhome.toml:2: unknown key limits; redline config lists the keys"},
		{"a key with dots", said{home: "limits.x = 1"}, "home.toml:1: unknown key limits; redline config lists the keys"},
		{"in the folder too", said{folder: "mod = 3"}, ".redline/config.toml:1: unknown key mod; did you mean mode?"},
		{"a variable", said{environ: []string{"REDLINE_MODELL=x", "REDLINE_ITERATIONS=3", "HOME=/"}},
			"unknown environment variable REDLINE_ITERATIONS; did you mean REDLINE_MAX_ITERATIONS?\nunknown environment variable REDLINE_MODELL; did you mean REDLINE_MODEL?"},
		{"not TOML", said{home: "model = \"a\"\nmode = supervised\n"}, "home.toml:2: it is not TOML: incomplete number; a line is KEY = VALUE, each key once, texts in quotes: mode = \"supervised\""},
		{"twice", said{home: "bulk = 1\nbulk = 2"}, "home.toml:2: it is not TOML: key bulk is already defined; a line is KEY = VALUE, each key once, texts in quotes: mode = \"supervised\""},
		{"twice in a table", said{home: "[[services]]\nid = \"a\"\n[[services]]\nid = \"b\"\nid = \"c\""}, "home.toml:5: it is not TOML: key id is already defined; a line is KEY = VALUE, each key once, texts in quotes: mode = \"supervised\""},
		{"in a table", said{home: "[shell]\nsandbox = \"yes\""}, "home.toml:2: shell.sandbox must be true or false, not \"yes\""},
		{"with its whole name", said{home: "bulk = 1\nshell.copy_limit = 0"}, "home.toml:2: shell.copy_limit must be a whole number, 1 or more, not 0"},
		{"unknown in a table", said{home: "[shell]\nsandbox_network = true"}, "home.toml:2: unknown key shell.sandbox_network; did you mean shell.sandbox_net?"},
		{"no address", said{home: "listen = \"7333\""}, `home.toml:1: listen must be an address such as 127.0.0.1:7333, not "7333"`},
		{"no port", said{home: "listen = \"localhost:http\""}, `home.toml:1: listen must be an address such as 127.0.0.1:7333, not "localhost:http"`},
		{"a token that can be guessed", said{home: "token = \"hunter2\""}, "home.toml:1: token must have 16 characters or more, so that nobody can guess it"},
		{"a token with a space", said{home: "token = \"0123456789 abcdef\""}, "home.toml:1: token must be letters, digits and signs of ASCII, without spaces: it is sent in a header"},
		{"clients that are no table", said{home: "clients = 3"}, "home.toml:1: clients must be tables: write [clients.NAME] and the fields token and quota_tokens_per_day below it"},
		{"a client that is no table", said{home: "[clients]\nphone = 3"}, "home.toml:1: clients phone must be a table: write [clients.phone] and the fields token and quota_tokens_per_day below it"},
		{"a client with an odd name", said{home: "[clients.\"my phone\"]\ntoken = \"0123456789abcdef\""}, `home.toml:1: clients has the name "my phone": use up to 60 letters, digits, points and dashes`},
		{"a client without a token", said{home: "[clients.phone]\nquota_tokens_per_day = 3"}, "home.toml:1: clients has no token for phone, and without one nobody is let in"},
		{"a client with a short token", said{home: "[clients.phone]\ntoken = \"verysecret\""}, "home.toml:1: clients has a phone whose token must have 16 characters or more, so that nobody can guess it"},
		{"a quota that is none", said{home: "[clients.phone]\ntoken = \"0123456789abcdef\"\nquota_tokens_per_day = -1"}, "home.toml:1: clients has a phone whose quota_tokens_per_day must be a whole number, 0 or more, not -1"},
		{"a field that is not known", said{home: "[clients.phone]\nname = \"x\""}, "home.toml:1: clients has a phone whose name is not known; the fields are token and quota_tokens_per_day"},
		{"two clients with one token", said{home: "[clients.a]\ntoken = \"0123456789abcdef\"\n[clients.b]\ntoken = \"0123456789abcdef\""}, "home.toml:1: clients b has the token of a: each needs its own"},
		{"no table", said{home: "shell = true"}, "home.toml:1: unknown key shell; redline config lists the keys"},
		{"huge", said{home: big}, "home.toml: it is larger than 1 MiB, which is no configuration; remove it or make it smaller"},
		{"a negative limit", said{home: "maxIterations = -1"}, "home.toml:1: maxIterations must be a whole number, 0 or more, not -1"},
		{"zero where there must be some", said{home: "max_hunk_lines = 0"}, "home.toml:1: max_hunk_lines must be a whole number, 1 or more, not 0"},
		{"a fraction", said{home: "bulk = 1.5"}, "home.toml:1: bulk must be a whole number, 0 or more, not 1.5"},
		{"more than there can be", said{home: "bulk = 9000000000"}, "home.toml:1: bulk must be a whole number, 0 or more, not 9000000000"},
		{"a text for a number", said{home: "bulk = \"many\""}, `home.toml:1: bulk must be a whole number, 0 or more, not "many"`},
		{"in a variable", said{environ: []string{"REDLINE_BULK=many"}}, `REDLINE_BULK must be a whole number, 0 or more, not "many"`},
		{"in a flag", said{flags: []config.Flag{{Name: "--review", Key: "review", Values: []string{"never"}}}}, `--review must be hunks, turn, optimistic or auto, not "never"`},
		{"a review", said{home: "review = \"never\""}, `home.toml:1: review must be hunks, turn, optimistic or auto, not "never"`},
		{"a number for a word", said{home: "review = 3"}, `home.toml:1: review must be hunks, turn, optimistic or auto, not 3`},
		{"a number for a text", said{home: "model = 3"}, `home.toml:1: model must be a text in quotes, not 3`},
		{"nothing", said{home: "model = \" \""}, `home.toml:1: model must not be empty: leave it out instead`},
		{"a sentence for a model", said{home: "model = \"the best one\""}, `home.toml:1: model must be the name of a model, such as openai/gpt-5-mini, not "the best one"`},
		{"heat", said{home: "temperature = 3"}, `home.toml:1: temperature must be a number from 0 to 2, not 3`},
		{"no number", said{home: "temperature = nan"}, `home.toml:1: temperature must be a number from 0 to 2, not NaN`},
		{"debt", said{home: "budget = -0.5"}, `home.toml:1: budget must be a number, 0 or more, not -0.5`},
		{"endless", said{home: "budget = inf"}, `home.toml:1: budget must be a number, 0 or more, not +Inf`},
		{"time without a unit", said{home: "wallTime = 30"}, `home.toml:1: wallTime must be a time such as "90s", "30m" or "2h", not 30`},
		{"the past", said{home: "wallTime = \"-3s\""}, `home.toml:1: wallTime must be a time such as "90s", "30m" or "2h", not "-3s"`},
		{"perhaps", said{environ: []string{"REDLINE_CONFIRM_DESTRUCTIVE=perhaps"}}, `REDLINE_CONFIRM_DESTRUCTIVE must be true or false, not "perhaps"`},
		{"an address without a scheme", said{home: "base_url = \"localhost:8080/v1\""}, "home.toml:1: base_url has no scheme: write it with http:// or https://, such as http://127.0.0.1:11434/v1"},
		{"another scheme", said{home: "base_url = \"ftp://u:secret@host\""}, "home.toml:1: base_url must be an address such as https://host/v1"},
		{"a key that is none", said{home: "api_key = 12345"}, "home.toml:1: api_key must be a text in quotes"},
		{"a rule", said{home: "mode = \"custom\"\nrules = [\"forbid::x\"]"}, `home.toml:2: rules has the rule "forbid::x", which is not of the form verdict:tool:path, such as deny::drafts/**; verdicts are allow, ask and deny`},
		{"a rule for a list", said{home: "rules = \"deny::x\""}, `home.toml:1: rules must be a list, such as ["deny::drafts/**"], not "deny::x"`},
		{"rules without their mode", said{home: "rules = [\"deny::x\"]"}, "home.toml:1: rules are for mode custom: choose it, or leave out the rules"},
		{"rules with another mode", said{home: "mode = \"restricted\"\nrules = [\"deny::x\"]"}, "home.toml:2: rules are for mode custom: choose it, or leave out the rules"},
		{"rules that wait for a folder to let them allow", said{home: "rules = [\"allow::x\"]", folder: "mode = \"custom\""}, "home.toml:1: rules are for mode custom: choose it, or leave out the rules"},
		{"more than the most", said{home: "max_search_results_default = 60"}, "home.toml:1: max_search_results_default is 60, more than max_search_results_cap, which is 50"},
		{"most below the usual", said{home: "\nmax_search_results_cap = 10"}, "home.toml:2: max_search_results_default is 20, more than max_search_results_cap, which is 10"},
		{"a prompt that is a file of the folder", said{folder: "system_prompt = \"@x\"", trusted: true}, ".redline/config.toml:1: system_prompt cannot name a file here, because that could change after the folder was trusted; write the prompt itself"},
		{"a script of the folder", said{folder: "model = \"scripted:x.yaml\"", trusted: true}, ".redline/config.toml:1: model cannot be a script here, because that could change after the folder was trusted; use --model"},
		{"services that are no tables", said{home: "services = 3"}, "home.toml:1: services must be tables: write [[services]] or [[models]] and the fields below it"},
		{"several", said{home: "bulk = -1\nmode = \"x\"\n", environ: []string{"REDLINE_BULK=x"}},
			"home.toml:1: bulk must be a whole number, 0 or more, not -1\nhome.toml:2: mode must be restricted, custom, supervised or autonomous, not \"x\"\nREDLINE_BULK must be a whole number, 0 or more, not \"x\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := test.said.load()
			if err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret@") {
				t.Error("a password is shown")
			}
		})
	}
}

// TestUnusual: forms of a file that are right all the same.
func TestUnusual(t *testing.T) {
	for _, test := range []struct{ name, home, key, want string }{
		{"empty", "", "bulk", "10"},
		{"comments alone", "# nothing\n\n", "bulk", "10"},
		{"a byte order mark", "\ufeffbulk = 3", "bulk", "3"},
		{"CRLF", "# a\r\nbulk = 3\r\n", "bulk", "3"},
		{"no newline at the end", "bulk = 3", "bulk", "3"},
		{"a quoted key", "\"bulk\" = 3", "bulk", "3"},
		{"a whole number for an amount", "budget = 2", "budget", "2"},
		{"a prompt of several lines", "system_prompt = '''\na\nb'''", "system_prompt", "a\nb"},
		{"Unicode", "system_prompt = \"日本語\"", "system_prompt", "日本語"},
		{"zero time", "wallTime = \"0s\"", "wallTime", "0s"},
		{"hours", "wallTime = \"120m\"", "wallTime", "2h"},
		{"no rules", "mode = \"custom\"\nrules = []", "rules", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := said{home: test.home + "\n"}.load()
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Setting(test.key).Display(); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// TestEnvironment: variables that are not for us, and empty ones, say nothing.
func TestEnvironment(t *testing.T) {
	c, err := said{environ: []string{"REDLINE_KILLS=3", "REDLINE_LAWS=3", "REDLINE_COMMAND=c1", "REDLINE_TEST_X=1", "REDLINE_MODEL=", "REDLINE_NONSENSE=", "REDLINES=1", "PATH=/"}}.load()
	if err != nil || c.Setting("model").Value != nil {
		t.Errorf("%v, %v", c, err)
	}
	names := map[string]bool{}
	for _, k := range config.Keys {
		if names[k.Env] && k.Env != "" {
			t.Errorf("two keys have the variable %s", k.Env)
		}
		names[k.Env] = true
		if want := "REDLINE_" + strings.ToUpper(strings.ReplaceAll(k.Env, "REDLINE_", "")); k.Env != "" && k.Env != want {
			t.Errorf("%s is not of the form %s", k.Env, want)
		}
		if k.Doc == "" {
			t.Errorf("%s is not described", k.Name)
		}
	}
}

// TestNoColor: NO_COLOR is heard, and what the user writes for Redline goes before it.
func TestNoColor(t *testing.T) {
	for _, test := range []struct {
		said said
		want string
	}{
		{said{environ: []string{"NO_COLOR=1"}}, "never NO_COLOR"},
		{said{environ: []string{"NO_COLOR="}}, "auto default"},
		{said{environ: []string{"NO_COLOR=1"}, home: `color = "always"`}, "always home.toml:1"},
		{said{environ: []string{"NO_COLOR=1", "REDLINE_COLOR=auto"}}, "auto REDLINE_COLOR"},
		{said{environ: []string{"NO_COLOR=1"}, folder: `color = "always"`}, "never NO_COLOR"},
		{said{folder: `color = "never"`}, "never .redline/config.toml:1"},
	} {
		c, err := test.said.load()
		if err != nil {
			t.Fatal(err)
		}
		if s := c.Setting("color"); s.Display()+" "+s.Origin.String() != test.want {
			t.Errorf("%+v: %s %s", test.said, s.Display(), s.Origin)
		}
	}
}

// TestConfirmDestructive: it is another word for two modes, and whichever source
// speaks last is heard.
func TestConfirmDestructive(t *testing.T) {
	for _, test := range []struct {
		said said
		want string
	}{
		{said{home: "confirmDestructive = false"}, "autonomous from home.toml:1"},
		{said{home: "confirmDestructive = true\ntoolset = \"coding\""}, "supervised from home.toml:1"},
		{said{home: "confirmDestructive = false\nmode = \"restricted\""}, "restricted from home.toml:2"},
		{said{home: "mode = \"restricted\"", environ: []string{"REDLINE_CONFIRM_DESTRUCTIVE=false"}}, "autonomous from REDLINE_CONFIRM_DESTRUCTIVE"},
		{said{home: "confirmDestructive = false", flags: []config.Flag{{Name: "--mode", Key: "mode", Values: []string{"supervised"}}}}, "supervised from --mode"},
	} {
		c, err := test.said.load()
		if err != nil {
			t.Fatal(err)
		}
		if s := c.Setting("mode"); s.Display()+" from "+s.Origin.String() != test.want {
			t.Errorf("%+v: %s from %s", test.said, s.Display(), s.Origin)
		}
	}
}

// TestRulesSetAside: a later mode that is not custom sets the rules aside.
func TestRulesSetAside(t *testing.T) {
	s := said{home: "mode = \"custom\"\nrules = [\"deny::x\"]", environ: []string{"REDLINE_MODE=restricted"}}
	if c, err := s.load(); err != nil || c.Setting("mode").Value != "restricted" {
		t.Errorf("%v", err)
	}
}

// TestSecrets: however it is printed, a key is not in it.
func TestSecrets(t *testing.T) {
	c, err := said{home: "api_key = \"sk-12345\"\nbase_url = \"http://me:sk-12345@host/v1\""}.load()
	if err != nil {
		t.Fatal(err)
	}
	key, _ := config.Get[config.Secret](c, "api_key")
	if key.Reveal() != "sk-12345" {
		t.Error("the key is not there")
	}
	for _, s := range []config.Setting{c.Setting("api_key"), c.Setting("base_url")} {
		all := s.Display() + fmt.Sprint(s.JSON())
		if s.Key.Name == "api_key" {
			all += fmt.Sprintf("%v %+v %#v %s %q %x", s, s, s.Value, s.Value, s.Value, s.Value)
		}
		if strings.Contains(all, "sk-12345") || strings.Contains(all, "736b2d") {
			t.Errorf("%s is shown: %s", s.Key.Name, all)
		}
	}
}

// TestBefore: what was said up to a source can be told.
func TestBefore(t *testing.T) {
	c, err := said{home: `model = "a/b"`, environ: []string{"REDLINE_MODEL=c/d"}}.load()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for source := range config.Flags + 2 {
		got = append(got, c.Before("model", source).Display())
	}
	if want := []string{"", "", "a/b", "a/b", "c/d", "c/d"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
