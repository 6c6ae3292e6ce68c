package staged

import (
	"fmt"
	"slices"
	"strings"

	"redline/internal/shell/command"
	"redline/internal/text"
)

// findDelete is the extra that is no command of its own.
const findDelete = "find -delete"

// Allow is which commands a shell has. The zero Allow is all but the extras, which
// remove something.
type Allow struct {
	only  map[string]bool // nil: the usual ones
	extra map[string]bool
}

// ParseAllow reads a list of commands: "+rm" adds an extra to the usual ones, and
// names without a + are all there is. An empty list is the usual ones.
func ParseAllow(list []string) (Allow, error) {
	var a Allow
	for _, item := range list {
		name, added := strings.CutPrefix(strings.Join(strings.Fields(item), " "), "+")
		if err := known(name); err != nil {
			return a, err
		}
		if added {
			a.extra = with(a.extra, name)
		} else {
			a.only = with(a.only, name)
		}
	}
	if a.only != nil && a.extra != nil {
		return a, fmt.Errorf("shell.allow mixes two ways: with a + before each name these are added to the usual commands, and without they are all there is")
	}
	return a, nil
}

func with(set map[string]bool, name string) map[string]bool {
	if set == nil {
		set = map[string]bool{}
	}
	set[name] = true
	return set
}

// known refuses a name that is no command.
func known(name string) error {
	names := []string{findDelete}
	for _, k := range command.All() {
		names = append(names, k.Name)
	}
	if slices.Contains(names, name) {
		return nil
	}
	if near := text.Nearest(name, names); near != "" {
		return fmt.Errorf("shell.allow names %q, which is no command of this shell; is %q meant?", name, near)
	}
	return fmt.Errorf("shell.allow names %q, which is no command of this shell; docs/shell.md lists them", name)
}

// Has tells whether a command may be used, by name, or the extra "find -delete".
func (a Allow) Has(name string) bool {
	if a.only != nil {
		return a.only[name]
	}
	k := command.Find(name)
	return k != nil && !k.Extra || a.extra[name]
}

// Names are the commands that may be used, in order.
func (a Allow) Names() []string {
	var names []string
	for _, k := range command.All() {
		if a.Has(k.Name) {
			names = append(names, k.Name)
		}
	}
	if a.Has(findDelete) {
		names = append(names, findDelete)
	}
	slices.Sort(names)
	return names
}
