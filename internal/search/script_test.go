package search_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"redline/internal/search"
	"redline/internal/workspace"
)

var update = flag.Bool("update", false, "renew the wanted results in testdata")

// TestScripts runs the queries in testdata/*.txtar. An archive holds
//
//	tree/PATH      a file of the folder; escaped/PATH the same with Go escapes
//	staged/PATH    a file as the searching turn sees it; "gone" stands for none
//	NAME.query     a query, a field a line
//	NAME.want      what it finds
//
// A result is written file by file and line by line: ">" marks the lines that
// match, and the numbers behind "@" are the bytes that do.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			runScript(t, a)
			if *update {
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func runScript(t *testing.T, a *txtar.Archive) {
	dir := t.TempDir()
	view := search.View{Policy: workspace.ForDocuments()}
	for i, f := range a.Files {
		kind, name, _ := strings.Cut(f.Name, "/")
		switch kind {
		case "tree":
			write(t, dir, name, f.Data)
		case "escaped":
			write(t, dir, name, unescape(t, f.Data))
		case "staged":
			view.Changes = append(view.Changes, change(name, string(f.Data)))
		}
		query, ok := strings.CutSuffix(f.Name, ".query")
		if !ok {
			continue
		}
		if view.Folder == nil {
			view.Folder = openFolder(t, dir)
		}
		t.Run(query, func(t *testing.T) {
			got := ask(t, view, string(f.Data))
			if i+1 == len(a.Files) || a.Files[i+1].Name != query+".want" {
				t.Fatalf("no %s.want behind it", query)
			}
			want := &a.Files[i+1]
			if *update {
				want.Data = []byte(got)
			} else if got != string(want.Data) {
				t.Errorf("got\n%s\nwant\n%s", got, want.Data)
			}
		})
	}
}

// change is a staged file; its content may be "gone".
func change(name, content string) search.Change {
	c := search.Change{Path: workspace.MustPath(name)}
	if strings.TrimSpace(content) != "gone" {
		c.Read = func(context.Context) ([]byte, error) { return []byte(content), nil }
	}
	return c
}

func unescape(t *testing.T, b []byte) []byte {
	t.Helper()
	s, err := strconv.Unquote(`"` + strings.ReplaceAll(strings.TrimSuffix(string(b), "\n"), `"`, `\"`) + `"`)
	if err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return []byte(s)
}

// ask makes the query that the lines describe and writes its result.
func ask(t *testing.T, view search.View, text string) string {
	var q search.Query
	names := false
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		number, _ := strconv.Atoi(value)
		switch key {
		case "literal":
			q.Text = value
		case "regexp":
			q.Text, q.Regexp = value, true
		case "names":
			q.Text, names = value, true
		case "case":
			q.Case = map[string]search.Case{"any": search.Insensitive, "smart": search.Smart}[value]
		case "word":
			q.Word = true
		case "under":
			q.Under = workspace.MustPath(value)
		case "include":
			q.Include = append(q.Include, value)
		case "exclude":
			q.Exclude = append(q.Exclude, value)
		case "context":
			q.Context = number
		case "max lines":
			q.MaxLines = number
		case "max line":
			q.MaxLine = number
		case "max hits":
			q.MaxHits = number
		case "max per file":
			q.MaxPerFile = number
		case "policy":
			view.Policy = workspace.ForCode()
		default:
			t.Fatalf("unknown field %q", key)
		}
	}
	if names {
		paths, total, err := search.Names(context.Background(), view, q.Pattern, q.Scope, q.MaxHits)
		return written(err, func(b *strings.Builder) {
			for _, p := range paths {
				fmt.Fprintln(b, p)
			}
			fmt.Fprintf(b, "%d in all\n", total)
		})
	}
	r, err := search.Content(context.Background(), view, q)
	return written(err, func(b *strings.Builder) { writeResult(b, r) })
}

func written(err error, write func(*strings.Builder)) string {
	var b strings.Builder
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
	} else {
		write(&b)
	}
	return b.String()
}

func writeResult(b *strings.Builder, r *search.Result) {
	for _, f := range r.Files {
		for _, h := range f.Hits {
			fmt.Fprintf(b, "%s:%d-%d\n", f.Path, h.Start(), h.End())
			for i, text := range strings.Split(h.Snippet(), "\n") {
				l, mark, at := h.Lines[i], " ", ""
				if l.Matches() {
					mark, at = ">", " @"
				}
				for k, s := range l.Spans {
					if k > 0 {
						at += ","
					}
					at += fmt.Sprintf("%d-%d", s.Start, s.End)
				}
				fmt.Fprintln(b, strings.TrimRight(fmt.Sprintf("%s %d|%s%s", mark, l.Number, text, at), " "))
			}
		}
		if f.More {
			fmt.Fprintf(b, "%s: more\n", f.Path)
		}
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(b, "%s: skipped, %s\n", s.Path, s.Reason)
	}
	if r.More {
		fmt.Fprintln(b, "more")
	} else {
		fmt.Fprintf(b, "%d searched\n", r.Searched)
	}
}
