package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"time"

	"redline/internal/ledger"
)

// row is a record as it is stored.
type row struct {
	ledger.Record
	packed
}

// packRecords refuses what could not be found again.
func packRecords(records []ledger.Record) ([]row, error) {
	rows := make([]row, len(records))
	for i, r := range records {
		var err error
		if rows[i], err = packRecord(r); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func packRecord(r ledger.Record) (row, error) {
	switch {
	case r.Kind == "" || r.ID == "":
		return row{}, fmt.Errorf("a record needs a kind and an id, and has %q and %q", r.Kind, r.ID)
	case r.Time.UTC().Year() < 0 || r.Time.UTC().Year() > 9999:
		return row{}, fmt.Errorf("the record %s %s is of the year %d", r.Kind, r.ID, r.Time.UTC().Year())
	case len(r.Body) > maxContent:
		return row{}, fmt.Errorf("the record %s %s has %d bytes, the limit is %d", r.Kind, r.ID, len(r.Body), maxContent)
	}
	p := pack(r.Body)
	if p.data == nil {
		p.data = []byte{} // nil would be NULL
	}
	return row{r, p}, nil
}

// putRecord inserts the first version of a record or replaces the version that
// it names.
func (w *writer) putRecord(r row) error {
	var n int64
	var err error
	at := r.Time.UTC().Format(time.RFC3339Nano)
	if r.Version == 0 {
		n, err = w.exec(`INSERT INTO records (kind, id, session, state, time, version, size, codec, body)
			VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?) ON CONFLICT DO NOTHING`,
			r.Kind, r.ID, r.Session, r.State, at, r.size, r.codec, r.data)
	} else {
		n, err = w.exec(`UPDATE records INDEXED BY records_id
			SET session = ?, state = ?, time = ?, version = version + 1, size = ?, codec = ?, body = ?
			WHERE id = ? AND kind = ? AND version = ?`,
			r.Session, r.State, at, r.size, r.codec, r.data, r.ID, r.Kind, r.Version)
	}
	if err == nil && n == 0 {
		err = fmt.Errorf("%s %s, version %d: %w", r.Kind, r.ID, r.Version, ledger.ErrVersion)
	}
	w.unmerged += int64(len(r.data))
	return err
}

const columns = "seq, kind, id, session, state, time, version, size, codec, body"

// newest returns sql.ErrNoRows if there is none. The kind is part of the statement:
// for a parameter in a condition SQLite makes a new plan each time, which takes longer
// than the search itself.
func (w *writer) newest(kind string) (ledger.Record, error) {
	stmt, err := w.stmt("SELECT " + columns + " FROM records INDEXED BY records_kind WHERE kind = " + quote(kind) + " ORDER BY seq DESC LIMIT 1")
	if err != nil {
		return ledger.Record{}, err
	}
	_, r, err := scan(stmt.QueryRow())
	return r, err
}

// quote is a text in SQL.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func scan(from interface{ Scan(...any) error }) (seq int64, r ledger.Record, err error) {
	var p packed
	var at string
	if err := from.Scan(&seq, &r.Kind, &r.ID, &r.Session, &r.State, &at, &r.Version, &p.size, &p.codec, &p.data); err != nil {
		return 0, r, err
	}
	if r.Time, err = time.Parse(time.RFC3339Nano, at); err != nil {
		return 0, r, &damage{fmt.Sprintf("the record %s %s has the time %q", r.Kind, r.ID, at)}
	}
	if r.Body, err = p.unpack(); err != nil {
		return 0, r, fmt.Errorf("the record %s %s: %w", r.Kind, r.ID, err)
	}
	return seq, r, nil
}

// A page is what Load reads at a time.
const (
	pageRecords = 256
	pageBytes   = 1 << 20
)

// Load yields the records page by page. Between two pages it holds nothing, so
// the loop may save, also to what it walks over: each record comes as it is when
// its page is read, and records that were first saved after Load began do not
// come.
func (s *Store) Load(ctx context.Context, q ledger.Query) iter.Seq2[ledger.Record, error] {
	return func(yield func(ledger.Record, error) bool) {
		if s.readers == nil {
			return
		}
		p, err := s.readers.begin(ctx, q)
		for err == nil && !p.done {
			var page []ledger.Record
			if page, err = p.next(ctx); err != nil {
				break
			}
			for _, r := range page {
				if !yield(r, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(ledger.Record{}, fmt.Errorf("load records: %w", s.explainRead(err)))
		}
	}
}

// pages walks over the answer to a query.
type pages struct {
	r     *readers
	query string
	args  []any
	after int64 // seq of the last record
	until int64
	left  int // of the limit
	done  bool
}

func (r *readers) begin(ctx context.Context, q ledger.Query) (*pages, error) {
	p := &pages{r: r, left: q.Limit, until: math.MinInt64}
	if q.Limit <= 0 {
		p.left = math.MaxInt
	}
	p.query, p.args = selection(q)
	if q.Newest {
		p.after = math.MaxInt64
		return p, nil
	}
	rows, err := r.query(ctx, "SELECT coalesce(max(seq), 0) FROM records")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	rows.Next()
	if err := rows.Scan(&p.until); err != nil {
		return nil, errors.Join(rows.Err(), err)
	}
	return p, nil
}

// selection is the query in SQL, without the values for the bounds of seq and
// for the limit. It names the index: SQLite has no statistics to choose by.
func selection(q ledger.Query) (query string, args []any) {
	var where []string
	index := ""
	filter := func(column, value, by string) {
		if value != "" {
			where = append(where, column+" = ?")
			args = append(args, value)
			index = by
		}
	}
	filter("kind", q.Kind, "records_kind")
	if len(q.States) > 0 {
		where = append(where, "state IN ("+list("?", len(q.States))+")")
		for _, state := range q.States {
			args = append(args, state)
		}
		index = "records_state"
	}
	filter("session", q.Session, "records_session")
	filter("id", q.ID, "records_id")
	if index != "" {
		index = "INDEXED BY " + index
	}
	bounds, order := "seq > ? AND seq <= ?", "ASC"
	if q.Newest {
		bounds, order = "seq < ? AND seq >= ?", "DESC"
	}
	where = append(where, bounds)
	return fmt.Sprintf("SELECT %s FROM records %s WHERE %s ORDER BY seq %s LIMIT ?",
		columns, index, strings.Join(where, " AND "), order), args
}

func (p *pages) next(ctx context.Context) (page []ledger.Record, err error) {
	n := min(p.left, pageRecords)
	rows, err := p.r.query(ctx, p.query, append(p.args[:len(p.args):len(p.args)], p.after, p.until, n)...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for size := 0; size < pageBytes; {
		if !rows.Next() {
			p.done = len(page) < n
			break
		}
		seq, r, err := scan(rows)
		if err != nil {
			return nil, err
		}
		page, size = append(page, r), size+len(r.Body)
		p.after = seq
	}
	p.left -= len(page)
	p.done = p.done || p.left == 0
	return page, rows.Err()
}

// Version reads nothing of the record but its version.
func (s *Store) Version(ctx context.Context, k ledger.Key) (version int, err error) {
	err = s.read(ctx, "look up the "+k.Kind+" "+k.ID, `SELECT version FROM records WHERE id = ? AND kind = ?`, []any{k.ID, k.Kind},
		func(rows *sql.Rows) error { return rows.Scan(&version) })
	return version, err
}
