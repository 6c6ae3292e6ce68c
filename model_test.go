package redline_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"redline"
	"redline/llm"
	"redline/llm/route"
)

// env makes a getenv of pairs.
func env(pairs ...string) func(string) string {
	return func(name string) string {
		for _, p := range pairs {
			if n, value, _ := strings.Cut(p, "="); n == name {
				return value
			}
		}
		return ""
	}
}

// TestChoice: which model is used, and the line that says why; or what is wrong.
func TestChoice(t *testing.T) {
	script := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(script, []byte("- text: hello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	flag := func(name string) redline.ModelOptions { return redline.ModelOptions{Name: name, From: "--model"} }
	for _, test := range []struct {
		name string
		o    redline.ModelOptions
		env  []string
		want string
	}{
		{"nothing", redline.ModelOptions{}, nil, "model: offline (built in; no model is configured: see redline models)"},
		{"offline by name", flag("offline"), []string{"OPENAI_API_KEY=k"}, "model: offline (from --model)"},
		{"offline by its full name", flag("offline/offline"), nil, "model: offline (from --model)"},
		{"a key", redline.ModelOptions{}, []string{"OPENAI_API_KEY=k"}, "model: openai/gpt-5.4 (OPENAI_API_KEY is set)"},
		{"two keys", redline.ModelOptions{}, []string{"OPENAI_API_KEY=k", "ANTHROPIC_API_KEY=k"}, "model: anthropic/claude-sonnet-5 (ANTHROPIC_API_KEY is set)"},
		{"another name of a key", redline.ModelOptions{}, []string{"GOOGLE_API_KEY=k"}, "model: google/gemini-3.5-flash (GOOGLE_API_KEY is set)"},
		{"a blank key", redline.ModelOptions{}, []string{"OPENAI_API_KEY= "}, "model: offline (built in; no model is configured: see redline models)"},
		{"a key of a service with many models", redline.ModelOptions{}, []string{"OPENROUTER_API_KEY=k"}, "model: offline (built in; OPENROUTER_API_KEY is set, but you have to name a model: --model openrouter/…)"},
		{"by name", flag("openai/gpt-5-mini"), []string{"OPENAI_API_KEY=k"}, "model: openai/gpt-5-mini (from --model)"},
		{"from a file", redline.ModelOptions{Name: "claude-opus-5", From: "config.toml:3"}, []string{"ANTHROPIC_API_KEY=k"}, "model: anthropic/claude-opus-5 (from config.toml:3)"},
		{"one that is not listed", flag("groq/some/model"), []string{"GROQ_API_KEY=k"}, "model: groq/some/model (from --model)"},
		{"one that needs no key", flag("ollama/qwen3"), nil, "model: ollama/qwen3 (from --model)"},
		{"a script", flag("scripted:" + script), nil, "model: scripted:" + script + " (from --model)"},
		{"a server of one's own", redline.ModelOptions{Name: "openai/mock", From: "--model", BaseURL: "http://127.0.0.1:1/v1", Key: "x", KeyFrom: "flag"}, nil, "model: openai/mock (from --model)"},
		{"one without a key", redline.ModelOptions{Name: "openai/mock", From: "--model", BaseURL: "http://127.0.0.1:1/v1"}, nil, "model: openai/mock (from --model)"},
		{"local", redline.ModelOptions{Name: "openai/gpt-5", From: "f:1", Local: "ollama/qwen3", Mode: route.Local, ModeFrom: "f:2"}, nil, "model: ollama/qwen3 (from local_model, agent_mode local from f:2)"},
		{"remote", redline.ModelOptions{Name: "openai/gpt-5", From: "f:1", Local: "ollama/qwen3", Mode: route.Remote}, []string{"OPENAI_API_KEY=k"}, "model: openai/gpt-5 (from f:1)"},
		{"hybrid", redline.ModelOptions{Name: "openai/gpt-5", From: "f:1", Local: "ollama/qwen3", Mode: route.HybridAuto, ModeFrom: "f:2", Controls: route.DefaultControls()}, []string{"OPENAI_API_KEY=k"},
			"model: ollama/qwen3, then openai/gpt-5 (agent_mode hybrid_auto from f:2)"},

		{"a wrong service", flag("opnai/gpt-5"), nil, `error: --model: there is no service "opnai"; did you mean openai/gpt-5?`},
		{"a service like none", flag("zebra/x"), nil, `error: --model: there is no service "zebra"; the services are anthropic, deepseek, google, groq, llamacpp, lmstudio, mistral, offline, ollama, openai, openai-compatible, openrouter, vllm, xai; for another server use openai-compatible/x with --base-url`},
		{"a wrong model", flag("gpt-5-mimi"), nil, `error: --model: unknown model "gpt-5-mimi": did you mean openai/gpt-5-mini`},
		{"no key", flag("openai/gpt-5"), nil, "error: OpenAI needs a key: set OPENAI_API_KEY, or give one with --api-key"},
		{"no key of two", flag("google/gemini-2.5-pro"), nil, "error: Google Gemini needs a key: set GEMINI_API_KEY or GOOGLE_API_KEY, or give one with --api-key"},
		{"no address", flag("openai-compatible/x"), nil, "error: openai-compatible/x has no address: give one with --base-url, such as http://127.0.0.1:8000/v1"},
		{"no scheme", redline.ModelOptions{Name: "openai/x", BaseURL: "127.0.0.1:8000/v1"}, nil, "error: the base URL has no scheme: write it with http:// or https://, such as http://127.0.0.1:11434/v1"},
		{"no script", flag("scripted:"), nil, "error: no script is named: write scripted:FILE.yaml"},
		{"a script that is not there", flag("scripted:none.yaml"), nil, "error: read the script of the model: open none.yaml"},
		{"local without one", redline.ModelOptions{Mode: route.Local}, nil, "error: agent_mode is local, but no local model is named: set local_model, such as ollama/qwen3"},
		{"hybrid without one", redline.ModelOptions{Name: "openai/gpt-5", Mode: route.HybridAuto}, nil, "error: agent_mode is hybrid_auto, which needs two models: set local_model, such as ollama/qwen3, and model"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.o.Getenv = env(test.env...)
			c, err := redline.ChooseModel(test.o)
			got := c.String()
			if err != nil {
				got = "error: " + err.Error()
			} else if c.Provider == nil || c.Model.ID == "" {
				t.Errorf("%+v", c.Model)
			}
			if !strings.HasPrefix(got, test.want) || err == nil && got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// TestPreferred: the models that are chosen by themselves are in the catalogue, can
// use tools, and their prices are known.
func TestPreferred(t *testing.T) {
	for _, name := range redline.Preferred {
		m, err := llm.Builtin().Find(name)
		if err != nil || m.Price == nil || m.Context == 0 || !m.Can.Tools {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}

// TestServerOfOnesOwn: a model that nobody knows is asked where the user says, with
// the key that the user gives, in the protocol that such servers speak.
func TestServerOfOnesOwn(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()
	for _, test := range []struct {
		o    redline.ModelOptions
		env  []string
		want string
	}{
		{redline.ModelOptions{Name: "openai/mock", Key: "x", KeyFrom: "flag"}, nil, "POST /v1/chat/completions Bearer x"},
		{redline.ModelOptions{Name: "openai/mock", Key: "x", KeyFrom: "flag"}, []string{"OPENAI_API_KEY=env"}, "POST /v1/chat/completions Bearer x"},
		{redline.ModelOptions{Name: "openai/mock", Key: "x", KeyFrom: "file"}, []string{"OPENAI_API_KEY=env"}, "POST /v1/chat/completions Bearer env"},
		{redline.ModelOptions{Name: "openai/mock", Key: "x", KeyFrom: "file"}, nil, "POST /v1/chat/completions Bearer x"},
		{redline.ModelOptions{Name: "ollama/mock"}, nil, "POST /v1/chat/completions "},
	} {
		asked = nil
		test.o.BaseURL, test.o.Getenv = server.URL+"/v1", env(test.env...)
		c, err := redline.ChooseModel(test.o)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AskOnce(t.Context()); err != nil {
			t.Errorf("%s: %v", c, err)
		}
		if len(asked) != 1 || asked[0] != test.want {
			t.Errorf("%s: asked %q, want %q", c, asked, test.want)
		}
		if test.o.Name == "openai/mock" && c.Model.Cost(llm.Usage{Input: 1}) != nil {
			t.Error("a price is made up")
		}
	}
}

// TestLocalKeepsToItself: the address and the key of the remote model are not for
// the local one.
func TestLocalKeepsToItself(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Authorization"))
		http.Error(w, "no", http.StatusBadRequest)
	}))
	defer server.Close()
	c := llm.Builtin()
	if err := c.Load([]byte(`{"services": [{"id": "ollama", "baseURL": "` + server.URL + `"}]}`)); err != nil {
		t.Fatal(err)
	}
	chosen, err := redline.ChooseModel(redline.ModelOptions{
		Name: "openai/gpt-5", BaseURL: "http://127.0.0.1:1/v1", Key: "sk-12345", KeyFrom: "flag", Local: "ollama/x", Mode: route.Local, Catalogue: c, Getenv: env(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := chosen.AskOnce(t.Context()); err == nil || len(asked) != 1 || asked[0] != "" {
		t.Errorf("%v: the local model was asked with %q", err, asked)
	}
}

// TestRefusedKey: what the server says of a key is told, and the key is not.
func TestRefusedKey(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, `{"error": {"message": "bad key sk-12345"}}`, http.StatusUnauthorized)
	}))
	defer server.Close()
	c, err := redline.ChooseModel(redline.ModelOptions{Name: "openai/x", BaseURL: server.URL, Key: "sk-12345", KeyFrom: "flag"})
	if err != nil {
		t.Fatal(err)
	}
	err = c.AskOnce(t.Context())
	if err == nil || !strings.Contains(err.Error(), "bad key") || strings.Contains(fmt.Sprintf("%v %+v %v", err, c, c.Model), "12345") {
		t.Errorf("%v", err)
	}
}

// TestLocalServers: only servers of the catalogue that are on this machine are
// asked, and only those that answer like a model server are found.
func TestLocalServers(t *testing.T) {
	models := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			t.Errorf("asked for %s", r.URL)
		}
		fmt.Fprint(w, `{"object":"list","data":[{"id":"zeta"},{"id":"alpha"}]}`)
	}))
	defer models.Close()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<html>") }))
	defer page.Close()
	away := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, models.URL, http.StatusFound) }))
	defer away.Close()
	c := &llm.Catalogue{}
	err := c.Load([]byte(fmt.Sprintf(`{"services": [
		{"id": "a", "api": "openai-chat", "local": true, "baseURL": %q},
		{"id": "b", "api": "openai-chat", "local": true, "baseURL": %q},
		{"id": "c", "api": "openai-chat", "local": true, "baseURL": %q},
		{"id": "d", "api": "openai-chat", "local": false, "baseURL": %q},
		{"id": "e", "api": "openai-chat", "local": true, "baseURL": "http://127.0.0.1:1/v1"},
		{"id": "f", "api": "openai-chat", "local": true, "baseURL": %q}
	]}`, models.URL+"/v1", page.URL, away.URL, models.URL+"/v1", strings.Replace(models.URL, "127.0.0.1", "0.0.0.0", 1)+"/v1")))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(redline.LocalServers(t.Context(), c)), "[{a "+models.URL+"/v1 [alpha zeta]}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
