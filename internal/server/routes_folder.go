package server

import (
	"context"
	"net/http"

	"redline/internal/wire"
)

// pageOfAudit is how many entries one answer has, unless the request says otherwise.
const pageOfAudit = 100

func (a *api) folderRoutes() {
	a.group = "folders"
	add(a, route{at: "GET /api/folders", summary: "The folders that the server works on"},
		func(context.Context, *struct{}) (wire.FolderList, error) {
			list := make([]wire.FolderInfo, len(a.Folders))
			for i, f := range a.Folders {
				list[i] = wire.FolderInfo{Name: f.Name, Path: f.Dir}
			}
			return wire.FolderList{Folders: list}, nil
		})
	a.trashRoutes()
	a.recordRoutes()
}

func (a *api) trashRoutes() {
	add(a, route{at: "GET /api/trash", summary: "What was deleted", refuses: []int{http.StatusNotFound}},
		func(ctx context.Context, in *inFolder) (wire.TrashList, error) {
			return here(a, in.Folder, func(f *Folder) (wire.TrashList, error) {
				items, err := f.Trash.Trash(ctx)
				return wire.TrashList{Items: some(items)}, err
			})
		})
	add(a, route{at: "POST /api/trash/{id}/restore", summary: "Put something back where it was", refuses: []int{http.StatusConflict}},
		func(ctx context.Context, in *struct {
			ID     string `path:"id"`
			Folder string `query:"folder" doc:"one of GET /api/folders; any that has it, if it is left out"`
		}) (wire.Turn, error) {
			restore := func(f *Folder) (wire.Turn, error) { return f.Trash.Restore(ctx, in.ID) }
			if in.Folder == "" {
				return of(a.Server, restore)
			}
			return here(a, in.Folder, restore)
		})
	add(a, route{at: "POST /api/trash/empty", summary: "Remove for good what is in the trash", refuses: []int{http.StatusNotFound}},
		func(ctx context.Context, in *inFolder) (wire.Emptied, error) {
			return here(a, in.Folder, func(f *Folder) (wire.Emptied, error) { return f.Trash.Empty(ctx) })
		})
}

func (a *api) recordRoutes() {
	add(a, route{at: "GET /api/audit", summary: "Calls of tools and decisions of the user, newest first", refuses: []int{http.StatusBadRequest, http.StatusNotFound}},
		func(ctx context.Context, in *struct {
			Folder string `query:"folder" doc:"one of GET /api/folders; the first, if it is left out"`
			Limit  int    `query:"limit" minimum:"0" maximum:"10000" doc:"100, if it is left out"`
		}) (wire.AuditLog, error) {
			limit := in.Limit
			if limit == 0 {
				limit = pageOfAudit
			}
			return here(a, in.Folder, func(f *Folder) (wire.AuditLog, error) {
				entries, err := f.Records.Audit(ctx, limit)
				return wire.AuditLog{Entries: some(entries)}, err
			})
		})
	add(a, route{at: "GET /api/stats", summary: "The measures of success, and what is kept", refuses: []int{http.StatusNotFound}},
		func(ctx context.Context, in *inFolder) (wire.Stats, error) {
			return here(a, in.Folder, func(f *Folder) (wire.Stats, error) { return f.Records.Stats(ctx) })
		})
	add(a, route{at: "GET /api/models", summary: "The models that a session can use", refuses: []int{http.StatusNotFound}},
		func(ctx context.Context, in *inFolder) (wire.ModelList, error) {
			return here(a, in.Folder, func(f *Folder) (wire.ModelList, error) {
				models, err := f.Settings.Models(ctx)
				return wire.ModelList{Models: some(models)}, err
			})
		})
	add(a, route{at: "GET /api/config", summary: "How sessions work that say nothing else, and who said so", refuses: []int{http.StatusNotFound},
		says: "What is secret is not shown."},
		func(ctx context.Context, in *inFolder) (wire.Config, error) {
			return here(a, in.Folder, func(f *Folder) (wire.Config, error) {
				settings, err := f.Settings.Config(ctx)
				return wire.Config{Settings: some(settings)}, err
			})
		})
}
