package documents

import (
	"context"
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"redline/internal/ops"
	"redline/tool"
)

//go:embed search_documents.md
var searchDocumentsText string

type searchArgs struct {
	Query         string `json:"query" jsonschema:"Search query"`
	SearchContent *bool  `json:"search_content,omitempty" jsonschema:"Whether to search document content (not just names). Defaults to true."`
	Folder        string `json:"folder,omitempty" jsonschema:"Limit search to a specific folder. Optional."`
}

// Found is the result of search_documents.
type Found struct {
	Query   string  `json:"query"`
	Results []Match `json:"results"` // the first ones, by path
	Count   int     `json:"count"`   // of all
}

// Match is a document that was found, by its name or by lines of its text.
type Match struct {
	Path    string   `json:"path"`
	Name    string   `json:"name"`
	Matches []string `json:"matches,omitempty"`
	lines   []int
}

func (s *set) searchDocuments() (tool.Tool, error) {
	return reads(s, tool.Info{Name: "search_documents", Label: "Search documents", Description: searchDocumentsText}, s.search)
}

func (s *set) search(ctx context.Context, args searchArgs, _ tool.Update) (tool.Result, error) {
	ctx, desk := s.desk.At(ctx)
	a := action{desk, "search_documents", args.Folder}
	folder := place(ctx, desk, args.Folder)
	query := strings.TrimSpace(args.Query)
	items, err := desk.FindNames(ctx, query, folder, isDocument)
	if err != nil {
		return tool.Result{}, a.fail(err, nil)
	}
	var list []Match
	for _, item := range items {
		list = append(list, Match{Path: item.Path, Name: item.Name})
	}
	content := args.SearchContent == nil || *args.SearchContent
	if content {
		found, err := desk.Search(ctx, ops.SearchRequest{Query: query, Folder: folder, Glob: "**/*.[mM][dD]", PerFile: maxMatches})
		if err != nil {
			return tool.Result{}, a.fail(err, nil)
		}
		for _, f := range found.Files {
			list = append(list, matchOf(f, query))
		}
	}
	list = merged(list)
	result := Found{Query: args.Query, Results: list[:min(len(list), maxResults)], Count: len(list)}
	where := "name or text"
	if !content {
		where = "name"
	}
	return a.shown(result, searchOutput(desk, result, where, shownFolder(folder))), nil
}

// merged is the matches by path, each document once.
func merged(list []Match) []Match {
	slices.SortStableFunc(list, func(a, b Match) int {
		return slices.Compare(strings.Split(a.Path, "/"), strings.Split(b.Path, "/"))
	})
	out := []Match{}
	for _, m := range list {
		if last := len(out) - 1; last >= 0 && out[last].Path == m.Path {
			out[last] = m // the one found by its text says more
			continue
		}
		out = append(out, m)
	}
	return out
}

func matchOf(f ops.FoundFile, query string) Match {
	m := Match{Path: f.Path, Name: path.Base(f.Path)}
	for _, h := range f.Hits {
		for i, line := range h.Matches {
			if len(m.Matches) == maxMatches {
				return m
			}
			m.Matches = append(m.Matches, snippet(line, query))
			m.lines = append(m.lines, h.StartLine+i) // without context a hit is lines that all match
		}
	}
	return m
}

// snippet is a line, or of a long one the piece with the match in it.
func snippet(line, query string) string {
	line = strings.TrimSpace(line)
	runes := []rune(line)
	if len(runes) <= maxSnippet {
		return line
	}
	before := utf8.RuneCountInString(line[:max(0, indexFold(line, query))])
	match := utf8.RuneCountInString(query)
	switch {
	case before+match < maxSnippet:
		return string(runes[:maxSnippet-1]) + "…"
	case len(runes)-before < maxSnippet:
		return "…" + string(runes[len(runes)-maxSnippet+1:])
	}
	from := before - max(0, min(maxSnippet/4, maxSnippet-2-match)) // some of what comes before it
	return "…" + string(runes[from:min(from+maxSnippet-2, len(runes))]) + "…"
}

// indexFold is where query begins in a line, whatever the case, or -1.
func indexFold(line, query string) int {
	n := utf8.RuneCountInString(query)
	for i := range line {
		end, k := i, 0
		for k < n && end < len(line) {
			_, size := utf8.DecodeRuneInString(line[end:])
			end, k = end+size, k+1
		}
		if strings.EqualFold(line[i:end], query) {
			return i
		}
	}
	return -1
}

func searchOutput(desk *ops.Desk, r Found, where, folder string) string {
	if r.Count == 0 {
		return desk.Tell(fmt.Sprintf("[search_documents: %q is in the %s of no document in %s.]", r.Query, where, folder))
	}
	var b strings.Builder
	for _, m := range r.Results {
		b.WriteString(m.Path + "\n")
		for i, line := range m.Matches {
			fmt.Fprintf(&b, "  line %d: %s\n", m.lines[i], strings.Map(visible, line))
		}
	}
	shown := ""
	if more := r.Count - len(r.Results); more > 0 {
		shown = fmt.Sprintf(" %d of them are not shown: search for something more exact, or in a folder.", more)
	}
	b.WriteString(desk.Tell(fmt.Sprintf("[search_documents: %q is in the %s of %s.%s]", r.Query, where, count(r.Count, "document"), shown)))
	return b.String()
}

// visible takes control characters out of a line of a list.
func visible(r rune) rune {
	if unicode.IsControl(r) && r != '\t' {
		return -1
	}
	return r
}
