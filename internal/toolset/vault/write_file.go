package vault

import (
	"context"
	_ "embed"

	"redline/internal/ops"
	"redline/tool"
)

//go:embed write_file.md
var writeFileText string

type writeFileArgs struct {
	Path    string `json:"path" jsonschema:"path of the file, from the top of the vault" min:"1"`
	Content string `json:"content" jsonschema:"the whole content of the file"`
}

type writeFileDetails struct {
	Path  string `json:"path"`
	Size  int    `json:"size"` // bytes
	IsNew bool   `json:"isNew"`
}

func (s *set) writeFile() (tool.Tool, error) {
	info := tool.Info{Name: "write_file", Label: "Write file", Description: writeFileText}
	return changes(s, info, func(ctx context.Context, a writeFileArgs, _ tool.Update) (tool.Result, error) {
		ctx, desk := s.desk.At(ctx)
		if err := numberedText(a.Path, "content", a.Content); err != nil {
			return tool.Result{}, fail(desk, err)
		}
		there, err := desk.Stat(ctx, a.Path)
		if err != nil {
			return tool.Result{}, fail(desk, err)
		}
		if !there.Exists {
			c, err := desk.Create(ctx, "write_file", a.Path, a.Content)
			if err != nil {
				return tool.Result{}, fail(desk, err)
			}
			d := writeFileDetails{c.Path, len(a.Content), true}
			return done(desk, d, "Created %s (%s)", d.Path, count(d.Size, "byte")), nil
		}
		e, err := desk.Write(ctx, "write_file", ops.WriteRequest{Path: a.Path, Content: a.Content})
		if err != nil {
			return tool.Result{}, fail(desk, err)
		}
		d := writeFileDetails{e.Path, len(e.After), false}
		return done(desk, d, "Replaced %s (%s)", d.Path, count(d.Size, "byte")), nil
	})
}
