package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Note is something that the user did with the agent's work, for the session to
// tell the model at the start of its next turn.
type Note struct {
	ID   string    `json:"id"`
	Kind NoteKind  `json:"kind"`
	Path Path      `json:"path"`
	Hunk string    `json:"hunk_id,omitempty"`
	Turn string    `json:"turn,omitempty"`
	Time time.Time `json:"time"`
}

// NoteKind is what the user did.
type NoteKind string

// The kinds of notes.
const (
	NoteRejected NoteKind = "rejected"
	NoteUndone   NoteKind = "undone"
	NoteRedone   NoteKind = "redone" // what was undone is there again
	NoteUserEdit NoteKind = "user_edit"
	NoteRollback NoteKind = "rolled_back"
)

const (
	noteRecords = "note"
	noteNew     = "new"
	noteTold    = "told"
)

func (l *Ledger) note(session string, n Note) Record {
	n.ID, n.Time = newID("note"), l.now()
	body, err := json.Marshal(n)
	if err != nil {
		panic(fmt.Sprintf("a note that cannot be written: %v", err)) // it has plain fields only
	}
	return Record{Key: Key{noteRecords, n.ID}, Session: session, State: noteNew, Time: n.Time, Body: body}
}

// TakeNotes returns the notes of a session that have not been told yet, oldest
// first, and marks them as told.
func (l *Ledger) TakeNotes(ctx context.Context, session string) ([]Note, error) {
	var notes []Note
	var told []Record
	for r, err := range l.store.Load(ctx, Query{Kind: noteRecords, Session: session, States: []string{noteNew}}) {
		if err != nil {
			return nil, err
		}
		var n Note
		if err := json.Unmarshal(r.Body, &n); err != nil {
			return nil, fmt.Errorf("note %s: %w", r.ID, err)
		}
		notes = append(notes, n)
		r.State = noteTold
		told = append(told, r)
	}
	if len(told) == 0 {
		return nil, nil
	}
	return notes, l.store.Save(ctx, Batch{Records: told, Lazy: true})
}
