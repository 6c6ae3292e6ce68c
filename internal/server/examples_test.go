package server_test

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// TestExamples: the requests of the API's contract are accepted as they stand there,
// and the answers have its keys, types and values. A file says the request, its body,
// and the answer: all of it (response.json), or what it has at least (contains.json).
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("testdata/examples/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	c := newContract(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { c.example(t, file) })
	}
}

func (c *contract) example(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(archive.Comment))
	part := map[string]string{}
	for _, f := range archive.Files {
		part[f.Name] = string(f.Data)
	}
	got := c.send(t, attempt{route: words[0] + " " + words[1], body: part["request.json"]}, true)
	if strconv.Itoa(got.status) != words[2] {
		t.Fatalf("%d: %s", got.status, got.body)
	}
	answer := decode(t, string(got.body))
	if want, ok := part["response.json"]; ok {
		if diff := cmp.Diff(decode(t, want), answer); diff != "" {
			t.Errorf("- wanted, + got:\n%s", diff)
		}
		return
	}
	want := decode(t, part["contains.json"])
	if diff := cmp.Diff(want, within(want, answer)); diff != "" {
		t.Errorf("- wanted, + got:\n%s", diff)
	}
}

func decode(t *testing.T, s string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%v: %s", err, s)
	}
	return v
}

// within is as much of a value as the pattern has keys for.
func within(pattern, value any) any {
	switch p := pattern.(type) {
	case map[string]any:
		v, ok := value.(map[string]any)
		if !ok {
			return value
		}
		part := map[string]any{}
		for key := range p {
			if _, ok := v[key]; ok {
				part[key] = within(p[key], v[key])
			}
		}
		return part
	case []any:
		v, ok := value.([]any)
		if !ok || len(v) != len(p) {
			return value
		}
		part := make([]any, len(p))
		for i := range p {
			part[i] = within(p[i], v[i])
		}
		return part
	}
	return value
}
