package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"redline/internal/text"
)

// Review says when a turn's changes reach the disk, and what is decided.
type Review string

// The review policies.
const (
	Optimistic Review = "optimistic" // at once; the user accepts or undoes
	Hunks      Review = "hunks"      // on apply, accepted hunks only
	WholeTurn  Review = "turn"       // on accept, all or nothing
	Auto       Review = "auto"       // at once; undo stays possible
)

// ParseReview reads the name of a review.
func ParseReview(name string) (Review, error) {
	switch r := Review(name); r {
	case Optimistic, Hunks, WholeTurn, Auto:
		return r, nil
	}
	return "", fmt.Errorf("there is no review %q; choose optimistic, hunks, turn or auto", name)
}

// Staged tells whether changes wait for a decision before they reach the disk.
func (r Review) Staged() bool { return r == Hunks || r == WholeTurn }

// Status is where a turn stands.
type Status string

// A turn runs, then waits for a decision unless it needs none.
const (
	Running   Status = "running"
	Pending   Status = "pending"
	Accepted  Status = "accepted"
	Rejected  Status = "rejected"
	Partial   Status = "partial" // some hunks were accepted and some rejected
	Undone    Status = "undone"
	Discarded Status = "discarded"
	Empty     Status = "empty" // it changed nothing
)

// Origin is who made a change.
type Origin string

// Agents and people change documents through the same log.
const (
	Agent Origin = "agent"
	User  Origin = "user"
)

// TurnRecord is what is remembered of a turn: the change record. Its checkpoint
// is the state of every touched file before it, the Before of the changes.
type TurnRecord struct {
	ID         string    `json:"id"`
	Session    string    `json:"conversation"`
	Job        string    `json:"job,omitempty"`
	Message    string    `json:"message,omitempty"`
	Checkpoint string    `json:"checkpoint_id"`
	Origin     Origin    `json:"origin"`
	Review     Review    `json:"review"`
	Status     Status    `json:"status"`
	Earlier    Status    `json:"earlier_status,omitempty"` // before it was undone
	Began      time.Time `json:"began_at"`
	Ended      time.Time `json:"ended_at,omitzero"`
	Process    int       `json:"process,omitempty"`  // of a running turn
	Instance   string    `json:"instance,omitempty"` // tells processes apart that got the same number
	Actions    []Action  `json:"actions"`
	Changes    []Change  `json:"changes"`
	// Command: a command of the system shell runs; what it changes is not on
	// record yet.
	Command bool `json:"command,omitempty"`
	// Interrupted: the process ended before the turn did.
	Interrupted bool `json:"interrupted,omitempty"`
	// Below: what others changed in a file while hunks for it waited. It lies
	// below them, though it is younger.
	Below bool `json:"below,omitempty"`

	version int
}

// Action is one call of a tool that changed something.
type Action struct {
	ID     string    `json:"id"`
	Tool   string    `json:"tool,omitempty"`
	Commit string    `json:"commit,omitempty"` // if it reached the disk by itself
	Paths  []Path    `json:"paths"`
	Time   time.Time `json:"time"`
}

// Change is one file that a turn changed, with the hunks to decide.
type Change struct {
	Effect
	Hunks []Hunk `json:"hunks"`
}

// Hunk is the unit of decision: a piece of text, or all that happened to a file
// at once.
type Hunk struct {
	ID        string     `json:"hunk_id"`
	Kind      HunkKind   `json:"kind"`
	State     HunkState  `json:"state"`
	Applied   bool       `json:"applied,omitempty"` // it is on the disk
	Baked     bool       `json:"baked,omitempty"`   // applied, and part of a base that was taken over since
	A         text.Range `json:"old_lines,omitzero"`
	B         text.Range `json:"new_lines,omitzero"`
	Oversized bool       `json:"oversized_hunk,omitempty"`
	Edits     []string   `json:"edit_ids,omitempty"`
	DependsOn []string   `json:"depends_on,omitempty"`
}

// HunkKind is what a hunk does.
type HunkKind string

// Everything but a piece of text is decided for the file as a whole.
const (
	TextHunk   HunkKind = "text"
	CreateHunk HunkKind = "create"
	DeleteHunk HunkKind = "delete"
	MoveHunk   HunkKind = "move"
	FolderHunk HunkKind = "mkdir"
	ModeHunk   HunkKind = "mode"
	BinaryHunk HunkKind = "binary"
)

// HunkState is the decision on a hunk.
type HunkState string

// The states of a hunk.
const (
	HunkPending  HunkState = "pending"
	HunkAccepted HunkState = "accepted"
	HunkRejected HunkState = "rejected"
)

const turnRecords = "turn"

func (t *TurnRecord) record() Record {
	body, err := json.Marshal(t)
	if err != nil {
		panic(fmt.Sprintf("a turn that cannot be written: %v", err)) // it has plain fields only
	}
	return Record{Key: Key{turnRecords, t.ID}, Session: t.Session, State: string(t.Status), Time: t.Began, Version: t.version, Body: body}
}

