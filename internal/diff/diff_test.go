package diff

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"redline/internal/text"
)

var update = flag.Bool("update", false, "renew the want files in testdata")

// golden runs f on each archive in testdata/dir. An archive has the files that
// f reads and one named want, with which the result is compared.
func golden(t *testing.T, dir string, f func(t *testing.T, file func(name string) string) string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in testdata/%s: %v", dir, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := f(t, func(name string) string {
				for _, file := range a.Files {
					if file.Name == name {
						return string(file.Data)
					}
				}
				return ""
			})
			if !strings.HasSuffix(got, "\n") {
				got += "\n"
			}
			for i, file := range a.Files {
				if file.Name != "want" {
					continue
				}
				if *update {
					a.Files[i].Data = []byte(got)
					if err := os.WriteFile(path, txtar.Format(a), 0o666); err != nil {
						t.Fatal(err)
					}
				} else if d := cmp.Diff(string(file.Data), got); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
			}
		})
	}
}

// shown is d with a mark where the final newline is missing.
func shown(d *text.Document) string {
	if open(d.Bytes()) {
		return d.String() + "\n" + noNewline + "\n"
	}
	return d.String()
}

// document makes a short document rich in the cases that go wrong.
func document(r *rand.Rand) string {
	pieces := []string{"a\n", "b\n", "c\n", "a\n", "\n", "\n", "\r\n", "a\r\n", "b\r\n", "\r", "a", "é", " word", "two words\n", "\x00", "\xff", "\xff\n", "-- \n", "@@ -1 +1 @@\n", "\\ x\n"}
	var b strings.Builder
	if r.IntN(10) == 0 {
		b.WriteString(text.BOM)
	}
	for range r.IntN(16) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// mutate makes a document that has most of s.
func mutate(r *rand.Rand, s string) string {
	d := text.FromString(s)
	var b strings.Builder
	for i := range d.Lines() {
		switch r.IntN(8) {
		case 0:
		case 1:
			b.WriteString(document(r))
		default:
			b.Write(d.Line(i))
		}
	}
	return b.String()
}

// checkDiff checks what every diff promises.
func checkDiff(t *testing.T, a, b *text.Document, changes []Change) {
	t.Helper()
	at := Change{}
	for i, c := range changes {
		gap := c.A.Start - at.A.End
		switch {
		case c.A.Len() == 0 && c.B.Len() == 0:
			t.Fatalf("change %d of %q → %q is empty", i, a, b)
		case gap < 0 || gap == 0 && i > 0 || gap != c.B.Start-at.B.End:
			t.Fatalf("changes %v of %q → %q do not line up", changes, a, b)
		case !bytes.Equal(lines(a, text.Range{Start: at.A.End, End: c.A.Start}), lines(b, text.Range{Start: at.B.End, End: c.B.Start})):
			t.Fatalf("lines before change %d of %q → %q differ", i, a, b)
		}
		at = c
	}
	if got := apply(t, a, b, changes); got != b.String() {
		t.Fatalf("all changes of %q → %q give %q", a, b, got)
	}
}

func apply(t *testing.T, a, b *text.Document, changes []Change) string {
	t.Helper()
	d, err := Apply(a, b, changes)
	if err != nil {
		t.Fatalf("apply %v to %q: %v", changes, a, err)
	}
	return d.String()
}

// seeds are pairs for the fuzz targets.
var seeds = []struct{ a, b string }{
	{"", ""},
	{"", "a"},
	{"a", ""},
	{"a", "a\n"},
	{"a\n", "a\r\n"},
	{"a\nb\nc\n", "a\nc\n"},
	{"a\r\nb\nc", "a\nb\r\nc\n"},
	{text.BOM + "a\n", "a\n"},
	{"a\n\n\n\nb\n", "a\n\nx\n\n\nb\n"},
	{"\x00\n\xff\n", "\x00\xff\n\r\r\n"},
	{"a\rb\n", "a\rc\n"},
	{"one two three. Four five.\n", "one 2 three. Five four.\n"},
	{"-- a\n++ b\n", "@@ -1 +1 @@\n\\ No newline at end of file\n"},
	{"文字列を比較する。次の文。", "文字を比較した。次の文。"},
}

func FuzzApply(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s.a), []byte(s.b), uint64(i)*0x9e3779b97f4a7c15)
	}
	f.Fuzz(func(t *testing.T, x, y []byte, pick uint64) {
		a, b := text.New(x), text.New(y)
		changes := Lines(a, b)
		checkDiff(t, a, b, changes)
		if got := apply(t, a, b, nil); got != a.String() {
			t.Fatalf("no change of %q gives %q", a, got)
		}
		if got := apply(t, b, a, Reverse(changes)); got != a.String() {
			t.Fatalf("%q → %q taken back gives %q", a, b, got)
		}
		checkSubset(t, a, b, changes, pick)
	})
}

