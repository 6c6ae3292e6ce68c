package workspace

import (
	"context"
	"errors"
	"sync"

	"redline/internal/text"
)

// Sweep removes the temporary files that a crash left behind, and returns where
// they were. It holds the lock while it works, so it takes nothing from a writer
// that is alive. A temporary file can hold the text of somebody who saved in the
// very moment of a crash: what known does not know, given its hash, goes to the
// trash instead.
func (f *Folder) Sweep(ctx context.Context, known func(text.Hash) bool) ([]Path, error) {
	unlock, err := f.Lock(ctx, "sweeping temporary files")
	if err != nil {
		return nil, err
	}
	defer unlock()
	return f.SweepLocked(ctx, known)
}

// SweepLocked is Sweep for a caller who holds the lock.
func (f *Folder) SweepLocked(ctx context.Context, known func(text.Hash) bool) ([]Path, error) {
	var mu sync.Mutex
	var swept []Path
	err := f.Walk(ctx, WalkOptions{Unlisted: true, Policy: Without(".git"), temporary: true}, func(_ int, v *Visited) error {
		for _, e := range v.Entries {
			if e.IsFile() && isTempName(e.Name) {
				mu.Lock()
				swept = append(swept, v.Child(e))
				mu.Unlock()
			}
		}
		return nil
	})
	for _, p := range swept {
		s, readErr := f.Read(p)
		if readErr == nil && len(s.Data) > 0 && !p.Within(Path{internalDir}) && !known(s.Hash) {
			_, readErr = f.Trash(p)
		} else if readErr == nil {
			readErr = f.remove(p)
		}
		err = errors.Join(err, readErr)
	}
	return swept, err
}
