package redline_test

import (
	"path/filepath"
	"testing"

	"redline"
	"redline/internal/wire"
	"redline/llm"
	"redline/llm/route"
	"redline/llm/scripted"
)

// TestEveryRequestBeginsLocal: a request that the local model could not answer went
// to the remote one; the next request asks the local one again.
func TestEveryRequestBeginsLocal(t *testing.T) {
	base := t.TempDir()
	put(t, filepath.Join(base, "notes", "a.md"), "a\n")
	f := open(t, filepath.Join(base, "notes"), filepath.Join(base, "state"))
	defer f.Close()
	refusal := &llm.Failure{Class: llm.ClassAuth, Message: "who are you?"}
	model := scripted.Model()
	router, err := route.New(route.Config{
		Mode: route.HybridAuto, Controls: route.DefaultControls(),
		Local:  route.Side{Provider: scripted.New(scripted.Step{Error: refusal}, scripted.Step{Text: "local"}), Model: model},
		Remote: route.Side{Provider: scripted.New(scripted.Step{Text: "remote"}), Model: model},
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := f.Converse(t.Context(), redline.ConversationOptions{Model: redline.Chosen{Provider: router, Model: model}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	cursor := 0
	for _, want := range []string{"remote", "local"} {
		if err := c.Do(t.Context(), redline.Command{Type: wire.CommandMessage, Content: "go"}); err != nil {
			t.Fatal(err)
		}
		said := ""
		for e, err := range c.Events(t.Context(), cursor) {
			if err != nil {
				t.Fatal(err)
			}
			cursor = e.Cursor
			if e.Message != nil && e.Type == wire.EventMessageEnd && e.Message.Role == "assistant" {
				said = e.Message.Text
			}
			if e.Type == wire.EventState && !e.Status.Open() {
				break
			}
		}
		if said != want {
			t.Errorf("%q answered, want %q", said, want)
		}
	}
}
