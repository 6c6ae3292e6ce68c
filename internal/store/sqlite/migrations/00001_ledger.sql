-- +goose Up

-- contents holds the bytes, in the order in which they were saved, so that what
-- was saved together is read together. blobs is small, so that a search or a
-- collection does not walk over the bytes.
CREATE TABLE contents (
	id   INTEGER PRIMARY KEY,
	data BLOB NOT NULL
);

CREATE TABLE blobs (
	hash       BLOB PRIMARY KEY,  -- SHA-256 of the content
	size       INTEGER NOT NULL,  -- of the content
	stored     INTEGER NOT NULL,  -- of contents.data
	codec      INTEGER NOT NULL,  -- 0: as it is, 1: zstd
	generation INTEGER NOT NULL,  -- when it was last saved
	content    INTEGER NOT NULL   -- contents.id
) WITHOUT ROWID;

-- One row: how many collections have begun. A collection spares the blobs of
-- its own generation.
CREATE TABLE generation (number INTEGER NOT NULL);
INSERT INTO generation VALUES (0);

CREATE TABLE records (
	seq     INTEGER PRIMARY KEY,  -- order of first saving
	kind    TEXT NOT NULL,
	id      TEXT NOT NULL,
	session TEXT NOT NULL,
	state   TEXT NOT NULL,
	time    TEXT NOT NULL,        -- RFC 3339 with nanoseconds, UTC
	version INTEGER NOT NULL,
	size    INTEGER NOT NULL,     -- of the body before it was packed
	codec   INTEGER NOT NULL,     -- as in blobs
	body    BLOB NOT NULL
);

-- Each ends in seq without saying so.
CREATE UNIQUE INDEX records_id ON records (id, kind);
CREATE INDEX records_kind ON records (kind);
CREATE INDEX records_state ON records (state, kind);
CREATE INDEX records_session ON records (session);

PRAGMA application_id = 1380207694; -- "RDLN"
PRAGMA user_version = 1;
