package ledger

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"

	"redline/internal/text"
	"redline/internal/workspace"
)

// TurnRequest opens a turn.
type TurnRequest struct {
	Session string
	Job     string
	Message string // the user message that the turn answers
	Review  Review
	// Amend extends the turn that waits for a decision, under review "turn".
	Amend bool
}

// Turn is one run of the agent for one user message. It sees the folder with
// its own changes in it; whether they are staged or on the disk is the
// review's business. It is safe for use by several goroutines: calls that write
// go one after the other.
type Turn struct {
	ledger *Ledger
	mu     sync.Mutex
	record *TurnRecord
	view   view
	own    *overlay // the top of view; nil when changes go to the disk at once
	base   *buffers // what the session had pending, under a staged review
	log    []Effect // what was done, in order
	edits  map[Path][]toldChange
	over   bool
}

// EditRequest changes the text of a file.
type EditRequest struct {
	Path Path
	// Token is the hash of the text that the edit is about; zero stands for
	// what the session read last.
	Token text.Hash
	// CarryOver makes an edit whose text is no longer the current one on the
	// text it is about, and merges it where nothing else has changed. Without
	// it such an edit is stale.
	CarryOver bool
	// Unread allows an edit of a file that the session has not read: for edits
	// that find their place by the text itself. A session that has read it must
	// have read the current text all the same.
	Unread bool
	// Narrow: the writer knows the lines that it changes, and maybe no others.
	// The session has not seen more of the file by it than before.
	Narrow bool
	Edit   func(*text.Document) (*text.Document, []EditNote, error)
}

