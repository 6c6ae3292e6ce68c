package redline_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"redline"
	"redline/internal/wire"
	"redline/llm/scripted"
)

// talk is a conversation with a model that plays a script.
func talk(t *testing.T, script string, o redline.ConversationOptions) *redline.Conversation {
	t.Helper()
	model, err := scripted.Parse("model.yaml", []byte(script))
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	put(t, base+"/notes/a.md", "a\n")
	f := open(t, base+"/notes", base+"/state")
	t.Cleanup(func() { f.Close() })
	o.Model = redline.Chosen{Provider: model, Model: scripted.Model()}
	c, err := f.Converse(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestPrompt: a message is worked on to its end, with what is shown beside it; a
// question interrupts it, and the answer lets it go on.
func TestPrompt(t *testing.T) {
	c := talk(t, `
- calls: [{id: c1, name: clarify_user, arguments: {question: "Which?"}}]
- text: The first it is.
`, redline.ConversationOptions{Ask: true})
	var heard []string
	stop := c.Subscribe(func(e redline.Event) {
		if e.Status != nil {
			heard = append(heard, string(e.Status.State))
		}
	})
	answer, err := c.Prompt(t.Context(), "Take one", redline.Attachment{Name: "list.txt", Type: "text/plain", Data: []byte("first\nsecond\n")})
	if err != nil || answer.Status.State != wire.WaitingForUser || answer.Status.Question.Text != "Which?" {
		t.Fatalf("%+v, %v", answer, err)
	}
	if want := []string{"running", "waiting_for_user"}; !slices.Equal(heard, want) {
		t.Errorf("when the prompt returned %v was heard, want %v", heard, want)
	}
	if said := c.Messages()[0]; said.Text() != "Take one" || len(said.Attachments) != 1 || said.Attachments[0].FileName != "list.txt" {
		t.Errorf("the model was told %+v", said)
	}
	if answer, err = c.Reply(t.Context(), redline.Command{Type: wire.CommandClarify, Answer: "the first"}); err != nil || answer.Status.State != wire.Done || answer.Text != "The first it is." {
		t.Errorf("%+v, %v", answer, err)
	}
	stop()
	stop() // again does nothing
	if want := []string{"running", "waiting_for_user", "running", "done"}; !slices.Equal(heard, want) {
		t.Errorf("heard %v, want %v", heard, want)
	}
}

// TestPromptEnds: the run ends with the context of its prompt, and by Abort.
func TestPromptEnds(t *testing.T) {
	for name, end := range map[string]func(*redline.Conversation, context.CancelFunc){
		"cancel": func(_ *redline.Conversation, cancel context.CancelFunc) { cancel() },
		"abort":  func(c *redline.Conversation, _ context.CancelFunc) { c.Abort() },
	} {
		c := talk(t, "- {text: Slowly, delay: 1h}\n", redline.ConversationOptions{})
		ctx, cancel := context.WithCancel(t.Context())
		c.Subscribe(func(e redline.Event) {
			if e.Type == wire.EventTurnStart {
				end(c, cancel)
			}
		})
		answer, err := c.Prompt(ctx, "Hello")
		if answer.Status.State != wire.Cancelled || name == "cancel" && !errors.Is(err, context.Canceled) || name == "abort" && err != nil {
			t.Errorf("%s: %+v, %v", name, answer, err)
		}
		cancel()
	}
}
