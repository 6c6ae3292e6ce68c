package llm_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"redline/llm"
)

// TestHTTPFailure holds what services really say.
func TestHTTPFailure(t *testing.T) {
	const again = "retry"
	for _, tt := range []struct {
		who           string
		status        int
		code, message string
		class         llm.Class
		retry         string
	}{
		{"OpenAI", 401, "invalid_api_key", "Incorrect API key provided: sk-abc***xyz. You can find your API key at https://platform.openai.com/account/api-keys.", llm.ClassAuth, ""},
		{"OpenAI", 403, "unsupported_country_region_territory", "Country, region, or territory not supported", llm.ClassAuth, ""},
		{"OpenAI", 429, "rate_limit_exceeded", "Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000.", llm.ClassRateLimit, again},
		{"OpenAI", 429, "insufficient_quota", "You exceeded your current quota, please check your plan and billing details.", llm.ClassRateLimit, ""},
		{"OpenAI", 400, "context_length_exceeded", "Your input exceeds the context window of this model. Please adjust your input and try again.", llm.ClassContextTooLarge, ""},
		{"OpenAI", 400, "unknown_parameter", "Unknown parameter: 'reasoning.efort'.", llm.ClassInvalidRequest, ""},
		{"OpenAI", 404, "model_not_found", "The model `gpt-9` does not exist or you do not have access to it.", llm.ClassInvalidRequest, ""},
		{"OpenAI", 500, "server_error", "The server had an error while processing your request. Sorry about that!", llm.ClassOverloaded, again},
		{"OpenAI", 503, "", "The engine is currently overloaded, please try again later", llm.ClassOverloaded, again},
		{"OpenAI, in the stream", 0, "server_error", "An error occurred while processing your request.", llm.ClassOverloaded, again},
		{"OpenAI, in the stream", 0, "rate_limit_exceeded", "Rate limit reached", llm.ClassRateLimit, again},
		{"OpenAI, in the stream", 200, "invalid_prompt", "Invalid prompt: your prompt was flagged", llm.ClassInvalidRequest, ""},

		{"Anthropic", 401, "authentication_error", "invalid x-api-key", llm.ClassAuth, ""},
		{"Anthropic", 403, "permission_error", "Your API key does not have permission to use the specified resource.", llm.ClassAuth, ""},
		{"Anthropic", 400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.", llm.ClassRateLimit, ""},
		{"Anthropic", 402, "billing_error", "There is an issue with your billing.", llm.ClassRateLimit, ""},
		{"Anthropic", 400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum", llm.ClassContextTooLarge, ""},
		{"Anthropic", 400, "invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length or `max_tokens` and try again", llm.ClassContextTooLarge, ""},
		{"Anthropic", 413, "request_too_large", "Request exceeds the maximum size", llm.ClassContextTooLarge, ""},
		{"Anthropic", 400, "invalid_request_error", "messages.1.content.0.text: Field required", llm.ClassInvalidRequest, ""},
		{"Anthropic", 429, "rate_limit_error", "This request would exceed your organization's rate limit of 40,000 input tokens per minute.", llm.ClassRateLimit, again},
		{"Anthropic", 504, "timeout_error", "The request timed out while processing.", llm.ClassTimeout, again},
		{"Anthropic", 529, "overloaded_error", "Overloaded", llm.ClassOverloaded, again},
		{"Anthropic, in the stream", 0, "overloaded_error", "Overloaded", llm.ClassOverloaded, again},
		{"Anthropic, in the stream", 0, "api_error", "Internal server error", llm.ClassOverloaded, again},
		{"Anthropic, in the stream", 0, "timeout_error", "Request timed out", llm.ClassTimeout, again},

		{"Gemini", 400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", llm.ClassAuth, ""},
		{"Gemini", 403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers (callers without established identity).", llm.ClassAuth, ""},
		{"Gemini", 400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", llm.ClassContextTooLarge, ""},
		{"Gemini", 400, "INVALID_ARGUMENT", "Invalid JSON payload received. Unknown name \"toolz\": Cannot find field.", llm.ClassInvalidRequest, ""},
		{"Gemini", 404, "NOT_FOUND", "models/gemini-9 is not found for API version v1beta", llm.ClassInvalidRequest, ""},
		{"Gemini", 429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details. Please retry in 38.5s.", llm.ClassRateLimit, again},
		{"Gemini", 503, "UNAVAILABLE", "The model is overloaded. Please try again later.", llm.ClassOverloaded, again},
		{"Gemini", 504, "DEADLINE_EXCEEDED", "The request timed out. Please try again.", llm.ClassTimeout, again},
		{"Gemini", 500, "INTERNAL", "An internal error has occurred. Please retry.", llm.ClassOverloaded, again},

		{"Ollama", 404, "", "model 'qwen9' not found", llm.ClassInvalidRequest, ""},
		{"Ollama", 400, "", "registry.ollama.ai/library/gemma:2b does not support tools", llm.ClassInvalidRequest, ""},
		{"Ollama", 400, "", "the input length exceeds the context length", llm.ClassContextTooLarge, ""},
		{"Ollama", 503, "", "server busy, please try again. maximum pending requests exceeded", llm.ClassOverloaded, again},
		{"Ollama", 500, "", "llama runner process has terminated: signal: killed", llm.ClassOverloaded, again},

		{"llama.cpp", 400, "exceed_context_size_error", "the request exceeds the available context size, try increasing it", llm.ClassContextTooLarge, ""},
		{"llama.cpp", 500, "server_error", "Context size has been exceeded.", llm.ClassContextTooLarge, ""},
		{"llama.cpp", 503, "unavailable_error", "Loading model", llm.ClassOverloaded, again},
		{"llama.cpp", 401, "authentication_error", "Invalid API Key", llm.ClassAuth, ""},

		{"vLLM", 400, "BadRequestError", "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion). Please reduce the length of the messages or completion.", llm.ClassContextTooLarge, ""},
		{"vLLM", 404, "NotFoundError", "The model `qwen9` does not exist.", llm.ClassInvalidRequest, ""},
		{"vLLM", 401, "", "Unauthorized", llm.ClassAuth, ""},

		{"LM Studio", 400, "", "Trying to keep the first 5120 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.", llm.ClassContextTooLarge, ""},
		{"LM Studio", 404, "model_not_found", "No models loaded. Please load a model in the developer page or use the 'lms load' command.", llm.ClassInvalidRequest, ""},

		{"OpenRouter", 402, "402", "This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 1234.", llm.ClassRateLimit, ""},
		{"OpenRouter", 400, "400", "This endpoint's maximum context length is 131072 tokens. However, you requested about 200000 tokens.", llm.ClassContextTooLarge, ""},
		{"OpenRouter", 429, "429", "Provider returned error", llm.ClassRateLimit, again},
		{"OpenRouter", 408, "408", "Request Timeout", llm.ClassTimeout, again},
		{"OpenRouter", 502, "502", "Provider returned error", llm.ClassOverloaded, again},
		{"OpenRouter, in the stream", 200, "502", "Provider disconnected unexpectedly", llm.ClassOverloaded, again},

		{"DeepSeek", 402, "unknown_error", "Insufficient Balance", llm.ClassRateLimit, ""},
		{"DeepSeek", 401, "authentication_error", "Authentication Fails (no such user)", llm.ClassAuth, ""},
		{"DeepSeek", 400, "invalid_request_error", "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens.", llm.ClassContextTooLarge, ""},
		{"DeepSeek", 422, "invalid_request_error", "Failed to deserialize the JSON body into the target type: messages[0]: missing field `role`", llm.ClassInvalidRequest, ""},
		{"DeepSeek", 503, "", "Server Overloaded", llm.ClassOverloaded, again},

		{"Bedrock", 429, "ThrottlingException", "Too many tokens, please wait before trying again.", llm.ClassRateLimit, again},
		{"Groq", 413, "rate_limit_exceeded", "Request too large for model `llama` on tokens per minute (TPM): Limit 6000, Requested 8000, please reduce your message size and try again.", llm.ClassContextTooLarge, ""},

		{"a proxy", 413, "", "", llm.ClassContextTooLarge, ""},
		{"a proxy", 502, "", "<html><h1>502 Bad Gateway</h1></html>", llm.ClassOverloaded, again},
		{"a proxy", 504, "", "", llm.ClassTimeout, again},
		{"a redirect", 302, "", "", llm.ClassInvalidRequest, ""},
	} {
		t.Run(fmt.Sprint(tt.who, tt.status, tt.code), func(t *testing.T) {
			f := llm.HTTPFailure(tt.status, nil, tt.code, tt.message+"\n")
			if f.Class != tt.class || f.Retry != (tt.retry == again) {
				t.Errorf("%q is %s, retry %t; want %s, %q", tt.message, f.Class, f.Retry, tt.class, tt.retry)
			}
			words := tt.message
			if words == "" {
				words = http.StatusText(tt.status)
			}
			if f.Message != words || f.Code != tt.code || f.Status != tt.status {
				t.Errorf("%+v does not keep the service's words", *f)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		soon := time.Now().Add(90 * time.Second).UTC()
		for _, tt := range []struct {
			name, value string
			want        time.Duration
		}{
			{"Retry-After", "7", 7 * time.Second},
			{"Retry-After", "0.5", 500 * time.Millisecond},
			{"Retry-After", soon.Format(http.TimeFormat), 90 * time.Second},
			{"Retry-After", soon.Add(-time.Hour).Format(http.TimeFormat), 0},
			{"Retry-After", "-3", 0},
			{"Retry-After", "soon", 0},
			{"Retry-After", "NaN", 0},
			{"Retry-After", "1e300", 365 * 24 * time.Hour},
			{"Retry-After", "Inf", 365 * 24 * time.Hour},
			{"Retry-After-Ms", "1500", 1500 * time.Millisecond},
			{"X-Other", "7", 0},
		} {
			f := llm.HTTPFailure(429, http.Header{tt.name: {tt.value}}, "", "")
			if f.RetryAfter != tt.want {
				t.Errorf("%s: %s gives %s, want %s", tt.name, tt.value, f.RetryAfter, tt.want)
			}
		}
		both := http.Header{"Retry-After": {"2"}, "Retry-After-Ms": {"1500"}}
		if f := llm.HTTPFailure(429, both, "", ""); f.RetryAfter != 1500*time.Millisecond {
			t.Errorf("the finer header does not win: %s", f.RetryAfter)
		}
	})
}

func TestFailureWords(t *testing.T) {
	for _, tt := range []struct {
		f    llm.Failure
		want string
	}{
		{llm.Failure{Class: llm.ClassAuth, Status: 401, Message: "bad key"}, "the model refused the key (HTTP 401): bad key"},
		{llm.Failure{Class: llm.ClassRateLimit, Message: "slow down"}, "the model's rate limit is reached: slow down"},
		{llm.Failure{Class: llm.ClassOverloaded, Message: "busy"}, "the model is overloaded: busy"},
		{llm.Failure{Class: llm.ClassContextTooLarge}, "the conversation is too large for the model: no reason given"},
		{llm.Failure{Class: llm.ClassInvalidRequest, Message: "x"}, "the model refused the request: x"},
		{llm.Failure{Class: llm.ClassNetwork, Message: "x"}, "the connection to the model failed: x"},
		{llm.Failure{Class: llm.ClassTimeout, Message: "x"}, "the model did not answer in time: x"},
		{llm.Failure{Message: "x"}, "the model failed: x"},
	} {
		if got := tt.f.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func TestFailureJSON(t *testing.T) {
	f := llm.Failure{Class: llm.ClassRateLimit, Message: "m", Status: 429, Code: "c", Retry: true, RetryAfter: 7 * time.Second}
	data, err := json.Marshal(f)
	if want := `{"class":"rate_limit","message":"m","status":429,"code":"c","retry":true,"retryAfterNs":7000000000}`; err != nil || string(data) != want {
		t.Errorf("%s %v", data, err)
	}
}
