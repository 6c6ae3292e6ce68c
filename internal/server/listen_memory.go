package server

import (
	"context"
	"net"
	"sync"
)

// Memory is a listener inside of the program: who dials it talks to the server without
// a network.
type Memory struct {
	dialled chan net.Conn
	close   sync.Once
	closed  chan struct{}
}

// NewMemory makes a listener.
func NewMemory() *Memory {
	return &Memory{dialled: make(chan net.Conn), closed: make(chan struct{})}
}

// Accept waits for the next connection.
func (m *Memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.dialled:
		return c, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

// Dial connects to the listener; a http.Transport takes it as its DialContext, whatever
// address it asks for.
func (m *Memory) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case m.dialled <- there:
		return here, nil
	case <-m.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close ends the listener, but not its connections.
func (m *Memory) Close() error {
	m.close.Do(func() { close(m.closed) })
	return nil
}

// Addr is a name.
func (m *Memory) Addr() net.Addr { return memoryAddr{} }

type memoryAddr struct{}

func (memoryAddr) Network() string { return "memory" }
func (memoryAddr) String() string  { return "memory" }