// checkSubset applies some of the changes, and then takes them back.
func checkSubset(t *testing.T, a, b *text.Document, changes []Change, pick uint64) {
	t.Helper()
	var want strings.Builder
	var some, back []Change
	at, shift := 0, 0
	for i, c := range changes {
		if pick>>(i%64)&1 == 0 {
			continue
		}
		want.Write(lines(a, text.Range{Start: at, End: c.A.Start}))
		want.Write(lines(b, c.B))
		at = c.A.End
		start := c.A.Start + shift
		some = append(some, c)
		back = append(back, Change{text.Range{Start: start, End: start + c.B.Len()}, c.A})
		shift += c.B.Len() - c.A.Len()
	}
	want.Write(lines(a, text.Range{Start: at, End: a.Lines()}))
	got := apply(t, a, b, some)
	if got != want.String() {
		t.Fatalf("changes %v of %q → %q give %q, want %q", some, a, b, got, want.String())
	}
	if undone := apply(t, text.FromString(got), a, back); undone != a.String() {
		t.Fatalf("changes %v of %q → %q taken back give %q", some, a, b, undone)
	}
}

func TestLinesRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	// Far from the ends of a long document, lines are not even looked at.
	far := strings.Repeat("far\nfrom\n", slideMost)
	for i := range 8000 {
		s := document(r)
		other := mutate(r, s)
		if i%4 == 0 {
			s, other = far+s, far+other
		}
		if i%8 == 0 {
			s, other = s+far, other+far
		}
		a, b := text.FromString(s), text.FromString(other)
		changes := Lines(a, b)
		checkDiff(t, a, b, changes)
		checkSubset(t, a, b, changes, r.Uint64())
		if again := Lines(text.FromString(a.String()), text.FromString(b.String())); !cmp.Equal(changes, again) {
			t.Fatalf("%q → %q gives %v, then %v", a, b, changes, again)
		}
	}
}

// TestLinesMinimal: short documents get a shortest edit script.
func TestLinesMinimal(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 3000 {
		s := document(r)
		a, b := text.FromString(s), text.FromString(mutate(r, s))
		got := Count(a, Lines(a, b))
		if want := lcs(a, b); got.Unchanged != want {
			t.Fatalf("%q → %q leaves %d lines, want %d", a, b, got.Unchanged, want)
		}
	}
}

