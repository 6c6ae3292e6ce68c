-- +goose Up

CREATE TABLE jobs (
	seq     INTEGER PRIMARY KEY,  -- order of first saving
	id      TEXT NOT NULL,
	session TEXT NOT NULL,
	status  TEXT NOT NULL,
	cursor  INTEGER NOT NULL,     -- of its newest event
	size    INTEGER NOT NULL,     -- of the body before it was packed
	codec   INTEGER NOT NULL,     -- as in blobs
	body    BLOB NOT NULL
);

CREATE UNIQUE INDEX jobs_id ON jobs (id);
CREATE INDEX jobs_session ON jobs (session, status);

-- The row with cursor 0 is the request of the job: it may be large, and does not
-- change, while the job is written anew with each of its events.
CREATE TABLE job_events (
	job    INTEGER NOT NULL,      -- jobs.seq
	cursor INTEGER NOT NULL,      -- from 1, without gaps
	type   TEXT NOT NULL,
	time   TEXT NOT NULL,         -- RFC 3339 with nanoseconds, UTC
	line   INTEGER NOT NULL,      -- where the line begins in the body, behind the data
	size   INTEGER NOT NULL,
	codec  INTEGER NOT NULL,
	body   BLOB NOT NULL,
	PRIMARY KEY (job, cursor)
) WITHOUT ROWID;

CREATE TABLE sessions (
	id    TEXT PRIMARY KEY,
	size  INTEGER NOT NULL,
	codec INTEGER NOT NULL,
	body  BLOB NOT NULL
) WITHOUT ROWID;

PRAGMA user_version = 2;
