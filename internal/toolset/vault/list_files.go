package vault

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"redline/internal/ops"
	"redline/internal/toolset"
	"redline/tool"
)

//go:embed list_files.md
var listFilesText string

type listFilesArgs struct {
	Path      string `json:"path,omitempty" jsonschema:"folder to list; the whole vault if left out"`
	Pattern   string `json:"pattern,omitempty" jsonschema:"glob for what is below the folder, such as *.md or journal/**/2026-*.md"`
	Recursive bool   `json:"recursive,omitempty" jsonschema:"also what is in folders below"`
}

type listFilesDetails struct {
	Path    string   `json:"path"` // "" is the vault
	Files   []string `json:"files"`
	Folders []string `json:"folders"`
	More    int      `json:"more,omitempty"` // that the limit left out
}

func (s *set) listFiles() (tool.Tool, error) {
	info := tool.Info{Name: "list_files", Label: "List files", Description: listFilesText}
	return reads(s, info, func(ctx context.Context, a listFilesArgs, _ tool.Update) (tool.Result, error) {
		ctx, desk := s.desk.At(ctx)
		list, err := desk.List(ctx, a.request())
		if e := ops.AsError(err); err != nil && e.Code == ops.InvalidGlob {
			err = toolset.Refusal(e.Code, "", "%q is not a valid pattern", a.Pattern)
		}
		if err != nil {
			return tool.Result{}, fail(desk, err)
		}
		d := listFilesDetails{Path: strings.Trim(a.Path, "/"), Files: []string{}, Folders: []string{}, More: list.More}
		var shown []string
		for _, item := range list.Items {
			if item.Folder {
				d.Folders = append(d.Folders, item.Path)
				shown = append(shown, item.Path+"/")
				continue
			}
			d.Files = append(d.Files, item.Path)
			shown = append(shown, item.Path)
		}
		return tool.Result{Output: a.words(desk, shown, list.More), Details: d}, nil
	})
}

// request is what is listed. A pattern with a slash or ** is about paths, so it looks
// into all folders; another one is about names.
func (a listFilesArgs) request() ops.ListRequest {
	r := ops.ListRequest{Folder: a.Path, Recursive: a.Recursive, Glob: strings.TrimPrefix(a.Pattern, "./"), Limit: maxListed}
	switch {
	case strings.Contains(r.Glob, "/") || strings.Contains(r.Glob, "**"):
		r.Recursive = true
	case r.Glob != "" && r.Recursive:
		r.Glob = "**/" + r.Glob
	}
	return r
}

func (a listFilesArgs) words(desk *ops.Desk, shown []string, more int) string {
	if len(shown) == 0 {
		where := "the vault"
		if a.Path != "" {
			where = a.Path
		}
		if a.Pattern != "" {
			where += " that matches " + a.Pattern
		}
		return desk.Tell("There is nothing in " + where + ".")
	}
	words := strings.Join(shown, "\n")
	if more > 0 {
		words += "\n" + desk.Tell(fmt.Sprintf("[%d more. Narrow the path or the pattern.]", more))
	}
	return words
}