// lcs is the length of the longest common subsequence, by the book.
func lcs(a, b *text.Document) int {
	row := make([]int, b.Lines()+1)
	for i := range a.Lines() {
		diagonal := 0
		for j := range b.Lines() {
			up := row[j+1]
			if bytes.Equal(a.Line(i), b.Line(j)) {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = up
		}
	}
	return row[b.Lines()]
}

// TestAnchors compares documents long enough to be cut at anchors, and with
// gaps long enough to be searched in windows.
func TestAnchors(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, distinct := range []int{1, 2, 50, 1 << 30} {
		for _, n := range []int{searchMost / 3, searchMost, 2 * searchMost} {
			var a, b strings.Builder
			for range n {
				l := fmt.Sprintf("%d\n", r.IntN(distinct))
				if k := r.IntN(100); k > 0 {
					a.WriteString(l)
				}
				if k := r.IntN(100); k > 0 {
					b.WriteString(l)
				}
			}
			x, y := text.FromString(a.String()), text.FromString(b.String())
			changes := Lines(x, y)
			checkDiff(t, x, y, changes)
			if s := Count(x, changes); s.Unchanged < x.Lines()*9/10 {
				t.Errorf("%d lines, %d distinct: only %+v", n, distinct, s)
			}
		}
	}
}

// large is the size of a document for the tests that would not end if something
// took quadratic time. DIFF_ORACLE makes them larger still.
func large(n int) int {
	if os.Getenv("DIFF_ORACLE") != "" {
		return 5 * n
	}
	return n
}

func TestNoBlowUp(t *testing.T) {
	if testing.Short() {
		t.Skip("large documents")
	}
	many := func(n int, line func(i int) string) *text.Document {
		var b bytes.Buffer
		for i := range n {
			b.WriteString(line(i))
		}
		return text.New(b.Bytes())
	}
	blank := func(int) string { return "\n" }
	r := rand.New(rand.NewPCG(4, 4))
	for _, tt := range []struct {
		name string
		a, b *text.Document
	}{
		{"blank lines", many(large(1_000_000), blank), many(large(980_000), blank)},
		{"unrelated", many(large(20_000), func(i int) string { return fmt.Sprintf("a%d\n", i) }), many(large(20_000), func(i int) string { return fmt.Sprintf("b%d\n", i) })},
		{"few distinct", many(large(10_000), func(int) string { return fmt.Sprintf("%d\n", r.IntN(9)) }), many(large(10_000), func(int) string { return fmt.Sprintf("%d\n", r.IntN(9)) })},
		{"reversed", many(large(20_000), func(i int) string { return fmt.Sprintf("%d\n", i) }), many(large(20_000), func(i int) string { return fmt.Sprintf("%d\n", 1_000_000-i) })},
		{"one line", text.New(bytes.Repeat([]byte("x y "), large(500_000))), text.New(bytes.Repeat([]byte("x z "), large(500_000)))},
		{"fenced blanks", text.FromString("x\n" + strings.Repeat("\n", large(200_000)) + "y\n"), text.FromString("z\n" + strings.Repeat("\n", large(180_000)) + "w\n")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changes := Lines(tt.a, tt.b)
			checkDiff(t, tt.a, tt.b, changes)
			for _, c := range changes {
				Split(tt.a, tt.b, c, nil, DefaultLimits)
			}
			if !Merge3(tt.a, tt.b, tt.a).Clean() {
				t.Error("a merge with only one side is not clean")
			}
		})
	}
}

// TestInterner has more strings than a hash of 32 bits can tell apart.
func TestInterner(t *testing.T) {
	numbers := newInterner(1)
	for i := range 300_000 {
		if id := numbers.id(fmt.Appendf(nil, "%d", i)); int(id) != i {
			t.Fatalf("string %d is number %d", i, id)
		}
	}
	for i := 0; i < 300_000; i += 10 {
		if id := numbers.id(fmt.Appendf(nil, "%d", i)); int(id) != i {
			t.Fatalf("string %d is number %d when seen again", i, id)
		}
	}
}

func TestSlide(t *testing.T) {
	golden(t, "lines", func(t *testing.T, file func(string) string) string {
		p := NewPatch("", "", text.FromString(file("old")), text.FromString(file("new")))
		return p.String()
	})
}

