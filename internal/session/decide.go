package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"redline/tool"
)

// permitted runs only what mode, rules and user allow. Arguments that the user
// changed are validated by tool.Permit.
func (g *guard) permitted(t tool.Tool) tool.Tool {
	permit := tool.Permit(func(ctx context.Context, _ tool.Tool, _ tool.Call) (tool.Decision, error) {
		return trailOf(ctx).decision, nil
	})(t)
	return tool.Around(t, func(ctx context.Context, call tool.Call, update tool.Update) (tool.Result, error) {
		trail := trailOf(ctx)
		decision, err := g.decide(ctx, t, call)
		unattended := errors.Is(err, ErrNobody)
		switch {
		case unattended:
			decision = tool.Refuse("it needs the approval of the user, and nobody can be asked; leave it to them, with a terminal or in another mode")
		case err != nil:
			return tool.Result{}, err
		}
		trail.decision, trail.refused = decision, !decision.Allow
		r, err := permit.Execute(ctx, call, update)
		if unattended {
			r.EndRun = Unattended
		}
		return r, err
	})
}

// judgement is what is to be done with a call, before anybody was asked.
type judgement struct {
	verdict  Verdict
	why      Why  // of Ask
	rule     Rule // of Deny, and of Ask if a rule says so; of Ask it may deny some paths, and nobody knows which are meant
	approved bool // of Allow: somebody who may do so has agreed
	files    []string
}

func (g *guard) judge(ctx context.Context, t tool.Tool, call tool.Call) (judgement, error) {
	review := g.Review.Staged()
	switch {
	case g.Mode == Restricted:
		return judgement{verdict: Allow}, nil // it changes nothing, or it would not be here
	case g.Mode == Autonomous, g.Mode == Supervised && review:
		return judgement{verdict: Allow, approved: true}, nil
	}
	files, known, err := touched(ctx, t, call)
	if err != nil {
		return judgement{}, err
	}
	ruling := Ruling{Silent: true}
	switch {
	case g.Mode == Custom && (known || tool.IsReadOnly(t)):
		ruling = g.Rules.Of(call.Name, files...)
	case g.Mode == Custom:
		ruling = g.Rules.OfAny(call.Name)
	}
	j := judgement{verdict: Allow, files: files, approved: review || !ruling.Silent}
	if why := g.supervise(t, call, files); ruling.Silent && why != "" {
		j.verdict, j.why = Ask, why
	}
	if ruling.Verdict.strictness() >= Ask.strictness() && ruling.Verdict.strictness() >= j.verdict.strictness() {
		j.verdict, j.why, j.rule = ruling.Verdict, ByRule, ruling.Rule
	}
	if j.verdict == Ask && review && j.rule.Verdict != Deny {
		j.verdict = Allow // nobody is asked twice
	}
	return j, nil
}

// supervise is the reason why supervised mode asks about a call, or "".
func (g *guard) supervise(t tool.Tool, call tool.Call, files []string) Why {
	switch {
	case tool.IsDestructive(t, call):
		return Destructive
	case g.Limits.Bulk > 0 && len(files) > g.Limits.Bulk:
		return Bulk
	case asks(t, call):
		return Policy
	}
	return ""
}

// decide judges a call and asks the user where that is needed. The user agrees to
// what was shown: a call that would change more files by then is asked about
// again.
func (g *guard) decide(ctx context.Context, t tool.Tool, call tool.Call) (tool.Decision, error) {
	before, agreed := g.agreement(call)
	shown := before.files
	if before.arguments != nil {
		return g.decideChanged(ctx, t, call, before.arguments)
	}
	for {
		j, err := g.judge(ctx, t, call)
		switch {
		case err != nil:
			return tool.Decision{}, err
		case j.verdict == Deny:
			return deny(j.rule), nil
		case j.verdict == Allow || agreed && !moreThan(shown, j.files):
			trailOf(ctx).approved = j.approved || agreed
			return tool.Allow(), nil
		}
		request := j.request(t, call)
		request.With = g.together(ctx, call)
		answer, err := g.ask(ctx, request)
		switch {
		case err != nil:
			return tool.Decision{}, err
		case !answer.Approve:
			return tool.Cancel(), nil
		}
		g.agree(request.With, answer)
		if changed := answer.of(call.ID).Arguments; changed != nil {
			return g.decideChanged(ctx, t, call, changed)
		}
		agreed, shown = true, j.files
	}
}

