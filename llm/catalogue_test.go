package llm_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/llm"
)

func load(t *testing.T, texts ...string) *llm.Catalogue {
	t.Helper()
	c := llm.Builtin()
	for _, text := range texts {
		if err := c.Load([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func find(t *testing.T, c *llm.Catalogue, name string) llm.Model {
	t.Helper()
	m, err := c.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestBuiltinServices(t *testing.T) {
	var got []string
	for _, s := range llm.Builtin().Services() {
		got = append(got, fmt.Sprint(s.ID, " ", s.API, " ", s.BaseURL, " ", s.Keys, " ", s.Local))
	}
	want := []string{
		"anthropic anthropic-messages https://api.anthropic.com [ANTHROPIC_API_KEY] false",
		"deepseek openai-chat https://api.deepseek.com [DEEPSEEK_API_KEY] false",
		"google google-gemini https://generativelanguage.googleapis.com [GEMINI_API_KEY GOOGLE_API_KEY] false",
		"groq openai-chat https://api.groq.com/openai/v1 [GROQ_API_KEY] false",
		"llamacpp openai-chat http://127.0.0.1:8080/v1 [] true",
		"lmstudio openai-chat http://127.0.0.1:1234/v1 [] true",
		"mistral openai-chat https://api.mistral.ai/v1 [MISTRAL_API_KEY] false",
		"offline offline  [] true",
		"ollama openai-chat http://127.0.0.1:11434/v1 [] true",
		"openai openai-responses https://api.openai.com/v1 [OPENAI_API_KEY] false",
		"openai-compatible openai-chat  [] false",
		"openrouter openai-chat https://openrouter.ai/api/v1 [OPENROUTER_API_KEY] false",
		"vllm openai-chat http://127.0.0.1:8000/v1 [] true",
		"xai openai-chat https://api.x.ai/v1 [XAI_API_KEY] false",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestBuiltinModels asks of every fact what must be true of all of them.
func TestBuiltinModels(t *testing.T) {
	c := llm.Builtin()
	if c.Checked == "" {
		t.Error("the catalogue does not say when it was checked")
	}
	var names []string
	for _, m := range c.Models() {
		names = append(names, m.Name())
		if m.Provider == "offline" {
			continue
		}
		if m.Context == 0 || m.MaxOutput == 0 || m.Price == nil || !m.Can.Tools {
			t.Errorf("%s: %+v lacks a fact", m.Name(), m)
			continue
		}
		p := m.Price
		if p.Input <= 0 || p.Output <= p.Input || p.CacheRead <= 0 || p.CacheRead >= p.Input {
			t.Errorf("%s: the price %+v is no price", m.Name(), *p)
		}
		if m.API == llm.APIMessages && p.CacheWrite != 1.25*p.Input {
			t.Errorf("%s: writing the cache costs %v, want a quarter more than the input", m.Name(), p.CacheWrite)
		}
		if m.Thinking == llm.ThinkByEffort && m.API == llm.APIResponses && m.Can.Temperature {
			t.Errorf("%s thinks by effort and takes a temperature; OpenAI refuses that", m.Name())
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("not sorted: %q", names)
	}
}

func TestFind(t *testing.T) {
	c := load(t, `{"models": [
		{"provider": "openrouter", "id": "meta-llama/llama-3.3-70b", "context": 131072},
		{"provider": "ollama", "id": "qwen3:8b", "context": 32768, "can": {"images": true}},
		{"provider": "vllm", "id": "both"}, {"provider": "lmstudio", "id": "both"}]}`)
	for _, tt := range []struct {
		name, want string
	}{
		{"openai/gpt-5.1", "openai/gpt-5.1 openai-responses context 400000 price true"},
		{"gpt-5.1", "openai/gpt-5.1 openai-responses context 400000 price true"},
		{"claude-sonnet-4-6", "anthropic/claude-sonnet-4-6 anthropic-messages context 1000000 price true"},
		{"offline", "offline/offline offline context 0 price false"},
		{"openrouter/meta-llama/llama-3.3-70b", "openrouter/meta-llama/llama-3.3-70b openai-chat context 131072 price false"},
		{"meta-llama/llama-3.3-70b", "openrouter/meta-llama/llama-3.3-70b openai-chat context 131072 price false"},
		{"openrouter/openai/gpt-5.1", "openrouter/openai/gpt-5.1 openai-chat context 0 price false"},
		{"ollama/not-listed:latest", "ollama/not-listed:latest openai-chat context 0 price false"},
		{"both", `error: model "both" is there more than once: use lmstudio/both or vllm/both`},
		{"antropic/claude-opus-4-6", "error: unknown model \"antropic/claude-opus-4-6\": did you mean anthropic/claude-opus-4-6 or anthropic/claude-opus-4-5 or anthropic/claude-opus-4-7? Otherwise name it as service/model; the services are SERVICES"},
		{"GPT5", "error: unknown model \"GPT5\": did you mean openai/gpt-5? Otherwise name it as service/model; the services are SERVICES"},
		{"something else", `error: unknown model "something else": name it as service/model; the services are SERVICES`},
		{"ollama/", `error: unknown model "ollama/": name it as service/model; the services are SERVICES`},
		{"", `error: unknown model "": name it as service/model; the services are SERVICES`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := strings.ReplaceAll(tt.want, "SERVICES", "anthropic, deepseek, google, groq, llamacpp, lmstudio, mistral, offline, ollama, openai, openai-compatible, openrouter, vllm, xai")
			m, err := c.Find(tt.name)
			got := fmt.Sprintf("%s %s context %d price %t", m.Name(), m.API, m.Context, m.Price != nil)
			if err != nil {
				got = "error: " + err.Error()
			}
			if got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

func TestFindUnlistedHasWhatItsServiceAssumes(t *testing.T) {
	got := find(t, llm.Builtin(), "ollama/llama3.2")
	want := llm.Model{
		ID: "llama3.2", Provider: "ollama", API: llm.APIChat, BaseURL: "http://127.0.0.1:11434/v1", Local: true,
		Can: llm.Abilities{Tools: true, Temperature: true, Structured: true},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestLoadOverridesOnlyWhatItNames(t *testing.T) {
	before := find(t, llm.Builtin(), "openai/gpt-5.1")
	c := load(t,
		`{"models": [{"provider": "openai", "id": "gpt-5.1", "price": {"output": 7}, "can": {"images": false}, "efforts": {"high": "xhigh"}}]}`,
		`{"services": [{"id": "openai", "baseURL": "https://proxy.example/v1"}]}`)
	want := before
	want.BaseURL = "https://proxy.example/v1"
	price := *before.Price
	price.Output = 7
	want.Price = &price
	want.Can.Images = false
	want.Efforts = map[llm.Level]string{llm.ThinkOff: "none", llm.ThinkMinimal: "low", llm.ThinkHigh: "xhigh"}
	if d := cmp.Diff(want, find(t, c, "gpt-5.1")); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(before, find(t, llm.Builtin(), "gpt-5.1")); d != "" {
		t.Errorf("another catalogue changed as well: %s", d)
	}
}

// TestLoadIntoCopies: what is loaded into one copy of a catalogue is not seen in
// another.
func TestLoadIntoCopies(t *testing.T) {
	context := func(n int) []byte {
		return fmt.Appendf(nil, `{"models": [{"provider": "ollama", "id": "m", "context": %d}]}`, n)
	}
	one := load(t, string(context(1)), string(context(2)), string(context(3)))
	two := *one
	if err := errors.Join(one.Load(context(4)), two.Load(context(5)), one.Load([]byte(`{}`))); err != nil {
		t.Fatal(err)
	}
	if a, b := find(t, one, "m").Context, find(t, &two, "m").Context; a != 4 || b != 5 {
		t.Errorf("contexts %d and %d", a, b)
	}
}

func TestLoadNewService(t *testing.T) {
	c := load(t, `{
		"services": [{"id": "gpu", "api": "openai-chat", "baseURL": "http://gpu:8000/v1", "dialect": "vllm", "local": true, "keys": ["GPU_KEY"], "can": {"tools": true}}],
		"models": [{"provider": "gpu", "id": "qwen3-32b", "context": 32768, "maxOutput": 8192, "can": {"images": true}, "thinking": "effort"}]
	}`)
	want := llm.Model{
		ID: "qwen3-32b", Provider: "gpu", API: llm.APIChat, BaseURL: "http://gpu:8000/v1", Dialect: "vllm", Local: true,
		Context: 32768, MaxOutput: 8192, Can: llm.Abilities{Tools: true, Images: true}, Thinking: llm.ThinkByEffort,
	}
	if d := cmp.Diff(want, find(t, c, "qwen3-32b")); d != "" {
		t.Error(d)
	}
	s, err := c.Service("gpu")
	if err != nil || s.Label != "gpu" {
		t.Errorf("service %+v, error %v", s, err)
	}
	if _, err := c.Service("cpu"); err == nil || !strings.Contains(err.Error(), `unknown service "cpu": the services are anthropic`) {
		t.Errorf("an unknown service: %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	model := func(fields string) string {
		return `{"models": [{"provider": "ollama", "id": "m", ` + fields + `}]}`
	}
	for _, tt := range []struct{ name, text, want string }{
		{"not JSON", `{"models": [`, `the catalogue: unexpected EOF`},
		{"unknown list", `{"model": []}`, `the catalogue: unknown field "model"`},
		{"unknown field", model(`"contxt": 5`), `models[0]: model "ollama/m": unknown field "contxt"`},
		{"wrong type", model(`"context": "5k"`), `models[0]: model "ollama/m": cannot unmarshal string`},
		{"negative context", model(`"context": -1`), `model "ollama/m": context is -1; a limit cannot be negative`},
		{"negative output", model(`"maxOutput": -1`), `model "ollama/m": maxOutput is -1; a limit cannot be negative`},
		{"output beyond context", model(`"context": 10, "maxOutput": 11`), `model "ollama/m": maxOutput is 11, more than the context of 10`},
		{"negative price", model(`"price": {"input": -1, "output": 1}`), `model "ollama/m": a price is negative`},
		{"negative long price", model(`"price": {"input": 1, "output": 1, "over": 5, "long": {"input": -1, "output": 1}}`), `model "ollama/m": a price is negative`},
		{"half a long price", model(`"price": {"input": 1, "output": 1, "over": 5}`), `model "ollama/m": the prices over and long belong together`},
		{"unknown api", model(`"api": "smoke-signals"`), `model "ollama/m": unknown api "smoke-signals"; use one of ["openai-chat"`},
		{"unknown thinking", model(`"thinking": "hard"`), `model "ollama/m": unknown thinking "hard"; use effort, budget, level or adaptive`},
		{"unknown level", model(`"efforts": {"extreme": "max"}`), `model "ollama/m": efforts has the unknown level "extreme"`},
		{"bad address", model(`"baseURL": "gpu:8000"`), `model "ollama/m": baseURL is not a URL such as https://host/v1`},
		{"no id", `{"models": [{"provider": "ollama"}]}`, `models[0]: a model has no id`},
		{"no provider", `{"models": [{"id": "m"}]}`, `models[0]: model "m": it names no provider; use the id of a service`},
		{"unknown provider", `{"models": [{"provider": "olama", "id": "m"}]}`, `model "olama/m": there is no service "olama"; the services are anthropic`},
		{"second entry", `{"models": [{"provider": "ollama", "id": "m"}, {"id": "n"}]}`, `models[1]: model "n"`},
		{"service without api", `{"services": [{"id": "s"}]}`, `service "s": it names no api; use one of`},
		{"service without id", `{"services": [{"api": "openai-chat"}]}`, `services[0]: service "": the id must be a word without slashes`},
		{"service with slash", `{"services": [{"id": "a/b", "api": "openai-chat"}]}`, `services[0]: service "a/b": the id must be a word without slashes`},
		{"service field", `{"services": [{"id": "s", "url": "x"}]}`, `services[0]: service "s": unknown field "url"`},
		{"service key name", `{"services": [{"id": "s", "api": "openai-chat", "keys": [""]}]}`, `service "s": the name of an environment variable is empty`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := llm.Builtin()
			before := c.Models()
			err := c.Load([]byte(tt.text))
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("\n got %v\nwant %s", err, tt.want)
			}
			if err := c.Load([]byte(`{}`)); err != nil {
				t.Errorf("something of it stayed: %v", err)
			}
			if d := cmp.Diff(before, c.Models()); d != "" {
				t.Errorf("a refused text changed the catalogue: %s", d)
			}
		})
	}
}

// TestCatalogueGivesCopies changes what it was given.
func TestCatalogueGivesCopies(t *testing.T) {
	c := llm.Builtin()
	m := find(t, c, "gemini-2.5-pro")
	m.Efforts[llm.ThinkOff], m.Price.Input, m.Price.Long.Input = "x", 99, 99
	c.Models()[0].Price.Input = 99
	s, _ := c.Service("openai")
	s.Keys[0] = "X"
	c.Services()[0].Keys[0] = "X"
	if d := cmp.Diff(llm.Builtin().Models(), c.Models()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(llm.Builtin().Services(), c.Services()); d != "" {
		t.Error(d)
	}
}

func TestKey(t *testing.T) {
	c := llm.Builtin()
	for _, tt := range []struct {
		name, service, flag string
		env                 map[string]string
		config, want        string
	}{
		{"flag first", "google", "from-flag", map[string]string{"GEMINI_API_KEY": "from-env"}, "from-config", "from-flag (flag)"},
		{"environment before config", "google", "", map[string]string{"GEMINI_API_KEY": "from-env"}, "from-config", "from-env (GEMINI_API_KEY)"},
		{"first variable", "google", "", map[string]string{"GEMINI_API_KEY": "one", "GOOGLE_API_KEY": "two"}, "", "one (GEMINI_API_KEY)"},
		{"second variable", "google", "", map[string]string{"GOOGLE_API_KEY": "two"}, "", "two (GOOGLE_API_KEY)"},
		{"config last", "google", "", nil, "from-config", "from-config (config)"},
		{"white space around it", "google", " \n", map[string]string{"GEMINI_API_KEY": " key\n"}, "", "key (GEMINI_API_KEY)"},
		{"another service's variable", "openai", "", map[string]string{"GEMINI_API_KEY": "x"}, "", "error: OpenAI needs a key: set OPENAI_API_KEY, or give one with --api-key"},
		{"two variables to choose from", "google", "", nil, "", "error: Google Gemini needs a key: set GEMINI_API_KEY or GOOGLE_API_KEY, or give one with --api-key"},
		{"none needed", "ollama", "", nil, "", " ()"},
		{"given although not needed", "openai-compatible", "", nil, "mine", "mine (config)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := c.Service(tt.service)
			if err != nil {
				t.Fatal(err)
			}
			key, source, err := s.Key(tt.flag, func(name string) string { return tt.env[name] }, tt.config)
			got := fmt.Sprintf("%s (%s)", key.Reveal(), source)
			if err != nil {
				got = "error: " + err.Error()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
