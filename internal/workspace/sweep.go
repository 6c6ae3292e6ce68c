package workspace

import (
	"context"
	"sync"
)

// Sweep removes the temporary files that a crash left behind, and returns
// where they were. It holds the lock while it works, so it takes nothing from
// a writer that is alive. A file that a crash caught displaced, its old
// content under the temporary name, is complete under its own name: the
// exchange is one step.
func (f *Folder) Sweep(ctx context.Context) ([]Path, error) {
	unlock, err := f.Lock(ctx, "sweeping temporary files")
	if err != nil {
		return nil, err
	}
	defer unlock()
	return f.SweepLocked(ctx)
}

// SweepLocked is Sweep for a caller who holds the lock.
func (f *Folder) SweepLocked(ctx context.Context) ([]Path, error) {
	var mu sync.Mutex
	var swept []Path
	err := f.Walk(ctx, WalkOptions{Unlisted: true, Policy: Without(".git"), temporary: true}, func(_ int, v *Visited) error {
		for _, e := range v.Entries {
			if !e.IsFile() || !isTempName(e.Name) {
				continue
			}
			if err := v.dir.remove(e.Name); err != nil {
				return fail(v.Child(e), err)
			}
			mu.Lock()
			swept = append(swept, v.Child(e))
			mu.Unlock()
		}
		return nil
	})
	return swept, err
}
