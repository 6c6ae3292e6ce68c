package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// interrupts are the signals by which a user stops the program. They end its
// context, unless somebody has claimed them to stop only what is being done.
type interrupts struct {
	cancel context.CancelFunc
	heard  chan os.Signal

	mu      sync.Mutex
	claimed chan os.Signal
}

// catch has the signals end the context that it returns.
func catch() (context.Context, *interrupts) {
	ctx, cancel := context.WithCancel(context.Background())
	i := &interrupts{cancel: cancel, heard: make(chan os.Signal, 4)}
	signal.Notify(i.heard, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(i.heard, syscall.SIGHUP) // the terminal is gone; commands must not be left running
	}
	go i.pass()
	return ctx, i
}

func (i *interrupts) pass() {
	for s := range i.heard {
		i.mu.Lock()
		claimed := i.claimed
		i.mu.Unlock()
		if claimed == nil || s != os.Interrupt {
			i.cancel()
			continue
		}
		select {
		case claimed <- s:
		default: // it is being dealt with
		}
	}
}

// claim returns the Ctrl-Cs from now on, unless they shall go on to end the
// context.
func (i *interrupts) claim(not bool) <-chan os.Signal {
	if i == nil || not {
		return nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.claimed == nil {
		i.claimed = make(chan os.Signal, 2)
	}
	return i.claimed
}

func (i *interrupts) stop() {
	signal.Stop(i.heard)
	close(i.heard)
	i.cancel()
}
