package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"redline/internal/ledger"
)

// Save writes all of the batch or nothing. Equal contents are stored once; for
// those that are already there nothing is written.
func (s *Store) Save(ctx context.Context, b ledger.Batch) error {
	const doing = "save"
	if err := s.writable(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	rows, err := packRecords(b.Records)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	blobs, err := s.readBlobs(ctx, b.Blobs)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, s.explain(err))
	}
	return s.write(ctx, doing, b.Lazy, func(w *writer) error {
		for _, r := range rows { // first, as they can fail
			if err := w.putRecord(r); err != nil {
				return err
			}
		}
		return w.putBlobs(ctx, blobs)
	})
}

// Append is lazy. It holds the write lock while next runs, so next must be
// quick and must not save to the same store itself. A record without a kind
// gets the one of the chain.
func (s *Store) Append(ctx context.Context, kind string, next func(last ledger.Record) (ledger.Record, error)) error {
	return s.write(ctx, "append "+kind, true, func(w *writer) error {
		last, err := w.newest(kind)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		r, err := next(last)
		if err != nil {
			return err
		}
		if r.Kind == "" {
			r.Kind = kind
		}
		if r.Kind != kind {
			return fmt.Errorf("the record %s is of the kind %s", r.ID, r.Kind)
		}
		row, err := packRecord(r)
		if err != nil {
			return err
		}
		return w.putRecord(row)
	})
}
