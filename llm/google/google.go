// Package google speaks the protocol of Google's Gemini models.
//
// It posts to models/{model}:streamGenerateContent and reads the answer as
// server-sent events. Thoughts, texts and calls come back signed; a signature is
// kept with its block and sent back on the very part it came with, which Gemini 3
// insists on.
package google

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"path"
	"strings"

	"redline/llm"
)

const defaultBase = "https://generativelanguage.googleapis.com"

type provider struct {
	endpoint llm.Endpoint
	client   *http.Client
	base     *url.URL // ends with the version of the API
}

// Format prints where the provider asks, and no more: package fmt would print
// the key that lies inside.
func (p provider) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "gemini at %v", p.endpoint) }

// New returns a provider of Gemini models at an endpoint. Its base URL may end
// with the version of the API, v1beta or v1; without one it is v1beta.
func New(e llm.Endpoint) (llm.Provider, error) {
	client, err := e.Client()
	if err != nil {
		return nil, err
	}
	base, err := baseURL(e.BaseURL)
	if err != nil {
		return nil, errors.New(e.Scrub(err.Error()))
	}
	return &provider{endpoint: e, client: client, base: base}, nil
}

func baseURL(s string) (*url.URL, error) {
	if s == "" {
		s = defaultBase
	}
	base, err := url.Parse(strings.TrimRight(s, "/"))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("the base URL %q is not a URL such as %s", s, defaultBase)
	}
	if v := path.Base(base.Path); v != "v1beta" && v != "v1" {
		base = base.JoinPath("v1beta")
	}
	return base, nil
}

// Stream asks the model and streams its answer.
func (p *provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return llm.Emit(ctx, req, func(ctx context.Context, e *llm.Emitter) error {
		return p.endpoint.ScrubFailure(p.answer(ctx, req, e))
	})
}

func (p *provider) answer(ctx context.Context, req llm.Request, e *llm.Emitter) error {
	res, err := p.post(ctx, req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return refusal(res)
	}
	a := answer{e: e}
	for in := newEvents(res.Body); !e.Left(); {
		data, err := in.next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil && a.finished:
			return nil // cut after its end: nothing is missing
		case err != nil:
			return err
		}
		if err := a.take(data); err != nil {
			return err
		}
	}
	return nil
}

func (p *provider) post(ctx context.Context, req llm.Request) (*http.Response, error) {
	asked, err := requestOf(req)
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(asked); err != nil { // a schema or arguments that are no JSON
		return nil, &llm.Failure{Class: llm.ClassInvalidRequest, Message: fmt.Sprintf("the request cannot be written as JSON: %v", err)}
	}
	u := p.base.JoinPath("models", url.PathEscape(strings.TrimPrefix(req.Model.ID, "models/"))+":streamGenerateContent")
	u.RawQuery = "alt=sse"
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), &body)
	if err != nil {
		return nil, err
	}
	post.Header.Set("Content-Type", "application/json")
	if p.endpoint.Key != "" {
		post.Header.Set("X-Goog-Api-Key", p.endpoint.Key.Reveal())
	}
	return p.client.Do(post)
}
