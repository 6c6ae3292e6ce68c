package coding

import (
	"context"
	_ "embed"

	"redline/internal/ops"
	"redline/internal/toolset"
	"redline/tool"
)

//go:embed edit.md
var editText string

type editArgs struct {
	FilePath   string `json:"file_path" jsonschema:"Path to file to edit (relative or absolute)"`
	OldString  string `json:"old_string" jsonschema:"Exact string to find and replace"`
	NewString  string `json:"new_string" jsonschema:"String to replace with"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"Replace every occurrence. Omit if old_string occurs exactly once."`
}

type editDetails struct {
	FilePath     string `json:"filePath"`
	OldString    string `json:"oldString"`
	NewString    string `json:"newString"`
	MatchCount   int    `json:"matchCount"`
	LinesChanged int    `json:"linesChanged"` // a line that became another counts once
}

func (s *set) editTool() (tool.Tool, error) {
	return changes(s, tool.Info{Name: "edit", Label: "Edit File", Description: s.description(editText)}, s.edit)
}

func (s *set) edit(ctx context.Context, a editArgs, _ tool.Update) (tool.Result, error) {
	ctx, desk := s.desk.At(ctx)
	if err := a.refused(); err != nil {
		return tool.Result{}, fail(desk, err)
	}
	e, err := desk.Edit(ctx, "edit", ops.EditRequest{Path: a.FilePath, Edits: []ops.Edit{ops.Replace{Old: a.OldString, New: a.NewString, All: a.ReplaceAll}}})
	if err != nil {
		return tool.Result{}, fail(desk, unreadable(err, "edit", a.FilePath))
	}
	d := editDetails{e.Path, a.OldString, a.NewString, e.Replaced, max(e.Added, e.Removed)}
	return done(desk, d, "Replaced %s in %s (%s changed)", count(d.MatchCount, "occurrence"), d.FilePath, count(d.LinesChanged, "line")), nil
}

// refused is the error for an edit that makes no sense whatever is in the file.
func (a editArgs) refused() error {
	switch {
	case a.OldString == "":
		e := toolset.Refusal(ops.InvalidArgument, a.FilePath, "old_string is empty, so there is nothing to find")
		e.Suggestions = []string{"Give the exact text to replace. To make a new file, use write."}
		return e
	case a.OldString == a.NewString:
		return toolset.Refusal(ops.NoChange, a.FilePath, "old_string and new_string are the same, so nothing would change in %s", a.FilePath)
	case pasted(a.NewString):
		return numberedContent(a.FilePath, "new_string")
	}
	return nil
}
