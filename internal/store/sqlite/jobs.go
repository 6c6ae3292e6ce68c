package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"redline/internal/ledger"
	"redline/internal/session"
	"redline/internal/wire"
)

var (
	_ session.JobStore     = (*Store)(nil)
	_ session.SessionStore = (*Store)(nil)
)

// dropJobs is how many jobs are forgotten at once; others may write between.
const dropJobs = 20

// SaveJob is lazy, as ledger.Batch.Lazy has it. The request of a job is written when it
// is saved first, and stays. A job that has come further meanwhile, in another process,
// is left as it is: the error is ledger.ErrVersion.
func (s *Store) SaveJob(ctx context.Context, j *session.JobRecord, keep int, events ...wire.JobEvent) error {
	doing := "save the job " + j.ID
	job, err := packJob(j)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	rows, err := packEvents(j, events)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return s.write(ctx, doing, true, func(w *writer) error {
		seq, err := w.putJob(j, job)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := w.putEvent(seq, row); err != nil {
				return err
			}
		}
		if keep > 0 && j.Cursor > keep {
			_, err = w.exec("DELETE FROM job_events WHERE job = ? AND cursor BETWEEN 1 AND ?", seq, j.Cursor-keep)
		}
		return err
	})
}

// packJob leaves out what the ledger keeps, and the request.
func packJob(j *session.JobRecord) (packed, error) {
	if j.ID == "" {
		return packed{}, errors.New("it has no id")
	}
	job := *j
	job.Bundle, job.Edits, job.Request = nil, nil, wire.RunRequest{}
	return packJSON(job)
}

func packJSON(v any) (packed, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return packed{}, err
	}
	if len(body) > maxContent {
		return packed{}, fmt.Errorf("it has %d bytes, the limit is %d", len(body), maxContent)
	}
	return pack(body), nil
}

// unpackJSON says what is damaged.
func (p packed) unpackJSON(what string, into any) error {
	body, err := p.unpack()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return &damage{fmt.Sprintf("%s cannot be read: %v", what, err)}
	}
	return nil
}

// putJob replaces a job, or inserts it with its request.
func (w *writer) putJob(j *session.JobRecord, p packed) (seq int64, err error) {
	w.unmerged += int64(len(p.data))
	err = w.row(`UPDATE jobs SET session = ?, status = ?, cursor = ?, size = ?, codec = ?, body = ?
		WHERE id = ? AND cursor <= ? RETURNING seq`,
		[]any{j.Session, string(j.Status), j.Cursor, p.size, p.codec, p.data, j.ID, j.Cursor}, &seq)
	if !errors.Is(err, sql.ErrNoRows) {
		return seq, err
	}
	err = w.row(`INSERT INTO jobs (id, session, status, cursor, size, codec, body)
		VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING seq`,
		[]any{j.ID, j.Session, string(j.Status), j.Cursor, p.size, p.codec, p.data}, &seq)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("it has come further than event %d: %w", j.Cursor, ledger.ErrVersion)
	}
	if err != nil {
		return 0, err
	}
	request, err := packJSON(j.Request)
	if err != nil {
		return 0, err
	}
	return seq, w.putEvent(seq, eventRow{packed: request, kind: requestRow})
}

// Jobs returns the jobs in the order in which they were saved first.
func (s *Store) Jobs(ctx context.Context, q session.JobQuery) (jobs []*session.JobRecord, err error) {
	query, args := jobSelection(q)
	err = s.read(ctx, "load jobs", query, args, func(rows *sql.Rows) error {
		var id string
		var job, request packed
		columns := []any{&id, &job.size, &job.codec, &job.data, &request.size, &request.codec, &request.data}
		if q.Brief {
			columns = columns[:4]
		}
		if err := rows.Scan(columns...); err != nil {
			return err
		}
		j := &session.JobRecord{}
		if err := job.unpackJSON("the job "+id, j); err != nil {
			return err
		}
		jobs = append(jobs, j)
		if q.Brief {
			return nil
		}
		return request.unpackJSON("the request of the job "+id, &j.Request)
	})
	return jobs, err
}

// jobSelection is the query in SQL. It names the index: SQLite has no statistics to
// choose by. Who asks for a status alone looks through all of the index, which is small.
func jobSelection(q session.JobQuery) (query string, args []any) {
	var where []string
	index := "NOT INDEXED" // in the order of seq
	if q.Session != "" {
		where, index = append(where, "session = ?"), "INDEXED BY jobs_session"
		args = append(args, q.Session)
	}
	if len(q.Statuses) > 0 {
		where, index = append(where, "status IN ("+list("?", len(q.Statuses))+")"), "INDEXED BY jobs_session"
		for _, status := range q.Statuses {
			args = append(args, string(status))
		}
	}
	if q.ID != "" {
		where, index = append(where, "id = ?"), "INDEXED BY jobs_id"
		args = append(args, q.ID)
	}
	condition := ""
	if len(where) > 0 {
		condition = "WHERE " + strings.Join(where, " AND ")
	}
	if q.Brief {
		return fmt.Sprintf("SELECT id, size, codec, body FROM jobs %s %s ORDER BY seq", index, condition), args
	}
	return fmt.Sprintf(`SELECT id, j.size, j.codec, j.body, r.size, r.codec, r.body
		FROM jobs j %s CROSS JOIN job_events r ON r.job = j.seq AND r.cursor = 0 %s ORDER BY j.seq`, index, condition), args
}

// read calls f for each row of a query. A database that is older than the tables, and
// cannot be written, has no rows.
func (s *Store) read(ctx context.Context, doing, query string, args []any, f func(*sql.Rows) error) error {
	if s.readers == nil {
		return nil
	}
	rows, err := s.readers.query(ctx, query, args...)
	if code(err) == codeError && s.ReadOnly() != nil {
		return nil
	}
	for err == nil && rows.Next() {
		err = f(rows)
	}
	if rows != nil {
		err = errors.Join(err, rows.Err(), rows.Close())
	}
	if err != nil {
		return fmt.Errorf("%s: %w", doing, s.explainRead(err))
	}
	return nil
}

// Drop works in pieces: if it is stopped, some are gone and the rest is as it was.
func (s *Store) Drop(ctx context.Context, jobs, sessions []string) error {
	for len(jobs)+len(sessions) > 0 {
		some, others := jobs[:min(dropJobs, len(jobs))], sessions[:min(dropJobs, len(sessions))]
		if err := s.write(ctx, "forget jobs", true, func(w *writer) error { return w.drop(some, others) }); err != nil {
			return err
		}
		jobs, sessions = jobs[len(some):], sessions[len(others):]
	}
	return nil
}

func (w *writer) drop(jobs, sessions []string) error {
	for _, id := range jobs {
		var seq int64
		err := w.row("DELETE FROM jobs WHERE id = ? RETURNING seq", []any{id}, &seq)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return err
		}
		n, err := w.exec("DELETE FROM job_events WHERE job = ?", seq)
		if err != nil {
			return err
		}
		w.unmerged += n * pageSize / leastPages
	}
	for _, id := range sessions {
		if _, err := w.exec("DELETE FROM sessions WHERE id = ?", id); err != nil {
			return err
		}
	}
	return nil
}
