package tool

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemaOf makes the schema of an argument struct.
func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("arguments must be a struct, not %s", t)
	}
	known := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[time.Time](): {Type: "string", Format: "date-time"},
		reflect.TypeFor[[]byte]():    {Type: "string"}, // base64, as encoding/json has it
	}
	if err := inspect(t, t.Name(), known, nil); err != nil {
		return nil, err
	}
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		return nil, err
	}
	return s, tidy(s, t, known)
}

// inspect refuses types that the schema could not tell the truth about, and
// notes those that read themselves from a string.
func inspect(t reflect.Type, name string, known map[reflect.Type]*jsonschema.Schema, above []reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if known[t] != nil {
		return nil
	}
	if slices.Contains(above, t) {
		return fmt.Errorf("%s: type %s contains itself", name, t)
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		known[t] = &jsonschema.Schema{Type: "string"}
		return nil
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return fmt.Errorf("%s: %s reads its own JSON, so its schema is not known; use a struct, or a type with UnmarshalText", name, t)
	}
	switch t.Kind() {
	case reflect.Interface:
		return fmt.Errorf("%s: %s can be anything; give it a type", name, t)
	case reflect.Slice, reflect.Array, reflect.Map:
		return inspect(t.Elem(), name, known, above)
	case reflect.Struct:
		return inspectFields(t, known, append(above, t))
	}
	return nil
}

func inspectFields(t reflect.Type, known map[reflect.Type]*jsonschema.Schema, above []reflect.Type) error {
	names := map[string]string{}
	for _, f := range reflect.VisibleFields(t) {
		full := t.Name() + "." + f.Name
		tag, tagged := f.Tag.Lookup("json")
		if f.Anonymous {
			if f.Type.Kind() != reflect.Struct || tagged || known[f.Type] != nil {
				return fmt.Errorf("%s: only structs without a json tag can be embedded", full)
			}
			continue
		}
		name, _ := jsonName(f)
		if name == "" {
			continue
		}
		if other, ok := names[name]; ok {
			return fmt.Errorf("%s and %s have the same name %q", other, full, name)
		}
		names[name] = full
		if slices.Contains(strings.Split(tag, ",")[1:], "string") {
			return fmt.Errorf("%s: the json option string is not supported; numbers in strings are understood anyway", full)
		}
		for word, use := range foreignTags {
			if _, ok := f.Tag.Lookup(word); ok {
				return fmt.Errorf("%s: unknown tag %s; use %s", full, word, use)
			}
		}
		if err := inspect(f.Type, full, known, above); err != nil {
			return err
		}
	}
	return nil
}

// foreignTags are words of JSON schema that are spelled otherwise here.
var foreignTags = map[string]string{
	"description": "jsonschema", "minimum": "min", "maximum": "max", "minLength": "min", "maxLength": "max", "minItems": "min", "maxItems": "max",
}

// jsonName is the name of a field in JSON, "" if it has none, and whether it
// may be absent.
func jsonName(f reflect.StructField) (name string, optional bool) {
	tag := f.Tag.Get("json")
	if !f.IsExported() || tag == "-" {
		return "", false
	}
	parts := strings.Split(tag, ",")
	name = parts[0]
	if name == "" {
		name = f.Name
	}
	_, hasDefault := f.Tag.Lookup("default")
	optional = f.Type.Kind() == reflect.Pointer || hasDefault || slices.Contains(parts, "omitempty") || slices.Contains(parts, "omitzero")
	return name, optional
}

// tidy takes out of a generated schema what providers dislike, and puts in what
// the tags say.
func tidy(s *jsonschema.Schema, t reflect.Type, known map[reflect.Type]*jsonschema.Schema) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s.Types != nil { // "or null"
		s.Type, s.Types = s.Types[len(s.Types)-1], nil
	}
	if known[t] != nil {
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return tidy(s.Items, t.Elem(), known)
	case reflect.Map:
		return tidy(s.AdditionalProperties, t.Elem(), known)
	case reflect.Struct:
		return tidyFields(s, t, known)
	}
	return nil
}

