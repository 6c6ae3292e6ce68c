package vault

import (
	"bytes"
	"path"
	"slices"
	"sync"

	"redline/internal/ops"
	"redline/internal/shell/staged"
	"redline/tool"
)

// outcome is what a command did in its copy of the vault.
type outcome struct {
	result  staged.Result
	deeds   []ops.Deed // none if it was cut
	changes int        // of the turn, when it ran
	asks    bool       // the policy wants the user asked about one of the deeds
}

// touches are the paths that would change. A folder is named only if nothing in it
// is; a move names both ends.
func (o *outcome) touches() []string {
	var names []string
	holding := map[string]bool{} // folders in which something is named
	name := func(p string) {
		names = append(names, p)
		for dir := path.Dir(p); dir != "." && !holding[dir]; dir = path.Dir(dir) {
			holding[dir] = true
		}
	}
	for _, d := range o.deeds {
		if folder(d) {
			continue
		}
		name(d.Name)
		if d.From != "" {
			name(d.From)
		}
	}
	for _, d := range o.deeds {
		if folder(d) && !holding[d.Name] {
			name(d.Name)
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(names, func(p string) bool { return holding[p] })
}

// folder tells whether a deed is about a folder alone.
func folder(d ops.Deed) bool {
	dir := string(staged.Dir)
	return (d.Before == dir || d.Before == "") && (d.After == dir || d.After == "")
}

// deletes tells whether a file would be deleted. A folder that goes was empty, or
// what was in it is gone by itself or has moved.
func (o *outcome) deletes() bool {
	return slices.ContainsFunc(o.deeds, func(d ops.Deed) bool { return d.After == "" && d.Before != string(staged.Dir) })
}

// outcomes are those of calls that have not run yet.
type outcomes struct {
	mu   sync.Mutex
	list []pending // the newest last
}

// pending is a call with its outcome.
type pending struct {
	call    tool.Call
	outcome *outcome
}

// mostKept is how many outcomes are kept: the files that they write are in memory.
// What is not kept is found out again.
const mostKept = 4

func same(a, b tool.Call) bool { return a.ID == b.ID && bytes.Equal(a.Arguments, b.Arguments) }

// of is the outcome of a call, if the turn is what it was then; else nil.
func (k *outcomes) of(call tool.Call, changes int) *outcome {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range k.list {
		if same(p.call, call) && p.outcome.changes == changes {
			return p.outcome
		}
	}
	return nil
}

func (k *outcomes) keep(call tool.Call, o *outcome) {
	k.drop(call)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = append(k.list, pending{call, o})
	if over := len(k.list) - mostKept; over > 0 {
		k.list = slices.Delete(k.list, 0, over)
	}
}

// drop forgets what is kept for a call.
func (k *outcomes) drop(call tool.Call) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = slices.DeleteFunc(k.list, func(p pending) bool { return same(p.call, call) })
}
