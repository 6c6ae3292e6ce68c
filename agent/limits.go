package agent

import (
	"errors"
	"fmt"
	"time"

	"redline/llm"
)

// Limits bound a run. Zero means none, if nothing else is said. Reaching one
// ends the run between two steps, never in the middle of a tool.
type Limits struct {
	Iterations         int           // requests to the model
	TokensPerIteration int           // of one answer; 0: the model's own limit
	Temperature        *float64      // nil: the model's own
	ToolCalls          int           // in the whole run
	Tokens             int           // sent and received in the whole run
	BudgetUSD          float64       // needs a model whose prices are known
	Wall               time.Duration // a model's answer is cut when it is over, a tool is not
	SchemaRetries      int           // wrong or cut off arguments or output in a row; 0: 5
}

// DefaultLimits suit an assistant that does a few things at a time.
func DefaultLimits() Limits {
	temperature := 0.7
	return Limits{Iterations: 10, TokensPerIteration: 4000, Temperature: &temperature, SchemaRetries: 5}
}

// The names of limits, as Outcome.Limit gives them.
const (
	LimitIterations    = "max_iterations"
	LimitAnswer        = "max_tokens_per_iteration"
	LimitToolCalls     = "max_tool_calls_per_job"
	LimitTokens        = "max_tokens"
	LimitBudget        = "budget"
	LimitWall          = "wall_time"
	LimitSchemaRetries = "max_schema_retries"
)

// ErrNoPrice: a budget was given for a model whose prices are not known.
var ErrNoPrice = errors.New("the prices of the model are not known, so no budget can be kept: add them to the configuration, or leave out the budget")

func (l Limits) check(m llm.Model) error {
	if l.BudgetUSD > 0 && m.Cost(llm.Usage{}) == nil {
		return fmt.Errorf("%s: %w", m.Name(), ErrNoPrice)
	}
	return nil
}

func (l Limits) schemaRetries() int {
	if l.SchemaRetries == 0 {
		return 5
	}
	return l.SchemaRetries
}

// reached is the limit that allows no further step, or "".
func (r *run) reached() string {
	l, o := r.Limits, r.out
	switch {
	case r.wallOver():
		return LimitWall
	case l.BudgetUSD > 0 && (o.CostUSD == nil || *o.CostUSD >= l.BudgetUSD):
		return LimitBudget
	case l.Tokens > 0 && o.Usage.Total() >= l.Tokens:
		return LimitTokens
	case l.Iterations > 0 && o.Steps >= l.Iterations:
		return LimitIterations
	}
	return ""
}

func (r *run) wallOver() bool {
	return r.Limits.Wall > 0 && time.Since(r.began) >= r.Limits.Wall
}

// limitWords says a limit to a person.
func (r *run) limitWords(limit string) string {
	l := r.Limits
	switch limit {
	case LimitIterations:
		return fmt.Sprintf("the limit of %d steps is reached", l.Iterations)
	case LimitAnswer:
		return fmt.Sprintf("the answer was cut at the limit of %d tokens", l.TokensPerIteration)
	case LimitToolCalls:
		return fmt.Sprintf("the limit of %d tool calls is reached", l.ToolCalls)
	case LimitTokens:
		return fmt.Sprintf("the limit of %d tokens is reached", l.Tokens)
	case LimitBudget:
		if r.out.CostUSD == nil { // a router, or a server, had another model answer
			return fmt.Sprintf("the price of an answer is not known, so the budget of $%.2f cannot be kept", l.BudgetUSD)
		}
		return fmt.Sprintf("the budget of $%.2f is used up", l.BudgetUSD)
	case LimitWall:
		return fmt.Sprintf("the time limit of %s is over", l.Wall)
	case LimitSchemaRetries:
		return fmt.Sprintf("the model sent invalid arguments or output %d times in a row", l.schemaRetries()+1)
	}
	return limit
}
