package coding

import (
	"fmt"

	"redline/internal/ops"
	"redline/internal/toolset"
	"redline/tool"
)

// failure is an error in the shape of this contract: a text for the model that
// begins with "Error:", and these details for programs.
type failure struct {
	Code        ops.Code     `json:"code"`
	Category    ops.Category `json:"category"`
	Message     string       `json:"message"`
	Recoverable bool         `json:"recoverable"`
	Suggestions []string     `json:"suggestions,omitempty"`
	FilePath    string       `json:"filePath,omitempty"`
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
	Token     string `json:"token"` // of the whole file
}

func (f *failure) Error() string { return f.output }
func (f *failure) Unwrap() error { return f.cause }
func (f *failure) Details() any  { return f }

// advice takes the place of what the table of errors suggests, where this set of
// tools has something better to say.
var advice = map[ops.Code]string{
	ops.NotFound:        "Find the right path with bash: ls, find or grep -rl.",
	ops.IsDirectory:     "List it with bash: ls.",
	ops.NotDirectory:    "Choose a path that does not lead through a file.",
	ops.DanglingLink:    "Use the path of an existing file.",
	ops.UnsupportedFile: "Only text in UTF-8 can be read and written; for anything else use bash.",
	ops.InvalidRange:    "Use an offset inside of the file.",
	ops.ToolMessage:     "Send the text that the file shall have.",
	ops.TextNotFound:    "old_string has to match exactly, with its blanks, indentation and line ends. Compare with the closest text, or read the file again.",
	ops.Ambiguous:       "Give more of the surrounding text, so that it is found once, or set replace_all to true.",
	ops.Unseen:          "To replace a file as a whole, read all of it first. To change a part of it, use edit.",
	ops.Stale:           "Read the file again and work on its current text.",
	ops.OutsideFolder:   "Stay inside of the folder.",
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
		f.Near = &near{e.Near.StartLine, e.Near.EndLine, e.Near.Text, e.Near.Token.String()}
		shown, _ := numbered(desk, e.Near.Text, e.Near.StartLine)
		f.output += "\n\n" + toolset.NearTitle(e) + "\n" + shown
	}
	return f
}

// failureOf is an error without its output.
func failureOf(e *ops.Error) *failure {
	return &failure{
		Code: e.Code, Category: e.Category(), Message: e.Message, Recoverable: e.Recoverable(),
		Suggestions: toolset.Advised(e, advice), FilePath: e.Path, More: e.Details,
	}
}

// count is a number with its noun, which is regular.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// done is a result whose words are told, not read.
func done(desk *ops.Desk, details any, format string, args ...any) tool.Result {
	return tool.Result{Output: desk.Tell(fmt.Sprintf(format, args...)), Details: details}
}
