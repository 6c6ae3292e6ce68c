package jsonl

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"redline/agent"
	"redline/llm"
)

// Session is a session file open for writing. It may be used by several
// goroutines.
type Session struct {
	path string

	mu      sync.Mutex
	meta    Metadata
	file    *os.File    // nil before the first message
	size    int64       // of the file, all whole lines
	dirty   bool        // not all of it is synced
	soon    *time.Timer // will begin a sync; nil: none is due
	syncing chan error  // gets the end of a sync that is under way; nil: there is none
	count   int         // of messages
	failed  error       // why nothing can be written any more
}

// ID names the session.
func (s *Session) ID() string { return s.meta.ID }

// Path is where the session's file lies, or will lie after the first message.
func (s *Session) Path() string { return s.path }

// Metadata is what the first line says.
func (s *Session) Metadata() Metadata { return s.meta }

// Len is the number of messages.
func (s *Session) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Append adds a message and returns its index, which it keeps for ever. The
// line is written in one piece: if that fails, nothing of it stays. When Append
// returns, the message survives the death of the process; the message of a user,
// with all before it, survives that of the machine as well, and that of an assistant
// will within about a second, or when Sync or Close returns. If the disk refuses it,
// whatever comes after it fails.
func (s *Session) Append(m agent.Message) (index int, err error) {
	line, err := messageLine(m)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.syncing) > 0 {
		_ = s.settle() // without waiting
	}
	if s.failed != nil {
		return 0, s.failed
	}
	if s.file == nil {
		err = s.begin(line)
	} else {
		err = s.write(line)
	}
	if err != nil {
		return 0, err
	}
	s.count++
	switch m.Role {
	case llm.RoleUser:
		err = s.sync()
	case llm.RoleAssistant:
		s.syncSoon()
	}
	return s.count - 1, err
}

func messageLine(m agent.Message) ([]byte, error) {
	data, err := m.MarshalJSON() // compact: no newline is left in it
	if err != nil {
		return nil, fmt.Errorf("a message for the session file: %w", err)
	}
	line := make([]byte, 0, len(messagePrefix)+len(data)+2)
	line = append(append(line, messagePrefix...), data...)
	return append(line, "}\n"...), nil
}

// begin makes the file, with the metadata and its first message.
func (s *Session) begin(line []byte) error {
	head, err := s.meta.line()
	if err != nil {
		return err
	}
	dir := filepath.Dir(s.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("the folder of the session: %w", err)
	}
	s.file, err = os.OpenFile(s.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("begin the session: %w", err)
	}
	if err = lock(s.file, s.path); err == nil {
		err = s.write(append(head, line...))
	}
	if err != nil {
		unlock(s.file, s.path)
		os.Remove(s.path)
		s.file = nil
		return err
	}
	syncFolder(dir)
	return nil
}

// write puts lines at the end of the file, wholly or not at all.
func (s *Session) write(lines []byte) error {
	if info, err := s.file.Stat(); err != nil {
		return fmt.Errorf("write to the session: %w", err)
	} else if info.Size() != s.size {
		s.failed = fmt.Errorf("%s: %w", s.path, ErrModified)
		return s.failed
	}
	s.dirty = true
	_, err := s.file.WriteAt(lines, s.size)
	if err == nil {
		s.size += int64(len(lines))
		return nil
	}
	err = fmt.Errorf("write to the session: %w", err)
	if undo := s.file.Truncate(s.size); undo != nil {
		s.failed = errors.Join(err, undo) // the next Resume repairs it
	}
	return err
}

// Sync makes everything so far survive a power failure.
func (s *Session) Sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _ = s.settle(); s.failed != nil {
		return s.failed
	}
	return s.sync()
}

func (s *Session) sync() error {
	if err := s.settle(); err != nil || s.file == nil || !s.dirty {
		return err
	}
	s.dirty = false
	return s.synced(s.file.Sync())
}

// rest is how long what an assistant said may wait for the disk: its next step may
// be a millisecond away.
const rest = time.Second

// syncSoon has what is written so far synced, without anybody waiting for it.
func (s *Session) syncSoon() {
	if s.soon == nil {
		s.soon = time.AfterFunc(rest, s.syncNow)
	}
}

// syncNow is the sync that was due.
func (s *Session) syncNow() {
	s.mu.Lock()
	s.soon = nil
	if s.syncing != nil && len(s.syncing) == 0 { // the one before takes its time
		s.syncSoon()
		s.mu.Unlock()
		return
	}
	if s.settle() != nil || s.file == nil || !s.dirty {
		s.mu.Unlock()
		return
	}
	end, file := make(chan error, 1), s.file
	s.dirty, s.syncing = false, end
	s.mu.Unlock()
	end <- file.Sync()
}

// settle waits for the sync that is under way. If it fails, nothing can be written
// any more.
func (s *Session) settle() error {
	if s.syncing == nil {
		return nil
	}
	err := <-s.syncing
	s.syncing = nil
	return s.synced(err)
}

func (s *Session) synced(err error) error {
	if err == nil {
		return nil
	}
	s.failed = fmt.Errorf("sync the session: %w; open it again to see what is there", err)
	return s.failed
}

// Close ends the writing and frees the session for others. Closing again does
// nothing.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		s.failed = ErrClosed
		return nil
	}
	if s.soon != nil {
		s.soon.Stop()
		s.soon = nil
	}
	err := s.sync()
	if shut := unlock(s.file, s.path); err == nil {
		err = shut
	}
	s.file, s.failed = nil, ErrClosed
	return err
}

// syncFolder makes a new name in a folder survive a power failure, where the
// system can do that.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		f.Close()
	}
}
