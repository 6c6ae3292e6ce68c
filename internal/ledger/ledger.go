package ledger

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"time"

	"redline/internal/diff"
	"redline/internal/workspace"
)

// Ledger owns the changes of one folder. It is safe for use by several
// goroutines, and several processes may each have one on the same folder and
// store: what they know of each other is in the store and on the disk.
type Ledger struct {
	folder  *workspace.Folder
	store   Store
	options Options

	seen seenTexts

	retiring sync.WaitGroup
	baseline baseline
	late     lateAudit
}

// Options tune a ledger. The zero value is ready for use.
type Options struct {
	Limits diff.Limits      // of hunks; zero means diff.DefaultLimits
	Event  func(Event)      // told what happens; may be nil
	Now    func() time.Time // the clock; nil means time.Now
	// MaxBaselineFile is the size of the largest file that the baseline for
	// shell commands holds; 0 means 10 MB.
	MaxBaselineFile int64
	// Private is where doubles of the folder are made, for commands whose changes
	// have to wait; "" means the system's folder for temporary files.
	Private string
	// MaxCopy is how much of the folder is copied where it has to be; zero is as in
	// DefaultMaxCopy.
	MaxCopy workspace.CopyLimit
	// Fault, if set, is called at the named points of a commit. It is for tests
	// that end the process there.
	Fault func(point string)
}

// Event is something that the ledger tells.
type Event struct {
	Type       string `json:"type"`
	Session    string `json:"session,omitempty"`
	Turn       string `json:"turn,omitempty"`
	Checkpoint string `json:"checkpoint_id,omitempty"`
	Error      string `json:"error,omitempty"`
}

// The types of events.
const (
	CheckpointCreated = "checkpoint.created"
	RollbackStarted   = "checkpoint.rollback.started"
	RollbackCompleted = "checkpoint.rollback.completed"
	RollbackFailed    = "checkpoint.rollback.failed"
)

// DefaultMaxCopy is how much of a folder is copied for a command whose changes wait.
var DefaultMaxCopy = workspace.CopyLimit{Bytes: 512 << 20, Files: 50_000}

// Open opens the ledger of a folder. Whatever a crash cut off is finished, or
// taken back, before it returns; the report says what that was.
func Open(ctx context.Context, folder *workspace.Folder, store Store, options Options) (*Ledger, Recovery, error) {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Limits == (diff.Limits{}) {
		options.Limits = diff.DefaultLimits
	}
	if options.MaxBaselineFile == 0 {
		options.MaxBaselineFile = 10 << 20
	}
	if options.MaxCopy.Bytes == 0 {
		options.MaxCopy.Bytes = DefaultMaxCopy.Bytes
	}
	if options.MaxCopy.Files == 0 {
		options.MaxCopy.Files = DefaultMaxCopy.Files
	}
	if options.Private != "" {
		_, _ = workspace.SweepPrivate(options.Private) // what cannot be removed is in nobody's way
	}
	l := &Ledger{folder: folder, store: store, options: options}
	if options.Fault != nil {
		folder.Step = options.Fault
	}
	recovery, err := l.recover(ctx)
	if err != nil {
		return nil, recovery, fmt.Errorf("recover %s: %w", folder.Name(), err)
	}
	return l, recovery, nil
}

// Close waits for what is still being synced and for the audit log.
func (l *Ledger) Close() error {
	l.retiring.Wait()
	return l.late.takeAll()
}

func (l *Ledger) now() time.Time { return l.options.Now().UTC() }

func (l *Ledger) fault(point string) {
	if l.options.Fault != nil {
		l.options.Fault(point)
	}
}

func (l *Ledger) tell(e Event) {
	if l.options.Event != nil {
		l.options.Event(e)
	}
}

// newID is a new name for something of a kind, such as "turn_k3…".
func newID(kind string) string { return kind + "_" + strings.ToLower(rand.Text()[:16]) }

// retire syncs the files of a commit and then says so in its journal, so that
// recovery need not look at them again. It does not hold up the commit; if it
// fails, recovery does it.
func (l *Ledger) retire(c *Commit) {
	again := *c
	l.retiring.Go(func() { _ = l.markSynced(context.Background(), &again) })
}

// markSynced makes a commit durable and says so.
func (l *Ledger) markSynced(ctx context.Context, c *Commit) error {
	if err := l.syncCommit(c); err != nil {
		return err
	}
	return l.retryVersion(func() error {
		found, err := l.commits(ctx, Query{ID: c.ID}, func(c *Commit) bool { return c.State == Done })
		if err != nil || len(found) == 0 {
			return err
		}
		found[0].State = Synced
		return l.saveCommit(ctx, found[0], true)
	})
}

func (l *Ledger) syncCommit(c *Commit) error {
	var paths []Path
	for _, e := range c.Effects {
		paths = append(paths, e.Path)
		if e.From != nil {
			paths = append(paths, *e.From)
		}
	}
	return l.folder.Sync(paths)
}
