package session

import (
	"time"

	"redline/agent"
	"redline/internal/ledger"
	"redline/tool"
)

// Limits bound a request. Zero is none, if nothing else is said. Their names in
// the configuration, and what each toolset has, are in the doc of this package.
type Limits struct {
	Actions              int           `json:"maxActionsPerRequest"`    // calls of tools that are not read-only
	Iterations           int           `json:"maxIterations"`           // requests to the model
	ToolCalls            int           `json:"max_tool_calls_per_job"`  // of any tool
	SchemaRetries        int           `json:"max_schema_retries"`      // wrong arguments or output in a row; 0: 5
	TokensPerIteration   int           `json:"maxTokensPerIteration"`   // of one answer; 0: the model's own limit
	Temperature          *float64      `json:"temperature"`             // nil: the model's own
	Bulk                 int           `json:"bulk"`                    // files; a call that changes more is asked about
	DestructivePerMinute int           `json:"maxDestructivePerMinute"` // files of destructive calls
	Wall                 time.Duration `json:"wallTime"`                // of the whole request
}

// The names of the limits that are kept here, as they are told.
const (
	limitActions     = "maxActionsPerRequest"
	limitToolCalls   = "max_tool_calls_per_job"
	limitDestructive = "maxDestructivePerMinute"
	limitWall        = "wallTime"
)

// The codes of calls that a limit refused.
const (
	CodeLimit       tool.Code = "limit_reached"
	CodeRateLimited tool.Code = "rate_limited"
)

// Agent returns the limits that the agent keeps.
func (l Limits) Agent() agent.Limits {
	return agent.Limits{
		Iterations: l.Iterations, TokensPerIteration: l.TokensPerIteration, Temperature: l.Temperature,
		ToolCalls: l.ToolCalls, Wall: l.Wall, SchemaRetries: l.SchemaRetries,
	}
}

// Defaults is how a toolset is used if nobody says otherwise.
type Defaults struct {
	Review ledger.Review
	Mode   Mode
	Limits Limits
}

// DefaultsFor returns the defaults of a toolset. One that is not known is used
// like documents.
func DefaultsFor(toolset string) Defaults {
	switch toolset {
	case "project":
		return Defaults{ledger.Hunks, Supervised, usual(Limits{ToolCalls: 12})}
	case "tabs":
		return Defaults{ledger.WholeTurn, Supervised, usual(Limits{Iterations: 20})}
	case "vault":
		return Defaults{ledger.Auto, Supervised, usual(Limits{Iterations: 10})}
	case "coding":
		return Defaults{ledger.Auto, Autonomous, Limits{SchemaRetries: 5, Bulk: 10, Wall: 2 * time.Hour}}
	}
	return Defaults{ledger.Optimistic, Supervised, usual(Limits{Actions: 20, Iterations: 10})}
}

// usual adds what is the same for the toolsets that work on documents.
func usual(l Limits) Limits {
	temperature := 0.7
	l.SchemaRetries, l.TokensPerIteration, l.Temperature = 5, 4000, &temperature
	l.Bulk, l.DestructivePerMinute, l.Wall = 10, 20, 30*time.Minute
	return l
}
