package redline

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"redline/internal/ledger"
	"redline/internal/wire"
	"redline/internal/workspace"
)

// byHand is the session of what the user does without an agent.
const byHand = "by-hand"

// Turns lists the turns of a session, or of all with "", that changed something,
// newest first; a limit of 0 is none.
func (f *Folder) Turns(ctx context.Context, session string, limit int) ([]wire.Turn, error) {
	records, err := f.ledger.Turns(ctx, session, limit)
	if err != nil {
		return nil, err
	}
	turns := []wire.Turn{}
	for _, r := range records {
		t, err := f.Changes(ctx, r)
		if err != nil {
			return nil, err
		}
		turns = append(turns, t)
	}
	return turns, nil
}

// Turn is one turn.
func (f *Folder) Turn(ctx context.Context, id string) (wire.Turn, error) {
	r, err := f.ledger.Turn(ctx, id)
	if err != nil {
		return wire.Turn{}, err
	}
	return f.Changes(ctx, r)
}

// SessionID completes the id of a session; "" stays.
func (f *Folder) SessionID(ctx context.Context, given string) (string, error) {
	if given == "" {
		return "", nil
	}
	records, err := f.ledger.Turns(ctx, "", 0)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, r := range records {
		if !slices.Contains(ids, r.Session) {
			ids = append(ids, r.Session)
		}
	}
	id, err := complete(kind{"session", "", "redline sessions"}, given, ids)
	if info, findErr := f.findSession(given); errors.Is(err, ledger.NotFound) && findErr == nil {
		return info.ID, nil // it has changed nothing
	}
	return id, err
}

// Last stands for the newest of what an id is asked for.
const Last = "last"

// TurnID completes the id of a turn that changed something: the whole of it, its
// beginning with or without "turn_", or Last.
func (f *Folder) TurnID(ctx context.Context, session, given string) (string, error) {
	return f.turnID(ctx, session, given, kind{"turn", "turn_", "redline log"})
}

func (f *Folder) turnID(ctx context.Context, session, given string, k kind) (string, error) {
	if t, err := f.ledger.Turn(ctx, given); err == nil && given != "" && (session == "" || t.Session == session) {
		return t.ID, nil // it may have changed nothing
	}
	records, err := f.ledger.Turns(ctx, session, 0)
	if err != nil {
		return "", err
	}
	ids := make([]string, len(records))
	for i, r := range records {
		ids[i] = r.ID
	}
	return complete(k, given, ids)
}

// HunkID completes the id of a hunk.
func (f *Folder) HunkID(ctx context.Context, session, given string) (string, error) {
	records, err := f.ledger.Turns(ctx, session, 0)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, r := range records {
		for _, c := range r.Changes {
			for _, h := range c.Hunks {
				ids = append(ids, h.ID)
			}
		}
	}
	return complete(kind{"hunk", "h_", "redline show"}, given, ids)
}

// kind is a kind of things with ids.
type kind struct{ name, prefix, lists string }

