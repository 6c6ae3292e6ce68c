package ops

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"redline/internal/ledger"
	"redline/internal/text"
	"redline/internal/workspace"
)

// Category sorts errors by who can do something about them.
type Category string

const (
	Validation Category = "validation" // the call is wrong; another one may be right
	Permission Category = "permission" // it is not allowed
	Conflict   Category = "conflict"   // something else is in the way; the user or a fresh look decides
	System     Category = "system"     // the machine failed
	Agent      Category = "agent"      // a limit of the run
)

// Code is the name of an error.
type Code string

// The codes of operations. Those of the folder and the ledger keep their names.
const (
	InvalidArgument  Code = "invalid_argument"
	InvalidPath      Code = Code(workspace.InvalidPath)
	PathTooLong      Code = Code(workspace.TooLong)
	NotFound         Code = Code(workspace.NotFound)
	IsDirectory      Code = Code(workspace.IsDirectory)
	NotDirectory     Code = Code(workspace.NotDirectory)
	NotRegular       Code = Code(workspace.NotRegular)
	IsLink           Code = Code(workspace.IsLink)
	DanglingLink     Code = Code(workspace.DanglingLink)
	UnsupportedFile  Code = Code(workspace.UnsupportedFile)
	InvalidRange     Code = "invalid_line_range"
	InvalidRegex     Code = "invalid_regex"
	InvalidGlob      Code = "invalid_glob"
	TextNotFound     Code = "text_not_found"
	Ambiguous        Code = "ambiguous_match"
	HeadingNotFound  Code = "heading_not_found"
	NoChange         Code = "no_change"
	Overlap          Code = "overlapping_edits"
	ContentRequired  Code = "content_required"
	ToolMessage      Code = "tool_message"
	UnknownTemplate  Code = "unknown_template"
	TooLarge         Code = "too_large"
	OutsideFolder    Code = Code(workspace.OutsideFolder)
	InternalPath     Code = Code(workspace.Internal)
	HiddenPath       Code = Code(workspace.Hidden)
	SensitivePath    Code = Code(workspace.Sensitive)
	SystemPath       Code = Code(workspace.SystemFile)
	PermissionDenied Code = Code(workspace.Permission)
	ReadOnly         Code = Code(workspace.ReadOnly)
	NeedsApproval    Code = "needs_approval"
	Denied           Code = Code(workspace.Ruled)
	NobodyToAsk      Code = "nobody_to_ask"
	AlreadyExists    Code = Code(workspace.Exists)
	Stale            Code = Code(ledger.Stale)
	Unseen           Code = "unseen"
	Conflicted       Code = Code(workspace.Conflict)
	NotEmpty         Code = Code(workspace.NotEmpty)
	Locked           Code = Code(workspace.Locked)
	ReviewPending    Code = Code(ledger.ReviewPending)
	TurnOver         Code = Code(ledger.TurnOver)
	NoSpace          Code = Code(workspace.NoSpace)
	IOError          Code = Code(workspace.Failed)
	TimedOut         Code = "timeout"
	LimitReached     Code = "limit_reached"
	RateLimited      Code = "rate_limited"
	Aborted          Code = "aborted"
	UnknownTool      Code = "unknown_tool"
	Crashed          Code = "crashed"
	Failed           Code = "failed"
)

// Fact is what is always true of an error code.
type Fact struct {
	Code        Code
	Category    Category
	Recoverable bool // the model can do something about it
	Meaning     string
	Suggestion  string // what to do next
}

