package console_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"redline/internal/console"
	"redline/internal/wire"
)

// TestJSON plays conversations over lines. In has the lines; "# await <text>" waits
// until a line of the output has that text, "# idle" until nothing happens any
// more.
func TestJSON(t *testing.T) {
	files, err := filepath.Glob("testdata/json/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(data)
			var got *txtar.Archive
			synctest.Test(t, func(t *testing.T) { got = playJSON(t, a) })
			if *update {
				if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if d := cmp.Diff(string(txtar.Format(a)), string(txtar.Format(got))); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

var timestamp = regexp.MustCompile(`"timestamp":"[^"]*"`)

func playJSON(t *testing.T, a *txtar.Archive) *txtar.Archive {
	t.Helper()
	got := &txtar.Archive{Comment: a.Comment}
	section := map[string]string{}
	for _, f := range a.Files {
		section[f.Name] = string(f.Data)
		switch f.Name {
		case "requests", "script", "in":
			got.Files = append(got.Files, f)
		}
	}
	conv := newConversation(section["script"], parseTurn("review optimistic\nmodified a.md\n@@ h1 text\n+a\n"))
	conv.events = nil // the state at the beginning is not told
	out := &watched{}
	in, feed := io.Pipe()
	go func() {
		for line := range strings.Lines(section["in"]) {
			if text, ok := strings.CutPrefix(line, "# await "); ok {
				out.await(strings.TrimSpace(text))
			} else if line == "# idle\n" {
				synctest.Wait()
			} else if line == "# open\n" { // nothing more comes, and no end
				return
			} else if _, err := io.WriteString(feed, strings.ReplaceAll(line, `\xff`, "\xff")); err != nil {
				return
			}
		}
		_ = feed.Close()
	}()
	var requests []string
	for line := range strings.Lines(section["requests"]) {
		requests = append(requests, strings.TrimSpace(line))
	}
	status, err := console.JSON(t.Context(), conv, requests, in, out)
	_ = in.Close() // what is not read is not wanted
	ended := string(status.State) + "\n"
	if err != nil {
		ended += "error: " + err.Error() + "\n"
	}
	text := out.String()
	for line := range strings.Lines(text) {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
	got.Files = append(got.Files, txtar.File{Name: "out", Data: []byte(timestamp.ReplaceAllString(text, `"timestamp":"…"`))})
	got.Files = append(got.Files, txtar.File{Name: "sent", Data: []byte(joinLines(conv.sent()))})
	got.Files = append(got.Files, txtar.File{Name: "status", Data: []byte(ended)})
	return got
}

// watched is an output in which somebody waits for something.
type watched struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	wake chan struct{}
	from int // what was awaited before lies before it
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(p) == 0 || p[len(p)-1] != '\n' || bytes.Count(p, []byte("\n")) != 1 {
		return 0, errors.New("a write that is not one line")
	}
	w.buf.Write(p)
	if w.wake != nil {
		close(w.wake)
		w.wake = nil
	}
	return len(p), nil
}

func (w *watched) await(text string) {
	for {
		w.mu.Lock()
		if i := strings.Index(w.buf.String()[w.from:], text); i >= 0 {
			w.from += i + len(text)
			w.mu.Unlock()
			return
		}
		if w.wake == nil {
			w.wake = make(chan struct{})
		}
		wake := w.wake
		w.mu.Unlock()
		<-wake
	}
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

// TestJSONClosed: when nobody reads the output any more, the run is interrupted.
func TestJSONClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conv := newConversation("step 1 of 2\nwait", nil)
		in, feed := io.Pipe() // silent, and open
		_, err := console.JSON(t.Context(), conv, []string{"go"}, in, closedAfter(2))
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("error %v, want that of the output", err)
		}
		if s := conv.Status(); s.State != wire.Cancelled || !s.Aborted {
			t.Errorf("the run is %+v, want it cancelled", s)
		}
		_ = feed.Close()
	})
}

