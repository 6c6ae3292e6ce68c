package server

import (
	"encoding/json"
	"hash/maphash"
	"strconv"
	"sync/atomic"
	"time"
	"unsafe"

	"redline/internal/wire"
)

// frames remembers how the newest frames are written, so that one which goes to a
// thousand readers is made once. It needs no lock: two that miss at the same time both
// make it.
type frames struct {
	slots [64]atomic.Pointer[frame]
}

// maxKept is how long a frame may be that is remembered, in bytes. It bounds the
// memory of all: 64 times as much.
const maxKept = 256 << 10

// frame is an event as it is written.
type frame struct {
	of   frameKey
	sse  []byte
	json []byte // a part of sse
}

// frameKey says which event it is: its readers have the same data, not only equal. A
// key holds the data, so that no other can come to lie in its place.
type frameKey struct {
	cursor     int
	job, kind  string
	time       time.Time
	data, line *byte
	size, long int // of the data, of the line
}

var frameSeed = maphash.MakeSeed()

// encode is the event as it is written, which must not be changed.
func (c *frames) encode(e wire.JobEvent) *frame {
	if len(e.Data) == 0 && len(e.Line) == 0 {
		return encode(e)
	}
	key := frameKey{e.Cursor, e.Job, e.Type, e.Time, unsafe.SliceData(e.Data), unsafe.SliceData(e.Line), len(e.Data), len(e.Line)}
	slot := &c.slots[maphash.Comparable(frameSeed, key)%uint64(len(c.slots))]
	if f := slot.Load(); f != nil && f.of == key {
		return f
	}
	f := encode(e)
	if len(f.sse) <= maxKept {
		f.of = key
		slot.Store(f)
	}
	return f
}

// encode writes an event on one line, whatever its data has.
func encode(e wire.JobEvent) *frame {
	body, err := json.Marshal(e)
	if err != nil { // only data that is no JSON can be the cause
		e.Data, e.Line = nil, nil
		body, _ = json.Marshal(e)
	}
	var b []byte
	if e.Cursor > 0 {
		b = append(strconv.AppendInt(append(b, "id: "...), int64(e.Cursor), 10), '\n')
	}
	b = append(append(append(b, "event: "...), e.Type...), "\ndata: "...)
	start := len(b)
	b = append(append(b, body...), "\n\n"...)
	return &frame{sse: b, json: b[start : start+len(body) : start+len(body)]}
}
