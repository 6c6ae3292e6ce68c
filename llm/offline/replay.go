package offline

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"redline/llm"
)

// call is a call of a tool.
type call struct {
	name      string
	arguments any // a struct or map with the names of the tool's parameters
}

// key is the same for two calls that ask for the same.
func (c call) key() string {
	data, err := json.Marshal(c.arguments)
	if err != nil {
		return c.name
	}
	return keyOf(c.name, data)
}

// keyOf does not depend on the order of the arguments, which may have been
// written by others since.
func keyOf(name string, arguments []byte) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.UseNumber()
	if d.Decode(&v) == nil {
		if sorted, err := json.Marshal(v); err == nil {
			arguments = sorted
		}
	}
	return name + " " + string(arguments)
}

// result is what a tool answered.
type result struct {
	output string
	failed bool
}

// limits are how much of the tools one request may use, as the sessions of a
// toolset have it; 0 is no limit.
type limits struct {
	steps int // answers with calls, before the last words
	calls int // of any tool
	edits int // calls that change something
	reads int // documents that are read at once
}

// replay gives the calls of a plan the results that they had.
type replay struct {
	limits
	results map[string][]result // of the same call, in the order of the conversation
	tools   []string            // that are offered
	shell   string              // the description of bash, if that is

	stepped, called, changed int // so far
}

// wanted ends the run of a plan: it needs these calls to be made.
type wanted []call

// exhausted ends the run of a plan: it needs more steps than there are.
type exhausted struct{}

// newReplay takes the results behind the user's message.
func newReplay(messages []llm.Message, tools []llm.ToolSpec) *replay {
	r := &replay{results: map[string][]result{}}
	for _, t := range tools {
		r.tools = append(r.tools, t.Name)
		if t.Name == "bash" {
			r.shell = t.Description
		}
	}
	keys := map[string]string{}
	for _, m := range messages {
		for _, c := range m.ToolCalls() {
			keys[c.ID] = keyOf(c.Name, c.Arguments)
		}
		if t, ok := m.ToolResult(); ok {
			key := keys[t.CallID]
			r.results[key] = append(r.results[key], result{t.Output, t.IsError})
		}
	}
	return r
}

func (r *replay) offers(name string) bool { return slices.Contains(r.tools, name) }

// do makes calls that do not depend on each other, in one step. It returns when
// all of them have results.
func (r *replay) do(calls ...call) []result {
	if len(calls) == 0 {
		return nil
	}
	if r.steps > 0 && r.stepped >= r.steps || r.limits.calls > 0 && r.called+len(calls) > r.limits.calls {
		panic(exhausted{})
	}
	r.stepped++
	r.called += len(calls)
	var results []result
	var missing wanted
	again := false
	for _, c := range calls {
		key := c.key()
		if had := r.results[key]; len(had) > 0 && had[0].lost() && !r.changes(c.name) {
			r.results[key], again = had[1:], true // looking once more does no harm
		}
		if had := r.results[key]; len(had) > 0 {
			results = append(results, had[0])
			r.results[key] = had[1:]
			continue
		}
		missing = append(missing, c)
	}
	if again {
		r.stepped++
		r.called += len(calls)
	}
	if len(missing) > 0 {
		panic(missing)
	}
	return results
}

// lost tells whether a call has no result because its run was cut off.
func (r result) lost() bool { return r.failed && strings.HasPrefix(r.output, "No result: ") }

// changes tells whether a tool may change something.
func (r *replay) changes(tool string) bool {
	return !slices.Contains([]string{
		"list_documents", "search_documents", "read_document", "list_files", "search_project", "read_file", "read", llm.ClarifyTool,
	}, tool)
}

// room is how many more calls there may be, so many being kept for later.
func (r *replay) room(keep int) int {
	if r.limits.calls == 0 {
		return 1 << 30
	}
	return max(0, r.limits.calls-r.called-keep)
}

// changesLeft is how many more changing calls there may be.
func (r *replay) changesLeft() int {
	if r.edits == 0 {
		return 1 << 30
	}
	return max(0, r.edits-r.changed)
}
