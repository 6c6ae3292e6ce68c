package llm

import (
	"context"
	"encoding/json"
	"strings"
)

// Call is a tool call in the form that is the same for all providers.
type Call struct {
	ID        string          `json:"tool_call_id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// StepStop says what a step's result asks for.
type StepStop string

const (
	NeedsTools         StepStop = "needs_tools"
	NeedsClarification StepStop = "needs_clarification"
	ProposedEdits      StepStop = "proposed_edits" // structured output is there
	StepDone           StepStop = "done"
	StepError          StepStop = "error"
)

// StepResult is the result of one request, the same for all providers.
type StepResult struct {
	AssistantMessage Message         `json:"assistant_message"`
	ToolCalls        []Call          `json:"tool_calls"`
	StructuredOutput json.RawMessage `json:"structured_output,omitempty"`
	StopReason       StepStop        `json:"stop_reason"`
	RawUsage         RawUsage        `json:"raw_usage"`
}

// RawUsage is what a step took; the counts are those of Usage.
type RawUsage struct {
	Input      int      `json:"input_tokens"`
	Output     int      `json:"output_tokens"`
	CacheRead  int      `json:"cache_read_tokens"`
	CacheWrite int      `json:"cache_write_tokens"`
	Reasoning  int      `json:"reasoning_tokens"`
	LatencyMS  int64    `json:"latency_ms"`
	Model      string   `json:"model"`
	CostUSD    *float64 `json:"cost_usd,omitempty"`
}

// ClarifyTool is the tool by which a model asks the user something.
const ClarifyTool = "clarify_user"

// MessageTool is the tool by which a model tells the user something while it works.
const MessageTool = "send_message"

// Step asks a model once and waits for the whole answer.
func Step(ctx context.Context, p Provider, req Request) (StepResult, error) {
	m, err := Collect(p.Stream(ctx, req))
	if err != nil {
		return StepResult{}, err
	}
	return ResultOf(m, req.Output != nil), nil
}

// ResultOf is the result that a message amounts to. If structured output was
// asked for, it is taken out of the text.
func ResultOf(m Message, structured bool) StepResult {
	r := StepResult{AssistantMessage: m, ToolCalls: []Call{}, StopReason: StepDone}
	for _, c := range m.ToolCalls() {
		r.ToolCalls = append(r.ToolCalls, Call{c.ID, c.Name, c.Arguments})
	}
	if structured && len(r.ToolCalls) == 0 {
		r.StructuredOutput = structuredOutput(m.Text())
	}
	if m.Reply != nil {
		u := m.Reply.Usage
		r.RawUsage = RawUsage{u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Reasoning, m.Reply.Latency.Milliseconds(), m.Reply.Model, m.Reply.CostUSD}
	}
	switch {
	case m.Stop() == StopError || m.Stop() == StopAborted || m.Stop() == StopContentFilter:
		r.StopReason = StepError
	case len(r.ToolCalls) == 1 && r.ToolCalls[0].Name == ClarifyTool:
		r.StopReason = NeedsClarification
	case len(r.ToolCalls) > 0:
		r.StopReason = NeedsTools
	case r.StructuredOutput != nil:
		r.StopReason = ProposedEdits
	}
	return r
}

// structuredOutput finds the JSON in a text: the text itself, or the fenced
// block that models like to put around it.
func structuredOutput(text string) json.RawMessage {
	s := strings.TrimSpace(text)
	if !json.Valid([]byte(s)) {
		s = strings.TrimSpace(fenced(s))
	}
	if !json.Valid([]byte(s)) {
		return nil
	}
	return json.RawMessage(s)
}

// fenced is what stands between the first line that opens a fence and the next
// line that is nothing but one. The text inside may hold fences within lines.
func fenced(text string) string {
	_, after, _ := strings.Cut("\n"+text, "\n```")
	_, body, _ := strings.Cut(after, "\n") // after the word "json"
	body, _, _ = strings.Cut(body, "\n```")
	return body
}

// Outcome is how a step went, seen by the one who ran it.
type Outcome string

const (
	OutcomeOK                Outcome = "ok"
	OutcomeSchemaFailure     Outcome = "schema_failure"     // arguments or output did not match their schema
	OutcomeValidationFailure Outcome = "validation_failure" // what was proposed did not pass the caller's checks
	OutcomeOverflow          Outcome = "context_overflow"
	OutcomeTimeout           Outcome = "timeout"
	OutcomeBudget            Outcome = "budget_exhausted" // the allowed tool calls are used up without a result
)

// Observer is a Provider that wants to know how the steps went which it
// answered, to choose better for the next. Observe reports whether the next
// step will be answered by another model because of this outcome: then the one
// who ran the step may go on where it would have given up.
type Observer interface {
	Observe(Outcome) (changed bool)
}
