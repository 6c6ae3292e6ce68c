package documents

import (
	"context"
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"redline/internal/ops"
	"redline/tool"
)

//go:embed move_document.md
var moveDocumentText string

type moveArgs struct {
	FromPath string `json:"from_path" jsonschema:"Current path of the document"`
	ToPath   string `json:"to_path" jsonschema:"New path for the document (including new name if renaming)"`
}

// Moved is the result of move_document.
type Moved struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Moved bool   `json:"moved"`
	Links []Link `json:"links,omitempty"` // documents whose links point to the new path now
}

// Link is a document whose links were changed, and how many.
type Link struct {
	Path  string `json:"path"`
	Count int    `json:"count"`
}

func (s *set) moveDocument() (tool.Tool, error) {
	paths := func(ctx context.Context, desk *ops.Desk, args moveArgs) ([]string, error) {
		return resolved(ctx, desk, args.FromPath, args.ToPath)
	}
	touches := func(ctx context.Context, desk *ops.Desk, args moveArgs) ([]string, error) {
		from, to := s.ends(ctx, desk, args)
		return desk.Moving(ctx, from, to)
	}
	return changes(s, tool.Info{Name: "move_document", Label: "Move document", Description: moveDocumentText}, s.move, paths, touches)
}

func (s *set) move(ctx context.Context, args moveArgs, _ tool.Update) (tool.Result, error) {
	ctx, desk := s.desk.At(ctx)
	a := action{desk, "move_document", args.FromPath}
	from, to := s.ends(ctx, desk, args)
	r, err := desk.Move(ctx, a.name, from, to)
	result := Moved{From: r.From, To: r.To, Moved: true}
	for _, l := range r.Links {
		result.Links = append(result.Links, Link{l.Path, l.Count})
	}
	if err != nil {
		if r.To == "" {
			return tool.Result{}, a.fail(err, nil)
		}
		return tool.Result{}, a.fail(err, result)
	}
	a.path = r.To
	return a.done(result, "moved %s to %s.%s%s", r.From, r.To, filesMoved(r), linksMoved(r)), nil
}

// ends are the two paths of a move. A document keeps its extension: where the new
// name has none it is added.
func (s *set) ends(ctx context.Context, desk *ops.Desk, args moveArgs) (from, to string) {
	from, to = place(ctx, desk, args.FromPath), place(ctx, desk, args.ToPath)
	if !isDocument(from) || strings.HasSuffix(to, "/") || isText(to) {
		return from, to
	}
	if there, err := desk.Stat(ctx, to); err != nil || there.Folder {
		return from, to
	}
	return from, to + extension
}

// isText tells whether a name has an extension that a document could be given.
func isText(name string) bool {
	return slices.Contains([]string{extension, ".markdown", ".txt"}, strings.ToLower(path.Ext(name)))
}

func filesMoved(r ops.Moved) string {
	switch {
	case r.Files <= 1:
		return ""
	case isDocument(r.From):
		return " Its sidecar file moved along."
	}
	return fmt.Sprintf(" %s moved.", count(r.Files, "file"))
}

func linksMoved(r ops.Moved) string {
	if len(r.Links) == 0 {
		return ""
	}
	total := 0
	var list []string
	for _, l := range r.Links {
		total += l.Count
		list = append(list, fmt.Sprintf("%s (%d)", l.Path, l.Count))
	}
	return fmt.Sprintf(" %s in %s changed with it: %s.", count(total, "link"), count(len(list), "document"), named(list))
}
