package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// Validate checks a JSON value against a JSON schema (draft 2020-12 or 7, with
// references inside the schema only). What is wrong with the value is an
// *InvalidError; another error is about the schema. A pattern that Go's regexp
// does not know is not checked. Nothing is repaired: see [Repair].
func Validate(schema, value json.RawMessage) error {
	s, err := compile(schema)
	if err != nil {
		return fmt.Errorf("the schema: %w", err)
	}
	v, err := parse(value)
	if err != nil {
		return s.invalid("", problemsOf(err))
	}
	return s.validate("", v)
}

// Repair returns the value with its safe repairs made and its defaults filled
// in, as the docs of this package list them, if it is valid then. Errors are
// those of [Validate].
func Repair(schema, value json.RawMessage) (json.RawMessage, error) {
	s, err := compile(schema)
	if err != nil {
		return nil, fmt.Errorf("the schema: %w", err)
	}
	return s.accept("", value)
}

// accept repairs and validates. A value that needs no repair is returned as it
// is.
func (s *schema) accept(tool string, data json.RawMessage) (json.RawMessage, error) {
	v, err := parse(data)
	if err != nil {
		return nil, s.invalid(tool, problemsOf(err))
	}
	repaired := s.repair(s.root, v)
	if err := s.validate(tool, v); err != nil {
		if repaired && s.validAsSent(data) {
			return data, nil
		}
		return nil, err
	}
	if repaired {
		return v.appendJSON(nil), nil
	}
	return data, nil
}

// validAsSent is for schemas in which a default breaks another rule.
func (s *schema) validAsSent(data json.RawMessage) bool {
	v, err := parse(data)
	return err == nil && s.validate("", v) == nil
}

func (s *schema) prepare(call Call) (Call, error) {
	args, err := s.accept(call.Name, call.Arguments)
	if err == nil {
		call.Arguments = args
	}
	return call, err
}

// validate explains what is wrong in its own words. On keywords that those do
// not cover, the library has the last word.
func (s *schema) validate(tool string, v *value) error {
	c := checker{schema: s}
	c.check(s.root, v, "")
	if len(c.problems) > 0 {
		return s.invalid(tool, c.problems)
	}
	if s.judge == nil {
		return nil
	}
	if err := s.judge.Validate(v.native()); err != nil {
		return s.invalid(tool, []Problem{{Message: judged(err)}})
	}
	return nil
}

// judged takes the last words of an error that lists every schema on its way.
func judged(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return strings.ToValidUTF8(err.Error(), "\uFFFD")
		}
		err = inner
	}
}

func (s *schema) invalid(tool string, problems []Problem) *InvalidError {
	e := &InvalidError{Tool: tool, Problems: problems, Expected: s.short()}
	if n := len(problems) - maxProblems; n > 0 {
		e.Problems, e.More = problems[:maxProblems], n
	}
	return e
}

// checker collects the problems of one value.
type checker struct {
	schema   *schema
	problems []Problem
}

func (c *checker) add(path, format string, args ...any) {
	c.problems = append(c.problems, Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) check(s *jsonschema.Schema, v *value, path string) {
	if s.Ref != "" {
		c.check(c.schema.refs[s], v, path)
		if c.schema.refAlone {
			return
		}
	}
	if isFalse(s) {
		c.add(path, "nothing is allowed here, got %s", show(v))
		return
	}
	if types := typesOf(s); len(types) > 0 && !slices.ContainsFunc(types, v.is) {
		c.addType(types, v, path)
		return
	}
	c.checkValues(s, v, path)
	switch v.kind {
	case "number":
		c.checkNumber(s, v, path)
	case "string":
		c.checkString(s, v, path)
	case "array":
		c.checkArray(s, v, path)
	case "object":
		c.checkObject(s, v, path)
	}
	for _, all := range s.AllOf {
		c.check(all, v, path)
	}
	c.checkAny(s.AnyOf, v, path)
	c.checkAny(s.OneOf, v, path)
}

func (c *checker) addType(types []string, v *value, path string) {
	if v.kind == "number" && digitsOnly(v.text) && slices.Contains(types, "integer") {
		c.add(path, "must be an integer of at most 64 bits, got %s", show(v))
		return
	}
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = article(t)
	}
	c.add(path, "must be %s, got %s", strings.Join(names, " or "), show(v))
}

func (c *checker) checkValues(s *jsonschema.Schema, v *value, path string) {
	equal := func(want any) bool { return jsonschema.Equal(want, v.native()) }
	if s.Const != nil && !equal(*s.Const) {
		c.add(path, "must be %s, got %s", showAny(*s.Const), show(v))
	}
	if s.Enum == nil || slices.ContainsFunc(s.Enum, equal) {
		return
	}
	allowed := make([]string, 0, len(s.Enum))
	var words []string
	for _, e := range s.Enum {
		allowed = append(allowed, showAny(e))
		if word, ok := e.(string); ok {
			words = append(words, word)
		}
	}
	hint := ""
	if v.kind == "string" {
		hint = meant(v.text, words)
	}
	c.add(path, "must be one of %s, got %s%s", strings.Join(allowed, ", "), show(v), hint)
}

