package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"redline/tool"
)

// Asker asks the user whether a call may run, and waits for the answer as long as
// ctx lasts. One that finds nobody returns ErrNobody.
type Asker interface {
	Ask(ctx context.Context, r Request) (Answer, error)
}

// Answer is what the user said. The zero Answer denies.
type Answer struct {
	Approve   bool
	Arguments json.RawMessage // if approved: run with these instead; nil: as they are
}

// ErrNobody: there is nobody who could be asked.
var ErrNobody = errors.New("nobody can be asked")

// Unattended is what a run says that ends because a call needed approval and
// there was nobody to ask.
const Unattended = "Action refused: it needs approval, and nobody can be asked."

// Why is the reason why the user is asked.
type Why string

// The reasons.
const (
	Destructive Why = "destructive" // it destroys what cannot easily be brought back
	Bulk        Why = "bulk"        // it changes many files at once
	Policy      Why = "policy"      // the path policy wants it, as for hidden files
	ByRule      Why = "rule"        // a rule says so
)

// Request is a call that the user is asked about.
type Request struct {
	Call  tool.Call
	Label string // the tool's name for people
	Why   Why
	Rule  Rule     // of ByRule
	Files []string // all that it would change; nil if the tool cannot tell
}

// first is how many of many files are shown.
const first = 4

// Shown returns the files to show first, and how many more there are. Of more
// than one there is never a single one left out.
func (r Request) Shown() (files []string, more int) {
	if len(r.Files) <= first+1 {
		return r.Files, 0
	}
	return r.Files[:first], len(r.Files) - first
}

// Text is the question without its answers, on several lines, safe to print:
//
//	Delete Document: 8 files
//	• Meeting Notes - Jan 15, 2023.md
//	• …
//	• ... and 4 more
//	This action cannot be easily undone.
func (r Request) Text() string {
	var b strings.Builder
	b.WriteString(display(r.Label))
	switch len(r.Files) {
	case 0: // the arguments are all there is to see
		b.WriteString(" " + display(string(r.Call.Arguments)))
	case 1:
		b.WriteString(": 1 file")
	default:
		fmt.Fprintf(&b, ": %d files", len(r.Files))
	}
	files, more := r.Shown()
	for _, f := range files {
		b.WriteString("\n• " + display(f))
	}
	if more > 0 {
		fmt.Fprintf(&b, "\n• ... and %d more", more)
	}
	return b.String() + "\n" + r.reason()
}

func (r Request) reason() string {
	switch r.Why {
	case Destructive:
		return "This action cannot be easily undone."
	case Bulk:
		return "It changes many files at once."
	case Policy:
		return "It changes what is changed only with your approval."
	}
	if r.Rule.Verdict == Deny { // for some paths, and the tool cannot tell its own
		return "It may change what a rule closes: " + r.Rule.String() + "."
	}
	return "A rule asks first: " + r.Rule.String() + "."
}

// display writes a text of unknown origin on one line: characters that would move
// the cursor or turn the reading direction are escaped, and of a long text the
// beginning stays.
func display(s string) string {
	const most = 300 // bytes
	var b strings.Builder
	for _, r := range s {
		switch {
		case b.Len() > most:
			return b.String() + "…"
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029', r == utf8.RuneError:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
