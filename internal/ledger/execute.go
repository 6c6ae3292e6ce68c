package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"redline/internal/text"
	"redline/internal/workspace"
)

// execution carries out a plan on the disk, step by step, and can take the
// steps back. Steps go in an order in which none is in another's way: files are
// deleted, folders are made, things are moved, folders are removed, files are
// written, modes are set.
type execution struct {
	ledger  *Ledger
	plan    *plan
	undo    []func(ctx context.Context) error
	trashed []string
}

// verify makes sure that the disk is as the effects expect it, and keeps the
// contents that would be lost.
func (x *execution) verify(ctx context.Context) error {
	var conflicts []FileConflict
	pass := x.ledger.folder.Pass()
	defer pass.Close()
	for _, e := range x.plan.Effects {
		now, data, err := lookIn(pass, e.origin())
		if err != nil {
			return err
		}
		if !sameState(now, e.Before) {
			conflicts = append(conflicts, FileConflict{Path: e.origin(), Reason: difference(e.Before, now)})
			continue
		}
		if e.From != nil {
			if there, _, err := lookIn(pass, e.Path); err != nil || there.Exists() {
				conflicts = append(conflicts, FileConflict{Path: e.Path, Reason: difference(State{}, there)})
			}
		}
		if now.Kind == File || now.Kind == Link {
			x.plan.content(data)
		}
	}
	if len(conflicts) > 0 {
		return &Error{Code: Conflict, Reason: "the folder has changed", Conflicts: conflicts}
	}
	return x.haveContents(ctx)
}

// haveContents finds what is to be written and is not in the plan.
func (x *execution) haveContents(ctx context.Context) error {
	for _, e := range x.plan.Effects {
		if e.After.Kind != File && e.After.Kind != Link || !e.rewrites() {
			continue
		}
		if _, ok := x.plan.contents[e.After.Hash]; ok {
			continue
		}
		data, err := x.ledger.store.Blob(ctx, e.After.Hash)
		if err != nil {
			return fmt.Errorf("content for %s: %w", e.Path, err)
		}
		x.plan.content(data)
	}
	return nil
}

// sameState compares what counts: a folder's mode does not.
func sameState(a, b State) bool {
	if a.Kind != b.Kind || a.Kind == Dir {
		return a.Kind == b.Kind
	}
	return a.Hash == b.Hash && (a.Kind != File || a.Mode == b.Mode || b.Mode == 0)
}

func difference(want, now State) string {
	switch {
	case !now.Exists():
		return "it is gone"
	case !want.Exists():
		return "something is there already"
	case want.Kind != now.Kind:
		return "it is something else now"
	case want.Hash != now.Hash:
		return "its content has changed"
	}
	return "its mode has changed"
}

// look tells what is at p on the disk, with the content of a file or the target
// of a link.
func (l *Ledger) look(p Path) (State, []byte, error) {
	pass := l.folder.Pass()
	defer pass.Close()
	return lookIn(pass, p)
}

// lookIn is look for many files in one go.
func lookIn(pass *workspace.Pass, p Path) (State, []byte, error) {
	info, data, err := pass.Look(p)
	switch code := workspace.CodeOf(err); {
	case code == workspace.NotFound || code == workspace.NotDirectory:
		return State{}, nil, nil
	case code == workspace.IsLink: // a folder on the way is one now
		return State{}, nil, nil
	case err != nil:
		return State{}, nil, err
	case info.IsDir():
		return State{Kind: Dir}, nil, nil
	case info.Mode&fs.ModeSymlink != 0:
		return State{Kind: Link, Hash: text.Sum(data)}, data, nil
	}
	return State{Kind: File, Hash: text.Sum(data), Mode: info.Mode.Perm()}, data, nil
}

