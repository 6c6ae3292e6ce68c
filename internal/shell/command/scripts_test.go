package command_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the results in testdata anew")

// TestScripts runs the commands of testdata/scripts: each file has, before its files,
// lines "$ command" with what they print, "! message" and "= status". A file "-> name"
// is a link.
func TestScripts(t *testing.T) {
	names, err := filepath.Glob("testdata/scripts/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			for _, f := range archive.Files {
				files[f.Name] = string(f.Data)
			}
			var got strings.Builder
			for line := range strings.Lines(string(archive.Comment)) {
				switch line[0] {
				case '#', '\n':
					got.WriteString(line)
				case '$':
					got.WriteString(line)
					args := strings.Fields(line[1:])
					r := invocation{base: folder(files), args: args}.run(t)
					got.WriteString(indented("  ", r.stdout) + indented("! ", r.stderr))
					if r.status != 0 {
						fmt.Fprintf(&got, "= %d\n", r.status)
					}
				}
			}
			if *update {
				archive.Comment = []byte(got.String())
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got.String() != string(archive.Comment) {
				t.Errorf("%s: the commands print\n%s\nand should print\n%s", name, got.String(), archive.Comment)
			}
		})
	}
}

func indented(mark, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(mark + strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String()
}
