package llmtest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"redline/llm"
	"redline/llm/llmtest"
)

// toy speaks a protocol made up for this test: one JSON object per line.
var toy = llmtest.Protocol{
	Model: llm.Model{
		ID: "toy-large", Provider: "toy", API: "toy", Thinking: llm.ThinkByEffort, Price: &llm.Price{Input: 1, Output: 2, CacheRead: 0.1, CacheWrite: 1.25},
		Can: llm.Abilities{Tools: true, Images: true, Documents: true, Temperature: true, Structured: true},
	},
	Open: func(e llm.Endpoint) (llm.Provider, error) { return openToy(e, "") },
	Dir:  "testdata",
	Long: func(w io.Writer, deltas int) {
		fmt.Fprintln(w, `{"is":"start","id":"toy-1"}`)
		for range deltas {
			fmt.Fprintln(w, `{"is":"text","add":"word "}`)
		}
		fmt.Fprintln(w, `{"is":"end","stop":"stop","usage":{"input":1,"output":1}}`)
	},
	LongHeader: http.Header{"Content-Type": {"application/x-ndjson"}},
	Signed:     true, CacheWrite: true, Reasoning: true,
}

// toyProvider has at most one flaw, for the test of the suite.
type toyProvider struct {
	llm.Endpoint
	client *http.Client
	flaw   string
	latest *atomic.Pointer[[]byte] // what was last asked
}

func openToy(e llm.Endpoint, flaw string) (llm.Provider, error) {
	client, err := e.Client()
	if flaw == "goes its own way" {
		client = http.DefaultClient
	}
	return toyProvider{e, client, flaw, new(atomic.Pointer[[]byte])}, err
}

type toyLine struct {
	Is        string
	ID        string
	Model     string
	Key       int
	Name      string
	Add       string
	Signature string
	Stop      llm.StopReason
	Usage     llm.Usage
	Message   string
	Code      string
}

func (p toyProvider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	switch p.flaw {
	case "goes on after the listener left":
		return func(yield func(llm.Event, error) bool) {
			for ev, err := range p.stream(ctx, req) {
				yield(ev, err)
			}
		}
	case "takes misuse for a failure":
		if len(req.Messages) == 0 {
			req.Messages = []llm.Message{llm.User("")}
		}
	case "sends what the model cannot take":
		req.Model.Can.Images = true
	}
	return p.stream(ctx, req)
}

func (p toyProvider) stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return llm.Emit(ctx, req, func(ctx context.Context, e *llm.Emitter) error {
		res, err := p.ask(ctx, req)
		if err != nil {
			return p.fail(err)
		}
		defer res.Body.Close()
		if p.flaw == "leaves a goroutine" {
			go func() { select {} }()
		}
		if res.StatusCode != http.StatusOK {
			return p.fail(refusal(res))
		}
		if p.flaw == "waits for the end" {
			all, _ := io.ReadAll(res.Body)
			res.Body = io.NopCloser(bytes.NewReader(all))
		}
		return p.fail(p.decode(res.Body, e))
	})
}

func (p toyProvider) fail(err error) error {
	if p.flaw == "shows the key" {
		return err
	}
	err = p.ScrubFailure(err)
	var failure *llm.Failure
	if p.flaw == "gives up" && errors.As(err, &failure) {
		failure.Retry = false
	}
	return err
}

func (p toyProvider) ask(ctx context.Context, req llm.Request) (*http.Response, error) {
	history := llm.Adapt(req.Messages, req.Model, llm.PlainIDs)
	if p.flaw == "sends no thinking" {
		history = withoutThinking(history)
	}
	fields := map[string]any{
		"model": req.Model.ID, "system": req.System, "messages": history, "tools": req.Tools, "choice": req.ToolChoice,
		"effort": req.Model.Effort(req.Thinking), "max_tokens": req.MaxTokens, "temperature": req.Temperature, "output": req.Output, "cache": req.CacheKey,
	}
	if p.flaw == "sends fields at random" {
		fields["nonce"] = rand.Int()
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	if p.flaw == "shares its state" {
		p.latest.Store(&body)
		time.Sleep(5 * time.Millisecond) // for somebody else to come along
		body = *p.latest.Load()
	}
	if p.flaw == "ignores cancel" {
		ctx = context.WithoutCancel(ctx)
	}
	base := strings.TrimSuffix(p.BaseURL, "/")
	if p.flaw == "joins paths badly" {
		base = p.BaseURL
	}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/say", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	post.Header.Set("Content-Type", "application/json")
	post.Header.Set("X-Toy-Key", p.Key.Reveal())
	res, err := p.client.Do(post)
	if err == nil && res.StatusCode >= 500 && p.flaw == "asks again" {
		res.Body.Close()
		post.Body = io.NopCloser(bytes.NewReader(body))
		return p.client.Do(post)
	}
	return res, err
}

func withoutThinking(history []llm.Message) []llm.Message {
	var out []llm.Message
	for _, m := range history {
		m.Content = slices.DeleteFunc(slices.Clone(m.Content), func(b llm.Block) bool {
			_, is := b.(llm.Thinking)
			return is
		})
		out = append(out, m)
	}
	return out
}

func refusal(res *http.Response) error {
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	var answer struct{ Error toyLine }
	if json.Unmarshal(data, &answer) != nil {
		return llm.HTTPFailure(res.StatusCode, res.Header, "", string(data))
	}
	return llm.HTTPFailure(res.StatusCode, res.Header, answer.Error.Code, answer.Error.Message)
}

func (p toyProvider) decode(body io.Reader, e *llm.Emitter) error {
	var kept []string
	lines := bufio.NewScanner(body)
	for lines.Scan() && (!e.Left() || p.flaw == "ignores cancel") {
		var line toyLine
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return err
		}
		if p.flaw == "keeps what it read" {
			kept = append(kept, lines.Text())
		}
		if done, err := line.emit(e); done || err != nil {
			return err
		}
	}
	if p.flaw == "takes a cut for the end" {
		e.Stop(llm.StopEnd)
	}
	return errors.Join(lines.Err(), keep(kept))
}

func keep([]string) error { return nil }

func (l toyLine) emit(e *llm.Emitter) (done bool, err error) {
	const said = 0 // the key of what is no call
	switch l.Is {
	case "start":
		e.Start(l.Model, l.ID)
	case "text":
		e.EndOthers(said)
		e.Text(said, l.Add)
	case "thinking":
		e.Thinking(said, l.Add)
		e.Sign(said, l.Signature)
	case "call":
		if l.Name != "" {
			e.End(said)
			e.Call(l.Key, l.ID, l.Name)
		}
		e.Arguments(l.Key, l.Add)
	case "error":
		return true, llm.HTTPFailure(0, nil, l.Code, l.Message)
	case "end":
		e.Usage(l.Usage)
		e.Stop(l.Stop)
		return true, nil
	}
	return false, nil
}
