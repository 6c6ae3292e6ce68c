package ledger

import "slices"

// net adds up what happened, effect by effect, to what differs in the end.
// Effects that follow on each other become one; what was created and deleted
// again, or moved there and back, vanishes.
type net struct {
	at map[Path]Effect // by the path that the thing has now, or had last
}

// netOf is the sum of effects.
func netOf(effects []Effect) []Effect {
	n := net{at: map[Path]Effect{}}
	for _, e := range effects {
		n.add(e)
	}
	return n.effects()
}

func (n *net) effects() []Effect {
	out := make([]Effect, 0, len(n.at))
	for _, e := range n.at {
		if !e.empty() {
			out = append(out, e)
		}
	}
	out = untangle(out)
	slices.SortFunc(out, compareEffects)
	return out
}

// untangle makes plain changes of the moves that need each other's places, such
// as two files that swapped their names: what is left can be done, and undone,
// in any order.
func untangle(effects []Effect) []Effect {
	before, after := map[Path]State{}, map[Path]State{}
	for _, e := range effects {
		if e.Before.Exists() { // what was created where another thing had left was not the first there
			before[e.origin()] = e.Before
		}
		if e.After.Exists() {
			after[e.Path] = e.After
		}
	}
	var out []Effect
	plain := map[Path]bool{}
	for _, e := range effects {
		if e.From == nil {
			continue
		}
		_, taken := before[e.Path]
		_, refilled := after[*e.From]
		if taken || refilled {
			plain[e.Path], plain[*e.From] = true, true
		} else {
			out = append(out, e)
		}
	}
	for _, e := range effects {
		if e.From == nil && !plain[e.Path] {
			out = append(out, e)
		}
	}
	for p := range plain {
		if e := (Effect{Path: p, Before: before[p], After: after[p]}); !e.empty() {
			out = append(out, e)
		}
	}
	return out
}

func (n *net) add(e Effect) {
	switch {
	case e.From != nil:
		n.move(e)
	case !e.After.Exists():
		n.remove(e)
	default:
		n.put(e.Path, e.Before, e.After)
	}
}

// put is a creation or a change at p.
func (n *net) put(p Path, before, after State) {
	if was, ok := n.at[p]; ok {
		was.After = after
		n.at[p] = was
		return
	}
	n.at[p] = Effect{Path: p, Before: before, After: after}
}

func (n *net) remove(e Effect) {
	was, ok := n.at[e.Path]
	if !ok {
		n.at[e.Path] = e
		return
	}
	if was.From == nil {
		was.After = State{}
		n.at[e.Path] = was
		return
	}
	// It had come from elsewhere: there it is missing, and here nothing was.
	delete(n.at, e.Path)
	n.vacate(*was.From, was.Before)
}

// vacate says that what was at p, before, is gone for good. Something else may
// have taken the place meanwhile.
func (n *net) vacate(p Path, before State) {
	now, ok := n.at[p]
	if ok && now.From != nil { // what is there now came by a move: that place is empty too
		from, was := *now.From, now.Before
		now.From = nil
		defer n.vacate(from, was)
	}
	now.Path, now.Before = p, before
	n.at[p] = now
}

func (n *net) move(e Effect) {
	source := *e.From
	was, touched := n.at[source]
	delete(n.at, source)
	switch {
	case !touched:
		was = Effect{Path: e.Path, From: &source, Before: e.Before}
	case was.From != nil: // moved on
	case was.Before.Exists(): // changed, then moved
		was.From = &source
	}
	was.Path, was.After = e.Path, e.After
	if was.From != nil && *was.From == e.Path {
		was.From = nil // back where it was
	}
	if there, ok := n.at[e.Path]; ok && there.Before.Exists() && there.From == nil && !there.After.Exists() {
		// Something else was deleted there before: it is replaced now.
		if was.From != nil {
			n.vacate(*was.From, was.Before)
		}
		was = Effect{Path: e.Path, Before: there.Before, After: e.After}
	}
	n.at[e.Path] = was
}
