package ledger

import (
	"context"
	"slices"

	"redline/internal/workspace"
)

// RestoreTrash brings an item of the folder's trash back to where it was. It never
// overwrites. That is a change of its own, which can be undone.
func (l *Ledger) RestoreTrash(ctx context.Context, session, id string) (*TurnRecord, error) {
	items, err := l.folder.Trashes()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(items, func(t workspace.Trashed) bool { return t.ID == id })
	if i < 0 {
		return nil, errorf(NotFound, "the trash has no %s", workspace.Display(id))
	}
	item := items[i]
	is, data, err := l.look(item.File())
	switch {
	case err != nil:
		return nil, err
	case is.Kind != File && is.Kind != Link:
		return nil, errorf(Invalid, "%s is a folder; move it back by hand", workspace.Display(item.File().String()))
	}
	t, err := l.Begin(ctx, TurnRequest{Session: session, Message: "restore " + item.Path.String() + " from the trash", Review: Auto})
	if err != nil {
		return nil, err
	}
	if err := t.fromTrash(ctx, item, is, data); err != nil {
		_, discardErr := t.Discard(ctx)
		if discardErr != nil {
			return nil, discardErr
		}
		return nil, err
	}
	return t.End(ctx)
}

func (t *Turn) fromTrash(ctx context.Context, item workspace.Trashed, is State, data []byte) error {
	there, _, err := t.view.state(ctx, item.Path)
	if err != nil {
		return err
	}
	if there.Exists() {
		return &workspace.Error{Code: workspace.Exists, Path: item.Path.String(), Reason: "something else has its name now; move that away first"}
	}
	effects, err := t.parents(ctx, item.Path)
	if err != nil {
		return err
	}
	p := &plan{trash: map[Path]workspace.Trashed{item.Path: item}, Commit: Commit{
		Kind: Restored, Turn: t.record.ID, Session: t.record.Session, Tool: "restore", Effects: append(effects, Effect{Path: item.Path, After: is}),
	}}
	p.content(data)
	c, err := t.ledger.commit(ctx, p)
	if err != nil {
		return err
	}
	t.did("restore", c.ID, c.Effects)
	return nil
}
