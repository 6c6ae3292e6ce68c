package redline

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"redline/internal/ledger"
	"redline/internal/wire"
	"redline/internal/workspace"
)

// Review is where changes of a folder are decided, taken back and brought back.
// Whatever is decided is on record at once: a review goes on where it was after a
// restart. Errors have the codes of the ledger.
type Review struct {
	folder  *Folder
	session string
}

// Review opens the review of a session, or with "" of all sessions of the folder.
func (f *Folder) Review(session string) *Review { return &Review{folder: f, session: session} }

// Open lists the turns that wait for a decision, or for being applied, oldest
// first.
func (r *Review) Open(ctx context.Context) ([]wire.Turn, error) {
	records, err := r.pending(ctx)
	if err != nil {
		return nil, err
	}
	turns := []wire.Turn{}
	for _, record := range records {
		if !waits(record) {
			continue
		}
		t, err := r.folder.Changes(ctx, record)
		if err != nil {
			return nil, err
		}
		turns = append(turns, t)
	}
	return turns, nil
}

// pending are the records that are not closed, oldest first.
func (r *Review) pending(ctx context.Context) ([]*ledger.TurnRecord, error) {
	records, err := r.folder.ledger.Turns(ctx, r.session, 0, ledger.Pending)
	slices.Reverse(records)
	return records, err
}

// waits tells whether something of a turn is to be decided or applied. The user's
// own edits are decided, and go with the hunks that they are about.
func waits(t *ledger.TurnRecord) bool {
	for _, c := range t.Changes {
		for _, h := range c.Hunks {
			if h.State == ledger.HunkPending || h.State == ledger.HunkAccepted && !h.Applied && t.Origin == ledger.Agent {
				return true
			}
		}
	}
	return false
}

// undecided counts the hunks that wait for a decision.
func (r *Review) undecided(ctx context.Context) (int, error) {
	records, err := r.pending(ctx)
	n := 0
	for _, t := range records {
		for _, c := range t.Changes {
			for _, h := range c.Hunks {
				if h.State == ledger.HunkPending {
					n++
				}
			}
		}
	}
	return n, err
}

// place is a hunk and where it is.
type place struct {
	turn   *ledger.TurnRecord
	change *ledger.Change
	hunk   *ledger.Hunk
}

// find finds hunks: among those that wait, or else among all.
func (r *Review) find(ctx context.Context, ids ...string) ([]place, error) {
	var all map[string]place
	records, err := r.pending(ctx)
	if err != nil {
		return nil, err
	}
	known := places(records)
	found := make([]place, len(ids))
	for i, id := range ids {
		p, ok := known[id]
		if !ok && all == nil {
			if records, err = r.folder.ledger.Turns(ctx, r.session, 0); err != nil {
				return nil, err
			}
			all = places(records)
		}
		if !ok {
			p, ok = all[id]
		}
		if !ok {
			return nil, refuse(ledger.NotFound, "there is no hunk %s", id)
		}
		found[i] = p
	}
	return found, nil
}

func places(records []*ledger.TurnRecord) map[string]place {
	found := map[string]place{}
	for _, t := range records {
		for i := range t.Changes {
			c := &t.Changes[i]
			for k := range c.Hunks {
				found[c.Hunks[k].ID] = place{t, c, &c.Hunks[k]}
			}
		}
	}
	return found
}

// Split cuts a hunk in two, so that a part of it can be decided by itself: the first
// gets so many of its old and of its added lines.
func (r *Review) Split(ctx context.Context, hunk string, old, added int) (first, second string, err error) {
	found, err := r.find(ctx, hunk)
	if err != nil {
		return "", "", err
	}
	p := found[0]
	if p.turn.Review != ledger.Hunks {
		return "", "", refuse(ledger.Invalid, "hunk %s cannot be cut: its turn is under review %s, not hunks", hunk, p.turn.Review)
	}
	return r.folder.ledger.Cut(ctx, p.turn.Session, hunk, old, added)
}

