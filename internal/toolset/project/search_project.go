package project

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"redline/internal/ops"
	"redline/tool"
)

//go:embed search_project.md
var searchProjectText string

// aroundMatch is how many lines a snippet shows around a match.
const aroundMatch = 3

type searchProjectArgs struct {
	Query string `json:"query" jsonschema:"the text to find, literally; upper and lower case are the same" min:"1"`
	Glob  string `json:"glob,omitempty" jsonschema:"pattern for the paths of the files to search, such as **/*.md or notes/**; all files if left out"`
	Limit int    `json:"limit,omitempty" jsonschema:"how many results at most" min:"1"`
}

// Check refuses a query that is nothing but blanks.
func (a *searchProjectArgs) Check() error {
	if strings.TrimSpace(a.Query) == "" {
		return tool.Problem{Path: "query", Message: "expected the text to find, got only blanks"}
	}
	return nil
}

type searchProjectResult struct {
	Results []searchResult `json:"results"`
	More    bool           `json:"more,omitempty"` // there are more than these
}

type searchResult struct {
	FilePath  string `json:"file_path"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Snippet   string `json:"snippet"`
}

func (s *set) searchProject() (tool.Tool, error) {
	return newTool(s, tool.Info{Name: "search_project", Label: "Search the project", Description: searchProjectText, ReadOnly: true},
		func(ctx context.Context, args searchProjectArgs, _ tool.Update) (tool.Result, error) {
			ctx, desk := s.desk.At(ctx)
			limit := args.Limit
			if limit == 0 {
				limit = s.limits.SearchResults
			}
			found, err := desk.Search(ctx, ops.SearchRequest{
				Query: args.Query, Glob: args.Glob, Context: aroundMatch,
				MaxLines: s.limits.SnippetLines, Limit: min(limit, s.limits.SearchCap),
			})
			if err != nil {
				return tool.Result{}, fail(desk, err)
			}
			r := searchProjectResult{Results: []searchResult{}, More: found.More}
			for _, f := range found.Files {
				for _, h := range f.Hits {
					r.Results = append(r.Results, searchResult{f.Path, h.StartLine, h.EndLine, h.Snippet})
				}
			}
			return tool.Result{Output: s.foundWords(desk, args, r), Details: r}, nil
		})
}

func (s *set) foundWords(desk *ops.Desk, args searchProjectArgs, r searchProjectResult) string {
	if len(r.Results) == 0 {
		where := "the project"
		if args.Glob != "" {
			where = "files that match " + args.Glob
		}
		return desk.Tell(fmt.Sprintf("No line in %s has %q.", where, args.Query))
	}
	var b strings.Builder
	for _, hit := range r.Results {
		fmt.Fprintf(&b, "%s, %s:\n%s\n", hit.FilePath, lines(hit.StartLine, hit.EndLine), numbered(hit.Snippet+"\n", hit.StartLine))
	}
	if r.More {
		note := "[There are more results. Narrow the query or the glob"
		if len(r.Results) < s.limits.SearchCap {
			note += fmt.Sprintf(", or ask for a higher limit, up to %d", s.limits.SearchCap)
		}
		b.WriteString(desk.Tell(note + ".]"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