// Facts is the table of all codes, in the order of docs/errors.md.
var Facts = []Fact{
	{InvalidArgument, Validation, true, "an argument makes no sense", "Correct the argument and call again."},
	{InvalidPath, Validation, true, "no file here can have this name", "Use a path relative to the folder, with forward slashes, without control characters."},
	{PathTooLong, Validation, true, "the path or a part of it is too long", "Use a shorter name: at most 255 bytes for each part."},
	{NotFound, Validation, true, "there is no such document or folder", "List or search to find the right path."},
	{IsDirectory, Validation, true, "the path is a folder, not a document", "Name a document in it, or use a tool for folders."},
	{NotDirectory, Validation, true, "the path is a document, not a folder", "Name a folder."},
	{NotRegular, Validation, false, "the path is a device, pipe or socket", "Choose an ordinary document."},
	{IsLink, Validation, true, "the path is a symbolic link", "Use the path that the link leads to."},
	{DanglingLink, Validation, true, "the path is a link to nothing", "Use the path of an existing document."},
	{UnsupportedFile, Validation, false, "the file is binary or not UTF-8", "Leave it alone; only text can be read and changed."},
	{InvalidRange, Validation, true, "the line numbers are outside of the document", "Read the document again and use its line numbers."},
	{InvalidRegex, Validation, true, "the regular expression cannot be understood", "Correct the expression, or search for the text literally."},
	{InvalidGlob, Validation, true, "the pattern for paths cannot be understood", "Use a pattern such as **/*.md."},
	{TextNotFound, Validation, true, "the text to replace is not in the document", "Compare with the closest text shown, or read the document again."},
	{Ambiguous, Validation, true, "the text to replace is there more than once", "Give more of the surrounding text, or ask for all occurrences to be replaced."},
	{HeadingNotFound, Validation, true, "there is no such heading in the document", "Use one of the headings listed."},
	{NoChange, Validation, true, "the edit would change nothing", "Check whether the change has been made already."},
	{Overlap, Validation, true, "two edits of one call touch the same lines", "Make one edit of them."},
	{ContentRequired, Validation, true, "there is nothing to write", "Give the content."},
	{ToolMessage, Validation, true, "the content is a message of a tool, not text of the document", "Send the text that the document shall have."},
	{UnknownTemplate, Validation, true, "there is no such template", "Use one of the templates listed."},
	{TooLarge, Validation, true, "the file is too large for this", "Read it in parts."},
	{OutsideFolder, Permission, false, "the path leads out of the folder", "Stay inside of the folder."},
	{InternalPath, Permission, false, "the path belongs to Redline or git", "Leave it alone."},
	{HiddenPath, Permission, false, "hidden files are closed", "Leave it alone, or ask the user to open it in the configuration."},
	{SensitivePath, Permission, false, "the name looks like a secret", "Leave it alone, or ask the user to open it in the configuration."},
	{SystemPath, Permission, false, "the file belongs to the operating system", "Leave it alone."},
	{PermissionDenied, Permission, false, "the system does not allow it", "Tell the user that the file is read-only or not theirs."},
	{ReadOnly, Permission, false, "the disk is read-only", "Tell the user."},
	{NeedsApproval, Permission, true, "the user has to agree first", "Ask the user, or choose another way."},
	{Denied, Permission, true, "the user or a rule said no", "Do not try again; choose another way or ask what is wanted instead."},
	{NobodyToAsk, Permission, true, "there is no user who could answer", "Decide as you think best, and say what you assumed."},
	{AlreadyExists, Conflict, true, "something is there already", "Choose another name, edit the existing document, or ask the user whether to overwrite it."},
	{Stale, Conflict, true, "the document has changed since it was read", "Read it again and make the edit on the current text."},
	{Unseen, Conflict, true, "the document has not been read completely, so it must not be replaced as a whole", "Read all of it first, or edit only the part that shall change."},
	{Conflicted, Conflict, true, "another change is in the way", "Read the document again."},
	{NotEmpty, Conflict, true, "the folder has something in it", "Move or delete what is in it first."},
	{Locked, Conflict, true, "another program is writing", "Try again in a moment."},
	{ReviewPending, Conflict, false, "earlier changes wait for a decision", "Ask the user to accept or reject them first."},
	{TurnOver, Agent, false, "the turn has ended", "Begin a new request."},
	{NoSpace, System, false, "the disk is full", "Tell the user; nothing was written."},
	{IOError, System, false, "the system reports a failure", "Tell the user what happened."},
	{TimedOut, System, true, "it took too long", "Do less in one call."},
	{LimitReached, Agent, false, "a limit of this request is reached", "Sum up what was done and what is left."},
	{RateLimited, Agent, true, "too many destructive calls in a short time", "Wait, or sum up what was done and what is left."},
	{Aborted, Agent, false, "the user aborted the run", "Stop."},
	{UnknownTool, Validation, true, "there is no tool of this name", "Use one of the tools that are offered."},
	{Crashed, System, false, "the tool broke down, which is a fault of Redline", "Tell the user; check what was done before going on."},
	{Failed, System, false, "the tool failed without saying more", "Tell the user what happened."},
}

