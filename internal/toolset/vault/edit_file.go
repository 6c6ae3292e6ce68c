package vault

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"redline/internal/ops"
	"redline/internal/toolset"
	"redline/tool"
)

//go:embed edit_file.md
var editFileText string

type editFileArgs struct {
	Path  string `json:"path" jsonschema:"path of the file, from the top of the vault" min:"1"`
	Edits []edit `json:"edits" jsonschema:"the edits; all of them are made, or none" min:"1" max:"200"`
}

// edit is a replacement or an insertion.
type edit struct {
	OldText    *string `json:"old_text,omitempty" jsonschema:"of a replacement: the exact text to find"`
	NewText    *string `json:"new_text,omitempty" jsonschema:"of a replacement: what takes its place; empty to delete it"`
	ReplaceAll bool    `json:"replace_all,omitempty" jsonschema:"of a replacement: every occurrence, not just one"`
	InsertLine int     `json:"insert_line,omitempty" jsonschema:"of an insertion: the line that the text becomes, counted from 1" min:"1"`
	Text       *string `json:"text,omitempty" jsonschema:"of an insertion: one or more whole lines"`
}

// Check names the edits that are neither a replacement nor an insertion.
func (a *editFileArgs) Check() error {
	var all []error
	for i, e := range a.Edits {
		if wrong := e.wrong(); wrong != "" {
			all = append(all, tool.Problem{Path: fmt.Sprintf("edits[%d]", i), Message: wrong})
		}
	}
	return errors.Join(all...)
}

func (e edit) wrong() string {
	replaces := e.OldText != nil || e.NewText != nil || e.ReplaceAll
	inserts := e.InsertLine != 0 || e.Text != nil
	switch {
	case replaces == inserts:
		return "expected either old_text and new_text, or insert_line and text"
	case inserts && (e.InsertLine == 0 || e.Text == nil):
		return "expected insert_line and text"
	case inserts && *e.Text == "":
		return "expected a text to insert; a line break alone is an empty line"
	case replaces && (e.OldText == nil || e.NewText == nil):
		return "expected old_text and new_text"
	case replaces && *e.OldText == "":
		return "expected a text to find in old_text; to add text, use insert_line and text"
	case replaces && *e.OldText == *e.NewText:
		return "old_text and new_text are the same, so nothing would change"
	}
	return ""
}

// operation is the edit for the desk.
func (e edit) operation() ops.Edit {
	if e.OldText != nil {
		return ops.Replace{Old: *e.OldText, New: *e.NewText, All: e.ReplaceAll}
	}
	return ops.Lines{From: e.InsertLine, To: e.InsertLine - 1, Text: strings.TrimSuffix(*e.Text, "\n") + "\n"}
}

type editFileDetails struct {
	Path     string `json:"path"`
	Replaced int    `json:"replaced"` // occurrences
	Inserted int    `json:"inserted"` // insertions
	Added    int    `json:"added"`    // lines
	Removed  int    `json:"removed"`  // lines
}

func (s *set) editFile() (tool.Tool, error) {
	info := tool.Info{Name: "edit_file", Label: "Edit file", Description: editFileText}
	return changes(s, info, func(ctx context.Context, a editFileArgs, _ tool.Update) (tool.Result, error) {
		ctx, desk := s.desk.At(ctx)
		request := ops.EditRequest{Path: a.Path}
		d := editFileDetails{}
		for i, e := range a.Edits {
			if e.Text != nil {
				d.Inserted++
			}
			if err := e.numbered(a.Path); err != nil {
				err.Edit = i + 1
				return tool.Result{}, fail(desk, err)
			}
			request.Edits = append(request.Edits, e.operation())
		}
		edited, err := desk.Edit(ctx, "edit_file", request)
		if err != nil {
			return tool.Result{}, fail(desk, err)
		}
		d.Path, d.Replaced, d.Added, d.Removed = edited.Path, edited.Replaced, edited.Added, edited.Removed
		return done(desk, d, "Edited %s: %s, %s (%s added, %d removed)", d.Path,
			count(d.Replaced, "replacement"), count(d.Inserted, "insertion"), count(d.Added, "line"), d.Removed), nil
	})
}

// numbered is the error for an edit whose new text has line numbers, or nil.
func (e edit) numbered(path string) *ops.Error {
	if e.Text != nil {
		return numberedText(path, "text", *e.Text)
	}
	return numberedText(path, "new_text", *e.NewText)
}

// numberedText is the error for a text that is a piece of what read_file shows, with
// its line numbers: two lines or more, numbered one after the other in their column.
// It is nil otherwise.
func numberedText(path, parameter, content string) *ops.Error {
	plain, ok := ops.Unnumber(content)
	if !ok || strings.Count(strings.TrimSuffix(content, "\n"), "\n") == 0 || strings.TrimSpace(plain) == "" {
		return nil
	}
	next := 0
	for line := range strings.Lines(content) {
		var n int
		if _, err := fmt.Sscan(line, &n); err != nil || next != 0 && n != next || !strings.HasPrefix(line, fmt.Sprintf("%6d", n)) {
			return nil
		}
		next = n + 1
	}
	e := toolset.Refusal(ops.ToolMessage, path, "every line of %s begins with a line number as read_file shows it; the numbers are not part of a file, and nothing was written", parameter)
	e.Suggestions = []string{"Send the text without the numbers and the tab behind them."}
	return e
}
