package redline

import (
	"context"
	"time"

	"redline/internal/ledger"
)

// The record of when the state was last tidied.
const (
	tidyRecords = "tidied"
	tidyID      = "last"
	tidyEvery   = 24 * time.Hour
)

// tidy forgets what is older or larger than the ledger keeps, and what more forgets, if
// that was not done for a day. Nobody waits for its success: there is a next time.
func (f *Folder) tidy(ctx context.Context, keep ledger.Retention, more ...func(context.Context) error) {
	last := ledger.Record{Key: ledger.Key{Kind: tidyRecords, ID: tidyID}}
	for r, err := range f.store.Load(ctx, ledger.Query{Kind: tidyRecords, ID: tidyID}) {
		if err != nil {
			return
		}
		last = r
	}
	now := time.Now()
	first := last.Time.IsZero()
	if !first && now.Sub(last.Time) < tidyEvery {
		return
	}
	last.Time, last.Body = now, []byte("{}")
	if f.store.Save(ctx, ledger.Batch{Records: []ledger.Record{last}, Lazy: true}) != nil || first {
		return // somebody else does it, or there is nothing old yet
	}
	_, _ = f.ledger.Collect(ctx, keep)
	for _, forget := range more {
		_ = forget(ctx)
	}
}
