package ledger

import (
	"context"

	"redline/internal/text"
)

// LogEntry is one hunk in the change log of a file.
type LogEntry struct {
	ID         string    `json:"id"`
	Turn       string    `json:"turn"`
	Origin     Origin    `json:"origin"`
	Kind       HunkKind  `json:"kind"`
	Forward    string    `json:"forward_patch,omitempty"`
	Reverse    string    `json:"reverse_patch,omitempty"`
	Status     HunkState `json:"status"`
	Applied    bool      `json:"applied"`
	HashBefore text.Hash `json:"file_hash_before,omitzero"` // of the text that the patch is about
	Oversized  bool      `json:"oversized_hunk,omitempty"`
	Edits      []string  `json:"edit_ids,omitempty"`
	DependsOn  []string  `json:"depends_on,omitempty"`
}

// ChangeLog lists what waits for a decision in the file p of a session, layer
// by layer: the agent's hunks and the user's.
func (l *Ledger) ChangeLog(ctx context.Context, session string, p Path) ([]LogEntry, error) {
	turns, err := l.pending(ctx, session)
	if err != nil {
		return nil, err
	}
	var log []LogEntry
	for _, t := range turns {
		for i := range t.Changes {
			c := &t.Changes[i]
			if c.Path != p && c.origin() != p {
				continue
			}
			patches, err := l.Patches(ctx, c)
			if err != nil {
				return nil, err
			}
			for k, h := range c.Hunks {
				log = append(log, LogEntry{
					ID: h.ID, Turn: t.ID, Origin: t.Origin, Kind: h.Kind, Forward: patches[k].Forward, Reverse: patches[k].Reverse, Status: h.State, Applied: h.Applied,
					HashBefore: c.Before.Hash, Oversized: h.Oversized, Edits: h.Edits, DependsOn: h.DependsOn,
				})
			}
		}
	}
	return log, nil
}
