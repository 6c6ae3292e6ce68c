package tool_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"redline/llm"
	"redline/tool"
)

// TestArguments: each file is a tool, arguments, and what the tool gets or the
// model is told.
func TestArguments(t *testing.T) {
	tools := map[string]tool.Tool{
		"empty": newEcho[struct{}](t, "empty"), "read": newEcho[readArgs](t, "read"),
		"search_project": newEcho[searchArgs](t, "search_project"), "edit_document": newEcho[documentArgs](t, "edit_document"),
		"edits": newEcho[editsArgs](t, "edits"), "all": newEcho[allArgs](t, "all"),
	}
	files, err := filepath.Glob("testdata/arguments/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(strings.TrimSuffix(name, ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			made := tools[strings.TrimSpace(string(archive.Files[0].Data))]
			call := tool.Call{Name: made.Spec().Name, Arguments: []byte(strings.TrimSpace(string(archive.Files[1].Data)))}
			got, err := tool.Prepare(made, call)
			words := string(got.Arguments)
			if err != nil {
				words = err.Error()
				if _, ok := errors.AsType[*tool.InvalidError](err); !ok {
					t.Errorf("%T is no *InvalidError", err)
				}
			}
			checkSameWay(t, made, call, err == nil)
			archive.Files[2].Data = []byte(words + "\n")
			golden(t, "arguments/"+name, string(txtar.Format(archive)))
		})
	}
}

// checkSameWay: Execute, and a tool that does not prepare by itself, judge like
// Prepare.
func checkSameWay(t *testing.T, made tool.Tool, call tool.Call, valid bool) {
	t.Helper()
	if _, err := made.Execute(t.Context(), call, nil); (err == nil) != valid {
		t.Errorf("Execute judges otherwise: %v", err)
	}
	if _, err := tool.Repair(made.Spec().Schema, call.Arguments); (err == nil) != valid {
		t.Errorf("Repair judges otherwise: %v", err)
	}
}