func tidyFields(s *jsonschema.Schema, t reflect.Type, known map[reflect.Type]*jsonschema.Schema) error {
	s.Required = nil
	if s.Properties == nil {
		s.Properties = map[string]*jsonschema.Schema{} // some providers insist on it
	}
	for _, f := range reflect.VisibleFields(t) {
		name, optional := jsonName(f)
		if name == "" || f.Anonymous {
			continue
		}
		field := s.Properties[name]
		if err := tidy(field, f.Type, known); err != nil {
			return err
		}
		if err := applyTags(field, f); err != nil {
			return fmt.Errorf("%s.%s: %w", t.Name(), f.Name, err)
		}
		if !optional {
			s.Required = append(s.Required, name)
		}
	}
	return nil
}

func applyTags(s *jsonschema.Schema, f reflect.StructField) error {
	text := s // what enum and pattern are about
	if s.Type == "array" {
		text = s.Items
	}
	for _, tag := range []struct {
		name  string
		apply func(string) error
	}{
		{"enum", func(v string) error { return applyEnum(text, v) }},
		{"pattern", func(v string) error { return applyPattern(text, v) }},
		{"min", func(v string) error { return applyBound(s, v, &s.Minimum, &s.MinLength, &s.MinItems) }},
		{"max", func(v string) error { return applyBound(s, v, &s.Maximum, &s.MaxLength, &s.MaxItems) }},
		{"default", func(v string) error { return applyDefault(s, v, f.Type) }},
	} {
		v, ok := f.Tag.Lookup(tag.name)
		if !ok {
			continue
		}
		if err := tag.apply(v); err != nil {
			return fmt.Errorf("tag %s:%q: %w", tag.name, v, err)
		}
	}
	if above(s.Minimum, s.Maximum) || above(s.MinLength, s.MaxLength) || above(s.MinItems, s.MaxItems) {
		return errors.New("min is greater than max")
	}
	return nil
}

func above[T int | float64](low, high *T) bool { return low != nil && high != nil && *low > *high }

func applyEnum(s *jsonschema.Schema, tag string) error {
	if s.Type != "string" {
		return errors.New("only strings have an enum; numbers have min and max")
	}
	for word := range strings.SplitSeq(tag, ",") {
		word = strings.TrimSpace(word)
		if word == "" || slices.Contains(s.Enum, any(word)) {
			return errors.New("values are separated by commas, none empty, none twice")
		}
		s.Enum = append(s.Enum, word)
	}
	return nil
}

func applyPattern(s *jsonschema.Schema, tag string) error {
	if s.Type != "string" {
		return errors.New("only strings have a pattern")
	}
	s.Pattern = tag
	_, err := regexp.Compile(tag)
	return err
}

// applyBound sets the bound that the type of s has.
func applyBound(s *jsonschema.Schema, tag string, number **float64, length, items **int) error {
	switch s.Type {
	case "integer", "number":
		n, err := strconv.ParseFloat(tag, 64)
		if err != nil || s.Type == "integer" && n != float64(int64(n)) {
			return fmt.Errorf("not %s", article(s.Type))
		}
		*number = &n
		return nil
	case "string", "array":
		n, err := strconv.Atoi(tag)
		if err != nil || n < 0 {
			return errors.New("not a count")
		}
		if s.Type == "array" {
			*items = &n
		} else {
			*length = &n
		}
		return nil
	}
	return fmt.Errorf("%s has no min and max", article(s.Type))
}

func applyDefault(s *jsonschema.Schema, tag string, t reflect.Type) error {
	s.Default = json.RawMessage(tag)
	if s.Type == "string" {
		s.Default = appendString(nil, tag)
	}
	v, err := parse(s.Default)
	if err != nil {
		return err
	}
	c := checker{schema: &schema{root: s}}
	if c.check(s, v, ""); len(c.problems) > 0 {
		return c.problems[0]
	}
	return json.Unmarshal(s.Default, reflect.New(t).Interface())
}
