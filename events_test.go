package redline_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline"
	"redline/internal/wire"
	"redline/llm/scripted"
)

// TestSessionEvents: what programs read of a conversation besides the events of its
// agent, in testdata/events.jsonl: messages, a question that is answered, last words
// that ask, and a question that another program answers.
func TestSessionEvents(t *testing.T) {
	model, err := scripted.Parse("model.yaml", []byte(`
- calls:
    - {id: c1, name: send_message, arguments: {message: "Half done."}}
    - {id: c2, name: send_message, arguments: {message: "Look at <this>.", priority: high}}
    - {id: c3, name: clarify_user, arguments: {question: "Which one?"}}
- text: "I took the first.\n\nGo on?"
- calls: [{id: c4, name: clarify_user, arguments: {question: "Up or down?"}}]
- text: Done.
`))
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	put(t, filepath.Join(base, "notes", "a.md"), "a\n")
	p := &programs{t: t, base: base, model: model}
	say := func(text string) redline.Command { return redline.Command{Type: wire.CommandMessage, Content: text} }
	p.run(say("Sort them"), redline.Command{Type: wire.CommandClarify, Answer: "the first"})
	p.run(say("Yes"))
	p.run(say("Up"))
	p.run()
	got := moving.ReplaceAllString(p.lines.String(), `"$1":"…"`)
	const name = "testdata/events.jsonl"
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", name, d)
	}
}

var moving = regexp.MustCompile(`"(timestamp|session_id|turn)":"[^"]*"`)

// programs are several in a row that go on with one session.
type programs struct {
	t     *testing.T
	base  string
	model *scripted.Provider
	began bool
	lines strings.Builder
}

// run is one program: it does what it is told, one after the other, and ends when
// all is done or asked about.
func (p *programs) run(commands ...redline.Command) {
	p.t.Helper()
	f := open(p.t, filepath.Join(p.base, "notes"), filepath.Join(p.base, "state"))
	defer f.Close()
	yes := true
	c, err := f.Converse(p.t.Context(), redline.ConversationOptions{
		Model: redline.Chosen{Provider: p.model, Model: scripted.Model()}, Ask: true, Continue: p.began, SendMessage: &yes,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	defer c.Close()
	p.lines.WriteString("\n")
	cursor := 0
	if p.began { // where it stands is told first
		cursor = p.hear(c, 0)
	}
	p.began = true
	for _, command := range commands {
		if err := c.Do(p.t.Context(), command); err != nil {
			p.t.Fatal(err)
		}
		cursor = p.hear(c, cursor)
	}
}

// hear writes down the events of the session until it rests.
func (p *programs) hear(c *redline.Conversation, cursor int) int {
	p.t.Helper()
	for e, err := range c.Events(p.t.Context(), cursor) {
		if err != nil {
			p.t.Fatal(err)
		}
		cursor = e.Cursor
		if e.Type == wire.EventState || strings.Contains(e.Type, ".") {
			data, err := e.MarshalJSON()
			if err != nil {
				p.t.Fatal(err)
			}
			p.lines.Write(append(data, '\n'))
		}
		if e.Type == wire.EventState && e.Status.State != wire.Running {
			break
		}
	}
	return cursor
}
