package jsonl

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"redline/agent"
	"redline/internal/session"
)

// open opens the session's file and takes its lock.
func (s *Session) open() error {
	file, err := os.OpenFile(s.path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: %w", s.path, ErrNone)
	}
	if err != nil {
		return fmt.Errorf("open the session: %w", err)
	}
	if err := lock(file, s.path); err != nil {
		file.Close()
		return err
	}
	s.file = file
	return nil
}

// restore reads the session, now that nobody else writes to it, and repairs it.
func (s *Session) restore(store *Store) (*Record, error) {
	c, err := store.load(s.path)
	if err != nil {
		return nil, err
	}
	r := c.record
	s.meta, s.count, s.size = r.Metadata, len(r.Messages), int64(len(c.data))
	if c.whole < s.size {
		if r.Torn, err = s.cut(c); err != nil {
			return nil, err
		}
		r.Problems = r.Problems[:len(r.Problems)-1] // the torn line was the last one
	}
	if c.open {
		if err := s.write([]byte("\n")); err != nil {
			return nil, err
		}
	}
	return r, s.answer(r)
}

// answer gives every call without a result one, but for the question that waits
// for its answer.
func (s *Session) answer(r *Record) error {
	repairs := agent.Repair(r.Messages)
	if open, ok := session.OpenQuestion(r.Messages); ok {
		if i := slices.IndexFunc(repairs, func(m agent.Message) bool {
			result, _ := m.ToolResult()
			return result.CallID == open.ID && result.Name == open.Name
		}); i >= 0 {
			repairs = slices.Delete(repairs, i, i+1)
		}
	}
	for _, m := range repairs {
		if _, err := s.Append(m); err != nil {
			return fmt.Errorf("answer an interrupted call: %w", err)
		}
	}
	r.Messages = append(r.Messages, repairs...)
	r.Answered = len(repairs)
	return s.Sync()
}

// cut takes the torn end off the file, after it was saved in a file beside it.
func (s *Session) cut(c *contents) (saved string, err error) {
	saved = s.path + ".torn"
	file, err := os.OpenFile(saved, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return "", fmt.Errorf("save the torn end of the session: %w", err)
	}
	_, err = file.Write(append(c.torn(), '\n'))
	if err == nil {
		err = file.Sync()
	}
	if shut := file.Close(); err == nil {
		err = shut
	}
	if err == nil {
		err = s.file.Truncate(c.whole)
	}
	if err != nil {
		return "", fmt.Errorf("save the torn end of the session: %w", err)
	}
	s.size, s.dirty = c.whole, true
	return saved, s.sync()
}
