package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// The size of the load.
const (
	loadFolders = 20
	loadJobs    = 200
	loadCalls   = 10 // of each job
	loadReaders = 1000
	loadEvents  = 50 // that each reader hears
	loadGets    = 2000
)

// serverRows measure the server as a process, over the loopback: many jobs at once,
// one event to many readers, and the snapshot of a job. The anchor is a server that
// does the least that one can do.
func serverRows(c corpora) []row {
	s := &serving{agents: &agents{corpora: c}}
	s.built = sync.OnceValue(s.build)
	s.anchor = sync.OnceValues(startBareProcess)
	return []row{
		{name: "server: 200 jobs of 10 calls on 20 folders, peak memory", ours: s.load, limit: 300, unit: "MB", runs: 1},
		{name: "server: an event to 1,000 readers, p99", ours: s.broadcast, anchorName: "bare server", anchor: s.bareBroadcast, limit: 2, runs: 3},
		{name: "server: 2,000 snapshots of a job, 12 calls, 20 hunks", ours: s.snapshots, anchorName: "bare JSON handler", anchor: s.bareJSON, limit: 5, runs: 5},
	}
}

// serving is the server at work.
type serving struct {
	*agents
	anchor func() (string, error) // its URL
}

// bareInput is the input of the anchor, which ends with it.
var bareInput io.Closer

func startBareProcess() (string, error) {
	line := me("bare-server")
	cmd := exec.Command(line[0], line[1:]...)
	var err error
	if bareInput, err = cmd.StdinPipe(); err != nil {
		return "", err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	url, err := bufio.NewReader(out).ReadString('\n')
	return strings.TrimSpace(url), err
}

// stopBare ends the anchor, if it was started.
func stopBare() {
	if bareInput != nil {
		bareInput.Close()
	}
}

func serveBare() error {
	b, err := startBare()
	if err != nil {
		return err
	}
	fmt.Println(b.url)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// live is a running server.
type live struct {
	cmd        *exec.Cmd
	URL, Token string
	client     *http.Client
	stop       func() error
}

// start runs the program as a server on folders, with a model.
func (s *serving) start(model, state string, folders []string, flags ...string) (*live, error) {
	if err := s.built(); err != nil {
		return nil, err
	}
	args := []string{"serve", "--json", "--listen", "127.0.0.1:0", "--state", state, "--model", "openai/mock", "--base-url", model, "--api-key", "x"}
	args = append(args, flags...)
	for _, f := range folders {
		args = append(args, "--folder", f)
	}
	cmd := exec.Command(s.binary(), args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + state}
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	l := &live{cmd: cmd, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: loadJobs, DisableCompression: true}}}
	if err := json.NewDecoder(out).Decode(l); err != nil {
		_ = cmd.Process.Kill()
		return nil, fmt.Errorf("redline serve: %w\n%s", errors.Join(err, cmd.Wait()), log.Bytes())
	}
	l.URL = strings.TrimRight(l.URL, "/")
	l.stop = func() error {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("redline serve: %w\n%s", err, log.Bytes())
		}
		return nil
	}
	return l, nil
}

// ask sends a request and reads the answer into out, if it is not nil.
func (l *live) ask(method, path string, body, out any) error {
	resp, err := l.send(method, path, body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, data)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(data, out)
}

func (l *live) send(method, path string, body any) (*http.Response, error) {
	var sent io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		sent = bytes.NewReader(data)
	}
	r, err := http.NewRequest(method, l.URL+path, sent)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+l.Token)
	r.Header.Set("Content-Type", "application/json")
	return l.client.Do(r)
}

// jobEvent is what the bench reads of an event.
type jobEvent struct {
	Cursor int    `json:"cursor"`
	Type   string `json:"type"`
	Data   struct {
		OK     bool   `json:"ok"`
		Output string `json:"output"`
	} `json:"data"`
}

// run starts a job in a session of its own, with the options.
func (l *live) run(options map[string]any, instruction string) (session, job string, err error) {
	var made struct {
		Session string `json:"session_id"`
		Job     string `json:"job_id"`
	}
	if err := l.ask("POST", "/api/agent/sessions", options, &made); err != nil {
		return "", "", err
	}
	err = l.ask("POST", "/api/agent/run", map[string]any{"session_id": made.Session, "instruction": instruction}, &made)
	return made.Session, made.Job, err
}