// Begin opens a turn. A session with a turn under review "turn" that waits for
// a decision gets ReviewPending, unless the new one amends it.
func (l *Ledger) Begin(ctx context.Context, r TurnRequest) (*Turn, error) {
	pending, err := l.pending(ctx, r.Session)
	if err != nil {
		return nil, err
	}
	t := &Turn{ledger: l, edits: map[Path][]toldChange{}}
	t.view.ledger = l
	var waiting *TurnRecord
	for _, p := range pending {
		if p.Review == WholeTurn {
			waiting = p
		}
	}
	switch {
	case waiting != nil && !r.Amend:
		return nil, errorf(ReviewPending, "the changes of %s wait for a decision; accept, reject or amend them first", waiting.ID)
	case waiting == nil && r.Amend:
		return nil, errorf(NotFound, "there is no turn to amend")
	}
	if waiting != nil {
		r.Review = waiting.Review
	}
	if r.Review.Staged() {
		base, err := l.replay(ctx, pending, working)
		if err != nil {
			return nil, err
		}
		t.own, t.base = newOverlay(), base
		t.view.layers = []*overlay{base.overlay, t.own}
	}
	if waiting != nil {
		t.record, t.base = waiting, nil
		for _, c := range waiting.Changes {
			t.log = append(t.log, c.Effect)
		}
		return t, nil
	}
	id := newID("turn")
	t.record = &TurnRecord{
		ID: id, Session: r.Session, Job: r.Job, Message: r.Message, Checkpoint: "cp_" + id, Origin: Agent,
		Review: r.Review, Status: Running, Began: l.now(), Process: os.Getpid(), Instance: instance, Actions: []Action{}, Changes: []Change{},
	}
	// A staged turn that a crash ends has changed nothing: it need not be found.
	if !r.Review.Staged() {
		if err := l.saveTurns(ctx, Batch{Lazy: true}, t.record); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// ID is the turn's name.
func (t *Turn) ID() string { return t.record.ID }

// Waits tells whether the changes of the turn wait for a decision before they reach
// the disk.
func (t *Turn) Waits() bool { return t.own != nil }

// Checkpoint is the name of the state before the turn.
func (t *Turn) Checkpoint() string { return t.record.Checkpoint }

// Snapshot is a file as a turn sees it.
type Snapshot struct {
	Path Path
	State
	Data []byte
}

// Document is the snapshot as text.
func (s *Snapshot) Document() (*text.Document, error) {
	return (&workspace.Snapshot{Path: s.Path, Data: s.Data}).Document()
}

// Read reads the whole file p. The session has then seen it.
func (t *Turn) Read(ctx context.Context, p Path) (*Snapshot, error) {
	s, err := t.Peek(ctx, p)
	if err == nil {
		t.ledger.seen.read(t.record.Session, s.Path, s.Hash, s.Data, true)
	}
	return s, err
}

// Saw notes that the session was shown some lines of s, which Peek read. Any of them
// are enough to edit it; to replace it as a whole all must have been shown, at once
// or one after the other. What the file has become since is not seen.
func (t *Turn) Saw(s *Snapshot, lines text.Range) {
	t.ledger.seen.saw(t.record.Session, s.Path, s.Hash, s.Data, lines)
}

// Peek reads the file p without the session having seen it.
func (t *Turn) Peek(ctx context.Context, p Path) (*Snapshot, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.file(ctx, p)
}

// Stat tells what is at p.
func (t *Turn) Stat(ctx context.Context, p Path) (State, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, _, err := t.view.state(ctx, p)
	return s, err
}

// List lists the folder as the turn sees it.
func (t *Turn) List(ctx context.Context, o workspace.WalkOptions) ([]workspace.Listed, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.view.list(ctx, o)
}

// file is the file at p, or an error that says what is there instead.
func (t *Turn) file(ctx context.Context, p Path) (*Snapshot, error) {
	s, data, err := t.view.state(ctx, p)
	if err != nil {
		return nil, err
	}
	code := workspace.NotFound
	switch s.Kind {
	case File:
		return &Snapshot{Path: p, State: s, Data: data}, nil
	case Dir:
		code = workspace.IsDirectory
	case Link:
		code = workspace.IsLink
	}
	return nil, &workspace.Error{Code: code, Path: p.String()}
}

// Create writes a new file and the folders on the way to it. The notes tell which
// edits the file is made of.
func (t *Turn) Create(ctx context.Context, tool string, p Path, data []byte, mode fs.FileMode, notes ...EditNote) (*Snapshot, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	there, _, err := t.view.state(ctx, p)
	if err != nil {
		return nil, err
	}
	if there.Exists() {
		return nil, &workspace.Error{Code: workspace.Exists, Path: p.String(), Reason: "a file or folder with that name exists"}
	}
	effects, err := t.parents(ctx, p)
	if err != nil {
		return nil, err
	}
	after := State{Kind: File, Hash: text.Sum(data), Mode: mode.Perm()}
	if after.Mode == 0 {
		after.Mode = 0o644
	}
	effects = append(effects, Effect{Path: p, After: after})
	if err := t.do(ctx, tool, effects, data); err != nil {
		return nil, err
	}
	delete(t.edits, p) // of what was there before
	t.follow(p, nil, data, notes, false)
	t.ledger.seen.read(t.record.Session, p, after.Hash, data, true)
	return &Snapshot{Path: p, State: after, Data: data}, nil
}

// Write replaces the whole content of the file p. The token is the hash of the
// current content; without one the session must have read all of it.
func (t *Turn) Write(ctx context.Context, tool string, p Path, data []byte, token text.Hash) (*Snapshot, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now, err := t.file(ctx, p)
	if err != nil {
		return nil, err
	}
	if token.IsZero() {
		seen, ok := t.ledger.seen.get(t.record.Session, p)
		switch {
		case !ok:
			return nil, stale(now, "the file was not read before; read it and try again")
		case seen.hash != now.Hash:
			return nil, stale(now, "the file has changed since it was read")
		case !seen.whole:
			return nil, stale(now, "only a part of the file was read; read all of it before replacing it")
		}
	} else if token != now.Hash {
		return nil, stale(now, "the file has changed since it was read")
	}
	s, err := t.replace(ctx, tool, now, data)
	if err == nil {
		t.ledger.seen.read(t.record.Session, p, s.Hash, s.Data, true) // the writer wrote all of it
	}
	return s, err
}

// Edit changes the text of a file, if the writer has seen the current one.
func (t *Turn) Edit(ctx context.Context, tool string, r EditRequest) (*Snapshot, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now, err := t.file(ctx, r.Path)
	if err != nil {
		return nil, err
	}
	doc, err := now.Document()
	if err != nil {
		return nil, err
	}
	if r.Token.IsZero() {
		seen, ok := t.ledger.seen.get(t.record.Session, r.Path)
		switch {
		case ok:
			r.Token = seen.hash
		case r.Unread:
			r.Token = now.Hash
		default:
			return nil, stale(now, "the file was not read before; read it and try again")
		}
	}
	if r.Token != now.Hash {
		if !r.CarryOver {
			return nil, stale(now, "the file has changed since it was read")
		}
		carried, err := t.carryOver(ctx, now, doc, r)
		if err != nil {
			return nil, err
		}
		return t.replace(ctx, tool, now, carried)
	}
	edited, notes, err := r.Edit(doc)
	if err != nil {
		return nil, err
	}
	seen, ok := t.ledger.seen.get(t.record.Session, r.Path)
	s, err := t.replace(ctx, tool, now, edited.Bytes(), notes...)
	if err == nil && r.Narrow && (!ok || seen.hash != now.Hash) {
		t.ledger.seen.restore(t.record.Session, r.Path, seen, ok)
	}
	return s, err
}

// replace writes data over the file now.
func (t *Turn) replace(ctx context.Context, tool string, now *Snapshot, data []byte, notes ...EditNote) (*Snapshot, error) {
	after := now.State
	after.Hash = text.Sum(data)
	if after == now.State {
		return now, nil
	}
	seen, _ := t.ledger.seen.get(t.record.Session, now.Path)
	touched := t.touched(now.Path)
	if err := t.do(ctx, tool, []Effect{{Path: now.Path, Before: now.State, After: after}}, data); err != nil {
		return nil, err
	}
	t.follow(now.Path, now.Data, data, notes, touched)
	// Whoever had seen all of it has seen all of what it is now.
	t.ledger.seen.read(t.record.Session, now.Path, after.Hash, data, seen.whole && seen.hash == now.Hash)
	return &Snapshot{Path: now.Path, State: after, Data: data}, nil
}

// Chmod gives the file p other permission bits.
func (t *Turn) Chmod(ctx context.Context, tool string, p Path, mode fs.FileMode) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	now, err := t.file(ctx, p)
	if err != nil {
		return err
	}
	after := now.State
	after.Mode = mode.Perm()
	if after == now.State {
		return nil
	}
	return t.do(ctx, tool, []Effect{{Path: p, Before: now.State, After: after}}, now.Data)
}

// do makes effects visible to the turn: in its overlay, or on the disk.
func (t *Turn) do(ctx context.Context, tool string, effects []Effect, contents ...[]byte) error {
	if t.over {
		return errorf(TurnOver, "the turn has ended")
	}
	commit := ""
	if t.own == nil {
		p := &plan{Commit: Commit{Kind: Wrote, Turn: t.record.ID, Session: t.record.Session, Tool: tool, Effects: effects}}
		for _, data := range contents {
			p.content(data)
		}
		c, err := t.ledger.commit(ctx, p)
		if err != nil {
			return t.failed(ctx, err)
		}
		commit, effects = c.ID, c.Effects
	} else {
		for _, data := range contents {
			t.own.contents[text.Sum(data)] = data
		}
		for _, e := range effects {
			t.own.apply(e)
		}
	}
	t.did(tool, commit, effects)
	return nil
}

// did notes what a call has changed. The first makes the checkpoint.
func (t *Turn) did(tool, commit string, effects []Effect) {
	if len(t.log) == 0 {
		t.ledger.tell(Event{Type: CheckpointCreated, Session: t.record.Session, Turn: t.record.ID, Checkpoint: t.record.Checkpoint})
	}
	action := Action{ID: newID("act"), Tool: tool, Commit: commit, Time: t.ledger.now()}
	for _, e := range effects {
		action.Paths = append(action.Paths, e.Path)
	}
	t.log = append(t.log, effects...)
	t.record.Actions = append(t.record.Actions, action)
}

// failed decides what a failed write means for the turn. A refusal changed
// nothing, and the agent may go on. A failure of the system, such as a full
// disk, ends the turn and takes back what it had written.
func (t *Turn) failed(ctx context.Context, cause error) error {
	switch workspace.CodeOf(cause) {
	case workspace.NoSpace, workspace.ReadOnly, workspace.Failed:
	default:
		return cause
	}
	report, err := t.discard(ctx)
	if err == nil && !report.Clean() {
		err = errorf(Conflict, "some files of the turn could not be set back")
	}
	return errors.Join(cause, err)
}

// End closes the turn. What it changed waits for a decision, or is in force,
// as its review says. A record that comes with an error is that of a turn which has
// ended, but whose audit is not complete.
func (t *Turn) End(ctx context.Context) (*TurnRecord, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return nil, errorf(TurnOver, "the turn has ended")
	}
	rec := t.record
	// A killed process does not lose it, and what is on the disk is on record.
	b := Batch{Lazy: true}
	changes, err := t.changes(ctx, &b)
	if err != nil {
		return nil, err
	}
	rec.end(changes, t.ledger.now())
	if err := t.ledger.saveTurns(ctx, b, rec); err != nil {
		return nil, err
	}
	t.over = true
	return rec, t.ledger.late.end(rec.ID)
}

