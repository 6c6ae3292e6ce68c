package shell

import (
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// maxLate is how much of an output is read after the end of the family: more than
// a pipe holds, so that only a stranger's is cut off.
const maxLate = 1 << 20

// stream carries what a command writes to one of its outputs.
type stream struct {
	name    string
	in, out *os.File // the command writes to in; out is ours
	hear    func(stream string, piece []byte)
	talk    *sync.Mutex // one of the streams at a time
	kept    Excerpt
	ended   atomic.Bool // nobody who should write is left
}

func newStream(name string, c Command, talk *sync.Mutex) (*stream, error) {
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &stream{name: name, in: in, out: out, hear: c.Output, talk: talk, kept: Excerpt{Limit: c.MaxOutput}}, nil
}

// read takes in everything, until nobody can write any more or the stream is
// finished.
func (s *stream) read() {
	buf := make([]byte, 32<<10)
	held := 0 // bytes at the start of buf that begin a rune
	for late := 0; late < maxLate; {
		if s.ended.Load() {
			s.hurry()
		}
		n, err := s.out.Read(buf[held:])
		data := buf[:held+n]
		whole := data
		if err == nil {
			whole = data[:WholeRunes(data)]
		}
		s.take(Harmless(whole))
		held = copy(buf, data[len(whole):])
		if err != nil {
			return
		}
		if s.ended.Load() {
			late += n
		}
	}
}

// finish makes read return when it has taken in what is there, whoever still holds
// the other end.
func (s *stream) finish() {
	s.ended.Store(true)
	s.hurry()
}

// hurry gives the next piece a moment to come, however long the one before took to
// be heard. Pipes on Windows know no deadlines; there the end of the job is the end
// of the output.
func (s *stream) hurry() { _ = s.out.SetReadDeadline(time.Now().Add(drain)) }

func (s *stream) take(piece []byte) {
	if len(piece) == 0 {
		return
	}
	s.kept.Add(piece)
	if s.hear == nil {
		return
	}
	s.talk.Lock()
	defer s.talk.Unlock()
	s.hear(s.name, piece)
}

func (s *stream) close() {
	s.in.Close()
	s.out.Close()
}
