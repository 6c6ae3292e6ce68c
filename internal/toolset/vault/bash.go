package vault

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"redline/internal/ops"
	"redline/internal/shell/staged"
	"redline/internal/toolset"
	"redline/tool"
)

//go:embed bash.md
var bashText string

type bashArgs struct {
	Command string `json:"command" jsonschema:"the command, or a script of several lines"`
}

type bashDetails struct {
	Command  string `json:"command"`
	ExitCode int    `json:"exitCode"`
	Duration int64  `json:"duration"` // milliseconds

	// What it did to the vault.
	Created []string `json:"created,omitempty"`
	Changed []string `json:"changed,omitempty"`
	Moved   []moved  `json:"moved,omitempty"`
	Deleted []string `json:"deleted,omitempty"`
	// More is how many paths these lists leave out; the ledger has them all.
	More int `json:"more,omitempty"`

	Truncated bool   `json:"truncated,omitempty"`
	Cut       string `json:"cut,omitempty"` // why it was ended, so that nothing was changed
}

type moved struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// bashTool runs commands. What a call would do is found out by running it in a copy
// of the vault, so the outcome is there before the user is asked about it.
type bashTool struct {
	toolset.Contract
	set  *set
	kept *outcomes
}

func (s *set) bash() (tool.Tool, error) {
	b := &bashTool{set: s, kept: new(outcomes)}
	t, err := tool.New(tool.Info{Name: "bash", Label: "Run a command", Description: s.describe(bashText)}, b.run)
	if err != nil {
		return nil, err
	}
	b.Contract = s.contract(t)
	return b, nil
}

// Touches lists what a call would change. It runs the command in a copy of the vault,
// and keeps the outcome for the call.
func (b *bashTool) Touches(ctx context.Context, call tool.Call) ([]string, error) {
	ctx, desk := b.set.desk.At(ctx)
	if o := b.kept.of(call, desk.Changes()); o != nil {
		return o.touches(), nil
	}
	var args bashArgs
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return nil, err
	}
	// To find out what needs the user's agreement needs none.
	o, err := b.try(ops.Approved(ctx), desk, args, nil)
	if err != nil {
		return nil, fail(desk, err)
	}
	if o.result.Aborted {
		return nil, context.Cause(ctx)
	}
	o.asks = slices.ContainsFunc(o.touches(), desk.Asks)
	b.kept.keep(call, o)
	return o.touches(), nil
}

// Destructive tells whether a call deletes something, as far as Touches has found it
// out.
func (b *bashTool) Destructive(call tool.Call) bool {
	_, desk := b.set.desk.At(context.Background())
	o := b.kept.of(call, desk.Changes())
	return o != nil && o.deletes()
}

// Asks tells whether the user has to agree to one of the changes, likewise.
func (b *bashTool) Asks(call tool.Call) bool {
	_, desk := b.set.desk.At(context.Background())
	o := b.kept.of(call, desk.Changes())
	return o != nil && o.asks
}

// Execute runs a call, or takes the outcome that Touches has kept for it.
func (b *bashTool) Execute(ctx context.Context, call tool.Call, update tool.Update) (tool.Result, error) {
	defer b.kept.drop(call)
	_, desk := b.set.desk.At(ctx)
	if o := b.kept.of(call, desk.Changes()); o != nil && (!o.asks || tool.Approved(ctx)) {
		ctx = context.WithValue(ctx, outcomeKey{}, o)
	}
	return b.Contract.Execute(ctx, call, update)
}

// outcomeKey is for the outcome that Execute gives to run.
type outcomeKey struct{}

func (b *bashTool) run(ctx context.Context, a bashArgs, update tool.Update) (tool.Result, error) {
	ctx, desk := b.set.desk.At(ctx)
	o, kept := ctx.Value(outcomeKey{}).(*outcome)
	if !kept {
		var err error
		if o, err = b.try(ctx, desk, a, (&toolset.Screen{Update: update}).Hear); err != nil {
			return tool.Result{}, fail(desk, err)
		}
	}
	var ran ops.Ran
	if len(o.deeds) > 0 {
		var err error
		if ran, err = desk.Enact(ctx, "bash", o.deeds); err != nil {
			return tool.Result{}, fail(desk, unenacted(err))
		}
	}
	return b.result(desk, a, o.result, ran), nil
}

