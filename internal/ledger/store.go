package ledger

import (
	"context"
	"errors"
	"iter"
	"time"

	"redline/internal/text"
)

// Store keeps what the ledger must not lose: contents by their hash, and
// records, whose bodies it does not look into. Several processes may use one
// store at the same time.
type Store interface {
	// Save writes all of the batch or nothing.
	Save(ctx context.Context, b Batch) error
	// Load yields the records that the query asks for.
	Load(ctx context.Context, q Query) iter.Seq2[Record, error]
	// Blob returns the content with that hash, or ErrNoBlob.
	Blob(ctx context.Context, h text.Hash) ([]byte, error)
}

// Versioner is a Store that can tell the version of a record without reading it; 0 if
// there is none.
type Versioner interface {
	Version(ctx context.Context, k Key) (int, error)
}

// Appender is a Store that can add to a chain of records of which each depends
// on the one before.
type Appender interface {
	// Append calls next with the newest record of the kind, or with a zero one,
	// and saves what it returns, lazily; nobody else can append between the two.
	// next must not use the store.
	Append(ctx context.Context, kind string, next func(last Record) (Record, error)) error
}

// Collector is a Store that can be asked what it holds and made smaller.
type Collector interface {
	Usage(ctx context.Context) (Usage, error)
	// Collect removes the records, and the blobs that were saved before the
	// call and that keep does not want. keep is first called once it is settled
	// which blobs count as saved before, and may use the store. It returns how
	// many bytes of content became free.
	Collect(ctx context.Context, remove []Key, keep func(text.Hash) bool) (freed int64, err error)
}

// Key names a record.
type Key struct{ Kind, ID string }

// Record is something that the ledger remembers.
type Record struct {
	Key
	Session string
	State   string
	Time    time.Time
	// Version counts the savings of the record. Save expects the version that
	// was loaded, 0 for a new record, and stores the next one.
	Version int
	Body    []byte // JSON
}

// Batch is saved as one.
type Batch struct {
	Blobs   [][]byte
	Records []Record
	// Lazy leaves it to the system when the batch reaches the disk. A killed
	// process loses nothing by it, a power failure may lose the last batches,
	// in order. Without it the batch is on the disk when Save returns.
	Lazy bool
}

// Query selects records. Empty fields select all. The order is the one in which
// the records were first saved.
type Query struct {
	Kind    string
	ID      string
	Session string
	States  []string
	Newest  bool // the other way round
	Limit   int  // 0: no limit
}

// Usage is what a store holds.
type Usage struct {
	Blobs     int
	BlobBytes int64 // of the contents as they are stored
	Records   int
	DiskBytes int64 // of the store's files
}

// What a store can answer.
var (
	ErrNoBlob  = errors.New("content is not in the store")
	ErrVersion = errors.New("the record was changed by somebody else")
	// ErrReadOnly: the store can be read but not written, because it is damaged
	// or the disk does not allow it. The user's folder must not be changed.
	ErrReadOnly = errors.New("the store is read-only")
	// ErrBusy: another process has been writing for too long.
	ErrBusy = errors.New("the store is busy")
	// ErrFull: nothing was saved, because the disk has no room.
	ErrFull = errors.New("the disk is full")
)
