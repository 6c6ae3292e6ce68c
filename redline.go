// Package redline puts the parts together for one folder.
//
// [Open] a folder and [Folder.Converse] with a model about it; what it changes is
// decided in the [Conversation.Review], is on record in the ledger, and can be undone.
// The example is a whole program. A server works with the [Folder.Host] instead, which
// has any number of sessions, and jobs that go on in the next program.
package redline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"redline/internal/diff"
	"redline/internal/ledger"
	"redline/internal/store/sqlite"
	"redline/internal/workspace"
)

// Options are for opening a folder. The zero value is sensible.
type Options struct {
	State        string // where Redline keeps what is its own; "": $XDG_STATE_HOME/redline
	MaxHunkLines int    // of hunks before they are split; 0: 80
	MaxHunkBytes int    // 0: 8192
	Commands     CommandOptions
}

// hunks are the limits of hunks.
func (o Options) hunks() diff.Limits {
	return diff.Limits{MaxHunkLines: cmp.Or(o.MaxHunkLines, diff.DefaultLimits.MaxHunkLines), MaxHunkBytes: cmp.Or(o.MaxHunkBytes, diff.DefaultLimits.MaxHunkBytes)}
}

// Folder is an open folder: its files, and the ledger of what happens to them.
type Folder struct {
	dir, name string // of the folder: its path, and the last part of it
	state     string // where Redline keeps what is its own, of all folders
	private   string // where commands have private folders
	commands  CommandOptions
	files     *workspace.Folder
	store     *sqlite.Store
	ledger    *ledger.Ledger
	// Recovered says what a process that died before had left behind, and what
	// was done about it; "" if nothing.
	Recovered string
}

// Open opens a folder.
func Open(ctx context.Context, dir string, o Options) (*Folder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("open the folder: %w", err)
	}
	root, state, err := statePlace(dir, o)
	if err != nil {
		return nil, err
	}
	f := &Folder{dir: dir, name: filepath.Base(dir), state: root, private: privateDir(state), commands: o.Commands}
	if f.files, err = workspace.Open(dir); err != nil {
		return nil, err
	}
	if f.store, err = sqlite.Open(ctx, stateFile(state)); err != nil {
		return nil, errors.Join(err, f.files.Close())
	}
	l, recovery, err := ledger.Open(ctx, f.files, f.store, ledger.Options{Limits: o.hunks(), Private: f.private, MaxCopy: o.Commands.maxCopy()})
	if err != nil {
		return nil, errors.Join(err, f.store.Close(), f.files.Close())
	}
	f.ledger, f.Recovered = l, recovered(recovery)
	return f, nil
}

// Close closes the folder. Turns that are open must have ended.
func (f *Folder) Close() error {
	return errors.Join(f.ledger.Close(), f.store.Close(), f.files.Close())
}

// recovered says a recovery to a person.
func recovered(r ledger.Recovery) string {
	var said []string
	say := func(n int, one, many string) {
		switch {
		case n == 1:
			said = append(said, one)
		case n > 1:
			said = append(said, fmt.Sprintf(many, n))
		}
	}
	say(len(r.Finished), "a change that was cut off has been completed", "%d changes that were cut off have been completed")
	say(len(r.TakenBack), "a change that was cut off has been taken back", "%d changes that were cut off have been taken back")
	say(len(r.Left), "a file that somebody changed since was left alone", "%d files that somebody changed since were left alone")
	say(len(r.Interrupted), "a request was interrupted", "%d requests were interrupted")
	if r.ReadOnly != nil {
		said = append(said, "nothing can be changed: "+r.ReadOnly.Error())
	}
	return strings.Join(said, "; ")
}