// complete finds the id that is given by its beginning, among some that are listed
// newest first.
func complete(k kind, given string, ids []string) (string, error) {
	if len(ids) == 0 {
		return "", refuse(ledger.NotFound, "there is no %s yet", k.name)
	}
	if given == Last {
		return ids[0], nil
	}
	var found []string
	for _, id := range ids {
		switch bare := strings.TrimPrefix(id, k.prefix); {
		case id == given || bare == given:
			return id, nil
		case k.prefix == "h_" && numbered(given): // h_x_1 is not short for h_x_12
		case given != "" && (strings.HasPrefix(id, given) || strings.HasPrefix(bare, given)):
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		if k.prefix == "turn_" && strings.HasPrefix(given, "h_") {
			return "", refuse(ledger.NotFound, "%s is no %s; name a hunk with --hunk", workspace.Display(given), k.name)
		}
		return "", refuse(ledger.NotFound, "there is no %s %s: %s lists them", k.name, workspace.Display(given), k.lists)
	case 1:
		return found[0], nil
	}
	const most = 5
	list := strings.Join(found[:min(most, len(found))], ", ")
	if len(found) > most {
		list += ", …"
	}
	return "", refuse(ledger.Invalid, "%s could be any of %d: %s; give more of the id", workspace.Display(given), len(found), list)
}

// numbered tells whether an id ends in a number of its own.
func numbered(id string) bool {
	end := strings.TrimRight(id, "0123456789")
	return end != id && strings.HasSuffix(end, "_")
}

// History lists the versions of a document, newest first, through its names.
func (f *Folder) History(ctx context.Context, path string) ([]ledger.Version, error) {
	p, err := f.files.Path(path)
	if err != nil {
		return nil, err
	}
	return f.ledger.History(ctx, p)
}

// Checkpoints lists the checkpoints, newest first; a limit of 0 is none.
func (f *Folder) Checkpoints(ctx context.Context, session string, limit int) ([]*ledger.Checkpoint, error) {
	records, err := f.ledger.Turns(ctx, session, limit)
	if err != nil {
		return nil, err
	}
	list := []*ledger.Checkpoint{}
	for _, r := range records {
		c, err := f.ledger.Checkpoint(ctx, r.Checkpoint)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// CheckpointID completes the id of a checkpoint, which may also be given by that of
// its turn.
func (f *Folder) CheckpointID(ctx context.Context, session, given string) (string, error) {
	id, err := f.turnID(ctx, session, strings.TrimPrefix(given, "cp_"), kind{"checkpoint", "turn_", "redline checkpoints"})
	if err != nil {
		return "", err
	}
	return "cp_" + id, nil
}

// Checkpoint is the state of the files of a turn before it.
func (f *Folder) Checkpoint(ctx context.Context, id string) (*ledger.Checkpoint, error) {
	return f.ledger.Checkpoint(ctx, id)
}

// Compare is a file as it is now, as it was before a turn, and as the turn left it.
func (f *Folder) Compare(ctx context.Context, checkpoint, path string) (*ledger.Diff3, error) {
	p, err := f.files.Path(path)
	if err != nil {
		return nil, err
	}
	return f.ledger.Diff3(ctx, checkpoint, p)
}

// Rollback returns to a checkpoint: the files of the turn become what they were,
// whatever was done to them since, or chosen hunks of it are taken back and the rest
// stays. Redo takes it back.
func (f *Folder) Rollback(ctx context.Context, checkpoint string, hunks ...string) (wire.Report, error) {
	mode := ledger.HardAll
	if len(hunks) > 0 {
		mode = ledger.ScopedSelected
	}
	r, err := f.ledger.Rollback(ctx, checkpoint, mode, hunks)
	return reported(r), err
}

// Trashed is something that was deleted.
type Trashed struct {
	Name    string    `json:"name"` // in the trash
	Path    string    `json:"path"` // where it was
	Deleted time.Time `json:"deleted_at"`
	Size    int64     `json:"size"` // bytes
	Folder  bool      `json:"folder,omitempty"`
}

// Trash lists what was deleted and can be had back, newest first.
func (f *Folder) Trash() ([]Trashed, error) {
	items, err := f.files.Trashes()
	if err != nil {
		return nil, err
	}
	list := []Trashed{}
	for _, t := range slices.Backward(items) {
		item := Trashed{Name: t.ID, Path: t.Path.String(), Deleted: t.Deleted, Folder: t.IsDir}
		if info, err := f.files.Stat(t.File()); err == nil && !t.IsDir {
			item.Size = info.Size
		}
		list = append(list, item)
	}
	return list, nil
}

// RestoreTrash brings something deleted back to where it was, named by its name in
// the trash, the beginning of that, or the path it had; of several with that path
// the one that was deleted last. It overwrites nothing, and can be undone.
func (f *Folder) RestoreTrash(ctx context.Context, name string) (wire.Turn, error) {
	items, err := f.Trash()
	if err != nil {
		return wire.Turn{}, err
	}
	id := ""
	var ids []string
	for _, t := range items {
		if ids = append(ids, t.Name); t.Path == name {
			id = cmp.Or(id, t.Name)
		}
	}
	if id == "" {
		if id, err = complete(kind{"item of the trash", "", "redline trash"}, name, ids); err != nil {
			return wire.Turn{}, err
		}
	}
	r, err := f.ledger.RestoreTrash(ctx, byHand, id)
	if err != nil {
		return wire.Turn{}, err
	}
	return f.Changes(ctx, r)
}

// EmptyTrash removes for good what is in the trash, and tells how many items and
// bytes that were.
func (f *Folder) EmptyTrash() (items int, bytes int64, err error) {
	return f.files.EmptyTrash(time.Now())
}

// Audit lists the last entries of the audit log, oldest first; a limit of 0 is none.
func (f *Folder) Audit(ctx context.Context, limit int) ([]ledger.AuditEntry, error) {
	list := []ledger.AuditEntry{}
	for e, err := range f.ledger.AuditLog(ctx) {
		if err != nil {
			return nil, err
		}
		list = append(list, e)
		if limit > 0 && len(list) >= 2*limit { // keeps no more than it must
			list = slices.Delete(list, 0, len(list)-limit)
		}
	}
	if limit > 0 && len(list) > limit {
		list = list[len(list)-limit:]
	}
	return list, nil
}

// VerifyAudit checks that nobody changed the audit log, and says where if so.
func (f *Folder) VerifyAudit(ctx context.Context) error { return f.ledger.VerifyAudit(ctx) }
