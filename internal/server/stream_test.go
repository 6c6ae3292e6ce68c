package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/internal/server"
	"redline/internal/wire"
)

// tape is the engine of one job in one session: what is put on it is told to those who
// follow, as the contract of Streams says.
type tape struct {
	mu      sync.Mutex
	frames  []wire.JobEvent
	newest  int
	status  wire.JobStatus
	stopped bool          // the engine has stopped
	moved   chan struct{} // closed and made anew when something happens
	readers int
	calls   []string
	do      func(wire.Command) error
	cut     int    // the reader is too slow behind so many frames; 0: never
	show    func() // while the session is looked at
}

func newTape() *tape { return &tape{status: wire.JobRunning, moved: make(chan struct{})} }

// put tells a durable event, or a transient frame if its type begins with ~.
func (p *tape) put(kind, data string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := wire.JobEvent{Type: strings.TrimPrefix(kind, "~"), Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Data: json.RawMessage(data)}
	if e.Type == kind {
		p.newest++
		e.Cursor = p.newest
	}
	p.frames = append(p.frames, e)
	p.move()
}

// over ends the job.
func (p *tape) over(s wire.JobStatus) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status = s
	p.move()
}

// stop ends all streams, with the job still on.
func (p *tape) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	p.move()
}

func (p *tape) move() {
	close(p.moved)
	p.moved = make(chan struct{})
}

func (p *tape) note(call string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, call)
}

// said are the calls that were made, in their order.
func (p *tape) said() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.calls...)
}

func (p *tape) following() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.readers
}

func (p *tape) follow(ctx context.Context, at, after int) iter.Seq2[wire.JobEvent, error] {
	return func(yield func(wire.JobEvent, error) bool) {
		p.mu.Lock()
		p.readers++
		p.mu.Unlock()
		defer func() {
			p.mu.Lock()
			p.readers--
			p.mu.Unlock()
		}()
		for {
			p.mu.Lock()
			frames, moved := p.frames, p.moved
			end := p.stopped || p.status.Over() && after >= 0
			p.mu.Unlock()
			for ; at < len(frames); at++ {
				if p.cut > 0 && at == p.cut {
					return
				}
				if e := frames[at]; (e.Cursor == 0 || e.Cursor > after) && !yield(e, nil) {
					return
				}
			}
			if end {
				return
			}
			select {
			case <-moved:
			case <-ctx.Done():
				return
			}
		}
	}
}

func (p *tape) FollowJob(ctx context.Context, _ string, after int) iter.Seq2[wire.JobEvent, error] {
	p.note("follow")
	return p.follow(ctx, 0, after)
}

func (p *tape) FollowSession(ctx context.Context, _ string, lines bool) iter.Seq2[wire.JobEvent, error] {
	p.note(fmt.Sprintf("listen lines=%t", lines))
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.follow(ctx, len(p.frames), -1)
}

func (p *tape) Do(_ context.Context, session string, c wire.Command) error {
	p.note("do " + c.Type + " " + c.Content + c.Answer)
	if p.do != nil {
		return p.do(c)
	}
	return nil
}

func (p *tape) Run(context.Context, wire.RunRequest) (wire.NewJob, error) {
	p.note("run")
	return wire.NewJob{ID: "job_1", Status: wire.JobRunning}, nil
}

func (p *tape) Job(_ context.Context, id string) (wire.Job, error) {
	p.note("job")
	if id != "job_1" {
		return wire.Job{}, wire.Errorf(wire.CodeNotFound, "there is no job %q", id)
	}
	return wire.Job{ID: id, Instruction: "VAULT-TEXT"}, nil
}

func (p *tape) Events(_ context.Context, id string, after, limit int) (wire.JobEvents, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if id != "job_1" {
		return wire.JobEvents{}, wire.Errorf(wire.CodeNotFound, "there is no job %q", id)
	}
	r := wire.JobEvents{Job: id, Status: p.status, Next: min(after, p.newest), Events: []wire.JobEvent{}}
	for _, e := range p.frames {
		if e.Cursor > after && (limit == 0 || len(r.Events) < limit) {
			r.Events, r.Next = append(r.Events, e), e.Cursor
		}
	}
	return r, nil
}

