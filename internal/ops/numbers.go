package ops

import (
	"regexp"
	"strings"

	"redline/internal/ledger"
	"redline/internal/text"
)

// lineNumber is how tools show the number of a line before its text.
var lineNumber = regexp.MustCompile(`^ *[0-9]+(\t|  |$)`)

// Unnumber takes the numbers off a text whose lines all begin with one, as tools
// show them. ok is false if there is a line without.
func Unnumber(s string) (plain string, ok bool) {
	var b strings.Builder
	for line := range strings.Lines(s) {
		body := strings.TrimRight(line, "\r\n")
		number := lineNumber.FindString(body)
		if number == "" {
			return "", false
		}
		b.WriteString(line[len(number):])
	}
	return b.String(), b.Len() > 0
}

// pasted is the error for a text that is in the document but for the line numbers
// that were copied along, or nil.
func pasted(name string, now *ledger.Snapshot, doc *text.Document, old string) *Error {
	plain, ok := Unnumber(old)
	if !ok || strings.TrimSpace(plain) == "" {
		return nil
	}
	found := doc.Find([]byte(plain))
	if len(found) == 0 {
		return nil
	}
	e := errorf(TextNotFound, name, "the text is in %s only without the line numbers before its lines", name)
	e.Suggestions = []string{"Line numbers are not part of the document: leave them, and the blanks behind them, out and call again."}
	e.Near = piece(now, doc, doc.LineAt(found[0].Start), doc.LineAt(found[0].End-1)+1)
	return e
}
