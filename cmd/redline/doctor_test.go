package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"redline"
)

// nowhere makes the servers that are known on this machine ones that are not there.
func nowhere(ids ...string) string {
	var b strings.Builder
	for _, id := range ids {
		fmt.Fprintf(&b, "[[services]]\nid = %q\nbaseURL = \"http://127.0.0.1:1/v1\"\n", id)
	}
	return b.String()
}

// say runs the program in a folder.
func say(t *testing.T, dir string, args ...string) (out string, code int) {
	t.Helper()
	t.Chdir(dir)
	var stdout, stderr bytes.Buffer
	code = run(context.Background(), args, streams{in: strings.NewReader(""), out: &stdout, err: &stderr})
	if stderr.Len() > 0 {
		t.Logf("%q: %s", args, stderr.String())
	}
	return stdout.String(), code
}

// findings are what the doctor says of some areas, a line each.
func findings(t *testing.T, dir string, areas string, args ...string) (lines string, code int) {
	t.Helper()
	out, code := say(t, dir, append([]string{"doctor", "--json"}, args...)...)
	var list []redline.Finding
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, f := range list {
		if strings.Contains(areas, f.Area) {
			lines += fmt.Sprintf("%s %s: %s → %s\n", f.Health, f.Area, f.Text, f.Do)
		}
	}
	return lines, code
}

// TestDoctor: what it says of configuration and model, and how it ends.
func TestDoctor(t *testing.T) {
	away := nowhere("ollama", "llamacpp", "lmstudio", "vllm")
	for _, test := range []struct {
		name, user, folder string
		want               string
		code               int
	}{
		{"all is well", away, "bulk = 3",
			"ok configuration: HOME/config/redline/config.toml is read → \nok configuration: .redline/config.toml is read; it needs no trust → \n" +
				"ok model: offline (built in; no model is configured: see redline models) → \n", exitDone},
		{"a folder that is not trusted", away, "\nmode = \"autonomous\"\nstate = \"x\"",
			"ok configuration: HOME/config/redline/config.toml is read → \n" +
				"warning configuration: .redline/config.toml is not trusted, so this is ignored: mode (line 2); redline trust allows it; .redline/config.toml cannot set state (line 3); put it into your own configuration → redline config shows what it wants\n" +
				"ok model: offline (built in; no model is configured: see redline models) → \n", exitDone},
		{"a configuration that is wrong", "bulk = -1", "",
			"problem configuration: HOME/config/redline/config.toml:1: bulk must be a whole number, 0 or more, not -1 → correct it; docs/configuration.md describes every key\n", exitError},
		{"a key that is missing", "model = \"openai/gpt-5\"\n" + away, "",
			"ok configuration: HOME/config/redline/config.toml is read → \nok configuration: .redline/config.toml is read; it needs no trust → \n" +
				"problem model: OpenAI needs a key: set OPENAI_API_KEY, or give one with --api-key → redline models lists what can be used\n", exitError},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := home(t, test.user, test.folder)
			got, code := findings(t, dir, "configuration model")
			got = strings.ReplaceAll(got, os.Getenv("HOME"), "HOME")
			if got != test.want || code != test.code {
				t.Errorf("exit status %d\n%s\nwant %d\n%s", code, got, test.code, test.want)
			}
		})
	}
}

// TestExposedKey: a key that others can read is told, and not shown.
func TestExposedKey(t *testing.T) {
	dir := home(t, "model = \"ollama/x\"\napi_key = \"sk-verysecret\"\n"+nowhere("ollama", "llamacpp", "lmstudio", "vllm"), "")
	name := os.Getenv("XDG_CONFIG_HOME") + "/redline/config.toml"
	if err := os.Chmod(name, 0o644); err != nil {
		t.Fatal(err)
	}
	got, code := findings(t, dir, "configuration")
	if !strings.HasPrefix(got, "warning configuration: "+name+" has a key in it, and others can read it → chmod 600 "+name+"\n") || code != exitDone || strings.Contains(got, "verysecret") {
		t.Errorf("%d %s", code, got)
	}
}

// modelServer answers as Ollama does.
func modelServer(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/models":
			fmt.Fprint(w, "{\"data\": [{\"id\": \"qwen3\"}, {\"id\": \"odd\\u001b[31mname\"}]}")
		case "/v1/chat/completions":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, `data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
		default:
			t.Errorf("asked for %s", r.URL)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// TestHints: a server on this machine is named by models and doctor, and used only
// when the user names it.
func TestHints(t *testing.T) {
	server := modelServer(t)
	user := nowhere("llamacpp", "lmstudio", "vllm") + fmt.Sprintf("[[services]]\nid = \"ollama\"\nbaseURL = %q\n", server.URL+"/v1")
	dir := home(t, user, "")
	const hint = "ollama answers on this machine; use it with --model ollama/odd␛[31mname or --model ollama/qwen3"
	if out, code := say(t, dir, "models"); !strings.HasPrefix(out, "Used here: offline (built in; no model is configured: see redline models)\n\n"+hint+"\n") || code != exitDone {
		t.Errorf("%d\n%s", code, out)
	}
	if got, _ := findings(t, dir, "model"); !strings.HasSuffix(got, "ok model: "+hint+" → \n") {
		t.Errorf("%s", got)
	}
	out, _ := say(t, dir, "models", "--json")
	var report modelsJSON
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	if len(report.Found) != 1 || report.Found[0].Service != "ollama" || report.Chosen.Name != "offline" || len(report.Models) < 10 || len(report.Services) < 10 {
		t.Errorf("%+v", report.Chosen)
	}
}

// TestOnline: the model is asked only with --online.
func TestOnline(t *testing.T) {
	server := modelServer(t)
	user := "model = \"openai/x\"\nbase_url = \"" + server.URL + "/v1\"\n" + nowhere("ollama", "llamacpp", "lmstudio", "vllm")
	dir := home(t, user, "")
	place := os.Getenv("XDG_CONFIG_HOME") + "/redline/config.toml:1"
	if got, code := findings(t, dir, "model"); got != "ok model: openai/x (from "+place+") → \n" || code != exitDone {
		t.Errorf("%d %s", code, got)
	}
	if got, code := findings(t, dir, "model", "--online"); got != "ok model: openai/x (from "+place+") answers → \n" || code != exitDone {
		t.Errorf("%d %s", code, got)
	}
	server.Close()
	t.Setenv("REDLINE_BASE_URL", "http://127.0.0.1:1/v1")
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // do not ask again
	set, err := loadSettings(context.Background(), flagged(where{}, dir))
	if err != nil {
		t.Fatal(err)
	}
	m, err := set.model()
	if err != nil {
		t.Fatal(err)
	}
	if f := askModel(ctx, m); f.Health != redline.Trouble || f.Do == "" {
		t.Errorf("%+v", f)
	}
}