// await polls a job until it stands somewhere else than running.
func (l *live) await(job string) (status string, err error) {
	for {
		var now struct {
			Status string `json:"status"`
		}
		if err := l.ask("GET", "/api/agent/jobs/"+job, nil, &now); err != nil {
			return "", err
		}
		if now.Status != "queued" && now.Status != "running" {
			return now.Status, nil
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// follow reads the stream of a job to its end.
func (l *live) follow(job string) ([]jobEvent, error) {
	resp, err := l.send("GET", "/api/agent/jobs/"+job+"/stream", nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var events []jobEvent
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	durable := false
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "id: ") {
			durable = true
		}
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if durable {
			var e jobEvent
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				return nil, err
			}
			events = append(events, e)
		}
		durable = false
	}
	return events, lines.Err()
}

// clerk is a model that keeps a board: for "job-N" it writes a line after the other to
// board.md, and tries again what was refused.
type clerk struct{}

var named = regexp.MustCompile(`job-\d+`)

func (clerk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
	job, results, next := "", "", 0
	for _, m := range c.Messages {
		switch m.Role {
		case "user":
			job = named.FindString(string(m.Content))
		case "tool":
			results += string(m.Content)
		}
	}
	for next < loadCalls && strings.Contains(results, fmt.Sprintf("ok-%s.%d.", job, next)) {
		next++
	}
	if next == loadCalls {
		answer(w, map[string]any{"content": "Done."}, "stop")
		return
	}
	askShell(w, fmt.Sprintf("echo %s.%d >> board.md && echo ok-%s.%d.", job, next, job, next))
}

// askShell answers with the call of a command.
func askShell(w http.ResponseWriter, command string) {
	arguments, _ := json.Marshal(map[string]string{"command": command})
	answer(w, map[string]any{"tool_calls": []any{map[string]any{
		"index": 0, "id": fmt.Sprintf("call_%d", time.Now().UnixNano()), "type": "function",
		"function": map[string]any{"name": "bash", "arguments": string(arguments)},
	}}}, "tool_calls")
}

// load runs all jobs at once, each with a reader of its stream, and checks that no
// event and no line is missing.
func (s *serving) load() (time.Duration, error) {
	base, err := os.MkdirTemp("", "redline-load-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(base)
	model, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	answers := &http.Server{Handler: clerk{}}
	go answers.Serve(model)
	defer answers.Close()
	var folders []string
	for i := range loadFolders {
		folders = append(folders, filepath.Join(base, fmt.Sprintf("folder-%02d", i)))
		if err := os.MkdirAll(folders[i], 0o755); err != nil {
			return 0, err
		}
		if err := os.WriteFile(filepath.Join(folders[i], "board.md"), []byte("# Board\n"), 0o644); err != nil {
			return 0, err
		}
	}
	l, err := s.start("http://"+model.Addr().String()+"/v1", filepath.Join(base, "state"), folders)
	if err != nil {
		return 0, err
	}
	before, err := l.goroutines()
	if err == nil {
		err = l.all(folders)
	}
	if err == nil {
		answers.Close() // and the connections to it
		err = l.settled(before)
	}
	if err = errors.Join(err, l.stop()); err != nil {
		return 0, err
	}
	return time.Duration(peakMemory(l.cmd.ProcessState)) * time.Millisecond / 1e6, boards(folders)
}

// all runs the jobs, and reads every stream to its end.
func (l *live) all(folders []string) error {
	var work sync.WaitGroup
	problems := make(chan error, loadJobs)
	for i := range loadJobs {
		work.Go(func() {
			options := map[string]any{"folder": filepath.Base(folders[i%len(folders)]), "toolset": "vault", "review": "auto", "mode": "autonomous", "max_iterations": 1000}
			session, job, err := l.run(options, fmt.Sprintf("Write down job-%d", i))
			if err != nil {
				problems <- err
				return
			}
			events, err := l.follow(job)
			if err == nil {
				err = complete(events)
			}
			if err == nil {
				err = l.ask("POST", "/api/agent/sessions/"+session+"/archive", map[string]any{"archived": true}, nil)
			}
			if err != nil {
				problems <- fmt.Errorf("job %d: %w", i, err)
			}
		})
	}
	work.Wait()
	close(problems)
	var all []error
	for err := range problems {
		all = append(all, err)
	}
	return errors.Join(all...)
}

// complete checks that the events of a job are all there, in their order.
func complete(events []jobEvent) error {
	done := 0
	for i, e := range events {
		if e.Cursor != i+1 {
			return fmt.Errorf("the event with cursor %d is the %dth", e.Cursor, i+1)
		}
		if e.Type == "tool.call.completed" && e.Data.OK {
			done++
		}
	}
	if done != loadCalls {
		return fmt.Errorf("%d calls were told as done, not %d", done, loadCalls)
	}
	if last := events[len(events)-1].Type; last != "job.completed" {
		return fmt.Errorf("the last event is %s", last)
	}
	return nil
}

// boards checks that every line that was written is there, once.
func boards(folders []string) error {
	lines := map[string]int{}
	for _, f := range folders {
		data, err := os.ReadFile(filepath.Join(f, "board.md"))
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(data)) {
			lines[strings.TrimSpace(line)]++
		}
	}
	for i := range loadJobs {
		for n := range loadCalls {
			if line := fmt.Sprintf("job-%d.%d", i, n); lines[line] != 1 {
				return fmt.Errorf("the line %q is there %d times", line, lines[line])
			}
		}
	}
	return nil
}

// goroutines is how many the server has.
func (l *live) goroutines() (n int, err error) {
	resp, err := l.send("GET", "/metrics", nil)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	_, rest, ok := strings.Cut(string(data), "\ngo_goroutines ")
	if !ok {
		return 0, errors.New("/metrics does not tell go_goroutines")
	}
	_, err = fmt.Sscan(rest, &n)
	return n, err
}

// settled waits until the server has no more goroutines than before.
func (l *live) settled(before int) error {
	l.client.CloseIdleConnections()
	now := 0
	for range 100 {
		var err error
		if now, err = l.goroutines(); err != nil {
			return err
		}
		if now <= before+2 { // the connection that asks
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("the server has %d goroutines, and had %d before", now, before)
}

// p99 of durations.
func p99(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)*99/100]
}
