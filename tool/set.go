package tool

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"redline/llm"
)

// Set is an ordered collection of tools with different names. The zero Set is
// empty.
type Set struct {
	entries []entry
	byName  map[string]int
	refusal Refusal
}

// Refusal answers a call that cannot reach its tool: there is none of that name,
// its arguments are invalid, it came when ctx had ended already, or its checking
// crashed. The error says why; returned as it is, it is what the model reads. The
// arguments are as the model sent them and may be no JSON.
type Refusal func(ctx context.Context, call Call, err error) (Result, error)

type entry struct {
	tool    Tool
	spec    llm.ToolSpec
	prepare func(Call) (Call, error)
}

// NewSet puts tools together. It is an error if two have the same name, or one
// has a name or a schema that cannot be used.
func NewSet(tools ...Tool) (Set, error) {
	s := Set{byName: make(map[string]int, len(tools))}
	for i, t := range tools {
		if t == nil {
			return Set{}, fmt.Errorf("tool %d of the set is nil", i)
		}
		e, err := newEntry(t)
		if err != nil {
			return Set{}, fmt.Errorf("tool %q: %w", e.spec.Name, err)
		}
		if _, ok := s.byName[e.spec.Name]; ok {
			return Set{}, fmt.Errorf("two tools are called %q; rename one", e.spec.Name)
		}
		s.byName[e.spec.Name] = i
		s.entries = append(s.entries, e)
	}
	return s, nil
}

func newEntry(t Tool) (entry, error) {
	e := entry{tool: t, spec: t.Spec()}
	if err := checkName(e.spec.Name); err != nil {
		return e, err
	}
	if p, ok := As[preparer](t); ok {
		e.prepare = p.Prepare
		return e, nil
	}
	schema, err := compile(e.spec.Schema)
	if err != nil {
		return e, fmt.Errorf("the schema: %w", err)
	}
	if !slices.Equal(typesOf(schema.root), []string{"object"}) {
		return e, errors.New(`the schema must be of type "object"`)
	}
	e.prepare = schema.prepare
	return e, nil
}

// OnRefusal returns the set with another answer to calls that cannot reach their
// tool, and so no wrapper either: it may count them or keep an audit of them.
func (s Set) OnRefusal(answer Refusal) Set {
	s.refusal = answer
	return s
}

// Only returns the set with the tools that keep chooses.
func (s Set) Only(keep func(Tool) bool) Set {
	few := Set{byName: map[string]int{}, refusal: s.refusal}
	for _, e := range s.entries {
		if keep(e.tool) {
			few.byName[e.spec.Name] = len(few.entries)
			few.entries = append(few.entries, e)
		}
	}
	return few
}

// Len is the number of tools.
func (s Set) Len() int { return len(s.entries) }

// Tools returns the tools in order.
func (s Set) Tools() []Tool {
	list := make([]Tool, len(s.entries))
	for i, e := range s.entries {
		list[i] = e.tool
	}
	return list
}

// Specs returns what a model is told of the tools, in order.
func (s Set) Specs() []llm.ToolSpec {
	list := make([]llm.ToolSpec, len(s.entries))
	for i, e := range s.entries {
		list[i] = e.spec
	}
	return list
}

// Find returns the tool of that name, or an *UnknownError.
func (s Set) Find(name string) (Tool, error) {
	e, err := s.find(name)
	return e.tool, err
}

func (s Set) find(name string) (entry, error) {
	if i, ok := s.byName[name]; ok {
		return s.entries[i], nil
	}
	known := make([]string, len(s.entries))
	for i, e := range s.entries {
		known[i] = e.spec.Name
	}
	return entry{}, &UnknownError{Name: name, Known: known}
}

// UnknownError says that there is no such tool, and which there are.
type UnknownError struct {
	Name  string
	Known []string
}

func (e *UnknownError) Error() string {
	hint := meant(e.Name, e.Known)
	switch {
	case len(e.Known) == 0:
		hint = "; there are no tools"
	case hint == "":
		hint = "; the tools are " + quoteAll(e.Known)
	}
	return "unknown tool " + quote(e.Name) + hint
}
