package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"testing"
)

// TestEchoOfASignal: a signal that comes twice at once, as timeout(1) sends it, does not
// keep a server from stopping in order.
func TestEchoOfASignal(t *testing.T) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, os.Interrupt)
	defer signal.Stop(heard)
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	stopping, proceed := make(chan bool), make(chan bool)
	s := &site{log: slog.New(slog.DiscardHandler), end: func() { close(stopping) }}
	s.work.Go(func() { <-proceed })
	ended := make(chan error, 1)
	go func() { ended <- ending(context.Background(), s, nil) }()
	<-stopping
	if err := self.Signal(os.Interrupt); err != nil {
		close(proceed)
		t.Skip("no signals here: ", err)
	}
	<-heard
	select {
	case err := <-ended:
		t.Errorf("stopped in the middle: %v", err)
		close(proceed)
	case proceed <- true:
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
