package session

import (
	"fmt"

	"redline/tool"
)

// Mode says which calls run, and which are asked about first.
type Mode string

// The modes.
const (
	Autonomous Mode = "autonomous" // all run
	Supervised Mode = "supervised" // destructive and bulk calls ask first
	Restricted Mode = "restricted" // tools that change something are not offered
	Custom     Mode = "custom"     // as rules say
)

// ParseMode reads the name of a mode.
func ParseMode(name string) (Mode, error) {
	switch m := Mode(name); m {
	case Autonomous, Supervised, Restricted, Custom:
		return m, nil
	}
	return "", fmt.Errorf("there is no mode %q; choose autonomous, supervised, restricted or custom", name)
}

// Offer returns the tools that a model is told of: in restricted mode those that
// change nothing, else all.
func Offer(mode Mode, set tool.Set) tool.Set {
	if mode == Restricted {
		return set.Only(tool.IsReadOnly)
	}
	return set
}
