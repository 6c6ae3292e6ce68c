package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// maxReaders is how many reads run at once; more wait.
const maxReaders = 4

// readers are connections that cannot write.
type readers struct {
	db *sql.DB

	mu    sync.Mutex
	stmts map[string]*sql.Stmt
}

func (s *Store) newReaders(parameters string) *readers {
	r := &readers{db: s.connect(parameters), stmts: map[string]*sql.Stmt{}}
	r.db.SetMaxOpenConns(maxReaders)
	r.db.SetMaxIdleConns(maxReaders)
	return r
}

// readableView finds a way to read a file that cannot be written, or returns
// nil.
func (s *Store) readableView(ctx context.Context) *readers {
	if emptied(s.path) {
		return nil // looking would delete the -wal file
	}
	// Where the folder is read-only, SQLite cannot set up what readers and
	// writers share; "immutable" does without, and without what is not merged.
	for _, parameters := range []string{"mode=ro", "mode=ro&immutable=1"} {
		r := s.newReaders(parameters)
		var tables int
		err := r.db.QueryRowContext(ctx,
			"SELECT count(*) FROM sqlite_schema WHERE name IN ('records', 'blobs', 'contents')").Scan(&tables)
		if err == nil && tables == 3 {
			return r
		}
		_ = r.close() // nothing was read
	}
	return nil
}

// query runs a statement that is prepared once.
func (r *readers) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	r.mu.Lock()
	stmt, ok := r.stmts[query]
	if !ok {
		var err error
		if stmt, err = r.db.PrepareContext(ctx, query); err != nil {
			r.mu.Unlock()
			return nil, err
		}
		r.stmts[query] = stmt
	}
	r.mu.Unlock()
	return stmt.QueryContext(ctx, args...)
}

// hold keeps one connection, with the file open.
func (r *readers) hold(ctx context.Context) (*sql.Conn, error) {
	if r == nil {
		return nil, sql.ErrConnDone
	}
	conn, err := r.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	var tables int
	if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

func (r *readers) close() error {
	if r == nil {
		return nil
	}
	return r.db.Close()
}
