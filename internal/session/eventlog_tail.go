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
	news    chan struct{} // closed when something has changed; nil: there never was a reader
}

// frameSize is about what an event takes in memory.
func frameSize(f *wire.JobEvent) int { return 128 + len(f.Data) + len(f.Line) }

// tell adds a frame. The readers are to be woken.
func (t *tail) tell(f *wire.JobEvent) {
	if t.readers == 0 {
		return
	}
	t.frames = append(t.frames, f)
	t.size += frameSize(f)
	for len(t.frames) > tailFrames || t.size > tailBytes && len(t.frames) > tailLeast {
		t.drop()
	}
}

func (t *tail) drop() {
	t.size -= frameSize(t.frames[0])
	t.frames[0] = nil
	t.frames = t.frames[1:]
	t.first++
}

// stir returns what the readers wait for, to be closed without the mutex: a thousand
// that wake up while it is held would all wait for it. It is nil without readers.
func (t *tail) stir() (news chan struct{}) {
	if t.readers > 0 {
		news, t.news = t.news, make(chan struct{})
	}
	return news
}

// stirUp wakes those who wait.
func stirUp(news ...chan struct{}) {
	for _, c := range news {
		if c != nil {
			close(c)
		}
	}
}

// enter makes room for a reader. It begins at the end.
func (t *tail) enter() (at int) {
	if t.readers++; t.news == nil {
		t.news = make(chan struct{})
	}
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
