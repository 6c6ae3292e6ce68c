package toolset

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// Ended is the error of a context that has ended, if that is what err is, and nil
// otherwise: package tool has the words for it.
func Ended(err error) error {
	for _, ended := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, ended) {
			return ended
		}
	}
	return nil
}

// Advised is what an error suggests, with the advice of a contract in the place of what
// the table of errors says.
func Advised(e *ops.Error, advice map[ops.Code]string) []string {
	suggestions := slices.Clone(e.Suggestions)
	if better := advice[e.Code]; better != "" && len(suggestions) > 0 && suggestions[0] == ops.FactOf(e.Code).Suggestion {
		suggestions[0] = better
	}
	return suggestions
}
