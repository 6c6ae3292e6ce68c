package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"redline/internal/ledger"
	"redline/tool"
)

// Config is what calls of one request are held to.
type Config struct {
	Mode   Mode
	Rules  Rules         // of Custom
	Review ledger.Review // of the turn that the tools write in
	Limits Limits
	Asker  Asker // nil: nobody can be asked
	Audit  Auditor
	Rate   *Rate // shared by the requests of a session; nil: one of its own

	// Step, if set, returns the calls of the model's answer that have not run yet.
	// Those among them that have to be asked about are asked about together.
	Step func() []tool.Call
	// Grave, if set, hears of calls in which the machine failed (see [Grave]).
	Grave func(error)

	// Plan, if set, hears of a call that may change something before it runs, and says
	// why it must not; "": it may.
	Plan func(ctx context.Context, call tool.Call) (refusal string, err error)

	// Alone says that no agent runs the calls: the limits of calls and time,
	// which it would keep, are kept here.
	Alone bool

	Session, Turn string // for the audit
}

func (c Config) check() error {
	if _, err := ParseMode(string(c.Mode)); err != nil {
		return err
	}
	if _, err := ledger.ParseReview(string(c.Review)); err != nil {
		return err
	}
	if c.Audit == nil {
		return errors.New("tools need an audit log; give one")
	}
	return c.Rules.Check()
}

// Guard returns the tools that the mode offers, wrapped as drawn in the doc of
// this package. What else a tool can stays visible. The guarded set is for one
// request: its actions and its time count from here.
func Guard(set tool.Set, c Config) (tool.Set, error) {
	if err := c.check(); err != nil {
		return tool.Set{}, err
	}
	if err := c.Rules.readable(set); err != nil {
		return tool.Set{}, err
	}
	g := &guard{Config: c, all: set, began: time.Now(), asking: make(chan struct{}, 1), agreed: map[string]agreement{}}
	if g.Rate == nil {
		g.Rate = new(Rate)
	}
	tools := Offer(c.Mode, set).Tools()
	for i, t := range tools {
		tools[i] = tool.Wrap(t, g.audited, g.limited, g.planned, g.permitted, g.run)
	}
	guarded, err := tool.NewSet(tools...)
	if err != nil {
		return tool.Set{}, err
	}
	return guarded.OnRefusal(g.refused), nil
}

// guard holds the calls of one request to a configuration.
type guard struct {
	Config
	all    tool.Set // also those that the mode does not offer
	began  time.Time
	asking chan struct{} // holds one: a person is asked one question at a time

	mu             sync.Mutex
	calls, actions int
	agreed         map[string]agreement // by the id of a call that was asked about with another one
}

// Grave is an error that may be the machine's fault, such as a full disk, so that
// what the request had done before is better taken back.
type Grave interface {
	error
	Grave() bool
}

// trail is what the layers tell each other of one call.
type trail struct {
	arguments json.RawMessage // those that ran; if none did, those of the model
	refused   bool            // by the user, a rule or a limit
	approved  bool
	decision  tool.Decision
	took      time.Duration // by the tool itself
}

type trailKey struct{}

func trailOf(ctx context.Context) *trail { return ctx.Value(trailKey{}).(*trail) }

// limited refuses calls that are too many.
func (g *guard) limited(t tool.Tool) tool.Tool {
	return tool.Around(t, func(ctx context.Context, call tool.Call, update tool.Update) (tool.Result, error) {
		if r, refused := g.enter(t, call); refused {
			trailOf(ctx).refused = true
			return r, nil
		}
		return t.Execute(ctx, call, update)
	})
}

