package ledger

import (
	"context"
	"errors"
	"slices"
	"strings"

	"redline/internal/diff"
	"redline/internal/text"
	"redline/internal/workspace"
)

// Retract returns the buffers of a session to a checkpoint, for a turn under review
// "hunks". What waits for a decision is rejected, as in a Rollback; what is on the disk
// stays there until the next Apply, which brings it back to what it was: until then
// that is an accepted change of the user's. All of it is done, or nothing.
func (l *Ledger) Retract(ctx context.Context, id string, mode RollbackMode, hunks []string) (Report, error) {
	return l.goBack(ctx, id, func(t *TurnRecord) (Report, error) {
		if t.Review != Hunks {
			return Report{}, errorf(Invalid, "%s is not under review hunks: its changes have no buffer", t.ID)
		}
		waiting, stage, err := l.retraction(ctx, t, mode, hunks)
		if err != nil {
			return Report{}, err
		}
		if len(waiting) > 0 {
			if _, err := stage(ctx); err != nil { // would it work?
				return Report{}, err
			}
			if _, err := l.Decide(ctx, t.Session, nil, waiting); err != nil {
				return Report{}, err
			}
		}
		r, err := stage(ctx)
		if err != nil {
			return Report{}, err
		}
		for _, id := range waiting {
			if c, h := t.hunk(id); h != nil {
				r.restored(c.Path)
			}
		}
		_, err = l.adopt(ctx, r.layer, Note{Kind: NoteRollback, Turn: t.ID, Path: r.first(t)})
		slices.SortFunc(r.files, func(a, b FileReport) int { return strings.Compare(a.Path.String(), b.Path.String()) })
		return Report{Turn: t.ID, Files: r.files}, err
	})
}

// retraction is what a rollback comes to: the hunks that are rejected, and how the
// rest is taken back above them.
func (l *Ledger) retraction(ctx context.Context, t *TurnRecord, mode RollbackMode, hunks []string) (waiting []string, stage func(context.Context) (*retracting, error), err error) {
	switch {
	case mode == HardAll && len(hunks) == 0:
		waiting, err = l.waitingSince(ctx, t)
		return waiting, func(ctx context.Context) (*retracting, error) { return l.retractAll(ctx, t) }, err
	case mode == ScopedSelected && len(hunks) > 0:
	case mode == ScopedSelected:
		return nil, nil, errorf(Invalid, "name the hunks to take back")
	default:
		return nil, nil, errorf(Invalid, "a rollback is %q without hunks, or %q with some", HardAll, ScopedSelected)
	}
	var onDisk []string
	for _, id := range hunks {
		_, h := t.hunk(id)
		switch {
		case h == nil:
			return nil, nil, errorf(NotFound, "no hunk %s in %s", id, t.ID)
		case h.Applied:
			onDisk = append(onDisk, id)
		case h.State != HunkRejected:
			waiting = append(waiting, id)
		}
	}
	return waiting, func(ctx context.Context) (*retracting, error) { return l.retractHunks(ctx, t, onDisk) }, nil
}

// retracting is a layer of the user's in which changes are taken back.
type retracting struct {
	layer     *Turn
	files     []FileReport
	conflicts []FileConflict
}

func (r *retracting) restored(p Path) {
	if !slices.ContainsFunc(r.files, func(f FileReport) bool { return f.Path == p }) {
		r.files = append(r.files, FileReport{Path: p, Outcome: FileRestored})
	}
}

func (r *retracting) conflict(p Path, reason string) {
	r.conflicts = append(r.conflicts, FileConflict{Path: p, Reason: reason})
}

// first is a file that it is about.
func (r *retracting) first(t *TurnRecord) Path {
	if len(r.files) > 0 {
		return r.files[0].Path
	}
	if len(t.Changes) > 0 {
		return t.Changes[0].Path
	}
	return Path{}
}

// retractAll sets every file back that the turn brought to the disk, whatever was done
// to it since. The last change is taken back first: what is in a new folder goes
// before the folder.
func (l *Ledger) retractAll(ctx context.Context, t *TurnRecord) (*retracting, error) {
	layer, err := l.userLayer(ctx, t.Session)
	if err != nil {
		return nil, err
	}
	r := &retracting{layer: layer}
	for i := len(t.Changes) - 1; i >= 0; i-- {
		c := &t.Changes[i]
		if !slices.ContainsFunc(c.Hunks, func(h Hunk) bool { return h.Applied }) {
			continue
		}
		before, _, err := l.Contents(ctx, c)
		if err != nil {
			return nil, err
		}
		if err := r.moveBack(ctx, c); err != nil {
			return nil, err
		}
		if err := r.set(ctx, c.origin(), c.Before, before); err != nil {
			return nil, err
		}
		r.restored(c.origin())
	}
	return r, nil
}

// moveBack gives what a change moved its old name, if nothing else has it.
func (r *retracting) moveBack(ctx context.Context, c *Change) error {
	if c.From == nil {
		return nil
	}
	now, err := r.layer.Stat(ctx, c.Path)
	if err != nil {
		return err
	}
	there, err := r.layer.Stat(ctx, *c.From)
	if err != nil || now.Kind != c.After.Kind || there.Exists() {
		return err
	}
	return r.layer.Move(ctx, "rollback", c.Path, *c.From)
}

