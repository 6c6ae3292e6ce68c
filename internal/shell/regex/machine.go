package regex

import (
	"bytes"
	"math"
)

// machine is what one search at a time needs of memory. It keeps what it learnt
// about the pattern for the next search.
type machine struct {
	r       *Regexp
	any     *automaton // nil: not needed yet
	at      *automaton // nil: not needed yet
	work    int        // steps left in this search
	threads threads
	groups  groupFinder
	tracker tracker
}

// workBase and workEach bound the steps of one search in making states; a
// search that only follows known states needs none.
const (
	workBase = 1 << 23
	workEach = 32 // for each byte of text
	// mostText is the longest text in which positions are kept as int32.
	mostText = math.MaxInt32 - 1
)

func (r *Regexp) machine() *machine {
	if m := r.idle.Swap(nil); m != nil {
		return m
	}
	if m, ok := r.spare.Get().(*machine); ok {
		return m
	}
	return &machine{r: r}
}

func (r *Regexp) release(m *machine) {
	if m.work < 0 {
		r.complex.Store(true)
	}
	if !r.idle.CompareAndSwap(nil, m) {
		r.spare.Put(m)
	}
}

func (m *machine) allow(n int) { m.work = min(workBase+workEach*n, math.MaxInt32) }

func (m *machine) anywhere() *automaton {
	if m.any == nil {
		m.any = newAutomaton(m.r.skeleton, anywhere, &m.work)
	}
	return m.any
}

func (m *machine) here() *automaton {
	if m.at == nil {
		m.at = newAutomaton(m.r.program, here, &m.work)
	}
	return m.at
}

func (m *machine) match(b []byte) bool {
	m.allow(len(b))
	if !m.anywhere().exists(b) {
		return false
	}
	if !m.r.deep {
		return true
	}
	_, _, ok := m.track(b, 0)
	return ok
}

func (m *machine) nextLine(b []byte, from int) (start, end int, ok bool) {
	for {
		m.allow(len(b) - from)
		start, end, ok = m.anywhere().line(b, from)
		if !ok || !m.r.deep {
			return start, end, ok
		}
		if _, _, ok = m.track(b[start:end], 0); ok {
			return start, end, true
		}
		if m.work < 0 {
			m.r.complex.Store(true)
		}
		from = end + 1
	}
}

func (m *machine) find(b []byte, from int) (start, end int, ok bool) {
	m.allow(len(b) - from)
	if len(b) > mostText {
		m.work = -1
		return 0, 0, false
	}
	if m.r.deep {
		if from == 0 && !m.anywhere().exists(b) {
			return 0, 0, false
		}
		return m.track(b, from)
	}
	// Tries are cheap but may each read the whole text, in vain: after a few
	// times its length, threads go through it once.
	budget := 8*(len(b)-from) + 1024
	for {
		if from = m.r.candidate(b, from); from < 0 {
			return 0, 0, false
		}
		end, read, ok := m.here().longestAt(b, from)
		if ok {
			return from, end, true
		}
		if from == len(b) || m.work < 0 {
			return 0, 0, false
		}
		_, w := symbolAt(b[from:])
		from += w
		if budget -= read; budget < 0 {
			return m.run(b, from)
		}
	}
}

// candidate is the first position from which a match may begin, or -1.
func (p *program) candidate(b []byte, from int) int {
	switch {
	case p.anchored && from > 0:
		return -1
	case p.anchored || p.first == nil:
		return from
	case len(p.prefix) > 0:
		if n := bytes.Index(b[from:], p.prefix); n >= 0 {
			return from + n
		}
		return -1
	}
	for i, c := range b[from:] {
		if p.first[c] {
			return from + i
		}
	}
	return -1
}

// submatch appends the match and its groups to dst.
func (m *machine) submatch(b []byte, from int, dst []int) []int {
	start, end, ok := m.find(b, from)
	if !ok {
		return nil
	}
	dst = append(dst, start, end)
	if m.r.deep {
		return append(dst, m.tracker.best...)
	}
	return m.group(b, start, end, dst)
}