// run does the steps. When it fails, the steps done so far are on the undo list.
func (x *execution) run(ctx context.Context) error {
	for _, step := range []func(context.Context) error{x.deletes, x.makeDirs, x.moves, x.removeDirs, x.unlock, x.writes, x.modes} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (x *execution) takeBack(ctx context.Context) error {
	var errs []error
	for _, undo := range slices.Backward(x.undo) {
		errs = append(errs, undo(ctx))
	}
	return errors.Join(errs...)
}

func (x *execution) undoWith(undo func(ctx context.Context) error) { x.undo = append(x.undo, undo) }

func (x *execution) makeDirs(context.Context) error {
	for _, e := range x.plan.Effects { // sorted: outer folders first
		if e.After.Kind != Dir || e.From != nil || e.Before.Kind == Dir {
			continue
		}
		if err := x.makeDir(e.Path); err != nil {
			return err
		}
		x.ledger.fault("made a folder")
	}
	return nil
}

// makeDir makes p unless it is there: another step may have made it on the way.
func (x *execution) makeDir(p Path) error {
	made, err := x.ledger.folder.MakeDir(p)
	if errors.Is(err, workspace.Exists) {
		if info, e := x.ledger.folder.Stat(p); e == nil && info.IsDir() {
			return nil
		}
	}
	if err != nil {
		return err
	}
	x.undoDirs(made)
	return nil
}

func (x *execution) undoDirs(made []Path) {
	if len(made) == 0 {
		return
	}
	x.undoWith(func(context.Context) error {
		var errs []error
		for _, p := range slices.Backward(made) {
			if err := x.ledger.folder.RemoveDir(p); err != nil && !errors.Is(err, workspace.NotEmpty) && !errors.Is(err, workspace.NotFound) {
				errs = append(errs, err)
			}
		}
		return errors.Join(errs...)
	})
}

func (x *execution) moves(context.Context) error {
	for _, e := range x.plan.Effects {
		if e.From == nil || e.Before.Kind == Dir {
			continue
		}
		from, to := *e.From, e.Path
		made, err := x.ledger.folder.Move(from, to)
		if err != nil {
			return err
		}
		x.undoDirs(made)
		x.undoWith(func(context.Context) error { _, err := x.ledger.folder.Move(to, from); return err })
		x.ledger.fault("moved")
	}
	return nil
}

func (x *execution) writes(ctx context.Context) error {
	var writes []workspace.Write
	var links []Effect
	for _, e := range x.plan.Effects {
		switch {
		case !e.rewrites() || e.After.Kind != File && e.After.Kind != Link:
		case x.fromTrash(e):
			if _, err := x.ledger.folder.Restore(x.plan.trash[e.Path].ID, e.Path); err != nil {
				return err
			}
			x.undoWith(func(context.Context) error { return x.trash(e.Path) })
			x.ledger.fault("restored")
		case e.After.Kind == Link:
			links = append(links, e)
		case e.Before.Kind == File:
			writes = append(writes, workspace.Write{Path: e.Path, Data: x.plan.contents[e.After.Hash], Old: e.Before.Hash})
		default: // nothing, or something else that is gone by now
			writes = append(writes, workspace.Write{Path: e.Path, Data: x.plan.contents[e.After.Hash], Mode: e.After.Mode})
		}
	}
	if _, err := x.ledger.folder.WriteAll(ctx, writes, false); err != nil {
		return err
	}
	x.undoWith(func(ctx context.Context) error { return x.unwrite(ctx, writes) })
	for _, e := range links {
		if err := x.ledger.folder.Symlink(string(x.plan.contents[e.After.Hash]), e.Path); err != nil {
			return err
		}
		x.undoWith(func(context.Context) error { return x.ledger.folder.Withdraw(e.Path, e.After.Hash) })
	}
	return nil
}

// fromTrash tells whether the very thing that is to come lies in the trash.
func (x *execution) fromTrash(e Effect) bool {
	t, ok := x.plan.trash[e.Path]
	if !ok || e.Before.Kind == File {
		return false
	}
	there, _, err := x.ledger.look(t.File())
	return err == nil && there == e.After
}

// unwrite takes back writes: replaced files get their old content, new ones go.
func (x *execution) unwrite(ctx context.Context, writes []workspace.Write) error {
	var back []workspace.Write
	var errs []error
	for _, w := range writes {
		if w.Old.IsZero() {
			errs = append(errs, x.ledger.folder.Withdraw(w.Path, text.Sum(w.Data)))
			continue
		}
		back = append(back, workspace.Write{Path: w.Path, Data: x.plan.contents[w.Old], Old: text.Sum(w.Data)})
	}
	_, err := x.ledger.folder.WriteAll(ctx, back, false)
	return errors.Join(append(errs, err)...)
}

// unlock gives files that are to be rewritten, and are to be writable in the
// end, their new mode before: a read-only file is not replaced.
func (x *execution) unlock(context.Context) error {
	for _, e := range x.plan.Effects {
		if e.Before.Kind != File || e.After.Kind != File || !e.rewrites() || e.Before.Mode&0o222 != 0 || e.After.Mode&0o222 == 0 {
			continue
		}
		if err := x.ledger.folder.Chmod(e.Path, e.After.Mode); err != nil {
			return err
		}
		x.undoWith(func(context.Context) error { return x.ledger.folder.Chmod(e.Path, e.Before.Mode) })
		x.ledger.fault("unlocked")
	}
	return nil
}

func (x *execution) modes(context.Context) error {
	for _, e := range x.plan.Effects {
		if e.Before.Kind != File || e.After.Kind != File || e.After.Mode == 0 || e.Before.Mode == e.After.Mode {
			continue
		}
		if err := x.ledger.folder.Chmod(e.Path, e.After.Mode); err != nil {
			return err
		}
		x.undoWith(func(context.Context) error { return x.ledger.folder.Chmod(e.Path, e.Before.Mode) })
		x.ledger.fault("mode set")
	}
	return nil
}

// goes tells whether what was at the effect's path is to make room.
func (e Effect) goes() bool {
	return e.From == nil && e.Before.Exists() && (e.Before.Kind != e.After.Kind || e.Before.Kind == Link && e.rewrites())
}

// deletes moves files and links to the trash.
func (x *execution) deletes(context.Context) error {
	for _, e := range x.plan.Effects {
		if !e.goes() || e.Before.Kind == Dir {
			continue
		}
		if err := x.trash(e.Path); err != nil {
			return err
		}
		x.ledger.fault("deleted")
	}
	return nil
}

// removeDirs removes the folders that are to go, the inner ones first. A folder
// that is not empty then stays: what is in it is not ours.
func (x *execution) removeDirs(context.Context) error {
	var dirs []Path
	for _, e := range x.plan.Effects {
		if e.goes() && e.Before.Kind == Dir {
			dirs = append(dirs, e.Path)
		}
	}
	for _, p := range slices.Backward(dirs) {
		err := x.ledger.folder.RemoveDir(p)
		switch {
		case err == nil:
			x.undoWith(func(context.Context) error { _, err := x.ledger.folder.MakeDir(p); return err })
		case !errors.Is(err, workspace.NotEmpty) && !errors.Is(err, workspace.NotFound):
			return err
		}
		x.ledger.fault("removed a folder")
	}
	return nil
}

func (x *execution) trash(p Path) error {
	t, err := x.ledger.folder.Trash(p)
	if err != nil {
		return err
	}
	x.trashed = append(x.trashed, t.ID)
	x.undoWith(func(context.Context) error { _, err := x.ledger.folder.Restore(t.ID, Path{}); return err })
	return nil
}
