package text

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestScripts runs the edits in testdata/*.txtar. Each archive holds groups of
// three files: NAME/before, NAME/edit and NAME/after. The texts are written
// with Go escapes, so that every byte shows; the last newline is not part of
// them. An edit is one call a line; after starting with "error: " names the
// error that is wanted.
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
		for i := 0; i+2 < len(a.Files); i += 3 {
			name := filepath.Dir(a.Files[i].Name)
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+name, func(t *testing.T) {
				before, script, after := a.Files[i], a.Files[i+1], a.Files[i+2]
				d := New(unescape(t, before.Data))
				got, err := run(t, d, string(script.Data))
				want := strings.TrimSuffix(string(after.Data), "\n")
				if wantErr, ok := strings.CutPrefix(want, "error: "); ok {
					if err == nil {
						t.Fatalf("got %q, want error %q", got, wantErr)
					}
					if known := errorNames[wantErr]; known == nil || !errors.Is(err, known) {
						t.Fatalf("got error %v, want %s", err, wantErr)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got.Bytes(), unescape(t, after.Data)) {
					t.Errorf("\n got %q\nwant %s", got, want)
				}
				if !bytes.Equal(d.Bytes(), unescape(t, before.Data)) {
					t.Errorf("the edited document itself became %q", d)
				}
			})
		}
	}
}

var errorNames = map[string]error{
	"range": ErrRange, "overlap": ErrOverlap, "not found": ErrNotFound, "ambiguous": ErrAmbiguous,
	"no change": ErrNoChange, "empty": ErrEmpty,
}

func unescape(t *testing.T, b []byte) []byte {
	t.Helper()
	s, err := strconv.Unquote(`"` + strings.ReplaceAll(strings.TrimSuffix(string(b), "\n"), `"`, `\"`) + `"`)
	if err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return []byte(s)
}

// run makes the edits of a script: the line edits all at once, the others one
// after the other.
func run(t *testing.T, d *Document, script string) (*Document, error) {
	var edits []Edit
	for call := range strings.Lines(script) {
		name, rest, _ := strings.Cut(strings.TrimSuffix(call, "\n"), " ")
		var err error
		switch name {
		case "insert": // insert AFTER CONTENT
			after, content := intArg(t, rest)
			if !strings.Contains(script, "\n"+"insert") && strings.Count(script, "\n") == 1 {
				return d.Insert(after, unescape(t, []byte(content)))
			}
			edits = append(edits, Edit{Range{after + 1, after + 1}, unescape(t, []byte(content))})
		case "replace": // replace FIRST LAST CONTENT
			first, rest := intArg(t, rest)
			last, content := intArg(t, rest)
			if strings.Count(script, "\n") == 1 {
				return d.Replace(Range{first, last + 1}, unescape(t, []byte(content)))
			}
			edits = append(edits, Edit{Range{first, last + 1}, unescape(t, []byte(content))})
		case "delete": // delete FIRST LAST
			first, rest := intArg(t, rest)
			last, _ := intArg(t, rest)
			if strings.Count(script, "\n") == 1 {
				return d.Delete(Range{first, last + 1})
			}
			edits = append(edits, Edit{Range: Range{first, last + 1}})
		case "text", "all": // text OLD -> NEW
			old, new, _ := strings.Cut(rest, "->")
			d, _, err = d.ReplaceText(unescape(t, []byte(strings.TrimSuffix(old, " "))), unescape(t, []byte(strings.TrimPrefix(new, " "))), name == "all")
		case "rewrite": // rewrite CONTENT
			d = d.Rewrite(unescape(t, []byte(rest)))
		default:
			t.Fatalf("unknown call %q", call)
		}
		if err != nil {
			return nil, err
		}
	}
	if edits != nil {
		return d.Apply(edits...)
	}
	return d, nil
}

func intArg(t *testing.T, s string) (int, string) {
	t.Helper()
	word, rest, _ := strings.Cut(s, " ")
	n, err := strconv.Atoi(word)
	if err != nil {
		t.Fatal(err)
	}
	return n, rest
}

func TestAmbiguousErrorIsShort(t *testing.T) {
	d := FromString(strings.Repeat("ab\n", 100000))
	_, _, err := d.ReplaceText([]byte("ab"), []byte("x"), false)
	var e *AmbiguousError
	if !errors.As(err, &e) || e.Count != 100000 || len(e.Lines) != placesShown {
		t.Fatalf("got %v", err)
	}
	if n := len(err.Error()); n > 200 {
		t.Errorf("the message has %d bytes", n)
	}
}

func TestEstimateTokens(t *testing.T) {
	// What the o200k vocabulary makes of the files in testdata/tokens, counted
	// once with a real tokenizer.
	data, err := os.ReadFile("testdata/tokens/counts.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var want, within int
		var name string
		if _, err := fmt.Sscan(line, &name, &want, &within); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile("testdata/tokens/" + name)
		if err != nil {
			t.Fatal(err)
		}
		got := EstimateTokens(b)
		if off := 100 * (got - want) / want; off > within || off < -within {
			t.Errorf("%s: estimate %d, real %d: off by %d %%, more than %d %%", name, got, want, off, within)
		}
	}
	if EstimateTokens(nil) != 0 {
		t.Error("nothing has tokens")
	}
}