// FactOf returns what is known of a code.
func FactOf(c Code) Fact {
	for _, f := range Facts {
		if f.Code == c {
			return f
		}
	}
	return Fact{Code: c, Category: System, Meaning: string(c)}
}

// Error is the failure of an operation: one type for all tools, which write it
// in the shape of their contract.
type Error struct {
	Code        Code
	Message     string
	Path        string   // as the caller gave it
	Suggestions []string // the table's first, then what fits this case
	Details     any      // for programs
	Near        *Near    // the closest real text, if that helps
	Edit        int      // of several edits, the one that is meant, counted from 1; 0: that cannot be said
	cause       error
}

// Near is a piece of a document as it is now.
type Near struct {
	Path      string    `json:"path"`
	StartLine int       `json:"start_line"` // counted from 1
	EndLine   int       `json:"end_line"`
	Text      string    `json:"text"`
	Token     text.Hash `json:"token"` // of the whole document
}

// Numbered is the piece with its line numbers.
func (n *Near) Numbered() string {
	var b strings.Builder
	i := n.StartLine
	for line := range strings.Lines(n.Text) {
		fmt.Fprintf(&b, "%6d\t%s\n", i, strings.TrimRight(line, "\r\n"))
		i++
	}
	return b.String()
}

func (e *Error) Error() string      { return e.Message }
func (e *Error) Unwrap() error      { return e.cause }
func (e *Error) Category() Category { return FactOf(e.Code).Category }

// Grave tells that the machine failed while it wrote, so that what was done before
// is better taken back.
func (e *Error) Grave() bool       { return e.Code == NoSpace || e.Code == IOError }
func (e *Error) Recoverable() bool { return FactOf(e.Code).Recoverable }

// errorf makes an error of the table. Hints come after the table's suggestion.
func errorf(c Code, path string, format string, args ...any) *Error {
	return &Error{Code: c, Path: path, Message: fmt.Sprintf(format, args...), Suggestions: []string{FactOf(c).Suggestion}}
}

func (e *Error) hint(hints ...string) *Error {
	e.Suggestions = append(e.Suggestions, hints...)
	return e
}

// AsError makes an error of an operation of any error.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	e := errorf(codeOf(err), pathOf(err), "%s", err.Error())
	e.cause = err
	var stale *ledger.StaleError
	if errors.As(err, &stale) && stale.Current != nil && e.Path == "" {
		e.Path = stale.Current.Path.String()
	}
	return e
}

func pathOf(err error) string {
	var w *workspace.Error
	if errors.As(err, &w) {
		return w.Path
	}
	return ""
}

func codeOf(err error) Code {
	var stale *ledger.StaleError
	switch {
	case errors.As(err, &stale):
		return Stale
	case errors.Is(err, context.Canceled):
		return Aborted
	case errors.Is(err, context.DeadlineExceeded):
		return TimedOut
	case workspace.Asks(err):
		return NeedsApproval
	}
	if c := workspace.CodeOf(err); c != "" {
		return Code(c)
	}
	if c := ledger.CodeOf(err); c != "" {
		return Code(c)
	}
	for _, known := range []struct {
		err  error
		code Code
	}{
		{text.ErrRange, InvalidRange}, {text.ErrOverlap, Overlap}, {text.ErrNotFound, TextNotFound}, {text.ErrAmbiguous, Ambiguous},
		{text.ErrNoChange, NoChange}, {text.ErrEmpty, ContentRequired}, {text.ErrBinary, UnsupportedFile}, {text.ErrEncoding, UnsupportedFile},
	} {
		if errors.Is(err, known.err) {
			return known.code
		}
	}
	return IOError
}
