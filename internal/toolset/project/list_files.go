package project

import (
	"context"
	_ "embed"
	"fmt"
	"path"
	"strings"

	"redline/internal/ops"
	"redline/tool"
)

//go:embed list_files.md
var listFilesText string

type listFilesArgs struct {
	Prefix string `json:"prefix,omitempty" jsonschema:"folder to list, or the beginning of paths; the whole project if left out"`
	Glob   string `json:"glob,omitempty" jsonschema:"pattern for paths below the prefix, such as **/*.md; all files if left out"`
}

type listFilesResult struct {
	Files []string `json:"files"`
	More  int      `json:"more,omitempty"` // files that the limit left out
}

func (s *set) listFiles() (tool.Tool, error) {
	return newTool(s, tool.Info{Name: "list_files", Label: "List files", Description: listFilesText, ReadOnly: true},
		func(ctx context.Context, args listFilesArgs, _ tool.Update) (tool.Result, error) {
			ctx, desk := s.desk.At(ctx)
			list, err := s.listed(ctx, desk, args)
			if e := ops.AsError(err); err != nil && e.Code == ops.InvalidGlob {
				err = refusal(e.Code, "", "%q is not a valid pattern", args.Glob)
			}
			if err != nil {
				return tool.Result{}, fail(desk, err)
			}
			r := listFilesResult{Files: []string{}, More: list.More}
			for _, item := range list.Items {
				r.Files = append(r.Files, item.Path)
			}
			return tool.Result{Output: listWords(desk, args, r), Details: r}, nil
		})
}

// isOwn tells whether a file is the user's, and not litter of an operating system.
func isOwn(name string) bool {
	switch strings.ToLower(name) {
	case ".ds_store", "thumbs.db", "desktop.ini":
		return false
	}
	return true
}

// listed lists a folder, or what begins with a prefix that is none.
func (s *set) listed(ctx context.Context, desk *ops.Desk, args listFilesArgs) (ops.Listing, error) {
	r := ops.ListRequest{Folder: strings.TrimSuffix(args.Prefix, "/"), Recursive: true, FilesOnly: true, Keep: isOwn, Limit: s.limits.Files}
	if r.Glob = args.Glob; r.Glob != "" && !strings.Contains(r.Glob, "/") {
		r.Glob = "**/" + r.Glob // a name, at any depth
	}
	if r.Folder == "" || r.Folder == "." {
		r.Folder = ""
		return desk.List(ctx, r)
	}
	info, err := desk.Stat(ctx, r.Folder)
	if err != nil {
		return ops.Listing{}, err
	}
	if info.Folder {
		return desk.List(ctx, r)
	}
	return s.beginning(ctx, desk, r)
}

// beginning lists what has a path that begins with r.Folder, which is no folder.
// The glob is for what is below the folder that it is in.
func (s *set) beginning(ctx context.Context, desk *ops.Desk, r ops.ListRequest) (ops.Listing, error) {
	prefix, limit := r.Folder, r.Limit
	r.Folder, r.Limit = path.Dir(prefix), 0
	if r.Folder == "." {
		r.Folder = ""
	}
	var out ops.Listing
	all, err := desk.List(ctx, r)
	for _, item := range all.Items {
		switch {
		case !strings.HasPrefix(item.Path, prefix):
		case len(out.Items) == limit:
			out.More++
		default:
			out.Items = append(out.Items, item)
		}
	}
	if len(out.Items) > 0 {
		return out, nil
	}
	if _, missing := desk.Within(ctx, prefix); missing != nil {
		return out, missing // it says what there is instead
	}
	return out, err
}

func listWords(desk *ops.Desk, args listFilesArgs, r listFilesResult) string {
	if len(r.Files) == 0 {
		where := "the project"
		if args.Prefix != "" {
			where = args.Prefix
		}
		if args.Glob != "" {
			where += " that match " + args.Glob
		}
		return desk.Tell("There are no files in " + where + ".")
	}
	words := strings.Join(r.Files, "\n")
	if r.More > 0 {
		words += "\n" + desk.Tell(fmt.Sprintf("[%s more. Narrow the prefix or the glob.]", count(r.More, "file")))
	}
	return words
}
