package documents

import (
	"context"
	_ "embed"
	"unicode/utf16"

	"redline/internal/ops"
	"redline/tool"
)

//go:embed edit_document.md
var editDocumentText string

type editArgs struct {
	Path      string    `json:"path" jsonschema:"The path to the document to edit"`
	Operation string    `json:"operation" enum:"replace,append,prepend,insert" jsonschema:"The type of edit operation"`
	Content   string    `json:"content" jsonschema:"The content to add or replace with (markdown format)"`
	Position  *position `json:"position,omitempty" jsonschema:"For 'insert' operation - where to insert content. Give exactly one of after_heading and line_number."`
}

type position struct {
	AfterHeading string `json:"after_heading,omitempty" jsonschema:"Text of the heading behind which the content goes"`
	LineNumber   *int   `json:"line_number,omitempty" jsonschema:"Number of the line that the content becomes, counted from 1; what is there moves down"`
}

// Edited is the result of edit_document. The lengths are those of the whole text
// as JavaScript counts them, in UTF-16 units.
type Edited struct {
	Path         string `json:"path"`
	Operation    string `json:"operation"`
	BeforeLength int    `json:"beforeLength"`
	AfterLength  int    `json:"afterLength"`
}

func (s *set) editDocument() (tool.Tool, error) {
	paths := func(ctx context.Context, desk *ops.Desk, args editArgs) ([]string, error) {
		return resolved(ctx, desk, args.Path)
	}
	return changes(s, tool.Info{Name: "edit_document", Label: "Edit document", Description: editDocumentText}, s.edit, paths, nil)
}

func (s *set) edit(ctx context.Context, args editArgs, _ tool.Update) (tool.Result, error) {
	ctx, desk := s.desk.At(ctx)
	a := action{desk, "edit_document", args.Path}
	edit, err := editOf(args)
	if err != nil {
		return tool.Result{}, a.fail(err, nil)
	}
	r, err := desk.Edit(ctx, a.name, ops.EditRequest{Path: place(ctx, desk, args.Path), Edits: []ops.Edit{edit}})
	if err != nil {
		return tool.Result{}, a.fail(err, nil)
	}
	a.path = r.Path
	result := Edited{Path: r.Path, Operation: args.Operation, BeforeLength: length(r.Before), AfterLength: length(r.After)}
	return a.done(result, "%s %s: %s added, %s removed.", verbs[args.Operation], r.Path, count(r.Added, "line"), count(r.Removed, "line")), nil
}

var verbs = map[string]string{"replace": "replaced the text of", "append": "appended to", "prepend": "prepended to", "insert": "inserted into"}

// editOf is the edit that a call asks for.
func editOf(args editArgs) (ops.Edit, error) {
	var at position
	if args.Position != nil {
		at = *args.Position
	}
	anywhere := at.AfterHeading == "" && at.LineNumber == nil
	if args.Operation != "insert" && !anywhere {
		return nil, refusal(ops.InvalidArgument, args.Path, "position is for the operation insert, not for "+args.Operation,
			`Use the operation "insert" to put content at a position, or leave position out.`)
	}
	switch args.Operation {
	case "replace":
		return ops.Rewrite{Text: args.Content}, nil
	case "append":
		return ops.Append{Text: args.Content}, nil
	case "prepend":
		return ops.Prepend{Text: args.Content}, nil
	}
	if anywhere {
		return nil, refusal(ops.InvalidArgument, args.Path, "insert needs a position: after_heading or line_number",
			`For example "position": {"after_heading": "Tasks"}, or "position": {"line_number": 3}.`)
	}
	insert := ops.Insert{Heading: at.AfterHeading, Text: args.Content}
	if at.LineNumber != nil {
		insert.Line = *at.LineNumber
	}
	if insert.Heading != "" && insert.Line != 0 {
		return nil, refusal(ops.InvalidArgument, args.Path, "position has both after_heading and line_number", "Give the one that is meant.")
	}
	return insert, nil
}

func length(data []byte) int {
	n := 0
	for _, r := range string(data) {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}
