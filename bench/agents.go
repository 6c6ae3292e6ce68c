package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// agentRows measure the whole program as a user starts it: a request to a model
// that answers at once, tool calls, the end. The anchors are a bare client, which
// does nothing but talk and run the calls, and pi, if it is installed.
func agentRows(c corpora) []row {
	a := &agents{corpora: c, model: sync.OnceValues(startModel)}
	a.built = sync.OnceValue(a.build)
	rows := []row{
		{name: "agent: read, a call", ours: a.call(a.redline, "read", c.small, 50), anchorName: "bare client", anchor: a.call(bare, "read", c.small, 50), limit: 2.5},
		{name: "agent: bash in 20,000 files, a call", ours: a.call(a.redline, "bash", c.notes, 10), anchorName: "bare client + 1.5 × git status", anchor: a.bareAndStatus, limit: 1},
		{name: "agent: peak memory, bash in 20,000 files", ours: a.memory(a.redline, "bash", c.notes), limit: 60, unit: "MB"},
	}
	if _, err := exec.LookPath("pi"); err != nil {
		fmt.Fprintln(os.Stderr, "agent: pi is not installed: the rows that compare with it are left out")
		return rows
	}
	return append(rows,
		row{name: "agent: --version", ours: a.version(a.redline), anchorName: "pi", anchor: a.version(pi), limit: 0.05},
		row{name: "agent: first request, 20,000 files", ours: a.first(a.redline, c.notes), anchorName: "pi", anchor: a.first(pi, c.notes), limit: 0.1},
		row{name: "agent: read, a call, and pi", ours: a.call(a.redline, "read", c.small, 50), anchorName: "pi", anchor: a.call(pi, "read", c.small, 50), limit: 0.35},
		row{name: "agent: peak memory, and pi", ours: a.memory(a.redline, "bash", c.notes), anchorName: "pi", anchor: a.memory(pi, "bash", c.notes), limit: 0.4, unit: "MB"},
	)
}

type agents struct {
	corpora
	model func() (*model, error)
	built func() error
}

// agent is how a client is started: its command line, up to the request, and what
// it finds in its home.
type agent func(m *model, home string) ([]string, error)

// build makes the program from the source that the bench belongs to.
func (a *agents) build() error {
	out, err := exec.Command("go", "build", "-o", a.binary(), "./cmd/redline").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("go build ./cmd/redline: %w\n%s", err, out)
	}
	return err
}

func (a *agents) binary() string { return filepath.Join(filepath.Dir(a.notes), "redline") }

func (a *agents) redline(m *model, _ string) ([]string, error) {
	if err := a.built(); err != nil {
		return nil, err
	}
	return []string{a.binary(), "--toolset", "coding", "--yes", "--model", "openai/mock", "--base-url", m.url, "--api-key", "x"}, nil
}

func bare(m *model, _ string) ([]string, error) { return me("bare-client", m.url), nil }

func pi(m *model, home string) ([]string, error) {
	models := map[string]any{"providers": map[string]any{"mock": map[string]any{
		"baseUrl": m.url, "api": "openai-completions", "apiKey": "x",
		"models": []any{map[string]any{"id": "mock", "contextWindow": 1_000_000}},
	}}}
	data, err := json.Marshal(models)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(home, ".pi", "agent")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return []string{"pi", "-p", "--provider", "mock", "--model", "mock"}, os.WriteFile(filepath.Join(dir, "models.json"), data, 0o644)
}

// ran is one run of an agent.
type ran struct {
	began time.Time
	wall  time.Duration
	first time.Duration // to the first request
	peak  int64         // bytes of memory
}

// run gives an agent a request that takes so many calls of a tool. It sees nothing
// of the environment but PATH, so that no key and no configuration comes in.
func (a *agents) run(start agent, tool, dir string, calls int) (ran, error) {
	m, err := a.model()
	if err != nil {
		return ran{}, err
	}
	m.begin(tool, calls)
	r, err := a.start(start, m, dir, "please go")
	if err != nil {
		return r, err
	}
	first, asked := m.end()
	if asked != calls+1 {
		return r, fmt.Errorf("the model was asked %d times, not %d", asked, calls+1)
	}
	r.first = first.Sub(r.began)
	return r, nil
}

// start runs an agent to its end.
func (a *agents) start(start agent, m *model, dir string, args ...string) (ran, error) {
	home := filepath.Join(filepath.Dir(a.notes), "home")
	line, err := start(m, home)
	if err != nil {
		return ran{}, err
	}
	cmd := exec.Command(line[0], append(line[1:], args...)...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TERM=dumb", "LANG=C.UTF-8", "NO_COLOR=1", "PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0"}
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	r := ran{began: time.Now()}
	err = cmd.Run()
	r.wall = time.Since(r.began)
	if err != nil {
		return r, fmt.Errorf("%s: %w\n%s", line[0], err, output.Bytes())
	}
	r.peak = peakMemory(cmd.ProcessState)
	return r, nil
}

// call measures one call of a tool, as the difference of two runs.
func (a *agents) call(start agent, tool, dir string, calls int) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		one, err := a.run(start, tool, dir, 1)
		if err != nil {
			return 0, err
		}
		more, err := a.run(start, tool, dir, 1+calls)
		return (more.wall - one.wall) / time.Duration(calls), err
	}
}

func (a *agents) bareAndStatus() (time.Duration, error) {
	call, err := a.call(bare, "bash", a.notes, 10)()
	if err != nil {
		return 0, err
	}
	status, err := process(git("-C", a.repo, "status", "--porcelain"))()
	return call + status*3/2, err
}

func (a *agents) first(start agent, dir string) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		r, err := a.run(start, "read", dir, 0)
		return r.first, err
	}
}

// memory is in megabytes, where the table has milliseconds.
func (a *agents) memory(start agent, tool, dir string) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		r, err := a.run(start, tool, dir, 20)
		if err == nil && r.peak == 0 {
			err = errors.New("this system does not tell how much memory a process took")
		}
		return time.Duration(r.peak) * time.Millisecond / 1e6, err
	}
}

func (a *agents) version(start agent) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		r, err := a.start(func(m *model, home string) ([]string, error) {
			line, err := start(&model{}, home)
			if err != nil {
				return nil, err
			}
			return line[:1], nil
		}, nil, a.small, "--version")
		return r.wall, err
	}
}
