package project

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"redline/internal/ops"
	"redline/internal/toolset"
	"redline/tool"
)

// contract gives the arguments that a tool refuses the shape of this contract.
func (s *set) contract(t tool.Tool) toolset.Contract {
	return toolset.Contract{Tool: t, Invalid: func(invalid *tool.InvalidError) error {
		return invalidArguments(s.desk(context.Background()), invalid)
	}}
}

// changing is a tool that changes files, and can say beforehand which.
type changing struct {
	toolset.Contract
	set *set
}

// Touches lists the files that a call would change. A path that is closed is told
// as it was given: the call will refuse it and say why.
func (c changing) Touches(ctx context.Context, call tool.Call) ([]string, error) {
	names, err := editedPaths(call)
	if err != nil {
		return nil, err
	}
	ctx, desk := c.set.desk.At(ctx)
	var paths []string
	for _, name := range names {
		if info, err := desk.Stat(ctx, name); err == nil {
			name = info.Path
		}
		if !slices.Contains(paths, name) {
			paths = append(paths, name)
		}
	}
	return paths, nil
}

// Asks tells whether the user has to agree to the change of one of the files.
func (c changing) Asks(call tool.Call) bool {
	names, err := editedPaths(call)
	return err == nil && slices.ContainsFunc(names, c.set.desk(context.Background()).Asks)
}

func editedPaths(call tool.Call) ([]string, error) {
	var args struct {
		Edits []struct {
			FilePath string `json:"file_path"`
		} `json:"edits"`
	}
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return nil, err
	}
	var names []string
	for _, e := range args.Edits {
		names = append(names, e.FilePath)
	}
	return names, nil
}

// failure is the error object of the contract.
type failure struct {
	Code        ops.Code     `json:"code"`
	Category    ops.Category `json:"category"`
	Message     string       `json:"message"`
	Recoverable bool         `json:"recoverable"` // the model can do something about it
	FilePath    string       `json:"file_path,omitempty"`
	Suggestions []string     `json:"suggestions,omitempty"`
	Near        *near        `json:"near,omitempty"`
	Details     any          `json:"details,omitempty"`
	// Problems are those of the edits of a proposal, or of the arguments.
	Problems any `json:"problems,omitempty"`
	// Files are what was changed all the same.
	Files []changedFile `json:"files,omitempty"`
}

// near is a piece of a file as it is now, in the words of read_file.
type near struct {
	FilePath     string `json:"file_path"`
	Content      string `json:"content"`
	StartLine    int    `json:"start_line"`
	EndLine      int    `json:"end_line"`
	BaseFileHash string `json:"base_file_hash"`
}

// refused is a failed call: the words for the model, and the error object.
type refused struct {
	failure
	words string
	cause error
}

func (r *refused) Error() string { return r.words }
func (r *refused) Details() any  { return r.failure }
func (r *refused) Unwrap() error { return r.cause }

// advice takes the place of what the table of errors suggests, where these tools
// have something better to say.
var advice = map[ops.Code]string{
	ops.NotFound:     "Use list_files or search_project to find the right path.",
	ops.IsDirectory:  "Use list_files to see what is in it.",
	ops.InvalidRange: "Use read_file and its line numbers.",
	ops.Stale:        "Use read_file again and make the edit on the current lines.",
	ops.TooLarge:     "Use read_file with start_line and end_line to read it in parts.",
	ops.ToolMessage:  "Send the text that the file shall have, without what tools said about it.",
}

// failureOf is an error in the words of the contract, where a hash that does not
// fit is a conflict.
func failureOf(e *ops.Error) failure {
	f := failure{
		Code: e.Code, Category: e.Category(), Message: e.Message, Recoverable: e.Recoverable(),
		FilePath: e.Path, Suggestions: e.Suggestions, Details: e.Details,
	}
	if better := advice[e.Code]; better != "" && len(f.Suggestions) > 0 && f.Suggestions[0] == ops.FactOf(e.Code).Suggestion {
		f.Suggestions = append([]string{better}, f.Suggestions[1:]...)
	}
	switch e.Code {
	case ops.Stale:
		f.Code = ops.Conflicted
	case ops.InvalidGlob:
		f.FilePath = "" // it is the pattern
	}
	if n := e.Near; n != nil && n.Text != "" {
		f.Near = &near{n.Path, n.Text, n.StartLine, n.EndLine, n.Token.String()}
	}
	return f
}

// fail is the error of a call. Its words are no text of a file: the desk remembers
// them, so that they cannot come back as content.
func fail(desk *ops.Desk, err error) error {
	e := ops.AsError(err)
	if e.Code == ops.Aborted || e.Code == ops.TimedOut {
		return err // the one who ended the context has the words for it
	}
	r := &refused{failure: failureOf(e), cause: err}
	r.words = desk.Tell("Error ("+string(r.Code)+"): "+sentence(r.Message)) + hints(desk, "\n", r.Suggestions) + closest(desk, e.Near)
	return r
}

// refusal is an error of this package's own making.
func refusal(code ops.Code, path, format string, args ...any) *ops.Error {
	return &ops.Error{Code: code, Path: path, Message: fmt.Sprintf(format, args...), Suggestions: []string{ops.FactOf(code).Suggestion}}
}

// hints are what is suggested, a line each.
func hints(desk *ops.Desk, before string, suggestions []string) string {
	words := ""
	for _, s := range suggestions {
		words += before + desk.Tell("- "+s)
	}
	return words
}

// closest shows a piece of a file as it is now.
func closest(desk *ops.Desk, n *ops.Near) string {
	if n == nil || n.Text == "" {
		return ""
	}
	title := desk.Tell(n.Path + ", " + lines(n.StartLine, n.EndLine) + ", as it is now (base_file_hash " + n.Token.String() + "):")
	return "\n" + title + "\n" + n.Numbered()
}

// invalidArguments is the error of a call whose arguments are wrong.
func invalidArguments(desk *ops.Desk, err *tool.InvalidError) error {
	fact := ops.FactOf(ops.InvalidArgument)
	for line := range strings.Lines(err.Error()) {
		desk.Tell(line) // each by itself, since a part of the words is as bad
	}
	return &refused{words: err.Error(), cause: err, failure: failure{
		Code: fact.Code, Category: fact.Category, Message: err.Error(), Recoverable: fact.Recoverable,
		Suggestions: []string{fact.Suggestion}, Problems: err.Problems,
	}}
}
