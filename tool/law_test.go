package tool_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"redline/llm"
	"redline/tool"
)

// The laws here are about values made from a schema, as any JSON reader sees it.
type (
	object = map[string]any
	list   = []any
)

// lawTools have every kind of parameter that a schema can describe.
func lawTools(t testing.TB) []tool.Tool {
	return []tool.Tool{
		newEcho[readArgs](t, "read"), newEcho[searchArgs](t, "search"), newEcho[documentArgs](t, "document"),
		newEcho[editsArgs](t, "edits"), newEcho[allArgs](t, "all"),
	}
}

// generate makes a value that matches the schema.
func generate(r *rand.Rand, s object) any {
	if enum, ok := s["enum"].(list); ok {
		return enum[r.IntN(len(enum))]
	}
	low, high := bound(s, "minimum", -1000), bound(s, "maximum", 1000)
	switch s["type"] {
	case "object":
		return generateObject(r, s)
	case "array":
		n := int(bound(s, "minItems", 0))
		n += r.IntN(int(bound(s, "maxItems", float64(n+3))) - n + 1)
		items := list{}
		for range n {
			items = append(items, generate(r, s["items"].(object)))
		}
		return items
	case "boolean":
		return r.IntN(2) == 0
	case "integer":
		return low + float64(r.IntN(int(high-low)+1))
	case "number":
		return low + r.Float64()*(high-low)
	}
	switch {
	case s["format"] == "date-time":
		return "2026-02-05T12:00:00Z"
	case s["pattern"] != nil:
		return fmt.Sprintf("sha256:%04x", r.IntN(1<<16))
	}
	text := strings.Repeat("é", int(bound(s, "minLength", 0)))
	return text + []string{"", "abcd", "12 3", "true", "[1]"}[r.IntN(5)]
}

func bound(s object, name string, otherwise float64) float64 {
	if n, ok := s[name].(float64); ok {
		return n
	}
	return otherwise
}

func generateObject(r *rand.Rand, s object) object {
	made := object{}
	properties, _ := s["properties"].(object)
	required, _ := s["required"].(list)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if name == "data" { // bytes are base64, which a schema for all providers cannot say
			continue
		}
		if slices.Contains(required, any(name)) || r.IntN(2) == 0 {
			made[name] = generate(r, properties[name].(object))
		}
	}
	if more, ok := s["additionalProperties"].(object); ok {
		made["k"+fmt.Sprint(r.IntN(9))] = generate(r, more)
	}
	return made
}

// mutation is a way to make a value wrong, and where that must be reported.
type mutation struct {
	name, path string
	apply      func()
}

// mutations lists everything that can be made wrong in v, which matches s.
func mutations(s object, v any, path string, set func(any)) []mutation {
	wrong := map[any]any{"object": 5.0, "array": object{}, "string": 7.0, "integer": 0.5, "number": "x", "boolean": "x"}[s["type"]]
	all := []mutation{{"type", path, func() { set(wrong) }}, {"null", path, func() { set(nil) }}}
	add := func(name string, bad any) {
		all = append(all, mutation{name, path, func() { set(bad) }})
	}
	if s["enum"] != nil {
		add("enum", "no such word")
	}
	if _, ok := s["minimum"]; ok {
		add("minimum", bound(s, "minimum", 0)-1)
	}
	if _, ok := s["maximum"]; ok {
		add("maximum", bound(s, "maximum", 0)+1)
	}
	if n := bound(s, "minLength", 0); n > 0 {
		add("minLength", strings.Repeat("x", int(n)-1))
	}
	if s["pattern"] != nil {
		add("pattern", "sha1:00")
	}
	if items, ok := v.(list); ok {
		all = append(all, mutateItems(s, items, path, set)...)
	}
	if members, ok := v.(object); ok {
		all = append(all, mutateMembers(s, members, path)...)
	}
	return all
}

func mutateItems(s object, items list, path string, set func(any)) []mutation {
	var all []mutation
	if n := bound(s, "minItems", 0); n > 0 {
		all = append(all, mutation{"minItems", path, func() { set(items[:int(n)-1]) }})
	}
	if n, ok := s["maxItems"].(float64); ok && len(items) > 0 {
		all = append(all, mutation{"maxItems", path, func() { set(slices.Repeat(items, int(n)+1)) }})
	}
	for i, item := range items {
		all = append(all, mutations(s["items"].(object), item, fmt.Sprintf("%s[%d]", path, i), func(bad any) { items[i] = bad })...)
	}
	return all
}