func (p *tape) Create(context.Context, wire.SessionOptions) (wire.NewSession, error) {
	p.note("create")
	return wire.NewSession{ID: "s1"}, nil
}

func (p *tape) Session(_ context.Context, id string) (wire.Session, error) {
	if id != "s1" {
		return wire.Session{}, wire.Errorf(wire.CodeNotFound, "there is no session %q", id)
	}
	if p.show != nil {
		p.show()
	}
	return wire.Session{Same: id, Toolset: "VAULT-TEXT", Now: wire.Status{Session: id, State: wire.Running}}, nil
}

func (p *tape) Sessions(context.Context) ([]wire.SessionInfo, error) {
	p.note("list")
	return []wire.SessionInfo{{ID: "s1", Title: "VAULT-TEXT"}}, nil
}

// parts is the tape as a folder.
func (p *tape) parts() server.Folder {
	return server.Folder{Name: "notes", Sessions: p, Jobs: p, Streams: p}
}

// inMemory serves the tape, without a guard, until the test ends or stop is called.
func inMemory(t *testing.T, p *tape) (s *server.Server, client *http.Client, stop func()) {
	t.Helper()
	s = server.New(server.Options{Folders: []server.Folder{p.parts()}})
	m := server.NewMemory()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, m, nil, nil) }()
	transport := &http.Transport{DialContext: m.Dial}
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("the server ended with %v", err)
		}
		transport.CloseIdleConnections()
	})
	t.Cleanup(stop)
	return s, &http.Client{Transport: transport}, stop
}

const streamPath = "http://memory/api/agent/jobs/job_1/stream"

func get(t *testing.T, c *http.Client, url string, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	response, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

// message reads one message of a stream, without the heartbeats before it.
func message(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	for text := ""; ; {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("the stream ended behind %q: %v", text, err)
		}
		if line != "\n" {
			text += line
		} else if text != ":\n" {
			return text
		} else {
			text = ""
		}
	}
}

// TestJobStream: what is kept has an id, what is not has none, and the stream of a job
// that is over says so.
func TestJobStream(t *testing.T) {
	p := newTape()
	p.put("job.started", `{"status":"running"}`)
	p.put("~message_update", `{"text":"two\nlines and </script>"}`)
	p.put("job.completed", "{\n  \"status\": \"completed\"\n}")
	p.over(wire.JobCompleted)
	_, c, _ := inMemory(t, p)
	response := get(t, c, streamPath)
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	text := string(body)
	if at := strings.LastIndex(text, `"ts":"`); at >= 0 { // of the end, which is now
		text = text[:at] + text[at+len(`"ts":"`)+strings.Index(text[at+len(`"ts":"`):], `"`)+2:]
	}
	want := `:

id: 1
event: job.started
data: {"cursor":1,"type":"job.started","ts":"2026-01-02T03:04:05Z","data":{"status":"running"}}

event: message_update
data: {"type":"message_update","ts":"2026-01-02T03:04:05Z","data":{"text":"two\nlines and \u003c/script\u003e"}}

id: 2
event: job.completed
data: {"cursor":2,"type":"job.completed","ts":"2026-01-02T03:04:05Z","data":{"status":"completed"}}

event: end
data: {"type":"end",` + `"data":{"status":"completed","cursor":2}}

`
	if diff := cmp.Diff(want, text); diff != "" {
		t.Error(diff)
	}
	if h := response.Header; h.Get("Content-Type") != "text/event-stream" || h.Get("X-Accel-Buffering") != "no" {
		t.Errorf("headers %v", h)
	}
}