// enter counts a call, and answers it if a limit is reached.
func (g *guard) enter(t tool.Tool, call tool.Call) (tool.Result, bool) {
	l := g.Limits
	g.mu.Lock()
	g.calls++
	if !tool.IsReadOnly(t) {
		g.actions++
	}
	calls, actions := g.calls, g.actions
	g.mu.Unlock()
	switch {
	case g.Alone && l.Wall > 0 && time.Since(g.began) >= l.Wall:
		return reached(call, limitWall, fmt.Sprintf("time limit of %s", l.Wall)), true
	case g.Alone && l.ToolCalls > 0 && calls > l.ToolCalls:
		return reached(call, limitToolCalls, fmt.Sprintf("limit of %d tool calls a job", l.ToolCalls)), true
	case l.Actions > 0 && actions > l.Actions && !tool.IsReadOnly(t):
		return reached(call, limitActions, fmt.Sprintf("limit of %d actions a request", l.Actions)), true
	case tool.IsDestructive(t, call):
		return g.tooFast(call, g.Rate.wait(l.DestructivePerMinute))
	}
	return tool.Result{}, false
}

// reached is the answer to a call that is one too many. It ends the run.
func reached(call tool.Call, limit, words string) tool.Result {
	words = fmt.Sprintf("The %s (%s) is reached.", words, limit)
	told := call.Name + " did not run. " + words + " Sum up what was done and what is left."
	return tool.Result{Output: told, IsError: true, EndRun: words, Details: &tool.Failure{Code: CodeLimit, Message: told}}
}

// tooFast is the answer to a destructive call that has to wait.
func (g *guard) tooFast(call tool.Call, wait time.Duration) (tool.Result, bool) {
	if wait == 0 {
		return tool.Result{}, false
	}
	seconds := (wait + time.Second - 1).Truncate(time.Second)
	told := fmt.Sprintf("%s did not run. The limit of %d files a minute for destructive calls (%s) is reached; such a call may run again in %s. Go on with something else, or sum up what was done and what is left.",
		call.Name, g.Limits.DestructivePerMinute, limitDestructive, seconds)
	return tool.Result{Output: told, IsError: true, Details: &tool.Failure{Code: CodeRateLimited, Message: told}}, true
}

// run runs a call that may run.
func (g *guard) run(t tool.Tool) tool.Tool {
	return tool.Around(t, func(ctx context.Context, call tool.Call, update tool.Update) (tool.Result, error) {
		trail := trailOf(ctx)
		trail.arguments = call.Arguments
		if r, refused := g.takeRate(ctx, t, call); refused {
			trail.refused = true
			return r, nil
		}
		ctx = tool.Unapprove(ctx) // what an outer call was allowed
		if trail.approved {
			ctx = tool.Approve(ctx)
		}
		start := time.Now()
		defer func() { trail.took = time.Since(start) }()
		r, err := t.Execute(ctx, call, update)
		if failed := Grave(nil); g.Grave != nil && errors.As(err, &failed) && failed.Grave() {
			g.Grave(err)
		}
		return r, err
	})
}

// takeRate counts the files of a destructive call. It is looked at again here,
// because others may have run while this one was asked about.
func (g *guard) takeRate(ctx context.Context, t tool.Tool, call tool.Call) (tool.Result, bool) {
	if g.Limits.DestructivePerMinute <= 0 || !tool.IsDestructive(t, call) {
		return tool.Result{}, false
	}
	files, _, _ := touched(ctx, t, call) // one that cannot tell takes one
	return g.tooFast(call, g.Rate.take(g.Limits.DestructivePerMinute, max(1, len(files))))
}

// readable refuses rules that would be missed: a tool that only reads does not say
// what it reads, so a rule with a path cannot be about it alone.
func (r Rules) readable(set tool.Set) error {
	for _, rule := range r {
		if rule.Tool == "" || rule.Path == "" {
			continue
		}
		if t, err := set.Find(rule.Tool); err == nil && tool.IsReadOnly(t) {
			return fmt.Errorf("the rule %q cannot be kept, because %s only reads: leave out the tool to close the path to all, or leave out the path", rule, rule.Tool)
		}
	}
	return nil
}
