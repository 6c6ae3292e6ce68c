package ops

import (
	"context"
	"errors"
	"path"
	"strings"

	"redline/internal/ledger"
	"redline/internal/text"
	"redline/internal/workspace"
)

// Moved is a document or folder that has another name now.
type Moved struct {
	From, To string
	Files    int      // how many files moved
	Links    []Linked // documents whose links were brought along
}

// Linked is a document whose links were changed because what they point to moved.
type Linked struct {
	Path  string
	Count int
}

// sidecar is the ending of a file that belongs to a document of the same name.
const sidecar = ".sidecar.json"

// Move gives a document or a folder another name. Links that point to what moved
// are changed in the same turn, and a sidecar moves along. If to is a folder, or
// ends in a slash, the name is kept.
func (d *Desk) Move(ctx context.Context, tool, from, to string) (Moved, error) {
	p, q, kind, err := d.route(ctx, from, to)
	if err != nil {
		return Moved{}, err
	}
	all, moves, err := d.moves(ctx, p, q, kind)
	if err != nil {
		return Moved{}, err
	}
	changed, err := d.relinked(ctx, all, moves)
	if err != nil {
		return Moved{}, err
	}
	if err := d.move(ctx, tool, p, q); err != nil {
		return Moved{}, err
	}
	out := Moved{From: p.String(), To: q.String(), Files: len(moves)}
	if side, ok := d.sidecarOf(ctx, p, kind); ok && side != sidecarName(q) {
		if err := d.move(ctx, tool, side, sidecarName(q)); err != nil {
			out, linkErr := d.writeLinks(ctx, tool, out, changed, moves) // they are right whatever happens to the sidecar
			return out, errors.Join(err, linkErr)
		}
		out.Files++
	}
	return d.writeLinks(ctx, tool, out, changed, moves)
}

func (d *Desk) move(ctx context.Context, tool string, p, q workspace.Path) error {
	err := retry(ctx, func() error { return d.turn.Move(ctx, tool, p, q) })
	if err == nil {
		return nil
	}
	e := AsError(err)
	if e.Code == AlreadyExists {
		return errorf(AlreadyExists, q.String(), "%s exists already", q)
	}
	return e
}

// destination is the path that p gets.
func (d *Desk) destination(ctx context.Context, p workspace.Path, to string) (workspace.Path, error) {
	name := strings.TrimRight(to, "/")
	if name == "" && to != "" {
		name = "." // the root
	}
	if name == "." {
		return d.resolve(ctx, p.Base(), workspace.Writing)
	}
	q, err := d.resolve(ctx, name, workspace.Writing)
	if err != nil {
		return q, err
	}
	s, err := d.turn.Stat(ctx, q)
	if err != nil {
		return q, AsError(err)
	}
	if s.Kind == ledger.Dir && q != p || strings.HasSuffix(to, "/") {
		return d.resolve(ctx, path.Join(q.String(), p.Base()), workspace.Writing)
	}
	return q, nil
}

// moves lists all files of the folder, and those that move with their new names.
func (d *Desk) moves(ctx context.Context, p, q workspace.Path, kind ledger.Kind) ([]workspace.Path, map[workspace.Path]workspace.Path, error) {
	found, err := d.turn.List(ctx, workspace.WalkOptions{Policy: d.policy, Closed: true})
	if err != nil {
		return nil, nil, AsError(err)
	}
	var all []workspace.Path
	moves := map[workspace.Path]workspace.Path{}
	if kind != ledger.Dir {
		moves[p] = q
	}
	for _, l := range found {
		if l.IsDir() {
			continue
		}
		all = append(all, l.Path)
		if kind == ledger.Dir && l.Path.Within(p) {
			moves[l.Path] = l.Path.Rebase(p, q)
		}
	}
	return all, moves, nil
}

func sidecarName(p workspace.Path) workspace.Path {
	base := strings.TrimSuffix(p.Base(), path.Ext(p.Base())) + sidecar
	if p.Parent().IsRoot() {
		return workspace.MustPath(base)
	}
	return workspace.MustPath(p.Parent().String() + "/" + base)
}

// sidecarOf is the sidecar of a document, if it has one.
func (d *Desk) sidecarOf(ctx context.Context, p workspace.Path, kind ledger.Kind) (workspace.Path, bool) {
	if kind != ledger.File || strings.HasSuffix(p.Base(), sidecar) {
		return p, false
	}
	side := sidecarName(p)
	s, err := d.turn.Stat(ctx, side)
	return side, err == nil && s.Kind == ledger.File
}

// writeLinks changes the links, each document at the place where it is now. One
// that another program changed meanwhile is left alone and reported.
func (d *Desk) writeLinks(ctx context.Context, tool string, out Moved, changed []relinked, moves map[workspace.Path]workspace.Path) (Moved, error) {
	var failed []string
	for _, c := range changed {
		at := c.Path
		if q, ok := moves[at]; ok {
			at = q
		}
		_, err := d.turn.Write(ctx, tool, at, c.After, text.Sum(c.Before))
		if err != nil {
			failed = append(failed, err.Error())
			continue
		}
		out.Links = append(out.Links, Linked{at.String(), c.Links})
	}
	if failed != nil {
		e := errorf(Conflicted, out.From, "%s was moved to %s, but not all links could be changed: %s", out.From, out.To, strings.Join(failed, "; "))
		e.Details = map[string]any{"moved": true, "failed": failed}
		return out, e
	}
	return out, nil
}

// Deleted is what went to the trash.
type Deleted struct {
	Path  string
	Files []string // all files of it
}

// Delete moves a document or a folder to the trash, from where it can be brought
// back. A sidecar goes along. A folder that holds files of Redline or git, or such
// that look like secrets, stays.
func (d *Desk) Delete(ctx context.Context, tool, name string) (Deleted, error) {
	p, files, err := d.doomed(ctx, name)
	if err != nil {
		return Deleted{}, err
	}
	kind := ledger.File
	if s, err := d.turn.Stat(ctx, p); err == nil {
		kind = s.Kind
	}
	side, has := d.sidecarOf(ctx, p, kind)
	if err := retry(ctx, func() error { return d.turn.Delete(ctx, tool, p) }); err != nil {
		return Deleted{}, AsError(err)
	}
	out := Deleted{p.String(), files}
	if has {
		if err := d.turn.Delete(ctx, tool, side); err != nil {
			return out, AsError(err)
		}
		out.Files = append(out.Files, side.String())
	}
	return out, nil
}

// Within lists the files that a path stands for: itself, or all that are in it.
func (d *Desk) Within(ctx context.Context, name string) ([]string, error) {
	p, err := d.resolve(ctx, name, workspace.Reading)
	if err != nil {
		return nil, err
	}
	s, err := d.turn.Stat(ctx, p)
	if err == nil && !s.Exists() {
		err = &workspace.Error{Code: workspace.NotFound, Path: name}
	}
	if err != nil {
		return nil, d.absent(ctx, name, err)
	}
	if s.Kind != ledger.Dir {
		return []string{p.String()}, nil
	}
	found, err := d.turn.List(ctx, workspace.WalkOptions{Under: p, Closed: true, Unlisted: true})
	if err != nil {
		return nil, AsError(err)
	}
	var files []string
	for _, l := range found {
		if !l.IsDir() {
			files = append(files, l.Path.String())
		}
	}
	return files, nil
}
