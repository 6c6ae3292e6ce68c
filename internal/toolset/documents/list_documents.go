package documents

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"redline/internal/ops"
	"redline/tool"
)

//go:embed list_documents.md
var listDocumentsText string

type listArgs struct {
	Folder    string `json:"folder,omitempty" jsonschema:"The folder path to list. Use '/' for root. Optional - defaults to root."`
	Recursive bool   `json:"recursive,omitempty" jsonschema:"Whether to list documents in subfolders. Defaults to false."`
}

// Listing is the result of list_documents.
type Listing struct {
	Documents []Entry `json:"documents"`
	Count     int     `json:"count"`          // of Documents
	More      int     `json:"more,omitempty"` // left out by the limit
}

// Entry is a document or a folder in a list.
type Entry struct {
	Name string `json:"name"`
	Path string `json:"path"`
	Type string `json:"type"` // file or folder
}

func (s *set) listDocuments() (tool.Tool, error) {
	return reads(s, tool.Info{Name: "list_documents", Label: "List documents", Description: listDocumentsText}, s.list)
}

func (s *set) list(ctx context.Context, args listArgs, _ tool.Update) (tool.Result, error) {
	ctx, desk := s.desk.At(ctx)
	a := action{desk, "list_documents", args.Folder}
	others := 0
	keep := func(name string) bool {
		if !isDocument(name) {
			others++
			return false
		}
		return true
	}
	folder := place(ctx, desk, args.Folder)
	r, err := desk.List(ctx, ops.ListRequest{Folder: folder, Recursive: args.Recursive, Keep: keep, Limit: maxList})
	if err != nil {
		return tool.Result{}, a.fail(err, nil)
	}
	result := Listing{Documents: []Entry{}, Count: len(r.Items), More: r.More}
	var b strings.Builder
	for _, item := range r.Items {
		e := Entry{item.Name, item.Path, "file"}
		line := item.Path
		if item.Folder {
			e.Type = "folder"
			line += "/"
		}
		result.Documents = append(result.Documents, e)
		b.WriteString(line + "\n")
	}
	b.WriteString(listNotes(desk, shownFolder(folder), result, others))
	return a.shown(result, strings.TrimSuffix(b.String(), "\n")), nil
}

// listNotes says what the list does not show.
func listNotes(desk *ops.Desk, folder string, r Listing, others int) string {
	var b strings.Builder
	if r.Count == 0 {
		b.WriteString(desk.Tell(fmt.Sprintf("[list_documents: there are no documents in %s.]", folder)) + "\n")
	}
	if r.More > 0 {
		b.WriteString(desk.Tell(fmt.Sprintf("[list_documents: %d more are not shown. List a folder further down, or use search_documents.]", r.More)) + "\n")
	}
	if others > 0 {
		b.WriteString(desk.Tell(fmt.Sprintf("[list_documents: not listed in %s: %s with another extension than .md.]", folder, count(others, "file"))) + "\n")
	}
	return b.String()
}

// shownFolder is a folder in a sentence.
func shownFolder(name string) string {
	if name = strings.Trim(name, "/"); name == "" || name == "." {
		return "the root folder"
	}
	return name
}
