package coding

import (
	"context"
	_ "embed"

	"redline/internal/ops"
	"redline/tool"
)

//go:embed write.md
var writeText string

type writeArgs struct {
	FilePath string `json:"file_path" jsonschema:"Path to file to create/overwrite"`
	Content  string `json:"content" jsonschema:"Full file contents to write"`
}

type writeDetails struct {
	FilePath string `json:"filePath"`
	Size     int    `json:"size"` // bytes
	IsNew    bool   `json:"isNew"`
}

func (s *set) writeTool() (tool.Tool, error) {
	return changes(s, tool.Info{Name: "write", Label: "Write File", Description: s.description(writeText)}, s.write)
}

func (s *set) write(ctx context.Context, a writeArgs, _ tool.Update) (tool.Result, error) {
	ctx, desk := s.desk.At(ctx)
	if pasted(a.Content) {
		return tool.Result{}, fail(desk, numberedContent(a.FilePath, "content"))
	}
	there, err := desk.Stat(ctx, a.FilePath)
	if err != nil {
		return tool.Result{}, fail(desk, err)
	}
	if !there.Exists {
		c, err := desk.Create(ctx, "write", a.FilePath, a.Content)
		if err != nil {
			return tool.Result{}, fail(desk, err)
		}
		d := writeDetails{c.Path, len(a.Content), true}
		return done(desk, d, "Created new file %s (%s)", d.FilePath, count(d.Size, "byte")), nil
	}
	e, err := desk.Write(ctx, "write", ops.WriteRequest{Path: a.FilePath, Content: a.Content})
	if err != nil {
		return tool.Result{}, fail(desk, unreadable(err, "overwrite", a.FilePath))
	}
	d := writeDetails{e.Path, len(e.After), false}
	return done(desk, d, "Overwrote existing file %s (%s)", d.FilePath, count(d.Size, "byte")), nil
}
