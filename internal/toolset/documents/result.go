package documents

import (
	"fmt"
	"strings"

	"redline/internal/ops"
	"redline/tool"
)

// ActionResult is the details of every result of these tools.
type ActionResult struct {
	Success bool         `json:"success"`
	Action  string       `json:"action"`         // the tool
	Path    string       `json:"path,omitempty"` // what it was about
	Error   *ActionError `json:"error,omitempty"`
	Result  any          `json:"result,omitempty"` // of a failed call: what was done all the same
}

// ActionError is why a call failed.
type ActionError struct {
	Code        ops.Code     `json:"code"`
	Message     string       `json:"message"`
	Recoverable bool         `json:"recoverable"` // the model can do something about it
	Suggestions []string     `json:"suggestions,omitempty"`
	Category    ops.Category `json:"category"`
	Near        *ops.Near    `json:"near,omitempty"` // the closest real text
	Details     any          `json:"details,omitempty"`
}

// action is a call that runs: what its result will say of it.
type action struct {
	desk *ops.Desk
	name string
	path string
}

// done is the result of a call that succeeded. The words are told, not read: they
// must not come back as content.
func (a action) done(result any, format string, args ...any) tool.Result {
	return a.shown(result, a.desk.Tell(fmt.Sprintf("Done: "+format, args...)))
}

// shown is the result of a call that succeeded, with text of documents in it.
func (a action) shown(result any, output string) tool.Result {
	return tool.Result{Output: output, Details: ActionResult{Success: true, Action: a.name, Path: a.path, Result: result}}
}

// failure is the error of a call: the words for the model, with its details.
type failure struct {
	ActionResult
	words string
	cause error
}

func (f *failure) Error() string { return f.words }
func (f *failure) Details() any  { return f.ActionResult }
func (f *failure) Unwrap() error { return f.cause }

// advice takes the place of what the table of errors suggests, where these tools
// have something better to say.
var advice = map[ops.Code]string{
	ops.NotFound:     "Use list_documents or search_documents to find the right path.",
	ops.IsDirectory:  "Use list_documents to see what is in it.",
	ops.InvalidRange: "Use read_document and count its lines from 1.",
	ops.Stale:        "Use read_document again and make the edit on the current text.",
	ops.Unseen:       "Use read_document first and then replace; or change only a part of it: append, prepend or insert.",
	ops.ToolMessage:  "Send the text that the document shall have, without what tools said about it.",
}

// fail is the error of a call. result, if not nil, is what was done all the same.
func (a action) fail(err error, result any) error {
	e := ops.AsError(err)
	if e.Code == ops.Aborted || e.Code == ops.TimedOut {
		return err // the one who ended the context has the words for it
	}
	if e.Path != "" {
		a.path = e.Path
	}
	f := &failure{cause: err, ActionResult: ActionResult{Action: a.name, Path: a.path, Result: result, Error: &ActionError{
		Code: e.Code, Message: e.Message, Recoverable: e.Recoverable(), Suggestions: suggestions(e),
		Category: e.Category(), Near: e.Near, Details: e.Details,
	}}}
	f.words = a.desk.Tell(fmt.Sprintf("Error (%s): %s", e.Code, sentence(e.Message)))
	if e.Near != nil && e.Near.Text != "" {
		f.words += fmt.Sprintf("\nLines %d to %d of %s are now:\n%s", e.Near.StartLine, e.Near.EndLine, e.Near.Path, strings.TrimRight(e.Near.Numbered(), "\n"))
	}
	for _, hint := range f.ActionResult.Error.Suggestions {
		f.words += "\n" + a.desk.Tell("- "+hint)
	}
	return f
}

func suggestions(e *ops.Error) []string {
	list := e.Suggestions
	if better := advice[e.Code]; better != "" && len(list) > 0 && list[0] == ops.FactOf(e.Code).Suggestion {
		list = append([]string{better}, list[1:]...)
	}
	return list
}

// refusal is an error of this package's own making; hints come behind what the
// table suggests.
func refusal(code ops.Code, path, message string, hints ...string) *ops.Error {
	return &ops.Error{Code: code, Path: path, Message: message, Suggestions: append([]string{ops.FactOf(code).Suggestion}, hints...)}
}

// sentence puts a full stop behind a message that has none.
func sentence(s string) string {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

// count is a number with its noun, which is regular.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// named lists paths in a sentence, not more than a reader wants.
func named(paths []string) string {
	if len(paths) <= maxNamed {
		return strings.Join(paths, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(paths[:maxNamed], ", "), len(paths)-maxNamed)
}
