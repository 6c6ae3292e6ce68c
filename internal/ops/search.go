package ops

import (
	"context"
	"errors"
	"strings"

	"redline/internal/search"
	"redline/internal/workspace"
)

// SearchRequest asks for documents by what is in them.
type SearchRequest struct {
	Query     string
	Regexp    bool
	Sensitive bool // "a" does not find "A"
	Word      bool
	Folder    string
	Glob      string // of paths; "": all
	Context   int    // lines to show around a match
	MaxLines  int    // of a snippet; 0: 20
	Limit     int    // of hits; 0: all
	PerFile   int    // hits of one document; 0: all
}

// Found is what a search found, by path.
type Found struct {
	Files []FoundFile
	More  bool // a limit left something out
}

// FoundFile is a document with hits.
type FoundFile struct {
	Path string
	Hits []Hit
	More bool
}

// Hit is a run of lines around one or more matches.
type Hit struct {
	StartLine, EndLine int // counted from 1
	Snippet            string
	Matches            []string // the lines that match
}

// Search finds text in the documents as the turn sees them.
func (d *Desk) Search(ctx context.Context, r SearchRequest) (Found, error) {
	under, err := d.folderPath(ctx, r.Folder)
	if err != nil {
		return Found{}, err
	}
	q := search.Query{
		Pattern: search.Pattern{Text: r.Query, Regexp: r.Regexp, Word: r.Word, Case: search.Insensitive},
		Scope:   search.Scope{Under: under},
		Context: r.Context, MaxLines: r.MaxLines, MaxHits: r.Limit, MaxPerFile: r.PerFile,
	}
	if r.Sensitive {
		q.Case = search.Sensitive
	}
	if r.Glob != "" {
		if _, err := workspace.ParseGlob(r.Glob); err != nil {
			return Found{}, errorf(InvalidGlob, r.Glob, "%v", err)
		}
		q.Include = []string{r.Glob}
	}
	result, err := search.Content(ctx, d.view(), q)
	if err != nil {
		return Found{}, searchError(r, err)
	}
	out := Found{More: result.More}
	for _, f := range result.Files {
		found := FoundFile{Path: f.Path.String(), More: f.More}
		for _, h := range f.Hits {
			hit := Hit{StartLine: h.Start(), EndLine: h.End(), Snippet: h.Snippet()}
			for _, l := range h.Lines {
				if l.Matches() {
					hit.Matches = append(hit.Matches, l.Text)
				}
			}
			found.Hits = append(found.Hits, hit)
		}
		out.Files = append(out.Files, found)
	}
	return out, nil
}

func searchError(r SearchRequest, err error) error {
	var bad *search.PatternError
	switch {
	case errors.As(err, &bad) && r.Regexp:
		return errorf(InvalidRegex, "", "%s", bad.Error())
	case errors.As(err, &bad):
		return errorf(InvalidArgument, "", "%s", bad.Error())
	}
	return AsError(err)
}

// view is the folder as the turn sees it, for searching.
func (d *Desk) view() search.View {
	v := search.View{Folder: d.folder, Policy: d.policy}
	for _, s := range d.turn.Staged() {
		change := search.Change{Path: s.Path}
		if s.Exists() {
			change.Read = func(ctx context.Context) ([]byte, error) {
				now, err := d.turn.Peek(ctx, s.Path)
				if err != nil {
					return nil, err
				}
				return now.Data, nil
			}
		}
		v.Changes = append(v.Changes, change)
	}
	return v
}

// FindNames finds documents and folders whose path has the query in it, whatever
// the case.
func (d *Desk) FindNames(ctx context.Context, query, folder string, keep func(name string) bool) ([]Item, error) {
	if strings.TrimSpace(query) == "" {
		return nil, errorf(InvalidArgument, "", "the query is empty; say what to look for")
	}
	all, err := d.List(ctx, ListRequest{Folder: folder, Recursive: true, FilesOnly: true, Keep: keep})
	if err != nil {
		return nil, err
	}
	var found []Item
	for _, item := range all.Items {
		if strings.Contains(strings.ToLower(item.Name), strings.ToLower(query)) {
			found = append(found, item)
		}
	}
	return found, nil
}
