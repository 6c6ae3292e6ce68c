// Package toolset has what the tool contracts share.
package toolset

import (
	"strconv"
	"strings"
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

// Fill fills in the prompt of a toolset: {{folder}} and {{date}}, and {{open}} and
// {{decision}}, whose paragraphs and lines are there only if there is something to
// tell. A line with {{decision}} comes once for each. Names are quoted and
// everything is kept to one line, so that no name can add to what the prompt says.
func Fill(prompt string, f Facts) string {
	var paragraphs []string
	for paragraph := range strings.SplitSeq(prompt, "\n\n") {
		if len(f.Decisions) == 0 && strings.Contains(paragraph, "{{decision}}") {
			continue
		}
		var lines []string
		for line := range strings.SplitSeq(paragraph, "\n") {
			lines = append(lines, fillLine(line, f)...)
		}
		paragraphs = append(paragraphs, strings.Join(lines, "\n"))
	}
	return strings.Join(paragraphs, "\n\n")
}

// fillLine makes one line, several or none.
func fillLine(line string, f Facts) []string {
	switch {
	case strings.Contains(line, "{{decision}}"):
		var lines []string
		for _, d := range f.Decisions {
			lines = append(lines, strings.Replace(line, "{{decision}}", oneLine(d), 1))
		}
		return lines
	case f.Open == "" && strings.Contains(line, "{{open}}"):
		return nil
	}
	return []string{strings.NewReplacer(
		"{{folder}}", strconv.Quote(f.Folder), "{{date}}", f.Date.Format("Monday, 2 January 2006"), "{{open}}", strconv.Quote(f.Open),
	).Replace(line)}
}

// oneLine puts a blank in the place of whatever would begin a new line.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	}), " ")
}
