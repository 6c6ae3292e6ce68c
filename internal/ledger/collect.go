package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
// nothing needs any more. It never touches what waits for a decision, a commit
// that is not yet safely on the disk, or the baseline.
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
	keep, remove := map[text.Hash]bool{}, []Key{}
	gone := map[string]bool{}
	kept := 0
	for _, t := range turns {
		open := t.Status == Pending || t.Status == Running
		if !open && (kept >= r.Turns || t.Ended.Before(limit)) {
			remove = append(remove, Key{turnRecords, t.ID})
			gone[t.ID] = true
			sum.Turns++
			continue
		}
		if !open {
			kept++
		}
		for _, ch := range t.Changes {
			keep[ch.Before.Hash], keep[ch.After.Hash] = true, true
		}
	}
	commits, err := l.commits(ctx, Query{}, nil)
	if err != nil {
		return 0, err
	}
	for _, cm := range commits {
		forgotten := gone[cm.Turn] || cm.Turn == "" && cm.Time.Before(limit)
		if forgotten && cm.State != Prepared && cm.State != Done {
			remove = append(remove, Key{commitRecords, cm.ID})
			sum.Commits++
			continue
		}
		for _, e := range cm.Effects {
			keep[e.Before.Hash], keep[e.After.Hash] = true, true
		}
	}
	if err := l.keepBaseline(ctx, keep); err != nil {
		return 0, err
	}
	freed, err := c.Collect(ctx, remove, func(h text.Hash) bool { return keep[h] })
	sum.Freed += freed
	return kept, err
}

// keepBaseline marks what the baseline needs.
func (l *Ledger) keepBaseline(ctx context.Context, keep map[text.Hash]bool) error {
	l.baseline.mu.Lock()
	defer l.baseline.mu.Unlock()
	for r, err := range l.store.Load(ctx, Query{Kind: baselineRecords}) {
		if err != nil {
			return err
		}
		var hash text.Hash
		if err := json.Unmarshal(r.Body, &hash); err != nil {
			return fmt.Errorf("baseline: %w", err)
		}
		keep[hash] = true
	}
	if !l.baseline.loaded {
		if err := l.loadBaseline(ctx); err != nil {
			return err
		}
		l.baseline.loaded = true
	}
	for _, f := range l.baseline.cache.All() {
		keep[f.Hash] = true
	}
	return nil
}
