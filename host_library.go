package redline

import (
	"context"
	"errors"
	"strings"

	"redline/internal/outline"
	"redline/internal/search"
	"redline/internal/text"
	"redline/internal/wire"
	"redline/internal/workspace"
)

// The bounds of a search.
const (
	usualHits = 50
	mostHits  = 1000
	around    = 1 // lines before and behind a match
)

// Search finds a text in the documents on the disk, whatever its case.
func (h *Host) Search(ctx context.Context, q wire.SearchQuery) (wire.SearchReply, error) {
	if strings.TrimSpace(q.Query) == "" {
		return wire.SearchReply{}, wire.Errorf(wire.CodeInvalid, "the query is empty: say what to look for")
	}
	limit := q.Limit
	if limit <= 0 {
		limit = usualHits
	}
	query := search.Query{Pattern: search.Pattern{Text: q.Query, Case: search.Insensitive}, Context: around, MaxHits: min(limit, mostHits)}
	if q.Glob != "" {
		if _, err := workspace.ParseGlob(q.Glob); err != nil {
			return wire.SearchReply{}, wire.Errorf(wire.CodeInvalid, "the glob cannot be understood: %s", err.Error())
		}
		query.Include = []string{q.Glob}
	}
	found, err := search.Content(ctx, search.View{Folder: h.folder.files, Policy: h.policy("")}, query)
	var bad *search.PatternError
	if errors.As(err, &bad) {
		return wire.SearchReply{}, wire.Errorf(wire.CodeInvalid, "%s", bad.Error())
	}
	if err != nil {
		return wire.SearchReply{}, err
	}
	reply := wire.SearchReply{Results: []wire.SearchHit{}, Truncated: found.More}
	for _, f := range found.Files {
		for _, hit := range f.Hits {
			reply.Results = append(reply.Results, wire.SearchHit{Path: f.Path.String(), From: hit.Start(), To: hit.End(), Snippet: hit.Snippet()})
		}
	}
	return reply, nil
}

// Outline is the headings of a document on the disk.
func (h *Host) Outline(_ context.Context, path string) (wire.Outline, error) {
	p, err := h.folder.files.Resolve(path, h.policy(""), workspace.Reading)
	if err != nil {
		return wire.Outline{}, err
	}
	s, err := h.folder.files.Read(p)
	if err != nil {
		return wire.Outline{}, err
	}
	if err := text.Check(s.Data); err != nil {
		return wire.Outline{}, unreadable(p, err)
	}
	out := wire.Outline{Path: p.String(), Sections: []wire.OutlineSection{}}
	for _, k := range outline.Headings(text.New(s.Data)) {
		out.Sections = append(out.Sections, wire.OutlineSection{Title: k.Text, Level: k.Level, From: k.Line, To: k.End})
	}
	return out, nil
}

// History lists the versions of a document, newest first, through its names.
func (h *Host) History(ctx context.Context, path string) ([]wire.Version, error) {
	p, err := h.folder.files.Path(path)
	if err == nil {
		err = h.readable("", p)
	}
	if err != nil {
		return nil, err
	}
	versions, err := h.folder.ledger.History(ctx, p)
	if err != nil {
		return nil, err
	}
	list := []wire.Version{}
	sessions := map[string]string{} // by turn
	for _, v := range versions {
		if _, asked := sessions[v.Turn]; !asked && v.Turn != "" {
			if t, err := h.folder.ledger.Turn(ctx, v.Turn); err == nil {
				sessions[v.Turn] = t.Session
			}
		}
		list = append(list, wire.Version{Commit: v.Commit, Time: v.Time, Session: sessions[v.Turn], Turn: v.Turn, Verb: string(v.Kind), Path: v.Path.String(), Hash: v.State.Hash.String()})
	}
	return list, nil
}

// Trash lists what was deleted and can be had back, newest first.
func (h *Host) Trash(context.Context) ([]wire.Trashed, error) {
	items, err := h.folder.Trash()
	if err != nil {
		return nil, err
	}
	list := []wire.Trashed{}
	for _, t := range items {
		list = append(list, wire.Trashed{ID: t.Name, Path: t.Path, Deleted: t.Deleted, Size: t.Size})
	}
	return list, nil
}

// Restore brings something deleted back to where it was.
func (h *Host) Restore(ctx context.Context, id string) (wire.Turn, error) {
	if h.jobs.Locked() {
		return wire.Turn{}, locked()
	}
	return h.folder.RestoreTrash(ctx, id)
}

// Empty removes for good what is in the trash.
func (h *Host) Empty(context.Context) (wire.Emptied, error) {
	items, bytes, err := h.folder.EmptyTrash()
	return wire.Emptied{Items: items, Bytes: bytes}, err
}
