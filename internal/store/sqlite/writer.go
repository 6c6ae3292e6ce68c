package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	sqlite3 "modernc.org/sqlite"
)

const (
	// pageSize is a compromise: larger pages waste less on packed notes, 52 MB
	// instead of 57 for 20,000 of them with twice the size, but every small
	// batch logs some whole pages.
	pageSize = 8 << 10
	// cacheKiB holds the pages that one large batch keeps coming back to.
	cacheKiB = 16 << 10
	// walPages is where a commit stops to move the log into the file itself,
	// in case that the background does not get to it.
	walPages = (128 << 20) / pageSize
	// walKeep is what stays of a large log after it was moved.
	walKeep = 8 << 20
	// leastPages is about what a small transaction logs: a page of each table
	// and index.
	leastPages = 6
)

// writer is the one connection that writes.
type writer struct {
	db    *sql.DB
	conn  *sql.Conn
	turn  chan struct{} // holds a token while somebody writes
	stmts map[string]*sql.Stmt

	merging  atomic.Bool // a checkpoint is going on
	lazy     bool        // synchronous is NORMAL
	unmerged int64       // about how many bytes were logged since the last checkpoint
}

// newWriter connects without touching the file.
func (s *Store) newWriter(ctx context.Context) (*writer, error) {
	w := &writer{
		db:    s.connect("mode=rw"),
		turn:  make(chan struct{}, 1),
		stmts: map[string]*sql.Stmt{},
	}
	w.db.SetMaxOpenConns(1)
	return w, w.grab(ctx)
}

func (w *writer) grab(ctx context.Context) (err error) {
	w.conn, err = w.db.Conn(ctx)
	return err
}

// lend frees the connection for f, which has to go through db.
func (w *writer) lend(ctx context.Context, f func() error) error {
	if err := w.conn.Close(); err != nil {
		return err
	}
	err := f()
	if lost := w.grab(ctx); lost != nil {
		return lost // there is no connection to try again with
	}
	return err
}

func (w *writer) isReadOnly() (readOnly bool, err error) {
	err = w.conn.Raw(func(c any) error {
		readOnly, err = c.(interface{ IsReadOnly(string) (bool, error) }).IsReadOnly("main")
		return err
	})
	return readOnly, err
}

// prepare sets what holds for the life of the connection.
func (w *writer) prepare(ctx context.Context, busy time.Duration) error {
	_, err := w.conn.ExecContext(ctx, fmt.Sprintf(`
		PRAGMA busy_timeout = %d;
		PRAGMA synchronous = FULL;
		PRAGMA cache_size = -%d;
		PRAGMA wal_autocheckpoint = %d;
		PRAGMA journal_size_limit = %d;
		PRAGMA cell_size_check = ON`, busy.Milliseconds(), cacheKiB, walPages, walKeep))
	return err
}

func (w *writer) close() error {
	if w == nil {
		return nil
	}
	var errs []error
	for _, stmt := range w.stmts {
		errs = append(errs, stmt.Close())
	}
	if w.conn != nil {
		errs = append(errs, w.conn.Close())
	}
	return errors.Join(append(errs, w.db.Close())...)
}

// write runs f in a transaction. It waits for its turn in this process as long
// as ctx allows, and then for other processes for a few seconds. f looks at ctx
// itself where it has much to do; its statements are not interrupted.
func (s *Store) write(ctx context.Context, doing string, lazy bool, f func(*writer) error) error {
	if err := s.writable(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	w := s.writer
	select {
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", doing, ctx.Err())
	}
	if err := w.transact(ctx, lazy, f); err != nil {
		return fmt.Errorf("%s: %w", doing, s.explain(err))
	}
	s.mergeLater(w)
	return nil
}

func (w *writer) transact(ctx context.Context, lazy bool, f func(*writer) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := w.setLazy(lazy); err != nil {
		return err
	}
	done := false
	defer func() {
		if !done { // also if f panics, and if BEGIN worked although ctx ended
			_, _ = w.conn.ExecContext(context.Background(), "ROLLBACK") // SQLite may have done it
		}
	}()
	if err := w.order(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := f(w); err != nil {
		return err
	}
	if err := w.order(context.Background(), "COMMIT"); err != nil {
		return err
	}
	done = true
	w.unmerged += leastPages * pageSize
	return nil
}

func (w *writer) setLazy(lazy bool) error {
	if lazy == w.lazy {
		return nil
	}
	level := "FULL"
	if lazy {
		level = "NORMAL"
	}
	if _, err := w.conn.ExecContext(context.Background(), "PRAGMA synchronous = "+level); err != nil {
		return err
	}
	w.lazy = lazy
	return nil
}

// stmt prepares a statement once.
func (w *writer) stmt(query string) (*sql.Stmt, error) {
	if stmt, ok := w.stmts[query]; ok {
		return stmt, nil
	}
	stmt, err := w.conn.PrepareContext(context.Background(), query)
	if err == nil {
		w.stmts[query] = stmt
	}
	return stmt, err
}

// order carries out a statement that has neither parameters nor an answer.
func (w *writer) order(ctx context.Context, statement string) error {
	stmt, err := w.stmt(statement)
	if err != nil {
		return err
	}
	_, err = stmt.ExecContext(ctx)
	return err
}

// exec returns how many rows changed.
func (w *writer) exec(query string, args ...any) (int64, error) {
	stmt, err := w.stmt(query)
	if err != nil {
		return 0, err
	}
	result, err := stmt.Exec(args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// row scans the one row of a query.
func (w *writer) row(query string, args []any, into ...any) error {
	stmt, err := w.stmt(query)
	if err != nil {
		return err
	}
	return stmt.QueryRow(args...).Scan(into...)
}

// code is SQLite's primary result code, or 0.
func code(err error) int {
	var e *sqlite3.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}