func mutateMembers(s object, members object, path string) []mutation {
	var all []mutation
	properties, _ := s["properties"].(object)
	required, _ := s["required"].(list)
	inside := strings.TrimPrefix(path+".", ".")
	for name, item := range members {
		sub, known := properties[name].(object)
		if !known {
			sub = s["additionalProperties"].(object)
		}
		for _, m := range mutations(sub, item, inside+name, func(bad any) { members[name] = bad }) {
			if m.name == "null" && known && m.path == inside+name && !slices.Contains(required, any(name)) {
				continue // that is the same as absent
			}
			all = append(all, m)
		}
		if slices.Contains(required, any(name)) {
			all = append(all, mutation{"required", inside + name, func() { delete(members, name) }})
		}
	}
	if s["additionalProperties"] == false {
		all = append(all, mutation{"unknown", inside + "no_such_name", func() { members["no_such_name"] = 1 }})
	}
	return all
}

// TestLawGenerated: every value made from a schema is valid, decodes and runs;
// made wrong in one place, it is refused and that place is named.
func TestLawGenerated(t *testing.T) {
	for _, made := range lawTools(t) {
		t.Run(made.Spec().Name, func(t *testing.T) {
			var s object
			if err := json.Unmarshal(made.Spec().Schema, &s); err != nil {
				t.Fatal(err)
			}
			set := newSet(t, made)
			tried := map[string]int{}
			for seed := range uint64(150) {
				r := rand.New(rand.NewPCG(seed, 1))
				v := any(generateObject(r, s))
				before, _ := json.Marshal(v)
				if err := tool.Validate(made.Spec().Schema, before); err != nil {
					t.Fatalf("%s: %v", before, err)
				}
				if res := tool.Run(t.Context(), set, llm.ToolCall{Name: made.Spec().Name, Arguments: before}, nil); res.IsError {
					t.Fatalf("%s: %s", before, res.Output)
				}
				possible := mutations(s, v, "", func(bad any) { v = bad })
				slices.SortStableFunc(possible, func(a, b mutation) int { return strings.Compare(a.path+a.name, b.path+b.name) })
				m := possible[r.IntN(len(possible))]
				m.apply()
				tried[m.name]++
				after, _ := json.Marshal(v)
				_, err := tool.Prepare(made, tool.Call{Name: "x", Arguments: after})
				invalid, ok := errors.AsType[*tool.InvalidError](err)
				if !ok || !slices.ContainsFunc(invalid.Problems, func(p tool.Problem) bool { return p.Path == m.path }) {
					t.Fatalf("%s at %q:\n%s\n%s\n%v", m.name, m.path, before, after, err)
				}
			}
			if tried["type"] == 0 || tried["required"] == 0 || tried["unknown"] == 0 {
				t.Errorf("too few kinds of mistakes were tried: %v", tried)
			}
		})
	}
}

// TestLawLibrary: what the JSON schema library accepts is accepted, and what it
// refuses is refused.
func TestLawLibrary(t *testing.T) {
	accepted, refused := 0, 0
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 2))
		s, v := randomSchema(r, 3), randomValue(r, 3)
		text, _ := json.Marshal(s)
		value, _ := json.Marshal(v)
		root := new(jsonschema.Schema)
		if err := json.Unmarshal(text, root); err != nil {
			t.Fatal(err)
		}
		resolved, err := root.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		want, got := resolved.Validate(v), tool.Validate(text, value)
		if (want == nil) != (got == nil) {
			t.Fatalf("%s\n%s\nlibrary: %v\nhere: %v", text, value, want, got)
		}
		checkRepair(t, text, value)
		if got == nil {
			accepted++
		} else {
			refused++
		}
	}
	if accepted < 200 || refused < 200 {
		t.Errorf("only %d accepted, %d refused", accepted, refused)
	}
}

var words = []string{"a", "b", "path"}

func randomSchema(r *rand.Rand, depth int) object {
	s := object{}
	sub := func() any { return randomSchema(r, depth-1) }
	if r.IntN(2) == 0 {
		s["type"] = []any{"object", "array", "string", "integer", "number", "boolean", "null", list{"string", "null"}, list{"object", "integer"}}[r.IntN(9)]
	}
	if depth == 0 {
		return s
	}
	for range r.IntN(3) {
		switch r.IntN(15) {
		case 0:
			s["properties"] = object{words[r.IntN(3)]: sub(), words[r.IntN(3)]: sub()}
		case 1:
			s["required"] = list{words[r.IntN(3)]}
		case 2:
			s["additionalProperties"] = []any{false, true, sub()}[r.IntN(3)]
		case 3:
			s["items"] = sub()
		case 4:
			s["prefixItems"] = list{sub()}
		case 5:
			s["minItems"] = r.IntN(3)
		case 6:
			s["maxLength"] = r.IntN(3)
		case 7:
			s["minimum"] = r.IntN(5)
		case 8:
			s["enum"] = list{randomValue(r, 1), randomValue(r, 1)}
		case 9:
			s["anyOf"] = list{sub(), sub()}
		case 10:
			s["oneOf"] = list{sub(), sub()}
		case 11:
			s["allOf"] = list{sub(), sub()}
		case 12:
			s["not"] = sub()
		case 13:
			s["pattern"] = "^a"
		case 14:
			s["default"] = randomValue(r, 2)
		}
	}
	return s
}