func (j judgement) request(t tool.Tool, call tool.Call) Request {
	return Request{Call: call, Label: tool.Label(t), Why: j.why, Rule: j.rule, Files: j.files}
}

// together is the other calls of the step that have to be asked about. What is
// wrong with one of them is told when it runs.
func (g *guard) together(ctx context.Context, call tool.Call) []Request {
	if g.Step == nil {
		return nil
	}
	var with []Request
	for _, other := range g.Step() {
		t, err := g.all.Find(other.Name)
		if err != nil || other.ID == call.ID {
			continue
		}
		if other, err = tool.Prepare(t, other); err != nil {
			continue
		}
		if j, err := g.judge(ctx, t, other); err == nil && j.verdict == Ask {
			with = append(with, j.request(t, other))
		}
	}
	return with
}

// agreement is what the user agreed to when a call was asked about with another.
type agreement struct {
	call      tool.Call       // as it was shown
	files     []string        // that were shown
	arguments json.RawMessage // other ones; nil: as they are
}

// agreement finds what was agreed to about a call. Models use the id of a call
// again: another call of that id is not what the user has seen.
func (g *guard) agreement(call tool.Call) (agreement, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	a, ok := g.agreed[call.ID]
	delete(g.agreed, call.ID) // it is for one run of the call
	if !ok || a.call.Name != call.Name || !bytes.Equal(a.call.Arguments, call.Arguments) {
		return agreement{}, false
	}
	return a, true
}

// agree notes that the calls may run.
func (g *guard) agree(with []Request, answer Answer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range with {
		g.agreed[r.Call.ID] = agreement{call: r.Call, files: r.Files, arguments: answer.of(r.Call.ID).Arguments}
	}
}

// decideChanged judges a call whose arguments the user changed. What asks has
// been asked; what a rule denies stays denied.
func (g *guard) decideChanged(ctx context.Context, t tool.Tool, call tool.Call, arguments json.RawMessage) (tool.Decision, error) {
	call.Arguments = arguments
	if changed, err := tool.Prepare(t, call); err == nil { // else tool.Permit says what is wrong
		j, err := g.judge(ctx, t, changed)
		switch {
		case err != nil:
			return tool.Decision{}, err
		case j.verdict == Deny:
			return deny(j.rule), nil
		}
	}
	trailOf(ctx).approved = true
	return tool.AllowWith(arguments), nil
}

func deny(rule Rule) tool.Decision {
	return tool.Refuse("a rule says so (" + rule.String() + "); do not try it again, choose another way")
}

// ask asks the user, one question at a time.
func (g *guard) ask(ctx context.Context, r Request) (Answer, error) {
	if g.Asker == nil {
		return Answer{}, ErrNobody
	}
	select {
	case g.asking <- struct{}{}:
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
	defer func() { <-g.asking }()
	answer, err := g.Asker.Ask(ctx, r)
	if err != nil {
		return Answer{}, fmt.Errorf("%s did not run, because the user could not be asked: %w", r.Call.Name, err)
	}
	return answer, nil
}

// moreThan reports whether now has files that shown has not.
func moreThan(shown, now []string) bool {
	if slices.Equal(shown, now) {
		return false
	}
	known := make(map[string]bool, len(shown))
	for _, f := range shown {
		known[f] = true
	}
	return slices.ContainsFunc(now, func(f string) bool { return !known[f] })
}
