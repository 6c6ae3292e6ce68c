package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"time"

	"redline/internal/wire"
)

// patience is how long a client waits before it tries again to reach a server that it
// has lost, each time; then it gives up.
var patience = []time.Duration{0, 200 * time.Millisecond, time.Second, 2 * time.Second}

// Follow yields the events of a job behind a cursor, and transient frames, as they
// come, until the job is over or ctx ends. A connection that breaks is made anew: no
// event with a cursor is lost, and none comes twice.
func (c *Client) Follow(ctx context.Context, job string, after int) iter.Seq2[wire.JobEvent, error] {
	return func(yield func(wire.JobEvent, error) bool) {
		for tries := 0; ; tries++ {
			if err := pause(ctx, patience[min(tries, len(patience)-1)]); err != nil {
				yield(wire.JobEvent{}, err)
				return
			}
			before := after
			over, err := c.follow(ctx, job, &after, yield)
			var refused *wire.Error
			switch {
			case over:
				return
			case ctx.Err() != nil:
				err = ctx.Err()
			case errors.As(err, &refused) && refused.Code != wire.CodeClosed:
			case after > before:
				tries = -1 // it works again
				continue
			case tries+1 < len(patience):
				continue
			}
			yield(wire.JobEvent{}, err)
			return
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return ctx.Err()
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// follow is one connection. Over tells that no more is to come, or to be heard.
func (c *Client) follow(ctx context.Context, job string, after *int, yield func(wire.JobEvent, error) bool) (over bool, err error) {
	r, err := c.request(ctx, http.MethodGet, jobPath(job, "/stream"), nil)
	if err != nil {
		return false, err
	}
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Last-Event-ID", strconv.Itoa(*after))
	answer, err := c.http.Do(r)
	if err != nil {
		return false, c.unreachable(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return false, c.refused(answer)
	}
	in := bufio.NewReaderSize(answer.Body, 32<<10)
	for {
		kind, data, err := readEvent(in)
		if err != nil {
			return false, c.unreachable(err)
		}
		var e wire.JobEvent
		switch {
		case kind == wire.FrameEnd:
			return true, nil
		case kind == wire.FrameReload:
			return false, nil // what has a cursor is there still
		case json.Unmarshal(data, &e) != nil:
			return false, fmt.Errorf("the server at %s sent an event that cannot be read", c.address)
		case e.Cursor > 0 && e.Cursor <= *after:
			continue
		case e.Cursor > 0:
			*after = e.Cursor
		}
		if !yield(e, nil) {
			return true, nil
		}
	}
}

// readEvent reads the next event of a stream (SSE): its name and its data. Ids are in
// the data too.
func readEvent(in *bufio.Reader) (kind string, data []byte, err error) {
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return "", nil, err
		}
		line = bytes.TrimRight(line, "\r\n")
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(line) == 0 && kind != "":
			return kind, data, nil
		case len(line) == 0: // behind a comment
			data = nil
		case string(name) == "event":
			kind = string(value)
		case string(name) == "data":
			data = append(data, value...)
		}
	}
}
