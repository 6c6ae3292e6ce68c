package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Source is one of those that are heard. Later ones win.
type Source int

const (
	Default Source = iota
	HomeFile
	FolderFile
	Environment
	Flags
)

// Origin is where a value comes from.
type Origin struct {
	Source Source
	Name   string // of the file, variable, flag, or the toolset whose default it is
	Line   int    // of a file, from 1
}

func (o Origin) String() string {
	switch {
	case o.Source == Default && o.Name == "":
		return "default"
	case o.Source == Default && o.Name != NoColor:
		return "default of " + o.Name
	case o.Line > 0:
		return fmt.Sprintf("%s:%d", o.Name, o.Line)
	}
	return o.Name
}

// Setting is the value of a key and where it comes from.
type Setting struct {
	Key    Key
	Value  any // nil: it is not set
	Origin Origin
}

// Problem is what is wrong with a value, and where it is.
type Problem struct {
	Origin Origin
	Key    string // "": of no one key
	Err    error
}

func (p *Problem) Error() string {
	switch {
	case p.Key == "":
		return p.Origin.String() + ": " + p.Err.Error()
	case p.Origin.Line > 0:
		return p.Origin.String() + ": " + p.Key + " " + p.Err.Error()
	}
	return p.Origin.String() + " " + p.Err.Error()
}

func (p *Problem) Unwrap() error { return p.Err }

// Flag is a flag that was given. Those of a list have several values.
type Flag struct {
	Name   string // as it is written, such as --model
	Key    string
	Values []string
}

// Near returns the one of names that a name was probably meant to be, or "".
type Near func(name string, names []string) string

// Sources are what is heard.
type Sources struct {
	Home     *File    // nil: there is none
	Folder   *File    // nil: there is none
	Environ  []string // as of os.Environ
	Flags    []Flag
	Defaults func(toolset string) map[string]any // of all keys that have one; of toolset itself if it is ""
	Near     Near
}

// Ignored is what the folder's file wants in vain.
type Ignored struct {
	Setting
	Why   string
	Never bool // trust does not change that
}

// Config is what all sources together say.
type Config struct {
	Ignored []Ignored

	said map[string][]Setting // by key, in the order of the sources
}

// Load hears the sources. The error has all that is wrong with them.
func Load(s Sources) (*Config, error) {
	var layers []layer
	var problems []error
	hear := func(l layer, err error) {
		layers, problems = append(layers, l), append(problems, err)
	}
	if s.Home != nil {
		hear(s.Home.layer(HomeFile, s.Near))
	}
	folder := -1
	if s.Folder != nil {
		folder = len(layers)
		hear(s.Folder.layer(FolderFile, s.Near))
	}
	hear(fromEnviron(s.Environ, s.Near))
	hear(fromFlags(s.Flags))
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	c := &Config{said: map[string][]Setting{}}
	c.defaults(s, layers)
	for i, l := range layers {
		if i == folder {
			l = c.harmless(l, s.Folder.Trusted)
		}
		c.add(l)
	}
	return c, c.check()
}

// defaults adds those of the toolset that the layers will come to.
func (c *Config) defaults(s Sources, layers []layer) {
	k, _ := keyOf("toolset")
	toolset := Setting{k, s.Defaults("")["toolset"], Origin{}}
	c.said["toolset"] = []Setting{toolset}
	for _, l := range layers {
		if said, ok := l["toolset"]; ok && (said.Origin.Source != FolderFile || s.Folder.Trusted) {
			toolset = said
		}
	}
	name := fmt.Sprint(toolset.Value)
	for key, value := range s.Defaults(name) {
		if key == "toolset" {
			continue
		}
		k, ok := keyOf(key)
		if !ok {
			panic("config: a default for the unknown key " + key)
		}
		var origin Origin
		if k.ByToolset {
			origin.Name = name
		}
		c.said[key] = []Setting{{k, value, origin}}
	}
	if quiet(s.Environ) {
		k, _ := keyOf("color")
		c.said["color"] = []Setting{{k, "never", Origin{Default, NoColor, 0}}}
	}
}

// add hears one more source.
func (c *Config) add(l layer) {
	if d, ok := l["confirmDestructive"]; ok { // a mode that is named comes after it, and wins
		k, _ := keyOf("mode")
		c.said["mode"] = append(c.said["mode"], Setting{k, modeOf(d), d.Origin})
	}
	for name, s := range l {
		c.said[name] = append(c.said[name], s)
	}
}

// modeOf is the mode that confirmDestructive stands for.
func modeOf(s Setting) string {
	if s.Value == true {
		return "supervised"
	}
	return "autonomous"
}

// check is about values that contradict each other.
func (c *Config) check() error {
	most, least := c.Setting("max_search_results_cap"), c.Setting("max_search_results_default")
	if a, ok := least.Value.(int); ok {
		if b, ok := most.Value.(int); ok && a > b {
			at := least.Origin
			if most.Origin.Source > at.Source {
				at = most.Origin
			}
			return &Problem{at, "", fmt.Errorf("max_search_results_default is %d, more than max_search_results_cap, which is %d", a, b)}
		}
	}
	rules, mode := c.Setting("rules"), c.Setting("mode")
	if rules.Value != nil && mode.Value != "custom" && mode.Origin.Source <= rules.Origin.Source {
		return &Problem{rules.Origin, "", errors.New("rules are for mode custom: choose it, or leave out the rules")}
	}
	return nil
}

// Setting returns the setting of a key.
func (c *Config) Setting(key string) Setting { return c.Before(key, Flags+1) }

// Before returns what a key would be if only the sources before one were heard.
func (c *Config) Before(key string, source Source) Setting {
	k, ok := keyOf(key)
	if !ok {
		panic("config: unknown key " + key)
	}
	for _, s := range slices.Backward(c.said[key]) {
		if s.Origin.Source < source {
			return s
		}
	}
	return Setting{Key: k}
}

// Settings returns those of all keys, in the order of [Keys].
func (c *Config) Settings() []Setting {
	var list []Setting
	for _, k := range Keys {
		list = append(list, c.Setting(k.Name))
	}
	return list
}

// Heard returns all that the sources said of a key, in their order: the tables
// of several files add up.
func (c *Config) Heard(key string) []Setting { return slices.Clone(c.said[key]) }

// Get returns the value of a key, if it has one. The type must be that of the key:
// string, Secret, int, float64, bool, time.Duration, []string, []map[string]any, []Client.
func Get[T any](c *Config, key string) (value T, ok bool) {
	s := c.Setting(key)
	if s.Value == nil {
		return value, false
	}
	return s.Value.(T), true
}

// unknown says that a name is not known, and which was meant.
func unknown(what, name string, known []string, near Near, otherwise string) error {
	if near != nil {
		if n := near(name, known); n != "" {
			return fmt.Errorf("unknown %s %s; did you mean %s?", what, shownName(name), n)
		}
	}
	return fmt.Errorf("unknown %s %s; %s", what, shownName(name), otherwise)
}

func shownName(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == '"' || r > 126 }) || name == "" {
		return shown(name)
	}
	return name
}
