package vault

import (
	"fmt"
	"strings"

	"redline/internal/ops"
	"redline/internal/toolset"
	"redline/tool"
)

// failure is an error in the shape of this contract: a text for the model that begins
// with "Error:", and these details for programs.
type failure struct {
	Code        ops.Code     `json:"code"`
	Category    ops.Category `json:"category"`
	Message     string       `json:"message"`
	Recoverable bool         `json:"recoverable"`
	Suggestions []string     `json:"suggestions,omitempty"`
	Path        string       `json:"path,omitempty"`
	Edit        int          `json:"edit,omitempty"` // of edit_file: which edit is meant, counted from 1
	Near        *near        `json:"near,omitempty"`
	More        any          `json:"details,omitempty"`
	output      string
	cause       error
}

// near is a piece of the file as it is now.
type near struct {
	StartLine int    `json:"startLine"` // counted from 1
	EndLine   int    `json:"endLine"`
	Text      string `json:"text"`
}

func (f *failure) Error() string { return f.output }
func (f *failure) Unwrap() error { return f.cause }
func (f *failure) Details() any  { return f }

// advice takes the place of what the table of errors suggests, where this set of
// tools has something better to say.
var advice = map[ops.Code]string{
	ops.NotFound:        "Find the right path with list_files, or with bash: find . -iname '*word*'.",
	ops.IsDirectory:     "List it with list_files.",
	ops.NotDirectory:    "Name a folder, or a path that does not lead through a file.",
	ops.UnsupportedFile: "Only text in UTF-8 can be read and written.",
	ops.InvalidRange:    "Use the line numbers that read_file shows.",
	ops.ToolMessage:     "Send the text that the file shall have, without what tools said about it.",
	ops.TextNotFound:    "old_text has to match exactly, with its blanks and line ends. Compare with the closest text, or read the file again.",
	ops.Ambiguous:       "Give more of the surrounding text, so that it is found once, or set replace_all to true.",
	ops.Unseen:          "To replace a file as a whole, read all of it first. To change a part of it, use edit_file.",
	ops.Stale:           "Read the file again and work on its current text.",
}

// fail makes the error of a call. Its words, which are no text of a file, must not
// come back as content: the desk remembers them.
func fail(desk *ops.Desk, err error) error {
	if ended := toolset.Ended(err); ended != nil {
		return ended
	}
	e := ops.AsError(err)
	f := failureOf(e)
	f.cause = err
	f.output = desk.Tell("Error: " + toolset.Words(f.Message, f.Suggestions))
	if e.Near != nil {
		f.Near = &near{e.Near.StartLine, e.Near.EndLine, e.Near.Text}
		f.output += "\n\n" + toolset.NearTitle(e) + "\n" + strings.TrimSuffix(e.Near.Numbered(), "\n")
	}
	return f
}

// failureOf is an error without its output.
func failureOf(e *ops.Error) *failure {
	f := &failure{
		Code: e.Code, Category: e.Category(), Message: e.Message, Recoverable: e.Recoverable(),
		Suggestions: toolset.Advised(e, advice), Path: e.Path, Edit: e.Edit, More: e.Details,
	}
	if e.Edit > 0 {
		f.Message = fmt.Sprintf("edit %d: %s; none of the edits was made", e.Edit, e.Message)
	}
	return f
}

// done is a result whose words are told, not read.
func done(desk *ops.Desk, details any, format string, args ...any) tool.Result {
	return tool.Result{Output: desk.Tell(fmt.Sprintf(format, args...)), Details: details}
}
