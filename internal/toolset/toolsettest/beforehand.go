package toolsettest

import (
	"context"
	"maps"
	"slices"
	"strings"

	"redline/tool"
)

// beforehand is what a tool says of a call before it runs.
type beforehand struct {
	readOnly, destructive, asks bool
	tells                       bool // it can say what it touches
	touches                     []string
	refused                     error // it cannot, because the call will fail
}

type toucher interface {
	Touches(context.Context, tool.Call) ([]string, error)
}

func (p *player) beforehand(ctx context.Context, call tool.Call) (b beforehand) {
	t, err := p.set.Find(call.Name)
	if err != nil {
		return b
	}
	ready, err := tool.Prepare(t, call)
	if err != nil || ctx.Err() != nil {
		return b
	}
	if a, ok := tool.As[toucher](t); ok { // first, because some find out all by that
		b.tells = true
		b.touches, b.refused = a.Touches(ctx, ready)
	}
	b.readOnly, b.destructive = tool.IsReadOnly(t), tool.IsDestructive(t, ready)
	if a, ok := tool.As[interface{ Asks(tool.Call) bool }](t); ok {
		b.asks = a.Asks(ready)
	}
	return b
}

func (b beforehand) String() string {
	var list []string
	if b.destructive {
		list = append(list, "destructive")
	}
	if b.asks {
		list = append(list, "asks")
	}
	if len(b.touches) > 0 {
		list = append(list, "touches "+strings.Join(b.touches, ", "))
	}
	if list == nil {
		return ""
	}
	return strings.Join(list, "; ") + "\n"
}

// check compares what was said with what came: a refusal is that of the call, a
// tool that only reads has changed nothing, and one that tells what it touches has
// touched nothing else.
func (b beforehand) check(p *player, r tool.Result, before map[string]string) {
	p.t.Helper()
	if b.refused != nil && b.refused.Error() != r.Output {
		p.t.Errorf("call %d: beforehand the tool said %q, but then %q", p.calls, b.refused, r.Output)
	}
	after := folderOf(p.t, p.bench.Dir)
	for _, name := range slices.Sorted(maps.Keys(union(before, after))) {
		was, had := before[name]
		is, has := after[name]
		switch {
		case was == is && had == has:
		case b.readOnly:
			p.t.Errorf("call %d changed %s, though the tool only reads", p.calls, name)
		case b.tells && !slices.ContainsFunc(b.touches, func(t string) bool { return t == "." || name == t || strings.HasPrefix(name, t+"/") }):
			p.t.Errorf("call %d changed %s, which it did not say beforehand", p.calls, name)
		}
	}
}

func union(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}
