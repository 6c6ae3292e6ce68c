package documents

import (
	"context"
	_ "embed"

	"redline/internal/ops"
	"redline/tool"
)

//go:embed delete_document.md
var deleteDocumentText string

type deleteArgs struct {
	Path string `json:"path" jsonschema:"The path to the document to delete"`
}

// Deleted is the result of delete_document.
type Deleted struct {
	Path        string `json:"path"`
	Deleted     bool   `json:"deleted"`
	Recoverable bool   `json:"recoverable"`
	Documents   int    `json:"documents,omitempty"` // of a folder: how many were in it
}

func (s *set) deleteDocument() (tool.Tool, error) {
	paths := func(ctx context.Context, desk *ops.Desk, args deleteArgs) ([]string, error) {
		return resolved(ctx, desk, args.Path)
	}
	touches := func(ctx context.Context, desk *ops.Desk, args deleteArgs) ([]string, error) {
		return desk.Deleting(ctx, place(ctx, desk, args.Path))
	}
	return changes(s, tool.Info{Name: "delete_document", Label: "Delete document", Description: deleteDocumentText, Destructive: true}, s.delete, paths, touches)
}

func (s *set) delete(ctx context.Context, args deleteArgs, _ tool.Update) (tool.Result, error) {
	ctx, desk := s.desk.At(ctx)
	a := action{desk, "delete_document", args.Path}
	name := place(ctx, desk, args.Path)
	there, err := desk.Stat(ctx, name)
	if err != nil {
		return tool.Result{}, a.fail(err, nil)
	}
	r, err := desk.Delete(ctx, a.name, name)
	result := Deleted{Path: r.Path, Deleted: true, Recoverable: true}
	switch {
	case err != nil && r.Path == "":
		return tool.Result{}, a.fail(err, nil)
	case err != nil:
		return tool.Result{}, a.fail(err, result)
	}
	a.path = r.Path
	if !there.Folder {
		return a.done(result, "moved %s to the trash. The user can bring it back.", r.Path), nil
	}
	others := 0
	for _, f := range r.Files {
		if isDocument(f) {
			result.Documents++
		} else {
			others++
		}
	}
	return a.done(result, "moved the folder %s with %s to the trash. The user can bring it back.", r.Path, contents(result.Documents, others)), nil
}

// contents says what was in a folder.
func contents(documents, others int) string {
	s := count(documents, "document")
	if others > 0 {
		s += " and " + count(others, "other file")
	}
	return s
}
