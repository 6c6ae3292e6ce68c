package ledger

import (
	"context"
	"slices"

	"redline/internal/workspace"
)

// parents are the effects that make the folders on the way to p.
func (t *Turn) parents(ctx context.Context, p Path) ([]Effect, error) {
	var out []Effect
	for dir := p.Parent(); !dir.IsRoot(); dir = dir.Parent() {
		s, _, err := t.view.state(ctx, dir)
		if err != nil {
			return nil, err
		}
		switch s.Kind {
		case Dir:
			slices.Reverse(out)
			return out, nil
		case None:
			out = append(out, Effect{Path: dir, After: State{Kind: Dir}})
		default:
			return nil, &workspace.Error{Code: workspace.NotDirectory, Path: p.String(), Reason: workspace.Display(dir.String()) + " is not a folder"}
		}
	}
	slices.Reverse(out)
	return out, nil
}

// MakeDir makes a folder and those on the way to it.
func (t *Turn) MakeDir(ctx context.Context, tool string, p Path) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, _, err := t.view.state(ctx, p)
	if err != nil {
		return err
	}
	if s.Exists() {
		return &workspace.Error{Code: workspace.Exists, Path: p.String(), Reason: "a file or folder with that name exists"}
	}
	effects, err := t.parents(ctx, p)
	if err != nil {
		return err
	}
	return t.do(ctx, tool, append(effects, Effect{Path: p, After: State{Kind: Dir}}))
}

// Delete removes the file or folder p, with all that is in it.
func (t *Turn) Delete(ctx context.Context, tool string, p Path) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	things, err := t.below(ctx, p)
	if err != nil {
		return err
	}
	effects := make([]Effect, 0, len(things))
	var contents [][]byte
	for _, s := range things {
		effects = append(effects, Effect{Path: s.Path, Before: s.State})
		if s.Kind == File || s.Kind == Link {
			contents = append(contents, s.Data)
		}
	}
	return t.do(ctx, tool, effects, contents...)
}

// Move gives the file or folder p the name q. It never overwrites.
func (t *Turn) Move(ctx context.Context, tool string, p, q Path) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case p == q:
		return &workspace.Error{Code: workspace.Exists, Path: q.String(), Reason: "it is there already"}
	case q.Within(p):
		return &workspace.Error{Code: workspace.InvalidPath, Path: q.String(), Reason: "a folder cannot be moved into itself"}
	}
	things, err := t.below(ctx, p)
	if err != nil {
		return err
	}
	there, _, err := t.view.state(ctx, q)
	if err != nil {
		return err
	}
	if there.Exists() {
		return &workspace.Error{Code: workspace.Exists, Path: q.String(), Reason: "a file or folder with that name exists"}
	}
	effects, err := t.parents(ctx, q)
	if err != nil {
		return err
	}
	// A folder is made anew at its new place, its files move, the old one goes.
	// Contents are kept though a move loses none: added up with what comes
	// later, a move may turn out to be a change.
	var gone []Effect
	var contents [][]byte
	for _, s := range things {
		to := s.Path.Rebase(p, q)
		if s.Kind == Dir {
			effects = append(effects, Effect{Path: to, After: s.State})
			gone = append(gone, Effect{Path: s.Path, Before: s.State})
			continue
		}
		from := s.Path
		contents = append(contents, s.Data)
		effects = append(effects, Effect{Path: to, From: &from, Before: s.State, After: s.State})
	}
	if err := t.do(ctx, tool, append(effects, gone...), contents...); err != nil {
		return err
	}
	for _, s := range things {
		t.ledger.seen.moved(t.record.Session, s.Path, s.Path.Rebase(p, q))
	}
	return nil
}

// below is what is at p and, if that is a folder, all that is in it, as the
// turn sees it; outer things come first.
func (t *Turn) below(ctx context.Context, p Path) ([]Snapshot, error) {
	s, data, err := t.view.state(ctx, p)
	if err != nil {
		return nil, err
	}
	if !s.Exists() || p.IsRoot() {
		code := workspace.NotFound
		if p.IsRoot() {
			code = workspace.InvalidPath
		}
		return nil, &workspace.Error{Code: code, Path: p.String()}
	}
	out := []Snapshot{{Path: p, State: s, Data: data}}
	if s.Kind != Dir {
		return out, nil
	}
	list, err := t.view.list(ctx, workspace.WalkOptions{Under: p, Unlisted: true})
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		s, data, err := t.view.state(ctx, e.Path)
		if err != nil {
			return nil, err
		}
		out = append(out, Snapshot{Path: e.Path, State: s, Data: data})
	}
	return out, nil
}