// alive tells whether the process of a running turn still is.
func (t *TurnRecord) alive() bool {
	if t.Process == os.Getpid() {
		return t.Instance == instance
	}
	return processAlive(t.Process)
}

// instance names this process.
var instance = newID("p")

func processAlive(pid int) bool {
	if pid == os.Getpid() {
		return true
	}
	p, err := os.FindProcess(pid)
	if pid <= 0 || err != nil {
		return false
	}
	defer p.Release()
	// On Windows only a process that exists can be found; elsewhere any can, and
	// a signal of none tells.
	return runtime.GOOS == "windows" || p.Signal(syscall.Signal(0)) == nil
}

// hunk finds a hunk and the change it belongs to.
func (t *TurnRecord) hunk(id string) (*Change, *Hunk) {
	for i := range t.Changes {
		for k := range t.Changes[i].Hunks {
			if h := &t.Changes[i].Hunks[k]; h.ID == id {
				return &t.Changes[i], h
			}
		}
	}
	return nil, nil
}

// applied are the hunks that are on the disk.
func (t *TurnRecord) applied() []string {
	var ids []string
	for _, c := range t.Changes {
		for _, h := range c.Hunks {
			if h.Applied {
				ids = append(ids, h.ID)
			}
		}
	}
	return ids
}

func (l *Ledger) turns(ctx context.Context, q Query) ([]*TurnRecord, error) {
	q.Kind = turnRecords
	var out []*TurnRecord
	for r, err := range l.store.Load(ctx, q) {
		if err != nil {
			return nil, err
		}
		t := &TurnRecord{version: r.Version}
		if err := json.Unmarshal(r.Body, t); err != nil {
			return nil, fmt.Errorf("turn %s: %w", r.ID, err)
		}
		out = append(out, t)
	}
	return out, nil
}

// Turn is the record of one turn.
func (l *Ledger) Turn(ctx context.Context, id string) (*TurnRecord, error) {
	found, err := l.turns(ctx, Query{ID: id})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errorf(NotFound, "no turn %s", id)
	}
	return found[0], nil
}

// TurnVersion counts how often the record of a turn was saved: as long as it is the
// same, so is the record.
func (l *Ledger) TurnVersion(ctx context.Context, id string) (int, error) {
	if quick, ok := l.store.(Versioner); ok {
		version, err := quick.Version(ctx, Key{turnRecords, id})
		if err == nil && version == 0 {
			err = errorf(NotFound, "no turn %s", id)
		}
		return version, err
	}
	for r, err := range l.store.Load(ctx, Query{Kind: turnRecords, ID: id}) {
		return r.Version, err
	}
	return 0, errorf(NotFound, "no turn %s", id)
}

// Turns lists the turns of a session, or of all with "", that changed something,
// newest first: those in one of the states, or in any. A limit of 0 is none.
func (l *Ledger) Turns(ctx context.Context, session string, limit int, states ...Status) ([]*TurnRecord, error) {
	if len(states) == 0 {
		states = []Status{Pending, Accepted, Rejected, Partial, Undone}
	}
	q := Query{Session: session, Newest: true, Limit: limit}
	for _, s := range states {
		q.States = append(q.States, string(s))
	}
	return l.turns(ctx, q)
}

// VisibleRecords is how many change records are shown.
const VisibleRecords = 50

// Records lists the newest turns of a session, or of all with "", that changed
// something, newest first.
func (l *Ledger) Records(ctx context.Context, session string) ([]*TurnRecord, error) {
	return l.Turns(ctx, session, VisibleRecords)
}

func (l *Ledger) saveTurns(ctx context.Context, b Batch, turns ...*TurnRecord) error {
	for _, t := range turns {
		b.Records = append(b.Records, t.record())
	}
	if err := l.store.Save(ctx, b); err != nil {
		return err
	}
	for _, t := range turns {
		t.version++
	}
	return nil
}

// end gives a turn its changes and the status that its review says.
func (r *TurnRecord) end(changes []Change, now time.Time) {
	r.Changes, r.Ended, r.Process = changes, now, 0
	switch {
	case len(changes) == 0:
		r.Status = Empty
	case r.Review == Auto:
		r.Status = Accepted
		r.decideAll(HunkAccepted)
	default:
		r.Status = Pending
	}
	if !r.Review.Staged() {
		r.markApplied()
	}
}

func (r *TurnRecord) decideAll(s HunkState) {
	for i := range r.Changes {
		for k := range r.Changes[i].Hunks {
			r.Changes[i].Hunks[k].State = s
		}
	}
}

func (r *TurnRecord) markApplied() {
	for i := range r.Changes {
		for k := range r.Changes[i].Hunks {
			r.Changes[i].Hunks[k].Applied = true
		}
	}
}
