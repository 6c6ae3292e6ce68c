package outline_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"redline/internal/outline"
	"redline/internal/text"
)

// FuzzOutline: whatever the bytes are,
//   - front matter is inside of the document, and no heading or Markdown link in it;
//   - headings are in order, their sections nest and end inside;
//   - targets of links are inside, in order and never overlap;
//   - each target spelled as itself gives the same bytes;
//   - the names of all targets are mentioned.
func FuzzOutline(f *testing.F) {
	for _, b := range documents(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc := text.New(data)
		front := outline.FrontMatter(doc)
		if front < 0 || front == 1 || front > doc.Lines() {
			t.Fatalf("%d lines of front matter in %d", front, doc.Lines())
		}
		checkHeadings(t, doc, front)
		checkLinks(t, doc, front)
	})
}

func checkHeadings(t *testing.T, doc *text.Document, front int) {
	t.Helper()
	last := front
	var open []outline.Heading
	for _, h := range outline.Headings(doc) {
		if h.Line <= last || h.Last < h.Line || h.End < h.Last || h.End > doc.Lines() || h.Level < 1 || h.Level > 6 {
			t.Fatalf("heading %+v after line %d of %d", h, last, doc.Lines())
		}
		last = h.Last
		for len(open) > 0 && open[len(open)-1].End < h.Line {
			open = open[:len(open)-1]
		}
		if len(open) > 0 && (h.End > open[len(open)-1].End || h.Level <= open[len(open)-1].Level) {
			t.Fatalf("heading %+v in %+v", h, open[len(open)-1])
		}
		open = append(open, h)
		if strings.ContainsAny(h.Text, "\r\n") {
			t.Fatalf("heading %q has a line end", h.Text)
		}
	}
}

func checkLinks(t *testing.T, doc *text.Document, front int) {
	t.Helper()
	var same []byte
	at := 0
	for _, l := range outline.Links(doc) {
		if l.Start < at || l.End < l.Start || l.End > doc.Len() {
			t.Fatalf("link %+v after byte %d of %d", l, at, doc.Len())
		}
		if (l.Kind == outline.Property) != (l.Start < doc.Offset(front)) {
			t.Fatalf("link %+v, but the front matter has %d bytes", l, doc.Offset(front))
		}
		if l.Target == "" && l.Anchor == "" {
			t.Fatalf("link %+v names nothing", l)
		}
		s, ok := l.Spell(l.Target)
		if !ok {
			t.Fatalf("%+v cannot be spelled", l)
		}
		name := l.Target[strings.LastIndexByte(l.Target, '/')+1:]
		if l.Target != "" && !outline.Mentions(doc.Bytes(), func(s []byte) bool { return string(s) == name }) {
			t.Fatalf("%+v is not mentioned", l)
		}
		same = append(append(same, doc.Bytes()[at:l.Start]...), s...)
		at = l.End
	}
	if same = append(same, doc.Bytes()[at:]...); !bytes.Equal(same, doc.Bytes()) {
		t.Fatalf("each target by itself\n got %q\nwant %q", same, doc)
	}
}

// documents are those of testdata and of the examples.
func documents(tb testing.TB) [][]byte {
	tb.Helper()
	var list [][]byte
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		tb.Fatal(err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		for _, f := range a.Files {
			list = append(list, f.Data)
		}
	}
	for _, path := range notes(tb) {
		data, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		list = append(list, data)
	}
	return list
}

func notes(tb testing.TB) []string {
	tb.Helper()
	var list []string
	err := filepath.WalkDir(notebook, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			list = append(list, path)
		}
		return err
	})
	if err != nil || len(list) == 0 {
		tb.Fatalf("%d notes: %v", len(list), err)
	}
	return list
}

const notebook = "../../examples/notebook"

// unwritten are notes that others name before they exist.
var unwritten = map[string]bool{"Thank-you letter to the Trust": true}

// TestNotebook: in real notes every link leads to a file, and a wikilink with a
// heading to that heading.
func TestNotebook(t *testing.T) {
	byName := map[string]string{}
	for _, path := range notes(t) {
		byName[strings.ToLower(strings.TrimSuffix(filepath.Base(path), ".md"))] = path
	}
	count := 0
	for _, path := range notes(t) {
		doc := read(t, path)
		for _, l := range outline.Links(doc) {
			count++
			file := path
			switch {
			case l.Kind.IsWiki() && l.Target != "":
				file = byName[strings.ToLower(strings.TrimSuffix(filepath.Base(l.Target), ".md"))]
			case l.Target != "":
				file = filepath.Join(filepath.Dir(path), filepath.FromSlash(l.Target))
			}
			if unwritten[l.Target] {
				continue
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s:%d: %q leads nowhere", path, doc.LineAt(l.Start)+1, l.Target)
				continue
			}
			if !l.Kind.IsWiki() || l.Anchor == "" || strings.HasPrefix(l.Anchor, "^") {
				continue
			}
			if _, err := outline.Find(outline.Headings(read(t, file)), l.Anchor); err != nil {
				t.Errorf("%s:%d: %v", path, doc.LineAt(l.Start)+1, err)
			}
		}
	}
	if count < 50 {
		t.Errorf("only %d links in the notebook", count)
	}
}

func read(t *testing.T, path string) *text.Document {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text.New(data)
}
