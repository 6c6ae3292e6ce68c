package redline

import (
	"context"
	"slices"

	"redline/internal/ledger"
	"redline/internal/wire"
)

// ChangeLog lists the hunks that wait in a session, the agent's and the user's, layer by
// layer; with a path those of that file.
func (h *Host) ChangeLog(ctx context.Context, session, path string) ([]wire.LogEntry, error) {
	if err := h.known(ctx, session); err != nil {
		return nil, err
	}
	paths, err := h.logged(ctx, session, path)
	if err != nil {
		return nil, err
	}
	log := []wire.LogEntry{}
	for _, p := range paths {
		entries, err := h.folder.ledger.ChangeLog(ctx, session, p)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			one := wire.LogEntry{ID: e.ID, Path: p.String(), Turn: e.Turn, Origin: string(e.Origin), Kind: string(e.Kind), Forward: e.Forward, Reverse: e.Reverse, Status: string(e.Status), Applied: e.Applied}
			if !e.HashBefore.IsZero() {
				one.Before = e.HashBefore.String()
			}
			log = append(log, one)
		}
	}
	return log, nil
}

// logged are the files with hunks that wait in a session, or the one that is named.
func (h *Host) logged(ctx context.Context, session, path string) ([]ledger.Path, error) {
	if path != "" {
		p, err := h.folder.files.Path(path)
		return []ledger.Path{p}, err
	}
	records, err := h.folder.Review(session).pending(ctx)
	var paths []ledger.Path
	for _, t := range records {
		for _, c := range t.Changes {
			if t.Review == ledger.Hunks && !slices.Contains(paths, c.Path) {
				paths = append(paths, c.Path)
			}
		}
	}
	return paths, err
}
