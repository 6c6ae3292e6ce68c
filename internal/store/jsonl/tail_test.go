package jsonl_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"redline/agent"
	"redline/internal/store/jsonl"
	"redline/llm"
)

// TestTail: the end of a session from the newest message of a user on, however far
// back that is, with a torn line behind it or without any such message.
func TestTail(t *testing.T) {
	big := agent.Message{Message: llm.Answer(llm.ToolResult{CallID: "c1", Output: strings.Repeat("long ", 40_000)})}
	for name, c := range map[string]struct {
		messages []agent.Message
		want     int // of the messages, from the end
	}{
		"answered":  {[]agent.Message{user("one"), assistant(llm.Text{Text: "1"}), user("two"), assistant(llm.Text{Text: "2"})}, 2},
		"far back":  {[]agent.Message{user("one"), assistant(llm.Text{Text: "1"}), user("two"), assistant(call("c1", "read")), big, big, big}, 5},
		"no user":   {[]agent.Message{assistant(llm.Text{Text: "1"}), big}, 2},
		"unknown":   {[]agent.Message{user("one"), {Custom: &note{Text: "mine"}}}, 2},
		"only said": {[]agent.Message{user("one")}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			session := d.begin(c.messages...)
			must(t, session.Close())
			file, err := os.OpenFile(session.Path(), os.O_APPEND|os.O_WRONLY, 0)
			must(t, err)
			_, err = file.WriteString(`{"type":"message","message":{"role":"user","content":"cut o`)
			must(t, err)
			must(t, file.Close())
			before := read(t, session.Path())
			got, err := d.Tail(session.Path())
			must(t, err)
			whole, err := d.Read(session.Path())
			must(t, err)
			want := whole.Messages[len(whole.Messages)-c.want:]
			if g, w := marshal(t, got), marshal(t, want); g != w {
				t.Errorf("%d messages, want %d\n%.300s\n%.300s", len(got), len(want), g, w)
			}
			if read(t, session.Path()) != before {
				t.Error("the file was changed")
			}
		})
	}
	if _, err := jsonl.Open(t.TempDir(), nil).Tail("none.jsonl"); err == nil {
		t.Error("a session that is not there has an end")
	}
}

func marshal(t *testing.T, messages []agent.Message) string {
	t.Helper()
	data, err := json.Marshal(messages)
	must(t, err)
	return string(data)
}

// TestWriter: a session has a writer while it is open, and none when its process
// is gone.
func TestWriter(t *testing.T) {
	d := newDesk(t)
	session := d.begin(user("one"))
	if h, ok := d.Writer(session.Path()); !ok || h.PID != os.Getpid() {
		t.Errorf("an open session is written to by %+v, %v", h, ok)
	}
	must(t, session.Close())
	if _, ok := d.Writer(session.Path()); ok {
		t.Error("a closed session has a writer")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	must(t, cmd.Run())
	host, err := os.Hostname()
	must(t, err)
	for _, h := range []jsonl.Holder{{PID: cmd.Process.Pid, Host: host}, {PID: os.Getpid(), Host: host + "x"}} {
		data, err := json.Marshal(h)
		must(t, err)
		must(t, os.WriteFile(strings.TrimSuffix(session.Path(), filepath.Ext(session.Path()))+".writer", data, 0o600))
		if _, ok := d.Writer(session.Path()); ok {
			t.Errorf("%+v is taken for a writer", h)
		}
	}
}
