package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"redline/internal/wire"
)

// sendTime is how long a command may take to be handed over.
const sendTime = 10 * time.Second

// link is a connection to a session.
type link struct {
	socket *websocket.Conn
	buffer bytes.Buffer
}

// frame is what comes over a link: an event, a reply, or hello.
type frame struct {
	wire.JobEvent
	ID     string       `json:"id"`
	Error  *wire.Error  `json:"error"`
	Status *wire.Status `json:"status"`

	late bool // it was read behind a lost connection
}

// connect opens the two-way stream of a session, and hears where that stands.
func (c *Client) connect(ctx context.Context, session string, lines bool) (*link, wire.Hello, error) {
	var hello wire.Hello
	path := c.base + "/api/agent/sessions/" + part(session) + "/ws"
	if lines {
		path += "?lines=true"
	}
	header := http.Header{}
	c.show(header)
	socket, answer, err := websocket.Dial(ctx, path, &websocket.DialOptions{HTTPClient: c.http, HTTPHeader: header})
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, hello, ctx.Err()
	case err != nil && answer != nil && answer.StatusCode != http.StatusSwitchingProtocols:
		return nil, hello, c.refused(answer)
	case err != nil:
		return nil, hello, c.unreachable(dialError(err))
	}
	socket.SetReadLimit(-1) // what is long was said in the conversation, and is wanted
	l := &link{socket: socket}
	stop := context.AfterFunc(ctx, l.close)
	f, err := l.frame()
	switch {
	case !stop():
		err = ctx.Err()
	case err != nil:
		err = c.unreachable(err)
	case f.Type != wire.FrameHello || json.Unmarshal(f.Data, &hello) != nil:
		err = wire.Errorf(wire.CodeInternal, "the server at %s is of another version: it does not begin as expected", c.address)
	}
	if err != nil {
		l.close()
		return nil, hello, err
	}
	return l, hello, nil
}

// dialError is the error of the network alone.
func dialError(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// frame reads the next frame. Only one goroutine may.
func (l *link) frame() (*frame, error) {
	_, r, err := l.socket.Reader(context.Background())
	if err != nil {
		return nil, err
	}
	l.buffer.Reset()
	if _, err := l.buffer.ReadFrom(r); err != nil {
		return nil, err
	}
	f := &frame{}
	if err := json.Unmarshal(l.buffer.Bytes(), f); err != nil {
		return nil, fmt.Errorf("a frame cannot be read: %w", err)
	}
	const large = 1 << 20
	if l.buffer.Cap() > large {
		l.buffer = bytes.Buffer{}
	}
	return f, nil
}

// send hands over a command.
func (l *link) send(r wire.Request) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), sendTime)
	defer cancel()
	return l.socket.Write(ctx, websocket.MessageText, data)
}

// close ends the connection. The server needs no farewell.
func (l *link) close() { _ = l.socket.CloseNow() }
