package tool

import (
	"slices"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"
)

// repair changes v where only one meaning is possible, and reports whether it
// did. Where a schema has alternatives nothing is changed: there the meaning is
// open.
func (s *schema) repair(sub *jsonschema.Schema, v *value) bool {
	for sub.Ref != "" {
		sub = s.refs[sub]
	}
	changed := retype(typesOf(sub), v)
	switch v.kind {
	case "array":
		for i, item := range v.items {
			if i >= len(sub.PrefixItems) && sub.Items != nil {
				changed = s.repair(sub.Items, item) || changed
			}
		}
	case "object":
		changed = s.repairMembers(sub, v) || changed
	}
	return changed
}

// retype makes of a string what the schema wants, if the string is exactly
// that in JSON.
func retype(types []string, v *value) bool {
	if len(types) == 0 || slices.ContainsFunc(types, v.is) {
		if v.integer && !digitsOnly(v.text) && !slices.Contains(types, "number") && len(types) > 0 {
			f, _ := strconv.ParseFloat(v.text, 64)
			v.text = digits(v.text, f)
			return true
		}
		return false
	}
	if v.kind != "string" {
		return false
	}
	inner, err := parse([]byte(v.text))
	if err != nil || inner.kind == "null" || !slices.ContainsFunc(types, inner.is) {
		return false
	}
	*v = *inner
	retype(types, v)
	return true
}

func (s *schema) repairMembers(sub *jsonschema.Schema, v *value) bool {
	changed := false
	var names []string
	var items []*value
	for i, name := range v.names {
		item := v.items[i]
		p := sub.Properties[name]
		if p == nil && sub.AdditionalProperties != nil && !isFalse(sub.AdditionalProperties) {
			p = sub.AdditionalProperties
		}
		if item.kind == "null" && sub.Properties[name] != nil && !slices.Contains(sub.Required, name) && !s.takes(p, item) {
			changed = true
			continue
		}
		if p != nil {
			changed = s.repair(p, item) || changed
		}
		names, items = append(names, name), append(items, item)
	}
	v.names, v.items = names, items
	for _, name := range propertyNames(sub) {
		p := sub.Properties[name]
		if len(p.Default) == 0 || v.get(name) != nil || slices.Contains(sub.Required, name) {
			continue
		}
		if d := s.defaultOf(p); d != nil {
			v.add(name, d)
			changed = true
		}
	}
	return changed
}

// defaultOf is the default of a parameter. One that its own schema refuses is
// none: the model could not be told what to do about it.
func (s *schema) defaultOf(p *jsonschema.Schema) *value {
	d, err := parse(p.Default)
	if err != nil {
		return nil
	}
	if len(s.refs) == 0 { // else a default may contain itself
		s.repair(p, d)
	}
	if !s.takes(p, d) {
		return nil
	}
	return d
}

func (s *schema) takes(p *jsonschema.Schema, v *value) bool {
	c := checker{schema: s}
	c.check(p, v, "")
	return len(c.problems) == 0
}
