package jsonl

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"redline/agent"
	"redline/llm"
)

// TestSyncThatFails: if the disk refuses what an assistant said, the next one to
// come is told, and nothing more is written.
func TestSyncThatFails(t *testing.T) {
	refused := errors.New("the disk is gone")
	for name, next := range map[string]func(*Session) error{
		"append": func(s *Session) error { _, err := s.Append(agent.UserMessage("more")); return err },
		"result": func(s *Session) error {
			_, err := s.Append(agent.Message{Message: llm.Answer(llm.ToolResult{CallID: "c1"})})
			return err
		},
		"sync":  (*Session).Sync,
		"close": (*Session).Close,
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(t.TempDir(), nil).Create(filepath.FromSlash("/notes"), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := s.Append(agent.Message{Message: llm.Assistant(llm.Text{Text: "said"})}); err != nil {
				t.Fatal(err)
			}
			s.mu.Lock()
			s.syncing = make(chan error, 1) // as if it had been due
			s.syncing <- refused
			s.mu.Unlock()
			before, err := os.ReadFile(s.Path())
			if err != nil {
				t.Fatal(err)
			}
			if err := next(s); !errors.Is(err, refused) {
				t.Errorf("got %v", err)
			}
			if _, err := s.Append(agent.UserMessage("again")); err == nil {
				t.Error("it goes on")
			}
			if after, err := os.ReadFile(s.Path()); err != nil || string(after) != string(before) {
				t.Errorf("written all the same: %s, %v", after, err)
			}
		})
	}
}

// TestSyncSoon: what an assistant said is synced before long, though nobody asks for
// it, and Close does not leave it to later.
func TestSyncSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(t.TempDir(), nil).Create(filepath.FromSlash("/notes"), nil)
		if err != nil {
			t.Fatal(err)
		}
		said := agent.Message{Message: llm.Assistant(llm.Text{Text: "said"})}
		dirty := func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.dirty || s.syncing != nil && len(s.syncing) == 0
		}
		for range 3 {
			for range 5 {
				if _, err := s.Append(said); err != nil {
					t.Fatal(err)
				}
			}
			if !dirty() {
				t.Error("each message waits for the disk")
			}
			time.Sleep(rest)
			synctest.Wait()
			if dirty() {
				t.Error("not synced after a second")
			}
		}
		if _, err := s.Append(said); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil || dirty() {
			t.Errorf("closed with %v, dirty %v", err, dirty())
		}
	})
}
