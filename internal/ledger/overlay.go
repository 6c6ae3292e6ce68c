package ledger

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"redline/internal/text"
	"redline/internal/workspace"
)

// overlay is what a session has changed and the disk does not show.
type overlay struct {
	at       map[Path]State
	contents map[text.Hash][]byte
}

func newOverlay() *overlay {
	return &overlay{at: map[Path]State{}, contents: map[text.Hash][]byte{}}
}

// apply makes e visible.
func (o *overlay) apply(e Effect) {
	if e.From != nil {
		o.at[*e.From] = State{}
	}
	o.at[e.Path] = e.After
}

// view is the folder as a turn sees it: the disk, over it what the session has
// pending, over that the turn's own changes.
type view struct {
	ledger *Ledger
	layers []*overlay // the last one is on top
}

// state tells what is at p, with its content.
func (v *view) state(ctx context.Context, p Path) (State, []byte, error) {
	for _, o := range slices.Backward(v.layers) {
		s, ok := o.at[p]
		if !ok {
			continue
		}
		if s.Kind != File && s.Kind != Link {
			return s, nil, nil
		}
		data, err := v.content(ctx, s.Hash)
		return s, data, err
	}
	return v.ledger.look(p)
}

func (v *view) content(ctx context.Context, h text.Hash) ([]byte, error) {
	for _, o := range v.layers {
		if data, ok := o.contents[h]; ok {
			return data, nil
		}
	}
	return v.ledger.store.Blob(ctx, h)
}

// list is the walk of the folder as the turn sees it.
func (v *view) list(ctx context.Context, o workspace.WalkOptions) ([]workspace.Listed, error) {
	list, err := v.ledger.folder.List(ctx, o)
	if err != nil && workspace.CodeOf(err) != workspace.NotFound {
		return nil, err
	}
	changed := v.changed()
	if len(changed) == 0 {
		return list, err
	}
	list = slices.DeleteFunc(list, func(l workspace.Listed) bool { _, ok := changed[l.Path]; return ok })
	for p, s := range changed {
		if !s.Exists() || !p.Within(o.Under) || p == o.Under {
			continue
		}
		if verdict, _ := o.Policy.Check(p, workspace.Reading); verdict == workspace.Deny {
			continue
		}
		if o.Depth > 0 && p.Depth()-o.Under.Depth() > o.Depth {
			continue
		}
		list = append(list, workspace.Listed{Path: p, Entry: entryOf(p, s)})
	}
	slices.SortFunc(list, func(a, b workspace.Listed) int { return cmp.Or(a.Path.Compare(b.Path)) })
	return list, nil
}

// changed is all that the layers say, the upper ones over the lower.
func (v *view) changed() map[Path]State {
	changed := map[Path]State{}
	for _, layer := range v.layers {
		maps.Copy(changed, layer.at)
	}
	return changed
}

// Staged is what a turn sees at a path, whatever the disk has there; nothing at
// all, if the state does not exist.
type Staged struct {
	Path Path
	State
}

// Staged lists, by path, what the turn sees of its own changes and of those
// that the session has pending: everywhere else it sees the disk. Changes that
// go to the disk at once are not among them. It reads nothing.
func (t *Turn) Staged() []Staged {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []Staged
	for p, s := range t.view.changed() {
		out = append(out, Staged{p, s})
	}
	slices.SortFunc(out, func(a, b Staged) int { return a.Path.Compare(b.Path) })
	return out
}

// StagedContent is the content of something that Staged lists. It does not
// count as read by the session.
func (t *Turn) StagedContent(ctx context.Context, s Staged) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.view.content(ctx, s.Hash)
}

func entryOf(p Path, s State) workspace.Entry {
	e := workspace.Entry{Name: p.Base()}
	switch s.Kind {
	case Dir:
		e.Type = workspace.DirType
	case Link:
		e.Type = workspace.LinkType
	}
	return e
}
