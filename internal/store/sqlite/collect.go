package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"

	"redline/internal/ledger"
	"redline/internal/text"
)

// Collect works in pieces of about this size, and lets others write between
// them.
const (
	collectRecords = 500
	collectPage    = 4000 // only looked at
	collectBlobs   = 500
	collectBytes   = 8 << 20
	vacuumPages    = 1000
)

// Usage counts what is there. Of an unreadable database it counts the files.
func (s *Store) Usage(ctx context.Context) (ledger.Usage, error) {
	u := ledger.Usage{DiskBytes: s.diskBytes()}
	if s.readers == nil {
		return u, nil
	}
	rows, err := s.readers.query(ctx,
		"SELECT count(*), coalesce(sum(stored), 0), (SELECT count(*) FROM records INDEXED BY records_kind) FROM blobs")
	if err != nil {
		return u, fmt.Errorf("count what is stored: %w", s.explainRead(err))
	}
	defer rows.Close()
	rows.Next()
	if err := rows.Scan(&u.Blobs, &u.BlobBytes, &u.Records); err != nil {
		return u, fmt.Errorf("count what is stored: %w", s.explainRead(errors.Join(rows.Err(), err)))
	}
	return u, nil
}

func (s *Store) diskBytes() (sum int64) {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(s.path + suffix); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

// Collect removes in pieces, records first: if it is stopped, some are gone and
// the rest is as it was. A blob that a Save names after Collect has begun stays,
// whatever keep says. keep is called only then, so if it finds out at its first
// call what is in use, nothing falls between the two. It may use the store. The
// bytes freed are those of Usage.BlobBytes.
func (s *Store) Collect(ctx context.Context, remove []ledger.Key, keep func(text.Hash) bool) (freed int64, err error) {
	generation, err := s.beginGeneration(ctx)
	if err != nil {
		return 0, err
	}
	if err := s.removeRecords(ctx, remove); err != nil {
		return 0, err
	}
	for blobs, err := range s.oldBlobs(ctx, generation) {
		if err != nil {
			return freed, fmt.Errorf("collect: %w", s.explainRead(err))
		}
		victims := slices.DeleteFunc(blobs, func(b oldBlob) bool { return keep(b.hash) })
		for len(victims) > 0 {
			n := piece(victims)
			more, err := s.removeBlobs(ctx, victims[:n], generation)
			freed += more
			if err != nil {
				return freed, err
			}
			victims = victims[n:]
		}
	}
	return freed, s.shrink(ctx)
}

func (s *Store) beginGeneration(ctx context.Context) (generation int64, err error) {
	err = s.write(ctx, "collect", true, func(w *writer) error {
		return w.row("UPDATE generation SET number = number + 1 RETURNING number", nil, &generation)
	})
	return generation, err
}

func (s *Store) removeRecords(ctx context.Context, keys []ledger.Key) error {
	for chunk := range slices.Chunk(keys, collectRecords) {
		if err := s.write(ctx, "remove records", true, func(w *writer) error {
			for _, key := range chunk {
				if _, err := w.exec("DELETE FROM records WHERE id = ? AND kind = ?", key.ID, key.Kind); err != nil {
					return err
				}
			}
			w.unmerged += int64(len(chunk)) * pageSize
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// oldBlob is one that was last saved before the collection began.
type oldBlob struct {
	hash   text.Hash
	stored int64
}

// oldBlobs walks over them, many at a time, in the order of their hashes.
// Nothing is held while the loop works.
func (s *Store) oldBlobs(ctx context.Context, generation int64) iter.Seq2[[]oldBlob, error] {
	return func(yield func([]oldBlob, error) bool) {
		after := []byte{} // comes before every hash
		for {
			blobs, err := s.readers.oldBlobs(ctx, after, generation)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(blobs) == 0 {
				return
			}
			after = slices.Clone(blobs[len(blobs)-1].hash[:])
			if !yield(blobs, nil) {
				return
			}
		}
	}
}

func (r *readers) oldBlobs(ctx context.Context, after []byte, generation int64) (blobs []oldBlob, err error) {
	rows, err := r.query(ctx, "SELECT hash, stored FROM blobs WHERE hash > ? AND generation < ? ORDER BY hash LIMIT ?",
		after, generation, collectPage)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var hash sql.RawBytes
		var b oldBlob
		if err := rows.Scan(&hash, &b.stored); err != nil {
			return nil, err
		}
		if b.hash = hashOf(hash); b.hash.IsZero() {
			return nil, &damage{"a content has no hash"}
		}
		blobs = append(blobs, b)
	}
	return blobs, rows.Err()
}

// piece is how many of the blobs are removed at once.
func piece(blobs []oldBlob) (n int) {
	for size := int64(0); n < min(len(blobs), collectBlobs) && size < collectBytes; n++ {
		size += blobs[n].stored
	}
	return n
}

// removeBlobs deletes those that have not been saved again meanwhile.
func (s *Store) removeBlobs(ctx context.Context, blobs []oldBlob, generation int64) (freed int64, err error) {
	err = s.write(ctx, "remove contents", true, func(w *writer) error {
		freed = 0
		for _, b := range blobs {
			var content, stored int64
			err := w.row("DELETE FROM blobs WHERE hash = ? AND generation < ? RETURNING content, stored",
				[]any{b.hash[:], generation}, &content, &stored)
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			if _, err := w.exec("DELETE FROM contents WHERE id = ?", content); err != nil {
				return err
			}
			freed += stored
			w.unmerged += stored
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return freed, nil
}

// shrink gives free pages back to the disk, some at a time, and empties the log
// if nobody reads from it just now.
func (s *Store) shrink(ctx context.Context) error {
	for {
		free := 0
		if err := s.write(ctx, "shrink the database", true, func(w *writer) error {
			if _, err := w.conn.ExecContext(context.Background(), fmt.Sprintf("PRAGMA incremental_vacuum(%d)", vacuumPages)); err != nil {
				return err
			}
			w.unmerged += vacuumPages * pageSize
			return w.row("PRAGMA freelist_count", nil, &free)
		}); err != nil {
			return err
		}
		if free == 0 {
			break
		}
	}
	return s.truncateLog(ctx)
}
