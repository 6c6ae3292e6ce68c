package ledger

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"redline/internal/text"
	"redline/internal/workspace"
)

// Checkpoint is the state of every file that a turn touched, before it.
type Checkpoint struct {
	ID      string           `json:"checkpoint_id"`
	Session string           `json:"session_id"`
	Job     string           `json:"job_id,omitempty"`
	Turn    string           `json:"turn"`
	Created time.Time        `json:"created_at"`
	Files   []CheckpointFile `json:"affected_files"`
}

// CheckpointFile is one file of a checkpoint.
type CheckpointFile struct {
	Path  Path             `json:"file_path"`
	From  *Path            `json:"from,omitempty"` // its name before, if the turn moved it
	Base  text.Hash        `json:"base_snapshot_hash,omitzero"`
	Hunks []CheckpointHunk `json:"hunks"`
}

// CheckpointHunk is a hunk of the turn with the patch that takes it back.
type CheckpointHunk struct {
	ID      string `json:"hunk_id"`
	Reverse string `json:"reverse_patch,omitempty"`
}

func (l *Ledger) checkpointTurn(ctx context.Context, id string) (*TurnRecord, error) {
	turn, ok := strings.CutPrefix(id, "cp_")
	if !ok {
		return nil, errorf(NotFound, "no checkpoint %s", id)
	}
	t, err := l.Turn(ctx, turn)
	if errors.Is(err, NotFound) {
		return nil, errorf(NotFound, "no checkpoint %s", id)
	}
	return t, err
}

// Checkpoint describes a checkpoint.
func (l *Ledger) Checkpoint(ctx context.Context, id string) (*Checkpoint, error) {
	t, err := l.checkpointTurn(ctx, id)
	if err != nil {
		return nil, err
	}
	cp := &Checkpoint{ID: id, Session: t.Session, Job: t.Job, Turn: t.ID, Created: t.Began, Files: []CheckpointFile{}}
	for i := range t.Changes {
		c := &t.Changes[i]
		f := CheckpointFile{Path: c.Path, From: c.From, Base: c.Before.Hash, Hunks: []CheckpointHunk{}}
		patches, err := l.Patches(ctx, c)
		if err != nil {
			return nil, err
		}
		for k, p := range patches {
			f.Hunks = append(f.Hunks, CheckpointHunk{c.Hunks[k].ID, p.Reverse})
		}
		cp.Files = append(cp.Files, f)
	}
	return cp, nil
}

// Diff3 is a file as it is now, as it was before a turn, and as the turn left
// or proposed it. A nil text is a file that is not there.
type Diff3 struct {
	Path     Path
	Current  []byte
	Base     []byte
	Proposed []byte
}

// Diff3 compares a file with a checkpoint.
func (l *Ledger) Diff3(ctx context.Context, id string, p Path) (*Diff3, error) {
	t, err := l.checkpointTurn(ctx, id)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(t.Changes, func(c Change) bool { return c.Path == p })
	if i < 0 { // its name before
		i = slices.IndexFunc(t.Changes, func(c Change) bool { return c.origin() == p })
	}
	if i < 0 {
		return nil, errorf(NotFound, "checkpoint %s has no file %s", id, workspace.Display(p.String()))
	}
	c := &t.Changes[i]
	now, err := l.Buffer(ctx, t.Session, c.Path)
	if err != nil {
		return nil, err
	}
	d := &Diff3{Path: p, Current: now.Data}
	d.Base, d.Proposed, err = l.Contents(ctx, c)
	return d, err
}

// RollbackMode says how far a rollback goes.
type RollbackMode string

// HardAll returns every file of the checkpoint to its state before the turn,
// whatever was done to it since. ScopedSelected takes back chosen hunks and
// keeps the rest.
const (
	HardAll        RollbackMode = "hard_all"
	ScopedSelected RollbackMode = "scoped_selected"
)

// Rollback returns to a checkpoint. What is on the disk is changed there; what
// only waits for a decision is rejected. Either can be undone.
func (l *Ledger) Rollback(ctx context.Context, id string, mode RollbackMode, hunks []string) (Report, error) {
	return l.goBack(ctx, id, func(t *TurnRecord) (Report, error) { return l.rollback(ctx, t, mode, hunks) })
}

// goBack returns to a checkpoint by some way, and tells of it.
func (l *Ledger) goBack(ctx context.Context, id string, way func(*TurnRecord) (Report, error)) (Report, error) {
	t, err := l.checkpointTurn(ctx, id)
	if err != nil {
		return Report{}, err
	}
	e := Event{Type: RollbackStarted, Session: t.Session, Turn: t.ID, Checkpoint: id}
	l.tell(e)
	report, err := way(t)
	e.Type = RollbackCompleted
	if err != nil {
		e.Type, e.Error = RollbackFailed, err.Error()
	}
	l.tell(e)
	return report, err
}

