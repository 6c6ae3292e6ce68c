package diff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"redline/internal/text"
)

// TestMerge shows the merged document with its conflicts marked, and where they
// are.
func TestMerge(t *testing.T) {
	golden(t, "merge", func(t *testing.T, file func(string) string) string {
		base, ours, theirs := text.FromString(file("base")), text.FromString(file("ours")), text.FromString(file("theirs"))
		m := Merge3(base, ours, theirs)
		checkMerge(t, base, ours, theirs, m)
		var out strings.Builder
		out.WriteString(shown(text.New(m.Marked(Labels{"ours", "base", "theirs"}))))
		for _, c := range m.Conflicts {
			fmt.Fprintf(&out, "conflict: base %v, ours %v, theirs %v, result %v\n", c.Base, c.Ours, c.Theirs, c.Result)
		}
		return out.String()
	})
}

// checkMerge checks that conflicts are where they say they are.
func checkMerge(t *testing.T, base, ours, theirs *text.Document, m *Merge) {
	t.Helper()
	at := 0
	for _, c := range m.Conflicts {
		for _, s := range []struct {
			d    *text.Document
			r    text.Range
			text []byte
		}{{base, c.Base, c.BaseText}, {ours, c.Ours, c.OursText}, {theirs, c.Theirs, c.TheirsText}, {m.Result, c.Result, c.OursText}} {
			got, err := s.d.Slice(s.r)
			if err != nil || string(got) != string(s.text) {
				t.Fatalf("conflict %+v in %q, %q, %q → %q: %q, %v", c, base, ours, theirs, m.Result, got, err)
			}
		}
		if c.Result.Start < at {
			t.Fatalf("conflict %+v in %q, %q, %q → %q is out of order", c, base, ours, theirs, m.Result)
		}
		at = c.Result.End
	}
}

func FuzzMerge3(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s.a), []byte(s.b), []byte(seeds[(i+1)%len(seeds)].a))
		f.Add([]byte(s.a), []byte(s.b), []byte(s.a+s.b))
	}
	f.Fuzz(func(t *testing.T, x, y, z []byte) { checkMergeLaws(t, text.New(x), text.New(y), text.New(z)) })
}

func checkMergeLaws(t *testing.T, b, o, h *text.Document) {
	t.Helper()
	for _, tt := range []struct{ base, ours, theirs, want *text.Document }{{b, o, b, o}, {b, b, h, h}, {b, o, o, o}, {b, h, h, h}} {
		m := Merge3(tt.base, tt.ours, tt.theirs)
		if !m.Clean() || m.Result.String() != tt.want.String() {
			t.Fatalf("merge of %q, %q, %q gives %q with conflicts %v", tt.base, tt.ours, tt.theirs, m.Result, m.Conflicts)
		}
	}
	there, back := Merge3(b, o, h), Merge3(b, h, o)
	checkMerge(t, b, o, h, there)
	checkMerge(t, b, h, o, back)
	if there.Clean() != back.Clean() || there.Clean() && there.Result.String() != back.Result.String() {
		t.Fatalf("merge of %q, %q, %q gives %q, with sides exchanged %q", b, o, h, there.Result, back.Result)
	}
	var left, right [][3]text.Range
	for _, c := range there.Conflicts {
		left = append(left, [3]text.Range{c.Base, c.Ours, c.Theirs})
	}
	for _, c := range back.Conflicts {
		right = append(right, [3]text.Range{c.Base, c.Theirs, c.Ours})
	}
	if d := cmp.Diff(left, right); d != "" {
		t.Fatalf("merge of %q, %q, %q: conflicts with sides exchanged (-before +after):\n%s", b, o, h, d)
	}
}

func TestMergeRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 14))
	for range 5000 {
		s := document(r) + document(r)
		checkMergeLaws(t, text.FromString(s), text.FromString(mutate(r, s)), text.FromString(mutate(r, s)))
	}
}

// TestRegionsCertain: no shortest edit script changes a line outside of the
// regions, once its changes are slid down. All scripts of short sequences are
// tried.
func TestRegionsCertain(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 15))
	for range 3000 {
		letters := 2 + r.IntN(8)
		sequence := func() []int32 {
			s := make([]int32, r.IntN(9))
			for i := range s {
				s[i] = int32(r.IntN(letters))
			}
			return s
		}
		x, y := sequence(), sequence()
		regions := regions(x, y, letters)
		for _, script := range scripts(x, y) {
			lowest := slide(script, x, y, func(bool, int, int) int { return 0 })
			for _, c := range lowest {
				if !within(c, regions) {
					t.Fatalf("%v → %v: script %v is not within regions %v", x, y, lowest, regions)
				}
			}
		}
	}
}

func within(c Change, regions []Change) bool {
	for _, r := range regions {
		if c.A.Start >= r.A.Start && c.A.End <= r.A.End && c.B.Start >= r.B.Start && c.B.End <= r.B.End {
			return true
		}
	}
	return false
}

// scripts lists all shortest edit scripts.
func scripts(x, y []int32) [][]Change {
	left := make([][]int, len(x)+1) // length of the longest common subsequence of x[i:] and y[j:]
	for i := len(x); i >= 0; i-- {
		left[i] = make([]int, len(y)+1)
		for j := len(y) - 1; j >= 0 && i < len(x); j-- {
			left[i][j] = max(left[i+1][j], left[i][j+1])
			if x[i] == y[j] {
				left[i][j] = max(left[i][j], left[i+1][j+1]+1)
			}
		}
	}
	var out [][]Change
	var walk func(i, j, need int, at Change, done []Change)
	walk = func(i, j, need int, at Change, done []Change) {
		if need == 0 {
			at.A.End, at.B.End = len(x), len(y)
			if at.A.Len()+at.B.Len() > 0 {
				done = append(done[:len(done):len(done)], at)
			}
			out = append(out, append([]Change(nil), done...))
			return
		}
		for k := i; k < len(x); k++ {
			for l := j; l < len(y); l++ {
				if x[k] != y[l] || left[k+1][l+1] != need-1 {
					continue
				}
				here, next := at, done
				here.A.End, here.B.End = k, l
				if here.A.Len()+here.B.Len() > 0 {
					next = append(done[:len(done):len(done)], here)
				}
				walk(k+1, l+1, need-1, Change{text.Range{Start: k + 1}, text.Range{Start: l + 1}}, next)
			}
		}
	}
	walk(0, 0, left[0][0], Change{}, nil)
	return out
}