func (c *checker) checkNumber(s *jsonschema.Schema, v *value, path string) {
	n, _ := strconv.ParseFloat(v.text, 64)
	switch {
	case s.Minimum != nil && n < *s.Minimum:
		c.add(path, "must be at least %s, got %s", showFloat(*s.Minimum), show(v))
	case s.Maximum != nil && n > *s.Maximum:
		c.add(path, "must be at most %s, got %s", showFloat(*s.Maximum), show(v))
	case s.ExclusiveMinimum != nil && n <= *s.ExclusiveMinimum:
		c.add(path, "must be more than %s, got %s", showFloat(*s.ExclusiveMinimum), show(v))
	case s.ExclusiveMaximum != nil && n >= *s.ExclusiveMaximum:
		c.add(path, "must be less than %s, got %s", showFloat(*s.ExclusiveMaximum), show(v))
	}
}

func (c *checker) checkString(s *jsonschema.Schema, v *value, path string) {
	if s.MinLength != nil || s.MaxLength != nil {
		n := utf8.RuneCountInString(v.text)
		if s.MinLength != nil && n < *s.MinLength {
			c.add(path, "must have at least %s, has %d", count(*s.MinLength, "character"), n)
		}
		if s.MaxLength != nil && n > *s.MaxLength {
			c.add(path, "must have at most %s, has %d", count(*s.MaxLength, "character"), n)
		}
	}
	if s.Pattern != "" && !c.schema.pattern(s.Pattern).MatchString(v.text) {
		c.add(path, "must match the pattern %s, got %s", s.Pattern, show(v))
	}
	if s.Format == "date-time" {
		if _, err := time.Parse(time.RFC3339, v.text); err != nil {
			c.add(path, "must be a time like 2006-01-02T15:04:05Z, got %s", show(v))
		}
	}
}

func (c *checker) checkArray(s *jsonschema.Schema, v *value, path string) {
	if n := len(v.items); s.MinItems != nil && n < *s.MinItems {
		c.add(path, "must have at least %s, has %d", count(*s.MinItems, "item"), n)
	} else if s.MaxItems != nil && n > *s.MaxItems {
		c.add(path, "must have at most %s, has %d", count(*s.MaxItems, "item"), n)
	}
	for i, item := range v.items {
		if i < len(s.PrefixItems) {
			c.check(s.PrefixItems[i], item, index(path, i))
		} else if s.Items != nil {
			c.check(s.Items, item, index(path, i))
		}
	}
}

func (c *checker) checkObject(s *jsonschema.Schema, v *value, path string) {
	for _, name := range s.Required {
		if v.get(name) == nil {
			c.addMissing(s.Properties[name], member(path, name))
		}
	}
	for i, name := range v.names {
		where := member(path, name)
		if p, ok := s.Properties[name]; ok {
			c.check(p, v.items[i], where)
			continue
		}
		if s.AdditionalProperties == nil || c.matchesPattern(s, name) {
			continue
		}
		if isFalse(s.AdditionalProperties) {
			c.addUnknown(s, name, where)
		} else {
			c.check(s.AdditionalProperties, v.items[i], where)
		}
	}
}

func (c *checker) addMissing(s *jsonschema.Schema, path string) {
	if s == nil {
		c.add(path, "missing, but required")
		return
	}
	words := c.schema.shortOf(s)
	if s.Description != "" {
		words += ": " + s.Description
	}
	c.add(path, "missing, but required (%s)", words)
}

func (c *checker) addUnknown(s *jsonschema.Schema, name, path string) {
	names := propertyNames(s)
	hint := meant(name, names)
	switch {
	case len(names) == 0:
		hint = "; there are none"
	case hint == "":
		hint = "; known are " + quoteAll(names)
	}
	c.add(path, "unknown parameter %s%s", quote(name), hint)
}

func (c *checker) matchesPattern(s *jsonschema.Schema, name string) bool {
	for p := range s.PatternProperties {
		if c.schema.pattern(p).MatchString(name) {
			return true // the library checks the value
		}
	}
	return false
}

// checkAny reports the problems with the branch that the value is nearest to.
func (c *checker) checkAny(branches []*jsonschema.Schema, v *value, path string) {
	var best []Problem
	for i, branch := range branches {
		inner := checker{schema: c.schema}
		inner.check(branch, v, path)
		if len(inner.problems) == 0 {
			return
		}
		if i == 0 || rank(inner.problems, path) < rank(best, path) {
			best = inner.problems
		}
	}
	c.problems = append(c.problems, best...)
}

// rank is low for few problems, and for problems that lie deep: the value had
// the right kind.
func rank(problems []Problem, path string) int {
	n := len(problems)
	if problems[0].Path == path {
		n += 1000
	}
	return n
}

// is reports whether the value has the type that a schema names.
func (v *value) is(kind string) bool {
	return v.kind == kind || kind == "integer" && v.integer
}

func typesOf(s *jsonschema.Schema) []string {
	if s.Type != "" {
		return []string{s.Type}
	}
	return s.Types
}

// isFalse recognises the schema that nothing matches.
func isFalse(s *jsonschema.Schema) bool {
	if s.Not == nil || !reflect.ValueOf(s.Not).Elem().IsZero() {
		return false
	}
	rest := *s
	rest.Not = nil
	return reflect.ValueOf(&rest).Elem().IsZero()
}

func (s *schema) pattern(p string) *regexp.Regexp {
	if r := s.patterns[p]; r != nil {
		return r
	}
	return regexp.MustCompile(p) // of a tag that was just compiled
}
