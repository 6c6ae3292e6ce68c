package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// How much of a schema an error shows.
const (
	shortDepth = 4
	shortBytes = 2000
)

// short writes the schema as a person would note it down:
//
//	{path: string, limit?: integer 1..5000, mode?: "text" | "binary" = "text"}
func (s *schema) short() string {
	text := s.shortOf(s.root)
	if len(text) > shortBytes {
		return strings.ToValidUTF8(text[:shortBytes], "") + "…"
	}
	return text
}

func (s *schema) shortOf(sub *jsonschema.Schema) string {
	var b strings.Builder
	s.writeShort(&b, sub, 0)
	return b.String()
}

func (s *schema) writeShort(b *strings.Builder, sub *jsonschema.Schema, depth int) {
	if depth > shortDepth || b.Len() > shortBytes {
		b.WriteString("…")
		return
	}
	if target := s.refs[sub]; target != nil {
		s.writeShort(b, target, depth+1)
		return
	}
	alternatives := append(slices.Clone(sub.AnyOf), sub.OneOf...)
	types := typesOf(sub)
	switch {
	case sub.Const != nil:
		b.WriteString(showAny(*sub.Const))
	case sub.Enum != nil:
		for i, e := range sub.Enum {
			b.WriteString(separator(i, " | ") + showAny(e))
		}
	case len(alternatives) > 0:
		for i, a := range alternatives {
			b.WriteString(separator(i, " | "))
			s.writeShort(b, a, depth+1)
		}
	case len(types) == 0:
		b.WriteString("any")
	}
	if sub.Const == nil && sub.Enum == nil && len(alternatives) == 0 {
		for i, t := range types {
			b.WriteString(separator(i, " | "))
			s.writeType(b, sub, t, depth)
		}
	}
	if len(sub.Default) > 0 {
		b.WriteString(" = " + string(sub.Default))
	}
}

func separator(i int, between string) string {
	if i == 0 {
		return ""
	}
	return between
}

func (s *schema) writeType(b *strings.Builder, sub *jsonschema.Schema, kind string, depth int) {
	switch kind {
	case "object":
		s.writeObject(b, sub, depth)
	case "array":
		b.WriteString("[")
		if sub.Items != nil {
			s.writeShort(b, sub.Items, depth+1)
		}
		b.WriteString("]" + length(sub.MinItems, sub.MaxItems, "items"))
	case "string":
		b.WriteString("string" + length(sub.MinLength, sub.MaxLength, "characters"))
		if sub.Pattern != "" {
			b.WriteString(" /" + sub.Pattern + "/")
		}
	default:
		b.WriteString(kind + span(sub.Minimum, sub.Maximum, showFloat))
	}
}

func (s *schema) writeObject(b *strings.Builder, sub *jsonschema.Schema, depth int) {
	b.WriteString("{")
	names := propertyNames(sub)
	for i, name := range names {
		b.WriteString(separator(i, ", ") + name)
		if !slices.Contains(sub.Required, name) {
			b.WriteString("?")
		}
		b.WriteString(": ")
		s.writeShort(b, sub.Properties[name], depth+1)
	}
	if more := sub.AdditionalProperties; more != nil && !isFalse(more) {
		b.WriteString(separator(len(names), ", ") + "[name]: ")
		s.writeShort(b, more, depth+1)
	}
	b.WriteString("}")
}

func span[T int | float64](low, high *T, show func(T) string) string {
	switch {
	case low != nil && high != nil:
		return " " + show(*low) + ".." + show(*high)
	case low != nil:
		return " ≥ " + show(*low)
	case high != nil:
		return " ≤ " + show(*high)
	}
	return ""
}

func length(low, high *int, of string) string {
	if low == nil && high == nil {
		return ""
	}
	return " of" + span(low, high, strconv.Itoa) + " " + of
}

// propertyNames lists the properties: in their own order if the schema was made
// of a struct, else the required ones first.
func propertyNames(s *jsonschema.Schema) []string {
	names := slices.Clone(s.PropertyOrder)
	for _, more := range [][]string{s.Required, slices.Sorted(maps.Keys(s.Properties))} {
		for _, name := range more {
			if s.Properties[name] != nil && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func article(kind string) string {
	switch kind {
	case "integer", "array", "object":
		return "an " + kind
	case "boolean":
		return "true or false"
	case "null":
		return "null"
	}
	return "a " + kind
}

// show tells what came.
func show(v *value) string {
	switch v.kind {
	case "string":
		return "the string " + quote(v.text)
	case "array":
		return "an array of " + count(len(v.items), "item")
	case "object":
		if len(v.names) == 0 {
			return "an empty object"
		}
		return "an object with " + quoteAll(v.names[:min(5, len(v.names))])
	case "null":
		return "null"
	}
	if len(v.text) > 60 {
		return v.text[:60] + "…"
	}
	return v.text
}

func showAny(v any) string {
	if s, ok := v.(string); ok {
		return quote(s)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

func showFloat(f float64) string {
	if math.Abs(f) < 1e15 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
