package ops

import (
	"context"
	"slices"

	"redline/internal/ledger"
	"redline/internal/workspace"
)

// Moving lists what Move would change, in the order of paths: the files that move,
// the new path of the document or folder, and the documents whose links would be
// brought along.
func (d *Desk) Moving(ctx context.Context, from, to string) ([]string, error) {
	p, q, kind, err := d.route(ctx, from, to)
	if err != nil {
		return nil, err
	}
	all, moves, err := d.moves(ctx, p, q, kind)
	if err != nil {
		return nil, err
	}
	changed := map[workspace.Path]bool{q: true}
	for m := range moves {
		changed[m] = true
	}
	if side, ok := d.sidecarOf(ctx, p, kind); ok {
		changed[side], changed[sidecarName(q)] = true, true
	}
	links, err := d.relinked(ctx, all, moves)
	if err != nil {
		return nil, err
	}
	for _, l := range links {
		changed[l.Path] = true
	}
	var list []workspace.Path
	for c := range changed {
		list = append(list, c)
	}
	slices.SortFunc(list, workspace.Path.Compare)
	var names []string
	for _, c := range list {
		names = append(names, c.String())
	}
	return names, nil
}

// Deleting lists the files that Delete would move to the trash; an empty folder
// stands for itself.
func (d *Desk) Deleting(ctx context.Context, name string) ([]string, error) {
	p, files, err := d.doomed(ctx, name)
	if err != nil {
		return nil, err
	}
	if side, ok := d.sidecarOf(ctx, p, ledger.File); ok && len(files) == 1 && files[0] == p.String() {
		files = append(files, side.String())
	}
	if len(files) == 0 {
		files = []string{p.String()}
	}
	return files, nil
}

// doomed finds what a path stands for, if all of it can be deleted.
func (d *Desk) doomed(ctx context.Context, name string) (workspace.Path, []string, error) {
	p, err := d.resolve(ctx, name, workspace.Writing)
	if err != nil {
		return p, nil, err
	}
	if p.IsRoot() {
		return p, nil, errorf(InvalidArgument, name, "the folder itself cannot be deleted")
	}
	if err := d.notLink(ctx, name, p); err != nil {
		return p, nil, err
	}
	files, err := d.Within(ctx, name)
	if err != nil {
		return p, nil, err
	}
	for _, f := range files {
		q, err := workspace.ParsePath(f)
		if err != nil {
			continue // a name that nobody could give: no rule is about it
		}
		if verdict, err := d.policy.Check(q, workspace.Writing); verdict == workspace.Deny && (workspace.CodeOf(err) == workspace.Internal || workspace.CodeOf(err) == workspace.Sensitive) {
			e := AsError(err)
			e.Message = name + " cannot be deleted because of what is in it: " + e.Message
			return p, nil, e
		}
	}
	return p, files, nil
}

// notLink refuses a name that is a symbolic link, to what p is: whoever deletes or
// moves a link does not mean that.
func (d *Desk) notLink(ctx context.Context, name string, p workspace.Path) error {
	named, err := d.folder.Path(name)
	if err != nil || named == p {
		return nil
	}
	if s, err := d.turn.Stat(ctx, named); err == nil && s.Kind == ledger.Link {
		return errorf(IsLink, name, "%s is a link to %s; nothing was changed", name, p)
	}
	return nil
}

// route finds the two ends of a move, if it can be.
func (d *Desk) route(ctx context.Context, from, to string) (p, q workspace.Path, kind ledger.Kind, err error) {
	if p, err = d.resolve(ctx, from, workspace.Writing); err != nil {
		return p, q, kind, err
	}
	there, err := d.turn.Stat(ctx, p)
	if err == nil && !there.Exists() {
		err = &workspace.Error{Code: workspace.NotFound, Path: from}
	}
	if err != nil {
		return p, q, kind, d.absent(ctx, from, err)
	}
	if err := d.notLink(ctx, from, p); err != nil {
		return p, q, kind, err
	}
	if q, err = d.destination(ctx, p, to); err != nil {
		return p, q, kind, err
	}
	switch {
	case p == q:
		err = errorf(NoChange, from, "%s has that name already", from)
	case q.Within(p) && there.Kind == ledger.Dir:
		err = errorf(InvalidArgument, to, "a folder cannot be moved into itself")
	default:
		err = d.sidecarFits(ctx, p, q, there.Kind)
	}
	return p, q, there.Kind, err
}

// sidecarFits refuses a move of a document whose sidecar would have no place: the
// two go together or not at all.
func (d *Desk) sidecarFits(ctx context.Context, p, q workspace.Path, kind ledger.Kind) error {
	side, ok := d.sidecarOf(ctx, p, kind)
	to := sidecarName(q)
	if !ok || to == side {
		return nil
	}
	there, err := d.turn.Stat(ctx, to)
	switch {
	case err != nil:
		return AsError(err)
	case there.Exists():
		return errorf(AlreadyExists, to.String(), "%s cannot move along: %s exists already; nothing was moved", side, to)
	}
	return nil
}

// relinked is what moves do to the links in documents, if these shall follow.
func (d *Desk) relinked(ctx context.Context, all []workspace.Path, moves map[workspace.Path]workspace.Path) ([]relinked, error) {
	if !d.links {
		return nil, nil
	}
	read := func(p workspace.Path) ([]byte, error) {
		s, err := d.turn.Peek(ctx, p)
		if err != nil {
			return nil, err
		}
		return s.Data, nil
	}
	changed, err := relink(ctx, all, read, moves)
	if err != nil {
		return nil, AsError(err)
	}
	return changed, nil
}
