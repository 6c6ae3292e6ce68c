package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"redline/agent"
	"redline/internal/ledger"
	"redline/internal/session"
	"redline/internal/store/sqlite"
	"redline/internal/wire"
)

// mortal is a store that a killed program no longer reaches.
type mortal struct {
	*sqlite.Store
	dead atomic.Bool
}

var errKilled = errors.New("the program was killed")

func (m *mortal) SaveJob(ctx context.Context, j *session.JobRecord, keep int, events ...wire.JobEvent) error {
	if m.dead.Load() {
		return errKilled
	}
	return m.Store.SaveJob(ctx, j, keep, events...)
}

func (m *mortal) SaveSession(ctx context.Context, s *session.SessionRecord) error {
	if m.dead.Load() {
		return errKilled
	}
	return m.Store.SaveSession(ctx, s)
}

// books are the sessions of the inn.
type books struct {
	play *play

	mu    sync.Mutex
	logs  map[string]*keeping
	taken map[string]bool
	ended chan string // sessions that were closed; nobody need look

	opening func() // called when a session is about to be opened
}

func (b *books) Find(_ context.Context, name string) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.logs[name] == nil {
		return "", wire.Errorf(wire.CodeNotFound, "there is no session %q", name)
	}
	return name, nil
}

func (b *books) Taken(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.taken[id]
}

func (b *books) Open(ctx context.Context, o wire.SessionOptions) (*session.Session, func() error, error) {
	if b.opening != nil {
		b.opening()
	}
	if o.Toolset != "" {
		return nil, nil, wire.Errorf(wire.CodeInvalid, "there is no toolset %q", o.Toolset)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	id := o.Session
	if id == "" {
		id = fmt.Sprintf("s%d", len(b.logs)+1)
		b.logs[id] = &keeping{}
	}
	if b.taken[id] {
		return nil, nil, errors.New("the session is taken")
	}
	guard := session.Config{Mode: session.Supervised, Review: ledger.Optimistic, Limits: session.DefaultsFor("documents").Limits, Audit: b.play.ledger}
	if o.Review != "" {
		guard.Review = ledger.Review(o.Review)
	}
	log := b.logs[id]
	s, err := session.New(ctx, session.Setup{
		ID: id, Ledger: b.play.ledger, Kit: &desks{p: b.play}, Log: log, Guard: guard, History: slices.Clone(log.messages), Attended: true,
		Agent: agent.Config{Provider: &b.play.provider, Model: b.play.provider.able},
	})
	if err != nil {
		return nil, nil, err
	}
	b.taken[id] = true
	return s, func() error {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.taken[id] = false
		select {
		case b.ended <- id:
		default:
		}
		return nil
	}, nil
}

// copy is what a new program finds: what was written up to now.
func (b *books) copy() *books {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := &books{play: b.play, logs: map[string]*keeping{}, taken: map[string]bool{}}
	for id, log := range b.logs {
		c.logs[id] = &keeping{messages: log.said()}
	}
	return c
}