// try runs a command in a copy of the vault.
func (b *bashTool) try(ctx context.Context, desk *ops.Desk, a bashArgs, output func(string, []byte)) (*outcome, error) {
	if strings.TrimSpace(a.Command) == "" {
		return nil, toolset.Refusal(ops.InvalidArgument, "", "the command is empty")
	}
	o := &outcome{changes: desk.Changes()}
	view := desk.View(ctx)
	tree := staged.NewTree(view, desk.Root())
	options := b.set.options
	o.result = staged.Run(ctx, staged.Command{
		Line: a.Command, Tree: tree, Allow: options.Allow.Has, Timeout: options.Timeout, MaxOutput: options.MaxOutput, Output: output,
	})
	if o.result.Cut != "" {
		return o, nil
	}
	effects, err := tree.Effects()
	if err != nil {
		return nil, err
	}
	for _, e := range effects {
		o.deeds = append(o.deeds, ops.Deed{
			Name: e.Name, From: e.From, Before: string(e.Before), After: string(e.After),
			Seen: seen(view, e), Data: e.Data, Written: e.Written, Mode: e.Mode,
		})
	}
	return o, nil
}

// seen is the hash of a file that is gone or has another content: not even rm, which
// does not look at it, takes away what somebody writes there before it takes effect.
func seen(view *ops.View, e staged.Effect) [sha256.Size]byte {
	if e.Seen != [sha256.Size]byte{} || e.From != "" || e.Before != staged.Plain || e.After == staged.Plain && !e.Written {
		return e.Seen
	}
	data, err := view.ReadFile(e.Name)
	if err != nil {
		return e.Seen
	}
	return sha256.Sum256(data)
}

// unenacted is the error of a command whose effects could not become part of the
// turn.
func unenacted(err error) error {
	e := *ops.AsError(err)
	if e.Code == ops.Stale || e.Code == ops.Conflicted {
		e.Message = "the vault has changed while the command ran, so nothing of what it did was kept"
		e.Suggestions = []string{"Run it again."}
		return &e
	}
	e.Message = "nothing of what the command did was kept: " + e.Message
	return &e
}

// result is what the model reads, and the details.
func (b *bashTool) result(desk *ops.Desk, a bashArgs, r staged.Result, ran ops.Ran) tool.Result {
	d := bashDetails{
		Command: a.Command, ExitCode: r.ExitCode, Duration: r.Duration.Milliseconds(),
		Created: ran.Created, Changed: ran.Changed, Deleted: ran.Deleted, Truncated: r.Truncated, Cut: r.Cut,
	}
	for _, list := range []*[]string{&d.Created, &d.Changed, &d.Deleted} {
		d.More += max(0, len(*list)-mostListed)
		*list = (*list)[:min(len(*list), mostListed)]
	}
	d.More += max(0, len(ran.Moved)-mostListed)
	for _, m := range ran.Moved[:min(len(ran.Moved), mostListed)] {
		d.Moved = append(d.Moved, moved(m))
	}
	out := tool.Result{Output: bashOutput(desk, r, ran), Details: d}
	if r.Cut != "" {
		f := failureOf(cut(r))
		out.IsError = true
		out.Output += "\n" + desk.Tell("nothing was changed: "+r.Cut)
		out.Details = struct {
			*failure
			bashDetails
		}{f, d}
	}
	return out
}

// cut is the error of a command that was ended.
func cut(r staged.Result) *ops.Error {
	switch {
	case r.TimedOut:
		return toolset.Refusal(ops.TimedOut, "", "%s", r.Cut)
	case r.Aborted:
		return toolset.Refusal(ops.Aborted, "", "%s", r.Cut)
	}
	e := toolset.Refusal(ops.LimitReached, "", "%s", r.Cut)
	e.Suggestions = []string{ops.FactOf(ops.TimedOut).Suggestion}
	return e
}

// bashOutput is what the model reads: the output of the command, and which files it
// changed. The words that are not the command's own are told.
func bashOutput(desk *ops.Desk, r staged.Result, ran ops.Ran) string {
	if r.Truncated {
		toolset.TellLeftOut(desk, r.Stdout, r.Stderr)
	}
	var renamed []string
	for _, m := range ran.Moved {
		renamed = append(renamed, m.From+" → "+m.To)
	}
	out := r.Text()
	for _, line := range []string{
		toolset.Files("created", ran.Created), toolset.Files("changed", ran.Changed), toolset.Files("moved", renamed), toolset.Files("deleted", ran.Deleted),
	} {
		if line != "" {
			out += "\n" + desk.Tell(line)
		}
	}
	return out
}

// mostListed is how many paths are in a list of the details.
const mostListed = 200
