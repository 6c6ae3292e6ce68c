package sqlite

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"time"

	"github.com/pressly/goose/v3"
)

//go:embed migrations/*.sql
var migrations embed.FS

const (
	// schema is the user_version that the last migration sets.
	schema = 2
	// application marks the file as ours: "RDLN".
	application = 0x52444c4e
	// migrateWait is how long one who makes the tables waits for another who
	// does, before it begins anew: two that wait for each other would do so to
	// the end.
	migrateWait = 20 * time.Millisecond
)

// newer is a database of a later program.
type newer struct{ version int }

func (e *newer) Error() string {
	return fmt.Sprintf("its schema is %d, this program knows %d", e.version, schema)
}

var errForeign = errors.New("it is a database of another program")

// migrate brings the schema up to date, and has a first look at the tables.
// Another process may be doing the same; who loses begins anew until the time
// for waiting is over.
func (s *Store) migrate(ctx context.Context, w *writer) error {
	deadline := time.Now().Add(s.busy)
	for {
		err := w.migrate(ctx)
		lost := isBusy(err) || code(err) == codeError // "table already exists"
		if !lost || time.Now().After(deadline) {
			return err
		}
		select {
		case <-time.After(rand.N(migrateWait)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// migrate asks goose only if the schema is old: reading its version takes
// microseconds.
func (w *writer) migrate(ctx context.Context) error {
	version, err := w.version(ctx)
	switch {
	case err != nil:
		return err
	case version > schema:
		return &newer{version}
	case version < schema:
		if err := w.up(ctx); err != nil {
			return err
		}
	}
	return w.look(ctx)
}

// version reads the schema's version, 0 for a file without tables. One that is
// marked as ours need not be searched; another is looked at in one statement,
// because somebody may be making the tables.
func (w *writer) version(ctx context.Context) (version int, err error) {
	var app, tables int
	err = errors.Join(
		w.conn.QueryRowContext(ctx, "PRAGMA application_id").Scan(&app),
		w.conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version))
	if err != nil || app == application {
		return version, err
	}
	err = w.conn.QueryRowContext(ctx, `SELECT
		(SELECT user_version FROM pragma_user_version),
		(SELECT application_id FROM pragma_application_id),
		(SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'goose%' AND name NOT LIKE 'sqlite%')`).
		Scan(&version, &app, &tables)
	if err == nil && tables > 0 && app != application {
		err = errForeign
	}
	return version, err
}

// up runs the migrations, one at a time in this process: goose sleeps for a
// second when it loses the race for its own table. The size of the pages and
// auto_vacuum can be set only before the first table is made.
func (w *writer) up(ctx context.Context) error {
	creating.Lock()
	defer creating.Unlock()
	if version, err := w.version(ctx); err != nil || version == schema {
		return err
	}
	if _, err := w.conn.ExecContext(ctx, fmt.Sprintf(`
		PRAGMA busy_timeout = %d;
		PRAGMA page_size = %d;
		PRAGMA auto_vacuum = INCREMENTAL;
		PRAGMA journal_mode = WAL`, migrateWait.Milliseconds(), pageSize)); err != nil {
		return err
	}
	return w.lend(ctx, func() error {
		files, err := fs.Sub(migrations, "migrations")
		if err != nil {
			return err
		}
		provider, err := goose.NewProvider(goose.DialectSQLite3, w.db, files, goose.WithDisableGlobalRegistry(true))
		if err != nil {
			return err
		}
		_, err = provider.Up(ctx)
		return err
	})
}

// look follows every tree of the database down one side: enough to meet a page
// that is missing, in a time that does not grow with the file. Other damage is
// met when it is read. Where the newest rows are at the end, that is the side;
// elsewhere the beginning will do, which SQLite finds faster.
func (w *writer) look(ctx context.Context) error {
	var ignore [12]any
	var into []any
	for i := range ignore {
		into = append(into, &ignore[i])
	}
	err := w.conn.QueryRowContext(ctx, `SELECT
		(SELECT max(id) FROM contents), (SELECT max(seq) FROM records),
		EXISTS (SELECT hash FROM blobs),
		EXISTS (SELECT id FROM records INDEXED BY records_id),
		EXISTS (SELECT kind FROM records INDEXED BY records_kind),
		EXISTS (SELECT state FROM records INDEXED BY records_state),
		EXISTS (SELECT session FROM records INDEXED BY records_session),
		(SELECT max(seq) FROM jobs),
		EXISTS (SELECT id FROM jobs INDEXED BY jobs_id),
		EXISTS (SELECT session FROM jobs INDEXED BY jobs_session),
		EXISTS (SELECT job FROM job_events),
		EXISTS (SELECT id FROM sessions)`).Scan(into...)
	if code(err) == codeError {
		return &damage{"a table or an index is missing: " + err.Error()}
	}
	return err
}
