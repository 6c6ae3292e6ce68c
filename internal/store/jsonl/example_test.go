package jsonl_test

import (
	"fmt"
	"os"
	"path/filepath"

	"redline/agent"
	"redline/internal/store/jsonl"
	"redline/llm"
)

func Example() {
	root, err := os.MkdirTemp("", "sessions")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	store := jsonl.Open(root, nil)

	// A first run: something is said, a tool is called, and the process ends.
	session, err := store.Create("/home/ada/notes", map[string]string{"model": "anthropic/claude", "apiKey": "not kept"})
	if err != nil {
		fmt.Println(err)
		return
	}
	session.Append(agent.UserMessage("Tidy the folder"))
	session.Append(agent.Message{Message: llm.Assistant(llm.ToolCall{ID: "c1", Name: "list_files"})})
	session.Close()

	// redline --continue
	latest, err := store.Latest("/home/ada/notes")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %q, %d messages\n", filepath.Base(filepath.Dir(latest.Path)), latest.Title, latest.Messages)
	session, record, err := store.Resume(latest.Path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	fmt.Printf("%s with %d messages, %d answered now\n", record.Config, len(record.Messages), record.Answered)
	// Output:
	// --home-ada-notes--: "Tidy the folder", 2 messages
	// {"model":"anthropic/claude"} with 3 messages, 1 answered now
}
