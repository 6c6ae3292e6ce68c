package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"redline/llm"
)

// wireEvent is what is read of the events of a stream. The types of the SDK
// hold every field of every event, which costs a multiple of the time.
type wireEvent struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message struct {
		ID    string    `json:"id"`
		Model string    `json:"model"`
		Usage wireUsage `json:"usage"`
	} `json:"message"`
	Block wireBlock `json:"content_block"`
	Delta struct {
		Type       string `json:"type"`
		Text       string `json:"text"`
		Thinking   string `json:"thinking"`
		Signature  string `json:"signature"`
		Arguments  string `json:"partial_json"`
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage wireUsage `json:"usage"`
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

type wireBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
}

type wireUsage struct {
	Input      int `json:"input_tokens"`
	Output     int `json:"output_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
	CacheWrite int `json:"cache_creation_input_tokens"`
	Details    struct {
		Thinking int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// answer is what has to be remembered of a stream while it is decoded: nothing
// that grows with its length.
type answer struct {
	e       *llm.Emitter
	usage   llm.Usage
	foreign map[int]bool            // open blocks that are none of ours
	inputs  map[int]json.RawMessage // of open calls whose arguments came whole, with their start
}

// decode reports the events of a stream to e. The caller closes what they are
// read from.
func decode(events ssestream.Decoder, e *llm.Emitter) error {
	a := answer{e: e, foreign: map[int]bool{}, inputs: map[int]json.RawMessage{}}
	for !e.Left() && events.Next() {
		ended, err := a.event(events.Event())
		if ended || err != nil {
			return err
		}
	}
	return events.Err() // nil without a stop reason is a cut, which llm.Emit tells
}

// event takes one event and says whether it was the last.
func (a *answer) event(raw ssestream.Event) (ended bool, err error) {
	switch raw.Type {
	case "message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop", "error",
		"": // some proxies drop the names
	default:
		return false, nil // a ping, or news
	}
	var ev wireEvent
	if err := json.Unmarshal(raw.Data, &ev); err != nil {
		var surprise *json.UnmarshalTypeError // a field of a kind we do not know; the rest has been read
		if !errors.As(err, &surprise) {
			return false, fmt.Errorf("the answer has an event that is no JSON: %w", err)
		}
	}
	if ev.Type == "" {
		ev.Type = raw.Type
	}
	switch ev.Type {
	case "message_start":
		a.count(ev.Message.Usage)
		a.e.Start(ev.Message.Model, ev.Message.ID)
	case "content_block_start":
		a.start(ev.Index, ev.Block)
	case "content_block_delta":
		a.delta(&ev)
	case "content_block_stop":
		a.stop(ev.Index)
	case "message_delta":
		a.count(ev.Usage)
		if ev.Delta.StopReason != "" {
			a.e.Stop(stopReason(ev.Delta.StopReason))
		}
	case "message_stop":
		return true, nil
	case "error":
		return false, streamFailure(ev.Error.Type, ev.Error.Message)
	}
	return false, nil
}

func (a *answer) start(index int, b wireBlock) {
	switch b.Type {
	case "text":
		a.e.Text(index, b.Text)
	case "thinking":
		a.e.Thinking(index, b.Thinking)
		a.sign(index, b.Signature)
	case "redacted_thinking":
		a.e.Redacted(index, b.Data)
	case "tool_use":
		a.e.Call(index, b.ID, b.Name)
		if len(b.Input) > 0 && string(b.Input) != "{}" {
			a.inputs[index] = b.Input
		}
	default:
		a.foreign[index] = true
	}
}

func (a *answer) delta(ev *wireEvent) {
	if a.foreign[ev.Index] {
		return
	}
	switch ev.Delta.Type {
	case "text_delta":
		a.e.Text(ev.Index, ev.Delta.Text)
	case "thinking_delta":
		a.e.Thinking(ev.Index, ev.Delta.Thinking)
	case "signature_delta":
		a.sign(ev.Index, ev.Delta.Signature)
	case "input_json_delta":
		if ev.Delta.Arguments != "" {
			delete(a.inputs, ev.Index)
			a.e.Arguments(ev.Index, ev.Delta.Arguments)
		}
	}
}

// sign begins the thinking if there is none yet: models that keep their
// thoughts to themselves send the signature alone.
func (a *answer) sign(index int, signature string) {
	if signature != "" {
		a.e.SignThinking(index, signature)
	}
}

func (a *answer) stop(index int) {
	if input, ok := a.inputs[index]; ok {
		a.e.Arguments(index, string(input))
		delete(a.inputs, index)
	}
	delete(a.foreign, index)
	a.e.End(index)
}

// count takes the newest figures. They are totals and only grow; what a server
// leaves out of a later event, an earlier one has said.
func (a *answer) count(u wireUsage) {
	a.usage = llm.Usage{
		Input:      max(a.usage.Input, u.Input),
		Output:     max(a.usage.Output, u.Output),
		CacheRead:  max(a.usage.CacheRead, u.CacheRead),
		CacheWrite: max(a.usage.CacheWrite, u.CacheWrite),
		Reasoning:  max(a.usage.Reasoning, u.Details.Thinking),
	}
	a.e.Usage(a.usage)
}

func stopReason(word string) llm.StopReason {
	switch word {
	case "max_tokens", "model_context_window_exceeded":
		return llm.StopLength
	case "tool_use":
		return llm.StopToolUse
	case "refusal":
		return llm.StopContentFilter
	}
	return llm.StopEnd // end_turn, stop_sequence, pause_turn
}

// statuses are what the service's kinds of errors would have been, had they
// come before the stream.
var statuses = map[string]int{
	"invalid_request_error": http.StatusBadRequest,
	"authentication_error":  http.StatusUnauthorized,
	"billing_error":         http.StatusPaymentRequired,
	"permission_error":      http.StatusForbidden,
	"not_found_error":       http.StatusNotFound,
	"request_too_large":     http.StatusRequestEntityTooLarge,
	"rate_limit_error":      http.StatusTooManyRequests,
	"api_error":             http.StatusInternalServerError,
	"timeout_error":         http.StatusGatewayTimeout,
	"overloaded_error":      529,
}

// streamFailure sorts an error that came in the middle of an answer.
func streamFailure(kind, message string) *llm.Failure {
	status, known := statuses[kind]
	if !known {
		status = http.StatusInternalServerError // it had begun to answer
	}
	if message == "" {
		message = kind
	}
	f := llm.HTTPFailure(status, nil, kind, message)
	f.Status = 0 // that of the answer was 200
	return f
}
