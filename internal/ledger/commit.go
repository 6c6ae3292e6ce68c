package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"redline/internal/text"
	"redline/internal/workspace"
)

// Commit is one change of the folder: everything that reached the disk at one
// moment. It is also its own journal: it is saved, with the contents before and
// after, before the first file is touched.
type Commit struct {
	ID       string       `json:"id"`
	Kind     CommitKind   `json:"kind"`
	Turn     string       `json:"turn,omitempty"`
	Session  string       `json:"session,omitempty"`
	Tool     string       `json:"tool,omitempty"`
	Time     time.Time    `json:"time"`
	State    JournalState `json:"state"`
	Boot     string       `json:"boot,omitempty"` // the run of the system in which it was made
	Effects  []Effect     `json:"effects"`
	Undoes   []string     `json:"undoes,omitempty"` // the commits that this one takes back
	UndoneBy string       `json:"undone_by,omitempty"`
	Redo     bool         `json:"redo,omitempty"`  // it takes back an undo
	Hunks    []string     `json:"hunks,omitempty"` // the hunks that were applied or taken back
	Trash    []string     `json:"trash,omitempty"` // where deleted things lie
	// Outside lists files that a command changed and that no undo restores.
	Outside []Path `json:"outside,omitempty"`

	version int
}

// CommitKind is why the folder was changed.
type CommitKind string

// The kinds of commits.
const (
	Wrote    CommitKind = "write"    // a tool call, at once
	Applied  CommitKind = "apply"    // accepted hunks, or an accepted turn
	Undid    CommitKind = "undo"     // the opposite of another commit
	Rolled   CommitKind = "rollback" // back to a checkpoint
	Restored CommitKind = "restore"  // an older version of a document
	Shell    CommitKind = "shell"    // found after a command of the system shell
)

// JournalState is how far a commit has come.
type JournalState string

// A commit is prepared, then on the disk, then safely on the disk. One that
// could not be finished was taken back.
const (
	Prepared JournalState = "prepared"
	Done     JournalState = "done"
	Synced   JournalState = "synced"
	Aborted  JournalState = "aborted"
)

const commitRecords = "commit"

// plan is a commit to be made: effects, the contents they need, and what the
// disk must look like before.
type plan struct {
	Commit
	contents map[text.Hash][]byte
	trash    map[Path]workspace.Trashed // where deleted things can be had back from
}

func (p *plan) content(data []byte) text.Hash {
	h := text.Sum(data)
	if p.contents == nil {
		p.contents = map[text.Hash][]byte{}
	}
	p.contents[h] = data
	return h
}

// commit makes the change of p, or nothing. It takes the folder's lock.
func (l *Ledger) commit(ctx context.Context, p *plan) (*Commit, error) {
	unlock, err := l.folder.Lock(ctx, describe(p))
	if err != nil {
		return nil, err
	}
	defer unlock()
	return l.commitLocked(ctx, p)
}

func describe(p *plan) string {
	if len(p.Effects) == 1 {
		return fmt.Sprintf("%s of %s", p.Kind, workspace.Display(p.Effects[0].Path.String()))
	}
	return fmt.Sprintf("%s of %d files", p.Kind, len(p.Effects))
}

// commitLocked is commit for a caller who holds the lock.
func (l *Ledger) commitLocked(ctx context.Context, p *plan) (*Commit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x := &execution{ledger: l, plan: p}
	if err := x.verify(ctx); err != nil {
		return nil, err
	}
	p.ID, p.Time, p.State, p.Boot = newID("c"), l.now(), Prepared, bootID()
	c := &p.Commit
	if err := l.journal(ctx, p); err != nil {
		return nil, fmt.Errorf("write the journal: %w", err)
	}
	l.fault("journalled")
	// From here on the change is decided: a cancelled context no longer stops it.
	ctx = context.WithoutCancel(ctx)
	if err := x.run(ctx); err != nil {
		return nil, l.abort(ctx, x, err)
	}
	l.fault("executed")
	c.State, c.Trash = Done, x.trashed
	if err := l.recordCommit(ctx, c); err != nil {
		// The journal still says prepared: recovery will find the files in place.
		return nil, fmt.Errorf("the files were written, but not the record of it: %w", err)
	}
	l.fault("recorded")
	l.retire(c)
	return c, nil
}

