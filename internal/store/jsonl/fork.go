package jsonl

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/uuid"
)

// Fork begins a new session with the messages of another one, from the first up
// to and with the one at index upTo. The other one stays as it is, and may be
// in use. Calls that have no result because of the cut get one.
func (s *Store) Fork(path string, upTo int) (*Session, *Record, error) {
	c, err := s.load(path)
	if err != nil {
		return nil, nil, err
	}
	if upTo < 0 || upTo >= len(c.record.Messages) {
		return nil, nil, fmt.Errorf("%s: message %d of %d: %w", path, upTo, len(c.record.Messages), ErrRange)
	}
	meta := c.record.Metadata
	meta.Parent, meta.ParentIndex = meta.ID, &upTo
	meta.ID, meta.Started = uuid.NewString(), now()
	name := s.path(meta)
	if meta.CWD == "" { // it does not say: it stays where it is
		name = filepath.Join(filepath.Dir(path), fileName(meta.Started, meta.ID))
	}
	if err := c.copy(name, meta, upTo); err != nil {
		return nil, nil, fmt.Errorf("fork the session: %w", err)
	}
	return s.Resume(name)
}

// copy writes the lines up to a message to a new file, as they are. The file
// gets its name when it is complete.
func (c *contents) copy(name string, meta Metadata, upTo int) (err error) {
	head, err := meta.line()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(name+".part", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			file.Close()
			os.Remove(file.Name())
		}
	}()
	out := bufio.NewWriter(file)
	out.Write(head) // the writer remembers its first error until Flush
	for i, line := range c.lines {
		if i == c.head {
			continue
		}
		out.Write(line)
		out.WriteByte('\n')
		if c.index[i] == upTo {
			break
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), name); err != nil {
		return err
	}
	syncFolder(filepath.Dir(name))
	return nil
}
