package server

import (
	"context"
	"net/http"

	"redline/internal/wire"
)

// here does something in the folder that a request names.
func here[T any](a *api, name string, do func(*Folder) (T, error)) (none T, err error) {
	f, err := a.folder(name)
	if err != nil {
		return none, err
	}
	return do(f)
}

// document is what a route takes that is about a document.
type document struct {
	Folder string `query:"folder" doc:"one of GET /api/folders; the first, if it is left out"`
	Path   string `query:"file_path" required:"true" minLength:"1" doc:"in the folder, with forward slashes"`
}

func (a *api) documentRoutes() {
	a.group = "documents"
	inQuery := []int{http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity}
	add(a, route{at: "GET /api/tree", summary: "What is in a folder", refuses: inQuery},
		func(ctx context.Context, in *struct {
			Folder string `query:"folder" doc:"one of GET /api/folders; the first, if it is left out"`
			Under  string `query:"under" doc:"a folder in it"`
			Glob   string `query:"glob" doc:"such as **/*.md"`
			Depth  int    `query:"depth" minimum:"0" maximum:"1000" doc:"0: all"`
			Limit  int    `query:"limit" minimum:"0" maximum:"50000" doc:"5000, if it is left out"`
		}) (wire.Tree, error) {
			return here(a, in.Folder, func(f *Folder) (wire.Tree, error) {
				t, err := f.Documents.Tree(ctx, wire.TreeQuery{Under: in.Under, Glob: in.Glob, Depth: in.Depth, Limit: in.Limit})
				t.Entries = some(t.Entries)
				return t, err
			})
		})
	add(a, route{at: "GET /api/documents", summary: "Read a document", refuses: inQuery},
		func(ctx context.Context, in *struct {
			Folder  string `query:"folder" doc:"one of GET /api/folders; the first, if it is left out"`
			Path    string `query:"file_path" required:"true" minLength:"1" doc:"in the folder, with forward slashes"`
			Session string `query:"session_id" doc:"shows its pending changes in place"`
		}) (wire.Document, error) {
			return here(a, in.Folder, func(f *Folder) (wire.Document, error) {
				return f.Documents.Read(ctx, wire.DocumentQuery{Path: in.Path, Session: in.Session})
			})
		})
	add(a, route{at: "PUT /api/documents", summary: "Save a document", refuses: []int{http.StatusNotFound, http.StatusConflict},
		says: "The token proves that the writer saw the current text: another one is refused as stale, with the current text. A new document is saved without a token."},
		func(ctx context.Context, in *struct {
			Folder string `query:"folder" doc:"one of GET /api/folders; the first, if it is left out"`
			Body   wire.SaveRequest
		}) (wire.Document, error) {
			return here(a, in.Folder, func(f *Folder) (wire.Document, error) { return f.Documents.Save(ctx, in.Body) })
		})
	a.tabRoutes()
	a.libraryRoutes(inQuery)
}

// tabRequest opens or closes a document.
type tabRequest struct {
	Folder string `query:"folder" doc:"one of GET /api/folders; the first, if it is left out"`
	Body   wire.TabRequest
}

func (a *api) tabRoutes() {
	add(a, route{at: "GET /api/tabs", summary: "The documents that are open", refuses: []int{http.StatusNotFound}},
		func(ctx context.Context, in *inFolder) (wire.TabList, error) {
			return here(a, in.Folder, func(f *Folder) (wire.TabList, error) { return tabs(f.Tabs.Tabs(ctx)) })
		})
	add(a, route{at: "POST /api/tabs", summary: "Open a document", refuses: []int{http.StatusNotFound}},
		func(ctx context.Context, in *tabRequest) (wire.TabList, error) {
			return here(a, in.Folder, func(f *Folder) (wire.TabList, error) { return tabs(f.Tabs.OpenTab(ctx, in.Body.Path)) })
		})
	add(a, route{at: "POST /api/tabs/close", summary: "Close a document", refuses: []int{http.StatusNotFound}},
		func(ctx context.Context, in *tabRequest) (wire.TabList, error) {
			return here(a, in.Folder, func(f *Folder) (wire.TabList, error) { return tabs(f.Tabs.CloseTab(ctx, in.Body.Path)) })
		})
}

func tabs(list []wire.Tab, err error) (wire.TabList, error) {
	return wire.TabList{Tabs: some(list)}, err
}

func (a *api) libraryRoutes(inQuery []int) {
	add(a, route{at: "GET /api/search", summary: "Look for words in documents", refuses: inQuery},
		func(ctx context.Context, in *struct {
			Folder string `query:"folder" doc:"one of GET /api/folders; the first, if it is left out"`
			Query  string `query:"query" required:"true" minLength:"1" maxLength:"10000"`
			Glob   string `query:"glob" doc:"such as **/*.md"`
			Limit  int    `query:"limit" minimum:"0" maximum:"1000" doc:"20, if it is left out"`
		}) (wire.SearchReply, error) {
			return here(a, in.Folder, func(f *Folder) (wire.SearchReply, error) {
				found, err := f.Library.Search(ctx, wire.SearchQuery{Query: in.Query, Glob: in.Glob, Limit: in.Limit})
				found.Results = some(found.Results)
				return found, err
			})
		})
	add(a, route{at: "GET /api/outline", summary: "The structure of a document", refuses: inQuery},
		func(ctx context.Context, in *document) (wire.Outline, error) {
			return here(a, in.Folder, func(f *Folder) (wire.Outline, error) {
				o, err := f.Library.Outline(ctx, in.Path)
				o.Sections = some(o.Sections)
				return o, err
			})
		})
	add(a, route{at: "GET /api/history", summary: "What a document was, newest first", refuses: inQuery},
		func(ctx context.Context, in *document) (wire.History, error) {
			return here(a, in.Folder, func(f *Folder) (wire.History, error) {
				versions, err := f.Library.History(ctx, in.Path)
				return wire.History{Path: in.Path, Versions: some(versions)}, err
			})
		})
}