// closedAfter is an output that takes so many lines.
func closedAfter(n int) io.Writer {
	return writerFunc(func(p []byte) (int, error) {
		if n--; n < 0 {
			return 0, io.ErrClosedPipe
		}
		return len(p), nil
	})
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestJSONCancelled: a context that ends interrupts the run and is told so to the
// reader, though the input stays open.
func TestJSONCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		conv := newConversation("wait", nil)
		in, feed := io.Pipe()
		var out bytes.Buffer
		go func() {
			synctest.Wait()
			cancel()
		}()
		status, err := console.JSON(ctx, conv, []string{"one", "two"}, in, &out)
		if err != nil || !status.Aborted {
			t.Errorf("status %+v, error %v; want aborted", status, err)
		}
		if !strings.Contains(out.String(), `{"type":"interrupted"}`) {
			t.Errorf("the output does not say that it was interrupted:\n%s", out.String())
		}
		if sent := conv.sent(); len(sent) != 2 {
			t.Errorf("sent %s; want a message and an interrupt", sent)
		}
		_ = feed.Close()
	})
}

// TestJSONLeavesQuestion: a context that ends while a question is open does not
// interrupt the run: the question is for whoever goes on with the session.
func TestJSONLeavesQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		conv := newConversation("ask Which?", nil)
		in, feed := io.Pipe()
		var out bytes.Buffer
		go func() {
			synctest.Wait()
			cancel()
		}()
		status, err := console.JSON(ctx, conv, []string{"one", "two"}, in, &out)
		if err == nil || !strings.Contains(err.Error(), "stays open") || status.State != wire.WaitingForUser {
			t.Errorf("status %+v, error %v; want it waiting", status, err)
		}
		if sent := conv.sent(); len(sent) != 1 {
			t.Errorf("sent %s; want the message alone", sent)
		}
		_ = feed.Close()
		_ = conv.Do(t.Context(), wire.Command{Type: wire.CommandInterrupt}) // ends the run of the test
	})
}

// TestJSONNothingSaid: how a request of an earlier program ended is not how this
// one ends.
func TestJSONNothingSaid(t *testing.T) {
	for _, state := range []wire.State{wire.Failed, wire.Cancelled} {
		conv := newConversation("", nil)
		conv.state(state, "then")
		status, err := console.JSON(t.Context(), conv, nil, strings.NewReader(""), io.Discard)
		if err != nil || status.State != wire.Idle {
			t.Errorf("%s: status %+v, error %v", state, status, err)
		}
	}
}

// TestJSONStuck: a run that does not end when it is interrupted is left.
func TestJSONStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		conv := &stuck{newConversation("wait", nil)}
		cancel()
		_, err := console.JSON(ctx, conv, []string{"one"}, strings.NewReader(""), io.Discard)
		if err == nil || !strings.Contains(err.Error(), "has not ended") {
			t.Errorf("error %v, want that it has not ended", err)
		}
		_ = conv.conversation.Do(t.Context(), wire.Command{Type: wire.CommandInterrupt})
	})
}

// stuck cannot be interrupted.
type stuck struct{ *conversation }

func (s *stuck) Do(ctx context.Context, c wire.Command) error {
	if c.Type == wire.CommandInterrupt {
		return nil
	}
	return s.conversation.Do(ctx, c)
}

// TestJSONLongLines: a long line is read, one over 64 MB is skipped and told.
func TestJSONLongLines(t *testing.T) {
	const long, most = 2 << 20, 64 << 20
	line := func(n int) io.Reader {
		head, tail := `{"type":"message","content":"`, `"}`
		return io.MultiReader(strings.NewReader(head), io.LimitReader(letters{}, int64(n-len(head)-len(tail))), strings.NewReader(tail+"\n"))
	}
	conv := newConversation("message ok", nil)
	var out bytes.Buffer
	in := io.MultiReader(line(long), line(most+1), strings.NewReader(`{"type":"message","content":"short"}`))
	if _, err := console.JSON(t.Context(), conv, nil, in, &out); err != nil {
		t.Fatal(err)
	}
	var lengths []int
	for _, c := range conv.commands {
		lengths = append(lengths, len(c.Content))
	}
	if d := cmp.Diff([]int{long - 31, 5}, lengths); d != "" {
		t.Errorf("messages, by length: -want +got\n%s", d)
	}
	skipped := 0
	for s := bufio.NewScanner(&out); s.Scan(); {
		if strings.Contains(s.Text(), "longer than 64 MB") {
			skipped++
		}
	}
	if skipped != 1 {
		t.Errorf("%d lines say that one was skipped, want 1", skipped)
	}
}

type letters struct{}

var someLetters = bytes.Repeat([]byte("x"), 64<<10)

func (letters) Read(p []byte) (int, error) { return copy(p, someLetters), nil }
