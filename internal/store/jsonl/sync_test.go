package jsonl

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

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
			<-s.syncing
			s.syncing <- refused
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