// TestValidate: schemas that no struct of ours makes, as other programs bring
// them.
func TestValidate(t *testing.T) {
	const tree = `{"$defs":{"node":{"type":"object","properties":{"name":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#/$defs/node"}}},"required":["name"]}},"$ref":"#/$defs/node"}`
	tests := []struct{ name, schema, value, want string }{
		{"anything", `true`, `[1]`, ""},
		{"nothing", `false`, `1`, "nothing is allowed here, got 1"},
		{"recursive", tree, `{"name":"a","kids":[{"name":"b","kids":[]}]}`, ""},
		{"recursive, wrong deep down", tree, `{"name":"a","kids":[{"name":"b","kids":[{"name":1}]}]}`, "kids[0].kids[0].name: must be a string, got 1"},
		{"root reference", `{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}`, `{"next":{"next":{"nxt":1}}}`, `next.next.nxt: unknown parameter "nxt"; did you mean "next"?`},
		{"several types", `{"type":["string","null"]}`, `5`, "must be a string or null, got 5"},
		{"null allowed", `{"type":["string","null"]}`, `null`, ""},
		{"const", `{"const":{"a":1}}`, `{"a":2}`, `must be {"a":1}, got an object with "a"`},
		{"enum of numbers", `{"enum":[1,2,null]}`, `1.0`, ""},
		{"not in enum", `{"enum":[1,2,null]}`, `3`, "must be one of 1, 2, null, got 3"},
		{"anyOf", `{"anyOf":[{"type":"integer"},{"type":"object","properties":{"a":{"type":"string"}}}]}`, `{"a":1}`, "a: must be a string, got 1"},
		{"oneOf twice", `{"oneOf":[{"type":"integer"},{"type":"number"}]}`, `1`, "oneOf"},
		{"allOf", `{"allOf":[{"type":"integer"},{"minimum":3}]}`, `1`, "must be at least 3, got 1"},
		{"not", `{"not":{"type":"integer"}}`, `1`, "not"},
		{"if", `{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1}`, "b"},
		{"exclusive", `{"exclusiveMinimum":1}`, `1`, "must be more than 1, got 1"},
		{"exclusive above", `{"exclusiveMaximum":1}`, `1`, "must be less than 1, got 1"},
		{"multiple", `{"multipleOf":5}`, `7`, "multipleOf"},
		{"large bound", `{"maximum":5000000}`, `5000001`, "must be at most 5000000, got 5000001"},
		{"unique", `{"uniqueItems":true}`, `[1,1]`, "uniqueItems"},
		{"tuple", `{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}`, `["a","b"]`, `[1]: must be an integer, got the string "b"`},
		{"pattern properties", `{"patternProperties":{"^x":{"type":"integer"}},"additionalProperties":false}`, `{"x1":1}`, ""},
		{"pattern properties, wrong", `{"patternProperties":{"^x":{"type":"integer"}},"additionalProperties":false}`, `{"x1":"a"}`, "type"},
		{"pattern of another language is not checked", `{"type":"string","pattern":"(?!a)b"}`, `"c"`, ""},
		{"odd name", `{"additionalProperties":{"type":"integer"}}`, `{"a b":"x"}`, `["a b"]: must be an integer`},
		{"required without a schema", `{"required":["a"]}`, `{}`, "a: missing, but required"},
		{"draft 7 reference alone", `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{"type":"integer"}},"$ref":"#/definitions/a","minimum":5}`, `1`, ""},
		{"version between", `{"$schema":"https://json-schema.org/draft/2019-09/schema","oneOf":[{"type":"integer"}]}`, `1`, ""},
		{"no value", `true`, ` `, "empty: send a JSON value"},
		{"not UTF-8", `true`, "\"a\xff\"", "not valid UTF-8 at byte 2"},
		{"deep", `true`, strings.Repeat("[", 200) + strings.Repeat("]", 200), "nested deeper than 128 levels"},
		{"cut number", `{"type":"number"}`, `1e999`, `the number "1e999" is too large`},
		{"tiny is not whole", `{"type":"integer"}`, `1e-999`, "must be an integer, got 1e-999"},
		{"nearly whole", `{"type":"integer"}`, `1.00000000000000000000000000001`, "must be an integer"},
		{"largest", `{"type":"integer"}`, `18446744073709551615`, ""},
		{"large for a number", `{"type":"number"}`, `123456789012345678901234567890`, ""},
		{"long string", `{"type":"integer"}`, `"` + strings.Repeat("é", 100) + `"`, `got the string "` + strings.Repeat("é", 60) + `…"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := tool.Validate([]byte(test.schema), []byte(test.value))
			if test.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			invalid, ok := errors.AsType[*tool.InvalidError](err)
			if !ok || !strings.Contains(invalid.Error(), test.want) {
				t.Errorf("error %v, want an *InvalidError with %q", err, test.want)
			}
		})
	}
}

func TestManyProblems(t *testing.T) {
	err := tool.Validate([]byte(`{"items":{"type":"string"}}`), []byte("["+strings.Repeat("1,", 24)+"1]"))
	invalid, ok := errors.AsType[*tool.InvalidError](err)
	if !ok || len(invalid.Problems) != 20 || !strings.HasSuffix(err.Error(), "- [19]: must be a string, got 1\n- and 5 more\nexpected: any") {
		t.Errorf("%v", err)
	}
}

// TestBadSchema: a schema that cannot be used is no fault of the value.
func TestBadSchema(t *testing.T) {
	for schema, want := range map[string]string{
		``:                          "empty",
		`[]`:                        "",
		`{"type":5}`:                "type",
		`{"properties":{"a":null}}`: "null stands where a schema should",
		`{"$ref":"#"}`:              "leads to itself",
		`{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"}]},"b":{"$ref":"#/$defs/a"}}}`: "leads to itself",
		`{"$ref":"#/$defs/x"}`:                 "leads nowhere",
		`{"$ref":"https://a.b/c"}`:             "leads nowhere",
		`{"$dynamicRef":"#a"}`:                 "not supported",
		`{"properties":{"a":{"$id":"x"}}}`:     "not supported",
		`{"patternProperties":{"(?!a)":true}}`: "no regular expression of Go",
	} {
		err := tool.Validate([]byte(schema), []byte(`{}`))
		if _, ok := errors.AsType[*tool.InvalidError](err); err == nil || ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one about the schema with %q", schema, err, want)
		}
	}
}

// TestRepairForeign: optional things of schemas that know null keep it, and a
// default that its own schema refuses is not filled in.
func TestRepairForeign(t *testing.T) {
	tests := []struct{ schema, value, want string }{
		{`{"properties":{"a":{"type":["integer","null"]},"b":{"type":"integer"},"c":{}}}`, `{"a":null,"b":null,"c":null,"d":null}`, `{"a":null,"c":null,"d":null}`},
		{`{"properties":{"a":{"type":"integer","default":""},"b":{"type":"integer","default":5}}}`, `{}`, `{"b":5}`},
		{`{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}`, `{"a":null}`, `{"a":null}`},
		{`{"properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}}`, `{"a":"7"}`, `{"a":7}`},
		{`{"additionalProperties":{"type":"boolean"}}`, `{"a":"false"}`, `{"a":false}`},
		{`{"properties":{"a":{"default":1}},"maxProperties":1}`, `{"b":2}`, `{"b":2}`},
		{`{"properties":{"a":{"default":{},"properties":{"b":{"default":1}}}}}`, `{}`, `{"a":{"b":1}}`},
		{`{"properties":{"a":{"$ref":"#","default":{}}}}`, `{}`, `{"a":{}}`},
		{`{"type":["integer","string"]}`, `"7"`, `"7"`},
		{`{"type":"array","items":{"type":"integer"}}`, `"[\"1\", 2.0]"`, `[1,2]`},
	}
	for _, test := range tests {
		got, err := tool.Repair([]byte(test.schema), []byte(test.value))
		if err != nil || string(got) != test.want {
			t.Errorf("%s, %s: %s, %v, want %s", test.schema, test.value, got, err, test.want)
		}
	}
}

// TestRepairNotNull: the word null in a string is a word.
func TestRepairNotNull(t *testing.T) {
	if got, err := tool.Repair([]byte(`{"type":["integer","null"]}`), []byte(`"null"`)); err == nil {
		t.Errorf("became %s", got)
	}
}

type rangeArgs struct {
	Start int `json:"start" min:"1"`
	End   int `json:"end" min:"1"`
}

func (a rangeArgs) Check() error {
	if a.End < a.Start {
		return errors.Join(tool.Problem{Path: "end", Message: "must not be before start"}, errors.New("nothing is in between"))
	}
	return nil
}

func (a *rangeArgs) Destructive() bool { return a.End-a.Start > 10 }

func TestCheck(t *testing.T) {
	made := newEcho[rangeArgs](t, "range")
	_, err := tool.Prepare(made, tool.Call{Name: "range", Arguments: []byte(`{"start":3,"end":1}`)})
	want := "invalid arguments for range:\n- end: must not be before start\n- nothing is in between\nexpected: {start: integer ≥ 1, end: integer ≥ 1}"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if _, err := tool.Prepare(made, tool.Call{Name: "range", Arguments: []byte(`{"start":3,"end":3}`)}); err != nil {
		t.Error(err)
	}
}

// plainTool has its schema from elsewhere and cannot prepare by itself.
type plainTool struct{ tool.Tool }

func (p plainTool) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: "plain", Schema: []byte(`{"type":"object","properties":{"n":{"type":"integer","default":3}}}`)}
}

func TestPrepareForeign(t *testing.T) {
	call, err := tool.Prepare(plainTool{}, tool.Call{Name: "plain", Arguments: []byte(`{}`)})
	if err != nil || string(call.Arguments) != `{"n":3}` {
		t.Errorf("%s, %v", call.Arguments, err)
	}
	if _, err = tool.Prepare(plainTool{}, tool.Call{Name: "plain", Arguments: []byte(`{"n":"x"}`)}); err == nil {
		t.Error("wrong arguments were let through")
	}
}
