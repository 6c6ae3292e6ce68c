package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
)

// Provider streams the answer of a model.
//
// The events of a stream are as docs of this package draw them: the last one is
// EventDone, whatever happens to the model or to ctx, and every block that
// started has ended before it. A failure of the model, of the network or of the
// request is told by that last event. The error is for misuse alone (no model,
// no messages): then it is the only thing that the stream yields.
//
// Leaving the loop early ends the request. A Provider may be used by several
// goroutines at once.
type Provider interface {
	Stream(ctx context.Context, req Request) iter.Seq2[Event, error]
}

// Request is what a model is asked.
type Request struct {
	Model       Model      `json:"model"`
	System      string     `json:"system,omitempty"`
	Messages    []Message  `json:"messages"`
	Tools       []ToolSpec `json:"tools,omitempty"`
	ToolChoice  string     `json:"toolChoice,omitempty"` // "" or "auto", "none", "required", or the name of a tool
	Thinking    Level      `json:"thinking,omitempty"`
	MaxTokens   int        `json:"maxTokens,omitempty"`   // of the answer; 0: the model's limit
	Temperature *float64   `json:"temperature,omitempty"` // nil: the model's own
	Output      *Output    `json:"output,omitempty"`      // asks for structured output
	CacheKey    string     `json:"cacheKey,omitempty"`    // the same for all requests of a conversation
}

// ToolSpec is a tool as a model sees it.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"` // of the arguments, a JSON schema of an object
}

// Output is the shape of a structured answer.
type Output struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
}

// Level is how much a model shall think before it speaks.
type Level string

const (
	ThinkOff     Level = "off"
	ThinkMinimal Level = "minimal"
	ThinkLow     Level = "low"
	ThinkMedium  Level = "medium"
	ThinkHigh    Level = "high"
)

// Levels lists the thinking levels from none to most.
var Levels = []Level{ThinkOff, ThinkMinimal, ThinkLow, ThinkMedium, ThinkHigh}

// ParseLevel reads a thinking level; "" is off.
func ParseLevel(s string) (Level, error) {
	if s == "" {
		return ThinkOff, nil
	}
	for _, l := range Levels {
		if s == string(l) {
			return l, nil
		}
	}
	return "", fmt.Errorf("unknown thinking level %q: use off, minimal, low, medium or high", s)
}

// On reports whether the model shall think at all.
func (l Level) On() bool { return l != "" && l != ThinkOff }

// misuse is the programmer's fault, not the model's.
func (r Request) misuse() error {
	switch {
	case r.Model.ID == "":
		return errors.New("the request names no model")
	case len(r.Messages) == 0:
		return errors.New("the request has no messages")
	}
	return nil
}

// Unable says what the newest user message asks of a model that cannot do it,
// and is nil if it can. Older messages are adapted instead, so that a conversation can move to a
// lesser model.
func (r Request) Unable() *Failure {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		m := r.Messages[i]
		if m.Role == RoleAssistant {
			break
		}
		for _, block := range m.Content {
			switch b := block.(type) {
			case Image:
				if !r.Model.Can.Images {
					return cannot("model %s does not take images; choose one that does, or set images: true for it in the configuration", r.Model.Name())
				}
			case Document:
				if !r.Model.Can.Documents && b.Text == "" {
					return cannot("model %s does not take documents, and %s came without its text; choose a model that does, or convert the document first", r.Model.Name(), b.Name)
				}
			}
		}
	}
	if len(r.Tools) > 0 && !r.Model.Can.Tools {
		return cannot("model %s cannot call tools; choose one that can, or set tools: true for it in the configuration", r.Model.Name())
	}
	return nil
}

func cannot(format string, args ...any) *Failure {
	return &Failure{Class: ClassInvalidRequest, Message: fmt.Sprintf(format, args...)}
}
