package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"redline/internal/wire"
)

// The size of the load: a tenth of what the bench runs.
const (
	loadFolders = 2
	loadJobs    = 20
	loadCalls   = 10 // of each job
	loadReaders = 5  // of each job
)

// TestLoad: jobs at once in several sessions of several folders, all of which write to
// one document of their folder. Every reader hears every event, and no line is lost.
// The server is in this process, so that the race detector sees it.
func TestLoad(t *testing.T) {
	base := t.TempDir()
	model := httptest.NewServer(http.HandlerFunc(keepBoard))
	defer model.Close()
	args := []string{"serve", "--json", "--listen", "127.0.0.1:0", "--state", filepath.Join(base, "state"), "--log-level", "error",
		"--model", "openai/m", "--base-url", model.URL + "/v1", "--api-key", "x"}
	for i := range loadFolders {
		dir := filepath.Join(base, fmt.Sprintf("folder-%d", i))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "board.md"), []byte("# Board\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--folder", dir)
	}
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(base, "config"))
	ctx, stop := context.WithCancel(context.Background())
	said, told := io.Pipe()
	ended := make(chan int)
	go func() { ended <- run(ctx, args, streams{in: strings.NewReader(""), out: told, err: t.Output()}) }()
	defer func() {
		stop()
		if status := <-ended; status != exitDone && status != exitAborted {
			t.Errorf("the server ended with status %d", status)
		}
	}()
	k := &killed{t: t}
	var where struct{ URL, Token string }
	if err := json.NewDecoder(said).Decode(&where); err != nil {
		t.Fatal(err)
	}
	k.url, k.token = strings.TrimRight(where.URL, "/"), where.Token

	var work sync.WaitGroup
	for i := range loadJobs {
		work.Go(func() {
			var session wire.NewSession
			k.post("/api/agent/sessions", map[string]any{"folder": fmt.Sprintf("folder-%d", i%loadFolders), "toolset": "vault", "review": "auto", "mode": "autonomous", "max_iterations": 1000}, &session)
			var job wire.NewJob
			k.post("/api/agent/run", map[string]any{"session_id": session.ID, "instruction": fmt.Sprintf("Write down job-%d", i)}, &job)
			var readers sync.WaitGroup
			for range loadReaders {
				readers.Go(func() {
					if err := allThere(k.stream(job.ID)); err != nil {
						t.Errorf("job %d: %v", i, err)
					}
				})
			}
			readers.Wait()
		})
	}
	work.Wait()

	lines := map[string]int{}
	for i := range loadFolders {
		data, err := os.ReadFile(filepath.Join(base, fmt.Sprintf("folder-%d", i), "board.md"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			lines[strings.TrimSpace(line)]++
		}
	}
	for i := range loadJobs {
		for n := range loadCalls {
			if line := fmt.Sprintf("job-%d.%d", i, n); lines[line] != 1 {
				t.Errorf("the line %q is there %d times", line, lines[line])
			}
		}
	}
}

// stream reads the durable events of a job's stream to its end.
func (k *killed) stream(job string) (events []wire.JobEvent) {
	r, err := http.NewRequest("GET", k.url+"/api/agent/jobs/"+job+"/stream", nil)
	if err != nil {
		k.t.Error(err)
		return nil
	}
	r.Header.Set("Authorization", "Bearer "+k.token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		k.t.Error(err)
		return nil
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		var e wire.JobEvent
		if !ok || json.Unmarshal([]byte(data), &e) != nil || e.Cursor == 0 {
			continue
		}
		events = append(events, e)
	}
	return events
}

// allThere checks that the events of a job are all there, in their order.
func allThere(events []wire.JobEvent) error {
	done := 0
	for i, e := range events {
		if e.Cursor != i+1 {
			return fmt.Errorf("the event with cursor %d is the %dth", e.Cursor, i+1)
		}
		var call struct{ OK bool }
		if e.Type == wire.JobEventCalled && json.Unmarshal(e.Data, &call) == nil && call.OK {
			done++
		}
	}
	if done != loadCalls || events[len(events)-1].Type != wire.JobEventCompleted {
		return fmt.Errorf("of %d events %d tell of a call that was done", len(events), done)
	}
	return nil
}

var boardJob = regexp.MustCompile(`job-\d+`)

// keepBoard is a model: for "job-N" it writes one line after the other to board.md, and
// tries again what was refused.
func keepBoard(w http.ResponseWriter, r *http.Request) {
	var c struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	job, results := "", ""
	for _, m := range c.Messages {
		switch m.Role {
		case "user":
			job = boardJob.FindString(string(m.Content))
		case "tool":
			results += string(m.Content)
		}
	}
	next := 0
	for next < loadCalls && strings.Contains(results, fmt.Sprintf("ok-%s.%d.", job, next)) {
		next++
	}
	if next == loadCalls {
		reply{Content: "Done."}.write(w, len(c.Messages))
		return
	}
	arguments, _ := json.Marshal(map[string]string{"command": fmt.Sprintf("echo %s.%d >> board.md && echo ok-%s.%d.", job, next, job, next)})
	call("bash", string(arguments)).write(w, len(c.Messages))
}
