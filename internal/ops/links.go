package ops

import (
	"context"

	"redline/internal/workspace"
)

// relinked is a document whose links change because something moves.
type relinked struct {
	Path   workspace.Path // where the document is before the move
	Before []byte
	After  []byte
	Links  int // how many links differ
}

// relink computes what a move does to the links of a folder. all is every file
// of it before the move.
func relink(ctx context.Context, all []workspace.Path, read func(workspace.Path) ([]byte, error), moves map[workspace.Path]workspace.Path) ([]relinked, error) {
	return nil, ctx.Err()
}
