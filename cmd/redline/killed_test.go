package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"redline/internal/wire"
)

// TestKilledInEveryState: a server that is killed in each state of a job keeps, when it
// is started again, what its API had told.
func TestKilledInEveryState(t *testing.T) {
	edit := `{"edits": [{"file_path": "a.md", "operation": "replace", "start_line": 1, "end_line": 1, "new_text": "ONE", "rationale": "r"},
		{"file_path": "a.md", "operation": "replace", "start_line": 20, "end_line": 20, "new_text": "TWENTY", "rationale": "r"}]}`
	tests := []struct {
		name    string
		replies []reply         // of the model; behind the last it thinks for ever
		options map[string]any  // of the session
		until   wire.JobStatus  // where the job stands when the server is killed
		before  func(k *killed) // what is done then
		want    wire.JobStatus  // where it stands in the next server
		after   func(k *killed) // what must be possible
		last    wire.JobStatus  // where it ends
	}{
		{
			name: "running", until: wire.JobRunning, want: wire.JobInterrupted,
			after: func(k *killed) {
				k.says(reply{Content: "Here it is."})
				k.post("/api/agent/jobs/"+k.job+"/resume", nil, nil)
			},
			last: wire.JobCompleted,
		},
		{
			name: "queued", until: wire.JobRunning, want: wire.JobInterrupted,
			before: func(k *killed) {
				k.post("/api/agent/run", map[string]any{"session_id": k.session, "instruction": "Do more"}, &k.second)
			},
			after: func(k *killed) {
				if now := k.get(k.second.ID); now.Status != wire.JobQueued {
					k.t.Errorf("the queued job is %s", now.Status)
				}
				k.says(reply{Content: "The second."})
				k.post("/api/agent/jobs/"+k.job+"/cancel", nil, nil)
				k.await(k.second.ID, wire.JobCompleted)
			},
			last: wire.JobCancelled,
		},
		{
			name:    "waiting_for_user",
			replies: []reply{call("clarify_user", `{"question": "Which one?"}`)},
			until:   wire.JobWaitingForUser, want: wire.JobWaitingForUser,
			after: func(k *killed) {
				now := k.get(k.job)
				if now.Question == nil || now.Question.Text != "Which one?" || now.Question.ID != k.asked {
					k.t.Errorf("the question is %+v, and was %s", now.Question, k.asked)
				}
				k.says(reply{Content: "The first, then."})
				k.post("/api/agent/jobs/"+k.job+"/clarify", map[string]any{"question_id": k.asked, "answer": "the first"}, nil)
			},
			last: wire.JobCompleted,
		},
		{
			name:    "awaiting_approval",
			replies: []reply{call("delete_document", `{"path": "a.md"}`)},
			options: map[string]any{"toolset": "documents"},
			until:   wire.JobAwaitingApproval, want: wire.JobInterrupted,
			after: func(k *killed) {
				k.post("/api/agent/jobs/"+k.job+"/cancel", nil, nil)
				if _, err := os.Stat(filepath.Join(k.folder, "a.md")); err != nil {
					k.t.Error(err)
				}
			},
			last: wire.JobCancelled,
		},
		{
			name:    "awaiting_review",
			replies: []reply{call("read_file", `{"file_path": "a.md"}`), call("propose_edits", edit), {Content: "Look at it."}},
			until:   wire.JobAwaitingReview, want: wire.JobAwaitingReview,
			before: func(k *killed) { // one hunk is decided, the other is not
				hunks := k.hunks()
				k.post("/api/agent/sessions/"+k.session+"/decide", map[string]any{"accepted_hunk_ids": hunks[:1], "hold": true}, nil)
			},
			after: func(k *killed) {
				bundle := k.get(k.job).Bundle
				if bundle == nil || len(bundle.Files) != 1 || len(bundle.Files[0].Hunks) != 2 {
					k.t.Fatalf("the changes are %+v", bundle)
				}
				first, second := bundle.Files[0].Hunks[0], bundle.Files[0].Hunks[1]
				if first.Accepted == nil || !*first.Accepted || second.Accepted != nil {
					k.t.Errorf("the decisions are %v and %v", first.Accepted, second.Accepted)
				}
				var reply wire.ApplyReply
				k.post("/api/agent/apply", map[string]any{"session_id": k.session, "job_id": k.job, "accepted_hunk_ids": []string{second.ID}}, &reply)
				if data, _ := os.ReadFile(filepath.Join(k.folder, "a.md")); !strings.HasPrefix(string(data), "one\n") || !strings.HasSuffix(string(data), "TWENTY\n") {
					k.t.Errorf("the file is %q", data)
				}
			},
			last: wire.JobCompleted,
		},
		{name: "completed", replies: []reply{{Content: "Done."}}, until: wire.JobCompleted, want: wire.JobCompleted, last: wire.JobCompleted},
		{name: "failed", replies: []reply{{Status: 400, Content: "no"}}, until: wire.JobFailed, want: wire.JobFailed, last: wire.JobFailed},
		{
			name: "cancelled", until: wire.JobRunning, want: wire.JobCancelled,
			before: func(k *killed) {
				k.post("/api/agent/jobs/"+k.job+"/cancel", nil, nil)
				k.await(k.job, wire.JobCancelled)
			},
			last: wire.JobCancelled,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			k := newKilled(t, test.replies)
			k.serve()
			var session wire.NewSession
			k.post("/api/agent/sessions", test.options, &session)
			k.session = session.ID
			var job wire.NewJob
			k.post("/api/agent/run", map[string]any{"session_id": k.session, "instruction": "Do it", "context_rows": []any{
				map[string]any{"id": "ctx_1", "kind": "pinned", "content": "Be brief."},
			}}, &job)
			k.job = job.ID
			k.await(k.job, test.until)
			if q := k.get(k.job).Question; q != nil {
				k.asked = q.ID
			}
			if test.before != nil {
				test.before(k)
			}
			told := k.events()
			k.kill()

			k.serve()
			now := k.await(k.job, test.want)
			if again := k.events(); len(again) < len(told) || !slices.EqualFunc(told, again[:len(told)], same) {
				t.Errorf("events were told that are gone:\n%v\n%v", told, again)
			}
			var kept wire.Session
			k.ask("GET", "/api/agent/sessions/"+k.session, nil, &kept)
			if len(kept.Context) != 1 || kept.LastJob == "" {
				t.Errorf("the session has the rows %v and the last job %q", kept.Context, kept.LastJob)
			}
			if now.Instruction != "Do it" {
				t.Errorf("the instruction is %q", now.Instruction)
			}
			if test.after != nil {
				test.after(k)
			}
			k.await(k.job, test.last)
		})
	}
}

