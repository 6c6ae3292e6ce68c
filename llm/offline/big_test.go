package offline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// played is a folder after requests.
func played(t *testing.T, toolset string, before map[string]string, requests ...string) (*stage, func(name string) string) {
	t.Helper()
	s := newStage(t, toolset, before)
	for _, r := range requests {
		s.request(r)
	}
	return s, func(name string) string {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(s.bench.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
}

var toolsets = []string{"documents", "project", "vault", "coding"}

// TestBig: documents that do not fit into one read, or have lines that do not, keep
// every byte that was not asked about; what cannot be done is said.
func TestBig(t *testing.T) {
	many := ""
	for i := range 12000 {
		many += fmt.Sprintf("line %d of a long text\n", i)
	}
	many += "- [ ] the last todo\n"
	huge := strings.Repeat(many, 5)
	wide := "# Wide\n\n" + strings.Repeat("word ", 1500) + "needle " + strings.Repeat("word ", 1500) + "\n\n- [ ] wide todo\n"
	for _, c := range []struct {
		toolset, text, request string
		want                   string // "" for the text as it was
	}{
		{"documents", wide, `replace "needle" with "pin" in Big`, strings.Replace(wide, "needle", "pin", 1)},
		{"project", wide, `replace "needle" with "pin" in Big`, strings.Replace(wide, "needle", "pin", 1)},
		{"coding", wide, `replace "needle" with "pin" in Big`, strings.Replace(wide, "needle", "pin", 1)},
		{"documents", wide, `tick "wide todo"`, strings.Replace(wide, "[ ]", "[x]", 1)},
		{"coding", wide, `tick "wide todo"`, strings.Replace(wide, "[ ]", "[x]", 1)},
		{"project", many, `tick "the last todo"`, strings.Replace(many, "[ ]", "[x]", 1)},
		{"coding", many, `tick "the last todo"`, strings.Replace(many, "[ ]", "[x]", 1)},
		{"documents", many, `append "The end." to Big`, many + "\nThe end.\n"},
		{"project", many, `append "The end." to Big`, many + "\nThe end.\n"},
		{"coding", many, `append "The end." to Big`, many + "\nThe end.\n"},
		{"documents", many, `prepend "the start" to Big`, "the start\n\n" + many},
		{"project", huge, `append "The end." to Big`, huge + "\nThe end.\n"},
		{"documents", many, `replace "line 7 " with "row 7 " in Big`, ""},
		{"project", many, `replace "line 11000 " with "row 11000 " in Big`, strings.Replace(many, "line 11000 ", "row 11000 ", 1)},
		{"coding", many, `replace "line" with "row" in Big`, strings.ReplaceAll(many, "line", "row")},
		{"documents", many, `replace "line 7 " with "row 7 " everywhere`, ""},
	} {
		t.Run(c.toolset+"/"+c.request, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && (len(c.text) > len(many) || c.toolset == "coding" && c.want == strings.ReplaceAll(many, "line", "row")) {
				t.Skip("the largest take seconds")
			}
			s, file := played(t, c.toolset, map[string]string{"Big.md": c.text}, c.request)
			want := c.want
			if want == "" {
				want = c.text
				if !strings.Contains(s.said.String(), "too large") {
					t.Errorf("it does not say why nothing was changed:\n%s", s.said.String())
				}
			}
			if got := file("Big.md"); got != want {
				i := 0
				for i < min(len(got), len(want)) && got[i] == want[i] {
					i++
				}
				t.Errorf("%d bytes, want %d; the first difference is at %d: %.60q, want %.60q\n%s", len(got), len(want), i, got[i:], want[i:], s.said.String())
			}
		})
	}
}

// TestShown: what a tool says about a text is not shown as a part of it.
func TestShown(t *testing.T) {
	for _, toolset := range toolsets {
		s, _ := played(t, toolset, map[string]string{"Big.md": "# Big\n" + strings.Repeat(strings.Repeat("a line of text ", 500)+"\n", 40)}, "read Big", "how many lines are in Big?")
		for _, notice := range []string{"[read_document:", "WARNING", "base_file_hash", "Read on with"} {
			if strings.Contains(s.said.String(), notice) {
				t.Errorf("%s: it shows %q:\n%.2000s", toolset, notice, s.said.String())
			}
		}
		want := "41 lines"
		if toolset == "documents" {
			want = "Not all of the text could be read"
		}
		if !strings.Contains(s.said.String(), want) {
			t.Errorf("%s: it does not say %q:\n%s", toolset, want, s.said.String()[max(0, s.said.Len()-300):])
		}
	}
}

// TestBytes: whatever line ends, marks and blanks a text has, an edit changes nothing
// else.
func TestBytes(t *testing.T) {
	for i, text := range []string{
		"one Ana\ntwo  \n", "one Ana\r\ntwo\r\n", "one Ana\r\ntwo\nthree\r\n", "one Ana", "\ufeffone Ana\r\nlast", "one\u00a0Ana “quoted” \t\n\n\n", "Ana\n\n\n\n", "---\r\nx: Ana\r\n---\r\nAna\n",
		"a\rb Ana\n", "Ana\u2028x\n", "\n\nAna",
	} {
		for k, toolset := range toolsets {
			if testing.Short() && k != i%len(toolsets) {
				continue // each text with one of them
			}
			t.Run(fmt.Sprintf("%s/%.20q", toolset, text), func(t *testing.T) {
				t.Parallel()
				s, file := played(t, toolset, map[string]string{"Letter.md": text, "Other.md": "Ana"}, `replace "Ana" with "Bob" in Letter`, `replace "Bob" with "Cleo" everywhere`)
				if got, want := file("Letter.md"), strings.ReplaceAll(text, "Ana", "Cleo"); got != want {
					t.Errorf("%q became %q, want %q\n%s", text, got, want, s.said.String())
				}
				if got := file("Other.md"); got != "Ana" {
					t.Errorf("the other one became %q", got)
				}
			})
		}
	}
}
