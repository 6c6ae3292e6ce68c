package toolset

import (
	"fmt"
	"strings"

	"redline/internal/ops"
)

// Refusal is an error of a contract's own making, with what the table of errors
// suggests.
func Refusal(code ops.Code, path, format string, args ...any) *ops.Error {
	return &ops.Error{Code: code, Path: path, Message: fmt.Sprintf(format, args...), Suggestions: []string{ops.FactOf(code).Suggestion}}
}

// NearTitle is what stands above the text that an error shows.
func NearTitle(e *ops.Error) string {
	switch e.Code {
	case ops.Ambiguous:
		return "The first place in " + e.Near.Path + ":"
	case ops.Stale:
		return "The text in " + e.Near.Path + " as it is now:"
	}
	return "The closest text in " + e.Near.Path + ":"
}

// Words are a message and what is suggested, each a sentence.
func Words(message string, suggestions []string) string {
	if len(suggestions) == 0 {
		return message
	}
	return message + ". " + strings.Join(suggestions, " ")
}