// changes are the turn's effects added up, with their hunks. The contents that
// only the overlay has go into the batch.
func (t *Turn) changes(ctx context.Context, b *Batch) ([]Change, error) {
	effects := netOf(t.log)
	m := hunkMaker{ledger: t.ledger, view: &t.view, turn: t.record.ID, edits: t.edits, base: t.base}
	changes, err := m.changes(ctx, effects)
	if err != nil || t.own == nil {
		return changes, err
	}
	for _, e := range effects {
		for _, s := range []State{e.Before, e.After} {
			if s.Kind != File && s.Kind != Link {
				continue
			}
			data, err := t.view.content(ctx, s.Hash)
			if err != nil {
				if data, err = m.contentAt(ctx, e, s); err != nil {
					return nil, err
				}
			}
			b.Blobs = append(b.Blobs, data)
		}
	}
	return changes, nil
}

// Discard ends the turn as if it had never been. What it had written is taken
// back, as far as nobody else has changed it.
func (t *Turn) Discard(ctx context.Context) (Report, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	report, err := t.discard(ctx)
	if late := t.ledger.late.end(t.record.ID); late != nil {
		err = errors.Join(err, late)
	}
	return report, err
}

func (t *Turn) discard(ctx context.Context) (Report, error) {
	if t.over {
		return Report{}, errorf(TurnOver, "the turn has ended")
	}
	if t.own != nil {
		t.over = true
		return Report{}, nil
	}
	// An abort cancels the context; taking back must go on all the same.
	ctx = context.WithoutCancel(ctx)
	var report Report
	if len(t.log) > 0 {
		var err error
		if report, err = t.ledger.Undo(ctx, UndoRequest{Turn: t.record.ID}); err != nil {
			return report, err
		}
	}
	t.over = true
	t.record.Status, t.record.Ended, t.record.Process = Discarded, t.ledger.now(), 0
	return report, t.ledger.saveTurns(ctx, Batch{Lazy: true}, t.record)
}
