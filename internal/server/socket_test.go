package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"redline/internal/wire"
)

const socketPath = "ws://memory/api/agent/sessions/s1/ws"

func dial(t *testing.T, c *http.Client, url string) *websocket.Conn {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{HTTPClient: c})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

// heard reads the next frame, as its type and what it has.
func heard(t *testing.T, conn *websocket.Conn) string {
	t.Helper()
	_, text, err := conn.Read(t.Context())
	if err != nil {
		return fmt.Sprintf("closed %d", websocket.CloseStatus(err))
	}
	var f struct {
		Type   string
		ID     *string
		Cursor int
		Data   json.RawMessage
		Error  *wire.Error
		Status *wire.Status
	}
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	said := f.Type
	if f.ID != nil {
		said += " " + *f.ID
	}
	if f.Cursor > 0 {
		said += fmt.Sprintf(" %d", f.Cursor)
	}
	if f.Error != nil {
		said += " refused: " + f.Error.Code
	}
	if f.Status != nil {
		said += " now " + string(f.Status.State)
	}
	return said
}

func say(t *testing.T, conn *websocket.Conn, text string) {
	t.Helper()
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

// TestSocket: a socket says where the session stands, tells what happens, and answers
// every command.
func TestSocket(t *testing.T) {
	p := newTape()
	p.put("job.started", `{}`) // before the socket: the session knows of it
	p.do = func(c wire.Command) error {
		if c.Type == wire.CommandClarify {
			return wire.Errorf(wire.CodeNotAsked, "nothing was asked")
		}
		return nil
	}
	_, c, _ := inMemory(t, p)
	conn := dial(t, c, socketPath+"?lines=true")
	_, text, err := conn.Read(t.Context())
	var hello struct {
		Type string
		Data wire.Hello
	}
	if err != nil || json.Unmarshal(text, &hello) != nil || hello.Type != "hello" || hello.Data.Session.Same != "s1" {
		t.Fatalf("%s %v", text, err)
	}
	var got []string
	for _, step := range []struct{ put, say string }{
		{put: "progress"},
		{put: "~message_update"},
		{say: `{"id":"a","type":"message","content":"hi"}`},
		{say: `{"id":"b","type":"clarify","answer":"yes"}`},
		{say: `{"id":"c","type":"decide","all":"accept"}`},
		{say: `{"type":"interrupt"}`},
		{say: `no JSON`},
		{say: `{"id":7}`},
		{say: `{"id":"d"}{"id":"e"}`},
		{say: `{"id":"f","type":"message","content":"still here"}`},
	} {
		if step.put != "" {
			p.put(step.put, `{}`)
		} else {
			say(t, conn, step.say)
		}
		got = append(got, heard(t, conn))
	}
	want := []string{"progress 2", "message_update", "reply a", "reply b refused: nothing_asked", "reply c now running", "reply ",
		"reply  refused: invalid", "reply  refused: invalid", "reply  refused: invalid", "reply f"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := conn.Write(t.Context(), websocket.MessageBinary, []byte(`{"type":"message"}`)); err != nil {
		t.Fatal(err)
	}
	if got := heard(t, conn); got != "reply  refused: invalid" {
		t.Errorf("to bytes: %s", got)
	}
	if diff := cmp.Diff([]string{"listen lines=true", "do message hi", "do clarify yes", "do decide ", "do interrupt ", "do message still here"}, p.said()); diff != "" {
		t.Error(diff)
	}
}

// TestSocketMissesNothing: what happens while the session is looked at comes behind it.
func TestSocketMissesNothing(t *testing.T) {
	p := newTape()
	p.show = func() { p.put("progress", `{}`) }
	_, c, _ := inMemory(t, p)
	conn := dial(t, c, socketPath)
	if first, second := heard(t, conn), heard(t, conn); first != "hello" || second != "progress 1" {
		t.Errorf("%s, %s", first, second)
	}
}

// TestSocketRefused: what is no socket, or of no session, is refused before it is one.
func TestSocketRefused(t *testing.T) {
	p := newTape()
	_, c, _ := inMemory(t, p)
	upgrade := []string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}
	for _, q := range []struct {
		name, path string
		headers    []string
		status     int
	}{
		{"no upgrade", "s1/ws", nil, 426},
		{"no such session", "s2/ws", upgrade, 404},
		{"lines of no kind", "s1/ws?lines=perhaps", upgrade, 400},
		{"another version", "s1/ws", append(upgrade[:4:4], "Sec-WebSocket-Version", "8"), 400},
		{"another origin", "s1/ws", append([]string{"Origin", "https://evil.example"}, upgrade...), 403},
	} {
		if r := get(t, c, "http://memory/api/agent/sessions/"+q.path, q.headers...); r.StatusCode != q.status {
			t.Errorf("%s: %d, want %d", q.name, r.StatusCode, q.status)
		}
	}
}

// TestSocketCloses: each end of a socket has its status.
func TestSocketCloses(t *testing.T) {
	for _, q := range []struct {
		name string
		end  func(p *tape, conn *websocket.Conn, closeServer func())
		want string
	}{
		{"the reader was too slow", func(p *tape, _ *websocket.Conn, _ func()) { p.put("~reload", `{}`); p.stop() }, "reload closed 1013"},
		{"the engine stops", func(p *tape, _ *websocket.Conn, _ func()) { p.stop() }, "closed 1001"},
		{"the server stops", func(_ *tape, _ *websocket.Conn, closeServer func()) { closeServer() }, "closed 1001"},
		{"a command of two megabytes", func(_ *tape, conn *websocket.Conn, _ func()) {
			_ = conn.Write(context.Background(), websocket.MessageText, []byte(strings.Repeat("x", 2<<20)))
		}, "closed 1009"},
	} {
		t.Run(q.name, func(t *testing.T) {
			p := newTape()
			s, c, _ := inMemory(t, p)
			conn := dial(t, c, socketPath)
			if first := heard(t, conn); first != "hello" {
				t.Fatal(first)
			}
			go q.end(p, conn, s.Close)
			var got []string
			for len(got) == 0 || !strings.HasPrefix(got[len(got)-1], "closed") {
				got = append(got, heard(t, conn))
			}
			if said := strings.Join(got, " "); said != q.want {
				t.Errorf("%s, want %s", said, q.want)
			}
		})
	}
}

// TestSocketRefusesWords: what is no command is said in the words of JSON.
func TestSocketRefusesWords(t *testing.T) {
	_, c, _ := inMemory(t, newTape())
	conn := dial(t, c, socketPath)
	heard(t, conn)
	for said, want := range map[string]string{
		`{"type`:        "the command is no JSON: unexpected end of JSON input",
		`[]`:            "a command is an object with a type, not a JSON value of the kind array",
		`{"type":true}`: "type of a command cannot be a JSON value of the kind bool",
	} {
		say(t, conn, said)
		_, text, err := conn.Read(t.Context())
		var r wire.Reply
		if err := errors.Join(err, json.Unmarshal(text, &r)); err != nil {
			t.Fatal(err)
		}
		if r.Error == nil || r.Error.Message != want {
			t.Errorf("%s: %s, want %s", said, text, want)
		}
	}
}

// TestSocketFinishes: what was said is done, also if its speaker has left.
func TestSocketFinishes(t *testing.T) {
	p := newTape()
	begun, proceed := make(chan bool, 1), make(chan bool)
	p.do = func(c wire.Command) error {
		if c.Content == "1" {
			begun <- true
			<-proceed
		}
		return nil
	}
	_, c, stop := inMemory(t, p)
	conn := dial(t, c, socketPath)
	heard(t, conn)
	for i := range 3 {
		say(t, conn, fmt.Sprintf(`{"type":"message","content":"%d"}`, i+1))
	}
	<-begun
	_ = conn.CloseNow()
	close(proceed)
	stop() // waits for the socket
	if diff := cmp.Diff([]string{"listen lines=false", "do message 1", "do message 2", "do message 3"}, p.said()); diff != "" {
		t.Error(diff)
	}
}

// TestSocketCrowd: commands that come faster than they are carried out are refused, and
// the socket stays.
func TestSocketCrowd(t *testing.T) {
	p := newTape()
	proceed := make(chan bool)
	p.do = func(wire.Command) error { <-proceed; return nil }
	_, c, _ := inMemory(t, p)
	conn := dial(t, c, socketPath)
	heard(t, conn)
	replies := make(chan string, 20)
	go func() {
		for range 20 {
			replies <- heard(t, conn)
		}
	}()
	for range 20 { // 1 that is on, 16 that wait
		say(t, conn, `{"id":"x","type":"message"}`)
	}
	for range 3 {
		if got := <-replies; got != "reply x refused: busy" {
			t.Error(got)
		}
	}
	close(proceed)
	for range 17 {
		if got := <-replies; got != "reply x" {
			t.Error(got)
		}
	}
}

// TestSilentSocket: a peer that takes nothing, and one that answers no ping, are let go.
func TestSilentSocket(t *testing.T) {
	for _, q := range []struct {
		name string
		tell bool
	}{{"takes nothing", true}, {"answers no ping", false}} {
		t.Run(q.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newTape()
				_, c, stop := inMemory(t, p)
				conn := dial(t, c, socketPath)
				heard(t, conn)
				if q.tell {
					p.put("progress", `{"text":"`+strings.Repeat("x", 100_000)+`"}`)
				}
				began := time.Now()
				for p.following() > 0 && time.Since(began) < 5*time.Minute {
					time.Sleep(time.Second)
				}
				if took := time.Since(began); took > 90*time.Second {
					t.Errorf("it was kept for %v", took)
				}
				_ = conn.CloseNow()
				stop()
			})
		})
	}
}
