package documents

import (
	"context"
	_ "embed"

	"redline/internal/ops"
	"redline/tool"
)

//go:embed create_folder.md
var createFolderText string

type folderArgs struct {
	Path string `json:"path" jsonschema:"The path for the new folder"`
}

// Created is the result of create_document and create_folder.
type Created struct {
	Path        string `json:"path"`
	Created     bool   `json:"created"`               // false: the folder was there already
	Overwritten bool   `json:"overwritten,omitempty"` // the user wanted the old document replaced
}

func (s *set) createFolder() (tool.Tool, error) {
	paths := func(ctx context.Context, desk *ops.Desk, args folderArgs) ([]string, error) {
		return resolved(ctx, desk, args.Path)
	}
	return changes(s, tool.Info{Name: "create_folder", Label: "Create folder", Description: createFolderText}, s.makeFolder, paths, nil)
}

func (s *set) makeFolder(ctx context.Context, args folderArgs, _ tool.Update) (tool.Result, error) {
	ctx, desk := s.desk.At(ctx)
	a := action{desk, "create_folder", args.Path}
	r, made, err := desk.MakeFolder(ctx, a.name, place(ctx, desk, args.Path))
	if err != nil {
		return tool.Result{}, a.fail(err, nil)
	}
	a.path = r.Path
	if !made {
		return a.done(Created{Path: r.Path}, "the folder %s was there already.", r.Path), nil
	}
	return a.done(Created{Path: r.Path, Created: true}, "created the folder %s.", r.Path), nil
}
