package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"redline/internal/ledger"
	"redline/internal/session"
	"redline/internal/wire"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

func job(id, conversation string, status wire.JobStatus) *session.JobRecord {
	return &session.JobRecord{
		Job:     wire.Job{ID: id, JobID: id, Session: conversation, Status: status, Instruction: "tidy up", Created: noon},
		Request: wire.RunRequest{Session: conversation, Instruction: "tidy up"},
	}
}

// happen moves the job on by n events and returns them.
func happen(j *session.JobRecord, n int) (events []wire.JobEvent) {
	for range n {
		j.Cursor++
		events = append(events, wire.JobEvent{Cursor: j.Cursor, Type: "progress", Time: noon.Add(time.Duration(j.Cursor)),
			Data: json.RawMessage(fmt.Sprintf(`{"step":%d,"of":%q}`, j.Cursor, j.ID))})
	}
	return events
}

func saveJob(t *testing.T, s session.JobStore, j *session.JobRecord, keep int, events ...wire.JobEvent) {
	t.Helper()
	if err := s.SaveJob(t.Context(), j, keep, events...); err != nil {
		t.Fatal(err)
	}
}

func wantJobs(t *testing.T, s session.JobStore, q session.JobQuery, want ...*session.JobRecord) {
	t.Helper()
	got, err := s.Jobs(t.Context(), q)
	if diff := gocmp.Diff(want, got); diff != "" || err != nil {
		t.Fatalf("jobs %+v: %v\n%s", q, err, diff)
	}
}

func wantEvents(t *testing.T, s session.JobStore, job string, after, limit int, want []wire.JobEvent) {
	t.Helper()
	got, err := s.JobEvents(t.Context(), job, after, limit)
	if err != nil || len(got)+len(want) > 0 && !gocmp.Equal(want, got) {
		t.Fatalf("events of %s behind %d, at most %d: %v\n%s", job, after, limit, err, gocmp.Diff(want, got))
	}
}

// TestJobComesBack: every field, also in another process; but what the ledger keeps is
// left to it.
func TestJobComesBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "redline.db")
	s := openTest(t, path)
	yes, cost := true, 0.25
	j := job("job_1", "s 1", wire.JobAwaitingReview)
	j.Answer = strings.Repeat("ü \x00 \u2028 and so on\r\n", 1000)
	j.Started, j.Progress = &noon, &wire.Progress{Step: 3, Total: 10, Description: "reads", Done: 2}
	j.Calls = []wire.JobCall{{ID: "c", Tool: "read", Label: "Read", OK: &yes}}
	j.Usage = &wire.Usage{Input: 1, Output: 2, CostUSD: &cost}
	j.Error = wire.Errorf(wire.CodeConflict, "no").With("files", []any{"a.md"})
	j.Request.Context = []wire.ContextRow{} // not the same as none
	j.Request.Attachments = []wire.Attachment{{Name: "a.png", Type: "image/png", Data: noise(1, 100_000)}}
	want := *j
	j.Bundle, j.Edits = &wire.DiffBundle{Job: "job_1"}, []wire.Edit{{ID: "e"}}
	events := []wire.JobEvent{
		{Cursor: 1, Type: wire.JobEventStarted, Time: noon, Data: json.RawMessage(`{}`), Line: json.RawMessage(`{"type":"state"}`)},
		{Cursor: 2, Type: wire.JobEventSaid, Time: noon.Add(1), Line: json.RawMessage(`{"type":"message_end"}`)},
		{Cursor: 3, Type: "notice", Time: noon.In(time.FixedZone("east", 7200))},
		{Cursor: 4, Type: "huge", Time: noon, Data: json.RawMessage(`"` + strings.Repeat("x", 3<<20) + `"`)},
	}
	j.Cursor, want.Cursor = 4, 4
	saveJob(t, s, j, 0, events...)
	events[2].Time = noon
	for _, s := range []*Store{s, openTest(t, path)} {
		wantJobs(t, s, session.JobQuery{ID: "job_1"}, &want)
		wantEvents(t, s, "job_1", 0, 0, events)
	}
	brief := want
	brief.Request = wire.RunRequest{}
	wantJobs(t, s, session.JobQuery{ID: "job_1", Brief: true}, &brief)
	wantJobs(t, s, session.JobQuery{Session: "s 1", Statuses: []wire.JobStatus{wire.JobAwaitingReview}, Brief: true}, &brief)
	wantJobs(t, s, session.JobQuery{ID: "job_2"})
	wantEvents(t, s, "job_2", 0, 0, nil)
}

