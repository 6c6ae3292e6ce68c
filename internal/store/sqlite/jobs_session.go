package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"redline/internal/session"
)

// SaveSession is lazy, as ledger.Batch.Lazy has it.
func (s *Store) SaveSession(ctx context.Context, r *session.SessionRecord) error {
	doing := "save the session " + r.ID
	if r.ID == "" {
		return fmt.Errorf("%s: %w", doing, errors.New("it has no id"))
	}
	p, err := packJSON(r)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return s.write(ctx, doing, true, func(w *writer) error {
		w.unmerged += int64(len(p.data))
		_, err := w.exec(`INSERT INTO sessions (id, size, codec, body) VALUES (?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET size = excluded.size, codec = excluded.codec, body = excluded.body`,
			r.ID, p.size, p.codec, p.data)
		return err
	})
}

// Sessions returns the one that was made first first.
func (s *Store) Sessions(ctx context.Context, id string) (sessions []*session.SessionRecord, err error) {
	query, args := "SELECT id, size, codec, body FROM sessions", []any(nil)
	if id != "" {
		query, args = query+" WHERE id = ?", []any{id}
	}
	err = s.read(ctx, "load sessions", query, args, func(rows *sql.Rows) error {
		var id string
		var p packed
		if err := rows.Scan(&id, &p.size, &p.codec, &p.data); err != nil {
			return err
		}
		r := &session.SessionRecord{}
		sessions = append(sessions, r)
		return p.unpackJSON("the session "+id, r)
	})
	slices.SortStableFunc(sessions, func(a, b *session.SessionRecord) int { return a.Created.Compare(b.Created) })
	return sessions, err
}
