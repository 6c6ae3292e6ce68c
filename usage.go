package redline

import (
	"context"
	"errors"
	"time"

	"redline/internal/ledger"
)

// usageKey is the record of what other programs have used of the models.
var usageKey = ledger.Key{Kind: "usage", ID: "clients"}

// LoadUsage is what a server has kept about the use of its models; nil if nothing.
func (f *Folder) LoadUsage(ctx context.Context) ([]byte, error) {
	r, err := f.clientUsage(ctx)
	return r.Body, err
}

// SaveUsage keeps what a server knows about the use of its models.
func (f *Folder) SaveUsage(ctx context.Context, usage []byte) error {
	for {
		r, err := f.clientUsage(ctx)
		if err != nil {
			return err
		}
		r.Body, r.Time = usage, time.Now()
		err = f.store.Save(ctx, ledger.Batch{Records: []ledger.Record{r}, Lazy: true})
		if !errors.Is(err, ledger.ErrVersion) { // another program was faster
			return err
		}
	}
}

func (f *Folder) clientUsage(ctx context.Context) (ledger.Record, error) {
	found := ledger.Record{Key: usageKey}
	for r, err := range f.store.Load(ctx, ledger.Query{Kind: usageKey.Kind, ID: usageKey.ID}) {
		if err != nil {
			return found, err
		}
		found = r
	}
	return found, nil
}
