-- +goose Up

-- A job is written anew with each of its events, so that what does not change and may
-- be large, its request, has a table of its own.
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

-- Each ends in seq without saying so.
CREATE UNIQUE INDEX jobs_id ON jobs (id);
CREATE INDEX jobs_session ON jobs (session);
CREATE INDEX jobs_status ON jobs (status);

CREATE TABLE job_requests (
	job   INTEGER PRIMARY KEY,    -- jobs.seq
	size  INTEGER NOT NULL,
	codec INTEGER NOT NULL,
	body  BLOB NOT NULL
);

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
	seq   INTEGER PRIMARY KEY,    -- order of first saving
	id    TEXT NOT NULL,
	size  INTEGER NOT NULL,
	codec INTEGER NOT NULL,
	body  BLOB NOT NULL
);

CREATE UNIQUE INDEX sessions_id ON sessions (id);

PRAGMA user_version = 2;
