package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"redline/internal/ledger"

	sqlite3 "modernc.org/sqlite"
)

// busyWait is how long a write waits for another process.
const busyWait = 5 * time.Second

// Store is one database file. Its methods may be called at the same time.
type Store struct {
	path string
	busy time.Duration

	readers *readers // nil: nothing can be read
	writer  *writer  // nil: read-only since Open
	reason  atomic.Pointer[error]

	background sync.WaitGroup // the checkpoint; Close waits for it
	closed     atomic.Bool
}

var (
	_ ledger.Store     = (*Store)(nil)
	_ ledger.Appender  = (*Store)(nil)
	_ ledger.Collector = (*Store)(nil)
)

// Open opens the database file, and creates it and its folder if they are not
// there. A file that cannot be used fully is opened for reading only, with
// nothing to read in the worst case, and ReadOnly tells why: Open fails only if
// ctx ends or if other processes keep it waiting for too long.
func Open(ctx context.Context, path string) (*Store, error) {
	return open(ctx, path, busyWait)
}

func open(ctx context.Context, path string, busy time.Duration) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open the database %s: %w", path, err)
	}
	s := &Store{path: path, busy: busy}
	w, err := s.openWriter(ctx)
	switch {
	case err == nil:
		s.writer = w
		s.readers = s.newReaders("mode=ro")
		return s, nil
	case ctx.Err() != nil:
		w.close()
		return nil, ctx.Err()
	case isBusy(err):
		w.close()
		return nil, fmt.Errorf("open the database %s: %w", path, ledger.ErrBusy)
	}
	s.setReadOnly(s.plain(err))
	s.readers = s.readableView(ctx)
	w.close() // after a reader is there: the last connection to go would write
	return s, nil
}

// openWriter returns the writer, which is to be closed, with its error.
func (s *Store) openWriter(ctx context.Context) (*writer, error) {
	if err := create(s.path); err != nil {
		return nil, err
	}
	if emptied(s.path) {
		return nil, &damage{"it is empty, but its -wal file is not"}
	}
	w, err := s.newWriter(ctx)
	if err != nil {
		return w, err
	}
	if readOnly, err := w.isReadOnly(); err != nil || readOnly {
		return w, errors.Join(err, fs.ErrPermission)
	}
	if err := s.migrate(ctx, w); err != nil {
		return w, err
	}
	return w, w.prepare(ctx, s.busy)
}

// creating lets one goroutine at a time make a file and its tables. A second one
// must not take its locks on the new file before create has closed it: closing a
// file drops all locks that the process has on it.
var creating sync.Mutex

// create makes the file, for its owner only, unless it is there. It never opens
// one that is there, for the same reason.
func create(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	creating.Lock()
	defer creating.Unlock()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if d, err := os.Open(folder); err == nil { // SQLite syncs its files, but not this entry
		_ = d.Sync() // not every system can
		return d.Close()
	}
	return nil
}

// emptied tells that the file lost its content while transactions were waiting
// beside it. SQLite would take it for a new one and delete them.
func emptied(path string) bool {
	file, err := os.Stat(path)
	if err != nil || file.Size() > 0 {
		return false
	}
	wal, err := os.Stat(path + "-wal")
	return err == nil && wal.Size() > 0
}

// connect names the file for the driver. The parameters are SQLite's.
func (s *Store) connect(parameters string) *sql.DB {
	slashed := filepath.ToSlash(s.path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/...
	}
	name := url.URL{Scheme: "file", Path: slashed}
	connector, err := sqlite3.NewConnector(fmt.Sprintf("%s?%s&_busy_timeout=%d&_error_rc=1&_defensive=1",
		name.String(), parameters, s.busy.Milliseconds()))
	if err != nil {
		panic(err) // the parameters are ours
	}
	return sql.OpenDB(connector)
}

// Close waits for what is going on and closes the file. What was saved is moved
// into the one file unless somebody else has it open. Closing again does
// nothing.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	if s.writer != nil {
		s.writer.turn <- struct{}{}
		defer func() { <-s.writer.turn }() // who waited finds a closed connection
		s.background.Wait()
	}
	if s.ReadOnly() == nil {
		return errors.Join(s.readers.close(), s.writer.close())
	}
	// The last connection to go tidies up in the file, if it can write. So one
	// that can only read stays until the end.
	if last, err := s.readers.hold(context.Background()); err == nil {
		defer last.Close()
	}
	return errors.Join(s.writer.close(), s.readers.close())
}
