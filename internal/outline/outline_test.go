package outline_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"redline/internal/outline"
	"redline/internal/text"
)

var update = flag.Bool("update", false, "write what the code answers into testdata")

// TestScripts reads testdata/*.txtar. Each archive holds pairs: a document, and
// behind it what is found in it, one line each.
//
//	NAME.md                    the document
//	NAME.headings | NAME.links what is found
//
// Then the same is found in other spellings of the document: with CRLF, with a
// byte order mark, without its last line end.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+1 < len(a.Files); i += 2 {
			source, want := a.Files[i], &a.Files[i+1]
			show := map[string]func(*text.Document) string{".headings": headings, ".links": links}[filepath.Ext(want.Name)]
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+want.Name, func(t *testing.T) {
				got := show(text.New(source.Data))
				if *update {
					want.Data = []byte(got)
				} else if diff := cmp.Diff(string(want.Data), got); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
				for name, spelling := range spellings {
					if diff := cmp.Diff(got, show(text.New(spelling(bytes.Clone(source.Data))))); diff != "" {
						t.Errorf("%s: -as written +with it\n%s", name, diff)
					}
				}
			})
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

var spellings = map[string]func([]byte) []byte{
	"CRLF": func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) },
	"byte order mark": func(b []byte) []byte {
		return append([]byte(text.BOM), b...)
	},
	"no final newline": func(b []byte) []byte { return bytes.TrimSuffix(b, []byte("\n")) },
}

func headings(doc *text.Document) string {
	var b strings.Builder
	if n := outline.FrontMatter(doc); n > 0 {
		fmt.Fprintf(&b, "front matter: %d lines\n", n)
	}
	for _, h := range outline.Headings(doc) {
		fmt.Fprintf(&b, "%-6s %q lines %d", strings.Repeat("#", h.Level), h.Text, h.Line)
		if h.Last > h.Line {
			fmt.Fprintf(&b, "-%d", h.Last)
		}
		fmt.Fprintf(&b, " to %d\n", h.End)
	}
	return b.String()
}

// links writes each link as LINE:COLUMN, counted from 1 in bytes, its kind and
// its target; what is written in the document only where it differs.
func links(doc *text.Document) string {
	var b strings.Builder
	for _, l := range outline.Links(doc) {
		line := doc.LineAt(l.Start)
		column := l.Start - doc.Offset(line) + 1
		if line == 0 && doc.HasBOM() {
			column -= len(text.BOM)
		}
		fmt.Fprintf(&b, "%d:%d %s", line+1, column, l.Kind)
		if l.Embed {
			b.WriteString(" embed")
		}
		fmt.Fprintf(&b, " %q", l.Target)
		if l.Anchor != "" {
			fmt.Fprintf(&b, " anchor %q", l.Anchor)
		}
		if raw := string(doc.Bytes()[l.Start:l.End]); raw != l.Target {
			fmt.Fprintf(&b, " written %q", raw)
		}
		b.WriteString("\n")
	}
	return b.String()
}
