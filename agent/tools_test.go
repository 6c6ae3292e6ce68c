package agent_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"

	"redline/agent"
	"redline/llm"
	"redline/tool"
)

// bench is a set of tools to try an agent with, and what they noticed.
type workbench struct {
	set     tool.Set
	started chan string   // names of tools that began, for slow, deaf and gate
	release chan struct{} // lets deaf and gate end

	mu      sync.Mutex
	written []string
	beside  int // read tools that run now
	most    int // the most that ran at once
}

type speech struct {
	Text string `json:"text" jsonschema:"what to say"`
}

type count struct {
	N int `json:"n" jsonschema:"how many" min:"1" max:"9"`
}

func newWorkbench(t testing.TB) *workbench {
	w := &workbench{started: make(chan string, 100), release: make(chan struct{})}
	info := func(name string) tool.Info { return tool.Info{Name: name, Description: "for tests: " + name} }
	reading := func(name string) tool.Info { i := info(name); i.ReadOnly = true; return i }
	set, err := tool.NewSet(
		tool.Must(tool.New(reading("echo"), func(_ context.Context, a speech, _ tool.Update) (tool.Result, error) {
			return tool.Result{Output: a.Text}, nil
		})),
		tool.Must(tool.New(info("write"), func(_ context.Context, a speech, _ tool.Update) (tool.Result, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.written = append(w.written, a.Text)
			return tool.Result{Output: "written", Details: map[string]string{"text": a.Text}}, nil
		})),
		tool.Must(tool.New(info("fail"), func(context.Context, struct{}, tool.Update) (tool.Result, error) {
			return tool.Result{}, errors.New("no such note: try list")
		})),
		tool.Must(tool.New(info("crash"), func(context.Context, struct{}, tool.Update) (tool.Result, error) {
			panic("boom")
		})),
		tool.Must(tool.New(info("deny"), func(context.Context, struct{}, tool.Update) (tool.Result, error) {
			return tool.Result{Output: "denied", IsError: true, EndRun: "Action cancelled by user."}, nil
		})),
		tool.Must(tool.New(info("count"), func(_ context.Context, a count, update tool.Update) (tool.Result, error) {
			for i := range a.N {
				update(tool.Result{Output: fmt.Sprint(i + 1)})
			}
			return tool.Result{Output: "counted"}, nil
		})),
		tool.Must(tool.New(info("slow"), func(ctx context.Context, _ struct{}, _ tool.Update) (tool.Result, error) {
			w.started <- "slow"
			<-ctx.Done()
			return tool.Result{Output: "half done"}, ctx.Err()
		})),
		tool.Must(tool.New(info("deaf"), func(_ context.Context, _ struct{}, update tool.Update) (tool.Result, error) {
			w.started <- "deaf"
			<-w.release
			update(tool.Result{Output: "nobody must hear this"})
			return tool.Result{Output: "too late"}, nil
		})),
		tool.Must(tool.New(info("gate"), func(_ context.Context, _ struct{}, _ tool.Update) (tool.Result, error) {
			w.started <- "gate"
			<-w.release
			return tool.Result{Output: "through"}, nil
		})),
		tool.Must(tool.New(tool.Info{Name: "tell", Description: "for tests: tell", ReadOnly: true, InOrder: true}, func(_ context.Context, a speech, _ tool.Update) (tool.Result, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.written = append(w.written, a.Text)
			w.most = max(w.most, w.beside+1)
			return tool.Result{Output: "told"}, nil
		})),
		tool.Must(tool.New(reading("meet"), func(ctx context.Context, a speech, _ tool.Update) (tool.Result, error) {
			w.meet(1)
			defer w.meet(-1)
			w.started <- "meet"
			select {
			case <-w.release:
			case <-ctx.Done():
			}
			return tool.Result{Output: a.Text}, nil
		})),
	)
	if err != nil {
		t.Fatal(err)
	}
	w.set = set
	return w
}

func (w *workbench) meet(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.beside += n
	w.most = max(w.most, w.beside)
}

var testModel = llm.Model{ID: "test", Provider: "scripted", API: llm.APIScripted, Local: true, Can: llm.Abilities{Tools: true, Images: true, Temperature: true}}

// turn is one answer of the model in a test.
type turn func(ctx context.Context, req llm.Request, e *llm.Emitter) error

// play is a provider that plays turns, and keeps what it was asked.
type play struct {
	mu    sync.Mutex
	turns []turn
	asked []llm.Request

	sums   []turn // for requests to sum up a conversation; the last is repeated
	summed []llm.Request
}

func (p *play) Stream(ctx context.Context, req llm.Request) seq {
	p.mu.Lock()
	defer p.mu.Unlock()
	if strings.Contains(req.System, "the memory of a conversation") && len(p.sums) > 0 {
		p.summed = append(p.summed, req)
		next := p.sums[0]
		if len(p.sums) > 1 {
			p.sums = p.sums[1:]
		}
		return llm.Emit(ctx, req, func(ctx context.Context, e *llm.Emitter) error { return next(ctx, req, e) })
	}
	p.asked = append(p.asked, req)
	if len(p.turns) == 0 {
		return llm.Emit(ctx, req, func(context.Context, *llm.Emitter) error {
			return &llm.Failure{Class: llm.ClassInvalidRequest, Message: "the play is over"}
		})
	}
	next := p.turns[0]
	p.turns = p.turns[1:]
	return llm.Emit(ctx, req, func(ctx context.Context, e *llm.Emitter) error { return next(ctx, req, e) })
}

// says answers with a text.
func says(text string) turn {
	return func(_ context.Context, _ llm.Request, e *llm.Emitter) error {
		e.Text(0, text)
		e.Usage(llm.Usage{Input: 100, Output: 10})
		e.Stop(llm.StopEnd)
		return nil
	}
}

// calls answers with tool calls: name, arguments, name, arguments…
func calls(pairs ...string) turn {
	return func(_ context.Context, _ llm.Request, e *llm.Emitter) error {
		for i := 0; i < len(pairs); i += 2 {
			e.Call(i, fmt.Sprintf("c%d", i/2+1), pairs[i])
			e.Arguments(i, pairs[i+1])
		}
		e.Usage(llm.Usage{Input: 100, Output: 10})
		e.Stop(llm.StopToolUse)
		return nil
	}
}

// fails answers with a failure.
func fails(class llm.Class, message string) turn {
	return func(_ context.Context, _ llm.Request, e *llm.Emitter) error {
		return &llm.Failure{Class: class, Message: message}
	}
}

// hangs says something and then nothing until it is cancelled.
func hangs(w *workbench) turn {
	return func(ctx context.Context, _ llm.Request, e *llm.Emitter) error {
		e.Text(0, "I was about to")
		w.started <- "model"
		<-ctx.Done()
		return ctx.Err()
	}
}

// newAgent is an agent whose events are checked for their order.
func newAgent(t *testing.T, w *workbench, cfg agent.Config, turns ...turn) (*agent.Agent, *play) {
	p := &play{turns: turns}
	cfg.Provider, cfg.Tools = p, w.set
	if cfg.Model.ID == "" {
		cfg.Model = testModel
	}
	a := agent.New(cfg)
	var o *order
	a.Subscribe(func(e agent.Event) {
		if e.Type == agent.AgentStart {
			o = &order{t: t}
		}
		if o != nil {
			o.hear(e)
		}
	})
	t.Cleanup(func() {
		if o != nil {
			o.finished()
		}
	})
	return a, p
}

type seq = iter.Seq2[llm.Event, error]
