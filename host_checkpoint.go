package redline

import (
	"context"
	"errors"
	"strings"

	"redline/internal/ledger"
	"redline/internal/ops"
	"redline/internal/text"
	"redline/internal/wire"
	"redline/internal/workspace"
)

// Checkpoint is the state of every file that a run touched, before it.
func (h *Host) Checkpoint(ctx context.Context, id string) (wire.Checkpoint, error) {
	t, err := h.checkpointTurn(ctx, id)
	if err != nil {
		return wire.Checkpoint{}, err
	}
	out := wire.Checkpoint{ID: id, Session: t.Session, Job: t.Job, Turn: t.ID, Created: t.Began, Files: []wire.CheckpointFile{}}
	for i := range t.Changes {
		file, err := h.checkpointFile(ctx, &t.Changes[i])
		if err != nil {
			return wire.Checkpoint{}, err
		}
		out.Files = append(out.Files, file)
	}
	return out, nil
}

// checkpointTurn is the turn that a checkpoint was made before.
func (h *Host) checkpointTurn(ctx context.Context, id string) (*ledger.TurnRecord, error) {
	turn, ok := strings.CutPrefix(id, "cp_")
	if !ok {
		return nil, refuse(ledger.NotFound, "no checkpoint %s", id)
	}
	t, err := h.folder.ledger.Turn(ctx, turn)
	if errors.Is(err, ledger.NotFound) {
		return nil, refuse(ledger.NotFound, "no checkpoint %s", id)
	}
	return t, err
}

// checkpointFile is one file of a checkpoint, with the patches that take its hunks back.
func (h *Host) checkpointFile(ctx context.Context, c *ledger.Change) (wire.CheckpointFile, error) {
	file := wire.CheckpointFile{Path: c.Path.String(), Base: c.Before.Hash.String(), Hunks: []wire.CheckpointHunk{}}
	patches, err := h.folder.ledger.Patches(ctx, c)
	if err != nil {
		return file, err
	}
	for k, hunk := range c.Hunks {
		back := patches[k]
		if hunk.Kind == ledger.CreateHunk || hunk.Kind == ledger.DeleteHunk {
			if back, err = ops.WholeFile(ctx, h.folder.ledger, c); err != nil {
				return file, err
			}
		}
		file.Hunks = append(file.Hunks, wire.CheckpointHunk{ID: hunk.ID, Reverse: back.Reverse})
	}
	return file, nil
}

// Diff3 is a file as it is now, as it was before a run, and as the run left or proposed
// it. A file that tools could not read is not shown.
func (h *Host) Diff3(ctx context.Context, id, path string) (wire.Diff3, error) {
	t, err := h.checkpointTurn(ctx, id)
	if err != nil {
		return wire.Diff3{}, err
	}
	p, err := h.folder.files.Path(path)
	if err == nil {
		err = h.readable(t.Session, p)
	}
	if err != nil {
		return wire.Diff3{}, err
	}
	d, err := h.folder.ledger.Diff3(ctx, id, p)
	if err != nil {
		return wire.Diff3{}, err
	}
	out := wire.Diff3{Path: p.String()}
	for _, side := range []struct {
		to   **string
		data []byte
	}{{&out.Current, d.Current}, {&out.Base, d.Base}, {&out.Proposed, d.Proposed}} {
		if *side.to, err = asText(p, side.data); err != nil {
			return wire.Diff3{}, err
		}
	}
	return out, nil
}

// asText is the content of a file as a text; nil if there is no file.
func asText(p ledger.Path, data []byte) (*string, error) {
	if data == nil {
		return nil, nil
	}
	if err := text.Check(data); err != nil {
		return nil, unreadable(p, err)
	}
	s := string(data)
	return &s, nil
}

// unreadable is about a file that is no text.
func unreadable(p ledger.Path, why error) error {
	return &workspace.Error{Code: workspace.UnsupportedFile, Path: p.String(), Reason: why.Error() + "; only text can be shown", Err: why}
}

// Rollback returns to a checkpoint. Changes of a session under review hunks are taken
// back in its buffers, and reach the disk when they are saved or applied; those of
// others are taken back on the disk.
func (h *Host) Rollback(ctx context.Context, id string, r wire.RollbackRequest) (wire.Report, error) {
	h.deciding.RLock()
	defer h.deciding.RUnlock()
	record, err := h.checkpointTurn(ctx, id)
	if err != nil {
		return wire.Report{}, err
	}
	if h.jobs.Locked() {
		return wire.Report{}, locked()
	}
	about := map[string]any{"checkpoint_id": id, "mode": r.Mode, "hunk_ids": append([]string{}, r.Hunks...)}
	h.note(ctx, record, wire.CheckpointRollback, about)
	back := h.folder.ledger.Rollback
	if record.Review == ledger.Hunks {
		back = h.folder.ledger.Retract
	}
	found, err := back(ctx, id, ledger.RollbackMode(r.Mode), r.Hunks)
	ctx = context.WithoutCancel(ctx)
	if err != nil {
		about["error"] = err.Error()
		h.note(ctx, record, wire.CheckpointNotReturned, about)
		return wire.Report{}, err
	}
	report := reported(found)
	report.Turn = record.ID
	err = h.returned(ctx, report)
	about["report"] = report
	h.note(ctx, record, wire.CheckpointRolledBack, about)
	return report, err
}

// note adds an event to the job of a turn, if it is still kept.
func (h *Host) note(ctx context.Context, t *ledger.TurnRecord, kind string, data any) {
	if t.Job != "" {
		_ = h.jobs.Trace(ctx, t.Job, event(kind, data)) // the job may be forgotten: what happened is in the ledger
	}
}

func locked() error {
	return wire.Errorf(wire.CodeLocked, "the agent works on the documents: wait until it is done, or cancel its job")
}

// readable refuses paths that the tools of a session could not read.
func (h *Host) readable(session string, p ledger.Path) error {
	_, err := h.policy(session).Check(p, workspace.Reading)
	return err
}

// policy is what the tools of a session may touch; of no session, those of the usual
// toolset.
func (h *Host) policy(session string) *workspace.Policy {
	name := h.options.Defaults.Toolset
	if c := h.conversation(session); c != nil {
		name = c.toolset
	}
	kit, err := toolsetOf(name)
	if err != nil {
		kit = toolsets[Toolsets[0]]
	}
	return kit.policy()
}
