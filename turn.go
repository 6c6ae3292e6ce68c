package redline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"redline/internal/ledger"
	"redline/internal/ops"
	"redline/internal/session"
	"redline/internal/wire"
	"redline/llm"
	"redline/tool"
)

// ToolSession is the session of calls without a conversation.
const ToolSession = "tool"

// TurnOptions say how a turn works. What is left out is as the toolset has it.
type TurnOptions struct {
	Toolset string   // "": documents
	Review  string   // optimistic, hunks, turn, auto
	Mode    string   // autonomous, supervised, restricted, custom
	Rules   []string // of mode custom: "verdict:tool:path", where tool and path may be empty
	Session string   // that the changes belong to
	Message string   // what the user asked for
	Yes     bool     // agree to what the user would be asked about
}

// Turn is one request on a folder: its tools, and what they change.
type Turn struct {
	turn   *ledger.Turn
	review ledger.Review
	set    tool.Set
	ended  string // why the run has ended; "" while it goes on
}

// Begin opens a turn.
func (f *Folder) Begin(ctx context.Context, o TurnOptions) (*Turn, error) {
	kit, c, err := f.settings(o)
	if err != nil {
		return nil, err
	}
	c.Alone, c.Session = true, o.Session
	turn, err := f.ledger.Begin(ctx, ledger.TurnRequest{Session: o.Session, Message: o.Message, Review: c.Review})
	if err != nil {
		return nil, err
	}
	c.Turn = turn.ID()
	desk := ops.New(f.files, turn, ops.Options{Policy: kit.policy().Closing(c.Rules.Closes)})
	set, err := kit.set(f, bench{desk: desk})
	if err == nil {
		set, err = session.Guard(set, c)
	}
	if err != nil {
		_, discardErr := turn.Discard(ctx)
		return nil, errors.Join(err, discardErr)
	}
	return &Turn{turn: turn, review: c.Review, set: set}, nil
}

// settings are the toolset that the options name, and what calls of it are held to.
func (f *Folder) settings(o TurnOptions) (toolset, session.Config, error) {
	name := cmp.Or(o.Toolset, Toolsets[0])
	kit, err := toolsetOf(name)
	if err != nil {
		return kit, session.Config{}, err
	}
	defaults := session.DefaultsFor(name)
	c := session.Config{Mode: defaults.Mode, Review: defaults.Review, Limits: defaults.Limits, Audit: f.ledger}
	err = configure(&c, o)
	return kit, c, err
}

// OptionError is about options that make no sense.
type OptionError struct{ Err error }

func (e *OptionError) Error() string { return e.Err.Error() }
func (e *OptionError) Unwrap() error { return e.Err }

// ErrorCode is the code for front ends.
func (e *OptionError) ErrorCode() string { return wire.CodeInvalid }

// configure takes over what the options say.
func configure(c *session.Config, o TurnOptions) error {
	if err := take(c, o); err != nil {
		return &OptionError{err}
	}
	return nil
}

func take(c *session.Config, o TurnOptions) (err error) {
	if o.Review != "" {
		if c.Review, err = ledger.ParseReview(o.Review); err != nil {
			return err
		}
	}
	if o.Mode != "" {
		if c.Mode, err = session.ParseMode(o.Mode); err != nil {
			return err
		}
	}
	if len(o.Rules) > 0 && c.Mode != session.Custom {
		return errors.New("rules are for mode custom: choose it, or leave out the rules")
	}
	for _, text := range o.Rules {
		parts := strings.SplitN(text, ":", 3)
		if len(parts) != 3 {
			return fmt.Errorf("the rule %q is not of the form verdict:tool:path, such as deny::drafts/**", text)
		}
		c.Rules = append(c.Rules, session.Rule{Verdict: session.Verdict(parts[0]), Tool: parts[1], Path: parts[2]})
	}
	if err := c.Rules.Check(); err != nil {
		return err
	}
	if o.Yes {
		c.Asker = session.Agreeing{}
	}
	return nil
}

// Specs lists what a model is told of the tools of a toolset in a mode.
func Specs(name, mode string) ([]llm.ToolSpec, error) {
	kit, err := toolsetOf(name)
	if err != nil {
		return nil, err
	}
	c := session.Config{Mode: session.DefaultsFor(name).Mode}
	if err := configure(&c, TurnOptions{Mode: mode}); err != nil {
		return nil, err
	}
	set, err := kit.set(&Folder{}, bench{})
	if err != nil {
		return nil, err
	}
	return session.Offer(c.Mode, set).Specs(), nil
}

// ID is the turn's name in the ledger.
func (t *Turn) ID() string { return t.turn.ID() }

// Run runs a call. After one that has ended the run, such as a denied one, no
// other is run.
func (t *Turn) Run(ctx context.Context, call llm.ToolCall) tool.Result {
	if t.ended != "" {
		words := "Not run: an earlier call ended the run (" + t.ended + ")"
		return tool.Result{Output: words, IsError: true, Details: &tool.Failure{Code: tool.Code(ops.TurnOver), Message: words}}
	}
	r := tool.Run(ctx, t.set, call, nil)
	t.ended = r.EndRun
	return r
}

// End closes the turn: what it changed is in force, or waits for a decision. A
// turn that is decided as a whole and was aborted is as if it had never been.
func (t *Turn) End(ctx context.Context, aborted bool) error {
	if aborted && t.review == ledger.WholeTurn {
		_, err := t.turn.Discard(ctx)
		return err
	}
	_, err := t.turn.End(ctx)
	return err
}
