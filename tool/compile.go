package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// schema is a JSON schema made ready to check values.
type schema struct {
	root     *jsonschema.Schema
	judge    *jsonschema.Resolved                      // nil: checker covers all that the schema says
	refs     map[*jsonschema.Schema]*jsonschema.Schema // where a $ref leads
	patterns map[string]*regexp.Regexp
	refAlone bool // draft 7: what stands beside a $ref does not count
}

func compile(raw json.RawMessage) (*schema, error) {
	if _, err := parse(raw); err != nil {
		return nil, err
	}
	root := new(jsonschema.Schema)
	if err := json.Unmarshal(raw, root); err != nil {
		return nil, err
	}
	return compiled(root)
}

func compiled(root *jsonschema.Schema) (*schema, error) {
	s := &schema{root: root, refs: map[*jsonschema.Schema]*jsonschema.Schema{}, patterns: map[string]*regexp.Regexp{}}
	if s.refAlone = strings.Contains(root.Schema, "draft-07"); !s.refAlone {
		root.Schema = "" // the library refuses the versions that it does not name
	}
	var all []*jsonschema.Schema
	if err := collect(root, &all); err != nil {
		return nil, err
	}
	for _, sub := range all {
		if err := s.enter(sub, sub == root); err != nil {
			return nil, err
		}
	}
	seen := map[*jsonschema.Schema]mark{}
	for _, sub := range all {
		if s.loops(sub, seen) {
			return nil, errors.New("a reference leads to itself")
		}
	}
	judge, err := root.Resolve(nil)
	if slices.ContainsFunc(all, beyond) {
		s.judge = judge
	}
	return s, err
}

// beyond reports whether the schema has a keyword that checker does not know.
func beyond(s *jsonschema.Schema) bool {
	if isFalse(s) {
		return false
	}
	rest := *s
	rest.Schema, rest.ID, rest.Ref, rest.Comment, rest.Defs, rest.Definitions = "", "", "", "", nil, nil
	rest.Title, rest.Description, rest.Default, rest.Deprecated, rest.ReadOnly, rest.WriteOnly, rest.Examples = "", "", nil, false, false, false, nil
	rest.Type, rest.Types, rest.Enum, rest.Const = "", nil, nil, nil
	rest.Minimum, rest.Maximum, rest.ExclusiveMinimum, rest.ExclusiveMaximum = nil, nil, nil, nil
	rest.MinLength, rest.MaxLength, rest.Pattern, rest.Format = nil, nil, "", ""
	rest.PrefixItems, rest.Items, rest.MinItems, rest.MaxItems = nil, nil, nil, nil
	rest.Required, rest.Properties, rest.AdditionalProperties, rest.PropertyOrder = nil, nil, nil, nil
	rest.AllOf, rest.AnyOf, rest.Extra = nil, nil, nil
	return !reflect.ValueOf(&rest).Elem().IsZero()
}

// collect lists the schema and everything in it.
func collect(s *jsonschema.Schema, all *[]*jsonschema.Schema) error {
	*all = append(*all, s)
	for sub := range parts(s) {
		if sub == nil {
			return errors.New("null stands where a schema should")
		}
		if err := collect(sub, all); err != nil {
			return err
		}
	}
	return nil
}

// parts yields the schemas right inside a schema, whatever keyword holds them.
func parts(s *jsonschema.Schema) func(yield func(*jsonschema.Schema) bool) {
	return func(yield func(*jsonschema.Schema) bool) {
		v := reflect.ValueOf(s).Elem()
		for i := range v.NumField() {
			switch f := v.Field(i).Interface().(type) {
			case *jsonschema.Schema:
				if f != nil && !yield(f) {
					return
				}
			case []*jsonschema.Schema:
				for _, sub := range f {
					if !yield(sub) {
						return
					}
				}
			case map[string]*jsonschema.Schema:
				for _, sub := range f {
					if !yield(sub) {
						return
					}
				}
			}
		}
	}
}

// enter prepares one schema: its reference, its patterns, its default.
func (s *schema) enter(sub *jsonschema.Schema, isRoot bool) error {
	if sub.DynamicRef != "" || sub.ID != "" && !isRoot {
		return errors.New("$dynamicRef and $id inside a schema are not supported")
	}
	if sub.Ref != "" {
		target, err := s.find(sub.Ref)
		if err != nil {
			return err
		}
		s.refs[sub] = target
	}
	if sub.Pattern != "" && !s.addPattern(sub.Pattern) {
		sub.Pattern = ""
	}
	for p := range sub.PatternProperties {
		if !s.addPattern(p) {
			return fmt.Errorf("patternProperties %q is no regular expression of Go", p)
		}
	}
	return nil
}

func (s *schema) addPattern(p string) bool {
	r, err := regexp.Compile(p)
	if err == nil {
		s.patterns[p] = r
	}
	return err == nil
}

// find follows the references that generators of schemas make.
func (s *schema) find(ref string) (*jsonschema.Schema, error) {
	if ref == "#" {
		return s.root, nil
	}
	if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok && s.root.Defs[name] != nil {
		return s.root.Defs[name], nil
	}
	if name, ok := strings.CutPrefix(ref, "#/definitions/"); ok && s.root.Definitions[name] != nil {
		return s.root.Definitions[name], nil
	}
	return nil, fmt.Errorf("the reference %q leads nowhere; only #, #/$defs/name and #/definitions/name are supported", ref)
}

// mark is how far the search for loops has come with a schema.
type mark int

const (
	entered mark = iota + 1
	left
)

// loops reports whether checking a value against sub comes back to sub with the
// same value, and so would never end.
func (s *schema) loops(sub *jsonschema.Schema, seen map[*jsonschema.Schema]mark) bool {
	if seen[sub] != 0 {
		return seen[sub] == entered
	}
	seen[sub] = entered
	defer func() { seen[sub] = left }()
	inPlace := append([]*jsonschema.Schema{s.refs[sub], sub.Not, sub.If, sub.Then, sub.Else}, sub.AllOf...)
	inPlace = append(append(inPlace, sub.AnyOf...), sub.OneOf...)
	for _, m := range []map[string]*jsonschema.Schema{sub.DependentSchemas, sub.DependencySchemas} {
		for _, d := range m {
			inPlace = append(inPlace, d)
		}
	}
	for _, next := range inPlace {
		if next != nil && s.loops(next, seen) {
			return true
		}
	}
	return false
}
