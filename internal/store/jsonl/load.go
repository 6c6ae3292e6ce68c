package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"redline/agent"
)

// Record is a session as its file has it.
type Record struct {
	Metadata
	Path     string
	Messages []agent.Message // by their index; one that could not be read is a Broken
	Problems []Problem       // what could not be read

	// What Resume repaired.
	Torn     string // the file that has the torn end of the last line; "": it was whole
	Answered int    // so many calls without a result got one, at the end of Messages
}

// Broken stands at the index of a message that could not be read, so that the
// others keep theirs. A model does not see it.
type Broken struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// Role is the kind of the message.
func (*Broken) Role() string { return "broken" }

// Read returns the session in a file. It takes no lock and changes nothing: of
// a session that is being written to, it returns what is there.
func (s *Store) Read(path string) (*Record, error) {
	c, err := s.load(path)
	if err != nil {
		return nil, err
	}
	return c.record, nil
}

// contents is a session file that was read.
type contents struct {
	record *Record
	data   []byte
	lines  [][]byte // without their ends
	index  []int    // of the message in each line; -1: none
	whole  int64    // where the last whole line ends
	open   bool     // the last line is whole but for its newline
	head   int      // the line of the metadata, readable or not; -1: none
}

// torn is the rest of the file behind the last whole line.
func (c *contents) torn() []byte { return c.data[c.whole:] }

func (s *Store) load(path string) (*contents, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", path, ErrNone)
	}
	if err != nil {
		return nil, fmt.Errorf("read the session: %w", err)
	}
	return parse(path, data, s.kinds), nil
}

var byteOrderMark = []byte("\xef\xbb\xbf")

func parse(path string, data []byte, kinds agent.Kinds) *contents {
	c := &contents{record: &Record{Path: path}, data: data}
	c.split()
	found := make([]decoded, len(c.lines))
	inParallel(len(c.lines), func(i int) {
		d := &found[i]
		d.kind, d.message, d.err = decodeLine(c.lines[i], kinds)
	})
	c.collect(found)
	if c.whole < int64(len(data)) {
		c.problem(len(c.lines)+1, fmt.Errorf("the line is torn: the last %d bytes of the file", len(c.torn())))
	}
	return c
}

type decoded struct {
	kind    lineKind
	message agent.Message
	err     error
}

// split finds the lines, and where the last whole one ends.
func (c *contents) split() {
	rest := bytes.TrimPrefix(c.data, byteOrderMark)
	c.lines = make([][]byte, 0, bytes.Count(rest, []byte("\n"))+1)
	for {
		line, after, ok := bytes.Cut(rest, []byte("\n"))
		if !ok {
			break
		}
		c.lines = append(c.lines, line)
		rest = after
	}
	c.whole = int64(len(c.data) - len(rest))
	if len(rest) > 0 && (len(bytes.TrimSpace(rest)) == 0 || json.Valid(rest)) {
		c.open = true
		c.lines = append(c.lines, rest)
		c.whole = int64(len(c.data))
	}
}

// collect gives the messages their indexes and finds the metadata.
func (c *contents) collect(found []decoded) {
	c.index = make([]int, len(found))
	c.record.Messages = make([]agent.Message, 0, len(found))
	c.head = -1
	for i, d := range found {
		c.index[i] = -1
		switch {
		case d.kind == lineMetadata && c.head < 0:
			c.head = i
			if err := json.Unmarshal(c.lines[i], &c.record.Metadata); err != nil {
				c.problem(i+1, fmt.Errorf("metadata: %w", err))
			}
		case d.kind == lineMessage && d.err != nil && i == 0:
			c.head = 0 // what else: no message loses its index with it
			c.problem(1, d.err)
		case d.kind == lineMessage:
			c.index[i] = len(c.record.Messages)
			if d.err != nil {
				c.problem(i+1, d.err)
				d.message = agent.Message{Custom: &Broken{Line: i + 1, Reason: d.err.Error()}}
			}
			c.record.Messages = append(c.record.Messages, d.message)
		}
	}
	if c.head < 0 {
		c.problem(0, errors.New("the session has no metadata"))
	}
	c.record.complete()
}

// complete fills in what the name of the file tells as well.
func (r *Record) complete() {
	started, id := parseFileName(r.Path)
	if r.ID == "" {
		r.ID = id
	}
	if r.Started.IsZero() {
		r.Started = started
	}
}

func (c *contents) problem(line int, err error) {
	c.record.Problems = append(c.record.Problems, Problem{Line: line, Err: err})
}

// inParallel calls do for 0 to n-1, on all processors.
func inParallel(n int, do func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
}
