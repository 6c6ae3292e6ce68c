package jsonl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"unicode"

	"redline/internal/session"
	"redline/llm"
)

const (
	inspectBuffer = 256 << 10
	tailSize      = 64 << 10 // where the model that spoke last is looked for
	titleRunes    = 120
)

// inspect finds out what a list shows of a session file.
func inspect(path string) Info {
	info := Info{Path: path}
	r := Record{Path: path}
	r.complete()
	info.Metadata = r.Metadata
	file, err := os.Open(path)
	if err != nil {
		info.Err = err
		return info
	}
	defer file.Close()
	stat, err := file.Stat()
	if err != nil {
		info.Err = err
		return info
	}
	info.Written, info.Size = stat.ModTime(), stat.Size()
	v := inspector{info: &info, in: bufio.NewReaderSize(file, int(min(inspectBuffer, info.Size+4096)))}
	if err := v.run(); err != nil && info.Err == nil {
		info.Err = err
	}
	if info.Model = lastModel(file, info.Size); info.Model == "" {
		info.Model = info.Metadata.Model()
	}
	return info
}

// inspector goes through a file once. It reads the first line and lines up to
// the first one of a user; the others it only counts.
type inspector struct {
	info      *Info
	in        *bufio.Reader
	described bool
	asked     bool
}

func (v *inspector) run() error {
	for number := 1; ; number++ {
		start, err := v.in.Peek(len(messagePrefix) + 64)
		if len(start) == 0 {
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if number == 1 {
			if bytes.HasPrefix(start, byteOrderMark) {
				v.in.Discard(len(byteOrderMark))
			}
			err = v.first()
		} else {
			err = v.next(start)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case v.info.Size == 0:
		return errors.New("the file is empty")
	case !v.described:
		return errors.New("the session has no metadata")
	}
	return nil
}

// first reads the line that should have the metadata.
func (v *inspector) first() error {
	line, err := v.line()
	if err != nil {
		return err
	}
	var head struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(line, &head) != nil {
		return nil
	}
	switch head.Type {
	case typeMetadata:
		v.described = json.Unmarshal(line, &v.info.Metadata) == nil
	case typeMessage:
		v.info.Messages++
		v.title(line)
	}
	return nil
}

var (
	typePrefix = []byte(`{"type":"`)
	notAsked   = [][]byte{[]byte(`{"role":"assistant"`), []byte(`{"role":"toolResult"`)}
)

// next reads or skips a line whose beginning is start.
func (v *inspector) next(start []byte) error {
	start = bytes.TrimLeft(start, " \t\r")
	if len(start) > 0 && start[0] == '\n' {
		_, err := v.skip()
		return err
	}
	rest, ours := bytes.CutPrefix(start, messagePrefix)
	if !ours && bytes.HasPrefix(start, typePrefix) {
		_, err := v.skip()
		return err
	}
	if v.asked || ours && (bytes.HasPrefix(rest, notAsked[0]) || bytes.HasPrefix(rest, notAsked[1])) {
		whole, err := v.skip()
		if whole {
			v.info.Messages++
		}
		return err
	}
	line, err := v.line()
	if err == nil {
		v.info.Messages++
		v.title(line)
	}
	return err
}

var errTorn = errors.New("the last line is torn; it is repaired when the session is opened")

// line reads a line. A line without an end must be whole in itself.
func (v *inspector) line() ([]byte, error) {
	line, err := v.in.ReadBytes('\n')
	if errors.Is(err, io.EOF) && !json.Valid(line) {
		return nil, errTorn
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return line, err
}

// skip goes behind the end of a line.
func (v *inspector) skip() (whole bool, err error) {
	var last byte
	for {
		piece, err := v.in.ReadSlice('\n')
		if trimmed := bytes.TrimRight(piece, " \t\r\n"); len(trimmed) > 0 {
			last = trimmed[len(trimmed)-1]
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && last != '}' && last != 0:
			return false, errTorn
		case errors.Is(err, io.EOF):
			return true, nil
		default:
			return err == nil, err
		}
	}
}

// title takes the title from the first line that is a user's.
func (v *inspector) title(line []byte) {
	s := &scanner{data: line}
	var role, text string
	s.object(func(name string) {
		if name != "message" {
			s.value()
			return
		}
		s.object(func(name string) {
			switch {
			case name == "role":
				role = s.text()
			case name == "content" && s.peek() == '"':
				text = s.text()
			case name == "content":
				text = llm.Message{Content: s.content()}.Text()
			default:
				s.value()
			}
		})
	})
	if s.failed || role != string(llm.RoleUser) {
		return
	}
	v.asked = true
	v.info.Title = oneLine(session.Requested(text))
}

// oneLine is the beginning of a text, as a title.
func oneLine(text string) string {
	runes := []rune(flat(text))
	if len(runes) > titleRunes {
		return string(runes[:titleRunes-1]) + "…"
	}
	return string(runes)
}

// flat is a text as one line.
func flat(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	return strings.Join(words, " ")
}

// lastModel finds the model that spoke last, if that is near the end.
func lastModel(file io.ReaderAt, size int64) string {
	from := max(0, size-tailSize)
	tail := make([]byte, size-from)
	if n, err := file.ReadAt(tail, from); err != nil && !errors.Is(err, io.EOF) {
		return ""
	} else {
		tail = tail[:n]
	}
	lines := bytes.Split(tail, []byte("\n"))
	for i := len(lines) - 1; i >= 0; i-- {
		kind, m, err := decodeLine(lines[i], nil)
		if err != nil || kind != lineMessage || m.Reply == nil || m.Reply.Model == "" {
			continue
		}
		if m.Reply.Provider == "" {
			return m.Reply.Model
		}
		return m.Reply.Provider + "/" + m.Reply.Model
	}
	return ""
}
