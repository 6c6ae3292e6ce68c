package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"redline/internal/ledger"
	"redline/internal/session"
	"redline/internal/wire"
)

// requestRow is the type of the row that holds the request of a job.
const requestRow = "request"

// eventRow is an event as it is stored: its data and its line, one behind the other.
type eventRow struct {
	packed
	cursor int
	kind   string
	time   string
	line   int
}

// packEvents refuses events that do not end with the newest of the job.
func packEvents(j *session.JobRecord, events []wire.JobEvent) ([]eventRow, error) {
	rows := make([]eventRow, len(events))
	for i, e := range events {
		if want := j.Cursor - len(events) + 1 + i; e.Cursor != want || want < 1 {
			return nil, fmt.Errorf("its event %d has the number %d instead of %d", i, e.Cursor, want)
		}
		at := e.Time.UTC()
		switch {
		case at.Year() < 0 || at.Year() > 9999:
			return nil, fmt.Errorf("its event %d is of the year %d", e.Cursor, at.Year())
		case len(e.Data)+len(e.Line) > maxContent:
			return nil, fmt.Errorf("its event %d has %d bytes, the limit is %d", e.Cursor, len(e.Data)+len(e.Line), maxContent)
		}
		body := append(e.Data[:len(e.Data):len(e.Data)], e.Line...)
		row := eventRow{pack(body), e.Cursor, e.Type, at.Format(time.RFC3339Nano), len(e.Data)}
		if row.data == nil {
			row.data = []byte{} // nil would be NULL
		}
		rows[i] = row
	}
	return rows, nil
}

func (w *writer) putEvent(job int64, r eventRow) error {
	n, err := w.exec(`INSERT INTO job_events (job, cursor, type, time, line, size, codec, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		job, r.cursor, r.kind, r.time, r.line, r.size, r.codec, r.data)
	if err == nil && n == 0 {
		err = fmt.Errorf("it has an event %d: %w", r.cursor, ledger.ErrVersion)
	}
	w.unmerged += int64(len(r.data))
	return err
}

// eventQuery walks along the primary key.
const eventQuery = `SELECT cursor, type, time, line, size, codec, body FROM job_events
	WHERE job = (SELECT seq FROM jobs WHERE id = ?) AND cursor > ? ORDER BY cursor LIMIT ?`

// JobEvents returns what is there; of a job that is not, nothing.
func (s *Store) JobEvents(ctx context.Context, job string, after, limit int) (events []wire.JobEvent, err error) {
	if limit <= 0 {
		limit = -1
	}
	err = s.read(ctx, "load the events of the job "+job, eventQuery, []any{job, after, limit}, func(rows *sql.Rows) error {
		var e wire.JobEvent
		var p packed
		var at string
		var line int
		if err := rows.Scan(&e.Cursor, &e.Type, &at, &line, &p.size, &p.codec, &p.data); err != nil {
			return err
		}
		body, err := p.unpack()
		if err != nil {
			return fmt.Errorf("the event %d of the job %s: %w", e.Cursor, job, err)
		}
		if e.Time, err = time.Parse(time.RFC3339Nano, at); err != nil || line < 0 || line > len(body) {
			return &damage{fmt.Sprintf("the event %d of the job %s has the time %q and its line at %d", e.Cursor, job, at, line)}
		}
		if line > 0 {
			e.Data = body[:line:line]
		}
		if line < len(body) {
			e.Line = body[line:]
		}
		events = append(events, e)
		return nil
	})
	return events, err
}
