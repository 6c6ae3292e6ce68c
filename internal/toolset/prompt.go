// Package toolset has what the tool contracts share.
package toolset

import (
	"strconv"
	"strings"
	"text/template"
	"time"
	"unicode"
)

// Facts are what a system prompt tells of the world.
type Facts struct {
	Folder    string    // its name
	Date      time.Time // today, where the user is
	Open      string    // the path of the document that the user has open; "" if none
	Decisions []string  // what the user decided since the last turn, a sentence each
}

// Fill fills in the prompt of a toolset. Names are quoted and everything is kept
// to one line, so that no name can add to what the prompt says.
func Fill(prompt string, f Facts) (string, error) {
	t, err := template.New("prompt.md").Parse(prompt)
	if err != nil {
		return "", err
	}
	fill := struct {
		Folder, Date, Open string
		Decisions          []string
	}{Folder: strconv.Quote(f.Folder), Date: f.Date.Format("Monday, 2 January 2006")}
	if f.Open != "" {
		fill.Open = strconv.Quote(f.Open)
	}
	for _, d := range f.Decisions {
		fill.Decisions = append(fill.Decisions, oneLine(d))
	}
	var b strings.Builder
	err = t.Execute(&b, fill)
	return b.String(), err
}

// oneLine puts a blank in the place of whatever would begin a new line.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	}), " ")
}
