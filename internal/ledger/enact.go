package ledger

import (
	"context"
	"slices"

	"redline/internal/text"
)

// Enact makes what was done in a copy of the folder part of the turn: all of it, as
// one commit, or nothing. The effects are the sum of what was done: each path is in
// one of them, as what became of it or as where it was moved from, nothing is moved
// to where something was, and new folders are among them. contents are what the
// files and links that are written hold.
//
// The hash in Before is what the copy had there; where it is zero, what is there now
// is what is meant. If something else is there, that is Stale and nothing was done.
// A zero hash or mode in After stays as it was before. The effects come back as they
// were enacted.
func (t *Turn) Enact(ctx context.Context, tool string, effects []Effect, contents ...[]byte) ([]Effect, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.enact(ctx, tool, effects, contents...)
}

func (t *Turn) enact(ctx context.Context, tool string, effects []Effect, contents ...[]byte) ([]Effect, error) {
	texts := map[text.Hash][]byte{}
	for _, data := range contents {
		texts[text.Sum(data)] = data
	}
	effects = slices.Clone(effects)
	for i := range effects {
		if err := t.settleStates(ctx, &effects[i], texts); err != nil {
			return nil, err
		}
	}
	effects = slices.DeleteFunc(effects, Effect.empty)
	if len(effects) == 0 {
		return nil, nil
	}
	slices.SortFunc(effects, compareEffects)
	contents = contents[:0:0]
	for _, data := range texts {
		contents = append(contents, data)
	}
	if err := t.do(ctx, tool, effects, contents...); err != nil {
		return nil, err
	}
	for _, e := range effects {
		t.enacted(e, texts)
	}
	return effects, nil
}

// settleStates fills in what is there now, if it is what the copy had, and keeps its
// content.
func (t *Turn) settleStates(ctx context.Context, e *Effect, texts map[text.Hash][]byte) error {
	now, data, err := t.view.state(ctx, e.origin())
	if err != nil {
		return err
	}
	if e.Before.Hash.IsZero() {
		e.Before.Hash = now.Hash
	}
	if !sameState(now, e.Before) {
		return &Error{Code: Stale, Reason: "the folder has changed while the command ran; run it again",
			Conflicts: []FileConflict{{Path: e.origin(), Reason: difference(e.Before, now)}}}
	}
	e.Before = now
	if now.Kind == File || now.Kind == Link {
		texts[now.Hash] = data
	}
	if e.After.Kind != File && e.After.Kind != Link {
		return nil
	}
	if e.After.Hash.IsZero() {
		e.After.Hash = now.Hash
	}
	if e.After.Kind == File && e.After.Mode == 0 {
		e.After.Mode = 0o644
		if now.Kind == File {
			e.After.Mode = now.Mode
		}
	}
	return nil
}

// enacted brings up to date what is known of a file.
func (t *Turn) enacted(e Effect, texts map[text.Hash][]byte) {
	if e.From != nil {
		t.ledger.seen.moved(t.record.Session, *e.From, e.Path)
	}
	if _, told := t.edits[e.Path]; !told {
		return
	}
	if e.From == nil && e.Before.Kind == File && e.After.Kind == File {
		t.follow(e.Path, texts[e.Before.Hash], texts[e.After.Hash], nil, true)
		return
	}
	delete(t.edits, e.Path)
}

// Changes is how many calls have changed something.
func (t *Turn) Changes() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.record.Actions)
}
