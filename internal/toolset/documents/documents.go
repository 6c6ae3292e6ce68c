// Package documents is the tool contract for a folder of documents: create, edit, read, delete, move, list, search, and folders.
//
// A call is translated into operations of [ops.Desk], and what comes of it into
// the words for the model and an [ActionResult] for screens. A document is a
// file whose name ends in .md; these are listed and searched. Reading, editing,
// moving and deleting take any text file by its path. Lines are counted from 1.
//
// "/" is the root of the folder, and so is a slash before any path.
package documents

import (
	"context"
	"slices"
	"strings"
	"time"

	"redline/internal/ops"
	"redline/internal/toolset"
	"redline/tool"
)

// Options are what the tools are told of the world around them. The zero value
// is a folder with nobody to ask.
type Options struct {
	// Open is the path of the document that the user has open, "" if none. New
	// documents go to its folder unless the call says otherwise.
	Open func() string
	// Templates are the user's own, by name. One that has the name of a built-in
	// takes its place.
	Templates func() map[string]string
	// Choose asks the user to choose one of some answers. Without it a conflict is
	// told to the model alone.
	Choose func(ctx context.Context, question string, options []string) (string, error)
	// Now is the clock for templates; nil: time.Now.
	Now func() time.Time
}

// What a call shows at most.
const (
	maxRead    = 256 << 10 // bytes of a document
	maxList    = 500       // documents and folders
	maxResults = 50        // documents that a search found
	maxMatches = 3         // lines of each of them
	maxSnippet = 100       // characters of such a line
	maxNamed   = 20        // paths in a sentence
)

// set is what the tools share.
type set struct {
	Options
	desk toolset.Desk
}

// New returns the tools of the set over a desk, in their order. desk is asked for
// the desk of the current turn.
func New(desk toolset.Desk, o Options) ([]tool.Tool, error) {
	if o.Open == nil {
		o.Open = func() string { return "" }
	}
	if o.Templates == nil {
		o.Templates = func() map[string]string { return nil }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &set{o, desk}
	return toolset.Make(s.createDocument, s.editDocument, s.readDocument, s.deleteDocument, s.moveDocument, s.listDocuments, s.searchDocuments, s.createFolder)
}

// place is a path of a call as the desk wants it: a slash before it stands for the
// root, unless it is an absolute path into the folder. One that is plainly of
// another place, with two slashes or a way up, stays as it is and is refused.
func place(ctx context.Context, desk *ops.Desk, name string) string {
	if !strings.HasPrefix(name, "/") {
		return name
	}
	if _, err := desk.Stat(ctx, name); err == nil || ops.AsError(err).Code != ops.OutsideFolder {
		return name
	}
	switch rest := strings.TrimLeft(name, "/"); {
	case rest == "":
		return "."
	case strings.HasPrefix(name, "//") || slices.Contains(strings.Split(rest, "/"), ".."):
		return name
	default:
		return rest
	}
}

// isDocument tells whether a file is listed and searched.
func isDocument(name string) bool {
	return len(name) > len(extension) && strings.EqualFold(name[len(name)-len(extension):], extension)
}

const extension = ".md"
