package console

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"redline/internal/wire"
)

// longestLine is how long a line of input may be, in bytes. Images come in them.
const longestLine = 64 << 20

// line is a line of input: a command, or what is wrong with it.
type line struct {
	command wire.Command
	wrong   string
}

// readCommands reads lines until the input or ctx ends. The channel is closed at
// the end of input.
func readCommands(ctx context.Context, in io.Reader) <-chan line {
	lines := make(chan line)
	go func() {
		defer close(lines)
		r := bufio.NewReaderSize(in, 64<<10)
		for first := true; ; first = false {
			data, long, err := readLine(r)
			if first {
				data = bytes.TrimPrefix(data, []byte("\ufeff"))
			}
			if l, ok := parseLine(data, long); ok {
				select {
				case lines <- l:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// readLine reads a line without its end. One that is too long is skipped.
func readLine(r *bufio.Reader) (data []byte, long bool, err error) {
	for {
		piece, err := r.ReadSlice('\n')
		if len(data)+len(piece) > longestLine+1 {
			data, long = nil, true
		}
		if !long {
			data = append(data, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(data, "\r\n"), long, err
		}
	}
}

// allowed are the commands, for those who sent something else.
const allowed = `each line is an object with a type: {"type":"message","content":"…"}, {"type":"interrupt"}, ` +
	`{"type":"clarify","answer":"…"}, {"type":"approve","approve":true} or {"type":"decide","all":"accept"}`

// parseLine reads a command; ok is false for a line without anything in it.
func parseLine(data []byte, long bool) (l line, ok bool) {
	switch {
	case long:
		return line{wrong: fmt.Sprintf("a line is longer than %d MB and was skipped", longestLine>>20)}, true
	case len(bytes.TrimSpace(data)) == 0:
		return line{}, false
	case !utf8.Valid(data):
		return line{wrong: "a line is not valid UTF-8 and was skipped"}, true
	}
	if err := json.Unmarshal(data, &l.command); err != nil {
		return line{wrong: fmt.Sprintf("not a command: %s; %s", unreadable(err), allowed)}, true
	}
	switch c := l.command; c.Type {
	case wire.CommandMessage:
		if strings.TrimSpace(c.Content) == "" {
			l.wrong = `a message needs its text: {"type":"message","content":"…"}`
		}
	case wire.CommandInterrupt, wire.CommandClarify, wire.CommandApprove, wire.CommandDecide:
	default:
		l.wrong = fmt.Sprintf("unknown type %q; %s", c.Type, allowed)
	}
	return l, true
}

// unreadable says in words of JSON what is wrong with a line.
func unreadable(err error) string {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Sprintf("%q cannot be a %s", kind.Field, kind.Value)
	case errors.As(err, &kind):
		return "a line cannot be of the kind " + kind.Value
	}
	return "it is not JSON: " + err.Error()
}
