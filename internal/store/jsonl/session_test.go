package jsonl_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/agent"
	"redline/internal/store/jsonl"
	"redline/llm"
)

var update = flag.Bool("update", false, "renew the want files in testdata")

// must ends the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// desk is a store with one project.
type desk struct {
	*jsonl.Store
	t    testing.TB
	root string
	cwd  string
}

func newDesk(t testing.TB) *desk {
	root := t.TempDir()
	return &desk{Store: jsonl.Open(root, nil), t: t, root: root, cwd: filepath.Join(t.TempDir(), "notes")}
}

// begin makes a session with messages in it.
func (d *desk) begin(messages ...agent.Message) *jsonl.Session {
	d.t.Helper()
	session, err := d.Create(d.cwd, map[string]string{"model": "anthropic/claude"})
	must(d.t, err)
	d.t.Cleanup(func() { session.Close() })
	for _, m := range messages {
		_, err := session.Append(m)
		must(d.t, err)
	}
	return session
}

var noon = time.Date(2025, 10, 12, 12, 0, 0, 0, time.UTC)

func user(text string) agent.Message {
	m := agent.UserMessage(text)
	m.Time = noon
	return m
}

func assistant(blocks ...llm.Block) agent.Message {
	m := llm.Assistant(blocks...)
	m.Time, m.Reply = noon, &llm.Reply{Provider: "anthropic", Model: "claude", Stop: llm.StopEnd}
	return agent.Message{Message: m}
}

func call(id, name string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(`{"path":"a.md"}`)}
}

func result(id, output string) agent.Message {
	m := llm.Answer(llm.ToolResult{CallID: id, Name: "read_file", Output: output})
	m.Time = noon
	return agent.Message{Message: m}
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return string(data)
}

// TestFormat: the file is, to the byte, what docs/sessions.md shows.
func TestFormat(t *testing.T) {
	d := newDesk(t)
	session, err := d.Create(filepath.FromSlash("/path/to/project"), map[string]any{"model": "anthropic/claude", "maxTokens": 4000})
	must(t, err)
	if _, err := os.Stat(session.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a file before the first message: %v", err)
	}
	for i, m := range []agent.Message{user("Fix the bug\nin \"server.ts\""), assistant(llm.Text{Text: "I'll help"}, call("call_123", "read_file")), result("call_123", "…")} {
		index, err := session.Append(m)
		must(t, err)
		if index != i {
			t.Errorf("message %d has index %d", i, index)
		}
	}
	must(t, session.Close())
	want := `{"type":"metadata","id":"ID","timestamp":"TIME","cwd":"/path/to/project","config":{"maxTokens":4000,"model":"anthropic/claude"}}
{"type":"message","message":{"role":"user","content":"Fix the bug\nin \"server.ts\"","timestamp":"2025-10-12T12:00:00Z"}}
{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"I'll help"},{"type":"toolCall","id":"call_123","name":"read_file","arguments":{"path":"a.md"}}],"timestamp":"2025-10-12T12:00:00Z","provider":"anthropic","model":"claude","stopReason":"stop","usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"reasoning":0}}}
{"type":"message","message":{"role":"toolResult","timestamp":"2025-10-12T12:00:00Z","toolCallId":"call_123","toolName":"read_file","output":"…"}}
`
	got := strings.Replace(read(t, session.Path()), session.ID(), "ID", 1)
	got = regexp.MustCompile(`("timestamp":)"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z","cwd"`).ReplaceAllString(got, `$1"TIME","cwd"`)
	if os.PathSeparator == '/' {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	name := regexp.MustCompile(`/--(path-to-project)--/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_[0-9a-f-]{36}\.jsonl$`)
	if os.PathSeparator == '/' && !name.MatchString(session.Path()) {
		t.Errorf("the file is %s", session.Path())
	}
	if entries, _ := os.ReadDir(filepath.Dir(session.Path())); len(entries) != 1 {
		t.Errorf("left beside the session: %v", entries)
	}
}

// TestNothingSaid: a session without a message leaves nothing, not even a folder.
func TestNothingSaid(t *testing.T) {
	d := newDesk(t)
	must(t, d.begin().Close())
	if entries, _ := os.ReadDir(d.root); len(entries) != 0 {
		t.Errorf("left: %v", entries)
	}
}

// note is a kind of the application's own.
type note struct {
	Text string `json:"text"`
}

func (*note) Role() string { return "note" }

// TestRoundTrip: every kind of message comes back as it was, and so does what
// this program does not know.
func TestRoundTrip(t *testing.T) {
	d := newDesk(t)
	usd := 0.5
	messages := []agent.Message{
		user("plain"),
		{Message: llm.Message{Role: llm.RoleUser, Time: noon, Content: []llm.Block{llm.Text{Text: "see"}, llm.Image{MIMEType: "image/png", Data: []byte{1, 2, 3}},
			llm.Document{Name: "a.pdf", MIMEType: "application/pdf", Data: []byte{4}, Text: "four"}}}},
		{Message: user("with a file").Message, Attachments: []agent.Attachment{{ID: "1", Type: agent.AttachDocument, FileName: "b.txt", MIMEType: "text/plain", Size: 3, Content: []byte("abc"), ExtractedText: "abc", Preview: []byte{9}}}},
		{Message: llm.Message{Role: llm.RoleAssistant, Time: noon, Content: []llm.Block{llm.Thinking{Text: "hm", Signature: "s"}, llm.Thinking{Signature: "r", Redacted: true}, llm.Text{Text: "\u2028\x00😀</script>", Signature: "t"}, call("c1", "read_file"),
			llm.ToolCall{ID: "c2", Name: "x", Arguments: json.RawMessage("{}"), Raw: `{"a":`, Signature: "u"}},
			Reply: &llm.Reply{Provider: "p", API: llm.APIChat, Model: "m", ServedBy: "n", ResponseID: "r", Stop: llm.StopError, Usage: llm.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Reasoning: 5}, CostUSD: &usd, Latency: 6, FirstToken: 7,
				Failure: &llm.Failure{Class: llm.ClassNetwork, Message: "cut", Retry: true}}}},
		{Message: llm.Message{Role: llm.RoleTool, Time: noon, Content: []llm.Block{llm.ToolResult{CallID: "c1", Name: "read_file", Output: "out", IsError: true, Details: json.RawMessage(`{"a":[1,2]}`), Images: []llm.Image{{MIMEType: "image/gif", Data: []byte{5}}}}}}},
		result("c2", "two"),
		{Custom: &agent.Summary{Text: "so far", Task: []string{"task"}, Kept: 2}},
		{Custom: &note{Text: "mine"}},
	}
	path := d.begin(messages...).Path()
	store := jsonl.Open(d.root, agent.Kinds{"note": func() agent.Custom { return new(note) }})
	record, err := store.Read(path)
	must(t, err)
	if diff := cmp.Diff(messages, record.Messages); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	unknown, err := d.Read(path) // this store does not know notes
	must(t, err)
	line, err := json.Marshal(unknown.Messages[len(messages)-1])
	must(t, err)
	if want := `{"role":"note","text":"mine"}`; string(line) != want {
		t.Errorf("an unknown kind became %s", line)
	}
}

