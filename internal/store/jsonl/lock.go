package jsonl

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"redline/internal/flock"
)

// The lock is on the session file's own descriptor, and so ends with the
// process. The note beside it only serves the message that others get.

func notePath(path string) string { return strings.TrimSuffix(path, extension) + ".writer" }

// lock makes this handle the only one that writes.
func lock(file *os.File, path string) error {
	ok, err := flock.Try(file)
	if err != nil {
		return &os.PathError{Op: "lock", Path: path, Err: err}
	}
	if !ok {
		return &LockedError{Path: path, Holder: holder(path)}
	}
	host, _ := os.Hostname() // for the message only
	note, err := json.Marshal(Holder{
		PID: os.Getpid(), Host: host, Program: strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), Since: time.Now().Round(0),
	})
	if err == nil {
		_ = os.WriteFile(notePath(path), note, 0o600)
	}
	return nil
}

// unlock closes the file, which ends the lock. The note goes first: afterwards
// it may be the next writer's.
func unlock(file *os.File, path string) error {
	_ = os.Remove(notePath(path))
	return file.Close()
}

func holder(path string) Holder {
	var h Holder
	note, err := os.ReadFile(notePath(path))
	if err != nil || json.Unmarshal(note, &h) != nil {
		return Holder{}
	}
	return h
}
