package diff

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/text"
)

func TestHeader(t *testing.T) {
	for _, tt := range []struct{ a, b, want string }{
		{"", "x\n", "@@ -0,0 +1 @@"},
		{"x\n", "", "@@ -1 +0,0 @@"},
		{"x\n", "y\nz\n", "@@ -1 +1,2 @@"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\nx\n5\n6\n7\n8\n", "@@ -2,6 +2,7 @@"},
	} {
		a, b := text.FromString(tt.a), text.FromString(tt.b)
		hunks := Hunks(a, b, Lines(a, b), Context)
		if len(hunks) != 1 || hunks[0].Header() != tt.want {
			t.Errorf("%q → %q: %q, want %s", tt.a, tt.b, hunks, tt.want)
		}
	}
}

// TestHunksJoin: hunks whose context would overlap or meet are one.
func TestHunksJoin(t *testing.T) {
	a := text.FromString("1\n2\n3\n4\n5\n6\n7\n8\n")
	b := text.FromString("x\n2\n3\n4\n5\n6\n7\ny\n")
	for context, want := range []int{2, 2, 2, 1, 1} {
		if got := Hunks(a, b, Lines(a, b), context); len(got) != want {
			t.Errorf("context %d: %d hunks, want %d", context, len(got), want)
		}
	}
}

// TestHunksOfSome: the hunks of some of the changes lead to the document that
// has just these.
func TestHunksOfSome(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for range 10000 {
		s := document(r)
		a, b := text.FromString(s), text.FromString(mutate(r, s))
		var some []Change
		for _, c := range Lines(a, b) {
			if r.IntN(2) == 0 {
				some = append(some, c)
			}
		}
		want := text.FromString(apply(t, a, b, some))
		p := Patch{Hunks: Hunks(a, b, some, r.IntN(4))}
		checkApply(t, p, a, want)
		checkApply(t, p.Reverse(), want, a)
		for _, h := range p.Hunks {
			if h.B.End > want.Lines() {
				t.Fatalf("%s of %q", h.Header(), want)
			}
		}
	}
}

func checkApply(t *testing.T, p Patch, a, b *text.Document) {
	t.Helper()
	got, err := p.Apply(a)
	if err != nil {
		t.Fatalf("%s\non %q: %v", p, a, err)
	}
	if got.String() != b.String() {
		t.Fatalf("%s\non %q gives %q, want %q", p, a, got, b)
	}
}

func FuzzPatchRoundTrip(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s.a), []byte(s.b), uint8(i))
	}
	f.Fuzz(func(t *testing.T, x, y []byte, context uint8) {
		a, b := text.New(x), text.New(y)
		p := Patch{Old: "a/x y", New: "b/\"é\t\\", Hunks: Hunks(a, b, Lines(a, b), int(context%8))}
		if len(p.Hunks) == 0 {
			if p.String() != "" || !bytes.Equal(x, y) {
				t.Fatalf("%q → %q: %s", x, y, p)
			}
			return
		}
		parsed, err := Parse(p.Append(nil))
		if err != nil {
			t.Fatalf("%v in\n%s", err, p)
		}
		if !reflect.DeepEqual([]Patch{p}, parsed) {
			t.Fatalf("printed and parsed (-before +after):\n%s", cmp.Diff([]Patch{p}, parsed))
		}
		checkApply(t, parsed[0], a, b)
		checkApply(t, parsed[0].Reverse(), b, a)
		if back := p.Reverse().Reverse(); !reflect.DeepEqual(p, back) {
			t.Fatalf("reversed twice (-before +after):\n%s", cmp.Diff(p, back))
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range seeds {
		f.Add(NewPatch("a", "b", text.FromString(s.a), text.FromString(s.b)).Append(nil), []byte(s.a))
	}
	f.Add([]byte("diff --git a/x b/x\nindex 1..2 100644\n--- a/x\t2020-01-01\n+++ \"b/\\303\\251\"\n@@ -1,2 +1 @@ func\n-a\n \n\n--- c\n+++ d\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n"), []byte("a\n\n"))
	f.Fuzz(func(t *testing.T, data, doc []byte) {
		patches, err := Parse(data)
		if err != nil {
			if !errors.Is(err, ErrPatch) {
				t.Fatalf("%v is not ErrPatch", err)
			}
			return
		}
		var printed []byte
		for _, p := range patches {
			printed = p.Append(printed)
			p.Apply(text.New(doc)) // must not panic
			p.Reverse().Apply(text.New(doc))
		}
		again, err := Parse(printed)
		if err != nil {
			t.Fatalf("%v in what was printed for %q:\n%s", err, data, printed)
		}
		if !reflect.DeepEqual(patches, again) {
			t.Fatalf("parsed %q, printed and parsed again (-first +second):\n%s", data, cmp.Diff(patches, again))
		}
	})
}

// TestPatchOracle makes patch(1) and git apply apply our patches, many files in
// one go.
func TestPatchOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	type file struct{ name, old, new string }
	var files []file
	var all []byte
	add := func(a, b string) {
		f := file{fmt.Sprintf("f %d é.txt", len(files)), a, b}
		p := NewPatch("a/"+f.name, "b/"+f.name, text.FromString(a), text.FromString(b))
		if a != b {
			files, all = append(files, f), p.Append(all)
		}
	}
	for _, s := range seeds {
		add(s.a, s.b)
		add(s.b, s.a)
	}
	for range scatter(t, 1000) {
		s := document(r) + document(r)
		add(s, mutate(r, s))
	}
	for _, tool := range [][]string{{"patch", "-p1", "-s", "--fuzz=0", "--binary"}, {"git", "apply", "--whitespace=nowarn"}} {
		t.Run(tool[0], func(t *testing.T) {
			path, err := exec.LookPath(tool[0])
			if err != nil {
				t.Skip(err)
			}
			dir := t.TempDir()
			for _, f := range files {
				if err := os.WriteFile(filepath.Join(dir, f.name), []byte(f.old), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command(path, tool[1:]...)
			cmd.Dir, cmd.Stdin = dir, bytes.NewReader(all)
			cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_DIR=/nonexistent")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %.1000s", err, out)
			}
			for _, f := range files {
				got, err := os.ReadFile(filepath.Join(dir, f.name))
				if err != nil && f.new != "" {
					t.Fatal(err)
				}
				if string(got) != f.new {
					t.Errorf("%q became %q, want %q", f.old, got, f.new)
				}
			}
		})
	}
}

// TestParseOthers reads what git diff and diff -u write.
func TestParseOthers(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, tool := range [][]string{{"git", "diff", "--no-index", "--text", "old", "new"}, {"diff", "-u", "--text", "old", "new"}} {
		t.Run(tool[0], func(t *testing.T) {
			path, err := exec.LookPath(tool[0])
			if err != nil {
				t.Skip(err)
			}
			dir := t.TempDir()
			for range scatter(t, 200) {
				a := document(r) + document(r)
				b := mutate(r, a)
				if a == "" || b == "" || a == b {
					continue // git has no file names for an empty file
				}
				for name, s := range map[string]string{"old": a, "new": b} {
					if err := os.WriteFile(filepath.Join(dir, name), []byte(s), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				cmd := exec.Command(path, tool[1:]...)
				cmd.Dir = dir
				out, _ := cmd.Output() // exit status 1 says that the files differ
				patches, err := Parse(out)
				if err != nil || len(patches) != 1 {
					t.Fatalf("%v in\n%s", err, out)
				}
				checkApply(t, patches[0], text.FromString(a), text.FromString(b))
			}
		})
	}
}

// TestPatches applies the patch in each archive to doc. The want file is the
// document, or the error.
func TestPatches(t *testing.T) {
	golden(t, "patch", func(t *testing.T, file func(string) string) string {
		patches, err := Parse([]byte(file("patch")))
		if err != nil {
			return "error: " + err.Error() + "\n"
		}
		d := text.FromString(file("doc"))
		for _, p := range patches {
			before := d.String()
			got, err := p.Apply(d)
			if err != nil {
				if d.String() != before {
					t.Errorf("the patched document itself became %q", d)
				}
				return "error: " + err.Error() + "\n"
			}
			d = got
		}
		return shown(d)
	})
}

// TestApplyMoved: a patch finds its place in a document that has grown or
// shrunk elsewhere, and changes nothing else in it.
func TestApplyMoved(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	a := text.FromString(b.String())
	edit := strings.NewReplacer("line 50\n", "fifty\n", "line 150\n", "line 150\nand a half\n", "line 199\n", "last")
	p := NewPatch("a", "b", a, text.FromString(edit.Replace(a.String())))
	for _, elsewhere := range []*strings.Replacer{
		strings.NewReplacer("line 3\n", ""),
		strings.NewReplacer("line 3\n", "line 3\nx\ny\n", "line 100\n", ""),
		strings.NewReplacer("line 40\n", strings.Repeat("new\n", 300)),
		strings.NewReplacer("line 45\n", "line 47\nline 48\nline 49\nline 51\nline 52\nline 53\n"),
	} {
		d := elsewhere.Replace(a.String())
		checkApply(t, p, text.FromString(d), text.FromString(edit.Replace(d)))
	}
}

func TestApplyErrors(t *testing.T) {
	a := text.FromString("a\nb\nc\nd\ne\n")
	p := NewPatch("a", "b", a, text.FromString("a\nb\nX\nd\ne\n"))
	_, err := p.Apply(text.FromString("a\nb\nc\nother\ne\n"))
	var failed *ApplyError
	if !errors.As(err, &failed) || failed.Hunk != 0 || failed.Line != 0 || !errors.Is(err, text.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	h := Patch{Hunks: Hunks(a, text.FromString("a\nb\nX\nd\ne\n"), []Change{{text.Range{Start: 2, End: 3}, text.Range{Start: 2, End: 3}}}, 0)}
	_, err = h.Apply(text.FromString("1\nc\n3\nc\n5\n"))
	if !errors.Is(err, text.ErrAmbiguous) || !errors.As(err, &failed) || !cmp.Equal(failed.Places, []int{1, 3}) {
		t.Errorf("got %v", err)
	}
}
