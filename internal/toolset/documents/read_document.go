package documents

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"redline/internal/ops"
	"redline/tool"
)

//go:embed read_document.md
var readDocumentText string

type readArgs struct {
	Path string `json:"path" jsonschema:"The path to the document to read"`
}

// Document is the result of read_document.
type Document struct {
	Path      string `json:"path"`
	Content   string `json:"content"`
	Truncated bool   `json:"truncated,omitempty"` // only the beginning is there
}

func (s *set) readDocument() (tool.Tool, error) {
	return reads(s, tool.Info{Name: "read_document", Label: "Read document", Description: readDocumentText}, func(ctx context.Context, args readArgs, _ tool.Update) (tool.Result, error) {
		ctx, desk := s.desk.At(ctx)
		a := action{desk, "read_document", args.Path}
		r, err := desk.Read(ctx, ops.ReadRequest{Path: place(ctx, desk, args.Path), MaxBytes: maxRead})
		if err != nil {
			return tool.Result{}, a.fail(err, nil)
		}
		a.path = r.Path
		result := Document{Path: r.Path, Content: r.Text, Truncated: r.Truncated}
		switch {
		case r.Size == 0:
			return a.shown(result, desk.Tell(fmt.Sprintf("[%s is empty: there is no text in it.]", r.Path))), nil
		case !r.Truncated:
			return a.shown(result, r.Text), nil
		}
		note := fmt.Sprintf("[read_document: only the beginning of %s is shown, %d of %d bytes, up to line %d of %d. Use search_documents to find a place further down. As long as not all of it was read it cannot be replaced; append, prepend and insert work.]", r.Path, len(r.Text), r.Size, r.To, r.Lines)
		return a.shown(result, strings.TrimRight(r.Text, "\n")+"\n"+desk.Tell(note)), nil
	})
}
