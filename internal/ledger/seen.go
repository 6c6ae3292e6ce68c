package ledger

import (
	"slices"
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
	parts []text.Range // the lines that were shown, if not all; sorted and apart
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
	now := seenText{hash: hash, whole: whole, data: data}
	if was := s.texts[key]; was.hash == hash {
		now.whole, now.parts = whole || was.whole, was.parts
	}
	s.texts[key] = now
}

// saw notes that a session was shown some lines of data. Lines of one text add up:
// who was shown all of them has seen it.
func (s *seenTexts) saw(session string, p Path, hash text.Hash, data []byte, lines text.Range) {
	s.read(session, p, hash, data, false)
	s.mu.Lock()
	defer s.mu.Unlock()
	key := seenKey{session, p}
	now := s.texts[key]
	now.parts = joined(now.parts, lines)
	all := text.New(data).Lines()
	now.whole = now.whole || all == 0 || len(now.parts) == 1 && now.parts[0].Start <= 0 && now.parts[0].End >= all
	s.texts[key] = now
}

// joined adds a range to ranges that are sorted and apart, and keeps them so.
func joined(parts []text.Range, more text.Range) []text.Range {
	if more.Len() <= 0 {
		return parts
	}
	var out []text.Range
	for _, p := range parts {
		if p.End < more.Start || p.Start > more.End {
			out = append(out, p)
			continue
		}
		more = text.Range{Start: min(p.Start, more.Start), End: max(p.End, more.End)}
	}
	out = append(out, more)
	slices.SortFunc(out, func(a, b text.Range) int { return a.Start - b.Start })
	return out
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
