package ledger

import (
	"context"
	"errors"
	"sync"
	"time"

	"redline/internal/text"
)

// Retention says how much of the past is kept. Zero fields stand for the
// defaults: 1 GiB, 90 days, 1,000 turns.
type Retention struct {
	Bytes int64
	Age   time.Duration
	Turns int
}

// Collected is what a collection did.
type Collected struct {
	Turns   int   // turns that can no longer be undone
	Commits int   // their commits, and others as old
	Freed   int64 // bytes of content
	Usage   Usage // what is left
}

// Usage is what the ledger keeps on the disk.
func (l *Ledger) Usage(ctx context.Context) (Usage, error) {
	c, ok := l.store.(Collector)
	if !ok {
		return Usage{}, errors.New("the store cannot be measured")
	}
	return c.Usage(ctx)
}

// Collect forgets the oldest turns beyond the limits, and the contents that
// nothing needs any more. It never touches what waits for a decision before it
// reaches the disk, a commit that is not yet safely there, or the baseline. What
// was written at once and that nobody has accepted or undone counts as accepted.
func (l *Ledger) Collect(ctx context.Context, r Retention) (Collected, error) {
	c, ok := l.store.(Collector)
	if !ok {
		return Collected{}, errors.New("the store cannot be made smaller")
	}
	if r.Bytes == 0 {
		r.Bytes = 1 << 30
	}
	if r.Age == 0 {
		r.Age = 90 * 24 * time.Hour
	}
	if r.Turns == 0 {
		r.Turns = 1000
	}
	unlock, err := l.folder.Lock(ctx, "clearing up")
	if err != nil {
		return Collected{}, err
	}
	defer unlock()
	var sum Collected
	for {
		done, err := l.collectOnce(ctx, c, r, &sum)
		if err != nil {
			return sum, err
		}
		if sum.Usage, err = c.Usage(ctx); err != nil {
			return sum, err
		}
		if done == 0 || sum.Usage.BlobBytes <= r.Bytes {
			return sum, nil
		}
		r.Turns = max(0, r.Turns*3/4) // still too much: keep fewer
	}
}

// collectOnce makes one round and tells how many turns are left that a further
// round could take.
func (l *Ledger) collectOnce(ctx context.Context, c Collector, r Retention, sum *Collected) (left int, err error) {
	turns, err := l.turns(ctx, Query{Newest: true})
	if err != nil {
		return 0, err
	}
	limit := l.now().Add(-r.Age)
	remove, gone := []Key{}, map[string]bool{}
	for _, t := range turns {
		switch {
		case t.Status == Running || t.Status == Pending && t.Review.Staged():
		case left >= r.Turns || t.Ended.Before(limit):
			remove = append(remove, Key{turnRecords, t.ID})
			gone[t.ID] = true
		default:
			left++
		}
	}
	commits, err := l.commits(ctx, Query{}, func(cm *Commit) bool {
		return (gone[cm.Turn] || cm.Turn == "" && cm.Time.Before(limit)) && cm.State != Prepared && cm.State != Done
	})
	if err != nil {
		return 0, err
	}
	for _, cm := range commits {
		remove = append(remove, Key{commitRecords, cm.ID})
	}
	sum.Turns += len(gone)
	sum.Commits += len(commits)
	// What is needed is found out once the store has settled what may go:
	// somebody may save in between.
	needed := sync.OnceValue(func() needs { return l.needs(ctx, remove) })
	freed, err := c.Collect(ctx, remove, func(h text.Hash) bool { return needed().all || needed().hashes[h] })
	sum.Freed += freed
	return left, errors.Join(err, needed().err)
}

// needs are the contents that must stay.
type needs struct {
	hashes map[text.Hash]bool
	all    bool // there is no telling: keep everything
	err    error
}

// needs looks through all records but those that are being removed.
func (l *Ledger) needs(ctx context.Context, removed []Key) needs {
	n := needs{hashes: map[text.Hash]bool{}}
	gone := make(map[Key]bool, len(removed))
	for _, k := range removed {
		gone[k] = true
	}
	keep := func(e Effect) { n.hashes[e.Before.Hash], n.hashes[e.After.Hash] = true, true }
	turns, err := l.turns(ctx, Query{})
	for _, t := range turns {
		if !gone[Key{turnRecords, t.ID}] {
			for _, c := range t.Changes {
				keep(c.Effect)
			}
		}
	}
	if err == nil {
		var commits []*Commit
		commits, err = l.commits(ctx, Query{}, nil)
		for _, c := range commits {
			if !gone[Key{commitRecords, c.ID}] {
				for _, e := range c.Effects {
					keep(e)
				}
			}
		}
	}
	if err == nil {
		n.all, err = l.keepBaseline(ctx, n.hashes)
	}
	if err != nil {
		return needs{all: true, err: err}
	}
	return n
}

// keepBaseline marks what the baseline needs. A baseline that somebody is just
// bringing up to date needs contents that nothing names yet.
func (l *Ledger) keepBaseline(ctx context.Context, keep map[text.Hash]bool) (updating bool, err error) {
	// A command that runs just now holds the baseline, perhaps for long.
	if !l.baseline.mu.TryLock() {
		return true, nil
	}
	defer l.baseline.mu.Unlock()
	for _, f := range l.baseline.cache.All() {
		keep[f.Hash] = true
	}
	for r, err := range l.store.Load(ctx, Query{Kind: baselineRecords, States: []string{baselineUpdating}}) {
		if err != nil {
			return false, err
		}
		if processAlive(leaseOf(r)) {
			return true, nil
		}
	}
	stored, hash, err := l.storedBaseline(ctx) // another process may have brought it further
	keep[hash] = true
	for _, f := range stored.All() {
		keep[f.Hash] = true
	}
	return false, err
}