// TestJobModel compares with a model of what was saved, over random saves and drops by
// two handles on one file.
func TestJobModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	path := filepath.Join(t.TempDir(), "redline.db")
	handles := []*Store{openTest(t, path), openTest(t, path)}
	var jobs []*session.JobRecord // in the order of first saving
	events := map[string][]wire.JobEvent{}
	statuses := []wire.JobStatus{wire.JobQueued, wire.JobRunning, wire.JobCompleted}
	const keep = 12
	for i := range 400 {
		s := handles[i%2]
		switch n := len(jobs); {
		case n > 0 && rng.IntN(10) == 0:
			at := rng.IntN(n)
			id := jobs[at].ID
			if err := s.Drop(t.Context(), []string{id, "unknown"}, nil); err != nil {
				t.Fatal(err)
			}
			delete(events, id)
			jobs = slices.Delete(jobs, at, at+1)
		case n < 3 || rng.IntN(4) == 0:
			j := job(fmt.Sprint("job_", rng.Int32()), fmt.Sprint("s", rng.IntN(3)), wire.JobQueued)
			jobs = append(jobs, j)
			saveJob(t, s, j, keep)
		default:
			j := jobs[rng.IntN(n)]
			j.Status = statuses[rng.IntN(3)]
			more := happen(j, rng.IntN(6))
			saveJob(t, s, j, keep, more...)
			all := append(events[j.ID], more...)
			events[j.ID] = all[max(0, len(all)-keep):]
		}
		compareJobs(t, handles[rng.IntN(2)], rng, jobs, events)
	}
}

// compareJobs asks a random question.
func compareJobs(t *testing.T, s *Store, rng *rand.Rand, jobs []*session.JobRecord, events map[string][]wire.JobEvent) {
	t.Helper()
	var q session.JobQuery
	if rng.IntN(2) == 0 {
		q.Session = fmt.Sprint("s", rng.IntN(3))
	}
	if rng.IntN(2) == 0 {
		q.Statuses = []wire.JobStatus{wire.JobRunning, wire.JobQueued}[:1+rng.IntN(2)]
	}
	if rng.IntN(3) == 0 && len(jobs) > 0 {
		q.ID = jobs[rng.IntN(len(jobs))].ID
	}
	var want []*session.JobRecord
	for _, j := range jobs {
		if (q.Session == "" || j.Session == q.Session) && (q.ID == "" || j.ID == q.ID) &&
			(q.Statuses == nil || slices.Contains(q.Statuses, j.Status)) {
			want = append(want, j)
		}
	}
	wantJobs(t, s, q, want...)
	for _, j := range want {
		after, limit := rng.IntN(j.Cursor+2), rng.IntN(5)
		behind := slices.DeleteFunc(slices.Clone(events[j.ID]), func(e wire.JobEvent) bool { return e.Cursor <= after })
		if limit > 0 {
			behind = behind[:min(limit, len(behind))]
		}
		wantEvents(t, s, j.ID, after, limit, behind)
	}
}

// TestJobVersions: who has not seen the newest event of a job does not replace it, and
// leaves nothing behind.
func TestJobVersions(t *testing.T) {
	s := openTest(t, filepath.Join(t.TempDir(), "redline.db"))
	j := job("job_1", "s", wire.JobRunning)
	saveJob(t, s, j, 0, happen(j, 5)...)
	stale := *j
	events := happen(j, 2)
	saveJob(t, s, j, 0, events...)

	stale.Status = wire.JobFailed
	if err := s.SaveJob(t.Context(), &stale, 0); !errors.Is(err, ledger.ErrVersion) {
		t.Errorf("an old job: %v", err)
	}
	if err := s.SaveJob(t.Context(), &stale, 0, happen(&stale, 3)...); !errors.Is(err, ledger.ErrVersion) {
		t.Errorf("an event that is there: %v", err)
	}
	wantJobs(t, s, session.JobQuery{}, j)
	wantEvents(t, s, "job_1", 5, 0, events)

	for name, events := range map[string][]wire.JobEvent{
		"not the newest": {{Cursor: 6, Type: "a"}}, "a gap": {{Cursor: 5, Type: "a"}, {Cursor: 7, Type: "b"}},
		"no number": {{Type: "a"}}, "the year 10000": {{Cursor: 7, Type: "a", Time: noon.AddDate(8000, 0, 0)}},
	} {
		other := job("job_2", "s", wire.JobRunning)
		other.Cursor = 7
		if err := s.SaveJob(t.Context(), other, 0, events...); err == nil {
			t.Errorf("%s: saved", name)
		}
	}
	if err := s.SaveJob(t.Context(), job("", "s", wire.JobRunning), 0); err == nil {
		t.Error("a job without an id was saved")
	}
	wantJobs(t, s, session.JobQuery{}, j)
}

