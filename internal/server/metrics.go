package server

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"redline/internal/wire"
)

// Metrics counts what a server does, in the form of Prometheus. What is counted of jobs
// comes from their events: see [Metrics.Job].
type Metrics struct {
	registry registry

	jobs, calls, tokens, events, requests, clients *counter
	steps, cost, asked, granted, undone            *counter
	seconds                                        *histogram

	mu      sync.Mutex
	open    map[string]*counted // by the id of the job
	tools   map[string]bool     // names that have been counted
	actions *actions
}

// counted is a job that is not over, and what has been counted of it.
type counted struct {
	stopped       bool // interrupted: nothing happens to it
	input, output int
	cost          float64
}

// mostTools bounds the names of tools: a model may invent some.
const mostTools = 200

// NewMetrics makes metrics in which nothing is counted yet.
func NewMetrics() *Metrics {
	m := &Metrics{open: map[string]*counted{}, tools: map[string]bool{}, actions: newActions()}
	m.registry.metrics = map[string]metric{}
	vector := func(name, help string, labels ...string) *counter {
		c := &counter{about: about{"redline_" + name, help, "counter"}, labels: labels, counts: map[string]float64{}}
		m.registry.add(c.name, c)
		return c
	}
	single := func(name, help string) *counter {
		c := vector(name, help)
		c.grow(0)
		return c
	}
	m.jobs = vector("jobs_total", "Jobs that have ended, by how: completed, failed, cancelled, interrupted.", "status")
	m.calls = vector("tool_calls_total", "Calls of tools that have ended, by tool and result: ok or error.", "result", "tool")
	m.tokens = vector("tokens_total", "Tokens that jobs have used, by direction: input or output.", "direction")
	m.events = vector("events_total", "Events of jobs that are kept, by type.", "type")
	m.requests = vector("http_requests_total", "Requests by route and status.", "route", "status")
	m.clients = vector("client_tokens_total", "Tokens that clients of the models have used, by client and direction: input or output.", "client", "direction")
	m.steps = single("steps_total", "Answers of models that jobs have begun.")
	m.cost = single("cost_usd_total", "What jobs have cost, as far as prices are known.")
	m.asked = single("approvals_asked_total", "Approvals that users were asked for.")
	m.granted = single("approvals_granted_total", "Approvals that users gave.")
	m.undone = single("undos_total", "Changes that users took back: undo, rollback.")
	bounds := []float64{0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600}
	m.seconds = &histogram{about: about{"redline_job_seconds", "Seconds from the start of a job to its completion.", "histogram"}, bounds: bounds, counts: make([]int, len(bounds)+1)}
	m.registry.add(m.seconds.name, m.seconds)
	m.registry.add(m.actions.name, m.actions)
	m.registry.addRuntime()
	m.Gauge("jobs_open", "Jobs that run or wait.", m.countOpen)
	return m
}

// Handler shows the metrics.
func (m *Metrics) Handler() http.Handler { return &m.registry }

// Gauge adds a number that is asked for when the metrics are shown.
func (m *Metrics) Gauge(name, help string, now func() int) {
	g := &gauge{about{"redline_" + name, help, "gauge"}, func() float64 { return float64(now()) }}
	m.registry.add(g.name, g)
}

func (m *Metrics) countOpen() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, j := range m.open {
		if !j.stopped {
			n++
		}
	}
	return n
}

// detail is what is counted of the data of an event.
type detail struct {
	Tool    string `json:"tool"`
	OK      bool   `json:"ok"`
	Approve bool   `json:"approve"`
}

// Job counts an event that is kept, and what it has changed in its job.
func (m *Metrics) Job(j *wire.Job, e wire.JobEvent) {
	m.events.grow(1, e.Type)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.use(j, e)
	switch e.Type {
	case wire.JobEventStarted:
		m.actions.add(j.Session, 0)
	case wire.JobEventProgress:
		m.steps.grow(1)
	case wire.JobEventCalled:
		d := detailOf(e)
		m.calls.grow(1, result(d.OK), m.tool(d.Tool))
		m.actions.add(j.Session, 1)
	case wire.EventApproval:
		m.asked.grow(1)
	case wire.EventApproved:
		if detailOf(e).Approve {
			m.granted.grow(1)
		}
	case wire.CheckpointRolledBack:
		m.undone.grow(1)
	case wire.JobEventCompleted, wire.JobEventFailed, wire.JobEventCancelled, wire.JobEventStopped:
		m.end(j, e)
	}
}

// use counts what a job has used since its last event. Of one that is not known, what
// it had used before an earlier server has counted.
func (m *Metrics) use(j *wire.Job, e wire.JobEvent) {
	before := m.open[j.ID]
	known := before != nil
	if !known && j.Status.Over() {
		return // such as the undo of what it has done
	}
	if !known {
		before = &counted{}
		m.open[j.ID] = before
	}
	before.stopped = e.Type == wire.JobEventStopped
	if j.Usage == nil {
		return
	}
	if known || e.Type == wire.JobEventStarted {
		m.tokens.grow(float64(max(0, j.Usage.Input-before.input)), "input")
		m.tokens.grow(float64(max(0, j.Usage.Output-before.output)), "output")
	}
	before.input, before.output = j.Usage.Input, j.Usage.Output
	if j.Usage.CostUSD == nil {
		return
	}
	if known || e.Type == wire.JobEventStarted {
		m.cost.grow(max(0, *j.Usage.CostUSD-before.cost))
	}
	before.cost = *j.Usage.CostUSD
}

// end counts a job that nothing happens to any more.
func (m *Metrics) end(j *wire.Job, e wire.JobEvent) {
	m.jobs.grow(1, string(j.Status))
	if e.Type != wire.JobEventStopped {
		delete(m.open, j.ID)
	}
	if e.Type == wire.JobEventCompleted && j.Started != nil && j.Finished != nil {
		m.seconds.observe(j.Finished.Sub(*j.Started).Seconds())
	}
}

func detailOf(e wire.JobEvent) detail {
	var d detail
	_ = json.Unmarshal(e.Data, &d) // what is not there is not counted
	return d
}

func result(ok bool) string {
	if ok {
		return "ok"
	}
	return "error"
}

// tool is the name under which a tool is counted.
func (m *Metrics) tool(name string) string {
	if !m.tools[name] {
		if len(m.tools) >= mostTools || len(name) > 64 {
			return "other"
		}
		m.tools[name] = true
	}
	return name
}

// Client counts what a client of the models has used.
func (m *Metrics) Client(name string, input, output int) {
	m.clients.grow(float64(input), name, "input")
	m.clients.grow(float64(output), name, "output")
}

// request counts a request by the pattern of its route. Undo is no part of a job, and
// so is counted here.
func (m *Metrics) request(route string, status int) {
	m.requests.grow(1, route, strconv.Itoa(status))
	if strings.HasSuffix(route, "/undo") && status == http.StatusOK {
		m.undone.grow(1)
	}
}
