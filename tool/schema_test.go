package tool_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"redline/tool"
)

var update = flag.Bool("update", false, "renew the want files in testdata")

// golden compares got with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func indent(t *testing.T, data []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, data, "", "  "); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return b.String() + "\n"
}

// Arguments as real tools have them.
type (
	readArgs struct {
		FilePath string `json:"file_path" jsonschema:"path to file to read (relative or absolute)" min:"1"`
		Offset   *int   `json:"offset,omitempty" jsonschema:"line number to start reading from" min:"1"`
		Limit    int    `json:"limit,omitempty" jsonschema:"lines to read" min:"1" max:"5000"`
	}
	searchArgs struct {
		Query string `json:"query" min:"1"`
		Glob  string `json:"glob" default:"**/*"`
		Limit int    `json:"limit" min:"1" max:"50" default:"20"`
	}
	position struct {
		AfterHeading string `json:"after_heading,omitempty"`
		LineNumber   int    `json:"line_number,omitempty" min:"1"`
	}
	documentArgs struct {
		Path      string    `json:"path" jsonschema:"the path to the document to edit"`
		Operation string    `json:"operation" enum:"replace, append, prepend, insert" jsonschema:"the type of edit operation"`
		Content   string    `json:"content"`
		Position  *position `json:"position" jsonschema:"for insert: where to insert"`
	}
	edit struct {
		Start int      `json:"start_line" min:"1"`
		End   int      `json:"end_line" min:"1"`
		Text  *string  `json:"new_text"`
		Tags  []string `json:"tags,omitempty" enum:"typo,style" max:"2"`
	}
	editsArgs struct {
		File  string `json:"file_path"`
		Hash  string `json:"expected_hash" pattern:"^sha256:[0-9a-f]{4}$"`
		Edits []edit `json:"edits" min:"1" max:"3"`
	}
	level   string
	word    struct{ text string }
	base    struct{ ID string }
	allArgs struct {
		base
		Zebra  string             `json:"zebra"`
		Apple  bool               `json:"apple"`
		Small  int8               `json:"small"`
		Uint   uint               `json:"uint"`
		Ratio  float64            `json:"ratio" min:"-0.5" max:"0.5" default:"0.25"`
		Level  level              `json:"level" enum:"low,high" default:"low"`
		When   time.Time          `json:"when,omitzero"`
		Data   []byte             `json:"data,omitempty"`
		Word   word               `json:"word,omitzero"`
		Scores map[string]float64 `json:"scores,omitempty"`
		Grid   [][]int            `json:"grid,omitempty"`
		Pair   [2]int             `json:"pair,omitzero"`
		Flags  []bool             `json:"flags" default:"[true]"`
		Nested struct {
			Deep []*edit `json:"deep,omitempty"`
		} `json:"nested"`
		Hidden string `json:"-"`
	}
)

func (w *word) UnmarshalText(b []byte) error { w.text = string(b); return nil }

func echo[Args any](_ context.Context, args Args, _ tool.Update) (tool.Result, error) {
	text, err := json.Marshal(args)
	return tool.Result{Output: string(text), Details: args}, err
}