// TestOneWriter: a second handle is refused, readers are not, and closing frees
// the session.
func TestOneWriter(t *testing.T) {
	d := newDesk(t)
	session := d.begin(user("first"))
	_, _, err := d.Resume(session.Path())
	var locked *jsonl.LockedError
	if !errors.As(err, &locked) || !errors.Is(err, jsonl.ErrLocked) || locked.Holder.PID != os.Getpid() {
		t.Fatalf("a second writer got %v", err)
	}
	if _, err := d.Read(session.Path()); err != nil {
		t.Errorf("a reader: %v", err)
	}
	if latest, err := d.Latest(d.cwd); err != nil || latest.Path != session.Path() {
		t.Errorf("latest: %+v, %v", latest, err)
	}
	must(t, session.Close())
	must(t, session.Close())
	if _, err := session.Append(user("late")); !errors.Is(err, jsonl.ErrClosed) {
		t.Errorf("append after close: %v", err)
	}
	again, record, err := d.Resume(session.Path())
	must(t, err)
	defer again.Close()
	if index, err := again.Append(user("second")); err != nil || index != len(record.Messages) {
		t.Errorf("went on at %d of %d: %v", index, len(record.Messages), err)
	}
}

// TestForeignWriter: what another program wrote to the file is not overwritten.
func TestForeignWriter(t *testing.T) {
	d := newDesk(t)
	session := d.begin(user("first"))
	file, err := os.OpenFile(session.Path(), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = file.WriteString(`{"type":"bookmark"}` + "\n")
	must(t, err)
	must(t, file.Close())
	before := read(t, session.Path())
	if _, err := session.Append(user("second")); !errors.Is(err, jsonl.ErrModified) {
		t.Errorf("got %v", err)
	}
	if read(t, session.Path()) != before {
		t.Error("the file was changed")
	}
	session.Close()
	again, _, err := d.Resume(session.Path())
	must(t, err)
	defer again.Close()
	if index, err := again.Append(user("second")); err != nil || index != 1 {
		t.Errorf("the bookmark counted as a message: %d, %v", index, err)
	}
}
