package ledger

import (
	"cmp"
	"io/fs"

	"redline/internal/text"
	"redline/internal/workspace"
)

// Path names a file of the folder.
type Path = workspace.Path

// Kind is what is at a path.
type Kind string

// Nothing at all, a file, a folder or a symbolic link.
const (
	None Kind = ""
	File Kind = "file"
	Dir  Kind = "dir"
	Link Kind = "link"
)

// State is what is at a path at one moment. The content of a file, and the
// target of a link, are known by their hash.
type State struct {
	Kind Kind        `json:"kind,omitempty"`
	Hash text.Hash   `json:"hash,omitzero"`
	Mode fs.FileMode `json:"mode,omitempty"` // permission bits of a file
}

// Exists tells whether there is anything.
func (s State) Exists() bool { return s.Kind != None }

// Effect is what was done to one path. With From, what was there, Before, was
// moved from there to Path, where it is After.
type Effect struct {
	Path   Path  `json:"path"`
	From   *Path `json:"from,omitempty"`
	Before State `json:"before,omitzero"`
	After  State `json:"after,omitzero"`
	// Unattributed: it happened while a command of the agent ran, but somebody
	// else was at work there as well.
	Unattributed bool `json:"unattributed,omitempty"`
}

// origin is where the thing was before.
func (e Effect) origin() Path {
	if e.From != nil {
		return *e.From
	}
	return e.Path
}

// empty tells whether nothing happened.
func (e Effect) empty() bool { return e.From == nil && e.Before == e.After }

// rewrites tells whether content is made or lost, and not only moved or given
// another mode.
func (e Effect) rewrites() bool {
	return e.Before.Kind != e.After.Kind || e.Before.Hash != e.After.Hash
}

// inverse takes e back.
func (e Effect) inverse() Effect {
	inv := Effect{Path: e.origin(), Before: e.After, After: e.Before}
	if e.From != nil {
		from := e.Path
		inv.From = &from
	}
	return inv
}

// Verb is what happened, for people.
func (e Effect) Verb() string {
	switch {
	case e.From != nil:
		return "moved"
	case !e.Before.Exists():
		return "created"
	case !e.After.Exists():
		return "deleted"
	case e.Before.Hash == e.After.Hash && e.Before.Kind == e.After.Kind:
		return "mode changed"
	}
	return "modified"
}

func compareEffects(a, b Effect) int {
	return cmp.Or(a.Path.Compare(b.Path), a.origin().Compare(b.origin()))
}