func newEcho[Args any](t testing.TB, name string) tool.Tool {
	t.Helper()
	made, err := tool.New(tool.Info{Name: name, Description: "gives its arguments back"}, echo[Args])
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestSchema(t *testing.T) {
	for _, made := range []tool.Tool{
		newEcho[struct{}](t, "empty"),
		newEcho[readArgs](t, "read"),
		newEcho[searchArgs](t, "search_project"),
		newEcho[documentArgs](t, "edit_document"),
		newEcho[editsArgs](t, "edits"),
		newEcho[allArgs](t, "all"),
	} {
		name := made.Spec().Name
		t.Run(name, func(t *testing.T) {
			text := made.Spec().Schema
			golden(t, "schema/"+name+".json", indent(t, text))
			for _, noise := range []string{`"null"`, `$ref`, `$defs`, `$schema`, `"type":[`, `anyOf`, `:true`} {
				if bytes.Contains(text, []byte(noise)) {
					t.Errorf("the schema contains %s", noise)
				}
			}
		})
	}
}

type (
	selfRef struct {
		Next *selfRef `json:"next,omitempty"`
	}
	ownJSON struct{ n int }
)

func (o *ownJSON) UnmarshalJSON([]byte) error { o.n++; return nil }

// TestBadTypes: what a schema could not express, or a tag that does not fit, is
// an error of New.
func TestBadTypes(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"no struct", newErr[int](), "arguments must be a struct"},
		{"map", newErr[map[string]int](), "arguments must be a struct"},
		{"any", newErr[struct{ A any }](), "can be anything"},
		{"raw JSON", newErr[struct{ A json.RawMessage }](), "reads its own JSON"},
		{"own JSON", newErr[struct{ A []ownJSON }](), "reads its own JSON"},
		{"cycle", newErr[selfRef](), "contains itself"},
		{"channel", newErr[struct{ A chan int }](), "unsupported"},
		{"map key", newErr[struct{ A map[int]int }](), "unsupported map key"},
		{"embedded pointer", newErr[struct{ *base }](), "can be embedded"},
		{"embedded with name", newErr[struct {
			base `json:"base"`
		}](), "can be embedded"},
		{"same name", newErr[struct {
			base
			B int `json:"ID"`
		}](), `the same name "ID"`},
		{"string option", newErr[struct {
			A int `json:"a,string"`
		}](), "json option string"},
		{"empty description", newErr[struct {
			A int `jsonschema:""`
		}](), "empty jsonschema tag"},
		{"enum of int", newErr[struct {
			A int `enum:"1,2"`
		}](), "only strings have an enum"},
		{"empty enum", newErr[struct {
			A string `enum:"a,,b"`
		}](), "none empty"},
		{"double enum", newErr[struct {
			A string `enum:"a,a"`
		}](), "none twice"},
		{"min is no number", newErr[struct {
			A int `min:"one"`
		}](), `tag min:"one": not an integer`},
		{"min of int is a fraction", newErr[struct {
			A int `min:"1.5"`
		}](), "not an integer"},
		{"min of bool", newErr[struct {
			A bool `min:"1"`
		}](), "has no min and max"},
		{"negative length", newErr[struct {
			A string `min:"-1"`
		}](), "not a count"},
		{"min over max", newErr[struct {
			A []string `min:"3" max:"2"`
		}](), "min is greater than max"},
		{"bad pattern", newErr[struct {
			A string `pattern:"("`
		}](), "missing closing"},
		{"pattern of int", newErr[struct {
			A int `pattern:"1"`
		}](), "only strings have a pattern"},
		{"default of wrong type", newErr[struct {
			A int `default:"x"`
		}](), "not valid JSON"},
		{"default out of range", newErr[struct {
			A int `default:"9" max:"5"`
		}](), "must be at most 5, got 9"},
		{"default not in enum", newErr[struct {
			A string `default:"c" enum:"a,b"`
		}](), `must be one of "a", "b"`},
		{"default not in time", newErr[struct {
			A time.Time `default:"now"`
		}](), "must be a time like"},
		{"tag of JSON schema", newErr[struct {
			A int `minimum:"1"`
		}](), "unknown tag minimum; use min"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", test.err, test.want)
			}
		})
	}
}

func newErr[Args any]() error {
	_, err := tool.New(tool.Info{Name: "x", Description: "x"}, echo[Args])
	return err
}

func TestInfo(t *testing.T) {
	tests := []struct {
		info tool.Info
		want string
	}{
		{tool.Info{Name: "a b", Description: "d"}, "1 to 64 letters"},
		{tool.Info{Name: "", Description: "d"}, "1 to 64 letters"},
		{tool.Info{Name: strings.Repeat("a", 65), Description: "d"}, "1 to 64 letters"},
		{tool.Info{Name: "a"}, "description is missing"},
		{tool.Info{Name: "a", Description: "d", ReadOnly: true, Destructive: true}, "both read-only and destructive"},
	}
	for _, test := range tests {
		if _, err := tool.New(test.info, echo[struct{}]); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want one with %q", test.info, err, test.want)
		}
	}
	if _, err := tool.New[struct{}](tool.Info{Name: "a", Description: "d"}, nil); err == nil {
		t.Error("a tool without a function was made")
	}
	defer func() {
		if recover() == nil {
			t.Error("Must did not panic")
		}
	}()
	tool.Must(tool.New(tool.Info{}, echo[struct{}]))
}