// Edit accepts a hunk with the user's own text instead of the lines that it brings.
func (r *Review) Edit(ctx context.Context, hunk, text string) error {
	found, err := r.find(ctx, hunk)
	if err != nil {
		return err
	}
	p := found[0]
	switch {
	case p.turn.Review == ledger.WholeTurn:
		return refuse(ledger.Invalid, "hunk %s cannot be edited: its turn is decided as a whole; accept it and edit the file", hunk)
	case p.turn.Review != ledger.Hunks || p.hunk.Applied:
		return refuse(ledger.Invalid, "hunk %s is on the disk already: edit the file", hunk)
	}
	return r.folder.ledger.EditHunk(ctx, p.turn.Session, hunk, []byte(text))
}

// Rebase takes over what others wrote to a file while changes of it waited, so that
// these can be applied to it. If they no longer fit, that is a Conflict.
func (r *Review) Rebase(ctx context.Context, path string) error {
	p, err := r.folder.files.Path(path)
	if err != nil {
		return err
	}
	records, err := r.pending(ctx)
	if err != nil {
		return err
	}
	done := map[string]bool{}
	for _, t := range records {
		if t.Review != ledger.Hunks || done[t.Session] || !slices.ContainsFunc(t.Changes, func(c ledger.Change) bool { return about(&c, p) }) {
			continue
		}
		done[t.Session] = true
		if err := r.folder.ledger.Rebase(ctx, t.Session, p); err != nil {
			return err
		}
	}
	if len(done) == 0 {
		return refuse(ledger.NotFound, "no change of %s waits for a decision", path)
	}
	return nil
}

// Undo takes a turn back, or with "" the one whose change was the last to reach the
// disk. That there is nothing to undo is ledger.NothingToUndo.
func (r *Review) Undo(ctx context.Context, turn string) (wire.Report, error) {
	return r.UndoPart(ctx, Part{Turn: turn})
}

// Part is what to take back: of a turn, or with "" of the last one, all or some
// files or hunks.
type Part struct {
	Turn  string
	Files []string
	Hunks []string
	// Unattributed also takes back what happened to the files while a command ran
	// that may not have done it.
	Unattributed bool
}

// UndoPart takes back a part of a turn. Without a turn it is that of the hunks, or the
// last one that changed one of the files.
func (r *Review) UndoPart(ctx context.Context, part Part) (wire.Report, error) {
	if part.Unattributed && len(part.Files) == 0 {
		return wire.Report{}, refuse(ledger.Invalid, "what a command may not have done is taken back by name only: give the files")
	}
	q := ledger.UndoRequest{Turn: part.Turn, Hunks: part.Hunks, Unattributed: part.Unattributed}
	var err error
	if q.Paths, err = r.folder.paths(part.Files); err != nil {
		return wire.Report{}, err
	}
	if err := r.turnOf(ctx, &q); err != nil {
		return wire.Report{}, err
	}
	t, err := r.turn(ctx, q.Turn)
	if err != nil {
		return wire.Report{}, err
	}
	if t.Status == ledger.Running {
		return wire.Report{}, refuse(ledger.Invalid, "turn %s is still running: interrupt it, or wait until it has ended", t.ID)
	}
	for i, p := range q.Paths {
		if !slices.ContainsFunc(t.Changes, func(c ledger.Change) bool { return about(&c, p) }) {
			return wire.Report{}, refuse(ledger.NotFound, "turn %s did not change %s", t.ID, workspace.Display(part.Files[i]))
		}
	}
	report, err := r.folder.ledger.Undo(ctx, q)
	return reported(report), err
}

