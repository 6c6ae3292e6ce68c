// Package anthropic speaks the Anthropic Messages protocol.
//
// # What is sent
//
// A conversation is brought into the shape that the service insists on: it
// begins with the user, the two sides take turns, the results of tools come
// first in the message after their calls, no text is blank, and no message of
// the assistant ends in a thought. Signed thoughts go back unchanged, in their
// order; thoughts without a signature come from answers that were cut off, and
// are left out.
//
// Up to four places are marked for the prompt cache: the last tool, the system
// prompt, the last message and the user's message before it. The last two let
// a step find what the step before it has written, however many blocks lie
// between. [llm.Request.CacheKey] has no counterpart.
//
// [llm.Request.MaxTokens] is for the answer, while the service counts thoughts
// and answer together: the limit sent is raised by what may be thought, as far
// as the model allows.
//
// Thinking is left out of a request where the service would refuse it: when a
// tool is forced, and, for models that think by budget, in the middle of a
// chain of tool calls that began without a thought. A model that cannot stop
// thinking says so with a word for [llm.ThinkOff] in its efforts.
//
// # What comes back
//
// An answer that fills the context window ends with [llm.StopLength]: what was
// said is valid, and the next request is the one that is too large. A refusal
// ends with [llm.StopContentFilter]. Citations and the blocks of the service's
// own tools are passed over.
package anthropic

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"net/url"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"redline/llm"
)

// BaseURL is where Anthropic itself answers.
const BaseURL = "https://api.anthropic.com"

type provider struct {
	client   sdk.Client
	endpoint llm.Endpoint
}

// New returns a provider that asks the server at e, or Anthropic's if e names
// none. A base URL may end in /v1 or not. The key is sent as x-api-key; nothing
// is taken from ANTHROPIC_* variables or from the profiles of other programs.
func New(e llm.Endpoint) (llm.Provider, error) {
	base := e.BaseURL
	if base == "" {
		base = BaseURL
	}
	base = strings.TrimSuffix(strings.TrimRight(base, "/"), "/v1")
	if u, err := url.Parse(base); err != nil || u.Host == "" {
		return nil, fmt.Errorf("the base URL %q is not a URL such as %s", e.Scrub(e.BaseURL), BaseURL)
	}
	client, err := e.Client()
	if err != nil {
		return nil, err
	}
	options := []option.RequestOption{
		option.WithoutEnvironmentDefaults(),
		option.WithoutOpenTelemetry(),
		option.WithMaxRetries(0), // llm.Retry does that, and tells it
		option.WithHTTPClient(client),
		option.WithBaseURL(base),
	}
	if key := e.Key.Reveal(); key != "" {
		options = append(options, option.WithAPIKey(key))
	}
	return provider{client: sdk.NewClient(options...), endpoint: e}, nil
}

// Format prints where the provider asks, and no more: package fmt would print
// the key that lies inside.
func (p provider) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "anthropic at %v", p.endpoint) }

// Stream implements llm.Provider.
func (p provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return llm.Emit(ctx, req, func(ctx context.Context, e *llm.Emitter) error {
		return p.endpoint.ScrubFailure(p.answer(ctx, req, e))
	})
}

func (p provider) answer(ctx context.Context, req llm.Request, e *llm.Emitter) error {
	body, refusal := requestBody(req)
	if refusal != nil {
		return refusal
	}
	// Not Messages.NewStreaming: it writes warnings to stderr, and decodes each
	// event into a union of everything.
	var res *http.Response
	err := p.client.Post(ctx, "v1/messages", body, &res)
	if res != nil {
		defer res.Body.Close()
		if f := refused(res); f != nil {
			return f
		}
	}
	if err != nil {
		return err
	}
	return decode(ssestream.NewDecoder(res), e)
}

// refused is the failure that an answer amounts to which is no stream.
func refused(res *http.Response) *llm.Failure {
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	accepted := res.StatusCode == http.StatusOK
	if accepted && media != "text/html" && media != "application/json" {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20)) // what has come of it will do
	var said struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	_ = json.Unmarshal(text, &said) // if it is no JSON, its text is shown
	switch {
	case said.Error.Message != "":
		return llm.HTTPFailure(res.StatusCode, res.Header, said.Error.Type, said.Error.Message)
	case accepted:
		return invalid("the server answered with %s instead of a stream of events; check the base URL: %s", media, shorten(string(text)))
	}
	return llm.HTTPFailure(res.StatusCode, res.Header, said.Error.Type, shorten(string(text)))
}

// shorten makes one line of a page that is no message of the service.
func shorten(page string) string {
	const most = 300
	line := []rune(strings.Join(strings.Fields(page), " "))
	if len(line) > most {
		return string(line[:most]) + "…"
	}
	return string(line)
}
