package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"redline/internal/ledger"

	sqlite3 "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

const codeError = codes.SQLITE_ERROR

// damage is what is wrong with the content of a file.
type damage struct{ what string }

func (e *damage) Error() string { return e.what }

// ReadOnly tells why nothing can be saved, and what to do, or nil. A store can
// become read-only while it is in use, when damage is met; it stays so until it
// is opened again.
func (s *Store) ReadOnly() error {
	if reason := s.reason.Load(); reason != nil {
		return *reason
	}
	return nil
}

func (s *Store) setReadOnly(reason error) { s.reason.CompareAndSwap(nil, &reason) }

// writable returns the error of a write to a read-only store.
func (s *Store) writable() error {
	if reason := s.ReadOnly(); reason != nil {
		return fmt.Errorf("%w: %w", ledger.ErrReadOnly, reason)
	}
	return nil
}

func isBusy(err error) bool {
	return code(err) == codes.SQLITE_BUSY || code(err) == codes.SQLITE_LOCKED
}

func isDamage(err error) bool {
	var d *damage
	return errors.As(err, &d) || code(err) == codes.SQLITE_CORRUPT || code(err) == codes.SQLITE_NOTADB
}

// isFull tells whether the disk has no room, also none for the file that processes
// share while the database is open.
func isFull(err error) bool {
	var e *sqlite3.Error
	return code(err) == codes.SQLITE_FULL || errors.As(err, &e) && e.Code() == codes.SQLITE_IOERR_SHMSIZE
}

// explain turns an error of SQLite into one of the ledger's and draws the
// conclusion for the store: damage, and a disk that refuses, end all writing.
func (s *Store) explain(err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case isBusy(err):
		return fmt.Errorf("%w: another process has been writing to %s for %v; try again when it is done",
			ledger.ErrBusy, s.path, s.busy)
	case isDamage(err), code(err) == codes.SQLITE_READONLY:
		s.setReadOnly(s.plain(err))
		return s.writable()
	case isFull(err):
		return fmt.Errorf("%w, and nothing was saved in %s; free some space and try again: %w", ledger.ErrFull, s.path, err)
	}
	return err
}

// explainRead does the same for somebody who only wanted to read.
func (s *Store) explainRead(err error) error {
	if isDamage(err) {
		err = s.plain(err)
		s.setReadOnly(err)
		return err
	}
	if isBusy(err) {
		return s.explain(err)
	}
	return err
}

// plain says in words why the store is read-only and what can be done.
func (s *Store) plain(err error) error {
	var n *newer
	switch {
	case errors.As(err, &n):
		return fmt.Errorf("the database %s was made by a newer Redline (%w); update Redline to go on with it", s.path, err)
	case errors.Is(err, errForeign):
		return fmt.Errorf("%s does not belong to Redline (%w); move it away, and a new one is made at the next start", s.path, err)
	case isDamage(err):
		return fmt.Errorf("the database %s is damaged (%w) and is left as it is; move it away together with its "+
			"-wal and -shm files, and a new one is made at the next start", s.path, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS), code(err) == codes.SQLITE_READONLY, code(err) == codes.SQLITE_CANTOPEN:
		return fmt.Errorf("the database %s cannot be written (%w); make the file and its folder writable, "+
			"and open it again", s.path, err)
	case isFull(err):
		return fmt.Errorf("the database %s cannot be written because the disk is full (%w); free some space, "+
			"and open it again", s.path, err)
	}
	return fmt.Errorf("the database %s cannot be opened for writing: %w", s.path, err)
}
