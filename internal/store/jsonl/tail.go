package jsonl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"redline/agent"
	"redline/llm"
)

// Tail returns the newest messages of a session, from the newest one of a user on,
// so that a list can tell where it stands. It reads no more than it must, takes no
// lock and changes nothing. What cannot be read is left out.
func (s *Store) Tail(path string) ([]agent.Message, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the session: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("read the session: %w", err)
	}
	for window := int64(tailSize); ; window *= 8 {
		from := max(0, info.Size()-window)
		data := make([]byte, info.Size()-from)
		n, err := file.ReadAt(data, from)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read the session: %w", err)
		}
		lines := bytes.Split(data[:n], []byte("\n"))
		if from > 0 {
			lines = lines[1:] // the rest of a line
		}
		if messages, whole := tailOf(lines, s.kinds); whole || from == 0 {
			return messages, nil
		}
	}
}

// tailOf is the messages from the newest one of a user on, and whether there is
// one.
func tailOf(lines [][]byte, kinds agent.Kinds) (messages []agent.Message, whole bool) {
	first := len(lines)
	for i := len(lines) - 1; i >= 0 && !whole; i-- {
		kind, m, err := decodeLine(lines[i], kinds)
		if kind == lineMessage && err == nil {
			first, whole = i, m.Custom == nil && m.Role == llm.RoleUser
		}
	}
	for _, line := range lines[first:] {
		if kind, m, err := decodeLine(line, kinds); kind == lineMessage && err == nil {
			messages = append(messages, m)
		}
	}
	return messages, whole
}

// Writer tells who writes to a session, if that process runs on this machine. It
// believes the note beside the file: the lock itself cannot be looked at without
// being in the way of somebody who wants it.
func (s *Store) Writer(path string) (Holder, bool) {
	h := holder(path)
	host, err := os.Hostname()
	return h, h.PID > 0 && err == nil && h.Host == host && alive(h.PID)
}