// recordCommit saves that a commit is on the disk, and what follows from it.
func (l *Ledger) recordCommit(ctx context.Context, c *Commit) error {
	return l.retryVersion(func() error {
		more, err := l.settle(ctx, c)
		if err != nil {
			return err
		}
		return l.saveCommit(ctx, c, true, more...)
	})
}

// journal saves the commit and its contents in one durable step.
func (l *Ledger) journal(ctx context.Context, p *plan) error {
	b := Batch{Records: []Record{p.Commit.record()}}
	for _, data := range p.contents {
		b.Blobs = append(b.Blobs, data)
	}
	if err := l.store.Save(ctx, b); err != nil {
		return err
	}
	p.Commit.version++
	return nil
}

// abort takes back what was done of a commit that failed half-way.
func (l *Ledger) abort(ctx context.Context, x *execution, cause error) error {
	undone := x.takeBack(ctx)
	x.plan.State = Aborted
	if undone != nil {
		x.plan.State = Prepared // recovery will try again
	}
	return errors.Join(cause, undone, l.saveCommit(ctx, &x.plan.Commit, true))
}

func (c *Commit) record() Record {
	body, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("a commit that cannot be written: %v", err)) // it has plain fields only
	}
	return Record{Key: Key{commitRecords, c.ID}, Session: c.Session, State: string(c.State), Time: c.Time, Version: c.version, Body: body}
}

func (l *Ledger) saveCommit(ctx context.Context, c *Commit, lazy bool, more ...Record) error {
	if err := l.store.Save(ctx, Batch{Records: append([]Record{c.record()}, more...), Lazy: lazy}); err != nil {
		return err
	}
	c.version++
	return nil
}

func readCommit(r Record) (*Commit, error) {
	c := &Commit{version: r.Version}
	if err := json.Unmarshal(r.Body, c); err != nil {
		return nil, fmt.Errorf("commit %s: %w", r.ID, err)
	}
	return c, nil
}

// eachCommit yields commits, oldest first unless the query says otherwise.
func (l *Ledger) eachCommit(ctx context.Context, q Query) iter.Seq2[*Commit, error] {
	q.Kind = commitRecords
	return func(yield func(*Commit, error) bool) {
		for r, err := range l.store.Load(ctx, q) {
			var c *Commit
			if err == nil {
				c, err = readCommit(r)
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// commits lists the commits that keep wants; nil wants all.
func (l *Ledger) commits(ctx context.Context, q Query, keep func(*Commit) bool) ([]*Commit, error) {
	var out []*Commit
	for c, err := range l.eachCommit(ctx, q) {
		if err != nil {
			return nil, err
		}
		if keep == nil || keep(c) {
			out = append(out, c)
		}
	}
	return out, nil
}

// newestCommit is the newest commit that keep wants, or nil.
func (l *Ledger) newestCommit(ctx context.Context, session string, keep func(*Commit) bool) (*Commit, error) {
	for c, err := range l.eachCommit(ctx, Query{Session: session, Newest: true}) {
		if err != nil {
			return nil, err
		}
		if keep(c) {
			return c, nil
		}
	}
	return nil, nil
}

// onDisk tells whether the commit has taken place.
func (c *Commit) onDisk() bool { return c.State == Done || c.State == Synced }

// takesBack tells whether the commit is the opposite of others.
func (c *Commit) takesBack() bool { return c.Kind == Undid || c.Kind == Rolled }

// stands tells whether the commit changed the folder and was not taken back.
func (c *Commit) stands() bool { return c.onDisk() && c.UndoneBy == "" && !c.takesBack() }