// Last is the turn whose change was the last to reach the disk and still stands. If
// there is none, or a request since has changed nothing, it is ledger.NothingToUndo:
// who wants the last request undone does not want an older one undone.
func (r *Review) Last(ctx context.Context) (string, error) {
	last, at, err := r.folder.ledger.LastTurn(ctx, r.session, nil)
	if err != nil {
		return "", err
	}
	newest, err := r.folder.ledger.Turns(ctx, r.session, 1, ledger.Running, ledger.Empty, ledger.Pending, ledger.Accepted, ledger.Rejected, ledger.Partial, ledger.Undone)
	if err != nil {
		return "", err
	}
	if len(newest) == 0 { // it was discarded, and something of it was left in conflict
		return last, nil
	}
	if t := newest[0]; t.Status == ledger.Empty && t.Session != ToolSession && t.Began.After(at) {
		return "", refuse(ledger.NothingToUndo, "there is nothing to undo: the last request changed nothing; redline undo %s takes back the last one that did", last)
	}
	return last, nil
}

// turnOf finds the turn that a request is about, where it does not say: that of its
// hunks, the last that changed its files, or the last.
func (r *Review) turnOf(ctx context.Context, q *ledger.UndoRequest) (err error) {
	switch {
	case q.Turn == "" && len(q.Hunks) == 0 && len(q.Paths) == 0:
		q.Turn, err = r.Last(ctx)
		return err
	case q.Turn == "" && len(q.Hunks) == 0:
		q.Turn, err = r.lastOf(ctx, q.Paths)
		return err
	}
	found, err := r.find(ctx, q.Hunks...)
	for _, p := range found {
		switch q.Turn {
		case "":
			q.Turn = p.turn.ID
		case p.turn.ID:
		default:
			return refuse(ledger.Invalid, "hunk %s is of another turn, %s: take back one turn after the other", p.hunk.ID, p.turn.ID)
		}
	}
	return err
}

// lastOf is the turn whose change of one of some files was the last to reach the disk
// and was not taken back. Turns run side by side, so that is not always the newest.
func (r *Review) lastOf(ctx context.Context, paths []ledger.Path) (string, error) {
	records, err := r.folder.ledger.Turns(ctx, r.session, 0, ledger.Running, ledger.Pending, ledger.Accepted, ledger.Partial)
	if err != nil {
		return "", err
	}
	newest, changed := "", map[string][]ledger.Path{} // by turn
	for _, t := range records {
		for i := range t.Changes {
			c := &t.Changes[i]
			named := slices.ContainsFunc(paths, func(p ledger.Path) bool { return about(c, p) })
			if named && slices.ContainsFunc(c.Hunks, func(h ledger.Hunk) bool { return h.Applied }) {
				newest = cmp.Or(newest, t.ID)
				changed[t.ID] = append(changed[t.ID], c.Path)
			}
		}
	}
	last, _, err := r.folder.ledger.LastTurn(ctx, r.session, func(c *ledger.Commit) bool {
		return slices.ContainsFunc(c.Effects, func(e ledger.Effect) bool { return slices.Contains(changed[c.Turn], e.Path) })
	})
	if Nothing(err) && newest != "" {
		return newest, nil // the file had another name when it was changed
	}
	return last, err
}

// Redo takes back the newest undo or rollback of a turn, or with "" of any.
func (r *Review) Redo(ctx context.Context, turn string) (wire.Report, error) {
	report, err := r.folder.ledger.Redo(ctx, ledger.UndoRequest{Session: r.session, Turn: turn})
	return reported(report), err
}

// reported is a report as front ends have it.
func reported(r ledger.Report) wire.Report {
	out := wire.Report{Turn: r.Turn, Commit: r.Commit, Files: []wire.FileReport{}}
	for _, f := range r.Files {
		out.Files = append(out.Files, wire.FileReport{Path: f.Path.String(), Outcome: string(f.Outcome), Reason: f.Reason})
	}
	for _, p := range r.Outside {
		out.Outside = append(out.Outside, p.String())
	}
	return out
}

// about tells whether a change is of the file p, under its old name or its new one,
// or of something in the folder p.
func about(c *ledger.Change, p ledger.Path) bool {
	return c.Path.Within(p) || c.From != nil && c.From.Within(p)
}

// Nothing tells whether an error says that there was nothing to undo or redo.
func Nothing(err error) bool { return errors.Is(err, ledger.NothingToUndo) }
