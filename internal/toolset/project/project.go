// Package project is the tool contract for edits all over a project: search, read, list, ask, and propose edits by lines.
//
// A call is translated into operations of [ops.Desk], and what comes of it into
// words for the model and the JSON of the contract for programs. Lines are
// counted from 1 and ranges include both ends.
//
// Edits are proposed by the tool propose_edits, or, by models that prefer it, as
// the final structured answer: [Output] is its schema and [Apply] makes the edits.
// All edits of one proposal refer to the lines of the files as they were before
// it, and one that cannot be made refuses them all: a half of a change is often
// worse than none, and the model, which is told what is wrong with each, can send
// the whole again.
//
// Reading gives hashes. A model that sends one back as expected_hash proves that
// it knows the lines; without one, the ledger knows what the session last read.
package project

import (
	"context"
	"strconv"
	"strings"

	"redline/internal/toolset"
	"redline/tool"
)

// Options are what the tools are told of the world around them. The zero value
// has the limits of the contract and nobody to ask.
type Options struct {
	Ask    toolset.Ask // for clarify_user
	Limits Limits
}

// Limits are what a call shows. Zero stands for the value of the contract.
type Limits struct {
	SearchResults int // max_search_results_default, 20
	SearchCap     int // max_search_results_cap, 50
	SnippetLines  int // max_search_snippet_lines, 20
	ReadBytes     int // max_read_bytes_default, 65536
	ReadLines     int // max_read_lines_default, 800
	ReadCap       int // bytes that a call can ask for, 1048576
	Files         int // that a list shows, 1000
}

// DefaultLimits are those of the contract.
func DefaultLimits() Limits { return Limits{}.withDefaults() }

func (l Limits) withDefaults() Limits {
	for _, f := range []struct {
		limit    *int
		standard int
	}{
		{&l.SearchResults, 20}, {&l.SearchCap, 50}, {&l.SnippetLines, 20},
		{&l.ReadBytes, 64 << 10}, {&l.ReadLines, 800}, {&l.ReadCap, 1 << 20}, {&l.Files, 1000},
	} {
		if *f.limit <= 0 {
			*f.limit = f.standard
		}
	}
	return l
}

// set is what the tools share.
type set struct {
	desk   toolset.Desk
	ask    toolset.Ask
	limits Limits
	names  *names
}

// New returns the tools of the set over a desk, in their order. desk is asked for
// the desk of the current turn.
func New(desk toolset.Desk, o Options) ([]tool.Tool, error) {
	s := &set{desk: desk, ask: o.Ask, limits: o.Limits.withDefaults(), names: new(names)}
	return toolset.Make(s.searchProject, s.readFile, s.listFiles, s.clarifyUser, s.proposeEdits)
}

func (s *set) clarifyUser() (tool.Tool, error) {
	t, err := toolset.ClarifyUser(s.desk, s.ask, fail)
	if err != nil {
		return nil, err
	}
	return s.contract(t), nil
}

// description is the text of a tool for the model, with the limits in it.
func (s *set) description(text string) string {
	l := s.limits
	return strings.NewReplacer(
		"{{results}}", strconv.Itoa(l.SearchResults), "{{results_cap}}", strconv.Itoa(l.SearchCap), "{{snippet}}", strconv.Itoa(l.SnippetLines),
		"{{bytes}}", strconv.Itoa(l.ReadBytes), "{{lines}}", strconv.Itoa(l.ReadLines), "{{bytes_cap}}", strconv.Itoa(l.ReadCap), "{{files}}", strconv.Itoa(l.Files),
	).Replace(strings.TrimSpace(text))
}

// newTool makes a tool of this contract.
func newTool[Args any](s *set, info tool.Info, run func(context.Context, Args, tool.Update) (tool.Result, error)) (tool.Tool, error) {
	info.Description = s.description(info.Description)
	t, err := tool.New(info, run)
	if err != nil {
		return nil, err
	}
	return s.contract(t), nil
}
