package ledger

import (
	"context"

	"redline/internal/text"
	"redline/internal/workspace"
)

// scratch is a plan in the making: the disk as it is, and what is to become of
// it.
type scratch struct {
	ledger   *Ledger
	pass     *workspace.Pass
	now      map[Path]State // as it will be
	log      net
	contents map[text.Hash][]byte
}

// newScratch starts a plan. The caller closes it.
func newScratch(l *Ledger) *scratch {
	return &scratch{ledger: l, pass: l.folder.Pass(), now: map[Path]State{}, log: net{at: map[Path]Effect{}}, contents: map[text.Hash][]byte{}}
}

func (s *scratch) close() { s.pass.Close() }

func (s *scratch) look(p Path) (State, error) {
	if now, ok := s.now[p]; ok {
		return now, nil
	}
	now, data, err := lookIn(s.pass, p)
	if err != nil {
		return State{}, err
	}
	if data != nil || now.Kind == File {
		s.contents[now.Hash] = data
	}
	s.now[p] = now
	return now, nil
}

// set says what p is to become. It has been looked at before.
func (s *scratch) set(p Path, next State) {
	was := s.now[p]
	s.now[p] = next
	s.log.add(Effect{Path: p, Before: was, After: next})
}

func (s *scratch) move(from, to Path) {
	what := s.now[from]
	s.now[from], s.now[to] = State{}, what
	s.log.add(Effect{Path: to, From: &from, Before: what, After: what})
}

func (s *scratch) keep(data []byte) text.Hash {
	h := text.Sum(data)
	s.contents[h] = data
	return h
}

func (s *scratch) content(ctx context.Context, p Path, h text.Hash) ([]byte, error) {
	if data, ok := s.contents[h]; ok {
		return data, nil
	}
	return s.ledger.store.Blob(ctx, h)
}

// want is what p is to be in the end.
func (s *scratch) want(p Path) State { return s.now[p] }

func (s *scratch) effects() []Effect { return s.log.effects() }