func (l *Ledger) rollback(ctx context.Context, t *TurnRecord, mode RollbackMode, hunks []string) (Report, error) {
	switch {
	case mode == HardAll && len(hunks) == 0:
		return l.rollbackAll(ctx, t)
	case mode == ScopedSelected && len(hunks) > 0:
		return l.rollbackHunks(ctx, t, hunks)
	case mode == ScopedSelected:
		return Report{}, errorf(Invalid, "name the hunks to take back")
	}
	return Report{}, errorf(Invalid, "a rollback is %q without hunks, or %q with some", HardAll, ScopedSelected)
}

// rollbackHunks takes hunks back, all or none.
func (l *Ledger) rollbackHunks(ctx context.Context, t *TurnRecord, hunks []string) (Report, error) {
	var waiting, onDisk []string
	for _, id := range hunks {
		_, h := t.hunk(id)
		switch {
		case h == nil:
			return Report{}, errorf(NotFound, "no hunk %s in %s", id, t.ID)
		case h.Applied:
			onDisk = append(onDisk, id)
		default:
			waiting = append(waiting, id)
		}
	}
	var report Report
	if len(onDisk) > 0 {
		unlock, err := l.folder.Lock(ctx, "rolling back")
		if err != nil {
			return report, err
		}
		defer unlock()
		r := UndoRequest{Turn: t.ID, Hunks: onDisk, whole: true}
		commits, err := l.undoable(ctx, r)
		if err != nil {
			return report, err
		}
		if report, err = l.undoCommits(ctx, r, commits); err != nil {
			return report, err
		}
	}
	if len(waiting) > 0 {
		if _, err := l.Decide(ctx, t.Session, nil, waiting); err != nil {
			return report, err
		}
	}
	return report, nil
}

// rollbackAll sets the files back. Later edits on them are dropped, which the
// commit remembers: undoing it brings them back.
func (l *Ledger) rollbackAll(ctx context.Context, t *TurnRecord) (Report, error) {
	unlock, err := l.folder.Lock(ctx, "rolling back")
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	u := &undoing{ledger: l, view: newScratch(l)}
	defer u.view.close()
	// What reached the disk is in the commits; a change record may also hold
	// text that others proposed and nobody accepted.
	commits, err := l.turnCommits(ctx, t.ID)
	if err != nil {
		return Report{}, err
	}
	p := &plan{Commit: Commit{Kind: Rolled, Turn: t.ID, Session: t.Session, Hunks: t.applied()}}
	var all []Effect
	for _, c := range commits {
		if c.UndoneBy == "" {
			all = append(all, c.Effects...)
			p.Undoes = append(p.Undoes, c.ID)
		}
	}
	for _, e := range netOf(all) {
		if err := u.setBack(e); err != nil {
			return Report{}, err
		}
	}
	report := Report{Turn: t.ID}
	p.Effects, p.contents = u.view.effects(), u.view.contents
	if len(p.Effects) > 0 {
		c, err := l.commitLocked(ctx, p)
		if err != nil {
			return report, err
		}
		report.Commit = c.ID
	}
	report.Files = u.measure()
	if err := l.dropPending(ctx, t); err != nil || report.Commit == "" {
		return report, err
	}
	return report, l.store.Save(ctx, Batch{Records: []Record{l.note(t.Session, Note{Kind: NoteRollback, Turn: t.ID, Path: firstPath(&p.Commit)})}, Lazy: true})
}

// setBack makes a file what it was before an effect, whatever it is now.
func (u *undoing) setBack(e Effect) error {
	if e.From != nil {
		now, err := u.view.look(e.Path)
		if err != nil {
			return err
		}
		old, err := u.view.look(*e.From)
		if err != nil {
			return err
		}
		if now.Kind == e.After.Kind && !old.Exists() {
			u.view.move(e.Path, *e.From)
		}
	}
	now, err := u.view.look(e.origin())
	if err != nil {
		return err
	}
	if !sameState(now, e.Before) {
		u.view.set(e.origin(), e.Before)
	}
	u.report(e.origin(), FileRestored, "")
	return nil
}

// dropPending rejects what waits for a decision on the files of a turn, from
// that turn on.
func (l *Ledger) dropPending(ctx context.Context, t *TurnRecord) error {
	ids, err := l.waitingSince(ctx, t)
	if err != nil {
		return err
	}
	if t.Review == WholeTurn && t.Status == Pending {
		_, err := l.rejectLocked(ctx, t.ID)
		return err
	}
	if len(ids) == 0 {
		return nil
	}
	_, err = l.Decide(ctx, t.Session, nil, ids)
	return err
}

// waitingSince are the hunks that wait on the files of a turn, from that turn on.
func (l *Ledger) waitingSince(ctx context.Context, t *TurnRecord) ([]string, error) {
	files := map[Path]bool{}
	for _, c := range t.Changes {
		files[c.Path], files[c.origin()] = true, true
	}
	r, err := l.reviewed(ctx, t.Session)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, id := range r.order {
		c, h := r.change[id], r.hunks[id]
		if !h.Applied && h.State != HunkRejected && (files[c.Path] || files[c.origin()]) && !r.turn[id].Began.Before(t.Began) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}
