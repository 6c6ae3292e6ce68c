package sqlite

import (
	"context"
	"strconv"
)

// mergeAt is how many bytes in the log are moved into the file itself.
const mergeAt = 8 << 20

// mergeLater starts a checkpoint if there is enough to do, so that no Save pays
// for it. It runs beside writers and readers.
func (s *Store) mergeLater(w *writer) {
	if w.unmerged < mergeAt || !w.merging.CompareAndSwap(false, true) {
		return
	}
	w.unmerged = 0
	s.background.Go(func() {
		defer w.merging.Store(false)
		db := s.connect("mode=rw")
		defer db.Close()
		// What it does not get done, the next one or the last Close does.
		_, _ = db.ExecContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)")
	})
}

// truncateLog moves everything into the file and gives the log's space back. It
// does not insist: somebody who reads or writes may be in the way.
func (s *Store) truncateLog(ctx context.Context) error {
	w := s.writer
	select {
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	s.background.Wait() // nobody starts another while we have the turn
	w.unmerged = 0
	if _, err := w.conn.ExecContext(ctx, "PRAGMA busy_timeout = 100; PRAGMA wal_checkpoint(TRUNCATE)"); err != nil && !isBusy(err) {
		return s.explain(err)
	}
	_, err := w.conn.ExecContext(context.Background(), "PRAGMA busy_timeout = "+strconv.FormatInt(s.busy.Milliseconds(), 10))
	return err
}