// TestStreamDeltas: frames that differ in nothing but their data are told apart, by each
// reader.
func TestStreamDeltas(t *testing.T) {
	p := newTape()
	var want strings.Builder
	for i := range 500 {
		text := fmt.Sprintf(`{"text":"%d"}`, i)
		p.put("~message_update", text)
		want.WriteString(text)
	}
	p.over(wire.JobCompleted)
	_, c, _ := inMemory(t, p)
	for range 3 {
		var got strings.Builder
		lines := bufio.NewScanner(get(t, c, streamPath).Body)
		for lines.Scan() {
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			var e wire.JobEvent
			if ok && json.Unmarshal([]byte(data), &e) == nil && e.Type == "message_update" {
				got.Write(e.Data)
			}
		}
		if diff := cmp.Diff(want.String(), got.String()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestStreamResumes(t *testing.T) {
	p := newTape()
	for i := range 5 {
		p.put("progress", fmt.Sprintf(`{"step":%d}`, i+1))
	}
	p.over(wire.JobFailed)
	_, c, _ := inMemory(t, p)
	for _, q := range []struct {
		name, url string
		headers   []string
		status    int
		ids       string
	}{
		{"from the beginning", streamPath, nil, 200, "1 2 3 4 5"},
		{"an empty cursor", streamPath + "?cursor=", nil, 200, "1 2 3 4 5"},
		{"an empty id", streamPath, []string{"Last-Event-ID", ""}, 200, "1 2 3 4 5"},
		{"by the query", streamPath + "?cursor=3", nil, 200, "4 5"},
		{"by the header", streamPath, []string{"Last-Event-ID", "4"}, 200, "5"},
		{"the header is newer", streamPath + "?cursor=1", []string{"Last-Event-ID", "4"}, 200, "5"},
		{"all is known", streamPath, []string{"Last-Event-ID", "5"}, 200, ""},
		{"beyond the end", streamPath, []string{"Last-Event-ID", "9223372036854775807"}, 200, ""},
		{"no number", streamPath, []string{"Last-Event-ID", "abc"}, 400, ""},
		{"too large", streamPath, []string{"Last-Event-ID", "9223372036854775808"}, 400, ""},
		{"negative", streamPath + "?cursor=-1", nil, 400, ""},
		{"signed", streamPath + "?cursor=%2B1", nil, 400, ""},
		{"a fraction", streamPath + "?cursor=1e3", nil, 400, ""},
		{"zero byte", streamPath + "?cursor=%00", nil, 400, ""},
		{"twice", streamPath + "?cursor=1&cursor=2", nil, 400, ""},
		{"two ids", streamPath, []string{"Last-Event-ID", "1", "Last-Event-ID", "2"}, 400, ""},
		{"no such job", "http://memory/api/agent/jobs/job_2/stream", nil, 404, ""},
	} {
		response := get(t, c, q.url, q.headers...)
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != q.status {
			t.Errorf("%s: %d, want %d: %s %v", q.name, response.StatusCode, q.status, body, err)
			continue
		}
		var ids []string
		for line := range strings.Lines(string(body)) {
			if id, ok := strings.CutPrefix(line, "id: "); ok {
				ids = append(ids, strings.TrimSpace(id))
			}
		}
		if got := strings.Join(ids, " "); got != q.ids {
			t.Errorf("%s: the events %s, want %s", q.name, got, q.ids)
		}
		if ended := strings.Contains(string(body), "event: end\n"); ended != (q.status == 200) {
			t.Errorf("%s: %s", q.name, body)
		}
	}
}

func TestStreamHead(t *testing.T) {
	p := newTape()
	_, c, _ := inMemory(t, p)
	response, err := c.Head(streamPath)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != 200 || response.Header.Get("Content-Type") != "text/event-stream" || p.following() != 0 {
		t.Errorf("%d %v, %d follow", response.StatusCode, response.Header, p.following())
	}
}

// TestHeartbeat: a stream on which nothing happens is heard all the same.
func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c, stop := inMemory(t, newTape())
		began := time.Now()
		r := bufio.NewReader(get(t, c, streamPath).Body)
		for beat := range 3 {
			if line, err := r.ReadString('\n'); line != ":\n" || err != nil {
				t.Fatalf("%q %v", line, err)
			}
			_, _ = r.ReadString('\n')
			if got, want := time.Since(began), time.Duration(beat)*15*time.Second; got != want {
				t.Errorf("beat %d after %v, want %v", beat, got, want)
			}
		}
		stop()
	})
}

