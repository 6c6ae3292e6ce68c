package config

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// harmless is what counts of the file of a folder. What does not is noted.
func (c *Config) harmless(l layer, trusted bool) layer {
	kept := layer{}
	for _, k := range Keys {
		said, ok := l[k.Name]
		if !ok {
			continue
		}
		if k.Trust == Never {
			c.Ignored = append(c.Ignored, Ignored{said, "it cannot be set in a folder; put it into your own file", true})
			continue
		}
		if why := c.harm(said, l); why != "" && !trusted {
			c.Ignored = append(c.Ignored, Ignored{said, why, false})
			continue
		}
		kept[k.Name] = said
	}
	slices.SortStableFunc(c.Ignored, func(a, b Ignored) int { return a.Origin.Line - b.Origin.Line })
	return kept
}

// harm says why a setting of the folder does not count, or "".
func (c *Config) harm(said Setting, l layer) string {
	before := c.Setting(said.Key.Name)
	switch {
	case said.Key.Trust == Free:
		return ""
	case said.Key.Trust != Stricter:
		return "a folder may set it only if it is trusted"
	case said.Key.Name == "rules":
		return c.harmOfRules(l)
	case said.Key.Name == "mode":
		return c.harmOfMode(said, l)
	case said.Key.Name == "confirmDestructive":
		k, _ := keyOf("mode")
		return c.harmOfMode(Setting{k, modeOf(said), said.Origin}, l)
	case looser(said, before):
		return fmt.Sprintf("it allows more than %s", valueOf(before))
	}
	return ""
}

func valueOf(s Setting) string {
	if s.Value == nil {
		return "without it"
	}
	return s.Display()
}

// looser tells whether a setting allows more than another one of its key. What is
// not set is taken to forbid everything.
func looser(a, b Setting) bool {
	return b.Value == nil || a.Key.kind.loose(a.Value) > b.Key.kind.loose(b.Value)
}

// harmOfRules: rules replace the user's own, and one that is more specific goes
// before others, so a folder's count only where the user has none, and only such
// that forbid or ask.
func (c *Config) harmOfRules(l layer) string {
	mode, named := l["mode"]
	switch {
	case c.Setting("rules").Value != nil:
		return "it would take the place of your own rules"
	case allows(l["rules"]):
		return "it has rules that allow something"
	case named && c.harmOfMode(mode, l) != "":
		return "it is for a mode that the folder may not choose"
	}
	return ""
}

// harmOfMode: custom counts where it is stricter, that is, with rules that do not
// allow anything.
func (c *Config) harmOfMode(said Setting, l layer) string {
	before := c.Setting("mode")
	loose := said.Key.kind.loose(said.Value)
	if said.Value == "custom" && before.Value != "custom" && (allows(l["rules"]) || allows(c.Setting("rules"))) {
		loose = math.Inf(1)
	}
	if loose > before.Key.kind.loose(before.Value) {
		return fmt.Sprintf("it allows more than mode %s", valueOf(before))
	}
	return ""
}

// allows tells whether one of the rules allows something.
func allows(s Setting) bool {
	list, _ := s.Value.([]string)
	return slices.ContainsFunc(list, func(rule string) bool { return strings.HasPrefix(rule, "allow:") })
}
