package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	headerWait = 10 * time.Second // for the head of a request
	idleWait   = 60 * time.Second // for the next one on a connection
	stopWait   = 10 * time.Second // for requests that are on when the server stops
	maxHeader  = 64 << 10         // bytes, with the address
	// maxConnections is how many connections a listener has at a time: the others wait
	// in the queue of the system. It leaves room beside the streams.
	maxConnections = maxStreams + 500
)

// Serve answers the requests that come over a listener, behind a guard (nil: none, for
// a listener that nobody else can reach), until ctx ends: then the streams of the
// server end, requests that are on are answered, for at most 10 seconds, and nothing of
// the listener is left. It returns nil then. A server may serve several listeners. With
// a configuration of TLS there is only HTTP/1.1, as without: sockets need it.
func (s *Server) Serve(ctx context.Context, l net.Listener, guard *Guard, secure *tls.Config) error {
	l = &limited{Listener: l, room: make(chan struct{}, maxConnections), closed: make(chan struct{})}
	if secure != nil {
		l = tls.NewListener(l, secure)
	}
	h := &http.Server{
		Handler:                      s.behind(guard),
		ReadHeaderTimeout:            headerWait,
		IdleTimeout:                  idleWait,
		MaxHeaderBytes:               maxHeader,
		DisableGeneralOptionsHandler: true, // it would answer without the guard
		ErrorLog:                     slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("the server cannot listen at %s any more: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	s.Close()
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
	defer cancel()
	err := h.Shutdown(wait)
	if err != nil {
		err = errors.Join(fmt.Errorf("requests were cut off when the server stopped: %w", err), h.Close())
	}
	<-failed
	select {
	case <-s.streams.stop(): // sockets, which the HTTP server does not know any more
	case <-wait.Done():
	}
	return err
}

// TLS is the configuration of a server with the certificate and the key in these
// files.
func TLS(cert, key string) (*tls.Config, error) {
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("the certificate %s with the key %s: %w", cert, key, err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}, nil
}

// limited is a listener that has no more than so many connections at a time.
type limited struct {
	net.Listener
	room   chan struct{}
	close  sync.Once
	closed chan struct{}
}

// Accept waits for room, and then for a connection.
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.room <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.room
		return nil, err
	}
	return &limitedConn{Conn: c, free: sync.OnceFunc(func() { <-l.room })}, nil
}

// Close also ends an Accept that waits for room.
func (l *limited) Close() error {
	l.close.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// limitedConn is a connection that makes room when it is closed.
type limitedConn struct {
	net.Conn
	free func()
}

func (c *limitedConn) Close() error {
	defer c.free()
	return c.Conn.Close()
}
