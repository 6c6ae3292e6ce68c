package shell

import (
	"bytes"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
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
	kept    excerpt
	ended   atomic.Bool // nobody who should write is left
}

func newStream(name string, c Command, talk *sync.Mutex) (*stream, error) {
	out, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &stream{name: name, in: in, out: out, hear: c.Output, talk: talk, kept: excerpt{limit: c.MaxOutput}}, nil
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
			whole = data[:wholeRunes(data)]
		}
		s.take(harmless(whole))
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
	s.kept.write(piece)
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

// wholeRunes is the length of data without a rune that is cut off at its end.
func wholeRunes(data []byte) int {
	for i := len(data) - 1; i >= 0 && i > len(data)-utf8.UTFMax; i-- {
		if utf8.RuneStart(data[i]) {
			if !utf8.FullRune(data[i:]) {
				return i
			}
			break
		}
	}
	return len(data)
}

// harmless is data as valid UTF-8 without NUL: each byte that is neither becomes
// U+FFFD. It is the same however the data was cut into pieces of whole runes.
func harmless(data []byte) []byte {
	if utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 {
		return data
	}
	clean := make([]byte, 0, len(data)+len(data)/2)
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == 0 {
			r = utf8.RuneError
		}
		clean = utf8.AppendRune(clean, r)
		data = data[size:]
	}
	return clean
}

// excerpt keeps the head and the tail of a text, each half of the limit.
type excerpt struct {
	limit int
	head  []byte
	tail  []byte // a ring once it is full
	next  int    // where the ring goes on
	total int64
}

func (e *excerpt) write(p []byte) {
	e.total += int64(len(p))
	if room := e.limit/2 - len(e.head); room > 0 {
		n := min(room, len(p))
		e.head = append(e.head, p[:n]...)
		p = p[n:]
	}
	size := e.limit - e.limit/2
	if room := size - len(e.tail); room > 0 {
		n := min(room, len(p))
		e.tail = append(e.tail, p[:n]...)
		p = p[n:]
	}
	if len(p) > size {
		p = p[len(p)-size:] // the order in a full ring does not matter
	}
	for len(p) > 0 {
		n := copy(e.tail[e.next:], p)
		e.next = (e.next + n) % size
		p = p[n:]
	}
}

// text is what was kept, and whether something was left out.
func (e *excerpt) text() (string, bool) {
	tail := append(e.tail[e.next:len(e.tail):len(e.tail)], e.tail[:e.next]...)
	if e.total == int64(len(e.head)+len(tail)) {
		return string(e.head) + string(tail), false
	}
	head := e.head[:headEnd(e.head)]
	tail = tail[tailStart(tail):]
	var b bytes.Buffer
	b.Write(head)
	if len(head) > 0 && head[len(head)-1] != '\n' {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "[%d bytes left out]\n", e.total-int64(len(head)+len(tail)))
	b.Write(tail)
	return b.String(), true
}

// headEnd is where to cut a head: behind a line if that costs at most a quarter,
// otherwise behind a rune.
func headEnd(head []byte) int {
	if i := bytes.LastIndexByte(head, '\n') + 1; i > 0 && i >= len(head)-len(head)/4 {
		return i
	}
	return wholeRunes(head)
}

// tailStart is where to cut a tail, likewise.
func tailStart(tail []byte) int {
	if i := bytes.IndexByte(tail, '\n') + 1; i > 0 && i <= len(tail)/4 {
		return i
	}
	for i := range tail {
		if utf8.RuneStart(tail[i]) {
			return i
		}
	}
	return len(tail)
}
