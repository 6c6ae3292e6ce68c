package client_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"redline/internal/client"
	"redline/internal/wire"
)

// pipes is a listener in memory, so that all of a test is in one bubble.
type pipes struct {
	dialled chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func newPipes() *pipes {
	return &pipes{dialled: make(chan net.Conn), closed: make(chan struct{})}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialled:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.dialled <- there:
		return here, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// serve has a handler answer a client, until the test ends or stop is called.
func serve(t *testing.T, token string, h http.Handler) (c *client.Client, stop func()) {
	t.Helper()
	p := newPipes()
	s := &http.Server{Handler: h}
	go func() { _ = s.Serve(p) }()
	c, err := client.New("http://server.test", client.Options{Token: token, Dial: p.Dial})
	if err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		_ = s.Close()
		c.Close()
	})
	t.Cleanup(stop)
	return c, stop
}

// room is a session on a server that does what a test says.
type room struct {
	http.ServeMux
	session wire.Session
	sockets chan *socket
	kept    map[string][]wire.JobEvent // of jobs
}

// socket is a connection to it.
type socket struct {
	t     *testing.T
	conn  *websocket.Conn
	query string
	gone  chan struct{}
}

func newRoom(t *testing.T) *room {
	r := &room{sockets: make(chan *socket), kept: map[string][]wire.JobEvent{}}
	r.session.ID = "s1"
	r.session.Now = wire.Status{Session: "s1", State: wire.Idle}
	r.HandleFunc("GET /api/agent/sessions/s1/ws", func(w http.ResponseWriter, q *http.Request) {
		conn, err := websocket.Accept(w, q, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		s := &socket{t: t, conn: conn, query: q.URL.RawQuery, gone: make(chan struct{})}
		s.send(map[string]any{"type": wire.FrameHello, "data": wire.Hello{Session: r.session}})
		select {
		case r.sockets <- s:
		case <-t.Context().Done():
		}
		select {
		case <-s.gone:
		case <-t.Context().Done():
		}
	})
	r.HandleFunc("GET /api/agent/jobs/{job}/events", func(w http.ResponseWriter, q *http.Request) {
		var after int
		_ = json.Unmarshal([]byte(q.URL.Query().Get("cursor")), &after)
		answer := wire.JobEvents{Job: q.PathValue("job"), Next: after, Events: []wire.JobEvent{}}
		for _, e := range r.kept[answer.Job] {
			if e.Cursor > after && len(answer.Events) < 2 { // several pages
				answer.Events = append(answer.Events, e)
				answer.Next = e.Cursor
			}
		}
		_ = json.NewEncoder(w).Encode(answer)
	})
	return r
}

// converse opens the conversation, and returns the server's side of its connection.
func (r *room) converse(t *testing.T, o client.ConversationOptions) (*client.Conversation, *socket, func()) {
	t.Helper()
	c, stop := serve(t, "", r)
	conv, err := c.Converse(t.Context(), "s1", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conv.Close() })
	return conv, <-r.sockets, stop
}

func (s *socket) send(frame any) {
	data, err := json.Marshal(frame)
	if err != nil {
		s.t.Error(err)
	}
	_ = s.conn.Write(context.Background(), websocket.MessageText, data)
}

// command is what the client says next.
func (s *socket) command() wire.Request {
	_, data, err := s.conn.Read(context.Background())
	if err != nil {
		s.t.Error(err)
	}
	var r wire.Request
	if err := json.Unmarshal(data, &r); err != nil {
		s.t.Error(err)
	}
	return r
}

// drop ends the connection without a word.
func (s *socket) drop() {
	_ = s.conn.CloseNow()
	close(s.gone)
}

// event is a frame.
func event(job string, cursor int, kind string, data any) wire.JobEvent {
	d, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	return wire.JobEvent{Job: job, Cursor: cursor, Type: kind, Data: d}
}

type fields map[string]any

// state is the frame of a state.
func state(job string, cursor int, kind string, s wire.State) wire.JobEvent {
	return event(job, cursor, kind, fields{"session": wire.Status{Session: "s1", State: s}})
}

// readAll is for bodies of requests.
func readAll(r io.Reader) string {
	data, err := io.ReadAll(r)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
