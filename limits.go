package redline

import (
	"time"

	"redline/internal/session"
	"redline/internal/toolset/project"
)

// Limits change what a toolset has by itself. Nil: as the toolset has it; 0 is no
// limit, where one can do without.
type Limits struct {
	MaxActionsPerRequest    *int
	MaxIterations           *int
	MaxTokensPerIteration   *int
	MaxToolCallsPerJob      *int
	MaxSchemaRetries        *int
	Bulk                    *int
	MaxDestructivePerMinute *int
	Temperature             *float64
	WallTime                *time.Duration

	// What calls of the toolset project show.
	MaxSearchResultsDefault *int
	MaxSearchResultsCap     *int
	MaxSearchSnippetLines   *int
	MaxReadBytesDefault     *int
	MaxReadLinesDefault     *int
}

// session is the limits of a session that has others by itself.
func (l Limits) session(have session.Limits) session.Limits {
	for _, f := range []struct {
		to   *int
		from *int
	}{
		{&have.Actions, l.MaxActionsPerRequest}, {&have.Iterations, l.MaxIterations}, {&have.TokensPerIteration, l.MaxTokensPerIteration},
		{&have.ToolCalls, l.MaxToolCallsPerJob}, {&have.SchemaRetries, l.MaxSchemaRetries}, {&have.Bulk, l.Bulk},
		{&have.DestructivePerMinute, l.MaxDestructivePerMinute},
	} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	if l.Temperature != nil {
		have.Temperature = l.Temperature
	}
	if l.WallTime != nil {
		have.Wall = *l.WallTime
	}
	return have
}

// project is what calls of the toolset project show.
func (l Limits) project() project.Limits {
	value := func(n *int) int {
		if n == nil {
			return 0
		}
		return *n
	}
	return project.Limits{
		SearchResults: value(l.MaxSearchResultsDefault), SearchCap: value(l.MaxSearchResultsCap), SnippetLines: value(l.MaxSearchSnippetLines),
		ReadBytes: value(l.MaxReadBytesDefault), ReadLines: value(l.MaxReadLinesDefault),
	}
}
