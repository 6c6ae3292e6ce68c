package project_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"redline/internal/ops"
	"redline/internal/toolset/project"
	"redline/internal/toolset/toolsettest"
	"redline/tool"
)

// seedFolder is a folder in which the examples of the contract come true.
func seedFolder() map[string]string {
	var b strings.Builder
	for i := 1; i <= 30; i++ {
		if i == 18 {
			b.WriteString("The onboarding checklist.\n")
		} else {
			fmt.Fprintf(&b, "Line %d.\n", i)
		}
	}
	return map[string]string{"notes/team/onboarding.md": b.String(), "notes/team/weekly.md": "weekly\n"}
}

var anyHash = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

// TestSeedExamples makes the calls that the contract shows and compares the
// canonical results: with a golden file, and in their keys and types with what
// the contract shows, in testdata/seed.
func TestSeedExamples(t *testing.T) {
	ctx := context.Background()
	b := toolsettest.NewBench(t, kit(project.Limits{}), seedFolder())
	tools, err := project.New(b.Desk, project.Options{Ask: func(context.Context, string) (string, error) { return "Use concise headings only", nil }})
	if err != nil {
		t.Fatal(err)
	}
	set, err := tool.NewSet(tools...)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"search_project", "read_file", "list_files", "clarify_user", "propose_edits"} {
		raw, err := os.ReadFile(filepath.Join("testdata/seed", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if name == "propose_edits" {
			read, err := b.Desk(ctx).Read(ctx, ops.ReadRequest{Path: "notes/team/onboarding.md", From: 14, To: 22})
			if err != nil {
				t.Fatal(err)
			}
			raw = bytes.ReplaceAll(raw, []byte("sha256:..."), []byte(read.PartHash.String()))
		}
		var example struct {
			Call   tool.Call
			Result any
		}
		if err := json.Unmarshal(raw, &example); err != nil {
			t.Fatal(err)
		}
		tl, err := set.Find(example.Call.Name)
		if err != nil {
			t.Fatal(err)
		}
		call, err := tool.Prepare(tl, example.Call)
		if err != nil {
			t.Fatal(err)
		}
		r, err := tl.Execute(ctx, call, nil)
		result := tool.Canonical(call, r, err)
		toolsettest.Golden(t, "testdata/golden/"+name+".json", pretty(t, result))
		var got any
		if err := json.Unmarshal(result.Result, &got); err != nil {
			t.Fatalf("%s: %v: %s", name, err, result.Error)
		}
		within(t, name, example.Result, got)
	}
}

// TestSeedError: the canonical error has a code and a message.
func TestSeedError(t *testing.T) {
	b := toolsettest.NewBench(t, kit(project.Limits{}), seedFolder())
	tl, err := b.Set().Find("read_file")
	if err != nil {
		t.Fatal(err)
	}
	call := tool.Call{ID: "tc_1", Name: "read_file", Arguments: json.RawMessage(`{"file_path":"notes/team/onbording.md"}`)}
	r, err := tl.Execute(context.Background(), call, nil)
	toolsettest.Golden(t, "testdata/golden/error.json", pretty(t, tool.Canonical(call, r, err)))
}

// TestShown: what the contract shows is a number of lines, also for a file that is
// longer than a reading.
func TestShown(t *testing.T) {
	b := toolsettest.NewBench(t, kit(project.Limits{}), map[string]string{"long.md": strings.Repeat("line\n", 1000), "wide.md": strings.Repeat(strings.Repeat("x", 999)+"\n", 100)})
	read := func(arguments string) (r struct {
		Content   string
		EndLine   int `json:"end_line"`
		Truncated bool
	}) {
		tl, err := b.Set().Find("read_file")
		if err != nil {
			t.Fatal(err)
		}
		out, err := tl.Execute(context.Background(), tool.Call{Name: "read_file", Arguments: json.RawMessage(arguments)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := json.Marshal(out.Details)
		if err := json.Unmarshal(raw, &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := read(`{"file_path":"long.md"}`); r.EndLine != 800 || !r.Truncated {
		t.Errorf("a long file: %d lines, truncated %v", r.EndLine, r.Truncated)
	}
	if r := read(`{"file_path":"long.md","start_line":1,"end_line":1000}`); r.EndLine != 1000 || r.Truncated {
		t.Errorf("a long range: %d lines, truncated %v", r.EndLine, r.Truncated)
	}
	if r := read(`{"file_path":"wide.md"}`); r.EndLine != 65 || len(r.Content) > 65536 || !r.Truncated {
		t.Errorf("a large file: %d lines of %d bytes", r.EndLine, len(r.Content))
	}
	if r := read(`{"file_path":"wide.md","max_bytes":2000000}`); r.EndLine != 100 || r.Truncated {
		t.Errorf("all of a large file: %d lines", r.EndLine)
	}
}

func pretty(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return anyHash.ReplaceAllString(b.String(), "sha256:...")
}

// within fails unless got has every key of want, with a value of the same type.
func within(t *testing.T, at string, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			t.Errorf("%s is %T, not an object", at, got)
			return
		}
		for key, value := range want {
			if _, ok := object[key]; !ok {
				t.Errorf("%s has no %s", at, key)
				continue
			}
			within(t, at+"."+key, value, object[key])
		}
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			t.Errorf("%s is %v, not a list of %d", at, got, len(want))
			return
		}
		for i := range want {
			within(t, fmt.Sprintf("%s[%d]", at, i), want[i], list[i])
		}
	default:
		if fmt.Sprintf("%T", want) != fmt.Sprintf("%T", got) {
			t.Errorf("%s is %T, not %T", at, got, want)
		}
	}
}

// TestDescribedLimits: the model is told the limits that hold.
func TestDescribedLimits(t *testing.T) {
	limits := project.Limits{SearchResults: 11, SearchCap: 12, SnippetLines: 13, ReadBytes: 14, ReadLines: 15, ReadCap: 16, Files: 17}
	b := toolsettest.NewBench(t, kit(limits), nil)
	var all []string
	for _, spec := range b.Set().Specs() {
		all = append(all, strings.Fields(strings.NewReplacer(",", " ", ".", " ").Replace(spec.Description))...)
	}
	for n := 11; n <= 17; n++ {
		if !slices.Contains(all, fmt.Sprint(n)) {
			t.Errorf("the limit %d is not in the descriptions", n)
		}
	}
}
