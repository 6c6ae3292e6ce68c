// Package scripted replays a script as if it were a model.
//
// A script is a list of steps; each request takes the next one. A step says
// text, thinks, calls tools or fails, at once or in small pieces with pauses,
// and may expect something of the request. Scripts are written in Go, or as
// YAML or JSONL files that docs/scripted.md describes.
package scripted

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"
	"time"

	"redline/llm"
)

// Step is the answer to one request: its thinking, then its text, then its
// calls, then how it ends.
type Step struct {
	Expect    Expect
	Delay     time.Duration // before anything is said
	Thinking  string
	Signature string // of the thinking
	Text      string
	Calls     []Call
	Chunk     int           // runes in a piece of thinking, text or arguments; 0: all in one piece
	Pause     time.Duration // before every piece but the first
	Cut       int           // the connection breaks after this many pieces; 0: it does not
	Error     *llm.Failure  // how the step fails after what it said
	Usage     llm.Usage
	Stop      llm.StopReason // "": tool_use after calls, otherwise stop

	place string // in the script
}

// Call is a tool call of a step. Arguments is sent as it stands, JSON or not;
// "" is no arguments. An empty ID becomes one that no other step has.
type Call struct {
	ID        string
	Name      string
	Arguments string
}

// Expect is what a request must have for its step to be taken. Otherwise the
// step fails with the class invalid_request.
type Expect struct {
	Contains string   // is in the text or output of the newest message
	Tools    []string // are offered
}

// Provider replays a script. Concurrent requests each take a step of their own.
type Provider struct {
	// Repeat begins the script anew after its last step. It is set before the
	// first request.
	Repeat bool

	name  string // of the file
	steps []Step
	taken atomic.Int64
}

// New makes a provider of steps. A step that contradicts itself fails when it
// is taken, with the class invalid_request.
func New(steps ...Step) *Provider {
	p := &Provider{steps: append([]Step(nil), steps...)}
	for i := range p.steps {
		p.steps[i].place = fmt.Sprintf("step %d", i+1)
	}
	return p
}

// Model is an able model whose answers cost nothing, for requests that need
// one. A Provider answers for any other as well.
func Model() llm.Model {
	return llm.Model{
		ID: "script", Provider: "scripted", API: llm.APIScripted, Local: true, Thinking: llm.ThinkByEffort,
		Can: llm.Abilities{Tools: true, Images: true, Documents: true, Temperature: true, Structured: true},
	}
}

// Stream takes the next step. A request that is cancelled or refused before it
// begins takes none.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return llm.Emit(ctx, req, func(ctx context.Context, e *llm.Emitter) error {
		number := int(p.taken.Add(1))
		step, err := p.step(number)
		if err != nil {
			return err
		}
		if err := step.met(req); err != nil {
			return err
		}
		return (&player{ctx: ctx, Emitter: e, step: step, number: number}).play()
	})
}

// step is the one with that number, counted from 1.
func (p *Provider) step(number int) (Step, error) {
	if number > len(p.steps) && (!p.Repeat || len(p.steps) == 0) {
		words := fmt.Sprintf("the script has no more steps: this is request %d, and it has %d", number, len(p.steps))
		if p.name != "" {
			words = p.name + ": " + words
		}
		return Step{}, &llm.Failure{Class: llm.ClassInvalidRequest, Message: words}
	}
	step := p.steps[(number-1)%len(p.steps)]
	if problem := step.contradiction(); problem != "" {
		return Step{}, step.refuse("%s", problem)
	}
	return step, nil
}

func (s Step) refuse(format string, args ...any) *llm.Failure {
	return &llm.Failure{Class: llm.ClassInvalidRequest, Message: s.place + ": " + fmt.Sprintf(format, args...)}
}

// contradiction is what is wrong with a step by itself, or "".
func (s Step) contradiction() string {
	switch {
	case s.Error != nil && s.Stop != "":
		return "error and stop exclude each other"
	case s.Error != nil && s.Cut != 0:
		return "error and cut exclude each other"
	case s.Cut != 0 && s.Stop != "":
		return "cut and stop exclude each other"
	case s.Chunk < 0 || s.Cut < 0 || s.Delay < 0 || s.Pause < 0:
		return "chunk, cut, delay and pause must not be negative"
	case s.Signature != "" && s.Thinking == "":
		return "there is a signature without thinking"
	case s.Stop == llm.StopToolUse && len(s.Calls) == 0:
		return "stop is tool_use without calls"
	case s.Stop == llm.StopEnd && len(s.Calls) > 0:
		return "stop is stop after calls; leave it out, or use tool_use"
	case s.Error != nil && s.Error.Message == "":
		return "error has no message"
	case s.Error != nil && !oneOf(s.Error.Class, classes):
		return fmt.Sprintf("error.class is %q; use one of %s", s.Error.Class, listed(classes))
	case s.Stop != "" && !oneOf(s.Stop, stops):
		return fmt.Sprintf("stop is %q; use one of %s, or error", s.Stop, listed(stops))
	}
	for i, c := range s.Calls {
		if c.Name == "" {
			return fmt.Sprintf("calls[%d] has no name", i)
		}
	}
	return ""
}

var classes = []llm.Class{
	llm.ClassAuth, llm.ClassRateLimit, llm.ClassOverloaded, llm.ClassContextTooLarge,
	llm.ClassInvalidRequest, llm.ClassNetwork, llm.ClassTimeout,
}

// stops are the ways to end that a script may choose.
var stops = []llm.StopReason{llm.StopEnd, llm.StopLength, llm.StopToolUse, llm.StopContentFilter}

func oneOf[T comparable](x T, list []T) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

func listed[T ~string](list []T) string {
	var words []string
	for _, x := range list {
		words = append(words, string(x))
	}
	return strings.Join(words, ", ")
}

// met compares a request with what the step expects.
func (s Step) met(req llm.Request) error {
	newest := req.Messages[len(req.Messages)-1]
	text := newest.Text()
	if r, ok := newest.ToolResult(); ok {
		text = r.Output
	}
	if !strings.Contains(text, s.Expect.Contains) {
		return s.refuse("expected %q in the newest message, which is %q", s.Expect.Contains, shortened(text))
	}
	var offered []string
	for _, tool := range req.Tools {
		offered = append(offered, tool.Name)
	}
	for _, name := range s.Expect.Tools {
		if !oneOf(name, offered) {
			return s.refuse("expected the tool %s to be offered; offered are: %s", name, strings.Join(offered, ", "))
		}
	}
	return nil
}

// shortened is the beginning of a text, for a message.
func shortened(s string) string {
	const limit = 200 // runes
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return s
}
