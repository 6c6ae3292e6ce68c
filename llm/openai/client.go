package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"redline/llm"
)

const officialURL = "https://api.openai.com/v1"

// client posts a request and reads the events of the answer. It does without the
// client of the SDK, which takes keys, headers and the base URL out of the
// environment, tells every server about this machine, and makes its mind up anew for
// every request.
type client struct {
	endpoint llm.Endpoint
	base     *url.URL
	carrier  *http.Client
}

func newClient(e llm.Endpoint) (client, error) {
	carrier, err := e.Client()
	if err != nil {
		return client{}, err
	}
	base := e.BaseURL
	if base == "" {
		base = officialURL
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return client{}, fmt.Errorf("the base URL %q is not one such as %s", e.Scrub(base), officialURL)
	}
	return client{endpoint: e, base: u, carrier: carrier}, nil
}

// Format prints where the client's server is. The key stays inside.
func (c client) Format(f fmt.State, _ rune) { fmt.Fprint(f, c.endpoint) }

// errDone is how the one who hears the events says that it has heard enough.
var errDone = errors.New("the answer is complete")

// stream posts JSON and hands over every event of the answer, until hear returns
// an error or the answer ends. Data is valid only during the call.
func (c client) stream(ctx context.Context, path string, body []byte, hear func(kind string, data []byte) error) error {
	err := c.exchange(ctx, path, body, hear)
	if errors.Is(err, errDone) {
		return nil
	}
	return c.endpoint.ScrubFailure(err)
}

func (c client) exchange(ctx context.Context, path string, body []byte, hear func(kind string, data []byte) error) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("User-Agent", "redline")
	if c.endpoint.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.endpoint.Key.Reveal())
	}
	res, err := c.carrier.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return refusal(res)
	}
	switch kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind {
	case "text/html":
		return &llm.Failure{Class: llm.ClassInvalidRequest, Message: "the server answered with a web page; check the base URL"}
	case "application/json": // a server that does not stream, or an error that came with status 200
		body, err := io.ReadAll(res.Body)
		if err != nil {
			return err
		}
		return hear("", body)
	}
	return read(ssestream.NewDecoder(res), hear)
}

func read(events ssestream.Decoder, hear func(kind string, data []byte) error) error {
	for events.Next() {
		ev := events.Event()
		data := bytes.TrimSpace(ev.Data)
		if string(data) == "[DONE]" {
			return nil
		}
		if err := hear(ev.Type, data); err != nil {
			return err
		}
	}
	return events.Err()
}

// decode reads the JSON of an event. Fields of an unexpected type count as
// absent: other servers have their own ideas. An error means that it is no JSON
// at all, which is the doing of the connection or of a proxy.
func decode(data []byte, into any) error {
	err := json.Unmarshal(data, into)
	if err == nil || errors.As(err, new(*json.UnmarshalTypeError)) {
		return nil
	}
	return fmt.Errorf("the answer has an event of broken JSON: %w", err)
}