// TestStreamCutOff: a stream that ends because the engine stops is no end of its job.
func TestStreamCutOff(t *testing.T) {
	p := newTape()
	p.put("job.started", `{}`)
	_, c, _ := inMemory(t, p)
	response := get(t, c, streamPath)
	p.stop()
	body, err := io.ReadAll(response.Body)
	if err != nil || !strings.Contains(string(body), "id: 1\n") || strings.Contains(string(body), "event: end") {
		t.Errorf("%s %v", body, err)
	}
}

// TestSlowStream: neither is one that was too slow for a job that is over by now.
func TestSlowStream(t *testing.T) {
	p := newTape()
	p.cut = 1
	p.put("job.started", `{}`)
	p.put("job.completed", `{}`)
	p.over(wire.JobCompleted)
	_, c, _ := inMemory(t, p)
	body, err := io.ReadAll(get(t, c, streamPath).Body)
	if err != nil || !strings.Contains(string(body), "id: 1\n") || strings.Contains(string(body), "event: end") {
		t.Errorf("%s %v", body, err)
	}
}

// TestCloseEndsStreams: the server stops although a job is on, the stream ends well, and
// none begins any more.
func TestCloseEndsStreams(t *testing.T) {
	p := newTape()
	p.put("job.started", `{}`)
	s, c, _ := inMemory(t, p)
	response := get(t, c, streamPath)
	message(t, bufio.NewReader(response.Body))
	s.Close()
	if rest, err := io.ReadAll(response.Body); err != nil || len(rest) != 0 {
		t.Errorf("%q %v", rest, err)
	}
	if again := get(t, c, streamPath); again.StatusCode != 503 {
		t.Errorf("a stream began: %d", again.StatusCode)
	}
	if p.following() != 0 {
		t.Error("the job is followed by nobody's request")
	}
}

// TestReaderGoes: a reader that leaves leaves nothing behind, and neither does one that
// reads nothing, and both leave the job alone.
func TestReaderGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTape()
		p.put("job.started", `{}`)
		_, c, stop := inMemory(t, p)
		leaver, idler := get(t, c, streamPath), get(t, c, streamPath)
		message(t, bufio.NewReader(leaver.Body))
		synctest.Wait()
		if n := p.following(); n != 2 {
			t.Fatalf("%d follow", n)
		}
		_ = leaver.Body.Close()
		synctest.Wait()
		if n := p.following(); n != 1 {
			t.Errorf("%d follow behind the one that left", n)
		}
		for range 100 { // more than what is between takes
			p.put("progress", `{"text":"`+strings.Repeat("x", 1000)+`"}`)
		}
		began := time.Now()
		for p.following() > 0 && time.Since(began) < time.Minute {
			time.Sleep(time.Second)
		}
		if took := time.Since(began); took > 21*time.Second {
			t.Errorf("the reader that reads nothing was kept for %v", took)
		}
		_ = idler.Body.Close()
		stop()
	})
}

// TestManyStreams: there may be 2,000.
func TestManyStreams(t *testing.T) {
	p := newTape()
	s, c, _ := inMemory(t, p)
	var open []*http.Response
	for range 2000 {
		open = append(open, get(t, c, streamPath))
	}
	refused := get(t, c, streamPath)
	if body, _ := io.ReadAll(refused.Body); refused.StatusCode != 503 || !strings.Contains(string(body), "too_many_streams") {
		t.Errorf("%d %s", refused.StatusCode, body)
	}
	_ = open[0].Body.Close()
	for { // it is noticed by what is read from the connection
		if again := get(t, c, streamPath); again.StatusCode == 200 {
			break
		}
	}
	s.Close()
}