func TestSessions(t *testing.T) {
	s := openTest(t, filepath.Join(t.TempDir(), "redline.db"))
	var want []*session.SessionRecord
	for i, id := range []string{"b", "c", "a"} {
		want = append(want, &session.SessionRecord{ID: id, Status: wire.SessionActive, Created: noon.Add(time.Duration(i)),
			Options: wire.SessionOptions{Toolset: "project"}, Context: []wire.ContextRow{{ID: "r", Kind: "pinned", Content: "é\n"}}})
	}
	check := func(id string, want ...*session.SessionRecord) {
		t.Helper()
		got, err := s.Sessions(t.Context(), id)
		if diff := gocmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v\n%s", err, diff)
		}
	}
	for _, i := range []int{2, 0, 1} {
		if err := s.SaveSession(t.Context(), want[i]); err != nil {
			t.Fatal(err)
		}
	}
	want[1].Status, want[1].LastJob = wire.SessionArchived, "job_9"
	if err := s.SaveSession(t.Context(), want[1]); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveSession(t.Context(), &session.SessionRecord{}); err == nil {
		t.Error("a session without an id was saved")
	}
	check("", want...)
	check("c", want[1])
	check("d")
	if err := s.Drop(t.Context(), nil, []string{"c", "d"}); err != nil {
		t.Fatal(err)
	}
	check("", want[0], want[2])
}

// TestDropMany: of more jobs than are dropped in one piece nothing stays.
func TestDropMany(t *testing.T) {
	s := openTest(t, filepath.Join(t.TempDir(), "redline.db"))
	var jobs []string
	for i := range 2*dropJobs + 3 {
		j := job(fmt.Sprint("job_", i), "s", wire.JobCompleted)
		saveJob(t, s, j, 0, happen(j, 3)...)
		jobs = append(jobs, j.ID)
	}
	if err := s.Drop(t.Context(), jobs[1:], nil); err != nil {
		t.Fatal(err)
	}
	var rows int
	if err := s.readers.db.QueryRow("SELECT (SELECT count(*) FROM jobs) + (SELECT count(*) FROM job_events)").Scan(&rows); err != nil || rows != 1+1+3 {
		t.Errorf("%d rows are left of one job with a request and 3 events, %v", rows, err)
	}
}

// TestJobsAtOnce: jobs that are saved at the same time lose nothing.
func TestJobsAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "redline.db")
	handles := []*Store{openTest(t, path), openTest(t, path)}
	want := make([][]wire.JobEvent, 8)
	var group sync.WaitGroup
	for i := range want {
		group.Go(func() {
			j := job(fmt.Sprint("job_", i), "s", wire.JobRunning)
			for n := range 25 {
				events := happen(j, n%3)
				if err := handles[(i+n)%2].SaveJob(t.Context(), j, 0, events...); err != nil {
					t.Error(err)
				}
				want[i] = append(want[i], events...)
			}
		})
	}
	group.Wait()
	for i := range want {
		wantEvents(t, handles[0], fmt.Sprint("job_", i), 0, 0, want[i])
	}
}