// set makes a path what it was.
func (r *retracting) set(ctx context.Context, p Path, was State, data []byte) error {
	now, err := r.layer.Stat(ctx, p)
	switch {
	case err != nil || sameState(now, was):
		return err
	case was.Kind == Link || now.Kind == Link:
		return errorf(Invalid, "%s is a link, which no buffer holds: undo the turn instead", workspace.Display(p.String()))
	case was.Kind == File && now.Kind == File:
		if now.Hash != was.Hash {
			if _, err := r.layer.Write(ctx, "rollback", p, data, now.Hash); err != nil {
				return err
			}
		}
		if now.Mode != was.Mode {
			return r.layer.Chmod(ctx, "rollback", p, was.Mode)
		}
		return nil
	}
	if now.Kind == Dir && was.Kind == None {
		list, err := r.layer.List(ctx, workspace.WalkOptions{Under: p, Depth: 1, Unlisted: true})
		if err != nil || len(list) > 0 {
			return err // somebody else has put something in it
		}
	}
	if now.Exists() {
		if err := r.layer.Delete(ctx, "rollback", p); err != nil {
			return err
		}
	}
	switch was.Kind {
	case File:
		_, err = r.layer.Create(ctx, "rollback", p, data, was.Mode)
	case Dir:
		err = r.layer.MakeDir(ctx, "rollback", p)
	}
	return err
}

// retractHunks takes back chosen hunks that are on the disk, and keeps everything else.
func (l *Ledger) retractHunks(ctx context.Context, t *TurnRecord, ids []string) (*retracting, error) {
	layer, err := l.userLayer(ctx, t.Session)
	if err != nil {
		return nil, err
	}
	r := &retracting{layer: layer}
	for i := len(t.Changes) - 1; i >= 0; i-- {
		c := &t.Changes[i]
		var chosen []Hunk
		for _, h := range c.Hunks {
			if slices.Contains(ids, h.ID) {
				chosen = append(chosen, h)
			}
		}
		if len(chosen) == 0 {
			continue
		}
		if err := r.change(ctx, l, c, chosen); err != nil {
			return nil, err
		}
	}
	if len(r.conflicts) > 0 {
		return nil, &Error{Code: Conflict, Reason: "others have changed the same places since", Conflicts: r.conflicts}
	}
	return r, nil
}

// change takes back hunks of one change: first the pieces of text, where the file is
// now, then what happened to it as a whole.
func (r *retracting) change(ctx context.Context, l *Ledger, c *Change, chosen []Hunk) error {
	before, after, err := l.Contents(ctx, c)
	if err != nil {
		return err
	}
	var texts []Hunk
	for _, h := range chosen {
		if h.Kind == TextHunk {
			texts = append(texts, h)
		}
	}
	if len(texts) > 0 {
		if err := r.texts(ctx, c, before, after, texts); err != nil {
			return err
		}
	}
	for _, h := range chosen {
		if h.Kind != TextHunk {
			if err := r.whole(ctx, c, h, before); err != nil {
				return err
			}
		}
	}
	r.restored(c.origin())
	return nil
}

// texts takes pieces of text back, by a merge with what the file has become.
func (r *retracting) texts(ctx context.Context, c *Change, before, after []byte, hunks []Hunk) error {
	s, err := r.layer.Peek(ctx, c.Path)
	if errors.Is(err, workspace.NotFound) {
		r.conflict(c.Path, "the file is gone")
		return nil
	}
	if err != nil {
		return err
	}
	old, proposed := text.New(before), text.New(after)
	var edits []text.Edit
	for _, h := range hunks {
		lines, err := old.Slice(h.A)
		if err != nil {
			return err
		}
		edits = append(edits, text.Edit{Range: h.B, Content: lines})
	}
	without, err := proposed.Apply(edits...)
	if err != nil {
		return err
	}
	merged := diff.Merge3(proposed, text.New(s.Data), without)
	if !merged.Clean() {
		r.conflict(c.Path, "the text has been changed further")
		return nil
	}
	if result := merged.Result.Bytes(); string(result) != string(s.Data) {
		_, err = r.layer.Write(ctx, "rollback", c.Path, result, s.Hash)
	}
	return err
}

// whole takes back what happened to a file as a whole, if it is as the change left it.
func (r *retracting) whole(ctx context.Context, c *Change, h Hunk, before []byte) error {
	now, err := r.layer.Stat(ctx, c.Path)
	if err != nil {
		return err
	}
	switch {
	case h.Kind == MoveHunk:
		if there, err := r.layer.Stat(ctx, *c.From); err != nil || now.Kind != c.After.Kind || there.Exists() {
			r.conflict(c.Path, "it cannot have its old name again")
			return err
		}
		return r.moveBack(ctx, c)
	case h.Kind == ModeHunk && now.Kind == File:
		return r.layer.Chmod(ctx, "rollback", c.Path, c.Before.Mode)
	case now.Kind != c.After.Kind || now.Hash != c.After.Hash:
		r.conflict(c.Path, "it has been changed since")
		return nil
	}
	return r.set(ctx, c.origin(), c.Before, before)
}
