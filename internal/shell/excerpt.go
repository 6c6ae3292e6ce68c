package shell

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// WholeRunes is the length of data without a rune that is cut off at its end.
func WholeRunes(data []byte) int {
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

// Harmless is data as valid UTF-8 without NUL: each byte that is neither becomes
// U+FFFD. It is the same however the data was cut into pieces of whole runes.
func Harmless(data []byte) []byte {
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

// Excerpt keeps the head and the tail of a text, each half of the limit.
type Excerpt struct {
	Limit int // bytes

	head  []byte
	tail  []byte // a ring once it is full
	next  int    // where the ring goes on
	total int64
}

// Add goes on with the text. Its pieces are whole runes.
func (e *Excerpt) Add(p []byte) {
	e.total += int64(len(p))
	if room := e.Limit/2 - len(e.head); room > 0 {
		n := min(room, len(p))
		e.head = append(e.head, p[:n]...)
		p = p[n:]
	}
	size := e.Limit - e.Limit/2
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

// Len is how many bytes are kept.
func (e *Excerpt) Len() int { return len(e.head) + len(e.tail) }

// Shrink makes the limit smaller.
func (e *Excerpt) Shrink(limit int) {
	if limit >= e.Limit {
		return
	}
	tail := append(e.tail[e.next:len(e.tail):len(e.tail)], e.tail[:e.next]...)
	if whole := append(e.head[:len(e.head):len(e.head)], tail...); int64(len(whole)) == e.total {
		total := e.total
		*e = Excerpt{Limit: limit}
		e.Add(whole)
		e.total = total
		return
	}
	e.head = e.head[:min(len(e.head), limit/2)]
	e.tail = tail[max(0, len(tail)-(limit-limit/2)):]
	e.Limit, e.next = limit, 0
}

// Text is what was kept, and whether something was left out.
func (e *Excerpt) Text() (string, bool) {
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
	return WholeRunes(head)
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