// TestJobsEnded: a context that has ended saves nothing.
func TestJobsEnded(t *testing.T) {
	s := openTest(t, filepath.Join(t.TempDir(), "redline.db"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.SaveJob(ctx, job("job_1", "s", wire.JobQueued), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("save: %v", err)
	}
	if _, err := s.JobEvents(ctx, "job_1", 0, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
	wantJobs(t, s, session.JobQuery{})
}

// TestJobsAreLazy: a job waits for no disk.
func TestJobsAreLazy(t *testing.T) {
	s := openTest(t, filepath.Join(t.TempDir(), "redline.db"))
	save(t, s, ledger.Batch{Records: []ledger.Record{record("turn", "1")}})
	saveJob(t, s, job("job_1", "s", wire.JobQueued), 0)
	var level int
	if err := s.writer.row("PRAGMA synchronous", nil, &level); err != nil || level != 1 {
		t.Errorf("synchronous is %d, %v", level, err)
	}
}

// TestJobPlans: events are read along the primary key; jobs are found by an index.
func TestJobPlans(t *testing.T) {
	s := openTest(t, filepath.Join(t.TempDir(), "redline.db"))
	all, some := func(q session.JobQuery) string { query, _ := jobSelection(q); return query }, []wire.JobStatus{wire.JobRunning}
	for query, want := range map[string]string{
		eventQuery: "SEARCH job_events USING PRIMARY KEY (job=? AND cursor>?)\nSCALAR SUBQUERY 1\n" +
			"SEARCH jobs USING COVERING INDEX jobs_id (id=?)",
		all(session.JobQuery{}):                             "SCAN j\nSEARCH r USING PRIMARY KEY (job=? AND cursor=?)",
		all(session.JobQuery{ID: "1"}):                      "SEARCH j USING INDEX jobs_id (id=?)\nSEARCH r USING PRIMARY KEY (job=? AND cursor=?)",
		all(session.JobQuery{Session: "1"}):                 "SEARCH j USING INDEX jobs_session (session=?)\nSEARCH r USING PRIMARY KEY (job=? AND cursor=?)\nUSE TEMP B-TREE FOR ORDER BY",
		all(session.JobQuery{Session: "1", Statuses: some}): "SEARCH j USING INDEX jobs_session (session=? AND status=?)\nSEARCH r USING PRIMARY KEY (job=? AND cursor=?)",
		all(session.JobQuery{ID: "1", Brief: true}):         "SEARCH jobs USING INDEX jobs_id (id=?)",
		all(session.JobQuery{Session: "1", Brief: true}):    "SEARCH jobs USING INDEX jobs_session (session=?)\nUSE TEMP B-TREE FOR ORDER BY",
		all(session.JobQuery{Statuses: some}):               "SCAN j USING INDEX jobs_session\nSEARCH r USING PRIMARY KEY (job=? AND cursor=?)\nUSE TEMP B-TREE FOR ORDER BY",
	} {
		rows, err := s.readers.db.Query("EXPLAIN QUERY PLAN "+query, slices.Repeat([]any{"1"}, strings.Count(query, "?"))...)
		if err != nil {
			t.Fatal(query, err)
		}
		var plan []string
		for rows.Next() {
			var ignore int
			var step string
			if err := rows.Scan(&ignore, &ignore, &ignore, &step); err != nil {
				t.Fatal(err)
			}
			plan = append(plan, step)
		}
		if got := strings.Join(plan, "\n"); got != want {
			t.Errorf("%s\n%s", query, gocmp.Diff(want, got))
		}
	}
}

// firstSchema makes a database with the first migration alone, and something in it.
func firstSchema(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "redline.db")
	s := &Store{path: path, busy: busyWait}
	err := create(path)
	if err == nil {
		s.writer, err = s.newWriter(t.Context())
	}
	if err == nil {
		_, err = s.writer.conn.ExecContext(t.Context(), fmt.Sprintf(
			"PRAGMA page_size = %d; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL", pageSize))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := s.writer.lend(t.Context(), func() error {
		files, err := fs.Sub(migrations, "migrations")
		if err != nil {
			return err
		}
		provider, err := goose.NewProvider(goose.DialectSQLite3, s.writer.db, files, goose.WithDisableGlobalRegistry(true))
		if err == nil {
			_, err = provider.UpTo(t.Context(), 1)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	s.readers = s.newReaders("mode=ro")
	save(t, s, ledger.Batch{Blobs: [][]byte{note(1, 5000)}, Records: []ledger.Record{record("turn", "1")}})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestUpgrade: a database of the first program is brought up to date, by all who open it
// at the same time, and keeps what it has.
func TestUpgrade(t *testing.T) {
	path := firstSchema(t)
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			s, err := Open(t.Context(), path)
			if err != nil || s.ReadOnly() != nil {
				t.Error(err, s.ReadOnly())
				return
			}
			defer s.Close()
			if err := s.SaveJob(t.Context(), job(fmt.Sprint("job_", i), "s", wire.JobQueued), 0); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	s := openTest(t, path)
	wantBlob(t, s, note(1, 5000))
	if got := load(t, s, ledger.Query{}); len(got) != 1 || got[0].ID != "1" {
		t.Errorf("records %v", got)
	}
	jobs, err := s.Jobs(t.Context(), session.JobQuery{})
	if err != nil || len(jobs) != 6 {
		t.Errorf("%d jobs, %v", len(jobs), err)
	}
}

// TestUpgradeRefused: where the tables cannot be made, there are no jobs to read.
func TestUpgradeRefused(t *testing.T) {
	path := firstSchema(t)
	execute(t, path, "PRAGMA user_version = 99")
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	wantReadOnlyJobs(t, s)
	wantJobs(t, s, session.JobQuery{})
	wantEvents(t, s, "job_1", 0, 0, nil)
	wantBlob(t, s, note(1, 5000))
}

func wantReadOnlyJobs(t *testing.T, s *Store) {
	t.Helper()
	if err := s.SaveJob(t.Context(), job("job_new", "s", wire.JobQueued), 0); !errors.Is(err, ledger.ErrReadOnly) {
		t.Errorf("save a job: %v", err)
	}
	if err := s.SaveSession(t.Context(), &session.SessionRecord{ID: "new"}); !errors.Is(err, ledger.ErrReadOnly) {
		t.Errorf("save a session: %v", err)
	}
	if err := s.Drop(t.Context(), []string{"job_1"}, nil); !errors.Is(err, ledger.ErrReadOnly) {
		t.Errorf("drop: %v", err)
	}
}

// TestJobDamage: a table or an index of jobs that is missing, or whose first page is, is
// found by Open.
func TestJobDamage(t *testing.T) {
	harms := map[string]func(t *testing.T, path string){}
	for _, name := range []string{"jobs", "job_events", "sessions"} {
		harms["no "+name] = func(t *testing.T, p string) { execute(t, p, "DROP TABLE "+name) }
	}
	for _, name := range []string{"jobs_id", "jobs_session"} {
		harms["no "+name] = func(t *testing.T, p string) { execute(t, p, "DROP INDEX "+name) }
	}
	for _, name := range []string{"jobs", "job_events", "sessions", "jobs_id", "jobs_session"} {
		harms[name+" overwritten"] = func(t *testing.T, p string) {
			overwrite(t, p, root(t, p, name), pageSize)
		}
	}
	for name, harm := range harms {
		t.Run(name, func(t *testing.T) {
			path := sample(t, false)
			harm(t, path)
			s, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := s.ReadOnly(); err == nil || !strings.Contains(err.Error(), "damaged") {
				t.Errorf("the reason is %v", err)
			}
			wantReadOnlyJobs(t, s)
			wantBlob(t, s, sampleNote(1))
		})
	}
}

// TestJobDamageMetLater: a body that makes no sense ends all writing; the rest is read on.
func TestJobDamageMetLater(t *testing.T) {
	for name, harm := range map[string]string{
		"job":     "UPDATE jobs SET body = x'7b', size = 1, codec = 0 WHERE id = 'job_2'",
		"request": "UPDATE job_events SET codec = 9 WHERE job = 2 AND cursor = 0",
		"time":    "UPDATE job_events SET time = 'noon' WHERE job = 2 AND cursor = 1",
		"line":    "UPDATE job_events SET line = 9999 WHERE job = 2 AND cursor = 1",
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "redline.db")
			s := openTest(t, path)
			whole := job("job_1", "s", wire.JobRunning)
			events := happen(whole, 2)
			saveJob(t, s, whole, 0, events...)
			j := job("job_2", "s", wire.JobRunning)
			saveJob(t, s, j, 0, happen(j, 2)...)
			execute(t, path, harm)
			_, jobs := s.Jobs(t.Context(), session.JobQuery{ID: "job_2"})
			_, read := s.JobEvents(t.Context(), "job_2", 0, 0)
			if err := cmp.Or(jobs, read); err == nil || !strings.Contains(err.Error(), "damaged") {
				t.Errorf("jobs: %v, events: %v", jobs, read)
			}
			wantReadOnlyJobs(t, s)
			wantJobs(t, s, session.JobQuery{ID: "job_1"}, whole)
			wantEvents(t, s, "job_1", 0, 0, events)
		})
	}
}

// childJobs moves a job on for ever and tells which events were acknowledged.
func childJobs(path, name string) error {
	s, err := Open(context.Background(), path)
	if err != nil {
		return err
	}
	if err := s.ReadOnly(); err != nil {
		return err
	}
	j := job(name, "s", wire.JobRunning)
	for i := 0; ; i++ {
		if err := s.SaveJob(context.Background(), j, 0, happen(j, 3)...); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

// TestKillJob: a process is killed while it saves jobs. What it was told is saved is
// there, a job never without its newest events.
func TestKillJob(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	path := filepath.Join(t.TempDir(), "redline.db")
	for kill := range 5 {
		name := fmt.Sprint("job_", kill)
		last := killOne(t, "jobs", path, name, rng)
		s := openTest(t, path)
		j := job(name, "s", wire.JobRunning)
		jobs, err := s.Jobs(t.Context(), session.JobQuery{ID: name})
		if err != nil || last >= 0 && len(jobs) != 1 {
			t.Fatal(jobs, err)
		}
		if len(jobs) == 0 {
			continue
		}
		if n := jobs[0].Cursor; n != 3*(last+1) && n != 3*(last+2) {
			t.Fatalf("the job is at event %d, acknowledged were %d", n, 3*(last+1))
		}
		wantEvents(t, s, name, 0, 0, happen(j, jobs[0].Cursor))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
