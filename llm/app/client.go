package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"net/url"
	"slices"

	"redline/llm"
)

const (
	// Path is where a server answers, below its base URL.
	Path = "/v1/stream"

	contentType = "application/x-ndjson" // of an answer

	maxLine    = 16 << 20 // bytes of an event; a longer one is not read
	maxRefusal = 64 << 10 // bytes of a refusal
)

// New returns a provider that asks the server at the endpoint, whose key is the
// client's token.
func New(e llm.Endpoint) (llm.Provider, error) {
	base, err := url.Parse(e.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("the server's base URL %q is not one such as https://models.example.com", e.Scrub(e.BaseURL))
	}
	through, err := e.Client()
	if err != nil {
		return nil, err
	}
	return &client{e, base.JoinPath(Path).String(), through}, nil
}

type client struct {
	llm.Endpoint
	url     string
	through *http.Client
}

// Format prints where the client asks, and no more: package fmt would print the
// token that lies inside.
func (c client) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "app at %v", c.Endpoint) }

// question is a request on the wire. Of the model there is only its name.
type question struct {
	Model string `json:"model"`
	llm.Request
}

// Stream asks the server.
func (c *client) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return llm.Emit(ctx, req, func(ctx context.Context, e *llm.Emitter) error {
		return c.ScrubFailure(c.ask(ctx, req, e))
	})
}

func (c *client) ask(ctx context.Context, req llm.Request, e *llm.Emitter) error {
	body, err := encode(req)
	if err != nil {
		return &llm.Failure{Class: llm.ClassInvalidRequest, Message: "the request cannot be written as JSON: " + err.Error()}
	}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	post.Header.Set("Content-Type", "application/json")
	post.Header.Set("Accept", contentType)
	if c.Key != "" {
		post.Header.Set("Authorization", "Bearer "+c.Key.Reveal())
	}
	res, err := c.through.Do(post)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return refusal(res)
	}
	if got, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); got != contentType {
		return &llm.Failure{Class: llm.ClassInvalidRequest, Status: res.StatusCode, Message: fmt.Sprintf("the answer is %q, not a stream of events: check the base URL", got)}
	}
	return c.read(res.Body, e)
}

func encode(req llm.Request) ([]byte, error) {
	req.Messages = withoutDetails(req.Messages)
	var b bytes.Buffer
	j := json.NewEncoder(&b)
	j.SetEscapeHTML(false)
	err := j.Encode(question{req.Model.Name(), req})
	return b.Bytes(), err
}

// withoutDetails leaves out what tools returned for screens.
func withoutDetails(history []llm.Message) []llm.Message {
	history = slices.Clone(history)
	for i, m := range history {
		if r, ok := m.ToolResult(); ok && r.Details != nil {
			r.Details = nil
			history[i].Content = []llm.Block{r}
		}
	}
	return history
}

// refusal is what a server says that did not take the request, or what another
// one says that stands before it.
func refusal(res *http.Response) error {
	data, err := io.ReadAll(io.LimitReader(res.Body, maxRefusal))
	if err != nil {
		return err
	}
	var said errorAnswer
	if json.Unmarshal(data, &said) != nil {
		return llm.HTTPFailure(res.StatusCode, res.Header, "", "")
	}
	f := llm.HTTPFailure(res.StatusCode, res.Header, "", said.Error.Message)
	if known(said.Error.Class) {
		f.Class, f.Retry = said.Error.Class, said.Error.Retry
	}
	return f
}

func known(c llm.Class) bool {
	switch c {
	case llm.ClassAuth, llm.ClassRateLimit, llm.ClassOverloaded, llm.ClassContextTooLarge, llm.ClassInvalidRequest, llm.ClassNetwork, llm.ClassTimeout:
		return true
	}
	return false
}

// read passes on the events of an answer until the last one. Without a last one
// the answer was cut.
func (c *client) read(body io.Reader, e *llm.Emitter) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 4<<10), maxLine)
	for !e.Left() && lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		var ev llm.Event
		if err := json.Unmarshal(line, &ev); err != nil {
			return broken("a line is no event: " + err.Error())
		}
		if ev.Type == llm.EventDone {
			return end(e, ev.Reply)
		}
		c.pass(e, ev)
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return broken(fmt.Sprintf("a line is longer than %d bytes", maxLine))
	}
	return lines.Err()
}

func broken(how string) *llm.Failure {
	return &llm.Failure{Class: llm.ClassNetwork, Message: "the answer is broken: " + how, Retry: true}
}

// pass passes on one event. Whatever a server sends, the Emitter makes a stream
// of it that is in order. Types that are not known are left out.
func (c *client) pass(e *llm.Emitter, ev llm.Event) {
	switch key := ev.Index; ev.Type {
	case llm.EventStart:
		if head := ev.Reply; head != nil {
			head.Stop, head.Failure = "", nil // only the last event says how it ends
			e.Relay(*head)
		}
		e.Start("", "")
	case llm.EventTextDelta:
		e.Text(key, ev.Delta)
	case llm.EventTextEnd:
		if ev.Signature != "" {
			e.SignText(key, ev.Signature)
		}
		e.End(key)
	case llm.EventThinkingDelta:
		e.Thinking(key, ev.Delta)
	case llm.EventThinkingEnd:
		switch {
		case ev.Redacted:
			e.Redacted(key, ev.Signature)
		case ev.Signature != "":
			e.SignThinking(key, ev.Signature)
		}
		e.End(key)
	case llm.EventCallStart:
		e.Call(key, ev.ID, ev.Name)
	case llm.EventCallDelta:
		e.Arguments(key, ev.Delta)
	case llm.EventCallEnd:
		e.Sign(key, ev.Signature)
		e.End(key)
	case llm.EventRoute:
		if ev.Route != nil {
			e.Route(*ev.Route)
		}
	case llm.EventRestart:
		e.Restart(c.clean(ev.Reply), c.scrubbed(ev.Failure), ev.Wait)
	}
}

// scrubbed is a failure without the client's token, which a server may repeat.
func (c *client) scrubbed(f *llm.Failure) *llm.Failure {
	if f == nil {
		return nil
	}
	clean := *f
	clean.Message, clean.Code = c.Scrub(f.Message), c.Scrub(f.Code)
	return &clean
}

func (c *client) clean(r *llm.Reply) *llm.Reply {
	if r != nil {
		r.Failure = c.scrubbed(r.Failure)
	}
	return r
}

// end takes over how the answer ended.
func end(e *llm.Emitter, last *llm.Reply) error {
	if last == nil {
		return broken("its last event is empty")
	}
	reply := *last
	reply.Failure = nil
	switch reply.Stop {
	case llm.StopEnd, llm.StopLength, llm.StopToolUse, llm.StopContentFilter:
		e.Relay(reply)
		return nil
	}
	reply.Stop = ""
	e.Relay(reply)
	switch f := last.Failure; {
	case last.Stop == llm.StopAborted: // not by this client, which would have noticed
		return &llm.Failure{Class: llm.ClassNetwork, Message: "the server gave the answer up", Retry: true}
	case last.Stop != llm.StopError:
		return broken(fmt.Sprintf("it ended for the unknown reason %q", last.Stop))
	case f == nil:
		return broken("it failed and does not say why")
	case !known(f.Class):
		return llm.HTTPFailure(f.Status, nil, f.Code, f.Message)
	default:
		return f
	}
}
