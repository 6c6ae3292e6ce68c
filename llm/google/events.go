package google

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"redline/llm"
)

// maxEvent is the size in bytes up to which one event is read. Events hold
// whole calls, so they can be large; without a limit a broken server could fill
// the memory.
const maxEvent = 64 << 20

// events reads server-sent events: lines that end in LF or CRLF, a blank line
// after each event. Only the data counts here; names, ids and comments are
// skipped.
//
// Google breaks the format when a stream fails in the middle: it then writes the
// error as plain JSON over several lines. An event whose first line begins with
// a bracket is therefore taken as it is.
type events struct {
	in    *bufio.Reader
	long  []byte // a line that did not fit into the reader's buffer
	data  []byte
	begun bool // the first line has been read
}

var errTooLarge = &llm.Failure{Class: llm.ClassNetwork, Message: fmt.Sprintf("the answer has an event of more than %d bytes", maxEvent)}

func newEvents(r io.Reader) *events {
	return &events{in: bufio.NewReaderSize(r, 64<<10)}
}

// next returns the data of the next event, valid until the next call. The last
// event need not be followed by a blank line. After it comes io.EOF.
func (s *events) next() ([]byte, error) {
	s.data = s.data[:0]
	first, plain := true, false
	for {
		line, err := s.line()
		switch {
		case err == io.EOF && len(s.data) > 0:
			return s.data, nil
		case err != nil:
			return nil, err
		case len(line) == 0 && len(s.data) > 0:
			return s.data, nil
		case len(line) == 0:
			first, plain = true, false
			continue
		}
		if first {
			first, plain = false, line[0] == '{' || line[0] == '['
		}
		value, ok := line, true
		if !plain {
			value, ok = dataOf(line)
		}
		if !ok {
			continue
		}
		if len(s.data) > 0 {
			s.data = append(s.data, '\n')
		}
		s.data = append(s.data, value...)
		if len(s.data) > maxEvent {
			return nil, errTooLarge
		}
	}
}

// dataOf is the value of a line that holds data.
func dataOf(line []byte) ([]byte, bool) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	if string(name) != "data" {
		return nil, false
	}
	return bytes.TrimPrefix(value, []byte(" ")), true
}

// line returns the next line without its end, valid until the next call. A last
// line without an end counts, unless the reader failed.
func (s *events) line() ([]byte, error) {
	s.long = s.long[:0]
	for {
		piece, err := s.in.ReadSlice('\n')
		if err == nil && len(s.long) == 0 {
			return s.trim(piece), nil
		}
		s.long = append(s.long, piece...)
		switch {
		case len(s.long) > maxEvent+len("data: \r\n"):
			return nil, errTooLarge
		case err == bufio.ErrBufferFull:
		case err == nil, err == io.EOF && len(s.long) > 0:
			return s.trim(s.long), nil
		default:
			return nil, err
		}
	}
}

// trim takes off a line's end and, from the first line, the byte order mark.
func (s *events) trim(line []byte) []byte {
	if !s.begun {
		s.begun = true
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	if !bytes.HasSuffix(line, []byte("\n")) {
		return bytes.TrimSuffix(line, []byte("\r")) // half of the last line's end
	}
	return bytes.TrimSuffix(line[:len(line)-1], []byte("\r"))
}
