package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReadme: the session that the README shows is what the program prints, in a
// copy of the sample notebook.
func TestReadme(t *testing.T) {
	const name = "../../README.md"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const open, end = "run by a test, in a copy of examples/notebook. -->\n```console\n", "```\n"
	before, rest, found := strings.Cut(string(data), open)
	session, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatal("the README has no session")
	}
	home := t.TempDir()
	dir := filepath.Join(home, "notebook")
	if err := os.CopyFS(dir, os.DirFS("../../examples/notebook")); err != nil {
		t.Fatal(err)
	}
	alone(t, home)
	readme, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	var got strings.Builder
	for line := range strings.Lines(session) {
		command, ok := strings.CutPrefix(line, "$ redline ")
		if !ok {
			continue
		}
		got.WriteString(line)
		var both bytes.Buffer
		run(context.Background(), split(strings.ReplaceAll(strings.TrimSpace(command), `"`, "'")), streams{in: strings.NewReader(""), out: &both, err: &both})
		got.Write(both.Bytes())
		got.WriteString("\n")
	}
	printed := strings.TrimSuffix(got.String(), "\n")
	if *update {
		if err := os.WriteFile(readme, []byte(before+open+printed+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(plainly(session), plainly(printed)); d != "" {
		t.Errorf("the README shows something else (-README +program; renew with -update):\n%s", d)
	}
}

var varying = regexp.MustCompile(`turn_[0-9a-z]+|, \d+\.\d s\b`)

// plainly leaves out what is never the same twice.
func plainly(s string) string { return varying.ReplaceAllString(s, "") }
