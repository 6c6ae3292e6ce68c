package anthropic_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"redline/llm"
	"redline/llm/anthropic"
	"redline/llm/llmtest"
)

// sonnet is an able model that thinks by budget.
var sonnet = llm.Model{
	ID: "claude-sonnet-4-5-20250929", Provider: "anthropic", API: llm.APIMessages,
	Context: 200_000, MaxOutput: 64_000,
	Price:    &llm.Price{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75},
	Can:      llm.Abilities{Tools: true, Images: true, Documents: true, Temperature: true, Structured: true},
	Thinking: llm.ThinkByBudget,
}

// opus is an able model that thinks adaptively.
var opus = llm.Model{
	ID: "claude-opus-4-8", Provider: "anthropic", API: llm.APIMessages,
	Context: 1_000_000, MaxOutput: 128_000,
	Can:      llm.Abilities{Tools: true, Images: true, Documents: true, Structured: true},
	Thinking: llm.ThinkAdaptively,
}

var protocol = llmtest.Protocol{
	Model:      sonnet,
	Open:       anthropic.New,
	Dir:        "testdata",
	Long:       long,
	LongHeader: http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}},
	Signed:     true,
	CacheWrite: true,
	Reasoning:  true,
}

func long(w io.Writer, deltas int) {
	send := func(event, data string) { fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, data) }
	send("message_start", `{"type":"message_start","message":{"id":"msg_01XFDUDYJgAACzvnptvVoYEL","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":12,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":1,"service_tier":"standard"}}}`)
	send("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
	for range deltas {
		send("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word "}}`)
	}
	send("content_block_stop", `{"type":"content_block_stop","index":0}`)
	send("message_delta", fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":%d}}`, deltas))
	send("message_stop", `{"type":"message_stop"}`)
}

func TestContract(t *testing.T) { llmtest.Run(t, protocol) }

func BenchmarkDecode(b *testing.B) { llmtest.Benchmark(b, protocol) }

// TestNothingAmbient: what other programs keep in the environment is not ours.
func TestNothingAmbient(t *testing.T) {
	for name, value := range map[string]string{
		"ANTHROPIC_API_KEY": "ambient", "ANTHROPIC_AUTH_TOKEN": "ambient", "ANTHROPIC_BASE_URL": "http://ambient.invalid",
		"ANTHROPIC_CUSTOM_HEADERS": "X-Ambient: ambient", "ANTHROPIC_PROFILE": "ambient", "ANTHROPIC_CONFIG_DIR": t.TempDir(),
	} {
		t.Setenv(name, value)
	}
	for _, key := range []llm.Secret{"", "sk-mine"} {
		w := &wire{}
		p, err := anthropic.New(llm.Endpoint{Key: key, Through: w})
		if err != nil {
			t.Fatal(err)
		}
		llmtest.Check(t, p.Stream(t.Context(), llm.Request{Model: sonnet, Messages: []llm.Message{llm.User("a")}}))
		if w.req == nil {
			t.Fatal("nothing was sent")
		}
		if got := w.req.URL.String(); got != anthropic.BaseURL+"/v1/messages" {
			t.Errorf("sent to %s", got)
		}
		if got := w.req.Header.Get("X-Api-Key"); got != key.Reveal() {
			t.Errorf("x-api-key %q, want %q", got, key.Reveal())
		}
		for name, values := range w.req.Header {
			if name == "Authorization" || strings.Contains(fmt.Sprint(name, values), "mbient") {
				t.Errorf("sent %s: %s", name, values)
			}
		}
	}
}

func TestBaseURL(t *testing.T) {
	for base, want := range map[string]string{
		"":                                 "https://api.anthropic.com/v1/messages",
		"https://api.anthropic.com/v1":     "https://api.anthropic.com/v1/messages",
		"https://proxy.invalid/anthropic/": "https://proxy.invalid/anthropic/v1/messages",
	} {
		w := &wire{}
		p, err := anthropic.New(llm.Endpoint{BaseURL: base, Through: w})
		if err != nil {
			t.Fatal(err)
		}
		llmtest.Check(t, p.Stream(t.Context(), llm.Request{Model: sonnet, Messages: []llm.Message{llm.User("a")}}))
		if w.req == nil || w.req.URL.String() != want {
			t.Errorf("%q: sent to %v, want %s", base, w.req, want)
		}
	}
	if _, err := anthropic.New(llm.Endpoint{BaseURL: "localhost"}); err == nil {
		t.Error("a base URL without a host is taken")
	}
}

func TestProviderPrintsNoKey(t *testing.T) {
	p, err := anthropic.New(llm.Endpoint{Key: "sk-mine-1234", Headers: map[string]string{"X-Token": "abcdefgh"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if s := fmt.Sprintf(verb, p); strings.Contains(s, "sk-mine") || strings.Contains(s, "abcdefgh") {
			t.Errorf("%s prints %s", verb, s)
		}
	}
}