func TestApplyRefuses(t *testing.T) {
	a, b := text.FromString("1\n2\n3\n"), text.FromString("1\nx\n3\n")
	span := func(i, j int) text.Range { return text.Range{Start: i, End: j} }
	for _, changes := range [][]Change{
		{{span(0, 4), span(0, 1)}},
		{{span(0, 1), span(0, 4)}},
		{{span(2, 1), span(0, 0)}},
		{{span(-1, 1), span(0, 0)}},
		{{span(1, 2), span(1, 2)}, {span(1, 2), span(2, 3)}},
		{{span(1, 2), span(1, 2)}, {span(2, 3), span(0, 1)}},
		{{span(2, 3), span(2, 3)}, {span(0, 1), span(0, 1)}},
	} {
		if d, err := Apply(a, b, changes); err == nil {
			t.Errorf("apply %v gives %q", changes, d)
		}
	}
}

func TestMap(t *testing.T) {
	span := func(i, j int) text.Range { return text.Range{Start: i, End: j} }
	changes := []Change{
		{span(2, 4), span(2, 3)},     // two lines became one
		{span(6, 6), span(5, 8)},     // three inserted
		{span(10, 12), span(12, 12)}, // two deleted
	}
	for _, tt := range []struct {
		r, want text.Range
		intact  bool
	}{
		{span(0, 2), span(0, 2), true},
		{span(1, 3), span(1, 3), false},
		{span(2, 4), span(2, 3), false},
		{span(3, 5), span(2, 4), false},
		{span(4, 6), span(3, 5), true},
		{span(4, 7), span(3, 9), false},
		{span(6, 8), span(8, 10), true},
		{span(5, 6), span(4, 5), true},
		{span(6, 6), span(5, 8), false},
		{span(5, 5), span(4, 4), true},
		{span(9, 13), span(11, 13), false},
		{span(12, 13), span(12, 13), true},
		{span(10, 11), span(12, 12), false},
		{span(10, 10), span(12, 12), false},
		{span(0, 20), span(0, 20), false},
	} {
		got, intact := Map(changes, tt.r)
		if got != tt.want || intact != tt.intact {
			t.Errorf("%v became %v, %v, want %v, %v", tt.r, got, intact, tt.want, tt.intact)
		}
	}
}

// TestMapRandom: what Map calls intact is there, byte for byte.
func TestMapRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 20000 {
		s := document(r)
		a, b := text.FromString(s), text.FromString(mutate(r, s))
		start := r.IntN(a.Lines() + 1)
		rng := text.Range{Start: start, End: start + r.IntN(a.Lines()-start+1)}
		changes := Lines(a, b)
		got, intact := Map(changes, rng)
		there, err := b.Slice(got)
		if err != nil {
			t.Fatalf("%q → %q: %v became %v: %v", a, b, rng, got, err)
		}
		if intact && !bytes.Equal(there, lines(a, rng)) {
			t.Fatalf("%q → %q: intact %v became %v, %q", a, b, rng, got, there)
		}
	}
}

func TestTouching(t *testing.T) {
	at := func(i, j int) Change { return Change{A: text.Range{Start: i, End: j}} }
	x := []Change{at(0, 1), at(3, 5), at(7, 7), at(9, 10)}
	y := []Change{at(1, 1), at(2, 3), at(5, 6), at(7, 7), at(11, 12)}
	var got [][2]int
	for i, j := range Touching(x, y) {
		got = append(got, [2]int{i, j})
	}
	if d := cmp.Diff([][2]int{{0, 0}, {1, 1}, {1, 2}, {2, 3}}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, tt := range []struct {
		c, d     Change
		overlaps bool
	}{
		{at(0, 2), at(1, 3), true},
		{at(0, 2), at(2, 3), false},
		{at(0, 2), at(1, 1), true},
		{at(0, 2), at(0, 0), false},
		{at(1, 1), at(1, 1), true},
	} {
		if tt.c.Overlaps(tt.d) != tt.overlaps || tt.d.Overlaps(tt.c) != tt.overlaps {
			t.Errorf("%v overlaps %v: want %v", tt.c, tt.d, tt.overlaps)
		}
	}
}