func same(a, b wire.JobEvent) bool {
	return a.Cursor == b.Cursor && a.Type == b.Type && a.Time.Equal(b.Time) && bytes.Equal(a.Data, b.Data)
}

func call(name, arguments string) reply {
	r := reply{}
	r.Calls = append(r.Calls, struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}{name, json.RawMessage(arguments)})
	return r
}

// killed is a server that is killed and started again.
type killed struct {
	t          *testing.T
	base       string
	folder     string
	model      string
	mu         sync.Mutex
	replies    []reply // that the model has left; without one it thinks
	server     *exec.Cmd
	url, token string
	session    string
	job, asked string
	second     wire.NewJob
}

func newKilled(t *testing.T, replies []reply) *killed {
	k := &killed{t: t, base: t.TempDir(), replies: replies}
	k.folder = filepath.Join(k.base, "folder")
	var lines []string
	for i := range 20 {
		lines = append(lines, fmt.Sprintf("line %d", i+1))
	}
	lines[0] = "one"
	if err := os.Mkdir(k.folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(k.folder, "a.md"), []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	n := 0
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		k.mu.Lock()
		if len(k.replies) == 0 {
			k.mu.Unlock()
			<-r.Context().Done() // it thinks
			return
		}
		defer k.mu.Unlock()
		answer := k.replies[0]
		k.replies = k.replies[1:]
		n++
		answer.write(w, n)
	}))
	t.Cleanup(model.Close)
	k.model = model.URL
	t.Cleanup(func() {
		if k.server != nil {
			k.kill()
		}
	})
	return k
}

// says gives the model something to say.
func (k *killed) says(r reply) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.replies = append(k.replies, r)
}

// serve starts the server, and returns when it listens.
func (k *killed) serve() {
	k.t.Helper()
	k.server = exec.Command("redline", "serve", k.folder, "--json", "--listen", "127.0.0.1:0", "--model", "openai/m", "--base-url", k.model+"/v1", "--api-key", "x")
	k.server.Env = append(os.Environ(), "HOME="+k.base, "XDG_STATE_HOME="+filepath.Join(k.base, "state"), "XDG_CONFIG_HOME="+filepath.Join(k.base, "config"))
	var log bytes.Buffer
	k.server.Stderr = &log
	out, err := k.server.StdoutPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	if err := k.server.Start(); err != nil {
		k.t.Fatal(err)
	}
	var where struct{ URL, Token string }
	if err := json.NewDecoder(out).Decode(&where); err != nil {
		_ = k.server.Process.Kill()
		_ = k.server.Wait()
		k.t.Fatalf("%v\n%s", err, log.Bytes())
	}
	k.url, k.token = strings.TrimRight(where.URL, "/"), where.Token
}

// kill ends the server as a power failure would, but for the system's own memory.
func (k *killed) kill() {
	_ = k.server.Process.Kill()
	_ = k.server.Wait()
	k.server = nil
}

func (k *killed) ask(method, path string, body, out any) {
	k.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		k.t.Fatal(err)
	}
	if body == nil || string(data) == "null" {
		data = []byte("{}")
	}
	var sent io.Reader
	if method != "GET" {
		sent = bytes.NewReader(data)
	}
	r, err := http.NewRequest(method, k.url+path, sent)
	if err != nil {
		k.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+k.token)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		k.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		k.t.Fatal(err)
	}
	if resp.StatusCode >= 300 {
		k.t.Fatalf("%s %s: %s: %s", method, path, resp.Status, answer)
	}
	if out != nil {
		if err := json.Unmarshal(answer, out); err != nil {
			k.t.Fatal(err)
		}
	}
}

func (k *killed) post(path string, body, out any) {
	k.t.Helper()
	k.ask("POST", path, body, out)
}

func (k *killed) get(job string) (j wire.Job) {
	k.t.Helper()
	k.ask("GET", "/api/agent/jobs/"+job, nil, &j)
	return j
}

// await polls a job until it has a status, as a program does that polls.
func (k *killed) await(job string, status wire.JobStatus) wire.Job {
	k.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		j := k.get(job)
		if j.Status == status {
			return j
		}
		if time.Now().After(deadline) {
			k.t.Fatalf("the job is %s, not %s: %+v", j.Status, status, j.Error)
		}
	}
}

func (k *killed) events() []wire.JobEvent {
	k.t.Helper()
	var e wire.JobEvents
	k.ask("GET", "/api/agent/jobs/"+k.job+"/events?cursor=0", nil, &e)
	return e.Events
}

func (k *killed) hunks() (ids []string) {
	k.t.Helper()
	for _, f := range k.get(k.job).Bundle.Files {
		for _, h := range f.Hunks {
			ids = append(ids, h.ID)
		}
	}
	return ids
}