func randomValue(r *rand.Rand, depth int) any {
	kind := r.IntN(7)
	if depth == 0 {
		kind = r.IntN(5)
	}
	switch kind {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return float64(r.IntN(6))
	case 3:
		return []string{"", "a", "abc", "5", "true", `[1.0,"2"]`, `{"a":"1"}`}[r.IntN(7)]
	case 4:
		return 1.5
	case 5:
		items := list{}
		for range r.IntN(3) {
			items = append(items, randomValue(r, depth-1))
		}
		return items
	}
	members := object{}
	for range r.IntN(3) {
		members[words[r.IntN(3)]] = randomValue(r, depth-1)
	}
	return members
}

// FuzzRun: whatever a model sends, there is a result; the tool runs exactly if
// the arguments are valid JSON that matches, and then they decode.
func FuzzRun(f *testing.F) {
	for _, args := range []string{
		`{}`, ``, `null`, `[]`, `{"file_path":"a","expected_hash":"sha256:00ff","edits":[{"start_line":1,"end_line":"2"}]}`,
		`{"file_path":"a","expected_hash":"sha256:00ff","edits":"[{\"start_line\":1e0,\"end_line\":2.0}]"}`, `{"a":1,"a":2}`, "{\"\xff\":1}", `{"edits":1e400}`, `"\ud800"`,
	} {
		f.Add("edits", args, false)
		f.Add("all", args, true)
	}
	set := newSet(f, lawTools(f)...)
	f.Fuzz(func(t *testing.T, name, args string, raw bool) {
		call := llm.ToolCall{Name: name, Arguments: []byte(args)}
		if raw {
			call = llm.ToolCall{Name: name, Raw: args}
		}
		r := tool.Run(t.Context(), set, call, nil)
		if r.IsError != (r.Output != "" && r.Code() != "") || r.Code() == tool.CodeCrashed {
			t.Fatalf("%+v", r)
		}
		if r.IsError && r.Code() != tool.CodeInvalid && r.Code() != tool.CodeUnknownTool {
			t.Fatalf("%+v", r)
		}
		if _, err := json.Marshal(tool.Canonical(tool.Call{Name: name}, r, nil)); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzValidate: no schema and no value breaks it, and the laws of repair hold.
func FuzzValidate(f *testing.F) {
	for _, made := range lawTools(f) {
		f.Add([]byte(made.Spec().Schema), []byte(`{"a":1}`))
	}
	f.Add([]byte(`{"$ref":"#","anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"not":{}}}}`), []byte(`1`))
	f.Add([]byte(`{"properties":{"a":{"type":"integer","default":1}}}`), []byte(`{"a":"1"}`))
	f.Fuzz(func(t *testing.T, schema, value []byte) {
		checkRepair(t, schema, value)
	})
}

// checkRepair: a repaired value is valid, and repairing it again changes
// nothing. A valid value can be repaired.
func checkRepair(t *testing.T, schema, value []byte) {
	t.Helper()
	valid := tool.Validate(schema, value)
	repaired, err := tool.Repair(schema, value)
	if err != nil {
		if err.Error() == "" || valid == nil {
			t.Fatalf("%s: %s: valid: %v, repaired: %v", schema, value, valid, err)
		}
		return
	}
	if err := tool.Validate(schema, repaired); err != nil {
		t.Fatalf("%s became %s, which is invalid: %v", value, repaired, err)
	}
	if again, err := tool.Repair(schema, repaired); err != nil || string(again) != string(repaired) {
		t.Fatalf("%s: %s, repaired again: %s, %v", schema, repaired, again, err)
	}
}

func BenchmarkRun(b *testing.B) {
	set := newSet(b, newEcho[editsArgs](b, "edits"))
	call := llm.ToolCall{Name: "edits", Arguments: []byte(`{"file_path":"a","expected_hash":"sha256:00ff","edits":[{"start_line":1,"end_line":2,"new_text":"x"}]}`)}
	for b.Loop() {
		if r := tool.Run(b.Context(), set, call, nil); r.IsError {
			b.Fatal(r.Output)
		}
	}
}
