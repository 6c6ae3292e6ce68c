package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
	Approve   bool                       // of the call and those with it
	Arguments json.RawMessage            // if approved: run with these instead; nil: as they are
	Others    map[string]json.RawMessage // the same for any call of the request, by its id
}

// of is the answer as it is for one call.
func (a Answer) of(call string) Answer {
	if changed, ok := a.Others[call]; ok {
		a.Arguments = changed
	}
	return a
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
	Rule  Rule      // of ByRule
	Files []string  // all that it would change; nil if the tool cannot tell
	With  []Request // calls of the same answer that are asked about together with it
}

// All is the files of the call and of those with it, each once.
func (r Request) All() []string {
	if len(r.With) == 0 {
		return r.Files
	}
	files := slices.Clone(r.Files)
	for _, other := range r.With {
		files = append(files, other.Files...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// first is how many of many files are shown.
const first = 4

// Shown returns the files to show first, and how many more there are. Of more
// than one there is never a single one left out.
func (r Request) Shown() (files []string, more int) {
	files = r.All()
	if len(files) <= first+1 {
		return files, 0
	}
	return files[:first], len(files) - first
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
	b.WriteString(r.title())
	for _, each := range append([]Request{r}, r.With...) {
		if len(each.Files) == 0 && len(r.With) > 0 {
			b.WriteString("\n• " + display(string(each.Call.Arguments)))
		}
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

// title is what would be done, and to how many files.
func (r Request) title() string {
	labels := []string{display(r.Label)}
	for _, other := range r.With {
		if l := display(other.Label); !slices.Contains(labels, l) {
			labels = append(labels, l)
		}
	}
	title := strings.Join(labels, ", ")
	switch n := len(r.All()); {
	case n == 0 && len(r.With) == 0: // the arguments are all there is to see
		return title + " " + display(string(r.Call.Arguments))
	case n == 0:
		return title
	case n == 1:
		return title + ": 1 file"
	default:
		return fmt.Sprintf("%s: %d files", title, n)
	}
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
