package google

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// all reads every event and the error that ends them, "" for a proper end.
func all(s *events) (list []string, end string) {
	for {
		data, err := s.next()
		switch {
		case err == io.EOF:
			return list, ""
		case err != nil:
			return list, err.Error()
		}
		list = append(list, string(data))
	}
}

func TestEvents(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"one", "data: a\n\n", []string{"a"}},
		{"two", "data: a\n\ndata: b\n\n", []string{"a", "b"}},
		{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"a", "b"}},
		{"mixed ends", "data: a\r\n\ndata: b\n\r\n", []string{"a", "b"}},
		{"no blank line at the end", "data: a\n\ndata: b\n", []string{"a", "b"}},
		{"no line end at the end", "data: a\n\ndata: b", []string{"a", "b"}},
		{"half a line end at the end", "data: a\n\ndata: b\r", []string{"a", "b"}},
		{"several lines", "data: {\ndata: }\n\n", []string{"{\n}"}},
		{"an empty line among them", "data: a\ndata:\ndata: b\n\n", []string{"a\n\nb"}},
		{"only the first space goes", "data:  a \n\n", []string{" a "}},
		{"no space", "data:a\n\n", []string{"a"}},
		{"comments", ": hi\n\n:\ndata: a\n: more\ndata: b\n\n", []string{"a\nb"}},
		{"other fields", "event: x\nid: 1\ndata: a\nretry: 5\nunknown\n\n", []string{"a"}},
		{"no data", "event: x\n\ndata:\n\ndata\n\n", nil},
		{"many blank lines", "\n\n\ndata: a\n\n\n\n", []string{"a"}},
		{"byte order mark", "\ufeffdata: a\n\n", []string{"a"}},
		{"plain JSON after events", "data: a\n\n{\n  \"error\": {\n    \"code\": 1\n  }\n}\n", []string{"a", "{\n  \"error\": {\n    \"code\": 1\n  }\n}"}},
		{"plain list", "[{\n}]\n\ndata: a\n\n", []string{"[{\n}]", "a"}},
		{"plain JSON after an event without data", "event: x\n\n{\n}\n", []string{"{\n}"}},
		{"a bracket inside an event is no JSON", "event: x\n{\ndata: a\n\n", []string{"a"}},
		{"longer than any buffer", "data: " + strings.Repeat("x", 300_000) + "\n\ndata: b\n\n", []string{strings.Repeat("x", 300_000), "b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in)), iotest.DataErrReader(strings.NewReader(tt.in))} {
				got, end := all(newEvents(r))
				if d := cmp.Diff(tt.want, got); d != "" || end != "" {
					t.Errorf("ended with %q (-want +got):\n%s", end, d)
				}
			}
		})
	}
}

// What a broken connection cut off is no event.
func TestEventsBroken(t *testing.T) {
	r := io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(errors.New("reset")))
	got, end := all(newEvents(r))
	if d := cmp.Diff([]string{"a"}, got); d != "" || end != "reset" {
		t.Errorf("ended with %q (-want +got):\n%s", end, d)
	}
}

// endless is a line that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte("x"), len(p))), nil }

func TestEventsTooLarge(t *testing.T) {
	for name, in := range map[string]io.Reader{
		"one line":   io.MultiReader(strings.NewReader("data: "), endless{}),
		"many lines": strings.NewReader(strings.Repeat("data: "+strings.Repeat("x", 1<<20)+"\n", maxEvent>>20+1)),
	} {
		got, end := all(newEvents(in))
		if len(got) != 0 || !strings.Contains(end, "67108864 bytes") {
			t.Errorf("%s: %d events, ended with %q", name, len(got), end)
		}
	}
	whole := "data: " + strings.Repeat("x", maxEvent)
	if got, end := all(newEvents(strings.NewReader(whole + "\r\n\r\n"))); len(got) != 1 || len(got[0]) != maxEvent || end != "" {
		t.Errorf("an event of just the limit: %d events, ended with %q", len(got), end)
	}
}

// FuzzEvents: how the bytes are cut into pieces changes nothing.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{"data: a\n\n", "data: a\r\n\r\ndata: b", ": c\r\ndata:\n{\n}\n\n", "{\n}\r\n\n", "\ufeffdata: x\ndata: y\r"} {
		f.Add([]byte(seed), uint8(3))
	}
	f.Fuzz(func(t *testing.T, in []byte, size uint8) {
		whole, end := all(newEvents(bytes.NewReader(in)))
		for _, r := range []io.Reader{iotest.OneByteReader(bytes.NewReader(in)), &pieces{in, int(size) + 1}} {
			got, gotEnd := all(newEvents(r))
			if d := cmp.Diff(whole, got); d != "" || gotEnd != end {
				t.Errorf("ended with %q, want %q (-whole +pieces):\n%s", gotEnd, end, d)
			}
		}
		for _, data := range whole {
			if data == "" {
				t.Error("an event without data")
			}
		}
	})
}

// pieces is a reader that gives so many bytes at a time.
type pieces struct {
	rest []byte
	size int
}

func (p *pieces) Read(buf []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(buf, p.rest[:min(p.size, len(p.rest))])
	p.rest = p.rest[n:]
	return n, nil
}
