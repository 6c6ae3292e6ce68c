package config

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

const prefix = "REDLINE_"

// others are variables of Redline that are no settings: the mark of commands that
// it runs, and what its tests and their children read.
var others = []string{"REDLINE_COMMAND", "REDLINE_KILLS", "REDLINE_LAWS"}

const ofTests = "REDLINE_TEST_"

// fromEnviron reads the variables that begin with REDLINE_. Empty ones say nothing.
func fromEnviron(environ []string, near Near) (layer, error) {
	found := layer{}
	var problems []error
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, prefix) || value == "" || slices.Contains(others, name) || strings.HasPrefix(name, ofTests) {
			continue
		}
		origin := Origin{Source: Environment, Name: name}
		i := slices.IndexFunc(Keys, func(k Key) bool { return k.Env == name })
		if i < 0 {
			known := names(func(k Key) string { return k.Env })
			problems = append(problems, unknown("environment variable", name, known, near, "redline config --json lists them; unset it"))
			continue
		}
		v, err := Keys[i].kind.fromText(value)
		if err != nil {
			problems = append(problems, &Problem{origin, Keys[i].Name, err})
			continue
		}
		found[Keys[i].Name] = Setting{Keys[i], v, origin}
	}
	slices.SortFunc(problems, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return found, errors.Join(problems...)
}

// NoColor is the variable by which users ask all programs for no colours. It is
// as weak as a default: what is said to Redline itself goes before it
// (https://no-color.org).
const NoColor = "NO_COLOR"

func quiet(environ []string) bool {
	return slices.ContainsFunc(environ, func(entry string) bool {
		value, ok := strings.CutPrefix(entry, NoColor+"=")
		return ok && value != ""
	})
}

// fromFlags reads the flags that were given.
func fromFlags(flags []Flag) (layer, error) {
	found := layer{}
	for _, f := range flags {
		k, ok := keyOf(f.Key)
		if !ok {
			panic("config: the flag " + f.Name + " is for the unknown key " + f.Key)
		}
		var v any
		var err error
		if list, ok := k.kind.(interface{ check([]string) (any, error) }); ok {
			v, err = list.check(f.Values)
		} else {
			v, err = k.kind.fromText(f.Values[len(f.Values)-1])
		}
		origin := Origin{Source: Flags, Name: f.Name}
		if err != nil {
			return nil, &Problem{origin, k.Name, err}
		}
		found[f.Key] = Setting{k, v, origin}
	}
	return found, nil
}
