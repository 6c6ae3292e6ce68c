package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"redline/internal/flock"
)

// lockPoll is how often a waiting writer looks again.
const lockPoll = 20 * time.Millisecond

// Holder tells who is writing to a folder.
type Holder struct {
	PID     int       `json:"pid"`
	Program string    `json:"program"`
	Doing   string    `json:"doing"`
	Since   time.Time `json:"since"`
}

func (h Holder) String() string {
	if h.PID == 0 {
		return "another process"
	}
	return fmt.Sprintf("%s (process %d, %s since %s)", h.Program, h.PID, h.Doing, h.Since.Local().Format("15:04:05"))
}

// Lock makes this the one process, and this the one goroutine in it, that
// writes to the folder, whatever name the folder was opened by. It waits until
// ctx ends, and then tells who holds the lock; a ctx that has already ended
// makes one attempt. doing is for the message that the others get, such as
// "applying 12 changes". The lock ends with the process.
func (f *Folder) Lock(ctx context.Context, doing string) (unlock func(), err error) {
	if !f.enter(ctx) {
		return nil, f.lockedError(Holder{PID: os.Getpid(), Program: "this process", Doing: "writing", Since: time.Now()})
	}
	for {
		ok, err := flock.Try(f.lockFile)
		if err != nil {
			<-f.commit
			return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
		}
		if ok {
			break
		}
		select {
		case <-ctx.Done():
			<-f.commit
			return nil, f.lockedError(f.holder())
		case <-time.After(lockPoll):
		}
	}
	f.noteHolder(doing)
	return func() {
		f.dropHolder()
		_ = flock.Release(f.lockFile) // closing the descriptor would end it as well
		<-f.commit
	}, nil
}

// enter waits for the other writers of this process.
func (f *Folder) enter(ctx context.Context) bool {
	select {
	case f.commit <- struct{}{}:
		return true
	default:
	}
	select {
	case f.commit <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (f *Folder) lockedError(h Holder) error {
	return &Error{Code: Locked, Path: f.Name(), Reason: fmt.Sprintf("%s is writing to this folder; try again when it is done", h)}
}

// The note about the holder lies in the user's cache folder under the identity
// of the folder on disk. It only serves the message: the lock is the
// descriptor's.

func (f *Folder) noteName() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	info, err := f.Stat(Path{})
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "redline", "locks", fmt.Sprintf("%x-%x", info.Stamp.Device, info.Stamp.Inode)), nil
}

func (f *Folder) noteHolder(doing string) {
	name, err := f.noteName()
	if err != nil {
		return
	}
	program := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	note, err := json.Marshal(Holder{PID: os.Getpid(), Program: program, Doing: doing, Since: time.Now()})
	if err == nil && os.MkdirAll(filepath.Dir(name), 0o700) == nil {
		_ = os.WriteFile(name, note, 0o600)
	}
}

func (f *Folder) dropHolder() {
	if name, err := f.noteName(); err == nil {
		_ = os.Remove(name)
	}
}

func (f *Folder) holder() Holder {
	var h Holder
	name, err := f.noteName()
	if err != nil {
		return h
	}
	note, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(note, &h)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return Holder{}
	}
	return h
}
