package server_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/internal/server"
	"redline/internal/wire"
)

// scrape is what the metrics show of Redline itself, without remarks.
func scrape(t *testing.T, m *server.Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	var lines []string
	for line := range strings.Lines(w.Body.String()) {
		if strings.HasPrefix(line, "redline_") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// story tells the events of one job after the other.
type story struct {
	m   *server.Metrics
	job *wire.Job
}

func (s *story) tell(kind, data string) {
	s.m.Job(s.job, wire.JobEvent{Cursor: 1, Type: kind, Data: json.RawMessage(data)})
}

func (s *story) use(input, output int, cost float64) {
	s.job.Usage = &wire.Usage{Input: input, Output: output, CostUSD: &cost}
}

func (s *story) end(kind string, status wire.JobStatus, took time.Duration) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ended := began.Add(took)
	s.job.Status, s.job.Started, s.job.Finished = status, &began, &ended
	s.tell(kind, `{}`)
}

// TestMetrics: what happens in jobs is counted, once.
func TestMetrics(t *testing.T) {
	m := server.NewMetrics()
	first := &story{m, &wire.Job{ID: "job_1", Session: "a"}}
	first.tell("job.started", `{}`)
	first.tell("progress", `{"step": 1}`)
	first.use(100, 10, 0.5)
	first.tell("tool.call.completed", `{"tool": "read_file", "ok": true}`)
	first.tell("approval.requested", `{}`)
	first.tell("approval.received", `{"approve": true}`)
	first.tell("tool.call.completed", `{"tool": "read_file", "ok": false}`)
	first.tell("approval.requested", `{}`)
	first.tell("approval.received", `{"approve": false}`)
	first.use(150, 30, 0.75)
	first.tell("progress", `{"step": 2}`)
	first.tell("checkpoint.rollback.completed", `{}`)
	first.end("job.completed", wire.JobCompleted, 3*time.Second)
	first.tell("review.updated", `{}`) // it is undone

	second := &story{m, &wire.Job{ID: "job_2", Session: "b"}}
	second.tell("job.started", `{}`)
	second.end("job.failed", wire.JobFailed, time.Second)

	old := &story{m, &wire.Job{ID: "job_0", Session: "c"}} // of an earlier server
	old.use(9000, 900, 9)
	old.tell("review.updated", `no JSON`)

	stopped := &story{m, &wire.Job{ID: "job_3", Session: "b"}}
	stopped.tell("job.started", `{}`)
	stopped.end("job.interrupted", wire.JobInterrupted, 0)

	m.Client("phone", 7, 3)
	m.Gauge("readers", "Readers of streams.", func() int { return 4 })
	want := `redline_actions_per_conversation_bucket{le="0"} 1
redline_actions_per_conversation_bucket{le="1"} 1
redline_actions_per_conversation_bucket{le="2"} 2
redline_actions_per_conversation_bucket{le="5"} 2
redline_actions_per_conversation_bucket{le="10"} 2
redline_actions_per_conversation_bucket{le="20"} 2
redline_actions_per_conversation_bucket{le="50"} 2
redline_actions_per_conversation_bucket{le="100"} 2
redline_actions_per_conversation_bucket{le="+Inf"} 2
redline_actions_per_conversation_sum 2
redline_actions_per_conversation_count 2
redline_approvals_asked_total 2
redline_approvals_granted_total 1
redline_client_tokens_total{client="phone",direction="input"} 7
redline_client_tokens_total{client="phone",direction="output"} 3
redline_cost_usd_total 0.75
redline_events_total{type="approval.received"} 2
redline_events_total{type="approval.requested"} 2
redline_events_total{type="checkpoint.rollback.completed"} 1
redline_events_total{type="job.completed"} 1
redline_events_total{type="job.failed"} 1
redline_events_total{type="job.interrupted"} 1
redline_events_total{type="job.started"} 3
redline_events_total{type="progress"} 2
redline_events_total{type="review.updated"} 2
redline_events_total{type="tool.call.completed"} 2
redline_job_seconds_bucket{le="0.1"} 0
redline_job_seconds_bucket{le="0.5"} 0
redline_job_seconds_bucket{le="1"} 0
redline_job_seconds_bucket{le="2"} 0
redline_job_seconds_bucket{le="5"} 1
redline_job_seconds_bucket{le="10"} 1
redline_job_seconds_bucket{le="30"} 1
redline_job_seconds_bucket{le="60"} 1
redline_job_seconds_bucket{le="120"} 1
redline_job_seconds_bucket{le="300"} 1
redline_job_seconds_bucket{le="600"} 1
redline_job_seconds_bucket{le="1800"} 1
redline_job_seconds_bucket{le="3600"} 1
redline_job_seconds_bucket{le="+Inf"} 1
redline_job_seconds_sum 3
redline_job_seconds_count 1
redline_jobs_open 1
redline_jobs_total{status="completed"} 1
redline_jobs_total{status="failed"} 1
redline_jobs_total{status="interrupted"} 1
redline_readers 4
redline_steps_total 2
redline_tokens_total{direction="input"} 150
redline_tokens_total{direction="output"} 30
redline_tool_calls_total{result="error",tool="read_file"} 1
redline_tool_calls_total{result="ok",tool="read_file"} 1
redline_undos_total 1
`
	if d := cmp.Diff(want, scrape(t, m)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestInventedTools: names that a model makes up do not fill the memory.
func TestInventedTools(t *testing.T) {
	m := server.NewMetrics()
	s := &story{m, &wire.Job{ID: "job_1", Session: "a"}}
	for i := range 1000 {
		s.tell("tool.call.completed", fmt.Sprintf(`{"tool": "tool %d", "ok": false}`, i))
	}
	s.tell("tool.call.completed", fmt.Sprintf(`{"tool": %q}`, strings.Repeat("x", 100)))
	got := scrape(t, m)
	if n := strings.Count(got, "redline_tool_calls_total{"); n != 201 || !strings.Contains(got, `{result="error",tool="other"} 801`) {
		t.Errorf("%d tools are counted", n)
	}
}

// TestOddNames: whatever a name contains, each number stays on its line.
func TestOddNames(t *testing.T) {
	m := server.NewMetrics()
	s := &story{m, &wire.Job{ID: "job_1", Session: "a"}}
	s.tell("tool.call.completed", `{"tool": "a\"} 9\nredline_b\\", "ok": true}`)
	if got := scrape(t, m); !strings.Contains(got, `redline_tool_calls_total{result="ok",tool="a\"} 9\nredline_b\\"} 1`+"\n") {
		t.Errorf("got %s", got)
	}
}
