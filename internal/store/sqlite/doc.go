// Package sqlite keeps the ledger's contents and records, and the jobs of sessions, in one SQLite file.
//
//	Save ── hash, look up, compress (all cores) ──▶ writer ──▶ redline.db-wal ──▶ redline.db
//	                                                one        one sync per       in the
//	                                                at a time  durable batch      background
//	Load, Blob, Usage ◀── readers, a few at a time ◀─────────────┴────────────────────┘
//
// All writes of a process go through one connection, each in a transaction that
// takes SQLite's write lock before it looks at anything, so whole batches follow
// each other, also between processes. Readers never wait for a writer.
//
// A blob is deleted only by a collection. Each collection begins a generation; a
// Save marks every blob of its batch with the current one, and a collection
// deletes only blobs of earlier generations, looking at the mark and deleting
// under the same write lock. A Save that comes first has renewed the mark; one
// that comes later finds the blob gone and writes it again.
//
// A file that is damaged, cannot be written or was made by a newer program is
// opened for reading only and left exactly as it is: see [Store.ReadOnly].
package sqlite
