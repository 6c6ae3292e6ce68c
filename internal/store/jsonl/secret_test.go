package jsonl_test

import (
	"strings"
	"testing"
)

// TestNoKeyInTheFile: however a key gets into the config, it is not in the file;
// what is none stays.
func TestNoKeyInTheFile(t *testing.T) {
	const key = "sk-ant-api03-verysecretverysecret"
	config := map[string]any{
		"model": "anthropic/claude-opus-4-5", "maxTokensPerIteration": 4000, "thinkingLevel": "high", "cacheKey": "kept-cache-key", "tokens": 12,
		"toolset": "documents", "task": "ask-me-about-the-desk-calendar",
		"apiKey": key, "API_KEY": key, "openai_api_key": key, "token": key, "authToken": key, "key": key, "clientSecret": key, "password": key, "credentials": map[string]string{"a": key},
		"endpoint": map[string]any{
			"headers": map[string]string{"Authorization": "Bearer abc.def.verysecret", "X-Api-Key": key, "X-Title": "kept-title"},
			"baseURL": "https://me:verysecret@example.com/v1?key=verysecret&x=kept-parameter",
		},
		"args":  []any{"--api-key", "verysecret", "--token=verysecret", "--model", "kept-argument", key},
		"notes": "use " + key + " please",
		"env":   []any{"AIzaSyverysecretverysecretverysecret", "eyJhbGciOiJI.eyJzdWIiOiIx.verysecret"},
	}
	d := newDesk(t)
	session, err := d.Create(d.cwd, config)
	must(t, err)
	_, err = session.Append(user("hello"))
	must(t, err)
	session.Close()
	line, _, _ := strings.Cut(read(t, session.Path()), "\n")
	if strings.Contains(line, "verysecret") {
		t.Errorf("a secret is in the file: %s", line)
	}
	for _, want := range []string{"anthropic/claude-opus-4-5", `"maxTokensPerIteration":4000`, "high", "kept-cache-key", `"tokens":12`, "kept-title", "example.com/v1", "kept-parameter", "kept-argument", "ask-me-about-the-desk-calendar"} {
		if !strings.Contains(line, want) {
			t.Errorf("%s is gone: %s", want, line)
		}
	}
}

func TestConfigIsAnObject(t *testing.T) {
	d := newDesk(t)
	if _, err := d.Create(d.cwd, "model"); err == nil {
		t.Error("a string was taken for a config")
	}
	if _, err := d.Create(d.cwd, nil); err != nil {
		t.Error(err)
	}
}
