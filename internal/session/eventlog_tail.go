package session

import "redline/internal/wire"

// The bounds of a tail. A few frames stay whatever their size, so that one that is huge
// does not cut off everybody.
const (
	tailFrames = 1024
	tailBytes  = 4 << 20
	tailLeast  = 16
)

// tail is what was told last, once for all readers: as far as a reader may fall
// behind. Without readers it is empty.
type tail struct {
	frames  []*wire.JobEvent
	first   int // counts what was told before frames[0]
	size    int // bytes
	readers int
	news    chan struct{} // closed when something has changed; nil: nobody waits
}

// frameSize is about what an event takes in memory.
func frameSize(f *wire.JobEvent) int { return 128 + len(f.Data) + len(f.Line) }

func (t *tail) tell(f *wire.JobEvent) {
	if t.readers == 0 {
		return
	}
	t.frames = append(t.frames, f)
	t.size += frameSize(f)
	for len(t.frames) > tailFrames || t.size > tailBytes && len(t.frames) > tailLeast {
		t.drop()
	}
	t.wake()
}

func (t *tail) drop() {
	t.size -= frameSize(t.frames[0])
	t.frames[0] = nil
	t.frames = t.frames[1:]
	t.first++
}

func (t *tail) wake() {
	if t.news != nil {
		close(t.news)
		t.news = nil
	}
}

// changed is closed at the next change.
func (t *tail) changed() <-chan struct{} {
	if t.news == nil {
		t.news = make(chan struct{})
	}
	return t.news
}

// enter makes room for a reader. It begins at the end.
func (t *tail) enter() (at int) {
	t.readers++
	return t.end()
}

func (t *tail) leave() {
	if t.readers--; t.readers == 0 {
		t.first, t.frames, t.size = t.end(), nil, 0
	}
}

// end is the place of what will be told next.
func (t *tail) end() int { return t.first + len(t.frames) }

// take puts frames from a place on into batch. It is not ok if some of them are gone.
func (t *tail) take(at int, batch []*wire.JobEvent) (n int, ok bool) {
	if at < t.first {
		return 0, false
	}
	return copy(batch, t.frames[at-t.first:]), true
}
