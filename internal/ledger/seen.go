package ledger

import (
	"sync"

	"redline/internal/text"
)

// seenTexts remembers what each session has read, so that a writer who shows no
// token still proves that it saw the current text.
type seenTexts struct {
	mu    sync.Mutex
	texts map[seenKey]seenText
}

type seenKey struct {
	session string
	path    Path
}

type seenText struct {
	hash  text.Hash
	whole bool
	data  []byte
}

// read notes that a session saw data at p, or a part of it.
func (s *seenTexts) read(session string, p Path, hash text.Hash, data []byte, whole bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.texts == nil {
		s.texts = map[seenKey]seenText{}
	}
	key := seenKey{session, p}
	if was := s.texts[key]; was.hash == hash {
		whole = whole || was.whole
	}
	s.texts[key] = seenText{hash, whole, data}
}

func (s *seenTexts) get(session string, p Path) (seenText, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.texts[seenKey{session, p}]
	return t, ok
}

// restore forgets what was read since.
func (s *seenTexts) restore(session string, p Path, was seenText, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ok {
		s.texts[seenKey{session, p}] = was
	} else {
		delete(s.texts, seenKey{session, p})
	}
}

// moved carries what was seen over to a new name.
func (s *seenTexts) moved(session string, from, to Path) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.texts[seenKey{session, from}]; ok {
		s.texts[seenKey{session, to}] = t
		delete(s.texts, seenKey{session, from})
	}
}

// Forget drops what a session has read, when the session ends.
func (l *Ledger) Forget(session string) {
	l.seen.mu.Lock()
	defer l.seen.mu.Unlock()
	for key := range l.seen.texts {
		if key.session == session {
			delete(l.seen.texts, key)
		}
	}
}
